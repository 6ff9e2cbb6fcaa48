/* Converts the caller's arrays to clouds of finite floats: checked, re-based (double), wrapped
 * (periodic). Float points in an unbounded domain are not copied. */
#ifndef RNI_SEARCH_INGEST_H
#define RNI_SEARCH_INGEST_H

#include "search/method.h"

typedef struct rni_ingest {
    rni_memory *memory;
    rni_crew *crew;
    rni_arena *arena;
    const rn_search_def *def;
    double base[3]; /* subtracted from every position; zero while all sets are float */
    bool is_rebased;
    double resolution; /* m, of the last sets; see rn_search_stats */
    rni_buffer copies[RN_SEARCH_MAX_SETS + 1];
} rni_ingest;

/* Checks all sets and converts them to clouds; changes nothing unless all sets are valid. */
rn_result rni_ingest_sets(rni_ingest *ingest, const rn_points *sets, uint32_t set_count,
                          rni_cloud *clouds);

/* The same for query points, with the base of the last sets. */
rn_result rni_ingest_queries(rni_ingest *ingest, rn_points queries, rni_cloud *cloud);

/* The space of the clouds, for a radius. */
rni_space rni_ingest_space(const rni_ingest *ingest, float radius);

void rni_ingest_free(rni_ingest *ingest);

#endif
