/* Lanes: one name for one, four, eight or sixteen numbers that are worked on at once.
 *
 * A file defines RNI_LANES (1, 4, 8 or 16; 8 needs AVX2, 16 needs AVX-512) before it includes this,
 * once. Arithmetic is written with + - *, also between a vector and a float; the rest has names:
 *     rni_v, rni_vm           numbers; a claim a lane
 *     rni_v_set(s)            s in all lanes
 *     rni_v_max(a, b)
 *     rni_v_less(a, b)        a < b;  rni_v_within(a, b): a <= b
 *     rni_v_select(m, a, b)   a where m, else b;  rni_v_where(m, a): a where m, else 0
 *     rni_v_add_where(m, a, b)  a + b where m, else a
 *     rni_v_add_product(m, a, b, c)   a + b c where m, else a
 *     rni_v_add_cube(m, a, t)   a + t^3 where m, else a
 *     rni_v_rsqrt(a)          1 / sqrt(a), rni_v_rcp(a): 1 / a; relative error below 5e-7 for normal
 *                             a > 0 (one and four lanes: rounded root and quotient, the same bits on
 *                             every machine)
 *     rni_v_twice_root(a, &i) 2 sqrt(a), and 2 / sqrt(a) to i; as exact, and cheaper than the two
 *     rni_v_twice_root_past(a, tiny)   2 sqrt(a) where a is much more than tiny, also for a = 0
 * Four and more lanes are quads: lane 4 p + k belongs to particle p and neighbour k. For them:
 *     rni_v_load(p), rni_v_store(p, v)   all lanes, any alignment
 *     rni_v_hold(v)           v is what it is, also in lanes that seem not to matter (four lanes)
 *     rni_v_load_quad(p)      four numbers, the same in every quad
 *     rni_v_spread(v, k)      lane k of each quad in all lanes of that quad; k a constant
 *     rni_v_sum_quads(a, b, c, d)   in each quad: sum of a, sum of b, sum of c, sum of d
 *     rni_v_bits(m)           bit l: claim of lane l
 *     rni_v_transpose(a, b, c, d, to)   four records of four numbers to to[0 .. 15]: the first of
 *                             each, the second of each, ...
 *     rni_v_transpose8(a, b, c, d, to)  four records of eight numbers to to[0 .. 31]: the first of
 *                             each, the fifth, the second, the sixth, ...
 *     rni_v_spread8(p, k)     number k of each of the records of eight numbers at p, a record a quad;
 *                             k a constant
 *     rni_v_halves8(p)        the last four numbers of each of these records
 */
#ifndef RNI_FLUID_LANES_H
#define RNI_FLUID_LANES_H
#define RNI_V_READY

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if RNI_LANES > 1 && defined(RNI_X86)
#include <immintrin.h>

/* Hides where p comes from: gcc takes an aligned store for a local array that it would align to a
 * vector, which the address sanitizer then does not do. */
#define RNI_V_UNALIGNED(p) __asm__("" : "+r"(p))
#endif

#if RNI_LANES == 1

typedef float rni_v;
typedef bool rni_vm;

static inline rni_v rni_v_set(float s)
{
    return s;
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return a > b ? a : b;
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return a < b;
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return a <= b;
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return m ? a : b;
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return m ? a : 0.0f;
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return a + rni_v_where(m, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return a + rni_v_where(m, b) * c;
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    t = rni_v_where(m, t);
    return a + t * t * t;
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / sqrtf(a);
}

static inline rni_v rni_v_rcp(rni_v a)
{
    return 1.0f / a;
}

#elif RNI_LANES == 4

typedef float rni_v __attribute__((vector_size(16)));
typedef int32_t rni_vm __attribute__((vector_size(16)));

static inline rni_v rni_v_set(float s)
{
    return (rni_v){s, s, s, s};
}

static inline rni_v rni_v_load(const float *p)
{
    rni_v v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void rni_v_store(float *p, rni_v v)
{
    memcpy(p, &v, sizeof v);
}

static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    if (count >= 4) rni_v_store(p, v);
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return rni_v_load(p);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return a < b;
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return a <= b;
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return (rni_v)(m & (rni_vm)a);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return (rni_v)((m & (rni_vm)a) | (~m & (rni_vm)b));
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return a + rni_v_where(m, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return a + rni_v_where(m, b) * c;
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    t = rni_v_where(m, t);
    return a + t * t * t;
}

#define rni_v_spread(v, k) rni_v_set((v)[k])

#ifdef __SSE2__
#define rni_v_hold(v) __asm__("" : "+x"(v))

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm_max_ps(a, b);
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / _mm_sqrt_ps(a);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)_mm_movemask_ps((__m128)m);
}

#define RNI_V_LOW(a, b)  _mm_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b) _mm_unpackhi_ps(a, b)
#else
#define rni_v_hold(v) ((void)(v))

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return rni_v_select(a > b, a, b);
}

static inline rni_v rni_v_rsqrt(rni_v a)
{
    return 1.0f / (rni_v){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

#define RNI_V_LOW(a, b)  ((rni_v){(a)[0], (b)[0], (a)[1], (b)[1]})
#define RNI_V_HIGH(a, b) ((rni_v){(a)[2], (b)[2], (a)[3], (b)[3]})
#endif

static inline rni_v rni_v_rcp(rni_v a)
{
    return 1.0f / a;
}

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    rni_v va = rni_v_load(a), vb = rni_v_load(b), vc = rni_v_load(c), vd = rni_v_load(d);
    rni_v ac_low = RNI_V_LOW(va, vc), ac_high = RNI_V_HIGH(va, vc);
    rni_v bd_low = RNI_V_LOW(vb, vd), bd_high = RNI_V_HIGH(vb, vd);
    rni_v_store(to, RNI_V_LOW(ac_low, bd_low));
    rni_v_store(to + 4, RNI_V_HIGH(ac_low, bd_low));
    rni_v_store(to + 8, RNI_V_LOW(ac_high, bd_high));
    rni_v_store(to + 12, RNI_V_HIGH(ac_high, bd_high));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    for (int half = 0; half < 2; half++) {
        float out[16];
        rni_v_transpose(a + 4 * half, b + 4 * half, c + 4 * half, d + 4 * half, out);
        for (int k = 0; k < 4; k++) rni_v_store(to + 8 * k + 4 * half, rni_v_load(out + 4 * k));
    }
}

#define rni_v_spread8(p, k) rni_v_set((p)[k])

static inline rni_v rni_v_halves8(const float *p)
{
    return rni_v_load(p + 4);
}

#elif RNI_LANES == 8

typedef __m256 rni_v;
typedef __m256 rni_vm;

static inline rni_v rni_v_set(float s)
{
    return _mm256_set1_ps(s);
}

static inline rni_v rni_v_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline void rni_v_store(float *p, rni_v v)
{
    RNI_V_UNALIGNED(p);
    _mm256_storeu_ps(p, v);
}

static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    if (count >= 4) _mm_storeu_ps(p, _mm256_castps256_ps128(v));
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)p);
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm256_max_ps(a, b);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return _mm256_blendv_ps(b, a, m);
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return _mm256_and_ps(m, a);
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return a + rni_v_where(m, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return a + rni_v_where(m, b) * c;
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    t = rni_v_where(m, t);
    return a + t * t * t;
}

#define RNI_V_GUESS_RSQRT _mm256_rsqrt_ps

static inline rni_v rni_v_rsqrt(rni_v a)
{
    rni_v y = RNI_V_GUESS_RSQRT(a); /* 12 bits; one step of Newton */
    return y + y * (0.5f - (0.5f * y) * (a * y));
}

static inline rni_v rni_v_rcp(rni_v a)
{
    rni_v y = _mm256_rcp_ps(a);
    return y + y * (1.0f - a * y);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return (uint32_t)_mm256_movemask_ps(m);
}

#define rni_v_spread(v, k) _mm256_permute_ps(v, (k)*0x55)
#define RNI_V_LOW(a, b)    _mm256_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b)   _mm256_unpackhi_ps(a, b)

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    __m256 ac = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(c), 1);
    __m256 bd = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(b)), _mm_loadu_ps(d), 1);
    __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(ac, bd)); /* a0 b0 a1 b1, c0 d0 c1 d1 */
    __m256d high = _mm256_castps_pd(_mm256_unpackhi_ps(ac, bd));
    _mm256_storeu_ps(to, _mm256_castpd_ps(_mm256_permute4x64_pd(low, 0xd8)));
    _mm256_storeu_ps(to + 8, _mm256_castpd_ps(_mm256_permute4x64_pd(high, 0xd8)));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    __m256 va = _mm256_loadu_ps(a), vb = _mm256_loadu_ps(b), vc = _mm256_loadu_ps(c);
    __m256 vd = _mm256_loadu_ps(d);
    __m256 ac_low = _mm256_unpacklo_ps(va, vc), ac_high = _mm256_unpackhi_ps(va, vc);
    __m256 bd_low = _mm256_unpacklo_ps(vb, vd), bd_high = _mm256_unpackhi_ps(vb, vd);
    _mm256_storeu_ps(to, _mm256_unpacklo_ps(ac_low, bd_low));
    _mm256_storeu_ps(to + 8, _mm256_unpackhi_ps(ac_low, bd_low));
    _mm256_storeu_ps(to + 16, _mm256_unpacklo_ps(ac_high, bd_high));
    _mm256_storeu_ps(to + 24, _mm256_unpackhi_ps(ac_high, bd_high));
}

#define rni_v_spread8(p, k) \
    _mm256_insertf128_ps(_mm256_set1_ps((p)[k]), _mm_set1_ps((p)[8 + (k)]), 1)

static inline rni_v rni_v_halves8(const float *p)
{
    return _mm256_permute2f128_ps(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8), 0x31);
}

#elif RNI_LANES == 16

typedef __m512 rni_v;
typedef __mmask16 rni_vm;

static inline rni_v rni_v_set(float s)
{
    return _mm512_set1_ps(s);
}

static inline rni_v rni_v_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void rni_v_store(float *p, rni_v v)
{
    RNI_V_UNALIGNED(p);
    _mm512_storeu_ps(p, v);
}

/* The first count lanes; a multiple of 4 below all. */
static inline void rni_v_store_some(float *p, rni_v v, uint32_t count)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << count) - 1u), v);
}

static inline rni_v rni_v_load_quad(const float *p)
{
    return _mm512_broadcast_f32x4(_mm_loadu_ps(p));
}

static inline rni_v rni_v_max(rni_v a, rni_v b)
{
    return _mm512_max_ps(a, b);
}

static inline rni_vm rni_v_less(rni_v a, rni_v b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline rni_vm rni_v_within(rni_v a, rni_v b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

static inline rni_v rni_v_select(rni_vm m, rni_v a, rni_v b)
{
    return _mm512_mask_blend_ps(m, b, a);
}

static inline rni_v rni_v_where(rni_vm m, rni_v a)
{
    return _mm512_maskz_mov_ps(m, a);
}

static inline rni_v rni_v_add_where(rni_vm m, rni_v a, rni_v b)
{
    return _mm512_mask_add_ps(a, m, a, b);
}

static inline rni_v rni_v_add_product(rni_vm m, rni_v a, rni_v b, rni_v c)
{
    return _mm512_mask3_fmadd_ps(b, c, a, m);
}

static inline rni_v rni_v_add_cube(rni_vm m, rni_v a, rni_v t)
{
    return _mm512_mask3_fmadd_ps(t * t, t, a, m);
}

#define RNI_V_GUESS_RSQRT _mm512_rsqrt14_ps
#define RNI_V_PICK_BITS   _pext_u64 /* slow on some processors that have eight lanes only */

static inline rni_v rni_v_rsqrt(rni_v a)
{
    rni_v y = RNI_V_GUESS_RSQRT(a); /* 14 bits; one step of Newton */
    return y + y * (0.5f - (0.5f * y) * (a * y));
}

static inline rni_v rni_v_rcp(rni_v a)
{
    rni_v y = _mm512_rcp14_ps(a);
    return y + y * (1.0f - a * y);
}

static inline uint32_t rni_v_bits(rni_vm m)
{
    return _cvtmask16_u32(m);
}

#define rni_v_spread(v, k) _mm512_permute_ps(v, (k)*0x55)
#define RNI_V_LOW(a, b)    _mm512_unpacklo_ps(a, b)
#define RNI_V_HIGH(a, b)   _mm512_unpackhi_ps(a, b)

static inline void rni_v_transpose(const float *a, const float *b, const float *c, const float *d,
                                   float *to)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 16, 1, 5, 9, 17, 2, 6, 10, 18, 3, 7, 11, 19);
    __m512 abc = _mm512_castps128_ps512(_mm_loadu_ps(a));
    abc = _mm512_insertf32x4(abc, _mm_loadu_ps(b), 1);
    abc = _mm512_insertf32x4(abc, _mm_loadu_ps(c), 2);
    _mm512_storeu_ps(to, _mm512_permutex2var_ps(abc, order, _mm512_castps128_ps512(_mm_loadu_ps(d))));
}

static inline void rni_v_transpose8(const float *a, const float *b, const float *c, const float *d,
                                    float *to)
{
    const __m512i first = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
    const __m512i second =
        _mm512_setr_epi32(2, 10, 18, 26, 6, 14, 22, 30, 3, 11, 19, 27, 7, 15, 23, 31);
    __m512 ab = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(a)), _mm256_loadu_ps(b), 1);
    __m512 cd = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(c)), _mm256_loadu_ps(d), 1);
    _mm512_storeu_ps(to, _mm512_permutex2var_ps(ab, first, cd));
    _mm512_storeu_ps(to + 16, _mm512_permutex2var_ps(ab, second, cd));
}

#define rni_v_spread8(p, k)                                                                    \
    _mm512_permutex2var_ps(_mm512_loadu_ps(p),                                                 \
                           _mm512_setr_epi32(k, k, k, k, 8 + (k), 8 + (k), 8 + (k), 8 + (k),   \
                                             16 + (k), 16 + (k), 16 + (k), 16 + (k), 24 + (k), \
                                             24 + (k), 24 + (k), 24 + (k)),                    \
                           _mm512_loadu_ps((p) + 16))

static inline rni_v rni_v_halves8(const float *p)
{
    return _mm512_shuffle_f32x4(_mm512_loadu_ps(p), _mm512_loadu_ps(p + 16), 0xdd);
}

#else
#error "lanes.h: define RNI_LANES as 1, 4, 8 or 16 first"
#endif

#ifdef RNI_V_GUESS_RSQRT
static inline rni_v rni_v_twice_root(rni_v a, rni_v *twice_inverse)
{
    rni_v y = RNI_V_GUESS_RSQRT(a), root = a * y;
    rni_v twice = 3.0f - root * y; /* twice what y is to be times: one step of Newton */
    *twice_inverse = y * twice;
    return root * twice;
}

static inline rni_v rni_v_twice_root_past(rni_v a, float tiny)
{
    rni_v y = RNI_V_GUESS_RSQRT(a + tiny), root = a * y;
    return root * (3.0f - root * y);
}
#else
static inline rni_v rni_v_twice_root(rni_v a, rni_v *twice_inverse)
{
    *twice_inverse = 2.0f * rni_v_rsqrt(a);
    return a * *twice_inverse;
}

static inline rni_v rni_v_twice_root_past(rni_v a, float tiny)
{
    return a * (2.0f * rni_v_rsqrt(a + tiny));
}
#endif

#if RNI_LANES > 1
static inline rni_v rni_v_sum_quads(rni_v a, rni_v b, rni_v c, rni_v d)
{
    rni_v ac = RNI_V_LOW(a, c) + RNI_V_HIGH(a, c); /* a0 + a2, c0 + c2, a1 + a3, c1 + c3 */
    rni_v bd = RNI_V_LOW(b, d) + RNI_V_HIGH(b, d);
    return RNI_V_LOW(ac, bd) + RNI_V_HIGH(ac, bd);
}
#endif

#endif
