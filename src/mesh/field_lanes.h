/* Vectors of LANES numbers, and the functions of them that the closed form of the boundary field needs
 * (field_sum.h, field_nodes.h). The same bits for any number of lanes: only product_sum() contracts. */
#include "base/pi.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

typedef double number;
typedef int64_t integer;
#ifndef LAST_TERM
#define LAST_TERM 21 /* of the series: to 1e-15 */
#endif

typedef number lanes __attribute__((vector_size(sizeof(number) * LANES)));
typedef integer masks __attribute__((vector_size(sizeof(number) * LANES)));
#define INLINE static inline __attribute__((always_inline))

INLINE lanes all(number x)
{
    return x - (lanes){0};
}

INLINE lanes load(const number *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(number *p, lanes v)
{
    memcpy(p, &v, sizeof v);
}

/* Masks are all ones or all zeros. The instructions give the bits of what stands after #else; the compiler does not
 * find them there. */
#if defined(__AVX512DQ__) && LANES == 8
#define HAS_PICKS 1
#define PICK(m, a, b) \
    (lanes) _mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)(m)), (__m512d)(b), (__m512d)(a))
#define LOWER(a, b)  (lanes) _mm512_min_pd((__m512d)(a), (__m512d)(b))
#define HIGHER(a, b) (lanes) _mm512_max_pd((__m512d)(a), (__m512d)(b))
#elif defined(__AVX2__) && LANES == 4
#define HAS_PICKS     1
#define PICK(m, a, b) (lanes) _mm256_blendv_pd((__m256d)(b), (__m256d)(a), (__m256d)(m))
#define LOWER(a, b)   (lanes) _mm256_min_pd((__m256d)(a), (__m256d)(b))
#define HIGHER(a, b)  (lanes) _mm256_max_pd((__m256d)(a), (__m256d)(b))
#else
#define HAS_PICKS 0
#endif

/* a where m, else b. */
INLINE lanes pick(masks m, lanes a, lanes b)
{
#if HAS_PICKS
    return PICK(m, a, b);
#else
    return (lanes)((m & (masks)a) | (~m & (masks)b));
#endif
}

INLINE lanes where(masks m, lanes a)
{
    return (lanes)(m & (masks)a);
}

INLINE lanes smaller(lanes a, lanes b)
{
#if HAS_PICKS
    return LOWER(a, b);
#else
    return pick(a < b, a, b);
#endif
}

INLINE lanes larger(lanes a, lanes b)
{
#if HAS_PICKS
    return HIGHER(a, b);
#else
    return pick(a > b, a, b);
#endif
}

INLINE lanes size(lanes a)
{
    return (lanes)((masks)a & INT64_MAX);
}

/* a b + c: rounded once where FUSE is defined, which is fast where processors can do it, and the same bits
 * everywhere. */
INLINE lanes product_sum(lanes a, lanes b, lanes c)
{
#ifndef FUSE
    return a * b + c;
#elif defined(__AVX512F__) && LANES == 8
    return (lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__) && LANES == 4
    return (lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    lanes r = {0};
    for (uint32_t l = 0; l < LANES; l++) r[l] = fma(a[l], b[l], c[l]);
    return r;
#endif
}

/* The size of a with the sign of b. */
INLINE lanes signed_as(lanes a, lanes b)
{
    return (lanes)(((masks)a & INT64_MAX) | ((masks)b & INT64_MIN));
}

INLINE lanes root(lanes a)
{
    lanes r = {0};
    for (uint32_t l = 0; l < LANES; l++) r[l] = sqrt(a[l]);
    return r;
}

INLINE bool is_any(masks m)
{
#if defined(__AVX512F__)
    if (sizeof m == sizeof(__m512i)) {
        __m512i all_bits;
        memcpy(&all_bits, &m, sizeof m);
        return _mm512_test_epi32_mask(all_bits, all_bits) != 0;
    }
#endif
#if defined(__AVX2__)
    if (sizeof m == sizeof(__m256i)) {
        __m256i bits;
        memcpy(&bits, &m, sizeof bits);
        return !_mm256_testz_si256(bits, bits);
    }
#endif
    integer any = 0;
    for (uint32_t l = 0; l < LANES; l++) any |= m[l];
    return any != 0;
}

/* Functions that need a quotient, in two halves, so that one division can serve several: the quotient is over / under,
 * and `under` is not 0. */
typedef struct fraction {
    lanes over, under;
} fraction;

/* The quotients of three fractions. */
INLINE void divide_three(const fraction f[3], lanes quotient[3])
{
    const lanes both = f[0].under * f[1].under, inverse = all(1) / (both * f[2].under);
    const lanes of_both = inverse * f[2].under;
    quotient[0] = f[0].over * (of_both * f[1].under);
    quotient[1] = f[1].over * (of_both * f[0].under);
    quotient[2] = f[2].over * (inverse * both);
}

/* The angle of (x, y) to rounding; 0 for 0, 0. The angle is turned by pi / 8 or pi / 4 first, so that the series
 * of the arc tangent is short. */
typedef struct angle {
    lanes x, y, turn;
} angle;

INLINE angle begin_angle(lanes y, lanes x, fraction *f)
{
    const lanes ax = size(x), ay = size(y), zero = all(0);
    const lanes low = smaller(ax, ay), high = larger(ax, ay);
    const masks is_far = low > high * all(0.66817863791929891),
                is_near = low < high * all(0.19891236737965800);
    const lanes tangent = pick(is_far, all(1), pick(is_near, zero, all(0.41421356237309505)));
    const lanes under = high + low * tangent;
    f->over = low - high * tangent;
    f->under = pick(under > zero, under, all(1));
    return (angle){x, y, pick(is_far, all(RNI_PI / 4), pick(is_near, zero, all(RNI_PI / 8)))};
}

INLINE lanes end_angle(const angle *a, lanes t)
{
    const lanes t2 = t * t;
    lanes p = all(1.0 / LAST_TERM);
    for (int n = LAST_TERM - 2; n >= 1; n -= 2) p = product_sum(-t2, p, all(1.0 / n));
    lanes found = product_sum(t, p, a->turn);
    found = pick(size(a->y) > size(a->x), all(RNI_PI / 2) - found, found);
    found = pick(a->x < all(0), all(RNI_PI) - found, found);
    return signed_as(found, a->y);
}

INLINE lanes angle_of(lanes y, lanes x)
{
    fraction f;
    const angle a = begin_angle(y, x, &f);
    return end_angle(&a, f.over / f.under);
}

#define MANTISSA(bits) (lanes)(((bits)&0xfffffffffffffLL) | 0x3ff0000000000000LL) /* 1 to 2 */

/* The natural logarithm of a / b, normal positive numbers; the exponent goes to the second half. */
INLINE lanes begin_logarithm(lanes a, lanes b, fraction *f)
{
    const masks a_bits = (masks)a, b_bits = (masks)b;
    lanes m = MANTISSA(a_bits), n = MANTISSA(b_bits);
    const masks is_high = m > n * all(1.4142135623730951), is_low = n > m * all(1.4142135623730951);
    const masks exponent = (a_bits >> 52) - (b_bits >> 52) - is_high + is_low;
    m = pick(is_high, m * all(0.5), m);
    n = pick(is_low, n * all(0.5), n);
    f->over = m - n;
    f->under = m + n;
    /* A small integer as the digits of a large number. */
    return (lanes)((exponent + 4096) | 0x4330000000000000LL) - all(4503599627370496.0 + 4096);
}

INLINE lanes end_logarithm(lanes exponent, lanes t)
{
    const lanes t2 = t * t;
    lanes p = all(1.0 / LAST_TERM);
    for (int n = LAST_TERM - 2; n >= 1; n -= 2) p = product_sum(t2, p, all(1.0 / n));
    return exponent * all(0.69314718055994531) + all(2) * t * p;
}

INLINE lanes logarithm(lanes a, lanes b)
{
    fraction f;
    const lanes exponent = begin_logarithm(a, b, &f);
    return end_logarithm(exponent, f.over / f.under);
}
