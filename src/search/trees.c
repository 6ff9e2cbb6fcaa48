#include "search/trees.h"

#include <string.h>

#define SET_COUNT (RN_SEARCH_MAX_SETS + 1u)

typedef struct trees {
    rni_search_env *env;
    const rni_tree_kind *kind;
    rni_clusters clusters;
    unsigned char *sets; /* SET_COUNT of kind->set_bytes */
} trees;

static void *set_at(const trees *t, uint32_t set)
{
    return t->sets + set * t->kind->set_bytes;
}

void rni_trees_destroy(void *state)
{
    trees *t = state;
    if (!t) return;
    rni_memory *memory = t->env->memory;
    for (uint32_t s = 0; t->sets && s < SET_COUNT; s++) {
        t->kind->free(memory, set_at(t, s));
        rni_buffer_free(memory, &((rni_ordered *)set_at(t, s))->soa);
    }
    rni_memory_give(memory, t->sets, SET_COUNT * t->kind->set_bytes);
    rni_clusters_free(&t->clusters);
    rni_memory_give(memory, t, sizeof *t);
}

rn_result rni_trees_create(rni_search_env *env, const rni_tree_kind *kind, void **state)
{
    trees *t = rni_memory_take(env->memory, sizeof *t);
    if (!t) return RN_ERROR_MEMORY;
    memset(t, 0, sizeof *t);
    t->env = env;
    t->kind = kind;
    rn_result result = rni_clusters_init(&t->clusters, env);
    if (result == RN_OK) {
        t->sets = rni_memory_take(env->memory, SET_COUNT * kind->set_bytes);
        result = t->sets ? RN_OK : RN_ERROR_MEMORY;
    }
    if (result != RN_OK) {
        rni_trees_destroy(t);
        return result;
    }
    memset(t->sets, 0, SET_COUNT * kind->set_bytes);
    *state = t;
    return RN_OK;
}

rn_result rni_trees_build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    trees *t = state;
    t->env->stats->cell_count = 0;
    for (uint32_t s = 0; s < set_count; s++) {
        rn_result result = t->kind->take(t->env, set_at(t, s), &sets[s]);
        if (result != RN_OK) return result;
    }
    ((rni_ordered *)set_at(t, 0))->points.radii_sq = t->env->radii_sq;
    return RN_OK;
}

rn_result rni_trees_place(void *state, const rni_cloud *queries)
{
    trees *t = state;
    uint64_t cell_count = t->env->stats->cell_count; /* of the sets */
    rn_result result = t->kind->take(t->env, set_at(t, RNI_QUERIES), queries);
    t->env->stats->cell_count = cell_count;
    return result;
}

const uint32_t *rni_trees_order(const void *state, uint32_t set)
{
    const trees *t = state;
    return ((const rni_ordered *)set_at(t, set))->id;
}

rn_result rni_trees_find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                         uint32_t worker, rni_rows *rows)
{
    trees *t = state;
    const void *from = set_at(t, find->set), *to = set_at(t, find->searched);
    const rni_cluster_find question = {from, to, from, to, t->kind->end_of, t->kind->collect};
    return rni_clusters_find(&t->clusters, &question, find, first, count, worker, rows);
}
