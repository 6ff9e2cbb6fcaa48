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

/* forces.c: what schemes with pair forces of their own share. The accelerations of the evaluation
 * before become previous_acceleration. */
void rni_forces_begin(rn_fluid *fluid);
typedef struct rni_wall_force {
    const rn_fluid *fluid;
    float gravity[3];
    float pressure_deep; /* Pa: of standing water a radius deep */
} rni_wall_force;
rni_wall_force rni_wall_force_of(const rn_fluid *fluid);
/* Add push and weight, and the drag, of the walls to the acceleration a of particle i; scale: m^2 / s^2, of
 * the push. */
void rni_wall_drag_add(const rni_wall_force *wall, uint32_t i, float a[4]);
void rni_wall_push_add(const rni_wall_force *wall, uint32_t i, float scale, float a[4]);
/* For the corrected scheme: along a wall the layers behind it carry the gradient on that the fluid has
 * itself, so that a particle there is accelerated more: a becomes the solution of (1 - along) x = a. Returns how much of
 * the layers there is. */
float rni_wall_carry(const rn_fluid *fluid, uint32_t i, float a[3]);
/* How much fluid surrounds a particle at a wall: 1 as much as at rest there, 0 none. */
float rni_walls_fullness(const rn_fluid *fluid, uint32_t i);
/* Surface tension that needs no pass of its own. */
void rni_tension_add(const rn_fluid *fluid, uint32_t i, float a[4]);

/* integrate.c. Reads acceleration; writes velocity and position, and previous_position. */
void rni_integrate_full(rn_fluid *fluid, float dt);       /* one-evaluation integrators */
void rni_integrate_first_half(rn_fluid *fluid, float dt); /* leapfrog, Wichert et al. 2021 eq. 18, 19 */
void rni_integrate_second_half(rn_fluid *fluid, float dt); /* leapfrog, eq. 20, 21 */

/* pipe_flow.c. Begin: reads pressure, writes the speed of each stream during dt. Drive: after each
 * move by `drift` seconds, particles in the mouth of a pipe have moved with its stream. */
void rni_pipes_add_density(rn_fluid *fluid, float since); /* s from the evaluation before */
void rni_pipes_add_forces(rn_fluid *fluid);
void rni_pipes_begin(rn_fluid *fluid, float dt);
void rni_pipes_drive(rn_fluid *fluid, float drift);

/* collide.c. Reads previous_position and solids; writes position and velocity: no particle behind a
 * wall, periodic axes folded. Raises max_displacement to that of the particles that met a wall. */
void rni_stage_collide(rn_fluid *fluid);
/* sources.c: pipes add particles, outlets and open sides remove them. */
rn_result rni_stage_sources(rn_fluid *fluid, rn_fluid_report *report);
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
