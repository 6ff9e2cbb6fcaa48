/* The step, in the order the water flows:
 * particles -> sort -> neighbours -> density -> pressure -> forces -> integrate -> collide. */
#include "base/clock.h"
#include "base/error.h"
#include "base/output.h"
#include "fluid/derive.h"
#include "fluid/sources.h"
#include "fluid/stages.h"
#include "fluid/traversal.h"
#include "fluid/walls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs one stage and adds its time to the report. */
#define TIMED(clock_index, call)                                \
    do {                                                        \
        double from_ = rni_seconds();                           \
        call;                                                   \
        f->clock[clock_index] += 1e3 * (rni_seconds() - from_); \
    } while (0)

/* Forces on everyone where they are now. has_order: all stand as the last evaluation has sorted them, and have
 * moved since by f->middle_way at most. since: s from there, where that evaluation is of use. */
static rn_result evaluate(rn_fluid *f, float time_step, bool has_order, float since)
{
    rn_result r = RN_OK;
    if (!has_order || !f->traversal->can_reuse(f, f->middle_way)) {
        TIMED(RN_CLOCK_SORT, r = rni_fluid_sort(f, since > 0));
        if (r == RN_OK) TIMED(RN_CLOCK_SEARCH, r = f->traversal->search(f));
    }
    if (r == RN_OK) TIMED(RN_CLOCK_DENSITY, r = rni_stage_density(f));
    if (r != RN_OK) return r;
    TIMED(RN_CLOCK_PRESSURE, rni_stage_pressure(f, since));
    TIMED(RN_CLOCK_NORMALS, rni_stage_normals(f));
    TIMED(RN_CLOCK_FORCES, r = rni_stage_forces(f, time_step));
    return r;
}

/* Everyone moves by time_step; the second evaluation of the leapfrog is at its middle. */
static rn_result move(rn_fluid *f, float time_step)
{
    rn_result r = RN_OK;
    if (f->def.params.integrator != RN_INTEGRATOR_LEAPFROG) {
        TIMED(RN_CLOCK_INTEGRATE, rni_integrate_whole(f, time_step));
    } else {
        TIMED(RN_CLOCK_INTEGRATE, rni_integrate_half(f, time_step));
        TIMED(RN_CLOCK_COLLIDE, rni_stage_collide(f));
        r = evaluate(f, time_step, !f->was_operated, 0.5f * time_step);
        if (r == RN_OK) TIMED(RN_CLOCK_INTEGRATE, rni_integrate_rest(f, time_step));
    }
    if (r == RN_OK) r = rni_operators_call(f, RN_STAGE_INTEGRATE, time_step);
    if (r == RN_OK) TIMED(RN_CLOCK_COLLIDE, rni_stage_collide(f));
    return r;
}

/* --- a step that would go bad --------------------------------------------------------------------- */

/* Nobody may cross more than half a radius at once, and nothing may be infinite. */
static bool is_sound(const rn_fluid *f, const rni_extremes *e, float time_step)
{
    float way = (e->speed + e->acceleration * time_step) * time_step;
    return isfinite(e->density) && way <= 0.5f * f->derived.radius;
}

/* The state stays where it is: the first sort takes another room. */
static void keep(rn_fluid *f)
{
    f->third = f->kept;
    f->kept = f->now;
    float *room = f->kept_density;
    f->kept_density = f->density;
    f->density = room;
    if (f->is_density_ahead && f->has_before)
        for (uint32_t i = 0; i < f->now.count; i++) f->kept_density[i] = f->now.acceleration[i][3];
    f->is_density_ahead = false;
}

static void end_keeping(rn_fluid *f)
{
    if (!rni_fluid_is_kept_now(f)) return; /* sorted since */
    const uint32_t count = f->kept.count;
    f->kept = f->third;
    f->kept.count = count;
}

/* What a step begins with, beside the arrays. */
typedef struct beginning {
    double time;
    float last_stride;
    bool has_before;
} beginning;

static void restore(rn_fluid *f, const beginning *start)
{
    f->now.count = f->kept.count;
    if (!rni_fluid_is_kept_now(f)) {
        memcpy(f->now.position, f->kept.position, (size_t)f->kept.count * sizeof(rni_record));
        memcpy(f->now.velocity, f->kept.velocity, (size_t)f->kept.count * sizeof(rni_record));
    }
    for (uint32_t i = 0; i < f->now.count; i++)
        f->now.acceleration[i][3] = f->density[i] = f->kept_density[i];
    f->time = start->time;
    f->last_stride = start->last_stride;
    f->has_before = start->has_before;
}

/* How a walk went. */
typedef struct outcome {
    bool is_good;   /* all parts held */
    bool is_finite; /* as far as it was walked */
} outcome;

/* More parts than any step has that goes well. */
#define MOST_PARTS 65536u

/* How long the next part is: the step that is safe now, or what that is to be divided by. A fixed step that no
 * water stands is walked in safe parts from the first, another one when it has gone bad. left: of a fixed step. */
static float part_of(const rn_fluid *f, uint32_t divisor, float safe, float left)
{
    const float given = f->def.params.time_step;
    if (!(given > 0)) return safe / (float)divisor;
    if (divisor == 1 && given <= f->derived.longest_step) return given;
    const float longest = divisor > 2 ? 2.0f * safe / (float)divisor : safe;
    return left / ceilf(0.999f * left / longest); /* alike: no sliver at the end */
}

/* The way of one step, in parts where it has to be. */
static rn_result walk(rn_fluid *f, uint32_t divisor, rn_fluid_report *report, outcome *out)
{
    const rn_fluid_params *p = &f->def.params;
    /* The forces at the start of a leapfrog's step only lead to its middle. */
    const bool has_middle = p->integrator == RN_INTEGRATOR_LEAPFROG;
    const double end = f->time + (double)p->time_step; /* of a fixed one, whatever parts add up to */
    float left = p->time_step;
    *out = (outcome){false, true};
    report->time_step = 0;
    for (uint32_t part = 0; part < MOST_PARTS && !out->is_good; part++) {
        rn_result r = evaluate(f, p->time_step, false, has_middle ? 0.0f : f->last_stride);
        if (r != RN_OK) return r;
        rni_extremes e = rni_fluid_extremes(f, true);
        rni_safe_step safe = rni_fluid_safe_step(&f->def, &f->derived, e.speed, e.acceleration);
        const float step = part_of(f, divisor, safe.seconds, left);
        const bool is_part = divisor > 1 || step < p->time_step;
        report->safe_step = safe.seconds;
        report->bound = is_part ? RN_BOUND_RETRY : p->time_step > 0 ? RN_BOUND_FIXED : safe.bound;
        if (is_part) report->flags |= RN_FLAG_RETRIED;
        if (p->time_step > 1.0001f * safe.seconds) report->flags |= RN_FLAG_UNSAFE_STEP;
        out->is_finite = isfinite(e.density);
        if (!is_sound(f, &e, step)) return RN_OK;
        r = move(f, step);
        if (r != RN_OK) return r;
        e = rni_fluid_extremes(f, false); /* forces that are not finite show in velocities */
        out->is_finite = isfinite(e.density);
        if (!is_sound(f, &e, 0) || e.speed * step > f->derived.radius) return RN_OK;
        f->time += (double)step;
        report->time_step += step;
        left -= step;
        out->is_good = !(left > 1e-4f * p->time_step); /* the adaptive step is simply a smaller one */
    }
    if (out->is_good && p->time_step > 0) f->time = end, report->time_step = p->time_step;
    return RN_OK;
}

static rn_result left_by_operator(void)
{
    return rni_fail(RN_ERROR_ARGUMENT,
                    "an operator left a position, a velocity or an acceleration that "
                    "is not finite; the step is taken back");
}

static rn_result gone_bad(const rn_fluid *f, double time, const rn_fluid_report *report)
{
    char tried[96] = "";
    const double given = (double)f->def.params.time_step, safe = (double)report->safe_step;
    if (given > 0) snprintf(tried, sizeof tried, " (time step %g s, safe %g s)", given, safe);
    else snprintf(tried, sizeof tried, " (time step %g s, as the program took it)", safe);
    return rni_fail(
        RN_ERROR_LIMIT,
        "the step at %g s went bad even in parts of a 512th of the safe step%s; the state before it is kept. Take "
        "a smaller time step, more viscosity or less stiffness",
        time, tried);
}

rn_result rn_fluid_step(rn_fluid *f, rn_fluid_report *caller_report)
{
    const double started = rni_seconds();
    const beginning start = {f->time, f->last_stride, f->has_before};
    rn_fluid_report report = rn_fluid_report_default();
    rn_result r = rni_report_check(caller_report);
    if (r != RN_OK) return r;
    memset(f->clock, 0, sizeof f->clock);
    f->was_operated = false;
    keep(f);
    rni_sources_keep(f);
    outcome out = {false, true};
    r = rni_walls_ready(f);
    for (uint32_t divisor = 1; r == RN_OK && !out.is_good && divisor <= 1024; divisor *= 2) {
        if (divisor > 1) restore(f, &start), report.retries++;
        r = walk(f, divisor, &report, &out);
    }
    if (r == RN_OK && !out.is_good)
        r = f->was_operated && !out.is_finite ? left_by_operator() : gone_bad(f, start.time, &report);
    if (r != RN_OK) restore(f, &start);
    end_keeping(f);
    if (r != RN_OK) return r;
    TIMED(RN_CLOCK_SOURCES, r = rni_stage_sources(f, report.time_step, &report));
    if (r == RN_OK) r = rni_operators_call(f, RN_STAGE_END, report.time_step);
    if (r == RN_OK && f->was_operated && !isfinite(rni_fluid_extremes(f, true).density))
        r = left_by_operator();
    if (r != RN_OK) {
        restore(f, &start);
        rni_sources_restore(f);
        return r;
    }
    f->step_count++;
    TIMED(RN_CLOCK_REPORT, rni_stage_report(f, &report));
    for (int k = 0; k < RN_CLOCK_COUNT; k++) report.ms[k] = (float)f->clock[k];
    report.ms_total = (float)(1e3 * (rni_seconds() - started));
    rni_output_write(caller_report, &report, sizeof report);
    return RN_OK;
}
