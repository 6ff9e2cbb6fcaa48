/* The hot loops of "layered-columns" for AVX2: 8 lanes. */
#include "broadphase/columns.h"

#include <immintrin.h>

#define KERNEL_NAME rni_column_kernel_avx2
#define WIDTH       8u

typedef struct kernel_box {
    __m256 low[3], high[3];
} kernel_box;

static inline kernel_box box_spread(const float low[3], const float high[3])
{
    kernel_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = _mm256_set1_ps(low[axis]);
        box.high[axis] = _mm256_set1_ps(high[axis]);
    }
    return box;
}

static inline uint32_t bits(__m256 mask)
{
    return (uint32_t)_mm256_movemask_ps(mask);
}

static inline uint32_t first_lanes(uint32_t left)
{
    return left < WIDTH ? (1u << left) - 1u : (1u << WIDTH) - 1u;
}

static inline uint32_t count_below(const float *x, uint32_t left, float at)
{
    __m256 below = _mm256_cmp_ps(_mm256_loadu_ps(x), _mm256_set1_ps(at), _CMP_LT_OQ);
    return (uint32_t)__builtin_popcount(bits(below) & first_lanes(left));
}

static inline uint32_t run_test(const float *block, uint32_t n, uint32_t p, uint32_t left,
                                const kernel_box *box, bool has_z, uint32_t *inside)
{
    const float *at = block + p;
    __m256 begins = _mm256_cmp_ps(_mm256_loadu_ps(at), box->high[0], _CMP_LE_OQ);
    uint32_t here = bits(begins) & first_lanes(left);
    *inside = (uint32_t)__builtin_popcount(here);
    __m256 x = _mm256_cmp_ps(_mm256_loadu_ps(at + n), box->low[0], _CMP_GE_OQ);
    __m256 y = _mm256_cmp_ps(_mm256_loadu_ps(at + 2 * (size_t)n), box->high[1], _CMP_LE_OQ);
    __m256 v = _mm256_cmp_ps(_mm256_loadu_ps(at + 3 * (size_t)n), box->low[1], _CMP_GE_OQ);
    __m256 all = _mm256_and_ps(_mm256_and_ps(x, y), v);
    if (has_z) {
        __m256 z = _mm256_cmp_ps(_mm256_loadu_ps(at + 4 * (size_t)n), box->high[2], _CMP_LE_OQ);
        __m256 w = _mm256_cmp_ps(_mm256_loadu_ps(at + 5 * (size_t)n), box->low[2], _CMP_GE_OQ);
        all = _mm256_and_ps(all, _mm256_and_ps(z, w));
    }
    return bits(all) & here;
}

static inline uint32_t put_pairs(rn_pair *to, uint32_t hits, const uint32_t *index, uint32_t i)
{
    uint32_t count = 0;
    for (; hits; hits &= hits - 1) {
        uint32_t j = index[__builtin_ctz(hits)];
        to[count].a = i < j ? i : j;
        to[count++].b = i < j ? j : i;
    }
    return count;
}

static inline uint32_t put_hits(uint32_t *to, uint32_t hits, const uint32_t *index)
{
    uint32_t count = 0;
    for (; hits; hits &= hits - 1) to[count++] = index[__builtin_ctz(hits)];
    return count;
}

#include "broadphase/columns_kernel.h"
