#include "bench/fluid.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdlib.h>

const char *rni_bench_model_name(uint32_t place)
{
    static const char *const names[] = {"paper", "water", "classic", "paste"};
    return place < 4 ? names[place] : NULL;
}

const char *rni_bench_state_name(uint32_t place)
{
    static const char *const names[] = {"lattice", "disordered"};
    return place < 2 ? names[place] : NULL;
}

/* A cube of fluid with n particles per side and spacing 1 / n m, in a box a third higher. */
static rn_fluid_def define(const rni_fluid_case *c, uint32_t side)
{
    rn_fluid_def def = c->def;
    def.spacing = 1.0f / (float)side;
    for (int a = 0; a < 3; a++) def.domain_high[a] = 1.0f;
    def.domain_high[1] = 1.34f;
    def.threads = c->threads;
    def.max_particles = 1u << 30;
    if (c->model == RNI_MODEL_WATER) return def;
    if (c->model == RNI_MODEL_PASTE) {
        def.params.viscosity = 100;
        def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
        return def;
    }
    const rn_fluid_def classic = rn_fluid_def_of_preset(RN_PRESET_CLASSIC);
    def.scheme = classic.scheme, def.radius_ratio = classic.radius_ratio;
    def.params = classic.params;
    if (c->model == RNI_MODEL_CLASSIC) return def;
    def.kernels = RN_KERNELS_PAPERS;
    def.bare_walls = true;
    def.params.bounce = 0.5f;
    def.params.tension = RN_TENSION_AKINCI;
    def.params.cohesion = 0.1f;
    def.params.curvature = 0.1f;
    def.params.integrator = RN_INTEGRATOR_LEAPFROG;
    return def;
}

static rn_result fill(const rni_fluid_case *c, uint32_t side, rn_fluid *fluid)
{
    float *position = malloc((size_t)c->particles * 3 * sizeof *position);
    if (!position) return rni_fail(RN_ERROR_MEMORY, "no memory for %u particles", c->particles);
    for (uint32_t i = 0; i < c->particles; i++) {
        const uint32_t at[3] = {i % side, i / (side * side), i / side % side};
        for (uint32_t a = 0; a < 3; a++)
            position[3 * (size_t)i + a] = ((float)at[a] + 0.5f) / (float)side;
    }
    rn_result result = rn_fluid_add_particles(fluid, position, NULL, c->particles, NULL);
    free(position);
    return result;
}

/* Moves every coordinate by up to a tenth of a spacing in either direction, inside the domain. */
typedef struct shaker {
    rni_random random;
    float amount;
} shaker;

static rn_result shake(void *user, rn_fluid_stage stage, double time, float time_step,
                       const rn_fluid_particles *particles)
{
    (void)stage;
    (void)time;
    (void)time_step;
    shaker *s = user;
    for (uint32_t i = 0; i < particles->count; i++)
        for (int a = 0; a < 3; a++)
            particles->position[i][a] += rni_random_float(&s->random, -s->amount, s->amount);
    return RN_OK;
}

#define SHAKES      10
#define SETTLE      20
#define WARM_FRAMES 3

static rn_result prepare(const rni_fluid_case *c, float spacing, rn_fluid *fluid)
{
    rn_result result = RN_OK;
    if (c->state == RNI_STATE_LATTICE) {
        /* a time step so short that the particles stay on the lattice */
        rn_fluid_params params = rn_fluid_get_params(fluid);
        params.time_step = 1e-4f * rni_fluid_derived_of(fluid).time_step;
        result = rn_fluid_set_params(fluid, &params);
    } else {
        shaker s = {rni_random_make(7), 0.1f * spacing};
        rn_fluid_id id;
        result = rn_fluid_add_operator(fluid, RN_STAGE_INTEGRATE, shake, &s, &id);
        for (int k = 0; k < SHAKES && result == RN_OK; k++) result = rn_fluid_step(fluid, NULL);
        if (result == RN_OK) result = rn_fluid_remove_operator(fluid, id);
        for (int k = 0; k < SETTLE && result == RN_OK; k++) result = rn_fluid_step(fluid, NULL);
    }
    for (int k = 0; k < WARM_FRAMES && result == RN_OK; k++) result = rn_fluid_step(fluid, NULL);
    return result;
}

static rn_result measure(const rni_fluid_case *c, rn_fluid *fluid, rni_fluid_row *row)
{
    *row = (rni_fluid_row){.best_s = HUGE_VAL};
    double total = 0;
    while (row->frames < c->reps || total < c->seconds) {
        rn_fluid_report report = rn_fluid_report_default();
        const double from = rni_seconds();
        rn_result result = rn_fluid_step(fluid, &report);
        const double took = rni_seconds() - from;
        if (result != RN_OK) return result;
        total += took;
        row->frames++;
        if (took >= row->best_s) continue;
        row->best_s = took;
        row->best = report;
    }
    row->particles = row->best.particles;
    row->mean_s = total / row->frames;
    return RN_OK;
}

rn_result rni_bench_fluid(const rni_fluid_case *c, rni_fluid_row *row)
{
    uint32_t side = (uint32_t)ceil(cbrt((double)c->particles) - 1e-6);
    if (side < 4) side = 4; /* a domain needs a few spacings */
    rn_fluid_def def = define(c, side);
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = fill(c, side, fluid);
    if (result == RN_OK) result = prepare(c, def.spacing, fluid);
    if (result == RN_OK) result = measure(c, fluid, row);
    rn_fluid_destroy(fluid);
    return result;
}
