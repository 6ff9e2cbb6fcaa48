/* The streams of pipes during a step.
 *
 * A stream enters column by column, each column at its own phase, so that particles come one by
 * one. Over the first kernel radius from the mouth they are part of the pipe: they move at the
 * speed of the stream whatever pushes them, and push the fluid in front. A particle appears where
 * only driven particles are within reach, so that nothing is thrown by its sudden density. */
#include "fluid/pipes.h"

#include "base/pi.h"
#include "fluid/attributes.h"
#include "fluid/derive.h"
#include "fluid/kernels.h"
#include "fluid/near_mouth.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "fluid/stages.h"
#include "fluid/walls.h"

#include <math.h>

/* Of sound speed over radius: rate at which integrated densities follow sums where a stream enters. */
#define CROWDING 1.0

static double stop_factor_at(const rn_fluid_pipe *p, double time)
{
    if (p->stop_count == 0) return 1;
    if (time <= (double)p->stop_time[0]) return (double)p->stop_factor[0];
    for (uint32_t k = 1; k < p->stop_count; k++) {
        double t0 = (double)p->stop_time[k - 1], t1 = (double)p->stop_time[k];
        if (time > t1) continue;
        double part = (time - t0) / (t1 - t0);
        return (double)p->stop_factor[k - 1] * (1 - part) + (double)p->stop_factor[k] * part;
    }
    return (double)p->stop_factor[p->stop_count - 1];
}

static double factor_at(const rn_fluid_pipe *p, double time)
{
    const double turns = (double)p->sine_frequency * time + (double)p->sine_phase / 360;
    const double sine =
        p->sine_amplitude > 0 ? (double)p->sine_amplitude * sin(2 * RNI_PI * turns) : 0;
    return stop_factor_at(p, time) * fmax(0, 1 + sine);
}

static bool is_pouring(const rni_pipe *pipe)
{
    return !pipe->is_gone && (pipe->def.max_particles == 0 || pipe->poured < pipe->def.max_particles);
}

/* m^2: how far from the axis; *along: from the mouth, along it. */
static float aside_sq_of(const rni_pipe *pipe, const float d[3], float *along)
{
    const float *n = pipe->direction;
    *along = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
    return fmaxf(0.0f, d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - *along * *along);
}

/* --- the speed of a stream
 * ------------------------------------------------------------------------ */

typedef struct pressure_sum {
    const rn_fluid *fluid;
    const rni_pipe *pipe;
    double sum;
    double place[3]; /* m, from the end of the driven part */
    uint32_t count;
} pressure_sum;

static void add_pressure(void *data, uint32_t i, const float offset[3])
{
    pressure_sum *p = data;
    float along;
    aside_sq_of(p->pipe, offset, &along);
    if (along < 0) return; /* driven, or behind the mouth */
    p->sum += (double)p->fluid->pressure[i], p->count++;
    for (int a = 0; a < 3; a++) p->place[a] += (double)offset[a];
}

/* kg / m^3 at rest, of what the pipe pours. */
static float density_of(const rn_fluid *f, const rni_pipe *pipe)
{
    return f->fluid_number ? f->def.phases[pipe->def.phase].rest_density : f->def.rest_density;
}

/* Pa: the mean in front of the driven part of the stream, as it is at the height of the mouth. */
static float pressure_at_mouth(const rn_fluid *f, const rni_pipe *pipe)
{
    pressure_sum p = {f, pipe, 0, {0}, 0};
    float c[3];
    for (int a = 0; a < 3; a++)
        c[a] = pipe->def.center[a] + (pipe->lead + pipe->driven) * pipe->direction[a];
    rni_visit_near(f, c, pipe->def.radius + 2 * f->def.spacing, f->derived.radius, add_pressure, &p);
    if (p.count == 0) return 0;
    double pressure = p.sum / p.count, deeper = 0; /* m^2/s^2 that the mouth lies deeper */
    float g[3];
    rni_fluid_gravity(f, g);
    for (int a = 0; a < 3; a++)
        deeper += (double)g[a] * ((double)(pipe->def.center[a] - c[a]) - p.place[a] / p.count);
    if (pressure > 0) pressure += (double)density_of(f, pipe) * deeper;
    return (float)fmax(0, pressure);
}

/* The share of its speed that a pipe keeps against the pressure around its mouth, like a pump: all
 * of it up to the pressure that depth and streams can cause, none at twice that pressure, when the
 * vessel is full. */
static float strength_against(const rn_fluid *f, float pressure, float speed)
{
    float g[3], fastest = f->derived.speed_expected, energy = fastest * fastest + speed * speed;
    rni_fluid_gravity(f, g);
    for (uint32_t a = 0; a < f->def.dim; a++)
        energy += 2 * fabsf(g[a]) * (f->def.domain_high[a] - f->def.domain_low[a]);
    const float share = fminf(1.0f, fmaxf(0.0f, 2 - 2 * pressure / (f->def.rest_density * energy)));
    return share * share * share; /* near the end the stream must not stir the fluid */
}

/* m/s of a stream that a head drives. Within a quarter of a spacing of balance it grows in
 * proportion, so that
 * the noise of pressures does not raise the level further. */
static double speed_by_head(const rn_fluid *f, rni_pipe *pipe, float dt)
{
    float g[3];
    rni_fluid_gravity(f, g);
    const double pull = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    if (!(pull > 0)) return 0;
    /* Sound makes the pressure oscillate; the water in the supply is too heavy to follow. */
    const double slow = sqrt(2 * (double)pipe->def.head / pull);
    pipe->mean_pressure +=
        ((double)pipe->pressure - pipe->mean_pressure) * (1 - exp(-(double)dt / slow));
    const double against =
        fmax(pipe->mean_pressure, (double)pipe->pressure) / ((double)density_of(f, pipe) * pull);
    const double left = (double)pipe->def.head - against;
    if (!(left > 0)) return 0;
    return sqrt(2 * pull * left) * fmin(1, 4 * left / (double)f->def.spacing);
}

/* m/s that the pipe would have; sets what holds it. */
static double full_speed_of(const rn_fluid *f, rni_pipe *pipe, double factor, float dt)
{
    const double given = pipe->def.flow_rate > 0 ? (double)pipe->def.flow_rate / pipe->area
                                                 : (double)pipe->def.speed;
    if (pipe->def.head > 0) {
        const double speed = factor * speed_by_head(f, pipe, dt);
        pipe->is_held = !(speed > 0);
        return speed;
    }
    const float strength = strength_against(f, pipe->pressure, (float)(given * factor));
    pipe->is_held = strength < 1;
    return given * factor * (double)strength;
}

void rni_pipes_begin(rn_fluid *f, float dt)
{
    for (uint32_t k = 0; k < f->sources->pipe_count; k++) {
        rni_pipe *pipe = &f->sources->pipes[k];
        pipe->speed = 0, pipe->is_driving = false, pipe->is_held = false;
        if (!is_pouring(pipe)) continue;
        const double factor = factor_at(&pipe->def, f->time + 0.5 * (double)dt);
        const bool has_flow = pipe->def.head > 0 || pipe->def.flow_rate > 0 || pipe->def.speed > 0;
        if (!(factor > 0) || !has_flow) {
            pipe->travelled = 0; /* when it goes on, it starts again */
            continue;
        }
        pipe->pressure = pressure_at_mouth(f, pipe);
        pipe->speed = (float)full_speed_of(f, pipe, factor, dt);
        pipe->is_driving = true;
        pipe->travelled += (double)pipe->speed * (double)dt;
    }
}

/* --- the part of a particle that has come
 * --------------------------------------------------------- */

/* A column whose newest particle is ahead of the mouth by a share of the gap has brought the same
 * share of the next one. This part counts in densities and pushes like a particle with the pressure
 * of its neighbour, so that nothing jumps when the particle is added. */
typedef struct part_job {
    rn_fluid *fluid;
    rni_kernel kernel;
    double mass; /* kg that have come */
    double share; /* with which integrated densities follow sums in a step, where parts are all there is */
} part_job;

/* A stream starts at the mouth, all columns at once, and their first particles come within the first
 * layer, by their phases. layers: what the stream has travelled, in gaps. */
static double layers_come(double layers, const rni_pipe_place *place)
{
    return layers - place->phase;
}

typedef struct part_at {
    float x[3];
    float share;
} part_at;

static part_at part_of(const rni_pipe *pipe, const rni_pipe_place *place)
{
    const double layers = pipe->travelled / pipe->layer_gap, come = layers_come(layers, place);
    part_at part = {.share = (float)(come < 0 ? layers : come - floor(come))};
    const float ahead = (0.5f * part.share - 0.5f) * (float)pipe->layer_gap;
    for (int a = 0; a < 3; a++) part.x[a] = place->x[a] + ahead * pipe->direction[a];
    return part;
}

static void for_parts(rn_fluid *f, rni_kernel kernel, double share, rni_near_fn function)
{
    /* In the middle of a leapfrog's step there may be no new sort. */
    const bool has_middle = f->def.params.integrator == RN_INTEGRATOR_LEAPFROG;
    const float moved = has_middle ? f->derived.radius : 0.0f;
    for (uint32_t k = 0; k < f->sources->pipe_count; k++) {
        rni_pipe *pipe = &f->sources->pipes[k];
        rni_pipe_walk walk = {0};
        rni_pipe_place place;
        if (!is_pouring(pipe) || !(pipe->travelled > 0)) continue;
        while (rni_pipe_place_next(f, pipe, &walk, &place)) {
            if (!place.is_open || !rni_fold_in(f, place.x)) continue;
            const part_at part = part_of(pipe, &place);
            part_job job = {f, kernel, (double)(part.share * f->derived.mass), share};
            rni_visit_near(f, part.x, f->derived.radius, moved, function, &job);
        }
    }
}

/* kg / m^3: what a part adds to the sum of a particle. */
static float part_density(const part_job *job, const float d[3])
{
    const rn_fluid *f = job->fluid;
    const double r = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const double w = rni_kernel_value(job->kernel, f->def.dim, (double)f->derived.radius, r);
    return (float)((double)f->derived.density_factor * job->mass * w);
}

static void add_part_density(void *data, uint32_t i, const float d[3])
{
    const part_job *job = data;
    const rn_fluid *f = job->fluid;
    float *density = f->summation ? f->summation : f->density; /* the sum over the kernel */
    density[i] += part_density(job, d);
}

/* Integrated densities do not know of parts: where parts crowd the fluid, they follow the sum, so that the
 * fluid makes room. */
static void add_part_crowd(void *data, uint32_t i, const float d[3])
{
    const part_job *job = data;
    const rn_fluid *f = job->fluid;
    const float rest = f->def.rest_density;
    const float lack = f->summation[i] - rni_higher(f->density[i], rest);
    const float share = (float)job->share * part_density(job, d) / rest;
    if (lack > 0) f->density[i] += rni_lower(share, 0.5f) * lack;
}

void rni_pipes_add_density(rn_fluid *f, float since)
{
    const rni_kernel kernel = rni_density_kernel(f->def.kernels);
    for_parts(f, kernel, 0, add_part_density);
    const double share = CROWDING * (double)(since * f->derived.sound_speed / f->derived.radius);
    if (f->summation && share > 0) for_parts(f, kernel, share, add_part_crowd);
}

static void add_part_force(void *data, uint32_t i, const float d[3])
{
    const part_job *job = data;
    const rn_fluid *f = job->fluid;
    const float density = f->density[i];
    const double r = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    if (!(f->pressure[i] > 0) || !(r > 1e-3 * (double)f->def.spacing)) return;
    const double slope = rni_kernel_slope(job->kernel, f->def.dim, (double)f->derived.radius, r);
    const float push = (float)(-2 * (double)f->derived.gradient_factor * job->mass * slope / r) *
                       f->pressure[i] / (density * density) * rni_inverse_ratio(f, i);
    for (uint32_t a = 0; a < f->def.dim; a++) f->now.acceleration[i][a] += push * d[a];
}

void rni_pipes_add_forces(rn_fluid *f)
{
    const bool is_wendland = f->def.kernels == RN_KERNELS_WENDLAND;
    for_parts(f, is_wendland ? RNI_KERNEL_WENDLAND : RNI_KERNEL_SPIKY, 0, add_part_force);
}

/* --- driven particles
 * ----------------------------------------------------------------------------- */

typedef struct drive_job {
    rn_fluid *fluid;
    const rni_pipe *pipe;
    float drift;       /* s */
    float contraction; /* 1/s */
} drive_job;

/* 1/s: how fast a stream contracts as it leaves the mouth. Falling, it is drawn out at the rate
 * g / speed, and keeps its volume; a pressure cut at zero would not pull it together. (In 2D half of
 * the rate: the flat sheet would overshoot.) Under water it is
 * carried and does not contract. */
static float contraction_of(const rn_fluid *f, const rni_pipe *pipe)
{
    float g[3];
    rni_fluid_gravity(f, g);
    const float *n = pipe->direction, falling = g[0] * n[0] + g[1] * n[1] + g[2] * n[2];
    if (!(falling > 0) || !(pipe->speed > 0)) return 0;
    const float carried = pipe->pressure / (density_of(f, pipe) * falling * pipe->def.radius);
    const float rate = falling / (2 * pipe->speed);
    return fminf(rate, 0.5f * pipe->speed / pipe->def.radius) * fmaxf(0.0f, 1 - carried);
}

/* The move of particle i is made again, with at least `least` m/s along n. */
static void hurry(const drive_job *job, uint32_t i, const float n[3], float least)
{
    const rn_fluid *f = job->fluid;
    const float *from = rni_previous_position(f)[i];
    float *v = f->now.velocity[i];
    const float lack = least - (v[0] * n[0] + v[1] * n[1] + v[2] * n[2]);
    if (!(lack > 0)) return;
    for (uint32_t a = 0; a < (f->def.dim == 2 ? 2u : 3u); a++) {
        v[a] += lack * n[a];
        f->now.position[i][a] = from[a] + job->drift * v[a];
    }
}

static void drive(void *data, uint32_t i, const float now[3])
{
    (void)now;
    const drive_job *job = data;
    const rn_fluid *f = job->fluid;
    const rni_pipe *pipe = job->pipe;
    const float *from = rni_previous_position(f)[i], *n = pipe->direction;
    float d[3], along;
    rni_offset_from(f, pipe->def.center, from, d);
    const float aside_sq = aside_sq_of(pipe, d, &along);
    if (along < pipe->back || along >= pipe->lead + pipe->driven) return;
    if (aside_sq > pipe->rim * pipe->rim) return;
    const bool is_beside = aside_sq > pipe->wide * pipe->wide;
    if (!is_beside && along >= pipe->begin) {
        for (uint32_t a = 0; a < f->def.dim; a++) {
            f->now.velocity[i][a] = pipe->speed * n[a];
            f->now.position[i][a] = from[a] + job->drift * f->now.velocity[i][a];
        }
        if (along + job->drift * pipe->speed >= pipe->lead + pipe->driven)
            for (uint32_t a = 0; a < f->def.dim; a++)
                f->now.velocity[i][a] -= job->contraction * (d[a] - along * n[a]);
    } else if (!is_beside || along < pipe->lead + f->def.spacing) {
        float away[3];
        for (int a = 0; a < 3; a++)
            away[a] = is_beside ? (d[a] - along * n[a]) / sqrtf(aside_sq) : -n[a];
        hurry(job, i, away, 0.25f * pipe->speed);
    }
}

void rni_pipes_drive(rn_fluid *f, float drift)
{
    for (uint32_t k = 0; k < f->sources->pipe_count; k++) {
        const rni_pipe *pipe = &f->sources->pipes[k];
        if (!pipe->is_driving) continue;
        drive_job job = {f, pipe, drift, contraction_of(f, pipe)};
        const float reach = pipe->rim + pipe->lead + pipe->driven + f->derived.radius;
        rni_visit_near(f, pipe->def.center, reach, f->derived.radius, drive, &job);
    }
}

/* --- new particles
 * -------------------------------------------------------------------------------- */

static void note_near(void *data, uint32_t i, const float offset[3])
{
    (void)i, (void)offset;
    *(bool *)data = true;
}

static bool is_free(const rn_fluid *f, const rni_pipe *pipe, const float x[3])
{
    /* Closer particles would be compressed. */
    const float least = 0.9f * fminf(f->def.spacing, (float)pipe->layer_gap);
    bool is_taken = false;
    rni_visit_near(f, x, least, f->derived.radius, note_near, &is_taken);
    return !is_taken && rni_walls_distance(f, x) >= f->walls->contact;
}

/* Adds the next particle of one column, at x, if there is a place for it. */
static void pour_one(rn_fluid *f, rni_pipe *pipe, float x[3], rn_fluid_report *report)
{
    float v[3];
    for (int a = 0; a < 3; a++) v[a] = pipe->direction[a] * pipe->speed;
    if (f->now.count >= f->def.max_particles) {
        report->flags |= RN_FLAG_FULL;
    } else if (!rni_fold_in(f, x) || !is_free(f, pipe, x)) {
        report->flags |= RN_FLAG_BLOCKED;
    } else {
        const bool has_previous_density = f->has_previous_density;
        rni_particle_add(f, pipe->def.phase, x, v);
        if (f->fluid_number) f->phase[pipe->def.phase].came++;
        f->has_previous_density = has_previous_density; /* its neighbours have felt it before */
        pipe->poured++;
        report->came++;
    }
}

/* More than a few layers in one step would be a jump: the step is too long for that. */
#define LAYERS_MAX 8

rn_result rni_pipe_pour(rn_fluid *f, rni_pipe *pipe, rn_fluid_report *report)
{
    const double gap = pipe->layer_gap, from = pipe->kept_travelled / gap, to = pipe->travelled / gap;
    if (to >= 3) pipe->travelled -= gap * (floor(to) - 2); /* less than 2 layers: it is starting */
    if (!is_pouring(pipe) || !pipe->is_driving) return RN_OK;
    if (f->now.count >= f->def.max_particles) report->flags |= RN_FLAG_FULL;
    if (pipe->is_held) report->flags |= RN_FLAG_BLOCKED;
    const uint64_t layers = (uint64_t)fmin(to - from + 1, LAYERS_MAX);
    const uint64_t wanted = (uint64_t)f->now.count + layers * pipe->layer_count;
    rn_result result =
        rni_attributes_reserve(f, wanted < f->def.max_particles ? wanted : f->def.max_particles);
    if (result != RN_OK) return result;
    rni_pipe_walk walk = {0};
    rni_pipe_place place;
    while (rni_pipe_place_next(f, pipe, &walk, &place)) {
        const double come = layers_come(to, &place), last = floor(come);
        const double first = fmax(0, floor(layers_come(from, &place)) + 1);
        for (double n = fmax(first, last - LAYERS_MAX + 1); n <= last && is_pouring(pipe); n++) {
            const float ahead = (float)((come - n) * gap);
            float x[3];
            for (int a = 0; a < 3; a++) x[a] = place.x[a] + ahead * pipe->direction[a];
            pour_one(f, pipe, x, report);
        }
    }
    return RN_OK;
}
