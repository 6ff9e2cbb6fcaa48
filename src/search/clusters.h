/* From ranges of candidates to rows: what the tree methods (kdtree.c, linear_kdtree.c) share.
 *
 * In:     sets of points in a spatial order, and a method that says where the cluster of a row ends
 *         and which ranges of a set may be near the box of a cluster.
 * Out:    rows. The tree is walked for a group of a few clusters. The candidates of the group are
 *         gathered, from these those of each cluster, each time without the ones too far from the
 *         box, and each point is tested against what is left, by the kernels of "grid"
 *         (grid_kernel.h). Ranges come in ascending order, so a list is in the order of the
 *         searched set, however the rows were cut into groups and clusters. */
#ifndef RNI_SEARCH_CLUSTERS_H
#define RNI_SEARCH_CLUSTERS_H

#include "search/gathered.h"

/* Points of one set in the method's order. */
typedef struct rni_ordered {
    uint32_t count;
    rni_buffer soa; /* x, y, z, id: 4 arrays that run RNI_ROWS_SPILL past the end */
    float *x, *y, *z;
    uint32_t *id; /* the caller's index */
    grid_points points;
} rni_ordered;

typedef struct rni_cluster {
    uint32_t begin, end; /* of the searching set */
    float low[3], high[3];
    bool is_wrapped; /* a candidate may be nearer by another image */
} rni_cluster;

/* Ranges and gathered candidates of one worker. */
typedef struct rni_cluster_room {
    _Alignas(RNI_ALIGNMENT) rni_memory *memory;
    rni_buffer ranges; /* grid_range */
    uint32_t range_count, range_capacity;
    uint64_t nearby; /* points in the ranges */
    rni_buffer buffer[3];
    grid_scratch scratch[3]; /* two for clusters, taken in turn, and one for the group */
    uint32_t exact_clusters; /* to come, before the quick test is tried again */
} rni_cluster_room;

typedef struct rni_clusters {
    rni_search_env *env;
    const grid_kernel *kernel;
    rni_cluster_room *rooms; /* one a worker */
} rni_clusters;

rn_result rni_clusters_init(rni_clusters *clusters, rni_search_env *env);
void rni_clusters_free(rni_clusters *clusters);

/* Sizes the arrays of a set; its points are to be written. */
rn_result rni_ordered_room(rni_memory *memory, rni_ordered *set, uint32_t count);

/* Takes points begin .. end - 1 of the searched set as candidates; ranges come ascending. */
rn_result rni_cluster_room_grow(rni_cluster_room *room);
static inline rn_result rni_cluster_take(rni_cluster_room *room, uint32_t begin, uint32_t end)
{
    grid_range *ranges = room->ranges.data;
    room->nearby += end - begin;
    if (room->range_count > 0 && ranges[room->range_count - 1].end == begin) {
        ranges[room->range_count - 1].end = end;
        return RN_OK;
    }
    if (begin == end) return RN_OK;
    if (room->range_count == room->range_capacity) {
        rn_result result = rni_cluster_room_grow(room);
        if (result != RN_OK) return result;
        ranges = room->ranges.data;
    }
    ranges[room->range_count++] = (grid_range){begin, end};
    return RN_OK;
}

/* One question to a method: rows of `from`, candidates of `to`. */
typedef struct rni_cluster_find {
    const void *from_tree, *to_tree;
    const rni_ordered *from, *to;
    /* The end of the cluster, or of the group of clusters, that row `at` belongs to. */
    uint32_t (*end_of)(const void *from_tree, uint32_t at, bool is_group);
    /* Takes the ranges that may be near the box of a group, sets its is_wrapped, and adds the nodes
     * looked into to *visited. */
    rn_result (*collect)(const void *to_tree, const rni_space *space, rni_cluster *cluster,
                         rni_cluster_room *room, uint64_t *visited);
} rni_cluster_find;

/* A method's find(), but for the structure. */
rn_result rni_clusters_find(rni_clusters *clusters, const rni_cluster_find *trees,
                            const rni_find *find, uint32_t first, uint32_t count, uint32_t worker,
                            rni_rows *rows);

#endif
