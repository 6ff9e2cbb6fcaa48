/* What is wrong with a mesh: faults of single triangles and of edges; pairs.c has those of pairs. */
#include <runnel/mesh.h>

#include "mesh/exact.h"
#include "mesh/pairs.h"
#include "mesh/topology.h"

#include "base/error.h"
#include "base/output.h"

#include <math.h>
#include <string.h>

const char *rn_mesh_fault_name(rn_mesh_fault_kind kind)
{
    static const char *const NAMES[RN_MESH_FAULT_KINDS] = {
        "open edge",           "non-manifold edge", "inverted triangle", "duplicate triangle",
        "degenerate triangle", "self-intersection", "thin wall",         "narrow gap"};
    return (unsigned)kind < RN_MESH_FAULT_KINDS ? NAMES[kind] : "unknown fault";
}

rn_mesh_diagnosis rn_mesh_diagnosis_default(void)
{
    return (rn_mesh_diagnosis){.struct_bytes = sizeof(rn_mesh_diagnosis)};
}

rn_mesh_diagnose_def rn_mesh_diagnose_def_default(void)
{
    return (rn_mesh_diagnose_def){.struct_bytes = sizeof(rn_mesh_diagnose_def)};
}

/* --- measures ---------------------------------------------------------------------------------- */

static const float *corner_of(const rn_mesh *mesh, uint32_t t, size_t k)
{
    return mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + k];
}

/* Bounds, area and volume; volume with respect to the middle of the bounds, where errors are smallest. */
static void measure(const rn_mesh *mesh, rn_mesh_diagnosis *d)
{
    for (int axis = 0; axis < 3; axis++) {
        d->low[axis] = mesh->triangle_count ? INFINITY : 0;
        d->high[axis] = mesh->triangle_count ? -INFINITY : 0;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 0; k < 9; k++) {
            const double at = (double)corner_of(mesh, t, k / 3)[k % 3];
            d->low[k % 3] = fmin(d->low[k % 3], at);
            d->high[k % 3] = fmax(d->high[k % 3], at);
        }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], twice[3], volume = 0;
        for (size_t k = 0; k < 9; k++)
            p[k / 3][k % 3] =
                (double)corner_of(mesh, t, k / 3)[k % 3] - 0.5 * (d->low[k % 3] + d->high[k % 3]);
        for (int axis = 0; axis < 3; axis++) {
            const int s = (axis + 1) % 3, e = (axis + 2) % 3;
            twice[axis] = (p[1][s] - p[0][s]) * (p[2][e] - p[0][e]) -
                          (p[1][e] - p[0][e]) * (p[2][s] - p[0][s]);
            volume += p[0][axis] * twice[axis];
        }
        d->area += 0.5 * sqrt(twice[0] * twice[0] + twice[1] * twice[1] + twice[2] * twice[2]);
        d->volume += volume / 6;
    }
}

static rn_result count_unused(const rn_mesh *mesh, rni_memory *memory, rn_mesh_diagnosis *d)
{
    rni_buffer used = {0};
    rn_result result = rni_buffer_need(memory, &used, mesh->vertex_count ? mesh->vertex_count : 1, 1);
    if (result != RN_OK) return result;
    bool *is_used = used.data;
    memset(is_used, 0, mesh->vertex_count);
    for (uint64_t k = 0; k < (uint64_t)mesh->triangle_count * 3; k++)
        is_used[mesh->triangle[k]] = true;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) d->unused_vertex_count += !is_used[v];
    rni_buffer_free(memory, &used);
    return RN_OK;
}

/* --- faults ------------------------------------------------------------------------------------ */

static void add_triangle(const rn_mesh *mesh, rn_mesh_fault *fault, uint32_t t, uint32_t other)
{
    rn_mesh_place place = {.triangle = t, .other = other};
    for (size_t axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (size_t k = 0; k < 3; k++) sum += (double)corner_of(mesh, t, k)[axis];
        place.position[axis] = (float)(sum / 3);
    }
    rni_fault_add(fault, &place);
}

static void find_bad_triangles(const rni_topology *topology, rn_mesh_diagnosis *d)
{
    const rn_mesh *mesh = topology->mesh;
    const uint32_t *original = topology->original.data;
    const bool *must_turn = topology->must_turn.data;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (rni_exact_is_flat(corner_of(mesh, t, 0), corner_of(mesh, t, 1), corner_of(mesh, t, 2)))
            add_triangle(mesh, &d->fault[RN_MESH_DEGENERATE], t, t);
        if (original[t] != t) add_triangle(mesh, &d->fault[RN_MESH_DUPLICATE], t, original[t]);
        if (must_turn[t]) add_triangle(mesh, &d->fault[RN_MESH_INVERTED], t, t);
    }
}

static void find_bad_edges(const rni_topology *topology, rn_mesh_diagnosis *d)
{
    const rn_mesh *mesh = topology->mesh;
    const uint32_t *half = topology->half.data, *start = topology->edge_start.data;
    for (uint32_t e = 0; e < topology->edge_count; e++) {
        const uint32_t count = start[e + 1] - start[e], first = half[start[e]];
        if (count == 2) continue;
        rn_mesh_place place = {.triangle = first / 3, .other = first / 3};
        if (count > 2) place.other = half[start[e] + 1] / 3;
        for (size_t axis = 0; axis < 3; axis++)
            place.position[axis] =
                0.5f * mesh->vertex[3 * (size_t)rni_half_from(mesh, first) + axis] +
                0.5f * mesh->vertex[3 * (size_t)rni_half_to(mesh, first) + axis];
        rni_fault_add(&d->fault[count == 1 ? RN_MESH_OPEN_EDGE : RN_MESH_NON_MANIFOLD_EDGE], &place);
    }
}

static rn_result find_faults(const rn_mesh *mesh, const rn_mesh_diagnose_def *def,
                             rni_memory *memory, rn_mesh_diagnosis *d)
{
    rni_crew *crew;
    rn_result result = rni_crew_create(memory, def->threads, &def->tasks, &crew);
    if (result != RN_OK) return result;
    rni_topology topology;
    result = rni_topology_build(&topology, mesh, memory, crew);
    if (result == RN_OK) result = rni_topology_orient(&topology);
    if (result == RN_OK) {
        find_bad_triangles(&topology, d);
        find_bad_edges(&topology, d);
        d->component_count = topology.component_count;
        d->closed_component_count = topology.closed_component_count;
        d->is_orientable = true;
        const rni_patch *patches = topology.patches.data;
        for (uint32_t n = 0; n < topology.patch_count; n++)
            d->is_orientable &= patches[n].is_orientable;
    }
    rni_topology_free(&topology);
    rni_crew_destroy(crew);
    return result;
}

static rn_result check_def(const rn_mesh_diagnose_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh diagnosis: start from rn_mesh_diagnose_def_default()");
    if (!(def->spacing >= 0 && isfinite(def->spacing)))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh diagnosis: spacing is %g; it must be 0 or more, in m", def->spacing);
    return RN_OK;
}

rn_result rn_mesh_diagnose(const rn_mesh *mesh, const rn_mesh_diagnose_def *def,
                           rn_mesh_diagnosis *diagnosis)
{
    const rn_mesh_diagnose_def standard = rn_mesh_diagnose_def_default();
    if (!def) def = &standard;
    rn_result result = rni_output_check(diagnosis, sizeof *diagnosis, "rn_mesh_diagnosis");
    if (result == RN_OK) result = check_def(def);
    if (result == RN_OK) result = rn_mesh_check(mesh);
    if (result != RN_OK) return result;
    rni_memory memory;
    result = rni_memory_init(&memory, &def->allocator);
    if (result != RN_OK) return result;
    rn_mesh_diagnosis d = rn_mesh_diagnosis_default();
    d.vertex_count = mesh->vertex_count;
    d.triangle_count = mesh->triangle_count;
    measure(mesh, &d);
    result = count_unused(mesh, &memory, &d);
    if (result == RN_OK) result = find_faults(mesh, def, &memory, &d);
    if (result == RN_OK) result = rni_pairs_find(mesh, def, &memory, &d);
    if (result != RN_OK) return result;
    d.is_closed = mesh->triangle_count > 0 && d.is_orientable;
    for (int kind = RN_MESH_OPEN_EDGE; kind <= RN_MESH_DEGENERATE; kind++)
        d.is_closed = d.is_closed && d.fault[kind].count == 0;
    rni_output_write(diagnosis, &d, sizeof d);
    return RN_OK;
}
