/* An rn_broadphase from the inside: what broadphase.c, pairs.c and hits.c share. */
#ifndef RNI_BROADPHASE_PHASE_H
#define RNI_BROADPHASE_PHASE_H

#include "broadphase/query.h"

/* Where a piece of the results lies until they are put together. */
typedef struct rni_part {
    uint32_t worker;
    uint64_t begin, count; /* in the worker's buffer */
    uint64_t place;        /* in the result */
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
    rni_buffer category, mask; /* uint32_t a box; with has_filter */

    uint32_t worker_count;
    rni_pair_sink *pair_sinks; /* one a worker */
    rni_hit_sink *hit_sinks;
    rni_buffer parts; /* rni_part */

    rni_buffer pairs; /* rn_pair, where one worker's buffer is not already the result */
    rni_buffer hit_start, hit_index;          /* uint64_t, uint32_t */
    rni_buffer row_start, row_list, row_room; /* RN_PAIRS_SORTED */
};

/* Puts pairs into the order of a, then b. */
rn_result rni_pairs_sort(rn_broadphase *phase, const rn_pair *from, uint64_t count, rn_pair *to);

/* The sentence for results larger than the memory that is there. */
rn_result rni_results_too_large(const rn_broadphase *phase, const char *what, uint64_t count);
/* Would so many more bytes be too many? */
bool rni_results_fit(const rn_broadphase *phase, uint64_t more_bytes);

/* Who meets whom: box i of the set and box k of another one. */
typedef struct rni_filter {
    const unsigned char *category, *mask; /* of the others; NULL: 1, all */
    size_t category_stride, mask_stride;
    uint32_t query_mask; /* queries: this instead */
} rni_filter;

/* Asks for all queries and writes lists into phase->hit_start and phase->hit_index (or a worker's
 * buffer: *index). filter NULL: everybody counts. */
rn_result rni_hits_list(rn_broadphase *phase, const rni_queries *queries, const rni_filter *filter,
                        rn_hits *out);

#endif
