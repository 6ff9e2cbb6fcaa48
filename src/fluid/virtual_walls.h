/* Virtual boundary particles: walls as points that push and pull (Mueller et al. 2004; Grahn 2008, section 4.4.4).
 *
 * Job:    the points of a Gauss rule on the triangles of all walls, and their force on particles:
 *             f(p) = sum over points of A w tau(r) (p - x) / r,          (Grahn 2008, eq. 4.32, with its direction)
 *             tau(r) = k ((h - r)^4 - (h - r0)^2 (h - r)^2) / (h^2 r0 (2 h - r0)) for r < h.          (eq. 4.31)
 *         tau(0) = k, a pressure; nearer than r0 it repels, farther away it attracts. No-slip walls also take part in
 *         viscosity, each point with the volume A w times the spacing.
 * How:    triangles larger than the radius are cut, so that seven points on each piece are enough. Points are in the
 *         frame of their solid, sorted by cells of the radius: a moving solid keeps them.
 * Order:  rni_virtual_walls_ready() after solids have changed, then rni_virtual_walls_add() by the forces and loads.
 *         Walls of this law add no density (rni_has_bare_walls()); the collide stage stops what the push does not.
 */
#ifndef RNI_FLUID_VIRTUAL_WALLS_H
#define RNI_FLUID_VIRTUAL_WALLS_H

#include "fluid/walls.h"

/* Radon's rule: exact on a triangle for polynomials of degree 5. */
#define RNI_GAUSS_POINTS 7u
/* Barycentric coordinates and weight of point k; the weights add up to 1. */
void rni_gauss_point(uint32_t k, double barycentric[3], double *weight);

/* Numbers of the traction function. */
typedef struct rni_traction {
    float h, rest;    /* m: radius; r0 */
    float stiffness;  /* Pa: k */
    float scale;      /* k / (h^2 r0 (2 h - r0)) */
    float balance_sq; /* (h - r0)^2 */
} rni_traction;
rni_traction rni_traction_of(const rn_fluid *fluid);

/* Pa, at a distance r < h. */
static inline float rni_traction_at(const rni_traction *t, float r)
{
    const float left_sq = (t->h - r) * (t->h - r);
    return t->scale * left_sq * (left_sq - t->balance_sq);
}

static inline bool rni_has_virtual_walls(const rn_fluid *fluid)
{
    return fluid->def.wall_law == RN_WALL_LAW_VIRTUAL_PARTICLES;
}

/* Refuses what does not go together with the law. */
rn_result rni_virtual_walls_check(const rn_fluid_def *def);
/* Makes the points that are missing. */
rn_result rni_virtual_walls_ready(rn_fluid *fluid);
void rni_virtual_walls_free(rn_fluid *fluid);
/* Adds what the points do to particle i to its acceleration. sums: by solid, the reaction, N; NULL: not wanted. */
void rni_virtual_walls_add(const rn_fluid *fluid, uint32_t i, float a[4], rni_load_sum *sums);

#endif
