/* The loops of the fused gait for AVX-512: four particles times four neighbours. */
#include "fluid/fused.h"

#define RNI_LANES   16
#define KERNEL_NAME rni_fused_avx512
#include "fluid/lanes.h"

#include "fluid/laws.h"

/* Takes those of the particles begin .. end - 1 that may be near the box; returns the new count. */
static inline uint32_t near_box(const fused_state *s, uint32_t begin, uint32_t end, const float low[3],
                                const float high[3], const float shift[3], uint32_t code,
                                const bool is_periodic, float *const to[3], uint32_t *entry,
                                uint32_t count)
{
    const __m512 low_x = _mm512_set1_ps(low[0]), high_x = _mm512_set1_ps(high[0]);
    const __m512 low_y = _mm512_set1_ps(low[1]), high_y = _mm512_set1_ps(high[1]);
    const __m512 low_z = _mm512_set1_ps(low[2]), high_z = _mm512_set1_ps(high[2]);
    const __m512 reach_sq = _mm512_set1_ps(s->fluid->laws.h_sq * 1.000001f);
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (uint32_t k = begin; k < end; k += 16) {
        const __mmask16 here = end - k < 16 ? (__mmask16)((1u << (end - k)) - 1u) : (__mmask16)0xffff;
        __m512 x = _mm512_loadu_ps(s->x + k);
        __m512 y = _mm512_loadu_ps(s->y + k);
        __m512 z = _mm512_loadu_ps(s->z + k);
        if (is_periodic) {
            x = x + shift[0];
            y = y + shift[1];
            z = z + shift[2];
        }
        __m512 dx = x - _mm512_min_ps(_mm512_max_ps(x, low_x), high_x);
        __m512 dy = y - _mm512_min_ps(_mm512_max_ps(y, low_y), high_y);
        __m512 dz = z - _mm512_min_ps(_mm512_max_ps(z, low_z), high_z);
        __mmask16 near = _mm512_mask_cmp_ps_mask(here, dx * dx + dy * dy + dz * dz, reach_sq, _CMP_LE_OQ);
        __m512i order = _mm512_maskz_compress_epi32(near, lane);
        _mm512_storeu_ps(to[0] + count, _mm512_permutexvar_ps(order, x));
        _mm512_storeu_ps(to[1] + count, _mm512_permutexvar_ps(order, y));
        _mm512_storeu_ps(to[2] + count, _mm512_permutexvar_ps(order, z));
        /* index and image: the image's bits are above those of any index */
        _mm512_storeu_si512(entry + count, _mm512_add_epi32(order, _mm512_set1_epi32((int)(k + code))));
        count += (uint32_t)__builtin_popcount(_cvtmask16_u32(near));
    }
    return count;
}

/* Appends those of 16 entries whose bit is set; returns the new count. */
static inline uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    __m512i v = _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(entries));
    _mm512_storeu_si512(to + count, v);
    return count + (uint32_t)__builtin_popcount(bits);
}

#include "fluid/fused_kernel.h"
