/* What the pair laws share: their constants, and the polynomials of the kernels, for any number of lanes.
 *
 * Job:    rni_coefficients are folded once from definition and parameters (derive.c). The laws themselves are in
 *         passes/, one file a pass. Signs and constants are those of the corrected equations
 *         (docs/fluid.md lists where the papers' print is wrong).
 * Use:    a file that chooses its lanes first (lanes.h) also gets the polynomials; others get the
 *         coefficients only.
 */
#ifndef RNI_FLUID_LAWS_H
#define RNI_FLUID_LAWS_H

#include <runnel/fluid.h>

/* m: mass, h: radius, fd, fg, fl: the lattice factors of rn_fluid_derived. 2D constants in brackets. The
 * constants of density and pressure depend on the kernels:
 *
 *     density, times            papers (h^2 - r^2)^3    spiky (2h - 2r)^3      Wendland (2h - 2r)^4 (2h + 8r)
 *         fd m                  315 / (64 pi h^9)       15 / (8 pi h^6)        21 / (64 pi h^8)
 *                               [4 / (pi h^8)]          [5 / (4 pi h^5)]       [7 / (32 pi h^7)]
 *     pressure, times           papers and spiky: (h - r)^2 / r                Wendland: (h - r)^3
 *         fg m                  45 / (pi h^6) [30 / (pi h^5)]                  210 / (pi h^8) [140 / (pi h^7)]
 */
typedef struct rni_coefficients {
    float h, h_sq; /* m, m^2 */
    float density;
    float packing; /* corrected: times the sum over the kernel, which fits the cubic lattice, for packings at rest */
    /* Of a pair's forces, which are computed from 2 r, as powers of two smaller (passes/forces.h): */
    float pressure;      /* / 8 */
    float viscosity;     /* fl mu m 45 / (pi h^6)    [fl mu m 40 / (pi h^5)] times (h - r); / 2 */
    float cohesion;      /* gamma m 32 / (pi h^9)    [gamma m 32 / (pi h^8)]; / 128 */
    float cohesion_core; /* h^6 / 64; times 64 */
    float normal;        /* of poly6's gradient, times (h^2 - r^2)^2: Akinci: h m 945 / (32 pi h^9)
                             [h m 24 / (pi h^8)]; colour field: without the h */
    float color;         /* of poly6's Laplacian: m 945 / (32 pi h^9) [m 24 / (pi h^8)] */
    float color_h_sq; /* 3 h^2 [2 h^2], m^2: that Laplacian is -color (h^2 - r^2) (color_h_sq - color_r_sq r^2) */
    float color_r_sq;         /* 7 [6] */
    float curvature;          /* m / s^2 */
    float viscous_inverse_sq; /* 1 / m^2: 1 over the radius squared of the pair form of viscosity.h */
    float viscous_part[2];    /* of its weight */
    float viscous_scale;      /* the same, over the rest density: 1 / (kg m) */
    float twice_rest_density; /* kg / m^3 */
    float tiny; /* m^2: added to r^2 under the root, so that a particle and itself, or two at one place, give
                 * 0 and not 0 * inf */
    float period[3], inverse_period[3]; /* m, 1 / m; 0 along an axis that is not periodic */
} rni_coefficients;

#endif

#if defined(RNI_V_READY) && !defined(RNI_FLUID_LAWS_OF_LANES)
#define RNI_FLUID_LAWS_OF_LANES

typedef struct rni_v3 {
    rni_v x, y, z;
} rni_v3;

/* The kernel of the density without its constant; 0 outside the radius. */
static inline rni_v rni_law_density(const rni_coefficients *c, const rn_fluid_kernels kernels,
                                    rni_v r_sq)
{
    rni_vm is_near = rni_v_within(r_sq, rni_v_set(c->h_sq));
    if (kernels == RN_KERNELS_PAPERS) {
        rni_v t = rni_v_where(is_near, c->h_sq - r_sq);
        return t * t * t;
    }
    rni_v r = rni_v_twice_root_past(r_sq, c->tiny); /* r, q: twice those of the equations */
    rni_v q = rni_v_where(is_near, 2.0f * c->h - r);
    if (kernels == RN_KERNELS_SPIKY) return q * q * q;
    rni_v q_sq = q * q;
    return q_sq * q_sq * (2.0f * c->h + 4.0f * r);
}

/* - W' / r without its constant. q is h - r, or 0 outside the radius; q and inverse_r are twice those of the
 * equations. */
static inline rni_v rni_law_slope(const rn_fluid_kernels kernels, rni_v q, rni_v inverse_r)
{
    return kernels == RN_KERNELS_WENDLAND ? q * q * q : (q * q) * inverse_r;
}

/* h^2 - r^2, which poly6 is made of, in as few operations as there are squares. */
static inline rni_v rni_law_support(const rni_coefficients *c, const rni_v3 d)
{
    return c->h_sq - d.x * d.x - d.y * d.y - d.z * d.z;
}

/* 1 for two equal whole numbers, 0 for others: of the fluids of a pair. */
static inline rni_v rni_law_is_same(rni_v a, rni_v b)
{
    const rni_v apart = a - b;
    return rni_v_max(1.0f - apart * apart, rni_v_set(0.0f));
}

#endif
