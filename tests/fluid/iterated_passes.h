/* Passes that the library does not have: what gradient-corrected and implicit schemes are made of. The test
 * that runs them is pass_test.c; iterated_loops.c expands them for each traversal and instruction set. */
#ifndef RNI_TESTS_FLUID_ITERATED_PASSES_H
#define RNI_TESTS_FLUID_ITERATED_PASSES_H

#include "fluid/pass.h"

#define ITERATED_PASSES(X) \
    X(gradient)            \
    X(divergence)          \
    X(moments)             \
    X(product)

ITERATED_PASSES(RNI_PASS_DECLARE)

/* Constants of a call. */
typedef struct iterated_constants {
    float slope;    /* of poly6: its gradient is -slope (h^2 - r^2)^2 (x_i - x_j); times the mass */
    float coupling; /* of the product, 1 / m^6 */
} iterated_constants;

#endif

#if defined(RNI_PASS_EXPAND) && !defined(RNI_TESTS_FLUID_ITERATED_PASSES_EXPANDED)
#define RNI_TESTS_FLUID_ITERATED_PASSES_EXPANDED

RNI_INLINE const iterated_constants *iterated_constants_of(const rni_pair *p)
{
    return rni_constants(p);
}

/* (h^2 - r^2)^2, 0 beyond the radius. */
RNI_INLINE rni_v iterated_slope(const rni_pair *p)
{
    const rni_v t = rni_v_max(rni_law_support(p->c, p->d), rni_v_set(0.0f));
    return t * t;
}

/* --- gradient of a scalar a: the sum of m_j / rho_j (a_j - a_i) grad W ----------------------------- */

enum { gradient_has_kernels = false, gradient_has_slope = false };
#define gradient_option rni_no_option
#define gradient_pack   NULL

RNI_INLINE rni_gathers gradient_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE, .width = {1}};
}

typedef struct gradient_sums {
    rni_v x, y, z;
} gradient_sums;

RNI_INLINE void gradient_law(const rni_pair *p, const rni_variant v, gradient_sums *sums)
{
    (void)v;
    const rni_v weight = iterated_slope(p) * rni_of_j(p, 3) * (rni_of_j(p, 8) - rni_of_i(p, 8));
    sums->x = sums->x + weight * p->d.x;
    sums->y = sums->y + weight * p->d.y;
    sums->z = sums->z + weight * p->d.z;
}

RNI_INLINE void gradient_store(const rni_pair *p, const rni_variant v, const gradient_sums *sums)
{
    (void)v;
    const float scale = -iterated_constants_of(p)->slope;
    rni_put(p, 0, scale * rni_q_sums(sums->x, sums->y, sums->z, rni_v_set(0.0f)));
}

/* --- divergence of a vector u: the sum of b_j (u_j - u_i) . grad W, b any weights ------------------ */

enum { divergence_has_kernels = false, divergence_has_slope = false };
#define divergence_option rni_no_option
#define divergence_pack   NULL

RNI_INLINE rni_gathers divergence_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE, .width = {4, 1}};
}

typedef struct divergence_sums {
    rni_v all;
} divergence_sums;

RNI_INLINE void divergence_law(const rni_pair *p, const rni_variant v, divergence_sums *sums)
{
    (void)v;
    const rni_v dot = (rni_of_j(p, 8) - rni_of_i(p, 8)) * p->d.x +
                      (rni_of_j(p, 9) - rni_of_i(p, 9)) * p->d.y +
                      (rni_of_j(p, 10) - rni_of_i(p, 10)) * p->d.z;
    sums->all = sums->all + iterated_slope(p) * rni_of_j(p, 12) * dot;
}

RNI_INLINE void divergence_store(const rni_pair *p, const rni_variant v, const divergence_sums *sums)
{
    (void)v;
    const rni_v zero = rni_v_set(0.0f);
    rni_put_one(p, 0, -iterated_constants_of(p)->slope * rni_q_sums(sums->all, zero, zero, zero));
}

/* --- second moments: the sum of W / rho_j d d^T, xx, yy, zz, xy to one array, xz, yz to the other -- */

enum { moments_has_kernels = true, moments_has_slope = false };
#define moments_option rni_no_option
#define moments_pack   NULL

RNI_INLINE rni_gathers moments_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE};
}

typedef struct moments_sums {
    rni_v xx, yy, zz, xy, xz, yz;
} moments_sums;

RNI_INLINE void moments_law(const rni_pair *p, const rni_variant v, moments_sums *sums)
{
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
    const rni_v weight = rni_law_density(p->c, v.kernels, r_sq) * rni_of_j(p, 3);
    sums->xx = sums->xx + weight * d.x * d.x;
    sums->yy = sums->yy + weight * d.y * d.y;
    sums->zz = sums->zz + weight * d.z * d.z;
    sums->xy = sums->xy + weight * d.x * d.y;
    sums->xz = sums->xz + weight * d.x * d.z;
    sums->yz = sums->yz + weight * d.y * d.z;
}

RNI_INLINE void moments_store(const rni_pair *p, const rni_variant v, const moments_sums *sums)
{
    (void)v;
    const rni_v zero = rni_v_set(0.0f);
    rni_put(p, 0, p->c->density * rni_q_sums(sums->xx, sums->yy, sums->zz, sums->xy));
    rni_put(p, 1, p->c->density * rni_q_sums(sums->xz, sums->yz, zero, zero));
}

/* --- product with a matrix that is not stored: x_i + sum of coupling (h^2 - r^2)^3 (x_i - x_j) ------ */

enum { product_has_kernels = false, product_has_slope = false };
#define product_option rni_no_option
#define product_pack   NULL

RNI_INLINE rni_gathers product_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {1}};
}

typedef struct product_sums {
    rni_v all;
} product_sums;

RNI_INLINE void product_law(const rni_pair *p, const rni_variant v, product_sums *sums)
{
    (void)v;
    const rni_v t = rni_v_max(rni_law_support(p->c, p->d), rni_v_set(0.0f));
    sums->all = sums->all + t * t * t * (rni_of_i(p, 8) - rni_of_j(p, 8));
}

RNI_INLINE void product_store(const rni_pair *p, const rni_variant v, const product_sums *sums)
{
    (void)v;
    const rni_v zero = rni_v_set(0.0f);
    const rni_q sum = rni_q_sums(sums->all, zero, zero, zero);
    rni_put_one(p, 0, rni_of_i(p, 8) + iterated_constants_of(p)->coupling * sum);
}

#endif
