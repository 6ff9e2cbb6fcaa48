/* The loops of the fused traversal for AVX-512: four particles times four neighbours. */
#include "base/compress.h"

#define RNI_LANES 16
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

typedef struct vector_box {
    __m512 low_x, high_x, low_y, high_y, low_z, high_z, reach_sq;
} vector_box;

/* Takes those of 16 particles, `here` of which count, that may be near; returns the new count. */
RNI_INLINE uint32_t take_near(const fused_state *s, const vector_box *b, uint32_t k, __mmask16 here,
                              uint32_t image, const bool is_periodic, const candidates *to,
                              uint32_t count)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512 x = _mm512_loadu_ps(s->x + k);
    __m512 y = _mm512_loadu_ps(s->y + k);
    __m512 z = _mm512_loadu_ps(s->z + k);
    /* held in registers: nearly every such load touches two lines, and compilers like to load again */
    __asm__("" : "+v"(x), "+v"(y), "+v"(z));
    if (is_periodic) {
        x = x + s->image[image][0];
        y = y + s->image[image][1];
        z = z + s->image[image][2];
    }
    __m512 dx = x - _mm512_min_ps(_mm512_max_ps(x, b->low_x), b->high_x);
    __m512 dy = y - _mm512_min_ps(_mm512_max_ps(y, b->low_y), b->high_y);
    __m512 dz = z - _mm512_min_ps(_mm512_max_ps(z, b->low_z), b->high_z);
    __m512 r_sq = dx * dx + dy * dy + dz * dz;
    __mmask16 near = _mm512_mask_cmp_ps_mask(here, r_sq, b->reach_sq, _CMP_LE_OQ);
    __m512i order = rni_compress_u32(near, lane);
    _mm512_storeu_ps(to->x + count, _mm512_permutexvar_ps(order, x));
    _mm512_storeu_ps(to->y + count, _mm512_permutexvar_ps(order, y));
    _mm512_storeu_ps(to->z + count, _mm512_permutexvar_ps(order, z));
    __m512i entry = is_periodic ? order : _mm512_slli_epi32(order, 2);
    entry = _mm512_add_epi32(entry, _mm512_set1_epi32((int)entry_of(k, image, is_periodic)));
    _mm512_storeu_si512(to->entry + count, entry);
    return count + (uint32_t)__builtin_popcountll(_cvtmask16_u32(near));
}

RNI_INLINE uint32_t near_box(const fused_state *s, const cell_runs *list, const box *b,
                             const bool is_periodic, const candidates *to)
{
    const vector_box v = {_mm512_set1_ps(b->low[0]),
                          _mm512_set1_ps(b->high[0]),
                          _mm512_set1_ps(b->low[1]),
                          _mm512_set1_ps(b->high[1]),
                          _mm512_set1_ps(b->low[2]),
                          _mm512_set1_ps(b->high[2]),
                          _mm512_set1_ps(s->reach * s->reach * 1.000001f)};
    const candidates out = *to;
    uint32_t count = 0;
    for (uint32_t r = 0; r < list->count; r++) {
        const cell_run *at = &list->runs[r];
        uint32_t k = at->begin;
        for (; at->end - k > 16; k += 16)
            count = take_near(s, &v, k, 0xffff, at->image, is_periodic, &out, count);
        count = take_near(s, &v, k, (__mmask16)_bzhi_u32(0xffff, at->end - k), at->image,
                          is_periodic, &out, count);
    }
    return count;
}

/* Appends those of 16 entries whose bit is set; returns the new count. */
RNI_INLINE uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    __m512i v = rni_compress_u32((__mmask16)bits, _mm512_loadu_si512(entries));
    _mm512_storeu_si512(to + count, v);
    return count + (uint32_t)__builtin_popcount(bits);
}

#include "fluid/fused_find.h"
