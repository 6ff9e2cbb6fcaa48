/* A standing wave of surface tension alone: period against the exact dispersion. */
#include "lab/capillary.h"
#include "lab/study.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define LENGTH  0.02 /* m, of the wave and of the period of the domain */
#define DEPTH   0.5  /* of the length */
#define STEEP   0.04 /* amplitude over length */
#define ALLOWED 0.05 /* error of the period */

enum { RESOLUTION, PLACE, PARTICLES, PERIOD, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"length_spacings", "wave length / spacing", false, 0},
    {"place", "crest / spacing", false, 2},
    {"particles", "particles", false, 0},
    {"period_s", "period s", false, 4},
    {"exact_s", "exact s", false, 4},
    {"error_percent", "error %", false, 2},
};

typedef struct wave {
    uint32_t resolution;
    double periods; /* to simulate */
    double place; /* spacings: of the crest in the lattice, of which an exact solution knows nothing */
    double period, exact;
    uint32_t particles;
} wave;

static const double NUMBER = 2 * RNI_PI / LENGTH; /* 1 / m */

/* The flow of the mode, which keeps volumes, deforms the lattice. */
static void deform(void *user, double position[3], double velocity[3])
{
    enum { STEPS = 32 };
    const wave *w = user;
    position[0] = fmod(position[0] + w->place * LENGTH / w->resolution, LENGTH);
    const double scale = STEEP * LENGTH / sinh(NUMBER * DEPTH * LENGTH) / STEPS;
    for (int k = 0; k < STEPS; k++) {
        const double x = NUMBER * position[0], y = NUMBER * position[1];
        position[0] -= scale * sin(x) * cosh(y);
        position[1] += scale * cos(x) * sinh(y);
    }
    position[0] -= LENGTH * floor(position[0] / LENGTH);
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

static rn_result note_mode(void *user, const rn_fluid *fluid, double time)
{
    return rni_lab_trace_add(user, time, 1e3 * mode_of(fluid));
}

/* omega^2 = sigma k^3 / rho tanh(k d). */
static rn_result swing(const rni_lab *lab, void *one, rni_lab_trace *trace)
{
    wave *w = one;
    const double spacing = LENGTH / w->resolution, depth = DEPTH * LENGTH;
    rn_fluid_def def = rni_lab_capillary_def(lab, 2, spacing, (double[]){LENGTH, 2 * depth, 0});
    def.periodic[0] = true;
    rn_fluid *fluid = NULL;
    w->exact =
        2 * RNI_PI / sqrt(RNI_LAB_TENSION * pow(NUMBER, 3) / RNI_LAB_DENSITY * tanh(NUMBER * depth));
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK)
        result = rni_lab_water_place(fluid, 2, spacing, (double[]){LENGTH, depth, 0}, deform, w);
    if (result == RN_OK)
        result = rni_lab_sample(
            fluid, &(rni_lab_sampling){w->periods * w->exact, w->exact / 60, note_mode, trace});
    if (result == RN_OK) w->particles = rn_fluid_get_arrays(fluid).count;
    w->period = rni_lab_fit_period(trace, w->exact);
    rn_fluid_destroy(fluid);
    return result;
}

static void name(const void *one, char text[64])
{
    const wave *w = one;
    snprintf(text, 64, "%u spacings a wave, crest at %g", w->resolution, w->place);
}

static void fill_row(const void *one, rni_lab_table *table)
{
    const wave *w = one;
    const double numbers[COLUMN_COUNT] = {w->resolution, w->place,
                                          w->particles,  w->period,
                                          w->exact,      100 * (w->period / w->exact - 1)};
    rni_lab_table_numbers(table, numbers, COLUMN_COUNT);
}

static void conclude(rni_lab *lab, const void *cases, uint32_t count)
{
    const wave *waves = cases;
    const uint32_t finest = waves[count - 1].resolution;
    double error = 0, least = HUGE_VAL, most = -HUGE_VAL;
    uint32_t fine = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (waves[k].resolution != finest) continue;
        const double one = waves[k].period / waves[k].exact - 1;
        error += one, least = fmin(least, one), most = fmax(most, one);
        fine++;
    }
    error /= fine;
    const char *verdict = rni_lab_verdict(fabs(error) <= ALLOWED, false);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a capillary wave has its exact period within 5 %% %s here: the error is "
        "%+.1f %% with %u spacings a wave length (%+.1f to %+.1f %% by where the crest lies in the lattice).",
        verdict, 100 * error, finest, 100 * least, 100 * most);
}

static rn_result run(rni_lab *lab)
{
    wave full[] = {{.resolution = 60, .periods = 2, .place = 0},
                   {.resolution = 60, .periods = 2, .place = 0.5},
                   {.resolution = 120, .periods = 2, .place = 0},
                   {.resolution = 120, .periods = 2, .place = 0.5}};
    wave quick[] = {{.resolution = 30, .periods = 1.5, .place = 0},
                    {.resolution = 30, .periods = 1.5, .place = 0.15},
                    {.resolution = 30, .periods = 1.5, .place = 0.3},
                    {.resolution = 30, .periods = 1.5, .place = 0.45},
                    {.resolution = 30, .periods = 1.5, .place = 0.6},
                    {.resolution = 30, .periods = 1.5, .place = 0.75}};
    return rni_lab_study_run(
        lab, &(rni_lab_study){columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick), .name = name,
                              .run = swing, .row = fill_row, .conclude = conclude,
                              .chart = {.title = "A standing wave of surface tension",
                                        .x_label = "time, s",
                                        .y_label = "mean of y cos(k x), mm"}});
}

const rni_lab_experiment rni_lab_capillary_wave = {
    .name = "capillary-wave",
    .summary = "period of a wave of surface tension against its exact dispersion",
    .source = "Lamb 1932",
    .claim = "a wave of surface tension alone has the period of linear theory",
    .run = run,
};
