/* Validators: functions rni_validate_X(x) that look through a whole data structure and return NULL, or a sentence
 * that says what is wrong. Debug builds call them as assert(!rni_validate_X(x)) where the structure has just been
 * made; tests call them on structures that they have broken. They allocate nothing. */
#ifndef RNI_BASE_VALIDATE_H
#define RNI_BASE_VALIDATE_H

#include <stdint.h>

/* Whether order[0 .. count - 1] has each number below count once. Compares sums of mixed numbers, so that a wrong
 * order passes with a chance of 2^-64. */
const char *rni_validate_permutation(const uint32_t *order, uint32_t count);

/* Sums of mixed numbers: equal for two lists of the same numbers in any order, and otherwise with a chance of
 * 2^-64. The second is that of 0, 1, ..., count - 1. */
uint64_t rni_index_sum(const uint32_t *index, uint64_t count);
uint64_t rni_index_sum_below(uint64_t count);

/* Whether start[0] = 0, the numbers never descend, and start[count] = total. */
const char *rni_validate_starts(const uint32_t *start, uint64_t count, uint32_t total);

#endif
