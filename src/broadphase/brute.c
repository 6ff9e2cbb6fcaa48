/* Method "brute": tests every box against every other box. The reference that judges all other
 * methods. */
#include "broadphase/query.h"

/* Boxes per piece of the pair search. */
#define SHARE 64u

struct box {
    float low[3], high[3];
};

struct brute {
    rni_box_env *env;
    uint32_t count;
    rni_buffer boxes; /* struct box */
};

static rn_result create(rni_box_env *env, void **state)
{
    struct brute *brute = rni_memory_take(env->memory, sizeof *brute);
    if (!brute) return RN_ERROR_MEMORY;
    *brute = (struct brute){.env = env};
    *state = brute;
    return RN_OK;
}

static void destroy(void *state)
{
    struct brute *brute = state;
    if (!brute) return;
    rni_buffer_free(brute->env->memory, &brute->boxes);
    rni_memory_give(brute->env->memory, brute, sizeof *brute);
}

static rn_result build(void *state, const rni_boxes *boxes)
{
    struct brute *brute = state;
    brute->count = 0;
    rn_result result =
        rni_buffer_need(brute->env->memory, &brute->boxes, boxes->count, sizeof(struct box));
    if (result != RN_OK) return result;
    struct box *box = brute->boxes.data;
    for (uint32_t i = 0; i < boxes->count; i++) rni_boxes_at(boxes, i, box[i].low, box[i].high);
    brute->count = boxes->count;
    brute->env->stats->element_count = boxes->count;
    return RN_OK;
}

static uint32_t pair_pieces(const void *state)
{
    return rni_piece_count(((const struct brute *)state)->count, SHARE);
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    (void)worker;
    const struct brute *brute = state;
    const struct box *box = brute->boxes.data;
    uint32_t begin = piece * SHARE;
    uint32_t end = brute->count - begin < SHARE ? brute->count : begin + SHARE;
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t j = i + 1; j < brute->count; j++) {
            if (!rni_boxes_touch(box[i].low, box[i].high, box[j].low, box[j].high)) continue;
            rn_result result = rni_pair_push(sink, i, j);
            if (result != RN_OK) return result;
        }
        sink->candidate_count += brute->count - 1 - i;
    }
    return RN_OK;
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    (void)worker;
    const struct brute *brute = state;
    const struct box *box = brute->boxes.data;
    rni_query q = {.radius_sq = 0.0};
    for (uint32_t k = 0; k < count; k++) {
        rni_query_at(queries, first + k, &q);
        uint32_t found = 0;
        for (uint32_t j = 0; j < brute->count; j++) {
            if (!rni_boxes_touch(q.low, q.high, box[j].low, box[j].high) ||
                !rni_query_touches(queries, &q, box[j].low, box[j].high))
                continue;
            found++;
            rn_result result = sink->wants_index ? rni_hit_push(sink, j) : RN_OK;
            if (result != RN_OK) return result;
        }
        sink->counts[k] = found;
        sink->candidate_count += brute->count;
    }
    return RN_OK;
}

const rni_box_method rni_box_method_brute = {
    .info = {RN_BROADPHASE_BRUTE, "brute", "every box against every box: slow, and never wrong",
             "Runnel", true},
    .create = create,
    .destroy = destroy,
    .build = build,
    .pair_pieces = pair_pieces,
    .pairs = pairs,
    .query = query,
};
