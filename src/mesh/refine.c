/* Cutting the longest edges: any number of triangles from a coarser mesh, without changing its surface. */
#include "mesh/maker.h"
#include "mesh/topology.h"

/* An edge in the heap; stale when the half-edge has been cut since. */
typedef struct entry {
    double length_sq;
    uint32_t half;
    uint32_t from, to;
} entry;

typedef struct refinement {
    rn_mesh_data *data;
    rni_memory *memory;
    rni_buffer mate; /* uint32_t per half-edge, or RNI_NO_MATE */
    rni_buffer heap; /* entry, the longest first */
    uint32_t heap_count;
} refinement;

static uint32_t next_of(uint32_t half)
{
    return half % 3 == 2 ? half - 2 : half + 1;
}

/* Longer first; among equals the lower half-edge, so that the result is always the same. */
static bool is_before(const entry *a, const entry *b)
{
    return a->length_sq != b->length_sq ? a->length_sq > b->length_sq : a->half < b->half;
}

static rn_result push(refinement *r, uint32_t half)
{
    rn_result result =
        rni_buffer_grow(r->memory, &r->heap, (uint64_t)r->heap_count + 1, sizeof(entry));
    if (result != RN_OK) return result;
    const uint32_t *corner = rni_data_triangle(r->data);
    const float *vertex = rni_data_vertex(r->data);
    entry new = {0, half, corner[half], corner[next_of(half)]};
    for (size_t axis = 0; axis < 3; axis++) {
        const double d = (double)vertex[3 * (size_t) new.from + axis] -
                         (double)vertex[3 * (size_t) new.to + axis];
        new.length_sq += d *d;
    }
    entry *heap = r->heap.data;
    uint32_t at = r->heap_count++;
    for (; at > 0 && is_before(&new, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = new;
    return RN_OK;
}

static entry pop(refinement *r)
{
    entry *heap = r->heap.data;
    const entry top = heap[0], last = heap[--r->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= r->heap_count) break;
        if (child + 1 < r->heap_count && is_before(&heap[child + 1], &heap[child])) child++;
        if (!is_before(&heap[child], &last)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

static void join(refinement *r, uint32_t a, uint32_t b)
{
    uint32_t *mate = r->mate.data;
    if (a != RNI_NO_MATE) mate[a] = b;
    if (b != RNI_NO_MATE) mate[b] = a;
}

/* Cuts the triangle of `half` (p, q, d) into (p, m, d) and a new one (m, q, d); *other is half-edge m q. */
static rn_result cut_one(refinement *r, uint32_t half, uint32_t m, uint32_t *other)
{
    rn_mesh_data *data = r->data;
    const size_t t = half / 3, k = half % 3, k1 = (k + 1) % 3;
    uint32_t new[3];
    float uv[6] = {0};
    for (size_t c = 0; c < 3; c++) new[c] = rni_data_triangle(data)[3 * t + c];
    new[k] = m;
    for (size_t c = 0; c < 6 && data->has_texture; c++) uv[c] = rni_data_texture(data)[6 * t + c];
    for (size_t axis = 0; axis < 2; axis++)
        uv[2 * k + axis] = 0.5f * (uv[2 * k + axis] + uv[2 * k1 + axis]);
    const uint32_t made = data->triangle_count;
    rn_result result = rn_mesh_data_add_triangles(data, new, data->has_texture ? uv : NULL, 1);
    if (result == RN_OK)
        result = rni_buffer_grow(r->memory, &r->mate, 3 * (uint64_t)data->triangle_count,
                                 sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_data_triangle(data)[3 * t + k1] = m;
    for (size_t axis = 0; axis < 2 && data->has_texture; axis++)
        rni_data_texture(data)[6 * t + 2 * k1 + axis] = uv[2 * k + axis];
    const uint32_t first = 3 * made, at = (uint32_t)k;
    const uint32_t old_side = 3 * (uint32_t)t + (at + 1) % 3; /* was q d, is m d */
    join(r, first + (at + 1) % 3, ((const uint32_t *)r->mate.data)[old_side]);
    join(r, old_side, first + (at + 2) % 3);
    *other = first + at;
    return RN_OK;
}

static rn_result cut_edge(refinement *r, uint32_t half)
{
    const uint32_t mate = ((const uint32_t *)r->mate.data)[half];
    const uint32_t *corner = rni_data_triangle(r->data);
    const float *vertex = rni_data_vertex(r->data);
    const float *p = vertex + 3 * (size_t)corner[half],
                *q = vertex + 3 * (size_t)corner[next_of(half)];
    uint32_t m, far = 0, mate_far = RNI_NO_MATE;
    rn_result result = rni_mesh_data_vertex(r->data, 0.5 * ((double)p[0] + (double)q[0]),
                                            0.5 * ((double)p[1] + (double)q[1]),
                                            0.5 * ((double)p[2] + (double)q[2]), &m);
    if (result == RN_OK) result = cut_one(r, half, m, &far);
    if (result == RN_OK && mate != RNI_NO_MATE) result = cut_one(r, mate, m, &mate_far);
    if (result != RN_OK) return result;
    /* p m | m q of one side, q m | m p of the other. */
    join(r, half, mate_far);
    join(r, far, mate == RNI_NO_MATE ? RNI_NO_MATE : mate);
    /* The halves, the two new edges, and the outer edges that have moved to the new triangles. */
    const uint32_t own[] = {half, far, next_of(half), next_of(far)};
    for (int k = 0; k < 4 && result == RN_OK; k++) result = push(r, own[k]);
    if (result == RN_OK && mate != RNI_NO_MATE) result = push(r, next_of(mate));
    if (result == RN_OK && mate != RNI_NO_MATE) result = push(r, next_of(mate_far));
    return result;
}

/* The mates of a mesh without cuts. */
static rn_result find_mates(refinement *r)
{
    const rn_tasks none = {0};
    const rn_mesh mesh = rn_mesh_data_get_mesh(r->data);
    rni_crew *crew;
    rn_result result = rni_crew_create(r->memory, 1, &none, &crew);
    if (result != RN_OK) return result;
    rni_topology topology;
    result = rni_topology_build(&topology, &mesh, r->memory, crew);
    if (result == RN_OK) {
        r->mate = topology.mate;
        topology.mate = (rni_buffer){0};
    }
    rni_topology_free(&topology);
    rni_crew_destroy(crew);
    return result;
}

rn_result rni_mesh_refine(rn_mesh_data *data, uint32_t wanted)
{
    refinement r = {.data = data, .memory = &data->memory};
    if (data->triangle_count + 1 > wanted) return RN_OK;
    rn_result result = find_mates(&r);
    for (uint32_t h = 0; h < 3 * data->triangle_count && result == RN_OK; h++) {
        const uint32_t mate = ((const uint32_t *)r.mate.data)[h];
        if (mate == RNI_NO_MATE || h < mate) result = push(&r, h);
    }
    while (result == RN_OK && data->triangle_count < wanted && r.heap_count > 0) {
        const entry longest = pop(&r);
        const uint32_t *corner = rni_data_triangle(data);
        if (corner[longest.half] != longest.from || corner[next_of(longest.half)] != longest.to)
            continue;
        const bool is_border = ((const uint32_t *)r.mate.data)[longest.half] == RNI_NO_MATE;
        if (!is_border && data->triangle_count + 2 > wanted) continue; /* a border may still fit */
        result = cut_edge(&r, longest.half);
    }
    rni_buffer_free(r.memory, &r.mate);
    rni_buffer_free(r.memory, &r.heap);
    return result;
}
