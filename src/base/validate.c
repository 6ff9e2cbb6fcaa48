#include "base/validate.h"

#include <stddef.h>

static uint64_t mixed(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 30) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t rni_index_sum(const uint32_t *index, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < count; k++) sum += mixed(index[k]);
    return sum;
}

uint64_t rni_index_sum_below(uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < count; k++) sum += mixed(k);
    return sum;
}

const char *rni_validate_permutation(const uint32_t *order, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (order[k] >= count) return "an index is not below the count";
    return rni_index_sum(order, count) == rni_index_sum_below(count)
               ? NULL
               : "an index is missing, and another is there twice";
}

const char *rni_validate_starts(const uint32_t *start, uint64_t count, uint32_t total)
{
    if (start[0] != 0) return "the first range does not begin at 0";
    for (uint64_t k = 0; k < count; k++)
        if (start[k] > start[k + 1]) return "a range ends before it begins";
    return start[count] == total ? NULL : "the ranges do not cover everything";
}
