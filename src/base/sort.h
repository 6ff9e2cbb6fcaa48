/* Stable sorts of numbers, in parallel: the result depends on the keys only, never on the number
 * of threads. */
#ifndef RNI_BASE_SORT_H
#define RNI_BASE_SORT_H

#include "base/parallel.h"

/* Least-significant-digit radix sort of keys with a 32-bit value each. Digits that all keys share
 * are detected and skipped. The other pair of arrays is scratch of the same length; the result is
 * in key and value. */
rn_result rni_sort_u32(rni_crew *crew, rni_arena *arena, uint32_t count, uint32_t *key,
                       uint32_t *value, uint32_t *key_scratch, uint32_t *value_scratch);
rn_result rni_sort_u64(rni_crew *crew, rni_arena *arena, uint32_t count, uint64_t *key,
                       uint32_t *value, uint64_t *key_scratch, uint32_t *value_scratch);

/* Counting sort for keys below key_count: order[] becomes the indices 0 .. count - 1 by ascending
 * key, equal keys by ascending index. start[] (key_count + 1 long) holds where each key begins. */
rn_result rni_counting_sort(rni_crew *crew, rni_arena *arena, uint32_t count, const uint32_t *key,
                            uint32_t key_count, uint32_t *order, uint32_t *start);

/* Sorts in place, ascending; the array scratch has the same length. For the short lists of
 * neighbours. */
void rni_sort_list(uint32_t *list, uint32_t count, uint32_t *scratch);
void rni_sort_pairs(uint64_t *list, uint32_t count, uint64_t *scratch);

#endif
