/* The step, in the order the data flows:
 * particles -> sort -> neighbours -> boundaries -> density -> pressure -> forces -> integrate ->
 * collide.
 *
 * What happens when a step fails is in retry.c; what density, pressure and forces are, the scheme
 * says (scheme.h). */
#include "base/clock.h"
#include "base/output.h"
#include "fluid/film.h"
#include "fluid/gauges.h"
#include "fluid/mesh_walls.h"
#include "fluid/phases.h"
#include "fluid/retry.h"
#include "fluid/settle.h"
#include "fluid/sound.h"
#include "fluid/sources.h"
#include "fluid/stages.h"
#include "fluid/traversal.h"
#include "fluid/validate.h"
#include "fluid/virtual_walls.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <string.h>

/* Runs one stage unless one before has failed, adds its time to the report, and in debug builds
 * checks what it has left (validate.h). */
#define STAGE(clock_index, statement, check)                     \
    do {                                                         \
        if (r != RN_OK) break;                                   \
        const double began_ = rni_seconds();                     \
        statement;                                               \
        f->clock[clock_index] += 1e3 * (rni_seconds() - began_); \
        if (r == RN_OK) RNI_VALIDATE(check);                     \
    } while (0)

/* Rows that an evaluation computes anew without reading them: a sort need not move them. */
static uint64_t unread_rows(const rni_evaluation *e, bool keeps_density)
{
    uint64_t rows = 0;
    if (!e->is_midstep) rows |= RNI_ROW_BIT(RNI_ROW_ACCELERATION);
    if (!(e->since > 0) && !keeps_density) rows |= RNI_ROW_BIT(RNI_ROW_PREVIOUS_DENSITY);
    return rows;
}

rn_result rni_evaluate(rn_fluid *f, const rni_evaluation *e)
{
    const rni_scheme *scheme = f->scheme;
    rn_result r = RN_OK;
    if (!e->has_order || !f->traversal->can_reuse(f, f->max_displacement)) {
        STAGE(RN_CLOCK_SORT, r = rni_fluid_sort(f, unread_rows(e, scheme->keeps_density), NULL),
              rni_validate_sort(f));
        STAGE(RN_CLOCK_SEARCH, r = f->traversal->search(f), NULL);
        STAGE(RN_CLOCK_SORT, rni_phases_sorted(f), NULL);
    }
    STAGE(RN_CLOCK_BOUNDARIES, rni_stage_boundaries(f), rni_validate_boundaries(f));
    STAGE(RN_CLOCK_DENSITY, r = scheme->density(f), rni_validate_density(f));
    STAGE(RN_CLOCK_SOURCES, rni_pipes_add_density(f, e->since), rni_validate_density(f));
    STAGE(RN_CLOCK_PRESSURE, scheme->pressure(f, e), rni_validate_pressure(f));
    STAGE(RN_CLOCK_NORMALS, rni_stage_normals(f), NULL);
    STAGE(RN_CLOCK_FORCES, scheme->forces(f), rni_validate_forces(f));
    STAGE(RN_CLOCK_SOURCES, rni_pipes_add_forces(f), NULL);
    STAGE(RN_CLOCK_FORCES, r = rni_operators_call(f, RN_STAGE_FORCES, e->dt), NULL);
    return r;
}

/* The leapfrog evaluates once more in the middle of the step. */
static rn_result move_by_leapfrog(rn_fluid *f, float dt)
{
    const rni_evaluation middle = {dt, 0.5f * dt, true, !f->was_operated};
    rn_result r = RN_OK;
    STAGE(RN_CLOCK_INTEGRATE, rni_integrate_first_half(f, dt), rni_validate_integrate(f));
    STAGE(RN_CLOCK_SOURCES, rni_pipes_drive(f, 0.5f * dt), NULL);
    STAGE(RN_CLOCK_COLLIDE, rni_stage_collide(f), rni_validate_collide(f));
    if (r == RN_OK) r = rni_evaluate(f, &middle);
    STAGE(RN_CLOCK_INTEGRATE, rni_integrate_second_half(f, dt), rni_validate_integrate(f));
    STAGE(RN_CLOCK_SOURCES, rni_pipes_drive(f, 0.5f * dt), NULL);
    return r;
}

rn_result rni_move(rn_fluid *f, float dt)
{
    rn_result r = RN_OK;
    STAGE(RN_CLOCK_SOURCES, rni_pipes_begin(f, dt), NULL);
    STAGE(RN_CLOCK_FORCES, r = rni_stage_viscosity(f, dt), rni_validate_forces(f));
    if (f->def.params.integrator == RN_INTEGRATOR_LEAPFROG) {
        r = move_by_leapfrog(f, dt);
    } else {
        STAGE(RN_CLOCK_INTEGRATE, rni_integrate_full(f, dt), rni_validate_integrate(f));
        STAGE(RN_CLOCK_SOURCES, rni_pipes_drive(f, dt), NULL);
    }
    STAGE(RN_CLOCK_INTEGRATE, r = rni_operators_call(f, RN_STAGE_INTEGRATE, dt), NULL);
    STAGE(RN_CLOCK_COLLIDE, rni_stage_collide(f), rni_validate_collide(f));
    return r;
}

rn_result rn_fluid_step(rn_fluid *f, rn_fluid_report *caller_report)
{
    const double started = rni_seconds();
    rn_fluid_report report = rn_fluid_report_default();
    rn_result r = rni_report_check(caller_report);
    if (r != RN_OK) return r;
    r = rni_settle(f);
    if (r != RN_OK) return r;
    const rni_step_start start = rni_retry_keep(f);
    memset(f->clock, 0, sizeof f->clock);
    f->was_operated = false;
    f->viscous_iterations = 0, f->viscous_residual = 0, f->viscous_ms = 0;
    r = rni_walls_ready(f);
    if (r == RN_OK) r = rni_mesh_walls_ready(f);
    if (r == RN_OK) r = rni_virtual_walls_ready(f);
    if (r == RN_OK) r = rni_retry_advance(f, &start, &report); /* evaluate and move */
    STAGE(RN_CLOCK_SOURCES, r = rni_stage_sources(f, &report), NULL);
    if (r == RN_OK) r = rni_operators_call(f, RN_STAGE_END, report.time_step);
    if (r == RN_OK) r = rni_retry_check_operators(f);
    if (r != RN_OK) rni_retry_restore(f, &start);
    rni_retry_end(f);
    if (r != RN_OK) return r;
    f->step_count++;
    if (f->scheme->publish) f->scheme->publish(f);
    rni_phases_publish(f);
    rni_sound_watch(f);
    STAGE(RN_CLOCK_COLLIDE, rni_films_step(f, report.time_step), NULL);
    STAGE(RN_CLOCK_REPORT, rni_stage_report(f, &report), rni_validate_state(f));
    STAGE(RN_CLOCK_REPORT, rni_stage_gauges(f, start.time, &report), NULL);
    for (int k = 0; k < RN_CLOCK_COUNT; k++) report.ms[k] = (float)f->clock[k];
    report.ms_total = (float)(1e3 * (rni_seconds() - started));
    rni_output_write(caller_report, &report, sizeof report);
    return RN_OK;
}
