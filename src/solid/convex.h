/* Convex solids: what lies behind a face ends at the next one, or falls back with its curvature.
 *
 * A flat face gives to a particle what the layers of a half space give. Around an edge, a corner or a curved
 * face there is less behind it. How much less follows from one distribution (rni_wall_tables.cover): which part of the
 * half space is also behind a second face. With it the solid displaces its own volume: the sums over
 * the layers are those over the particles that the solid stands for, edges and corners included.
 */
#ifndef RNI_SOLID_CONVEX_H
#define RNI_SOLID_CONVEX_H

#include "solid/boundary.h"

/* A solid with faces at right angles, from outside: along each axis how far x is beyond its face. */
typedef struct rni_convex {
    int count, front; /* axes, 1 to 3; that whose face looks at x most */
    float axis[3][3]; /* unit, out of the solid */
    float over[3];    /* m */
    float slab[3];    /* what the solid covers along the axis; 1: there is no face */
    float slope[3];   /* 1 / m: of that, along the axis */
    float curved,
        curved_slope; /* the part that the curvature of the front face leaves, 1 / m its slope; 1: flat */
    /* 0: layers mirror those of the fluid. 1: where x is in front of an edge, there are no layers that would. */
    float smooth;
} rni_convex;

/* A solid with one face, from its distance and normal. */
rni_convex rni_convex_of(const rni_face *face);
/* Fills in what the curvature of the front face leaves; curvature: the sum of both, 1 / m. */
void rni_convex_curve(const rni_wall_tables *tables, float h, float curvature, rni_convex *c);
/* m: how far x is beyond a face that covers this part; 0 < part < 1. */
float rni_convex_over(const rni_wall_tables *tables, float part);

/* Fills in slab and slope of axis a; far: m, to the opposite face. */
void rni_convex_cover(const rni_wall_tables *tables, float h, int a, float far, rni_convex *c);
/* The face of the solid and what it gives: 1, or 0 for nothing. */
uint32_t rni_convex_meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                         const rni_wall_query *query, const rni_convex *c, rni_face *face,
                         float *clear);

#endif
