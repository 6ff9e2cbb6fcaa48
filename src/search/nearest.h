/* The k nearest within the radius. */
#ifndef RNI_SEARCH_NEAREST_H
#define RNI_SEARCH_NEAREST_H

#include "search/lists.h"

typedef struct rni_nearest_store {
    rni_buffer counts, index, distance_sq;
    rni_buffer heaps; /* uint64_t, k per worker */
} rni_nearest_store;

rn_result rni_nearest_make(rni_finder *finder, const rni_find *find, uint32_t count, uint32_t k,
                           bool is_empty, rni_nearest_store *store, rn_nearest *result);
void rni_nearest_free(rni_memory *memory, rni_nearest_store *store);

#endif
