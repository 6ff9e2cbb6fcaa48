/* Numbers over all particles: summed piece by piece in order, so that they do not depend on
 * threads. */
#include "base/error.h"
#include "fluid/particles.h"
#include "fluid/stages.h"

#include <math.h>
#include <string.h>

typedef struct tally {
    double kinetic, potential, elastic, density, neighbors;
    float speed_sq, acceleration_sq, density_max;
    uint32_t neighbors_max, fastest;
    bool is_odd; /* something is not finite */
} tally;

rn_result rni_fluid_tally_room(rn_fluid *f, uint32_t count)
{
    return rni_buffer_need(&f->memory, &f->tallies, rni_piece_count(count, RNI_FLUID_PIECE) + 1u,
                           sizeof(tally));
}

/* As many at once as fill a vector; the compiler makes one of them. */
#define LANES 8u

static inline float square(const float *v)
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void measure_lanes(const rn_fluid *f, uint32_t begin, uint32_t count, float speed_sq[LANES],
                          float acceleration_sq[LANES], float density[LANES], float odd[LANES])
{
    rni_record *velocity = f->now.velocity + begin, *position = f->now.position + begin;
    rni_record *acceleration = f->now.acceleration + begin;
    const float *rho = f->density + begin;
    for (uint32_t k = 0; k < count; k++) {
        const float s = square(velocity[k]), a = square(acceleration[k]);
        speed_sq[k] = s > speed_sq[k] ? s : speed_sq[k];
        acceleration_sq[k] = a > acceleration_sq[k] ? a : acceleration_sq[k];
        density[k] = rho[k] > density[k] ? rho[k] : density[k];
        /* One sum that is NaN or infinite when any of them is. */
        const float *x = position[k];
        odd[k] += (s + a) * 0 + (x[0] + x[1] + x[2] + rho[k]) * 0;
    }
}

static void measure_extremes(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    tally t = {0};
    float speed_sq[LANES] = {0}, acceleration_sq[LANES] = {0}, density[LANES] = {0}, odd[LANES] = {0};
    uint32_t i = begin;
    for (; end - i >= LANES; i += LANES)
        measure_lanes(f, i, LANES, speed_sq, acceleration_sq, density, odd);
    measure_lanes(f, i, end - i, speed_sq, acceleration_sq, density, odd);
    for (uint32_t k = 0; k < LANES; k++) {
        t.speed_sq = fmaxf(t.speed_sq, speed_sq[k]);
        t.acceleration_sq = fmaxf(t.acceleration_sq, acceleration_sq[k]);
        t.density_max = fmaxf(t.density_max, density[k]);
        t.is_odd = t.is_odd || odd[k] != 0;
    }
    ((tally *)f->tallies.data)[piece] = t;
}

rni_extremes rni_fluid_extremes(rn_fluid *f)
{
    rni_fluid_for_each(f, measure_extremes);
    rni_extremes e = {0, 0, 0};
    const tally *tallies = f->tallies.data;
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    for (uint32_t k = 0; k < pieces; k++) {
        const tally *t = &tallies[k];
        e.speed = fmaxf(e.speed, t->speed_sq);
        e.acceleration = fmaxf(e.acceleration, t->acceleration_sq);
        e.density = fmaxf(e.density, t->is_odd ? INFINITY : t->density_max);
    }
    e.speed = sqrtf(e.speed);
    e.acceleration = sqrtf(e.acceleration);
    return e;
}

/* J / kg: the work of compression, the integral of p / rho^2 from rest. */
static double elastic_energy(const rn_fluid *f, double density)
{
    double rest = (double)f->def.rest_density, stiffness = (double)f->derived.stiffness;
    double s = density / rest, e = (double)f->def.params.exponent;
    if (s < 1 && !f->def.params.negative_pressure) return 0;
    if (f->def.params.pressure == RN_PRESSURE_GAS) return stiffness * (log(s) + 1 / s - 1);
    if (e == 1) return stiffness / rest * (log(s) + 1 / s - 1);
    double sixth = s * s * s * s * s * s;
    double power = e == 7 ? sixth : pow(s, e - 1); /* seven, the usual one, without pow */
    return stiffness / rest * ((power - 1) / (e - 1) + 1 / s - 1);
}

static void measure(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    tally t = {0};
    const float *g = f->def.params.gravity;
    for (uint32_t i = begin; i < end; i++) {
        const float *v = f->now.velocity[i], *x = f->now.position[i];
        float speed_sq = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (speed_sq > t.speed_sq) t.speed_sq = speed_sq, t.fastest = i;
        t.kinetic += (double)speed_sq;
        for (int a = 0; a < 3; a++) t.potential -= (double)g[a] * (double)x[a];
        t.elastic += elastic_energy(f, (double)f->density[i]);
        t.density += (double)f->density[i];
        if (f->density[i] > t.density_max) t.density_max = f->density[i];
        t.neighbors += f->neighbor_count[i];
        if (f->neighbor_count[i] > t.neighbors_max) t.neighbors_max = f->neighbor_count[i];
    }
    ((tally *)f->tallies.data)[piece] = t;
}

void rni_stage_report(rn_fluid *f, rn_fluid_report *report)
{
    rni_fluid_for_each(f, measure);
    const tally *tallies = f->tallies.data;
    tally sum = {0};
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    for (uint32_t k = 0; k < pieces; k++) {
        const tally *t = &tallies[k];
        sum.kinetic += t->kinetic, sum.potential += t->potential, sum.elastic += t->elastic;
        sum.density += t->density, sum.neighbors += t->neighbors;
        if (t->speed_sq > sum.speed_sq) sum.speed_sq = t->speed_sq, sum.fastest = t->fastest;
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
    report->kinetic = 0.5 * mass * sum.kinetic;
    report->potential = mass * sum.potential;
    report->elastic = mass * sum.elastic;
    report->speed_max = sqrtf(sum.speed_sq);
    if (f->now.count > 0) report->speed_max_id = rni_particle_id(&f->now, sum.fastest);
    report->came_all = f->came_all;
    report->left_all = f->left_all;
    report->bytes = f->memory.held_bytes;
    if (report->density_max > 1.1f) report->flags |= RN_FLAG_COMPRESSED;
}
