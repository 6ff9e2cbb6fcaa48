#include "mesh/topology.h"

#include "base/error.h"
#include "base/sort.h"

#include <string.h>

/* --- duplicates -------------------------------------------------------------------------------- */

static void sort_three(const uint32_t *corner, uint32_t out[3])
{
    memcpy(out, corner, 3 * sizeof *out);
    for (int k = 0; k < 3; k++) {
        const int a = k == 1, b = a + 1;
        if (out[a] <= out[b]) continue;
        const uint32_t kept = out[a];
        out[a] = out[b];
        out[b] = kept;
    }
}

/* Scratch of the two sorts: by the greatest vertex, then, stably, by the two others. */
typedef struct sort_scratch {
    rni_buffer key, key_other, value, value_other;
} sort_scratch;

static rn_result sort_need(rni_memory *memory, sort_scratch *s, uint64_t count)
{
    rn_result result = rni_buffer_need(memory, &s->key, count, sizeof(uint64_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &s->key_other, count, sizeof(uint64_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &s->value, count, sizeof(uint32_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &s->value_other, count, sizeof(uint32_t));
    return result;
}

static void sort_free(rni_memory *memory, sort_scratch *s)
{
    rni_buffer_free(memory, &s->key);
    rni_buffer_free(memory, &s->key_other);
    rni_buffer_free(memory, &s->value);
    rni_buffer_free(memory, &s->value_other);
}

static rn_result run_sort(rni_topology *topology, sort_scratch *s, uint32_t count)
{
    return rni_sort_u64(topology->crew, &topology->arena, count, s->key.data, s->value.data,
                        s->key_other.data, s->value_other.data);
}

static void mark_duplicates(rni_topology *topology, const uint32_t *order, uint32_t count)
{
    uint32_t *original = topology->original.data, last[3] = {0};
    uint32_t first = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t now[3];
        sort_three(topology->mesh->triangle + 3 * (size_t)order[n], now);
        if (n > 0 && memcmp(now, last, sizeof now) == 0) {
            original[order[n]] = first;
            topology->duplicate_count++;
            continue;
        }
        first = order[n];
        memcpy(last, now, sizeof last);
    }
}

static rn_result find_duplicates(rni_topology *topology, sort_scratch *s)
{
    const rn_mesh *mesh = topology->mesh;
    uint32_t *original = topology->original.data, *order = s->value.data, count = 0;
    uint64_t *key = s->key.data;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t corner[3];
        original[t] = t;
        if (rni_is_folded(mesh, t)) {
            topology->folded_count++;
            continue;
        }
        sort_three(mesh->triangle + 3 * (size_t)t, corner);
        key[count] = corner[2];
        order[count++] = t;
    }
    rn_result result = run_sort(topology, s, count);
    if (result != RN_OK) return result;
    order = s->value.data;
    key = s->key.data;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t corner[3];
        sort_three(mesh->triangle + 3 * (size_t)order[n], corner);
        key[n] = (uint64_t)corner[0] << 32 | corner[1];
    }
    result = run_sort(topology, s, count);
    if (result == RN_OK) mark_duplicates(topology, s->value.data, count);
    return result;
}

/* --- edges ------------------------------------------------------------------------------------- */

static bool has_edges(const rni_topology *topology, uint32_t t)
{
    return ((const uint32_t *)topology->original.data)[t] == t && !rni_is_folded(topology->mesh, t);
}

static void mark_mates(rni_topology *topology)
{
    const uint32_t *half = topology->half.data, *start = topology->edge_start.data;
    uint32_t *mate = topology->mate.data;
    for (uint64_t h = 0; h < (uint64_t)topology->mesh->triangle_count * 3; h++)
        mate[h] = RNI_NO_MATE;
    for (uint32_t e = 0; e < topology->edge_count; e++) {
        if (start[e + 1] - start[e] != 2) continue;
        mate[half[start[e]]] = half[start[e] + 1];
        mate[half[start[e] + 1]] = half[start[e]];
    }
}

static rn_result find_edges(rni_topology *topology, sort_scratch *s)
{
    const rn_mesh *mesh = topology->mesh;
    uint32_t *value = s->value.data, count = 0;
    uint64_t *key = s->key.data;
    for (uint32_t h = 0; h < mesh->triangle_count * 3; h++) {
        if (!has_edges(topology, h / 3)) continue;
        const uint32_t a = rni_half_from(mesh, h), b = rni_half_to(mesh, h);
        key[count] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        value[count++] = h;
    }
    rn_result result = run_sort(topology, s, count);
    if (result == RN_OK)
        result = rni_buffer_need(topology->memory, &topology->half, count, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(topology->memory, &topology->edge_start, (uint64_t)count + 1,
                                 sizeof(uint32_t));
    if (result != RN_OK) return result;
    topology->half_count = count;
    memcpy(topology->half.data, s->value.data, (size_t)count * sizeof(uint32_t));
    uint32_t *start = topology->edge_start.data, edges = 0;
    key = s->key.data;
    for (uint32_t n = 0; n < count; n++)
        if (n == 0 || key[n] != key[n - 1]) start[edges++] = n;
    start[edges] = count;
    topology->edge_count = edges;
    mark_mates(topology);
    return RN_OK;
}

/* --- components -------------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t *parent, uint32_t t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

static void find_components(rni_topology *topology)
{
    const uint32_t *half = topology->half.data, *start = topology->edge_start.data;
    const uint32_t triangles = topology->mesh->triangle_count;
    uint32_t *parent = topology->component.data;
    for (uint32_t t = 0; t < triangles; t++) parent[t] = t;
    for (uint32_t e = 0; e < topology->edge_count; e++)
        for (uint32_t n = start[e] + 1; n < start[e + 1]; n++) {
            const uint32_t a = find_root(parent, half[start[e]] / 3),
                           b = find_root(parent, half[n] / 3);
            if (a < b) parent[b] = a;
            else parent[a] = b;
        }
    for (uint32_t t = 0; t < triangles; t++) {
        parent[t] = find_root(parent, t); /* the lowest triangle; earlier ones are done */
        if (!has_edges(topology, t)) continue;
        if (parent[t] == t) topology->component_count++;
    }
    for (uint32_t t = 0; t < triangles; t++)
        if (!has_edges(topology, t)) parent[t] = RNI_NO_PART;
}

static rn_result count_closed(rni_topology *topology)
{
    const uint32_t *half = topology->half.data, *start = topology->edge_start.data;
    const uint32_t *component = topology->component.data;
    rni_buffer open = {0};
    rn_result result = rni_buffer_need(topology->memory, &open, topology->mesh->triangle_count, 1);
    if (result != RN_OK) return result;
    bool *is_open = open.data;
    memset(is_open, 0, topology->mesh->triangle_count);
    for (uint32_t e = 0; e < topology->edge_count; e++)
        if (start[e + 1] - start[e] != 2) is_open[component[half[start[e]] / 3]] = true;
    for (uint32_t t = 0; t < topology->mesh->triangle_count; t++)
        topology->closed_component_count += component[t] == t && !is_open[t];
    rni_buffer_free(topology->memory, &open);
    return RN_OK;
}

/* --- patches ----------------------------------------------------------------------------------- */

static void take_triangle(const rni_topology *topology, rni_patch *patch, uint32_t t, bool is_turned)
{
    const rn_mesh *mesh = topology->mesh;
    const float *origin = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)patch->first];
    double p[3][3];
    patch->triangle_count++;
    patch->turned_count += is_turned;
    for (size_t k = 0; k < 3; k++)
        for (size_t axis = 0; axis < 3; axis++) {
            const double at =
                (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * (size_t)t + k] + axis];
            if (at < patch->low[axis]) patch->low[axis] = at;
            if (at > patch->high[axis]) patch->high[axis] = at;
            p[k][axis] = at - (double)origin[axis];
        }
    const double six = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                       p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                       p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    patch->volume += (is_turned ? -six : six) / 6;
}

/* Reaches every triangle of the patch of `first` through edges with two triangles. */
static void flood(rni_topology *topology, uint32_t first, uint32_t number, uint32_t *stack,
                  rni_patch *patch)
{
    const rn_mesh *mesh = topology->mesh;
    const uint32_t *mate = topology->mate.data;
    uint32_t *part = topology->patch.data, depth = 0;
    bool *is_turned = topology->is_turned.data;
    *patch = (rni_patch){.first = first, .is_closed = true, .is_orientable = true};
    for (int axis = 0; axis < 3; axis++) {
        patch->low[axis] = 1e300;
        patch->high[axis] = -1e300;
    }
    part[first] = number;
    stack[depth++] = first;
    while (depth > 0) {
        const uint32_t t = stack[--depth];
        take_triangle(topology, patch, t, is_turned[t]);
        for (uint32_t h = 3 * t; h < 3 * t + 3; h++) {
            if (mate[h] == RNI_NO_MATE) {
                patch->is_closed = false;
                continue;
            }
            const uint32_t other = mate[h] / 3;
            const bool is_same_way = rni_half_from(mesh, h) == rni_half_from(mesh, mate[h]);
            const bool turned = is_turned[t] != is_same_way;
            if (part[other] == RNI_NO_PART) {
                part[other] = number;
                is_turned[other] = turned;
                stack[depth++] = other;
            } else if (is_turned[other] != turned) {
                patch->is_orientable = false;
            }
        }
    }
}

static rn_result find_patches(rni_topology *topology)
{
    const uint32_t triangles = topology->mesh->triangle_count;
    uint32_t *part = topology->patch.data;
    rni_buffer stack = {0};
    rn_result result = rni_buffer_need(topology->memory, &stack, triangles, sizeof(uint32_t));
    memset(topology->is_turned.data, 0, triangles);
    for (uint32_t t = 0; t < triangles; t++) part[t] = RNI_NO_PART;
    for (uint32_t t = 0; t < triangles && result == RN_OK; t++) {
        if (part[t] != RNI_NO_PART || !has_edges(topology, t)) continue;
        const uint32_t number = topology->patch_count;
        result = rni_buffer_grow(topology->memory, &topology->patches, (uint64_t)number + 1,
                                 sizeof(rni_patch));
        if (result != RN_OK) break;
        flood(topology, t, number, stack.data, (rni_patch *)topology->patches.data + number);
        topology->patch_count++;
    }
    rni_buffer_free(topology->memory, &stack);
    return result;
}

/* --- all --------------------------------------------------------------------------------------- */

rn_result rni_topology_build(rni_topology *topology, const rn_mesh *mesh, rni_memory *memory,
                             rni_crew *crew)
{
    *topology = (rni_topology){.mesh = mesh, .memory = memory, .crew = crew};
    rni_arena_init(&topology->arena, memory);
    const uint64_t triangles = mesh->triangle_count ? mesh->triangle_count : 1;
    sort_scratch scratch = {0};
    rn_result result = sort_need(memory, &scratch, 3 * triangles);
    if (result == RN_OK)
        result = rni_buffer_need(memory, &topology->original, triangles, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &topology->mate, 3 * triangles, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &topology->component, triangles, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &topology->patch, triangles, sizeof(uint32_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &topology->is_turned, triangles, 1);
    if (result == RN_OK) result = rni_buffer_need(memory, &topology->must_turn, triangles, 1);
    if (result == RN_OK) result = find_duplicates(topology, &scratch);
    if (result == RN_OK) result = find_edges(topology, &scratch);
    sort_free(memory, &scratch);
    if (result != RN_OK) return result;
    find_components(topology);
    result = count_closed(topology);
    return result == RN_OK ? find_patches(topology) : result;
}

void rni_topology_free(rni_topology *topology)
{
    rni_memory *memory = topology->memory;
    if (!memory) return;
    rni_buffer *const buffers[] = {&topology->original, &topology->half,      &topology->edge_start,
                                   &topology->mate,     &topology->component, &topology->patch,
                                   &topology->patches,  &topology->is_turned, &topology->must_turn};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_arena_free(&topology->arena);
}
