#include "fluid/retry.h"

#include "base/error.h"
#include "fluid/attributes.h"
#include "fluid/particles.h"
#include "fluid/sources.h"
#include "fluid/stages.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* A step that fails with the safe step divided by this is given up. */
#define MOST_DIVISOR 1024u
/* More substeps than any step has that succeeds. */
#define MOST_SUBSTEPS 65536u

/* --- keep and restore
 * ----------------------------------------------------------------------------- */

rni_step_start rni_retry_keep(rn_fluid *f)
{
    rni_attributes_keep(f);
    rni_sources_keep(f);
    return (rni_step_start){f->time, f->last_dt, f->has_previous_density};
}

void rni_retry_restore(rn_fluid *f, const rni_step_start *start)
{
    rni_attributes_restore(f);
    rni_sources_restore(f);
    rni_particles_reset_density(f);
    f->time = start->time;
    f->last_dt = start->last_dt;
    f->has_previous_density = start->has_previous_density;
}

void rni_retry_end(rn_fluid *f)
{
    rni_attributes_end_keeping(f);
}

/* --- one attempt
 * ---------------------------------------------------------------------------------- */

/* No particle may cross more than half a radius at once, and everything must be finite. */
static bool is_stable(const rn_fluid *f, const rni_extremes *e, float dt)
{
    const float displacement = (e->speed + e->acceleration * dt) * dt;
    return isfinite(e->density) && displacement <= RNI_MOST_CROSSED * f->derived.radius;
}

/* How long the next substep is: the safe step, divided. A fixed step that is too long for any fluid
 * is taken in safe substeps from the start, another one after it has failed. left: s that remain of
 * a fixed step. */
static float substep_of(const rn_fluid *f, uint32_t divisor, float safe, float left)
{
    const float fixed = f->def.params.time_step;
    if (!(fixed > 0)) return safe / (float)divisor;
    if (divisor == 1 && fixed <= f->derived.longest_step) return fixed;
    const float longest = divisor > 2 ? 2.0f * safe / (float)divisor : safe;
    return left / ceilf(0.999f * left / longest); /* equal parts: no sliver at the end */
}

/* How an attempt went. */
typedef struct outcome {
    bool is_good;   /* all substeps were stable */
    bool is_finite; /* as far as it came */
} outcome;

static void note_substep(const rn_fluid *f, rni_safe_step safe, float dt, uint32_t divisor,
                         rn_fluid_report *report)
{
    const float fixed = f->def.params.time_step;
    const bool is_part = divisor > 1 || dt < fixed;
    report->safe_step = safe.seconds;
    report->bound = is_part ? RN_BOUND_RETRY : fixed > 0 ? RN_BOUND_FIXED : safe.bound;
    if (is_part) report->flags |= RN_FLAG_RETRIED;
    if (fixed > 1.0001f * safe.seconds) report->flags |= RN_FLAG_UNSAFE_STEP;
}

/* One substep; *dt is its length, 0 when it was not stable. */
static rn_result take_substep(rn_fluid *f, uint32_t divisor, float left, rn_fluid_report *report,
                              outcome *out, float *dt)
{
    /* The forces at the start of a leapfrog's step only lead to its middle. */
    const bool has_middle = f->def.params.integrator == RN_INTEGRATOR_LEAPFROG;
    const rni_evaluation start = {.dt = f->def.params.time_step,
                                  .since = has_middle ? 0.0f : f->last_dt};
    *dt = 0;
    rn_result r = rni_evaluate(f, &start);
    if (r != RN_OK) return r;
    rni_extremes e = rni_fluid_extremes(f, true);
    const rni_safe_step safe = f->scheme->safe_step(&f->def, &f->derived, e.speed, e.acceleration);
    const float wanted = substep_of(f, divisor, safe.seconds, left);
    note_substep(f, safe, wanted, divisor, report);
    out->is_finite = isfinite(e.density);
    if (!is_stable(f, &e, wanted)) return RN_OK;
    r = rni_move(f, wanted);
    if (r != RN_OK) return r;
    e = rni_fluid_extremes(f, false); /* forces that are not finite show in velocities */
    out->is_finite = isfinite(e.density);
    if (is_stable(f, &e, 0) && e.speed * wanted <= f->derived.radius) *dt = wanted;
    assert(*dt >= 0 && (*dt == 0 || isfinite(*dt)));
    return RN_OK;
}

/* One step, in substeps where it has to be. */
static rn_result attempt(rn_fluid *f, uint32_t divisor, rn_fluid_report *report, outcome *out)
{
    const float fixed = f->def.params.time_step;
    const double end = f->time + (double)fixed; /* whatever the substeps add up to */
    float left = fixed;
    *out = (outcome){false, true};
    report->time_step = 0;
    for (uint32_t k = 0; k < MOST_SUBSTEPS && !out->is_good; k++) {
        float dt;
        rn_result r = take_substep(f, divisor, left, report, out, &dt);
        if (r != RN_OK || !(dt > 0)) return r;
        f->time += (double)dt;
        report->time_step += dt;
        left -= dt;
        out->is_good = !(left > 1e-4f * fixed); /* an adaptive step is simply a smaller one */
    }
    if (out->is_good && fixed > 0) f->time = end, report->time_step = fixed;
    return RN_OK;
}

/* --- all attempts
 * --------------------------------------------------------------------------------- */

static rn_result fail_by_operator(void)
{
    return rni_fail(RN_ERROR_ARGUMENT,
                    "an operator left a position, a velocity or an acceleration that "
                    "is not finite; the step is undone");
}

static rn_result fail_by_step(const rn_fluid *f, double time, const rn_fluid_report *report)
{
    char tried[96] = "";
    const double fixed = (double)f->def.params.time_step, safe = (double)report->safe_step;
    if (fixed > 0) snprintf(tried, sizeof tried, " (time step %g s, safe %g s)", fixed, safe);
    else snprintf(tried, sizeof tried, " (safe step %g s, chosen by the program)", safe);
    return rni_fail(RN_ERROR_LIMIT,
                    "the step at %g s failed even in substeps of a 512th of the safe step%s; the state "
                    "before it is kept. Take a smaller time step, more viscosity or less stiffness",
                    time, tried);
}

rn_result rni_retry_advance(rn_fluid *f, const rni_step_start *start, rn_fluid_report *report)
{
    outcome out = {false, true};
    rn_result r = RN_OK;
    for (uint32_t divisor = 1; r == RN_OK && !out.is_good && divisor <= MOST_DIVISOR; divisor *= 2) {
        if (divisor > 1) rni_retry_restore(f, start), report->retries++;
        r = attempt(f, divisor, report, &out);
    }
    if (r != RN_OK || out.is_good) return r;
    if (f->was_operated && !out.is_finite) return fail_by_operator();
    return fail_by_step(f, start->time, report);
}

rn_result rni_retry_check_operators(rn_fluid *f)
{
    if (!f->was_operated || isfinite(rni_fluid_extremes(f, true).density)) return RN_OK;
    return fail_by_operator();
}
