/* Lanes: the SIMD operations of the project, with one name each for 1, 4, 8 and 16 lanes.
 *
 * Use:    define RNI_LANES as 1, 4, 8 (needs AVX2) or 16 (needs AVX-512), once, before including
 *         this header. + - * / work on vectors of floats, also with a scalar float; every other
 *         operation has a name below. Add an operation that a kernel lacks here, for every number
 *         of lanes that uses it.
 * Next:   lanes_1.h, lanes_4.h, lanes_8.h, lanes_16.h (the operations); fluid/laws.h,
 *         search/grid_kernel.h and broadphase/columns_kernel.h (kernels written once with them).
 *
 * Numbers
 *     rni_v, rni_vm           floats; a mask (true or false) per lane
 *     rni_v_set(s)            s in all lanes
 *     rni_v_load(p), rni_v_store(p, v)   all lanes, any alignment
 *     rni_v_min(a, b), rni_v_max(a, b)
 *     rni_v_less(a, b)        a < b;  rni_v_within(a, b): a <= b;  rni_v_within_and(m, a, b): m and a <= b
 *     rni_vm_and(m, n)        both masks
 *     rni_v_select(m, a, b)   a where m, else b;  rni_v_where(m, a): a where m, else 0
 *     rni_v_add_where(m, a, b)        a + b where m, else a
 *     rni_v_add_product(m, a, b, c)   a + b c where m, else a
 *     rni_v_add_cube(m, a, t)         a + t^3 where m, else a
 *     rni_v_madd(a, b, c)     a + b c, rounded once or twice;  rni_v_msub(a, b, c): a - b c
 *     rni_v_rsqrt(a)          1 / sqrt(a), rni_v_rcp(a): 1 / a; relative error below 5e-7 for normal
 *                             a > 0 (one and four lanes: rounded root and quotient, the same bits on
 *                             every machine)
 *     rni_v_sqrt(a)           rounded once: the same bits for any number of lanes (1 and 8); so is a / b
 *     rni_v_twice_root(a, &i) 2 sqrt(a), and 2 / sqrt(a) to i; as exact as those, and cheaper
 *     rni_v_twice_root_past(a, tiny)   2 sqrt(a) where a is much larger than tiny, also for a = 0
 *     rni_v_hold(v)           the compiler keeps v in a register and forgets how it was made
 *     rni_v_load_first(p, n, w)        lanes below n from p, those of w in the others
 *     rni_v_first_or(v, n, w) lanes below n of v, those of w in the others
 *     rni_v_lowest(v), rni_v_highest(v)  over all lanes, in all lanes;  rni_v_first(v): the first lane
 *     rni_v_load_points(p, stride_bytes, id, dim, out)  x, y and z of the points numbered id[0], id[1], ..., or
 *                             of the first ones where id is NULL
 *     rni_v_store_signs(to, a, b, c, d)  for each of four vectors 16 bits: lanes whose sign is set
 *     rni_sums, rni_sums_add(&sums, v), rni_sums_total(&sums)   a sum in double precision for each lane (four lanes)
 * Unsigned integers
 *     rni_vu, rni_vu_set, rni_vu_load, rni_vu_store, rni_vu_add, rni_vu_mul, rni_vu_min, rni_vu_max
 *     rni_vu_lanes()          0, 1, 2, ...
 *     rni_vu_store_first(p, n, v)      lanes below n
 *     rni_vu_of_floats(v)     rounded towards zero;  rni_vu_bits_of(v): the bits of the floats
 *     rni_vu_min_signed(a, b), rni_vu_any_less_signed(a, b)   as signed integers
 *     rni_vu_store_interleaved(to, a, b, count)   a[0], b[0], a[1], b[1], ... of at least count lanes
 * Sets of lanes, and packing by them
 *     rni_vb                  bit l: lane l is in the set;  rni_vb_all;  rni_vb_first(n): lanes below n <= RNI_LANES
 *     rni_vb_of_bits(bits), rni_vb_count(set)
 *     rni_v_bits(m)           bit l: mask of lane l;  rni_vb_where(among, m): lanes of a set where m
 *     rni_vb_less(among, a, b), rni_vb_within(among, a, b)    lanes of a set in which a < b, a <= b
 *     rni_vb_differ(among, a, b), rni_vb_above(among, a, b)   lanes of a set in which integers a != b, a > b
 *     rni_vo, rni_vo_of(set)  the order that packs a set: its lanes one after the other
 *     rni_v_put(to, order, v), rni_vu_put  stores the lanes of the order; may write RNI_LANES numbers
 *     rni_vu_put_lanes(to, order, first, shift)   the same of first + (lane << shift); shift a constant
 *     rni_v_pack(to, set, v), rni_vu_pack  the same for one vector;  rni_vu_packed(set, v): in a register,
 *                             the other lanes are undefined
 * Four and more lanes are quads: lane 4 p + k belongs to particle p and neighbour k. For them:
 *     rni_v_load_quad(p)      four numbers, the same in every quad
 *     rni_v_store_some(p, v, n)   the first n lanes, whole quads;  n below RNI_LANES
 *     rni_v_spread(v, k)      lane k of each quad in all lanes of that quad; k a constant
 *     rni_v_sum_quads(a, b, c, d)   in each quad: sum of a, sum of b, sum of c, sum of d
 *     rni_v_transpose(a, b, c, d, to)   four records of four numbers to to[0 .. 15]: the first of
 *                             each, the second of each, ...
 *     rni_v_transpose8(a, b, c, d, to)  four records of eight numbers to to[0 .. 31]: the first of
 *                             each, the fifth, the second, the sixth, ...
 *     rni_v_spread8(p, k)     number k of each of the records of eight numbers at p, a record per quad;
 *                             k a constant
 *     rni_v_halves8(p)        the last four numbers of each of these records
 */
#ifndef RNI_BASE_LANES_H
#define RNI_BASE_LANES_H
#define RNI_V_READY

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if RNI_LANES > 1 && defined(RNI_X86)
#include <immintrin.h>
#endif

/* Hides the origin of p: gcc uses an aligned store for a local array that it would align to a
 * vector, but the address sanitizer does not align that array. */
#ifdef __SANITIZE_ADDRESS__
#define RNI_V_UNALIGNED(p) __asm__("" : "+r"(p))
#else
#define RNI_V_UNALIGNED(p) ((void)0)
#endif

#if RNI_LANES == 1
#include "base/lanes_1.h"
#elif RNI_LANES == 4
#include "base/lanes_4.h"
#elif RNI_LANES == 8
#include "base/lanes_8.h"
#elif RNI_LANES == 16
#include "base/lanes_16.h"
#else
#error "lanes.h: define RNI_LANES as 1, 4, 8 or 16 first"
#endif

#ifdef RNI_V_GUESS_RSQRT
static inline rni_v rni_v_twice_root(rni_v a, rni_v *twice_inverse)
{
    rni_v y = RNI_V_GUESS_RSQRT(a), root = a * y;
    rni_v twice = 3.0f - root * y; /* twice the correction factor of y: one Newton step */
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

#if RNI_LANES != 4 && !defined(RNI_V_LOADS_POINTS)
static inline void rni_v_load_points(const unsigned char *position, size_t stride_bytes,
                                     const uint32_t *id, const uint32_t dim, rni_v out[3])
{
    const rni_vu offsets =
        rni_vu_mul(id ? rni_vu_load(id) : rni_vu_lanes(), rni_vu_set((uint32_t)stride_bytes));
    out[0] = rni_v_gather(position, offsets);
    out[1] = rni_v_gather(position + sizeof(float), offsets);
    out[2] = dim == 3 ? rni_v_gather(position + 2 * sizeof(float), offsets) : rni_v_set(0.0f);
}
#endif

#endif
