/* The stages of the step, in the order the water flows. Each names what it reads and writes. */
#ifndef RNI_FLUID_STAGES_H
#define RNI_FLUID_STAGES_H

#include "fluid/water.h"

/* density.c: density of the traversal, and what the walls stand for. */
rn_result rni_stage_density(rn_fluid *fluid);
/* pressure.c: pressure from density, by the equation of state, and from how fast that has grown. since: s from
 * the evaluation before; 0: nothing is known of it. */
void rni_stage_pressure(rn_fluid *fluid, float since);
/* tension.c: normals, with the walls' part, smoothed if asked for. */
void rni_stage_normals(rn_fluid *fluid);
/* forces.c: acceleration by pairs, walls, gravity and the user's operators. */
rn_result rni_stage_forces(rn_fluid *fluid, float time_step);
/* The fastest and, has_forces, the hardest pushed; not finite when anything is not. */
typedef struct rni_extremes {
    float speed, acceleration, density;
} rni_extremes;
rni_extremes rni_fluid_extremes(rn_fluid *fluid, bool has_forces);

/* integrate.c. other.position keeps where everyone was. */
void rni_integrate_whole(rn_fluid *fluid, float time_step); /* one-evaluation integrators */
void rni_integrate_half(rn_fluid *fluid, float time_step);  /* leapfrog, 001 eq. 18, 19 */
void rni_integrate_rest(rn_fluid *fluid, float time_step);  /* leapfrog, 001 eq. 20, 21 */

/* collide.c: nobody on the wrong side of a wall; periodic axes folded. Raises
 * middle_way to the ways of those that met a wall. */
void rni_stage_collide(rn_fluid *fluid);
/* sources.c: outlets and open sides swallow, pipes pour. */
rn_result rni_stage_sources(rn_fluid *fluid, float time_step, rn_fluid_report *report);
/* report.c */
/* Refuses a report of a size that no version has; NULL is fine. */
rn_result rni_report_check(const rn_fluid_report *report);
void rni_stage_report(rn_fluid *fluid, rn_fluid_report *report);

/* operators.c */
rn_result rni_operators_call(rn_fluid *fluid, rn_fluid_stage stage, float time_step);

#endif
