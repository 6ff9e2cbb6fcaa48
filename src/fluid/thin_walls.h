/* Thin walls: water on one side of a wall does not feel the water on the other.
 *
 * Job:    says which pairs of particles a wall thinner than the support radius parts. The traversals leave
 *         them out of their lists, so that no pass sees them; the wall counts as a whole half space on
 *         both sides (solid/boundary.h, mesh/field_backs.c).
 * How:    each particle has its distance from the nearest thin place. Two particles whose distance is less than the sum of
 *         both are not parted: the balls around them hold no wall, and the way between them is in the balls.
 *         For the few pairs that are left, the segment between them is tested with the faces near one of them.
 * Order:  rni_thin_triangles() when the field of a mesh is built; rni_thin_walls_look() by the traversals, before
 *         the density of an evaluation. Without thin walls both do nothing.
 */
#ifndef RNI_FLUID_THIN_WALLS_H
#define RNI_FLUID_THIN_WALLS_H

#include "fluid/walls.h"

/* Which triangles of a mesh are at thin places: 1 for each, NULL: none; the caller gives the memory back. Fills
 * in of->thin. Of a two-sided sheet all triangles are, and *is_thin stays NULL: it has no back. */
rn_result rni_thin_triangles(rn_fluid *fluid, rni_mesh_field *of, uint8_t **is_thin);
void rni_thin_triangles_free(rn_fluid *fluid, struct rni_thin_mesh *thin); /* NULL is fine */

/* Fills in walls->thin_distance for the particles where they are; NULL there without thin walls. */
rn_result rni_thin_walls_look(rn_fluid *fluid);

/* The faces of thin places near a particle, as seen from it. */
#define RNI_THIN_MOST 256u
typedef struct rni_thin_near {
    uint32_t count;
    float height[RNI_THIN_MOST]; /* of the particle above the plane, times the length of normal */
    float normal[RNI_THIN_MOST][3]; /* any length */
    float corner[RNI_THIN_MOST][3][3];
} rni_thin_near;
void rni_thin_walls_near(const rn_fluid *fluid, const float x[3], rni_thin_near *near);
/* Whether one of them is on the way `d` from the particle. */
bool rni_thin_walls_cross(const rni_thin_near *near, const float d[3]);
/* Whether a thin place is between x and y, which is within the radius of x. */
bool rni_thin_walls_part(const rn_fluid *fluid, const float x[3], const float y[3]);

/* The same of particles i and j, which is at y: itself or its image. near: of i. */
static inline bool rni_are_parted(const rn_fluid *fluid, const rni_thin_near *near, uint32_t i,
                                  uint32_t j, const float y[3])
{
    const float *x = fluid->now.position[i], *distance = fluid->walls->thin_distance;
    const float d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    const float free = distance[i] + distance[j];
    if (!(free * free <= d[0] * d[0] + d[1] * d[1] + d[2] * d[2])) return false;
    return rni_thin_walls_cross(near, d);
}

#endif
