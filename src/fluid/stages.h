/* The stages of the step, in the order of step.c. Each names what it reads and writes. */
#ifndef RNI_FLUID_STAGES_H
#define RNI_FLUID_STAGES_H

#include "fluid/scheme.h"
#include "fluid/water.h"

/* boundaries.c. Reads position and solids; writes the wall_ rows: share of the density, touch,
 * clearance. */
void rni_stage_boundaries(rn_fluid *fluid);
/* density.c. Reads position and the walls' share; writes density and neighbor_count. */
rn_result rni_stage_density(rn_fluid *fluid);
/* tension.c. Reads position, density and walls; writes normal, smoothed if asked for. */
void rni_stage_normals(rn_fluid *fluid);
/* forces.c. Reads all of these; writes acceleration: pairs, walls and gravity; and
 * previous_density. The accelerations of the evaluation before become previous_acceleration. */
void rni_stage_forces(rn_fluid *fluid);

/* integrate.c. Reads acceleration; writes velocity and position, and previous_position. */
void rni_integrate_full(rn_fluid *fluid, float dt);       /* one-evaluation integrators */
void rni_integrate_first_half(rn_fluid *fluid, float dt); /* leapfrog, Wichert et al. 2021 eq. 18, 19 */
void rni_integrate_second_half(rn_fluid *fluid, float dt); /* leapfrog, eq. 20, 21 */

/* collide.c. Reads previous_position and solids; writes position and velocity: no particle behind a
 * wall, periodic axes folded. Raises max_displacement to that of the particles that met a wall. */
void rni_stage_collide(rn_fluid *fluid);
/* sources.c: outlets and open sides remove particles, pipes add them. */
rn_result rni_stage_sources(rn_fluid *fluid, float dt, rn_fluid_report *report);
/* report.c: refuses a report of a size that no version has (NULL is fine); sums over all particles. */
rn_result rni_report_check(const rn_fluid_report *report);
void rni_stage_report(rn_fluid *fluid, rn_fluid_report *report);
/* operators.c: the user's functions. */
rn_result rni_operators_call(rn_fluid *fluid, rn_fluid_stage stage, float dt);

/* report.c: the largest speed and, has_forces, the largest acceleration; the density is infinite
 * when any number is not finite. */
typedef struct rni_extremes {
    float speed, acceleration, density;
} rni_extremes;
rni_extremes rni_fluid_extremes(rn_fluid *fluid, bool has_forces);

/* step.c: forces on all particles where they are now; then all particles move by dt. */
rn_result rni_evaluate(rn_fluid *fluid, const rni_evaluation *evaluation);
rn_result rni_move(rn_fluid *fluid, float dt);

#endif
