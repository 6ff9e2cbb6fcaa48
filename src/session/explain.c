#include "session/explain.h"

#include "base/pi.h"
#include "fluid/derived.h"
#include "fluid/sources.h"

#include <math.h>
#include <stdio.h>

/* Particles of the fluid that is measured in place of one whose pipes have not poured yet. */
#define STAND_IN_MOST 200000u

/* --- pipes ---------------------------------------------------------------------------------------- */

static rni_explained_pipe explain_pipe(const rni_scene *scene, const rn_fluid *fluid,
                                       const rni_scene_pipe *pipe, rn_fluid_id id)
{
    rni_pipe_places places = rni_pipe_places_of(fluid, id);
    float center[3], radius;
    rni_scene_pipe_mouth(scene, pipe, center, &radius);
    double r = (double)radius, share = places.open / fmax(1, places.all);
    double mouth = scene->def.dim == 2 ? 2 * r : RNI_PI * r * r;
    const float *g = scene->def.params.gravity;
    double pull = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    double speed = pipe->head > 0 ? sqrt(2 * pull * (double)pipe->head) : (double)pipe->speed;
    double flow = pipe->flow_rate > 0 ? (double)pipe->flow_rate : speed * mouth;
    return (rni_explained_pipe){share * flow, places.all, places.open};
}

/* The factor of a pipe's speed at a time: linear between its times. */
static double factor_at(const rni_scene_pipe *pipe, double time)
{
    uint32_t n = pipe->time_count;
    if (n == 0) return 1;
    if (time <= (double)pipe->times[0]) return (double)pipe->factors[0];
    for (uint32_t k = 1; k < n; k++) {
        double from = (double)pipe->times[k - 1], to = (double)pipe->times[k];
        double part = (time - from) / (to - from);
        if (time <= to)
            return (1 - part) * (double)pipe->factors[k - 1] + part * (double)pipe->factors[k];
    }
    return (double)pipe->factors[n - 1];
}

/* Particles that a pipe without end pours until the end of the run. */
static double poured(const rni_scene_pipe *pipe, double flow, double end, double volume)
{
    double seconds = 0, from = 0;
    for (uint32_t t = 0; t <= pipe->time_count; t++) { /* the factor is linear on each interval */
        double to = t < pipe->time_count ? (double)pipe->times[t] : end;
        to = fmin(to, end);
        seconds += (to - from) * (factor_at(pipe, from) + factor_at(pipe, to)) / 2;
        from = to;
    }
    return flow * seconds / volume;
}

bool rni_scene_pipe_ends(const rni_scene_pipe *pipe)
{
    return pipe->time_count > 0 && pipe->factors[pipe->time_count - 1] <= 0;
}

double rni_scene_pipe_poured(const rni_scene *scene, const rn_fluid *fluid,
                             const rni_scene_built *built, uint32_t k, double end)
{
    const rni_scene_pipe *pipe = &scene->pipes[k];
    double volume = pow(built->derived.spacing, scene->def.dim);
    double flow = explain_pipe(scene, fluid, pipe, built->pipe[k]).flow;
    if (rni_scene_pipe_ends(pipe)) end = fmin(end, (double)pipe->times[pipe->time_count - 1]);
    return poured(pipe, flow, end, volume);
}

static void explain_pipes(const rni_scene *scene, const rn_fluid *fluid, rni_explanation *e)
{
    double volume = pow(e->built.derived.spacing, scene->def.dim);
    e->particles = e->built.water.added;
    for (uint32_t k = 0; k < scene->pipe_count; k++) {
        e->pipe[k] = explain_pipe(scene, fluid, &scene->pipes[k], e->built.pipe[k]);
        e->particles += e->built.derived.pipe_max[k];
        if (e->built.derived.pipe_max[k] > 0) continue;
        e->is_endless = true;
        double count = poured(&scene->pipes[k], e->pipe[k].flow, e->seconds, volume);
        /* Whole particles; the flow is a rounded float, so that 99.99999 are 100. */
        e->particles += (uint64_t)fmin(floor(count * (1 + 1e-6)), 1e15);
    }
    e->wanted = e->particles;
    if (e->particles > scene->def.max_particles) e->particles = scene->def.max_particles;
}

/* --- cost ----------------------------------------------------------------------------------------- */

static void explain_length(const rni_scene *scene, rni_explanation *e)
{
    double step = (double)e->derived.time_step, by_time = ceil(scene->run_time / step);
    bool is_by_steps = scene->run_steps > 0 && (scene->run_time <= 0 || scene->run_steps < by_time);
    e->steps = is_by_steps ? scene->run_steps : by_time;
    e->seconds = is_by_steps ? scene->run_steps * step : scene->run_time;
}

static rn_result measure(const rni_scene *scene, const rni_scene_how *how, rn_fluid *fluid,
                         rni_explanation *e)
{
    bool is_all_there = e->built.water.added * 2ull >= e->particles;
    rn_result result = is_all_there ? rni_step_cost_measure(fluid, 0.5, &e->cost)
                                    : rni_step_cost_estimate(scene, how, fluid, e->particles,
                                                             STAND_IN_MOST, &e->cost);
    e->bytes = e->cost.report.bytes;
    if (result != RN_ERROR_LIMIT) return result;
    /* When the limit is exceeded, that is the first thing to tell the user. */
    rni_scene_warnings_add(&e->warnings, "the scene cannot run: %s", rn_last_error());
    e->cost = (rni_step_cost){0};
    e->bytes = 0;
    return RN_OK;
}

rn_result rni_scene_explain(const rni_scene *scene, const rni_scene_how *how, bool is_measured,
                            rni_explanation *e)
{
    rn_fluid *fluid = NULL;
    *e = (rni_explanation){0};
    rn_result result = rni_scene_build(scene, how, &fluid, &e->built);
    if (result != RN_OK) return result;
    e->derived = rni_fluid_derived_of(fluid);
    explain_length(scene, e);
    explain_pipes(scene, fluid, e);
    rni_scene_warn(scene, &e->built, fluid, &e->warnings);
    if (e->wanted > e->particles)
        rni_scene_warnings_add(
            &e->warnings,
            "fluid.max_particles: is %u, but the scene would hold about %llu particles; pipes stop "
            "at the limit. Raise fluid.max_particles to pour more",
            scene->def.max_particles, (unsigned long long)e->wanted);
    if (e->particles > 0 && is_measured) result = measure(scene, how, fluid, e);
    else if (e->particles > 0) e->bytes = rni_step_cost_bytes(scene, how, fluid, e->particles);
    rn_fluid_destroy(fluid);
    return result;
}
