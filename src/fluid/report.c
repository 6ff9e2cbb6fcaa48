/* Numbers over all particles: summed piece by piece in order, so that they do not depend on
 * threads. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "base/error.h"
#include "base/output.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/squares.h"
#include "fluid/stages.h"

#include <math.h>
#include <string.h>

typedef struct tally {
    double kinetic, potential, elastic, density, neighbors;
    float speed_sq, acceleration_sq; /* as of squares.h, also kinetic */
    float density_max;
    uint32_t neighbors_max;
    bool is_not_finite; /* any number */
} tally;

rn_result rni_fluid_reserve_tallies(rn_fluid *f, uint32_t count)
{
    return rni_buffer_need(&f->memory, &f->tallies, rni_piece_count(count, RNI_FLUID_PIECE) + 1u,
                           sizeof(tally));
}

typedef struct extreme_lanes {
    rni_v speed_sq, acceleration_sq, density, not_finite;
} extreme_lanes;

/* now, density: those of the fluid, read once. */
static inline void measure_four(const rni_particles *now, const float *all_density, uint32_t i,
                                const bool has_forces, extreme_lanes *most)
{
    const rni_v speed_sq = rni_squares(now->velocity + i), zero = rni_v_set(0.0f);
    const rni_v acceleration_sq = has_forces ? rni_squares(now->acceleration + i) : zero;
    const rni_v density = rni_v_load(all_density + i);
    most->speed_sq = rni_v_max(most->speed_sq, speed_sq);
    most->acceleration_sq = rni_v_max(most->acceleration_sq, acceleration_sq);
    most->density = rni_v_max(most->density, density);
    /* One sum that is NaN when any of them is infinite or NaN. */
    most->not_finite = most->not_finite + 0.0f * (speed_sq + acceleration_sq + density);
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_v places = zero;
    for (uint32_t k = 0; k < 4; k++)
        places = places + rni_v_where(is_axis, rni_v_load(now->position[i + k]));
    most->not_finite = most->not_finite + 0.0f * places;
}

static inline void measure_extremes(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece,
                                    const bool has_forces)
{
    const rni_v zero = rni_v_set(0.0f);
    extreme_lanes most = {zero, zero, zero, zero};
    tally t = {0};
    uint32_t i = begin;
    const rni_particles now = f->now;
    const float *density = f->density;
    for (; end - i >= 4; i += 4) measure_four(&now, density, i, has_forces, &most);
    for (uint32_t k = 0; k < 4; k++) {
        t.speed_sq = fmaxf(t.speed_sq, most.speed_sq[k]);
        t.acceleration_sq = fmaxf(t.acceleration_sq, most.acceleration_sq[k]);
        t.density_max = fmaxf(t.density_max, most.density[k]);
        t.is_not_finite = t.is_not_finite || most.not_finite[k] != 0;
    }
    for (; i < end; i++) {
        const float *x = f->now.position[i], rho = f->density[i];
        const float s = rni_square(f->now.velocity[i]);
        const float a = has_forces ? rni_square(f->now.acceleration[i]) : 0.0f;
        t.speed_sq = fmaxf(t.speed_sq, s);
        t.acceleration_sq = fmaxf(t.acceleration_sq, a);
        t.density_max = fmaxf(t.density_max, rho);
        t.is_not_finite = t.is_not_finite || !isfinite(s + a + rho + (x[0] + x[1] + x[2]));
    }
    ((tally *)f->tallies.data)[piece] = t;
}

typedef struct extremes_loop {
    rn_fluid *fluid;
    bool has_forces;
} extremes_loop;

/* Twice the same call: the constant makes two loops of it. */
static void measure_piece(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const extremes_loop *loop = data;
    if (loop->has_forces) measure_extremes(loop->fluid, begin, end, piece, true);
    else measure_extremes(loop->fluid, begin, end, piece, false);
}

rni_extremes rni_fluid_extremes(rn_fluid *f, bool has_forces)
{
    extremes_loop loop = {f, has_forces};
    rni_for_particles(f, measure_piece, &loop);
    rni_extremes e = {0, 0, 0};
    const tally *tallies = f->tallies.data;
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    for (uint32_t k = 0; k < pieces; k++) {
        const tally *t = &tallies[k];
        e.speed = fmaxf(e.speed, t->speed_sq);
        e.acceleration = fmaxf(e.acceleration, t->acceleration_sq);
        e.density = fmaxf(e.density, t->is_not_finite ? INFINITY : t->density_max);
    }
    e.speed = rni_length(e.speed);
    e.acceleration = rni_length(e.acceleration);
    return e;
}

/* Kinetic energy (twice it, for a mass of 1), the greatest speed, and the potential energy. */
static void measure_motion(const rn_fluid *f, uint32_t begin, uint32_t end, tally *t)
{
    const float *g = f->def.params.gravity;
    rni_record *velocity = f->now.velocity, *position = f->now.position;
    rni_sums kinetic = {{0}, {0}}, place = kinetic, place_of_second = kinetic;
    rni_v most = rni_v_set(0.0f);
    uint32_t i = begin;
    for (; end - i >= 4; i += 4) {
        const rni_v speed_sq = rni_squares(velocity + i);
        most = rni_v_max(most, speed_sq);
        rni_sums_add(&kinetic, speed_sq);
    }
    for (uint32_t k = 0; k < 4; k++) t->speed_sq = fmaxf(t->speed_sq, most[k]);
    for (; i < end; i++) {
        const float speed_sq = rni_square(velocity[i]);
        kinetic.low[0] += (double)speed_sq;
        t->speed_sq = fmaxf(t->speed_sq, speed_sq);
    }
    const rni_vm is_axis = {-1, -1, -1, 0}; /* the fourth number is no place */
    for (i = begin; end - i >= 2; i += 2) { /* two sums: each addition waits for the one before */
        rni_sums_add(&place, rni_v_where(is_axis, rni_v_load(position[i])));
        rni_sums_add(&place_of_second, rni_v_where(is_axis, rni_v_load(position[i + 1])));
    }
    if (i < end) rni_sums_add(&place, rni_v_where(is_axis, rni_v_load(position[i])));
    place.low += place_of_second.low, place.high += place_of_second.high;
    t->kinetic = rni_sums_total(&kinetic);
    t->potential =
        -((double)g[0] * place.low[0] + (double)g[1] * place.low[1] + (double)g[2] * place.high[0]);
}

/* The same for several fluids: sums weighted by their ratios. */
static void measure_phases(const rn_fluid *f, uint32_t begin, uint32_t end, tally *t)
{
    const float *g = f->def.params.gravity;
    for (uint32_t i = begin; i < end; i++) {
        const double ratio = (double)rni_ratio(f, i);
        const float speed_sq = rni_square(f->now.velocity[i]), *x = f->now.position[i];
        t->speed_sq = fmaxf(t->speed_sq, speed_sq);
        t->kinetic += ratio * (double)speed_sq;
        for (int a = 0; a < 3; a++) t->potential -= ratio * (double)g[a] * (double)x[a];
    }
}

static void measure_density(const rn_fluid *f, uint32_t begin, uint32_t end, tally *t)
{
    const float *density = f->density;
    const uint32_t *neighbors = f->neighbor_count;
    rni_sums sum = {{0}, {0}};
    rni_v most = rni_v_set(0.0f); /* in lanes: each maximum waits for the one before */
    uint32_t i = begin;
    for (; end - i >= 4; i += 4) {
        const rni_v four = rni_v_load(density + i);
        most = rni_v_max(most, four);
        rni_sums_add(&sum, four);
    }
    for (uint32_t k = 0; k < 4; k++) t->density_max = fmaxf(t->density_max, most[k]);
    for (; i < end; i++) {
        sum.low[0] += (double)density[i];
        t->density_max = fmaxf(t->density_max, density[i]);
    }
    t->density = rni_sums_total(&sum);
    uint64_t all = 0;
    for (i = begin; i < end; i++) {
        t->neighbors_max = neighbors[i] > t->neighbors_max ? neighbors[i] : t->neighbors_max;
        all += neighbors[i];
    }
    t->neighbors = (double)all;
}

static void measure(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid *f = data;
    tally t = {0};
    if (f->fluid_number) measure_phases(f, begin, end, &t);
    else measure_motion(f, begin, end, &t);
    measure_density(f, begin, end, &t);
    t.elastic = f->scheme->elastic_energy(f, begin, end);
    ((tally *)f->tallies.data)[piece] = t;
}

static uint32_t fastest_id(const rn_fluid *f, uint32_t piece, float speed_sq)
{
    uint32_t i = piece * RNI_FLUID_PIECE;
    while (i + 1 < f->now.count && rni_square(f->now.velocity[i]) != speed_sq) i++;
    return rni_particle_id(&f->now, i);
}

rn_fluid_report rn_fluid_report_default(void)
{
    return (rn_fluid_report){.struct_bytes = sizeof(rn_fluid_report)};
}

rn_result rni_report_check(const rn_fluid_report *report)
{
    return rni_output_check(report, RNI_OUTPUT_BYTES(rn_fluid_report, bytes), "rn_fluid_report");
}

void rni_stage_report(rn_fluid *f, rn_fluid_report *report)
{
    rni_for_particles(f, measure, f);
    const tally *tallies = f->tallies.data;
    tally sum = {0};
    uint32_t fastest_piece = 0;
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    for (uint32_t k = 0; k < pieces; k++) {
        const tally *t = &tallies[k];
        sum.kinetic += t->kinetic, sum.potential += t->potential, sum.elastic += t->elastic;
        sum.density += t->density, sum.neighbors += t->neighbors;
        if (t->speed_sq > sum.speed_sq) sum.speed_sq = t->speed_sq, fastest_piece = k;
        sum.density_max = fmaxf(sum.density_max, t->density_max);
        if (t->neighbors_max > sum.neighbors_max) sum.neighbors_max = t->neighbors_max;
    }
    double count = f->now.count > 0 ? f->now.count : 1, mass = (double)f->derived.mass;
    report->time = f->time;
    report->step = f->step_count;
    report->particles = f->now.count;
    report->neighbors_mean = sum.neighbors / count;
    report->neighbors_max = sum.neighbors_max;
    report->density_mean = (float)(sum.density / count / (double)f->def.rest_density);
    report->density_max = sum.density_max / f->def.rest_density;
    report->kinetic = 0.5 * mass * sum.kinetic / (double)RNI_SQUARE_FACTOR;
    report->potential = mass * sum.potential;
    report->elastic = mass * sum.elastic;
    report->speed_max = rni_length(sum.speed_sq);
    if (f->now.count > 0) report->speed_max_id = fastest_id(f, fastest_piece, sum.speed_sq);
    report->came_all = f->came_all;
    report->left_all = f->left_all;
    report->bytes = f->memory.held_bytes;
    report->viscosity_iterations = f->viscous_iterations;
    report->viscosity_residual = f->viscous_residual;
    report->viscosity_ms = (float)f->viscous_ms;
    if (f->viscous_residual > f->def.params.viscosity_tolerance) report->flags |= RN_FLAG_UNSOLVED;
    if (report->density_max > 1.1f) report->flags |= RN_FLAG_COMPRESSED;
}
