/* A dense fluid above a light one: how fast a small wave of their interface grows. */
#include "lab/study.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

/* Of the corrected scheme: the theory has no viscosity, and nothing strikes in a closed box that is full. */
#define NUMERICAL_VISCOSITY 0.015f
#define SIDE                1.0          /* m: wavelength, and height of both layers together */
#define NUMBER              (2 * RNI_PI) /* 1 / m */
#define HALF                (SIDE / 2)
#define START               0.05 /* m / s: of the interface */
/* Growth is fitted between these times (over that of growth): sound has died away, and the wave is still small. */
#define FIT_BEGIN 1.0
#define FIT_END   2.6

enum { RATIO, SPACING, PARTICLES, RATE, EXACT, ERROR, COLUMN_COUNT };
static const rni_lab_column columns[COLUMN_COUNT] = {
    {"density_ratio", "density ratio", false, 3}, {"spacing_m", "spacing m", false, 3},
    {"particles", "particles", false, 0},         {"rate_per_s", "growth 1/s", false, 4},
    {"exact_per_s", "exact 1/s", false, 4},       {"error_percent", "error %", false, 3},
};

typedef struct rt_case {
    double ratio, spacing;
    double exact, rate;
    uint32_t particles;
} rt_case;

/* The growing mode: free of divergence, without flow through floor and lid. */
static bool place(void *user, const float x[3], float velocity[3])
{
    (void)user;
    const double depth = (double)x[1] < HALF ? (double)x[1] : SIDE - (double)x[1];
    const double scale = START / sinh(NUMBER * HALF), sign = (double)x[1] < HALF ? -1 : 1;
    velocity[0] = (float)(sign * scale * sin(NUMBER * (double)x[0]) * cosh(NUMBER * depth));
    velocity[1] = (float)(scale * cos(NUMBER * (double)x[0]) * sinh(NUMBER * depth));
    return true;
}

/* How much of that mode the flow has. */
static double mode_of(const rn_fluid *fluid)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++)
        sum += (double)p.velocity[i][1] * cos(NUMBER * (double)p.position[i][0]) *
               exp(-NUMBER * fabs((double)p.position[i][1] - HALF));
    return sum;
}

/* The speed of the interface is START cosh(rate t): the rate by which the mean of the samples is right, each as
 * acosh(speed) / t. */
static rn_result grow(rt_case *c, rn_fluid *fluid, rni_lab_trace *trace)
{
    const double first = mode_of(fluid);
    double sum = 0, weight = 0;
    rn_result result = RN_OK;
    while (result == RN_OK && rn_fluid_get_time(fluid) * c->exact < FIT_END) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid), speed = mode_of(fluid) / first;
        if (time * c->exact > FIT_BEGIN && speed > 1) sum += acosh(speed), weight += time;
        if (result == RN_OK) result = rni_lab_trace_add(trace, time * c->exact, speed);
    }
    c->particles = rn_fluid_get_arrays(fluid).count;
    c->rate = weight > 0 ? sum / weight : (double)NAN;
    return result;
}

static rn_result run_case(const rni_lab *lab, void *one, rni_lab_trace *trace)
{
    rt_case *c = one;
    rn_fluid_def def = rni_lab_two_def(lab, c->spacing, (double[]){SIDE, SIDE, 0}, c->ratio);
    def.periodic[0] = true;
    if (def.scheme == RN_SCHEME_CORRECTED) def.params.numerical_viscosity = NUMERICAL_VISCOSITY;
    c->exact = sqrt((c->ratio - 1) / (c->ratio + 1) * RNI_LAB_GRAVITY * NUMBER * tanh(NUMBER * HALF));
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    for (uint32_t k = 0; k < 2 && result == RN_OK; k++) {
        rn_fluid_block block = rn_fluid_block_default();
        block.low[1] = (float)(k * HALF);
        block.high[0] = SIDE, block.high[1] = (float)((k + 1) * HALF);
        block.place = place;
        block.phase = 1 - k; /* the light one below */
        result = rn_fluid_add_block(fluid, &block, NULL);
    }
    if (result == RN_OK) result = grow(c, fluid, trace);
    rn_fluid_destroy(fluid);
    return result;
}

static double error_of(const rt_case *c)
{
    return c->rate / c->exact - 1;
}

static void name(const void *one, char text[64])
{
    const rt_case *c = one;
    snprintf(text, 64, "1:%g, %g m", c->ratio, c->spacing);
}

static void fill_row(const void *one, rni_lab_table *table)
{
    const rt_case *c = one;
    const double numbers[COLUMN_COUNT] = {c->ratio, c->spacing, c->particles,
                                          c->rate,  c->exact,   100 * error_of(c)};
    rni_lab_table_numbers(table, numbers, COLUMN_COUNT);
}

static void conclude(rni_lab *lab, const void *all, uint32_t count)
{
    const rt_case *cases = all;
    double worst = 0;
    rni_lab_words list = {0};
    for (uint32_t k = 0; k < count; k++) {
        if (!(fabs(error_of(&cases[k])) <= fabs(worst))) worst = error_of(&cases[k]);
        rni_lab_words_add(&list, "%+.1f %% (1:%g, %g m)", 100 * error_of(&cases[k]), cases[k].ratio,
                          cases[k].spacing);
    }
    const char *verdict = rni_lab_verdict(fabs(worst) <= 0.05, fabs(worst) <= 0.1);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the Rayleigh-Taylor instability grows at the rate of linear theory within 5 %% %s "
        "here: the error is %s.",
        verdict, list.text);
}

static rn_result draw_exact(rni_lab_traces *traces)
{
    rni_lab_trace *exact = rni_lab_trace_begin(traces, "exact: cosh");
    rn_result result = RN_OK;
    for (uint32_t k = 0; k <= 26 && result == RN_OK; k++)
        result = rni_lab_trace_add(exact, 0.1 * k, cosh(0.1 * k));
    return result;
}

static rn_result run(rni_lab *lab)
{
    rt_case full[] = {{.ratio = 1.5, .spacing = 0.02}, {.ratio = 1.5, .spacing = 0.01},
                      {.ratio = 3, .spacing = 0.02},   {.ratio = 3, .spacing = 0.01},
                      {.ratio = 10, .spacing = 0.02},  {.ratio = 10, .spacing = 0.01}};
    rt_case quick[] = {{.ratio = 3, .spacing = 0.04}, {.ratio = 3, .spacing = 0.025}};
    return rni_lab_study_run(
        lab, &(rni_lab_study){
                 columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick), .name = name,
                 .run = run_case, .row = fill_row, .conclude = conclude, .compare = draw_exact,
                 .chart = {.title = "A dense fluid above a light one",
                           .subtitle = "a wave of their interface, 1 m long, in layers of 0.5 m",
                           .x_label = "time, over that of growth",
                           .y_label = "speed of the interface / at the start"}});
}

const rni_lab_experiment rni_lab_rayleigh_taylor = {
    .name = "rayleigh-taylor",
    .summary =
        "growth of a wave between a dense fluid and a light one below it, against linear theory",
    .source = "exact",
    .claim =
        "the Rayleigh-Taylor instability grows at the rate of linear theory within 5 %, for densities of 1:1.5, "
        "1:3 and 1:10",
    .run = run,
};
