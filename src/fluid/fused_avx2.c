/* The loops of the fused traversal for AVX2: two particles times four neighbours. */
#define RNI_LANES 8
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

/* For each mask the lanes to take, a byte each: entry m lists the set bits of m in ascending order. */
#define LANE(m, k) \
    ((((m) >> (k)) & 1u) ? (uint64_t)(k) << (8 * __builtin_popcount((m) & ((1u << (k)) - 1u))) : 0u)
#define ENTRY(m)                                                                                \
    (LANE(m, 0) | LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | \
     LANE(m, 7))
#define ENTRY4(m)  ENTRY(m), ENTRY((m) + 1u), ENTRY((m) + 2u), ENTRY((m) + 3u)
#define ENTRY16(m) ENTRY4(m), ENTRY4((m) + 4u), ENTRY4((m) + 8u), ENTRY4((m) + 12u)
#define ENTRY64(m) ENTRY16(m), ENTRY16((m) + 16u), ENTRY16((m) + 32u), ENTRY16((m) + 48u)
static const uint64_t lanes_of_mask[256] = {ENTRY64(0u), ENTRY64(64u), ENTRY64(128u), ENTRY64(192u)};

static inline __m256i order_of(uint32_t bits)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of_mask[bits]));
}

static inline void store_entries(uint32_t *to, __m256i v)
{
    _mm256_storeu_si256((__m256i *)(void *)to, v);
}

typedef struct vector_box {
    __m256 low_x, high_x, low_y, high_y, low_z, high_z, reach_sq;
} vector_box;

/* Takes those of 8 particles, `here` of which count, that may be near; returns the new count. */
RNI_INLINE uint32_t take_near(const fused_state *s, const vector_box *b, uint32_t k, uint32_t here,
                              uint32_t image, const bool is_periodic, const candidates *to,
                              uint32_t count)
{
    __m256 x = _mm256_loadu_ps(s->x + k);
    __m256 y = _mm256_loadu_ps(s->y + k);
    __m256 z = _mm256_loadu_ps(s->z + k);
    if (is_periodic) {
        x = x + s->image[image][0];
        y = y + s->image[image][1];
        z = z + s->image[image][2];
    }
    __m256 dx = x - _mm256_min_ps(_mm256_max_ps(x, b->low_x), b->high_x);
    __m256 dy = y - _mm256_min_ps(_mm256_max_ps(y, b->low_y), b->high_y);
    __m256 dz = z - _mm256_min_ps(_mm256_max_ps(z, b->low_z), b->high_z);
    __m256 is_near = _mm256_cmp_ps(dx * dx + dy * dy + dz * dz, b->reach_sq, _CMP_LE_OQ);
    const uint32_t near = here & (uint32_t)_mm256_movemask_ps(is_near);
    __m256i order = order_of(near);
    _mm256_storeu_ps(to->x + count, _mm256_permutevar8x32_ps(x, order));
    _mm256_storeu_ps(to->y + count, _mm256_permutevar8x32_ps(y, order));
    _mm256_storeu_ps(to->z + count, _mm256_permutevar8x32_ps(z, order));
    __m256i entry = is_periodic ? order : _mm256_slli_epi32(order, 2);
    entry = _mm256_add_epi32(entry, _mm256_set1_epi32((int)entry_of(k, image, is_periodic)));
    store_entries(to->entry + count, entry);
    return count + (uint32_t)__builtin_popcount(near);
}

RNI_INLINE uint32_t near_box(const fused_state *s, const cell_runs *list, const box *b,
                             const bool is_periodic, const candidates *to)
{
    const vector_box v = {_mm256_set1_ps(b->low[0]),
                          _mm256_set1_ps(b->high[0]),
                          _mm256_set1_ps(b->low[1]),
                          _mm256_set1_ps(b->high[1]),
                          _mm256_set1_ps(b->low[2]),
                          _mm256_set1_ps(b->high[2]),
                          _mm256_set1_ps(s->reach * s->reach * 1.000001f)};
    const candidates out = *to;
    uint32_t count = 0;
    for (uint32_t r = 0; r < list->count; r++) {
        const cell_run *at = &list->runs[r];
        uint32_t k = at->begin;
        for (; at->end - k > 8; k += 8)
            count = take_near(s, &v, k, 0xff, at->image, is_periodic, &out, count);
        count =
            take_near(s, &v, k, _bzhi_u32(0xff, at->end - k), at->image, is_periodic, &out, count);
    }
    return count;
}

RNI_INLINE uint32_t keep_entries(const uint32_t *entries, uint32_t bits, uint32_t *to, uint32_t count)
{
    for (uint32_t half = 0; half < 2; half++, entries += 8, bits >>= 8) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)entries);
        store_entries(to + count, _mm256_permutevar8x32_epi32(v, order_of(bits & 0xffu)));
        count += (uint32_t)__builtin_popcount(bits & 0xffu);
    }
    return count;
}

#include "fluid/fused_find.h"
