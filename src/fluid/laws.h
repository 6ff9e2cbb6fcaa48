/* Pair laws: what two particles do to each other, written once, for any number of lanes.
 *
 * Job:    each law takes the pair (distance, values of both) and returns or adds what i receives.
 *         No loop, no thread, no array. Signs and constants are those of the corrected equations
 *         (docs/fluid.md lists where the print of the papers is wrong).
 * Use:    a file that includes this first names its lanes:
 *             #define RNI_LANES 1                or 4, 8, 16
 *             #include "base/lanes.h"
 *         Without lanes (RNI_V_READY not defined) only the coefficients are declared.
 */
#ifndef RNI_FLUID_LAWS_H
#define RNI_FLUID_LAWS_H

#include <runnel/fluid.h>

/* Constants folded from definition and parameters. m: mass, h: radius, fd, fg, fl: the lattice
 * factors of rn_fluid_derived. 2D constants in brackets. */
typedef struct rni_coefficients {
    float h, h_sq;
    float density; /* fd m 315 / (64 pi h^9)   [fd m 4 / (pi h^8)]  times (h^2 - r^2)^3 */
    /* of a pair's forces, which are computed from 2 r, as powers of two smaller (rni_law_pair): */
    float pressure;      /* fg m 45 / (pi h^6)       [fg m 30 / (pi h^5)] times (h - r)^2; / 8 */
    float viscosity;     /* fl mu m 45 / (pi h^6)    [fl mu m 40 / (pi h^5)] times (h - r); / 2 */
    float cohesion;      /* gamma m 32 / (pi h^9)    [gamma m 32 / (pi h^8)]; / 128 */
    float cohesion_core; /* h^6 / 64; times 64 */
    float normal;  /* Akinci: h m 945 / (32 pi h^9)  [h m 24 / (pi h^8)]; colour field: without
                         the h; times (h^2 - r^2)^2 */
    float color;   /* colour field: m 945 / (32 pi h^9) [m 24 / (pi h^8)], of the Laplacian */
    float color_b; /* Laplacian of poly6: -color (h^2 - r^2) (3 h^2 - 7 r^2) [2D: 2 h^2 - 6 r^2] */
    float curvature; /* m / s^2 */
    float twice_rest_density;
    float tiny; /* added to r^2 under the root: the pair of a particle with itself, or two at one
                         place, gives 0 and not 0 * inf */
    float period[3], inverse_period[3]; /* 0 along an axis that is not periodic */
} rni_coefficients;

#endif

#if defined(RNI_V_READY) && !defined(RNI_FLUID_LAWS_OF_LANES)
#define RNI_FLUID_LAWS_OF_LANES

typedef struct rni_v3 {
    rni_v x, y, z;
} rni_v3;

/* Density, 001 eq. 1 and 5 without the constant: (h^2 - r^2)^3 inside the radius, else 0. */
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

/* h^2 - r^2, which the papers' kernels are made of, in as few operations as there are squares. */
static inline rni_v rni_law_rest(const rni_coefficients *c, rni_v dx, rni_v dy, rni_v dz)
{
    return c->h_sq - dx * dx - dy * dy - dz * dz;
}

/* Normals, 001 eq. 15: d = x_i - x_j; the sum points out of the water. rest: h^2 - r^2. Add d * this,
 * times -c->normal at the end. */
static inline rni_v rni_law_normal(rni_v rest, rni_v inverse_density_j)
{
    rni_v t = rni_v_max(rest, rni_v_set(0.0f));
    return t * t * inverse_density_j;
}

/* Laplacian of the colour field, 004 eq. 3.19 with the Laplacian of poly6 that it leaves out; times
 * -c->color at the end. dim_a, dim_b: 3, 7 in 3D; 2, 6 in 2D. */
static inline rni_v rni_law_color_laplacian(const rni_coefficients *c, rni_v r_sq,
                                            rni_v inverse_density_j, float dim_a, float dim_b)
{
    rni_v t = rni_v_where(rni_v_within(r_sq, rni_v_set(c->h_sq)), c->h_sq - r_sq);
    return t * (dim_a * c->h_sq - dim_b * r_sq) * inverse_density_j;
}

/* What one neighbour does, as factors of the differences between the two: the acceleration of i is
 *     along (x_i - x_j) + drag (v_j - v_i) / rho_i - bend (n_i - n_j)
 * with drag still to be multiplied by c->viscosity / rho_j and bend by c->curvature. */
typedef struct rni_law_pull {
    rni_v along, drag, bend;
} rni_law_pull;

/* Pressure (001 eq. 9), viscosity (eq. 10) and, with has_akinci, cohesion, curvature and the
 * correction factor (eq. 13 to 17). Twice the distance is what a root costs least in; the coefficients
 * have the powers of two in them, which changes no bit. r_sq has c->tiny in it. pressure: c->pressure (p_i / rho_i^2 +
 * p_j / rho_j^2). density (Akinci only): (rho_i + rho_j) / c->twice_rest_density. Pairs outside the
 * radius give 0. */
static inline rni_law_pull rni_law_pair(const rni_coefficients *c, rni_v r_sq, rni_v pressure,
                                        rni_v density, const rn_fluid_kernels kernels,
                                        const bool has_akinci)
{
    rni_law_pull pull;
    rni_vm is_near = rni_v_within(r_sq, rni_v_set(c->h_sq));
    rni_v inverse_r;
    rni_v r = rni_v_twice_root(r_sq, &inverse_r); /* r, 1 / r and q: twice those of the equations */
    rni_v q = rni_v_where(is_near, 2.0f * c->h - r);
    /* What is known early is multiplied early: the sums wait for the longest way through here. */
    rni_v along = kernels == RN_KERNELS_WENDLAND ? (pressure * q) * (q * q)
                                                 : (pressure * inverse_r) * (q * q);
    pull.drag = q;
    pull.bend = rni_v_set(0.0f);
    if (has_akinci) {
        rni_v factor = rni_v_where(is_near, rni_v_rcp(density));
        rni_v cohesion = (c->cohesion * factor) * inverse_r, qr = q * r;
        /* inside of half the radius 2 (qr)^3 - core, outside (qr)^3 */
        rni_vm is_core = rni_v_less(r, rni_v_set(c->h));
        along = rni_v_add_product(is_core, along, cohesion, rni_v_set(c->cohesion_core));
        cohesion = rni_v_add_where(is_core, cohesion, cohesion);
        along = along - (cohesion * qr) * (qr * qr);
        pull.bend = factor;
    }
    pull.along = along;
    return pull;
}

/* What the forces know of one of the two. */
typedef struct rni_law_side {
    rni_v3 velocity;
    rni_v pressure;        /* p / rho^2 */
    rni_v inverse_density; /* 1 / rho */
    rni_v3 normal;         /* Akinci only */
    rni_v density;         /* Akinci only */
} rni_law_side;

/* The same with the values of both sides as they are; *sum and *viscous receive, and the factor
 * 1 / rho_i of viscosity is left to the caller. d = x_i - x_j, r_sq without c->tiny. */
static inline void rni_law_forces(const rni_coefficients *c, rni_v3 d, rni_v r_sq,
                                  const rni_law_side *i, const rni_law_side *j,
                                  const rn_fluid_kernels kernels, const bool has_akinci,
                                  rni_v3 *sum, rni_v3 *viscous)
{
    rni_v pressure = c->pressure * (i->pressure + j->pressure);
    rni_v density = rni_v_set(1.0f);
    if (has_akinci) density = (i->density + j->density) * (1.0f / c->twice_rest_density);
    rni_law_pull pull = rni_law_pair(c, r_sq + c->tiny, pressure, density, kernels, has_akinci);
    sum->x = sum->x + pull.along * d.x;
    sum->y = sum->y + pull.along * d.y;
    sum->z = sum->z + pull.along * d.z;
    if (has_akinci) {
        rni_v bend = c->curvature * pull.bend;
        sum->x = sum->x - bend * (i->normal.x - j->normal.x);
        sum->y = sum->y - bend * (i->normal.y - j->normal.y);
        sum->z = sum->z - bend * (i->normal.z - j->normal.z);
    }
    rni_v drag = c->viscosity * pull.drag * j->inverse_density;
    viscous->x = viscous->x + drag * (j->velocity.x - i->velocity.x);
    viscous->y = viscous->y + drag * (j->velocity.y - i->velocity.y);
    viscous->z = viscous->z + drag * (j->velocity.z - i->velocity.z);
}

#endif
