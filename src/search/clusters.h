/* From ranges of candidates to rows: shared by the tree methods (kdtree.c, linear_kdtree.c).
 *
 * In:     sets of points in a spatial order, and a method that reports where the cluster of a row
 *         ends and which ranges of a set may be near the box of a cluster.
 * Out:    rows. The tree is traversed once for a group of a few clusters. The candidates of the
 *         group are gathered, and from these the candidates of each cluster; both steps drop points
 *         too far from the box. Each point is then tested against the remaining candidates by the
 *         kernels of "grid" (grid_kernel.h). Ranges come in ascending order, so a list is in the
 *         order of the searched set, however the rows were divided into groups and clusters. */
#ifndef RNI_SEARCH_CLUSTERS_H
#define RNI_SEARCH_CLUSTERS_H

#include "search/gathered.h"

/* Points of one set in the method's order. */
typedef struct rni_ordered {
    uint32_t count;
    rni_buffer soa; /* x, y, z, id: 4 arrays, each RNI_ROWS_SPILL longer than the set */
    float *x, *y, *z;
    uint32_t *id; /* the caller's index */
    grid_points points;
} rni_ordered;

typedef struct rni_cluster {
    uint32_t begin, end; /* of the searching set */
    float low[3], high[3];
    bool is_wrapped; /* a candidate may be nearer through another periodic image */
} rni_cluster;

/* Ranges and gathered candidates of one worker. */
typedef struct rni_cluster_buffers {
    _Alignas(RNI_ALIGNMENT) rni_memory *memory;
    rni_buffer ranges; /* grid_range */
    uint32_t range_count, range_capacity;
    uint64_t nearby; /* points in the ranges */
    rni_buffer buffer[3];
    grid_scratch scratch[3]; /* two for clusters, used alternately, and one for the group */
    uint32_t exact_clusters; /* clusters to test exactly before the quick test is tried again */
} rni_cluster_buffers;

typedef struct rni_clusters {
    rni_search_env *env;
    const grid_kernel *kernel;
    rni_cluster_buffers *worker_buffers; /* one per worker */
} rni_clusters;

rn_result rni_clusters_init(rni_clusters *clusters, rni_search_env *env);
void rni_clusters_free(rni_clusters *clusters);

/* Sizes the arrays of a set; the caller writes the points. */
rn_result rni_ordered_need(rni_memory *memory, rni_ordered *set, uint32_t count);

/* Adds points begin .. end - 1 of the searched set as candidates; ranges come in ascending
 * order. */
rn_result rni_cluster_buffers_grow(rni_cluster_buffers *buffers);
static inline rn_result rni_cluster_take(rni_cluster_buffers *buffers, uint32_t begin, uint32_t end)
{
    grid_range *ranges = buffers->ranges.data;
    buffers->nearby += end - begin;
    if (buffers->range_count > 0 && ranges[buffers->range_count - 1].end == begin) {
        ranges[buffers->range_count - 1].end = end;
        return RN_OK;
    }
    if (begin == end) return RN_OK;
    if (buffers->range_count == buffers->range_capacity) {
        rn_result result = rni_cluster_buffers_grow(buffers);
        if (result != RN_OK) return result;
        ranges = buffers->ranges.data;
    }
    ranges[buffers->range_count++] = (grid_range){begin, end};
    return RN_OK;
}

/* One request to a method: rows of `from`, candidates of `to`. */
typedef struct rni_cluster_find {
    const void *from_tree, *to_tree;
    const rni_ordered *from, *to;
    /* The end of the cluster, or of the group of clusters, that contains row `at`. */
    uint32_t (*end_of)(const void *from_tree, uint32_t at, bool is_group);
    /* Collects the ranges that may be near the box of a group, sets its is_wrapped, and adds the
     * number of visited nodes to *visited. */
    rn_result (*collect)(const void *to_tree, const rni_space *space, rni_cluster *cluster,
                         rni_cluster_buffers *buffers, uint64_t *visited);
} rni_cluster_find;

/* The find() of a method, except for the structure. */
rn_result rni_clusters_find(rni_clusters *clusters, const rni_cluster_find *trees,
                            const rni_find *find, uint32_t first, uint32_t count, uint32_t worker,
                            rni_rows *rows);

#endif
