#include "search/gathered.h"

#include <math.h>

const grid_kernel *rni_grid_kernel_for(rn_cpu_level cpu)
{
#ifdef RNI_X86
    if (cpu == RN_CPU_AVX2) return &rni_grid_kernel_avx2;
    if (cpu == RN_CPU_AVX512) return &rni_grid_kernel_avx512;
#endif
    (void)cpu;
    return &rni_grid_kernel_plain;
}

rn_result rni_scratch_need(rni_memory *memory, rni_buffer *buffer, grid_scratch *scratch,
                           uint64_t candidates)
{
    if (candidates <= scratch->capacity && buffer->data) return RN_OK;
    const uint64_t length = (candidates + candidates / 4 + 2 * RNI_ROWS_SPILL + 15u) & ~(uint64_t)15u;
    const uint64_t near = (length / 2 + 15u) & ~(uint64_t)15u; /* whole cache lines */
    scratch->capacity = 0;
    rn_result result =
        rni_buffer_need(memory, buffer, GRID_SEEN_FLOATS + near + 4 * length, sizeof(float));
    if (result != RN_OK) return result;
    scratch->seen = buffer->data;
    scratch->near = (uint16_t *)(void *)((float *)buffer->data + GRID_SEEN_FLOATS);
    scratch->x = (float *)buffer->data + GRID_SEEN_FLOATS + near;
    scratch->y = scratch->x + length;
    scratch->z = scratch->y + length;
    scratch->id = (uint32_t *)(void *)(scratch->z + length);
    scratch->capacity = (uint32_t)(length - RNI_ROWS_SPILL);
    return RN_OK;
}

/* Entries reserved at once. Few of them are used, so clusters with more candidates are processed
 * a few points at a time. */
#define EMIT_ENTRIES 8192u

/* With more candidates than this, checking first whether all of them are near all points pays
 * off. */
#define CROWD 2048u

/* True when the box of the cluster and the box of its candidates are so close that every pair
 * counts. Applies the operations of the exact test to the largest differences; rounding is
 * monotonic. */
static bool is_all_near(const grid_kernel *kernel, float radius_sq, const grid_points *points,
                        const rni_gathered *c, const grid_scratch *scratch)
{
    const grid_points candidates = {scratch->x, scratch->y, scratch->z, scratch->id, NULL};
    float low[3], high[3], other_low[3], other_high[3], far[3], origin[3] = {0.0f, 0.0f, 0.0f};
    kernel->bounds(points, c->begin, c->end, low, high);
    kernel->bounds(&candidates, 0, c->candidates, other_low, other_high);
    for (int axis = 0; axis < 3; axis++) {
        far[axis] = fmaxf(high[axis] - other_low[axis], other_high[axis] - low[axis]);
    }
    rni_space open_space = {.radius = 0.0f}; /* not periodic */
    return rni_distance_sq(&open_space, far, origin) <= radius_sq;
}

/* Processes as many points of a cluster as fit into the reserved entries. */
static rn_result emit_points(const grid_kernel *kernel, const grid_question *question,
                             uint32_t *counts, rni_rows *rows, uint32_t *doubtful)
{
    uint32_t *index = NULL;
    float *distance_sq = NULL;
    if (question->want != RNI_WANT_COUNTS) {
        const uint64_t most = (uint64_t)question->candidate_count * (question->end - question->begin);
        rn_result result = rni_rows_reserve(rows, question->want, most);
        if (result != RN_OK) return result;
        index = rni_rows_next(rows);
        if (question->want == RNI_WANT_DISTANCE)
            distance_sq = (float *)rows->distance_sq.data + rows->used;
    }
    const uint64_t written = kernel->emit(question, counts, index, distance_sq, doubtful);
    if (question->want != RNI_WANT_COUNTS) rows->used += written;
    return RN_OK;
}

/* Lattices whose spacing divides the radius make the quick test undecided for every point. The
 * next clusters are then tested exactly right away. The result is the same either way. */
#define EXACT_CLUSTERS 64u

rn_result rni_gathered_emit(const grid_kernel *kernel, const rni_search_env *env,
                            const rni_find *find, const grid_points *points, const rni_gathered *c,
                            const grid_scratch *scratch, uint32_t *exact_clusters, uint32_t *counts,
                            rni_rows *rows)
{
    uint32_t step = c->end - c->begin;
    if (find->want == RNI_WANT_COUNTS && find->leave_out != RNI_LEAVE_SMALLER && !c->is_wrapped &&
        !env->radii_sq && c->candidates > CROWD &&
        is_all_near(kernel, env->space.radius_sq, points, c, scratch)) {
        uint32_t self = find->leave_out == RNI_LEAVE_SELF ? 1 : 0;
        for (uint32_t k = 0; k < step; k++) counts[k] = c->candidates - self;
        return RN_OK;
    }
    if (find->want != RNI_WANT_COUNTS && (uint64_t)step * c->candidates > EMIT_ENTRIES)
        step = c->candidates < EMIT_ENTRIES ? EMIT_ENTRIES / c->candidates : 1;
    grid_question question = {.points = points,
                              .scratch = scratch,
                              .candidate_count = c->candidates,
                              .space = &env->space,
                              .is_folded = c->is_wrapped,
                              .middle = c->middle,
                              .want = find->want,
                              .leave_out = find->leave_out,
                              .own_at = UINT32_MAX};
    if (*exact_clusters > 0) {
        *exact_clusters -= 1;
        question.middle.margin = 0.0f;
    }
    uint32_t doubtful = 0;
    for (uint32_t at = c->begin; at < c->end; at += step) {
        question.begin = at;
        question.end = c->end - at < step ? c->end : at + step;
        if (c->is_own_first) question.own_at = at - c->begin;
        rn_result result = emit_points(kernel, &question, counts + (at - c->begin), rows, &doubtful);
        if (result != RN_OK) return result;
    }
    if (doubtful * 2 > c->end - c->begin) *exact_clusters = EXACT_CLUSTERS;
    return RN_OK;
}
