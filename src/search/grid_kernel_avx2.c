/* The hot loops of "grid" for AVX2: 8 lanes. */
#include "search/grid_cells.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define KERNEL_NAME rni_grid_kernel_avx2
#define WIDTH       8u

typedef __m256 vf;
typedef __m256i vu;
typedef uint32_t vm; /* a bit a lane */
typedef __m256i vp;

#define vf_set         _mm256_set1_ps
#define vu_set(s)      _mm256_set1_epi32((int)(s))
#define vf_load(p)     _mm256_loadu_ps(p)
#define vu_load(p)     _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define vf_store(p, v) _mm256_storeu_ps(p, v)
#define vu_store(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define vf_hold(v)     __asm__("" : "+x"(v))
#define vf_sub         _mm256_sub_ps
#define vf_add         _mm256_add_ps
#define vf_mul         _mm256_mul_ps
#define vf_min         _mm256_min_ps
#define vf_max         _mm256_max_ps
#define vf_le(a, b)    ((vm)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#define vm_all         ((vm)0xff)
#define vm_first(n)    ((vm)_bzhi_u32(0xffu, n))
#define vm_and(a, b)   ((a) & (b))
#define vm_count(m)    ((uint32_t)__builtin_popcount(m))

static inline vm lanes(__m256i condition)
{
    return (vm)_mm256_movemask_ps(_mm256_castsi256_ps(condition));
}

static inline vm vm_and_differs(vm m, vu a, vu b)
{
    return m & ~lanes(_mm256_cmpeq_epi32(a, b));
}

static inline vm vm_and_above(vm m, vu a, vu b)
{
    const vu sign = _mm256_set1_epi32(INT32_MIN); /* AVX2 compares signed numbers only */
    return m & lanes(_mm256_cmpgt_epi32(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign)));
}

static inline vf vf_fold(vf d, vf half, vf period)
{
    vf minus_half = _mm256_sub_ps(_mm256_setzero_ps(), half);
    d = _mm256_sub_ps(d, _mm256_and_ps(_mm256_cmp_ps(d, half, _CMP_GT_OQ), period));
    return _mm256_add_ps(d, _mm256_and_ps(_mm256_cmp_ps(d, minus_half, _CMP_LT_OQ), period));
}

/* For each mask the lanes to take, a byte each: entry m lists the set bits of m in ascending order.
 * Written out by the preprocessor. */
#define LANE(m, k) \
    ((((m) >> (k)) & 1u) ? (uint64_t)(k) << (8 * __builtin_popcount((m) & ((1u << (k)) - 1u))) : 0u)
#define ENTRY(m)                                                                                \
    (LANE(m, 0) | LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | \
     LANE(m, 7))
#define ENTRY4(m)  ENTRY(m), ENTRY((m) + 1u), ENTRY((m) + 2u), ENTRY((m) + 3u)
#define ENTRY16(m) ENTRY4(m), ENTRY4((m) + 4u), ENTRY4((m) + 8u), ENTRY4((m) + 12u)
#define ENTRY64(m) ENTRY16(m), ENTRY16((m) + 16u), ENTRY16((m) + 32u), ENTRY16((m) + 48u)
static const uint64_t lanes_of_mask[256] = {ENTRY64(0u), ENTRY64(64u), ENTRY64(128u), ENTRY64(192u)};

static inline __m256i vm_lanes(vm m)
{
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes_of_mask[m]));
}

#define vf_take(p, v)         _mm256_permutevar8x32_ps(v, p)
#define vu_take(p, v)         _mm256_permutevar8x32_epi32(v, p)
#define vf_length_sq(x, y, z) _mm256_fmadd_ps(z, z, _mm256_fmadd_ps(y, y, _mm256_mul_ps(x, x)))

#define vf_less_product(a, b, c) _mm256_fnmadd_ps(b, c, a)

#define vf_gather(p, o) _mm256_i32gather_ps((const float *)(const void *)(p), o, 1)
#define vu_lanes        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define vu_add          _mm256_add_epi32
#define vu_mul          _mm256_mullo_epi32
#define vu_trunc        _mm256_cvttps_epi32
#define vm_of_bits(b)   ((b)&0xffu)

#define HELD_VECTORS         8u
#define vf_bits(v)           _mm256_castps_si256(v)
#define vu_least             _mm256_min_epi32
#define vu_is_any_less(a, b) (lanes(_mm256_cmpgt_epi32(b, a)) != 0)

static inline void put_signs(uint16_t *to, vf a, vf b, vf c, vf d)
{
    volatile uint16_t *each = to; /* one by one, however much compilers would like to join them */
    each[0] = (uint16_t)_mm256_movemask_ps(a);
    each[1] = (uint16_t)_mm256_movemask_ps(b);
    each[2] = (uint16_t)_mm256_movemask_ps(c);
    each[3] = (uint16_t)_mm256_movemask_ps(d);
}

static inline void vf_pack(float *to, vm m, vf v)
{
    vf_store(to, vf_take(vm_lanes(m), v));
}

static inline void vu_pack(uint32_t *to, vm m, vu v)
{
    vu_store(to, vu_take(vm_lanes(m), v));
}

static inline vf vf_first_or(vf v, uint32_t n, vf rest)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i is_taken = _mm256_cmpgt_epi32(_mm256_set1_epi32(n < WIDTH ? (int)n : (int)WIDTH), lane);
    return _mm256_blendv_ps(rest, v, _mm256_castsi256_ps(is_taken));
}

#define vf_load_first(p, n, v) vf_first_or(vf_load(p), n, v)

static inline void vu_store_first(uint32_t *p, uint32_t n, vu v)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i is_stored = _mm256_cmpgt_epi32(_mm256_set1_epi32(n < WIDTH ? (int)n : (int)WIDTH), lane);
    _mm256_maskstore_epi32((int *)(void *)p, is_stored, v);
}

#define vf_first(v) _mm256_cvtss_f32(v)

/* v against itself turned by 4, 2 and 1 lanes: the result is in all of them. */
#define OVER_ALL(op, v)                         \
    v = op(v, _mm256_permute2f128_ps(v, v, 1)); \
    v = op(v, _mm256_permute_ps(v, 0x4e));      \
    return op(v, _mm256_permute_ps(v, 0xb1))

static inline vf vf_lowest(vf v)
{
    OVER_ALL(_mm256_min_ps, v);
}

static inline vf vf_highest(vf v)
{
    OVER_ALL(_mm256_max_ps, v);
}

#include "search/grid_kernel.h"
