/* A standing wave of surface tension alone: period against the exact dispersion. */
#include "lab/capillary.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define LENGTH  0.02 /* m, of the wave and of the period of the domain */
#define DEPTH   0.5  /* of the length */
#define STEEP   0.04 /* amplitude over length */
#define ALLOWED 0.05 /* error of the period */

enum { RESOLUTION, PARTICLES, PERIOD, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"length_spacings", "wave length / spacing", false, 0},
    {"particles", "particles", false, 0},
    {"period_s", "period s", false, 4},
    {"exact_s", "exact s", false, 4},
    {"error_percent", "error %", false, 2},
};

typedef struct wave {
    uint32_t resolution;
    double periods; /* to simulate */
    double period, exact;
    uint32_t particles;
} wave;

static const double NUMBER = 2 * RNI_PI / LENGTH; /* 1 / m */

/* The flow of the mode, which keeps volumes, deforms the lattice. */
static void deform(void *user, double position[3], double velocity[3])
{
    enum { STEPS = 32 };
    (void)user;
    const double scale = STEEP * LENGTH / sinh(NUMBER * DEPTH * LENGTH) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        const double x = NUMBER * position[0], y = NUMBER * position[1];
        position[0] -= scale * sin(x) * cosh(y);
        position[1] += scale * cos(x) * sinh(y);
    }
    velocity[0] = velocity[1] = 0;
}

/* m: the mean of y cos(k x), which the mode is a part of. */
static double mode_of(const rn_fluid *fluid)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++)
        sum += (double)p.position[i][1] * cos(NUMBER * (double)p.position[i][0]);
    return p.count ? sum / p.count : 0;
}

/* omega^2 = sigma k^3 / rho tanh(k d). */
static rn_result swing(rni_lab *lab, wave *w, rni_lab_trace *trace)
{
    const double spacing = LENGTH / w->resolution, depth = DEPTH * LENGTH;
    rn_fluid_def def = rni_lab_capillary_def(lab, 2, spacing, (double[]){LENGTH, 2 * depth, 0});
    def.periodic[0] = true;
    rn_fluid *fluid = NULL;
    w->exact =
        2 * RNI_PI / sqrt(RNI_LAB_TENSION * pow(NUMBER, 3) / RNI_LAB_DENSITY * tanh(NUMBER * depth));
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK)
        result = rni_lab_water_place(fluid, 2, spacing, (double[]){LENGTH, depth, 0}, deform, NULL);
    double next = 0;
    while (result == RN_OK && rn_fluid_get_time(fluid) < w->periods * w->exact) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid);
        if (result != RN_OK || time < next) continue;
        result = rni_lab_trace_add(trace, time, 1e3 * mode_of(fluid));
        next += w->exact / 60;
    }
    if (result == RN_OK) w->particles = rn_fluid_get_arrays(fluid).count;
    w->period = rni_lab_fit_period(trace, w->exact);
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result add_row(rni_lab *lab, const wave *w)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    const double numbers[] = {w->resolution, w->particles, w->period, w->exact,
                              100 * (w->period / w->exact - 1)};
    for (int k = 0; k < COLUMN_COUNT; k++) rni_lab_table_number(&lab->table, numbers[k]);
    return RN_OK;
}

static void conclude(rni_lab *lab, const wave *waves, uint32_t count)
{
    const wave *fine = &waves[count - 1];
    const double error = fine->period / fine->exact - 1;
    const char *verdict = rni_lab_verdict(fabs(error) <= ALLOWED, false);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a capillary wave has its exact period within 5 %% %s here: the error is "
        "%+.1f %% with %u spacings a wave length.",
        verdict, 100 * error, fine->resolution);
}

static rn_result run(rni_lab *lab)
{
    wave full[] = {{.resolution = 60, .periods = 2}, {.resolution = 120, .periods = 2}};
    wave quick[] = {{.resolution = 20, .periods = 1.5}, {.resolution = 30, .periods = 1.5}};
    wave *waves = lab->is_quick ? quick : full;
    const uint32_t count = 2;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace =
            rni_lab_begin_traced_case(lab, &traces, "%u spacings a wave", waves[k].resolution);
        result = swing(lab, &waves[k], trace);
        if (result == RN_OK) result = add_row(lab, &waves[k]);
    }
    const rni_chart chart = {.title = "A standing wave of surface tension",
                             .x_label = "time, s",
                             .y_label = "mean of y cos(k x), mm"};
    if (result == RN_OK) conclude(lab, waves, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_capillary_wave = {
    .name = "capillary-wave",
    .summary = "period of a wave of surface tension against its exact dispersion",
    .source = "Lamb 1932",
    .claim = "a wave of surface tension alone has the period of linear theory",
    .run = run,
};
