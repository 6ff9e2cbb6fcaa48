/* Method "brute": tests every point against every point. The reference for all other methods. */
#include "search/method.h"

#include <string.h>

struct brute_set {
    uint32_t count;
    rni_buffer position; /* float[3] per point */
    rni_buffer order;    /* uint32_t: 0, 1, 2, ... */
};

struct brute {
    rni_search_env *env;
    struct brute_set sets[RN_SEARCH_MAX_SETS + 1];
};

static rn_result create(rni_search_env *env, void **state)
{
    struct brute *brute = rni_memory_take(env->memory, sizeof *brute);
    if (!brute) return RN_ERROR_MEMORY;
    memset(brute, 0, sizeof *brute);
    brute->env = env;
    *state = brute;
    return RN_OK;
}

static void destroy(void *state)
{
    struct brute *brute = state;
    if (!brute) return;
    for (uint32_t set = 0; set <= RN_SEARCH_MAX_SETS; set++) {
        rni_buffer_free(brute->env->memory, &brute->sets[set].position);
        rni_buffer_free(brute->env->memory, &brute->sets[set].order);
    }
    rni_memory_give(brute->env->memory, brute, sizeof *brute);
}

static rn_result take_set(struct brute *brute, struct brute_set *set, const rni_cloud *cloud)
{
    rni_memory *memory = brute->env->memory;
    set->count = 0;
    if (rni_buffer_need(memory, &set->position, cloud->count, sizeof(float[3])) != RN_OK ||
        rni_buffer_need(memory, &set->order, cloud->count, sizeof(uint32_t)) != RN_OK) {
        return RN_ERROR_MEMORY;
    }
    float(*position)[3] = set->position.data;
    uint32_t *order = set->order.data;
    for (uint32_t i = 0; i < cloud->count; i++) {
        rni_cloud_at(cloud, brute->env->space.dim, i, position[i]);
        order[i] = i;
    }
    set->count = cloud->count;
    return RN_OK;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    struct brute *brute = state;
    for (uint32_t set = 0; set < set_count; set++) {
        rn_result result = take_set(brute, &brute->sets[set], &sets[set]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    struct brute *brute = state;
    return take_set(brute, &brute->sets[RNI_QUERIES], queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const struct brute *brute = state;
    return brute->sets[set].order.data;
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    (void)worker;
    const struct brute *brute = state;
    const struct brute_set *searched = &brute->sets[find->searched];
    const float(*from)[3] = brute->sets[find->set].position.data;
    const float(*to)[3] = searched->position.data;
    const rni_space *space = &brute->env->space;
    for (uint32_t row = 0; row < count; row++) {
        uint32_t i = first + row, found = 0;
        if (find->want != RNI_WANT_COUNTS) {
            rn_result result = rni_rows_reserve(rows, find->want, searched->count);
            if (result != RN_OK) return result;
        }
        float radius_sq = rni_row_radius_sq(brute->env, find, i);
        uint32_t j = find->leave_out == RNI_LEAVE_SMALLER ? i + 1 : 0;
        for (; j < searched->count; j++) {
            float here = rni_distance_sq(space, from[i], to[j]);
            if (here > radius_sq || (find->leave_out == RNI_LEAVE_SELF && j == i)) continue;
            found++;
            if (find->want == RNI_WANT_COUNTS) continue;
            if (find->want == RNI_WANT_DISTANCE)
                ((float *)rows->distance_sq.data)[rows->used] = here;
            *rni_rows_next(rows) = j;
            rows->used++;
        }
        rows->counts[row] = found;
        rows->test_count += searched->count;
    }
    return RN_OK;
}

const rni_method rni_method_brute = {
    .info = {RN_SEARCH_BRUTE, "brute",
             "tests every point against every point: slow, and the reference", "Runnel", true},
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
