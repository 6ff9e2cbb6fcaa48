/* The internals of an rn_broadphase, shared by broadphase.c, pairs.c and hits.c. */
#ifndef RNI_BROADPHASE_PHASE_H
#define RNI_BROADPHASE_PHASE_H

#include "broadphase/query.h"

/* Position of a piece of the results until the pieces are concatenated. */
typedef struct rni_part {
    uint32_t worker;
    uint64_t begin, count; /* offset in the worker's buffer */
    uint64_t place;        /* offset in the result */
} rni_part;

struct rn_broadphase {
    rni_memory memory;
    rn_broadphase_def def;
    rn_broadphase_stats stats;
    rni_arena arena;
    rni_crew *crew;
    rni_box_env env;
    const rni_box_method *method;
    void *state;
    uint32_t count; /* boxes of the last update */

    bool has_filter;           /* category or mask was given */
    rni_buffer category, mask; /* uint32_t per box; only with has_filter */

    uint32_t worker_count;
    rni_pair_sink *pair_sinks; /* one per worker */
    rni_hit_sink *hit_sinks;
    rni_buffer parts; /* rni_part */

    rni_buffer pairs;                /* rn_pair, unless one worker's buffer is already the result */
    rni_buffer hit_start, hit_index; /* uint64_t, uint32_t */
    rni_buffer row_start, row_list, row_scratch; /* RN_PAIRS_SORTED */
};

/* Sorts pairs by a, then b. */
rn_result rni_pairs_sort(rn_broadphase *phase, const rn_pair *from, uint64_t count, rn_pair *to);

/* The error for results that exceed the memory limit. */
rn_result rni_results_too_large(const rn_broadphase *phase, const char *what, uint64_t count);
/* Whether this many more bytes would exceed the limit. */
bool rni_results_fit(const rn_broadphase *phase, uint64_t more_bytes);

/* Which pairs count: box i of the set and box k of another set. */
typedef struct rni_filter {
    const unsigned char *category, *mask; /* of the other set; NULL: 1, all */
    size_t category_stride, mask_stride;
    uint32_t query_mask; /* queries: this mask instead */
} rni_filter;

/* Runs all queries and writes lists into phase->hit_start and phase->hit_index (or a worker's
 * buffer: *index). filter NULL: all boxes count. */
rn_result rni_hits_list(rn_broadphase *phase, const rni_queries *queries, const rni_filter *filter,
                        rn_hits *out);

#endif
