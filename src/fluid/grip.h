/* Grip: what solids do to particles beyond push and drag: friction, adhesion, and the bounce of collisions.
 *
 * Friction: Coulomb's law. A wall that presses on a particle slows it along its face by the coefficient times the
 *         pressing force, and at most stops it; a collision takes the coefficient times the change of the
 *         normal speed (Grahn 2008, eq. 7.3 to 7.6, with the missing factor 1 + bounce).
 * Adhesion: a pull towards the face, 0 at the face and at the support radius, greatest half way between.
 * Order:  rni_grip_evaluate() when the boundaries are known, rni_grip_add() where forces are added up. Both do
 *         nothing, and there is no array, in fluids whose solids have neither.
 */
#ifndef RNI_FLUID_GRIP_H
#define RNI_FLUID_GRIP_H

#include "fluid/walls.h"

static inline bool rni_has_grip(const rni_solid *solid)
{
    return solid->def.friction > 0 || solid->def.adhesion > 0;
}

/* Of particle i, near a wall. */
void rni_grip_evaluate(const rn_fluid *fluid, const rni_wall_query *query, uint32_t i);
void rni_grip_add(const rn_fluid *fluid, uint32_t i, float a[4]);
/* Its part in the loads of the solids that face it. */
void rni_grip_load(const rn_fluid *fluid, uint32_t i, const rni_near_faces *near, rni_load_sum *sums);

/* A particle at x with the velocity v meets a solid with the normal n: v afterwards. change: of the solid, per
 * mass. False: it does not move into the solid. */
bool rni_bounce(const rn_fluid *fluid, const rni_solid *solid, const float x[3], const float n[3],
                float v[4], double change[3]);

#endif
