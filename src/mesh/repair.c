/* Repair, in place: weld, drop what has no area or is there twice, orient, remove unused vertices. */
#include <runnel/mesh.h>

#include "mesh/data.h"
#include "mesh/exact.h"
#include "mesh/topology.h"
#include "mesh/weld.h"

#include "base/error.h"
#include "base/output.h"

#include <math.h>
#include <string.h>

/* Flat triangles are resolved in rounds: in each one, no triangle takes part twice. */
#define FLAT_ROUNDS        64
#define STANDARD_TOLERANCE 1e-6 /* of the diagonal */

rn_mesh_repair_def rn_mesh_repair_def_default(void)
{
    return (rn_mesh_repair_def){.struct_bytes = sizeof(rn_mesh_repair_def), .weld_tolerance = -1};
}

rn_mesh_repair_report rn_mesh_repair_report_default(void)
{
    return (rn_mesh_repair_report){.struct_bytes = sizeof(rn_mesh_repair_report)};
}

typedef struct repair {
    rn_mesh_data *data;
    rni_memory memory; /* temporary */
    rni_crew *crew;
    rn_mesh_repair_report report;
} repair;

static double diagonal_of(const rn_mesh_data *data)
{
    const float *vertex = rni_data_vertex(data);
    double sum = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < data->vertex_count; v++) {
            low = fmin(low, (double)vertex[3 * v + axis]);
            high = fmax(high, (double)vertex[3 * v + axis]);
        }
        if (high > low) sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

/* --- dropping triangles ------------------------------------------------------------------------ */

/* Removes the marked triangles and keeps the order of the others. */
static void drop_marked(rn_mesh_data *data, const bool *is_dropped)
{
    uint32_t *corner = rni_data_triangle(data), kept = 0;
    float *uv = rni_data_texture(data);
    for (uint32_t t = 0; t < data->triangle_count; t++) {
        if (is_dropped[t]) continue;
        memmove(corner + 3 * (size_t)kept, corner + 3 * (size_t)t, 3 * sizeof *corner);
        if (uv) memmove(uv + 6 * (size_t)kept, uv + 6 * (size_t)t, 6 * sizeof *uv);
        kept++;
    }
    data->triangle_count = kept;
}

static bool is_flat(const rn_mesh_data *data, uint32_t t)
{
    const uint32_t *c = rni_data_triangle(data) + 3 * (size_t)t;
    const float *v = rni_data_vertex(data);
    return rni_exact_is_flat(v + 3 * (size_t)c[0], v + 3 * (size_t)c[1], v + 3 * (size_t)c[2]);
}

static double length_sq(const rn_mesh_data *data, uint32_t a, uint32_t b)
{
    const float *p = rni_data_vertex(data) + 3 * (size_t)a,
                *q = rni_data_vertex(data) + 3 * (size_t)b;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double d = (double)p[axis] - (double)q[axis];
        sum += d * d;
    }
    return sum;
}

/* Cuts the triangle of half-edge h at vertex m, which lies on that edge: (p, q, d) becomes (p, m, d), (m, q, d). */
static rn_result split_at(rn_mesh_data *data, uint32_t h, uint32_t m)
{
    const size_t t = h / 3, k = h % 3, k1 = (k + 1) % 3;
    uint32_t old[3], new[3];
    float old_uv[6] = {0}, new_uv[6];
    memcpy(old, rni_data_triangle(data) + 3 * t, sizeof old);
    if (data->has_texture) memcpy(old_uv, rni_data_texture(data) + 6 * t, sizeof old_uv);
    const double whole = sqrt(length_sq(data, old[k], old[k1]));
    const float share = whole > 0 ? (float)(sqrt(length_sq(data, old[k], m)) / whole) : 0.5f;
    memcpy(new, old, sizeof new);
    memcpy(new_uv, old_uv, sizeof new_uv);
    new[k] = m;
    for (size_t axis = 0; axis < 2; axis++)
        new_uv[2 * k + axis] =
            old_uv[2 * k + axis] + share * (old_uv[2 * k1 + axis] - old_uv[2 * k + axis]);
    rn_result result = rn_mesh_data_add_triangles(data, new, data->has_texture ? new_uv : NULL, 1);
    if (result != RN_OK) return result;
    rni_data_triangle(data)[3 * t + k1] = m;
    if (data->has_texture)
        memcpy(rni_data_texture(data) + 6 * t + 2 * k1, new_uv + 2 * k, 2 * sizeof(float));
    return RN_OK;
}

/* The half-edge of a flat triangle that is as long as the two others together. */
static uint32_t longest_half(const rn_mesh_data *data, uint32_t t)
{
    const uint32_t *c = rni_data_triangle(data) + 3 * (size_t)t;
    uint32_t best = 0;
    double most = -1;
    for (uint32_t k = 0; k < 3; k++) {
        const double length = length_sq(data, c[k], c[(k + 1) % 3]);
        if (length > most) {
            most = length;
            best = k;
        }
    }
    return 3 * t + best;
}

/* A flat triangle whose middle corner lies on the edge of a neighbour: dropping it alone would leave the neighbour
 * without a mate, so the neighbour is cut at that corner. */
static rn_result resolve_flat(repair *r, const rni_topology *topology, bool *is_touched,
                              bool *is_dropped)
{
    const uint32_t *mate = topology->mate.data, count = topology->mesh->triangle_count;
    for (uint32_t t = 0; t < count; t++) {
        if (is_touched[t] || !is_flat(r->data, t)) continue;
        const uint32_t h = longest_half(r->data, t);
        const uint32_t middle = rni_data_triangle(r->data)[3 * (size_t)t + (h % 3 + 2) % 3];
        is_touched[t] = true;
        if (mate[h] != RNI_NO_MATE) {
            const uint32_t other = mate[h] / 3;
            if (is_touched[other]) continue; /* in the next round */
            is_touched[other] = true;
            const uint32_t apex =
                rni_data_triangle(r->data)[3 * (size_t)other + (mate[h] % 3 + 2) % 3];
            if (apex != middle) {
                rn_result result = split_at(r->data, mate[h], middle);
                if (result != RN_OK) return result;
                r->report.split_triangle_count++;
            }
        }
        is_dropped[t] = true;
        r->report.degenerate_triangle_count++;
    }
    return RN_OK;
}

/* Drops folded and duplicate triangles and one round of flat ones. *is_done: there was none. */
static rn_result drop_round(repair *r, bool is_last, bool *is_done)
{
    rn_mesh mesh = rn_mesh_data_get_mesh(r->data);
    rni_topology topology;
    rni_buffer touched = {0}, dropped = {0};
    const uint32_t count = mesh.triangle_count;
    *is_done = true;
    if (count == 0) return RN_OK;
    rn_result result = rni_topology_build(&topology, &mesh, &r->memory, r->crew);
    if (result == RN_OK) result = rni_buffer_need(&r->memory, &touched, count, 1);
    if (result == RN_OK) result = rni_buffer_need(&r->memory, &dropped, 2 * (uint64_t)count, 1);
    if (result == RN_OK) {
        bool *is_dropped = dropped.data;
        const uint32_t *original = topology.original.data;
        memset(touched.data, 0, count);
        memset(is_dropped, 0, 2 * (size_t)count);
        for (uint32_t t = 0; t < count; t++) {
            const bool is_folded = rni_is_folded(&mesh, t) || (is_last && is_flat(r->data, t));
            const bool is_repeated = !is_folded && original[t] != t;
            r->report.degenerate_triangle_count += is_folded;
            r->report.duplicate_triangle_count += is_repeated;
            is_dropped[t] = ((bool *)touched.data)[t] = is_folded || is_repeated;
            *is_done = *is_done && !is_dropped[t] && !is_flat(r->data, t);
        }
        if (!*is_done && !is_last) result = resolve_flat(r, &topology, touched.data, is_dropped);
        if (result == RN_OK) drop_marked(r->data, is_dropped);
    }
    rni_buffer_free(&r->memory, &touched);
    rni_buffer_free(&r->memory, &dropped);
    rni_topology_free(&topology);
    return result;
}

/* --- orientation, unused vertices -------------------------------------------------------------- */

static rn_result turn_triangles(repair *r)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(r->data);
    rni_topology topology;
    rn_result result = rni_topology_build(&topology, &mesh, &r->memory, r->crew);
    if (result == RN_OK) result = rni_topology_orient(&topology);
    const bool *must_turn = topology.must_turn.data;
    for (size_t t = 0; t < mesh.triangle_count && result == RN_OK; t++) {
        if (!must_turn[t]) continue;
        uint32_t *c = rni_data_triangle(r->data) + 3 * t, corner = c[1];
        c[1] = c[2];
        c[2] = corner;
        for (size_t axis = 0; axis < 2 && r->data->has_texture; axis++) {
            float *uv = rni_data_texture(r->data) + 6 * t + 2 + axis, kept = uv[0];
            uv[0] = uv[2];
            uv[2] = kept;
        }
    }
    r->report.turned_triangle_count = topology.must_turn_count;
    r->report.turned_shell_count = topology.inside_out_count;
    rni_topology_free(&topology);
    return result;
}

static rn_result drop_unused(repair *r)
{
    rn_mesh_data *data = r->data;
    rni_buffer numbers = {0};
    if (data->vertex_count == 0) return RN_OK;
    rn_result result = rni_buffer_need(&r->memory, &numbers, data->vertex_count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *number = numbers.data, *corner = rni_data_triangle(data), kept = 0;
    memset(number, 0, (size_t)data->vertex_count * sizeof *number);
    for (size_t k = 0; k < (size_t)data->triangle_count * 3; k++) number[corner[k]] = 1;
    for (uint32_t v = 0; v < data->vertex_count; v++) {
        if (!number[v]) continue;
        memmove(rni_data_vertex(data) + 3 * (size_t)kept, rni_data_vertex(data) + 3 * (size_t)v,
                3 * sizeof(float));
        number[v] = kept++;
    }
    for (size_t k = 0; k < (size_t)data->triangle_count * 3; k++) corner[k] = number[corner[k]];
    r->report.unused_vertex_count = data->vertex_count - kept - r->report.welded_vertex_count;
    data->vertex_count = kept;
    rni_buffer_free(&r->memory, &numbers);
    return RN_OK;
}

/* --- all --------------------------------------------------------------------------------------- */

static rn_result run(repair *r, const rn_mesh_repair_def *def)
{
    r->report.weld_tolerance =
        def->weld_tolerance >= 0 ? def->weld_tolerance : STANDARD_TOLERANCE * diagonal_of(r->data);
    rn_result result =
        rni_mesh_weld(r->data, r->report.weld_tolerance, &r->memory, &r->report.welded_vertex_count);
    bool is_done = false;
    for (int round = 0; round <= FLAT_ROUNDS && !is_done && result == RN_OK; round++)
        result = drop_round(r, round == FLAT_ROUNDS, &is_done);
    if (result == RN_OK && !def->keeps_orientation) result = turn_triangles(r);
    return result == RN_OK ? drop_unused(r) : result;
}

rn_result rn_mesh_repair(rn_mesh_data *data, const rn_mesh_repair_def *def,
                         rn_mesh_repair_report *report)
{
    const rn_mesh_repair_def standard = rn_mesh_repair_def_default();
    const rn_tasks none = {0};
    if (!def) def = &standard;
    rn_result result = rni_output_check(report, sizeof *report, "rn_mesh_repair_report");
    if (result != RN_OK) return result;
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT, "mesh repair: start from rn_mesh_repair_def_default()");
    if (!isfinite(def->weld_tolerance))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh repair: weld_tolerance is %g; it must be finite, in m, or negative for "
                        "the default",
                        def->weld_tolerance);
    repair r = {.data = data, .report = rn_mesh_repair_report_default()};
    result = rni_memory_init(&r.memory, &def->allocator);
    if (result == RN_OK) result = rni_crew_create(&r.memory, 1, &none, &r.crew);
    if (result != RN_OK) return result;
    result = run(&r, def);
    rni_crew_destroy(r.crew);
    if (result == RN_OK) rni_output_write(report, &r.report, sizeof r.report);
    return result;
}
