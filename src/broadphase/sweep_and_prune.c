/* Method "sweep-and-prune": the ends of all boxes along each axis in sorted lists, kept from step
 * to step. Insertion sort repairs the lists. A pair can begin or end only when two ends change
 * places, so the cost of a step grows with the number of boxes that move past each other. (Baraff
 * 1992; Cohen, Lin, Manocha and Ponamgi, I-COLLIDE, 1995; the baseline of Poirrier 2009.)
 *
 * The first step, a changed number of boxes, or a step in which everything moves triggers a
 * rebuild: radix sort, and one sweep along x (the single column of columns.h) for the pairs. A
 * rebuild costs O(n^(5/3)) in 3D for evenly spread boxes; the method is for few boxes, or slow
 * ones. */
#include "base/error.h"
#include "base/sort.h"
#include "base/validate.h"
#include "broadphase/columns.h"
#include "broadphase/pair_set.h"

#include <assert.h>

#define PIECE_PAIRS 65536u
#define SWEEP_BOXES 4096u

/* One end of a box along an axis. At the same coordinate low ends precede high ends, so that
 * touching boxes overlap. */
typedef struct box_end {
    float at;
    uint32_t box_2; /* twice the box index, plus 1 for its high end */
} box_end;

typedef struct box {
    float low[3], high[3];
} box;

typedef struct sweep {
    rni_box_env *env;
    uint32_t count, dim;
    bool is_valid;      /* lists and pairs are those of count boxes */
    uint64_t patience;  /* number of exchanges that cost about as much as a rebuild */
    float extent_x;     /* the longest edge along x */
    rni_buffer boxes;   /* box */
    rni_buffer ends[3]; /* box_end, 2 per box */
    rni_buffer key, key_scratch, value_scratch; /* for a rebuild */
    rni_pair_set pairs;
    columns column;
    rni_pair_sink sink;
} sweep;

static rn_result create(rni_box_env *env, void **state)
{
    sweep *s = rni_memory_take(env->memory, sizeof *s);
    if (!s) return RN_ERROR_MEMORY;
    memset(s, 0, sizeof *s);
    s->env = env;
    s->pairs.memory = env->memory;
    uint64_t limit = env->def->memory_limit_bytes;
    s->pairs.limit_bytes = limit ? limit : rni_machine_bytes();
    s->sink.memory = env->memory;
    rn_result result = rni_columns_open(&s->column, env);
    if (result != RN_OK) {
        rni_memory_give(env->memory, s, sizeof *s);
        return result;
    }
    *state = s;
    return RN_OK;
}

static void destroy(void *state)
{
    sweep *s = state;
    if (!s) return;
    rni_memory *memory = s->env->memory;
    rni_columns_close(&s->column);
    rni_pair_set_free(&s->pairs);
    for (int axis = 0; axis < 3; axis++) rni_buffer_free(memory, &s->ends[axis]);
    rni_buffer *const buffers[] = {&s->boxes, &s->key, &s->key_scratch, &s->value_scratch,
                                   &s->sink.buffer};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_memory_give(memory, s, sizeof *s);
}

static float end_at(const sweep *s, uint32_t box_2, int axis)
{
    const box *b = (const box *)s->boxes.data + box_2 / 2;
    return (box_2 & 1 ? b->high[axis] : b->low[axis]) + 0.0f; /* -0 becomes 0 */
}

/* --- rebuild
 * ------------------------------------------------------------------------------------ */

static rn_result sort_axis(sweep *s, int axis)
{
    uint32_t count = 2 * s->count;
    rni_memory *memory = s->env->memory;
    if (rni_buffer_need(memory, &s->ends[axis], count, sizeof(box_end)) ||
        rni_buffer_need(memory, &s->key, count, sizeof(uint64_t)) ||
        rni_buffer_need(memory, &s->key_scratch, count, sizeof(uint64_t)) ||
        rni_buffer_need(memory, &s->value_scratch, 2 * (uint64_t)count, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    uint64_t *key = s->key.data;
    uint32_t *order = s->value_scratch.data;
    for (uint32_t k = 0; k < count; k++) {
        float at = end_at(s, k, axis);
        uint32_t bits;
        memcpy(&bits, &at, sizeof bits);
        bits ^= (uint32_t)((int32_t)bits >> 31) |
                0x80000000u; /* an integer with the order of the float */
        key[k] = (uint64_t)bits << 1 | (k & 1);
        order[k] = k;
    }
    rn_result result = rni_sort_u64(s->env->crew, s->env->arena, count, key, order,
                                    s->key_scratch.data, order + count);
    if (result != RN_OK) return result;
    box_end *end = s->ends[axis].data;
    for (uint32_t k = 0; k < count; k++) end[k] = (box_end){end_at(s, order[k], axis), order[k]};
    return RN_OK;
}

/* Finds all pairs by one sweep along x. */
static rn_result sweep_all(sweep *s, const rni_boxes *boxes)
{
    columns *column = &s->column;
    rn_result result = rni_columns_lay_out_one(column, boxes);
    if (result == RN_OK) result = rni_columns_sort(column, boxes);
    rni_pair_set_clear(&s->pairs);
    s->sink.candidate_count = 0;
    for (uint32_t begin = 0; begin < s->count && result == RN_OK; begin += SWEEP_BOXES) {
        uint32_t end = s->count - begin < SWEEP_BOXES ? s->count : begin + SWEEP_BOXES;
        s->sink.used = 0;
        result = column->kernel->pairs(column, &column->tasks[0], begin, end, &s->sink);
        for (uint64_t k = 0; k < s->sink.used && result == RN_OK; k++)
            result = rni_pair_set_add(&s->pairs, s->sink.pair[k].a, s->sink.pair[k].b);
    }
    assert(!rni_validate_pair_set(&s->pairs));
    s->patience = s->sink.candidate_count / 8 + 64 * (uint64_t)s->count;
    return result;
}

static rn_result start_anew(sweep *s, const rni_boxes *boxes)
{
    rn_result result = RN_OK;
    for (uint32_t axis = 0; axis < s->dim && result == RN_OK; axis++)
        result = sort_axis(s, (int)axis);
    if (result == RN_OK) result = sweep_all(s, boxes);
    s->is_valid = result == RN_OK;
    return result;
}

/* --- one step ----------------------------------------------------------------------------------- */

static bool comes_before(box_end e, box_end f)
{
    return e.at < f.at || (e.at == f.at && (e.box_2 & 1) < (f.box_2 & 1));
}

/* End e has moved before end f. A low end before a high end may begin an overlap; a high end before
 * a low end ends one. */
static rn_result exchange(sweep *s, box_end e, box_end f)
{
    uint32_t i = e.box_2 / 2, j = f.box_2 / 2;
    if ((e.box_2 & 1) == (f.box_2 & 1) || i == j) return RN_OK;
    if (e.box_2 & 1) {
        rni_pair_set_remove(&s->pairs, i, j);
        return RN_OK;
    }
    const box *b = s->boxes.data;
    if (!rni_boxes_touch(b[i].low, b[i].high, b[j].low, b[j].high)) return RN_OK;
    return rni_pair_set_add(&s->pairs, i, j);
}

/* *is_done is false when the patience ran out; the lists are then invalid. */
static rn_result repair_axis(sweep *s, int axis, uint64_t *swaps, bool *is_done)
{
    box_end *end = s->ends[axis].data;
    uint32_t count = 2 * s->count;
    for (uint32_t k = 0; k < count; k++) end[k].at = end_at(s, end[k].box_2, axis);
    for (uint32_t k = 1; k < count; k++) {
        box_end e = end[k];
        uint32_t to = k;
        while (to > 0 && comes_before(e, end[to - 1])) {
            rn_result result = exchange(s, e, end[to - 1]);
            if (result != RN_OK) return result;
            end[to] = end[to - 1];
            to--;
        }
        end[to] = e;
        *swaps += k - to;
        if (*swaps > s->patience) return RN_OK;
    }
    *is_done = true;
    return RN_OK;
}

static rn_result repair(sweep *s, bool *is_done)
{
    uint64_t swaps = 0;
    *is_done = true;
    for (uint32_t axis = 0; axis < s->dim && *is_done; axis++) {
        *is_done = false;
        rn_result result = repair_axis(s, (int)axis, &swaps, is_done);
        if (result != RN_OK) return result;
    }
    s->env->stats->swap_count = swaps;
    return RN_OK;
}

/* NULL, or a description of the error (base/validate.h). Checks that the ends of all boxes are in
 * ascending order along each axis, and that all stored pairs touch. */
static __attribute__((unused)) const char *validate(const sweep *s)
{
    const box *b = s->boxes.data;
    const rn_pair *pair = s->pairs.pairs.data;
    for (uint32_t axis = 0; axis < s->dim; axis++) {
        const box_end *end = s->ends[axis].data;
        uint64_t sum = 0;
        for (uint32_t k = 0; k < 2 * s->count; k++) {
            if (k > 0 && comes_before(end[k], end[k - 1])) return "the ends do not ascend";
            if (end[k].at != end_at(s, end[k].box_2, (int)axis)) return "an end is out of date";
            sum += rni_index_sum(&end[k].box_2, 1);
        }
        if (sum != rni_index_sum_below(2 * (uint64_t)s->count))
            return "an end is missing or occurs twice";
    }
    for (uint32_t k = 0; k < s->pairs.count; k++)
        if (!rni_boxes_touch(b[pair[k].a].low, b[pair[k].a].high, b[pair[k].b].low, b[pair[k].b].high))
            return "a stored pair does not touch";
    return rni_validate_pair_set(&s->pairs);
}

static rn_result build(void *state, const rni_boxes *boxes)
{
    sweep *s = state;
    bool was_valid = s->is_valid && s->count == boxes->count && s->dim == boxes->dim;
    s->is_valid = false; /* until everything has succeeded */
    s->count = 0;
    if (boxes->count > UINT32_MAX / 4)
        return rni_fail(RN_ERROR_LIMIT, "sweep-and-prune takes at most %u boxes; there are %u",
                        UINT32_MAX / 4, boxes->count);
    rn_result result = rni_buffer_need(s->env->memory, &s->boxes, boxes->count, sizeof(box));
    if (result != RN_OK) return result;
    box *b = s->boxes.data;
    for (uint32_t i = 0; i < boxes->count; i++) rni_boxes_at(boxes, i, b[i].low, b[i].high);
    s->count = boxes->count;
    s->dim = boxes->dim;
    s->extent_x = boxes->extent[0];
    s->env->stats->element_count = boxes->count;
    if (boxes->count == 0) return RN_OK;
    bool is_done = false;
    if (was_valid) result = repair(s, &is_done);
    if (result != RN_OK) return result;
    s->is_valid = is_done;
    s->env->stats->order_reused = is_done;
    if (!is_done) result = start_anew(s, boxes);
    assert(result != RN_OK || !validate(s));
    return result;
}

/* --- pairs and queries
 * -------------------------------------------------------------------------- */

static uint32_t pair_pieces(const void *state)
{
    return rni_piece_count(((const sweep *)state)->pairs.count, PIECE_PAIRS);
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    (void)worker;
    const sweep *s = state;
    uint32_t begin = piece * PIECE_PAIRS;
    uint32_t left = s->pairs.count - begin;
    uint32_t count = left < PIECE_PAIRS ? left : PIECE_PAIRS;
    rn_result result = rni_pair_reserve(sink, count);
    if (result != RN_OK) return result;
    memcpy(sink->pair + sink->used, (const rn_pair *)s->pairs.pairs.data + begin,
           count * sizeof *sink->pair);
    sink->used += count;
    if (piece == 0) sink->candidate_count += s->sink.candidate_count + s->env->stats->swap_count;
    return RN_OK;
}

/* The first end at or after `at`. */
static uint32_t first_end(const box_end *end, uint32_t count, float at)
{
    uint32_t low = 0;
    while (count > 0) {
        uint32_t half = count / 2;
        if (end[low + half].at < at) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    (void)worker;
    const sweep *s = state;
    const box_end *end = s->ends[0].data;
    const box *b = s->boxes.data;
    rni_query q = {.radius_sq = 0.0};
    for (uint32_t k = 0; k < count; k++) {
        rni_query_at(queries, first + k, &q);
        uint32_t found = 0;
        uint32_t e = first_end(end, 2 * s->count, rni_reach_below(q.low[0], s->extent_x));
        for (; e < 2 * s->count && end[e].at <= q.high[0]; e++) {
            if (end[e].box_2 & 1) continue;
            uint32_t j = end[e].box_2 / 2;
            sink->candidate_count++;
            if (!rni_boxes_touch(q.low, q.high, b[j].low, b[j].high) ||
                !rni_query_touches(queries, &q, b[j].low, b[j].high))
                continue;
            found++;
            rn_result result = sink->wants_index ? rni_hit_push(sink, j) : RN_OK;
            if (result != RN_OK) return result;
        }
        sink->counts[k] = found;
    }
    return RN_OK;
}

const rni_box_method rni_box_method_sweep_and_prune = {
    .info = {RN_BROADPHASE_SWEEP_AND_PRUNE, "sweep-and-prune",
             "sorted ends along each axis, kept from step to step: for few boxes, or slow ones",
             "Baraff 1992; Cohen et al. 1995", false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .pair_pieces = pair_pieces,
    .pairs = pairs,
    .query = query,
};
