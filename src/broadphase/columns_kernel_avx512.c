/* The hot loops of "layered-columns" for AVX-512: 16 lanes. */
#include "broadphase/columns.h"

#include "base/compress.h"

#include <immintrin.h>

#define KERNEL_NAME rni_column_kernel_avx512
#define WIDTH       16u

typedef struct kernel_box {
    __m512 low[3], high[3];
} kernel_box;

static inline kernel_box box_spread(const float low[3], const float high[3])
{
    kernel_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.low[axis] = _mm512_set1_ps(low[axis]);
        box.high[axis] = _mm512_set1_ps(high[axis]);
    }
    return box;
}

static inline __mmask16 first_lanes(uint32_t left)
{
    return (__mmask16)_bzhi_u32(0xffffu, left < WIDTH ? left : WIDTH); /* looks at 8 bits only */
}

static inline uint32_t count_below(const float *x, uint32_t left, float at)
{
    __mmask16 below = _mm512_mask_cmp_ps_mask(first_lanes(left), _mm512_loadu_ps(x),
                                              _mm512_set1_ps(at), _CMP_LT_OQ);
    return (uint32_t)__builtin_popcount(_cvtmask16_u32(below));
}

static inline uint32_t run_test(const float *block, uint32_t n, uint32_t p, uint32_t left,
                                const kernel_box *box, bool has_z, uint32_t *inside)
{
    const float *at = block + p;
    __mmask16 here =
        _mm512_mask_cmp_ps_mask(first_lanes(left), _mm512_loadu_ps(at), box->high[0], _CMP_LE_OQ);
    *inside = (uint32_t)__builtin_popcount(_cvtmask16_u32(here));
    /* two chains of masks: each comparison waits for the one before it */
    __mmask16 x = _mm512_mask_cmp_ps_mask(here, _mm512_loadu_ps(at + n), box->low[0], _CMP_GE_OQ);
    __mmask16 y = _mm512_cmp_ps_mask(_mm512_loadu_ps(at + 2 * (size_t)n), box->high[1], _CMP_LE_OQ);
    x = _mm512_mask_cmp_ps_mask(x, _mm512_loadu_ps(at + 3 * (size_t)n), box->low[1], _CMP_GE_OQ);
    if (has_z) {
        y = _mm512_mask_cmp_ps_mask(y, _mm512_loadu_ps(at + 4 * (size_t)n), box->high[2], _CMP_LE_OQ);
        x = _mm512_mask_cmp_ps_mask(x, _mm512_loadu_ps(at + 5 * (size_t)n), box->low[2], _CMP_GE_OQ);
    }
    return _cvtmask16_u32(_kand_mask16(x, y));
}

/* Lanes 0 .. 7 of two vectors in turns, and lanes 8 .. 15. */
#define TURNS_LOW  _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TURNS_HIGH _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

static inline uint32_t put_pairs(rn_pair *to, uint32_t hits, const uint32_t *index, uint32_t i)
{
    __m512i j = rni_compress_u32((__mmask16)hits, _mm512_loadu_si512(index));
    __m512i us = _mm512_set1_epi32((int)i);
    __m512i a = _mm512_min_epu32(us, j), b = _mm512_max_epu32(us, j);
    uint32_t count = (uint32_t)__builtin_popcount(hits);
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(a, TURNS_LOW, b));
    if (count > 8) _mm512_storeu_si512(to + 8, _mm512_permutex2var_epi32(a, TURNS_HIGH, b));
    return count;
}

static inline uint32_t put_hits(uint32_t *to, uint32_t hits, const uint32_t *index)
{
    _mm512_storeu_si512(to, rni_compress_u32((__mmask16)hits, _mm512_loadu_si512(index)));
    return (uint32_t)__builtin_popcount(hits);
}

#include "broadphase/columns_kernel.h"
