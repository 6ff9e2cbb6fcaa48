/* The lifetime of a tree method (kdtree.c, linear_kdtree.c), except for its tree.
 *
 * In:     a kind: the size of its set, how it reads points, and the two callbacks of clusters.h.
 *         Every set begins with an rni_ordered.
 * Out:    the functions of an rni_method; the method itself defines create. */
#ifndef RNI_SEARCH_TREES_H
#define RNI_SEARCH_TREES_H

#include "search/clusters.h"

typedef struct rni_tree_kind {
    size_t set_bytes;
    /* Reads the points of a set; adds the number of nodes, if any, to env->stats->cell_count. */
    rn_result (*take)(rni_search_env *env, void *set, const rni_cloud *cloud);
    void (*free)(rni_memory *memory, void *set); /* everything except the rni_ordered */
    uint32_t (*end_of)(const void *set, uint32_t at, bool is_group);
    rn_result (*collect)(const void *set, const rni_space *space, rni_cluster *cluster,
                         rni_cluster_buffers *buffers, uint64_t *visited);
} rni_tree_kind;

rn_result rni_trees_create(rni_search_env *env, const rni_tree_kind *kind, void **state);
void rni_trees_destroy(void *state);
rn_result rni_trees_build(void *state, const rni_cloud *sets, uint32_t set_count);
rn_result rni_trees_place(void *state, const rni_cloud *queries);
const uint32_t *rni_trees_order(const void *state, uint32_t set);
rn_result rni_trees_find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                         uint32_t worker, rni_rows *rows);

#endif
