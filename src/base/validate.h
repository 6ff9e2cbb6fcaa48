/* Validators: functions rni_validate_X(x) that check a whole data structure and return NULL, or a
 * sentence that describes the violation. Debug builds call them as assert(!rni_validate_X(x))
 * directly after building the structure; tests call them on deliberately broken structures. They
 * allocate nothing. */
#ifndef RNI_BASE_VALIDATE_H
#define RNI_BASE_VALIDATE_H

#include <stdint.h>

/* Whether order[0 .. count - 1] has each number below count once. Compares sums of hashed numbers,
 * so a wrong order passes with a probability of 2^-64. */
const char *rni_validate_permutation(const uint32_t *order, uint32_t count);

/* Sums of hashed numbers: equal for two lists of the same numbers in any order, and otherwise equal
 * with a probability of 2^-64. The second function is the sum for 0, 1, ..., count - 1. */
uint64_t rni_index_sum(const uint32_t *index, uint64_t count);
uint64_t rni_index_sum_below(uint64_t count);

/* Whether start[0] = 0, the numbers never descend, and start[count] = total. */
const char *rni_validate_starts(const uint32_t *start, uint64_t count, uint32_t total);

#endif
