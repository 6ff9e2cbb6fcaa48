/* The hot loops of "grid" for AVX-512: 16 lanes. */
#include "search/grid_cells.h"

#include "base/compress.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#define KERNEL_NAME rni_grid_kernel_avx512
#define WIDTH       16u

typedef __m512 vf;
typedef __m512i vu;
typedef __mmask16 vm;
typedef __m512i vp;

#define vf_set                  _mm512_set1_ps
#define vu_set(s)               _mm512_set1_epi32((int)(s))
#define vf_load(p)              _mm512_loadu_ps(p)
#define vu_load(p)              _mm512_loadu_si512(p)
#define vf_store(p, v)          _mm512_storeu_ps(p, v)
#define vu_store(p, v)          _mm512_storeu_si512(p, v)
#define vf_hold(v)              __asm__("" : "+v"(v))
#define vf_sub                  _mm512_sub_ps
#define vf_add                  _mm512_add_ps
#define vf_mul                  _mm512_mul_ps
#define vf_min                  _mm512_min_ps
#define vf_max                  _mm512_max_ps
#define vf_le(a, b)             _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)
#define vm_all                  ((vm)0xffff)
#define vm_first(n)             ((vm)_bzhi_u32(0xffffu, n))
#define vm_and(a, b)            ((vm)((a) & (b)))
#define vm_count(m)             ((uint32_t)__builtin_popcountll((uint64_t)_cvtmask16_u32(m)))
#define vm_and_differs(m, a, b) _mm512_mask_cmpneq_epu32_mask(m, a, b)
#define vm_and_above(m, a, b)   _mm512_mask_cmpgt_epu32_mask(m, a, b)
/* Pack in a register and store it whole: a packing store to memory is slow on some processors. */
#define vf_pack(to, m, v)       _mm512_storeu_ps(to, rni_compress_f32(m, v))
#define vu_pack(to, m, v)       _mm512_storeu_si512(to, rni_compress_u32(m, v))
#define vf_load_first(p, n, v)  _mm512_mask_loadu_ps(v, (n) < WIDTH ? vm_first(n) : vm_all, p)
#define vu_store_first(p, n, v) _mm512_mask_storeu_epi32(p, (n) < WIDTH ? vm_first(n) : vm_all, v)
/* One packing for four arrays: taking by a permutation is half the work of packing. */
#define vm_lanes(m) \
    rni_compress_u32(m, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define vf_take(p, v)         _mm512_permutexvar_ps(p, v)
#define vu_take(p, v)         _mm512_permutexvar_epi32(p, v)
#define vf_length_sq(x, y, z) _mm512_fmadd_ps(z, z, _mm512_fmadd_ps(y, y, _mm512_mul_ps(x, x)))
#define vf_first(v)           _mm512_cvtss_f32(v)

/* v against itself turned by 8, 4, 2 and 1 lanes: the result is in all of them. */
#define OVER_ALL(op, v)                          \
    v = op(v, _mm512_shuffle_f32x4(v, v, 0x4e)); \
    v = op(v, _mm512_shuffle_f32x4(v, v, 0xb1)); \
    v = op(v, _mm512_permute_ps(v, 0x4e));       \
    return op(v, _mm512_permute_ps(v, 0xb1))

static inline vf vf_lowest(vf v)
{
    OVER_ALL(_mm512_min_ps, v);
}

static inline vf vf_highest(vf v)
{
    OVER_ALL(_mm512_max_ps, v);
}

#define vf_less_product(a, b, c) _mm512_fnmadd_ps(b, c, a)

#define vf_gather(p, o) _mm512_i32gather_ps(o, p, 1)
#define vu_lanes        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define vu_add          _mm512_add_epi32
#define vu_mul          _mm512_mullo_epi32
#define vu_trunc        _mm512_cvttps_epi32
#define vm_of_bits(b)   ((vm)(b))

#define HELD_VECTORS         20u
#define vf_first_or(v, n, w) _mm512_mask_mov_ps(w, vm_first(n), v)
#define vf_bits(v)           _mm512_castps_si512(v)
#define vu_least             _mm512_min_epi32
#define vu_is_any_less(a, b) (_mm512_cmplt_epi32_mask(a, b) != 0)

/* The signs of four vectors become those of one of bytes, four of a vector and then four of the next: a mask by a mask takes
 * the units that multiply. Stored one by one, however much compilers would like to join them. */
static inline void put_signs(uint16_t *to, vf a, vf b, vf c, vf d)
{
    const vu ab = _mm512_packs_epi32(vf_bits(a), vf_bits(b));
    const vu cd = _mm512_packs_epi32(vf_bits(c), vf_bits(d));
    const uint64_t signs = _cvtmask64_u64(_mm512_movepi8_mask(_mm512_packs_epi16(ab, cd)));
    const uint64_t first = 0x000f000f000f000f;
    volatile uint16_t *each = to;
    each[0] = (uint16_t)_pext_u64(signs, first);
    each[1] = (uint16_t)_pext_u64(signs, first << 4);
    each[2] = (uint16_t)_pext_u64(signs, first << 8);
    each[3] = (uint16_t)_pext_u64(signs, first << 12);
}

static inline vf vf_fold(vf d, vf half, vf period)
{
    d = _mm512_mask_sub_ps(d, _mm512_cmp_ps_mask(d, half, _CMP_GT_OQ), d, period);
    vf minus_half = _mm512_sub_ps(_mm512_setzero_ps(), half);
    return _mm512_mask_add_ps(d, _mm512_cmp_ps_mask(d, minus_half, _CMP_LT_OQ), d, period);
}

/* Point by point, and four points turned at once: half the time of gathering lane by lane. Points side by side, which most
 * callers have, come in three whole vectors. What follows a point in memory is not touched. */
#define LOADS_POINTS

static inline __m512 load_four(const unsigned char *const at[4], __mmask8 ours)
{
    __m512 four = _mm512_castps128_ps512(_mm_maskz_loadu_ps(ours, at[0]));
    four = _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[1]), 1);
    four = _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[2]), 2);
    return _mm512_insertf32x4(four, _mm_maskz_loadu_ps(ours, at[3]), 3);
}

/* Of 48 numbers, those 3 apart from number `first` on. */
static inline vf every_third(vf a, vf b, vf c, int first)
{
    const vu third = vu_add(vu_mul(vu_lanes, vu_set(3)), _mm512_set1_epi32(first));
    const vf in_two = _mm512_permutex2var_ps(a, third, b); /* the index counts modulo 32 */
    const vm is_in_c = _mm512_cmpgt_epi32_mask(third, _mm512_set1_epi32(31));
    return _mm512_mask_permutexvar_ps(in_two, is_in_c, third, c);
}

static inline void vf_load_points(const unsigned char *position, size_t stride_bytes,
                                  const uint32_t *id, const uint32_t dim, vf out[3])
{
    if (!id && dim == 3 && stride_bytes == 3 * sizeof(float)) {
        const vf a = vf_load(position), b = vf_load(position + sizeof(vf));
        const vf c = vf_load(position + 2 * sizeof(vf));
        for (int axis = 0; axis < 3; axis++) out[axis] = every_third(a, b, c, axis);
        return;
    }
    const __mmask8 ours = dim == 3 ? 7 : 3;
    vf p[4]; /* p[k] has points k, k + 4, k + 8 and k + 12 */
    for (uint32_t k = 0; k < 4; k++) {
        const unsigned char *at[4];
        for (uint32_t j = 0; j < 4; j++)
            at[j] = position + (size_t)(id ? id[k + 4 * j] : k + 4 * j) * stride_bytes;
        p[k] = load_four(at, ours);
    }
    const vf xy01 = _mm512_unpacklo_ps(p[0], p[1]), xy23 = _mm512_unpacklo_ps(p[2], p[3]);
    const vf z01 = _mm512_unpackhi_ps(p[0], p[1]), z23 = _mm512_unpackhi_ps(p[2], p[3]);
    out[0] = _mm512_shuffle_ps(xy01, xy23, 0x44);
    out[1] = _mm512_shuffle_ps(xy01, xy23, 0xee);
    out[2] = _mm512_shuffle_ps(z01, z23, 0x44);
}

#include "search/grid_kernel.h"
