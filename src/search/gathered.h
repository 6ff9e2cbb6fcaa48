/* From the gathered candidates of a cluster to the lists of its points: shared by the grid and
 * the trees. */
#ifndef RNI_SEARCH_GATHERED_H
#define RNI_SEARCH_GATHERED_H

#include "search/grid.h"

/* A cluster, points begin .. end - 1 of the searching set, whose candidates are in a scratch
 * buffer. */
typedef struct rni_gathered {
    uint32_t begin, end, candidates;
    bool is_wrapped;    /* a candidate may be nearer through another periodic image */
    bool is_own_first;  /* the points of the cluster are the first candidates */
    grid_middle middle; /* margin 0: exact tests only */
} rni_gathered;

/* The kernel of an instruction set. */
const grid_kernel *rni_grid_kernel_for(rn_cpu_level cpu);

/* Sizes a scratch buffer for this many candidates. Its contents are lost when it has to grow. */
rn_result rni_scratch_need(rni_memory *memory, rni_buffer *buffer, grid_scratch *scratch,
                           uint64_t candidates);

/* Writes counts to counts[0 ..] and appends lists to rows. exact_clusters belongs to the worker:
 * the number of clusters that are still to be tested exactly right away. */
rn_result rni_gathered_emit(const grid_kernel *kernel, const rni_search_env *env,
                            const rni_find *find, const grid_points *points, const rni_gathered *c,
                            const grid_scratch *scratch, uint32_t *exact_clusters, uint32_t *counts,
                            rni_rows *rows);

#endif
