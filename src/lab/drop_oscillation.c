/* A drop without gravity swings between long and flat: period against Rayleigh. */
#include "lab/capillary.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define RADIUS  0.01 /* m */
#define STRETCH 1.1  /* of the first shape along x */
#define ALLOWED 0.05 /* error of the period */

enum { CASE, RESOLUTION, PARTICLES, PERIOD, EXACT, ERROR, DRIFT, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"radius_spacings", "radius / spacing", false, 0},
    {"particles", "particles", false, 0},
    {"period_s", "period s", false, 4},
    {"exact_s", "Rayleigh s", false, 4},
    {"error_percent", "error %", false, 2},
    {"drift", "of the whole m/s", false, 2},
};

typedef struct drop {
    uint32_t dim, resolution;
    double periods; /* to simulate */
    double period, exact, drift;
    uint32_t particles;
} drop;

/* How long the drop is, as a share: differences of second moments; and the speed of the whole. */
static double elongation(const rn_fluid *fluid, uint32_t dim, double *drift)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double center[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t i = 0; i < p.count; i++)
        for (uint32_t a = 0; a < dim; a++) {
            center[a] += (double)p.position[i][a] / p.count;
            speed[a] += (double)p.velocity[i][a] / p.count;
        }
    for (uint32_t i = 0; i < p.count; i++)
        for (uint32_t a = 0; a < dim; a++)
            moment[a] += pow((double)p.position[i][a] - center[a], 2);
    const double across = dim == 3 ? 0.5 * (moment[1] + moment[2]) : moment[1];
    *drift = sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
    return (moment[0] - across) / (moment[0] + across);
}

/* Rayleigh 1879, the second mode: omega^2 = 8 sigma / (rho R^3), in 2D 6. */
static rn_result swing(rni_lab *lab, drop *d, rni_lab_trace *trace)
{
    const double spacing = RADIUS / d->resolution, side = 3 * RADIUS;
    rn_fluid_def def = rni_lab_capillary_def(lab, d->dim, spacing, (double[]){side, side, side});
    const double across = d->dim == 3 ? 1 / sqrt(STRETCH) : 1 / STRETCH;
    const rni_lab_ellipsoid shape = {
        {side / 2, side / 2, side / 2}, {STRETCH * RADIUS, across * RADIUS, across * RADIUS}, 0};
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rni_lab_ellipsoid_add(fluid, d->dim, spacing, &shape);
    const double radius = result == RN_OK ? rni_lab_ball_radius(fluid, d->dim, spacing) : RADIUS;
    d->exact = 2 * RNI_PI /
               sqrt((d->dim == 3 ? 8 : 6) * RNI_LAB_TENSION / (RNI_LAB_DENSITY * pow(radius, 3)));
    double next = 0;
    while (result == RN_OK && rn_fluid_get_time(fluid) < d->periods * d->exact) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid);
        if (result != RN_OK || time < next) continue;
        result = rni_lab_trace_add(trace, time, elongation(fluid, d->dim, &d->drift));
        next += d->exact / 60;
    }
    if (result == RN_OK) d->particles = rn_fluid_get_arrays(fluid).count;
    d->period = rni_lab_fit_period(trace, d->exact);
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result add_row(rni_lab *lab, const drop *d)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, d->dim == 3 ? "3D" : "2D");
    const double numbers[] = {
        d->resolution, d->particles, d->period, d->exact, 100 * (d->period / d->exact - 1),
        d->drift};
    for (int k = 0; k < 6; k++) rni_lab_table_number(&lab->table, numbers[k]);
    return RN_OK;
}

static void conclude(rni_lab *lab, const drop *drops, uint32_t count)
{
    char list[256] = "";
    bool is_right = true;
    double drift = 0;
    for (uint32_t k = 0, used = 0; k < count && used < sizeof list; k++) {
        const double error = drops[k].period / drops[k].exact - 1;
        is_right &= fabs(error) <= ALLOWED;
        drift = fmax(drift, drops[k].drift);
        used += (uint32_t)snprintf(list + used, sizeof list - used, "%s%+.1f %% (%uD, R = %u s)",
                                   k ? ", " : "", 100 * error, drops[k].dim, drops[k].resolution);
    }
    const char *verdict = rni_lab_verdict(is_right, false);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a drop of water swings with Rayleigh's period within 5 %% %s here: "
        "the error is %s, with s for the spacing; the centre of mass drifts at %.0e m/s.",
        verdict, list, drift);
}

static rn_result run(rni_lab *lab)
{
    drop full[] = {{.dim = 2, .resolution = 10, .periods = 2.5},
                   {.dim = 2, .resolution = 20, .periods = 2.5},
                   {.dim = 3, .resolution = 12, .periods = 2},
                   {.dim = 3, .resolution = 16, .periods = 2}};
    drop quick[] = {{.dim = 2, .resolution = 10, .periods = 1.5},
                    {.dim = 2, .resolution = 14, .periods = 1.5}};
    drop *drops = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 4;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace = rni_lab_begin_traced_case(lab, &traces, "%uD, R = %u spacings",
                                                         drops[k].dim, drops[k].resolution);
        result = swing(lab, &drops[k], trace);
        if (result == RN_OK) result = add_row(lab, &drops[k]);
    }
    const rni_chart chart = {.title = "A drop of water swings by surface tension",
                             .x_label = "time, s",
                             .y_label = "elongation"};
    if (result == RN_OK) conclude(lab, drops, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_drop_oscillation = {
    .name = "drop-oscillation",
    .summary = "a drop swings with the period of its surface tension",
    .source = "Rayleigh 1879",
    .claim = "the law surface-energy has the tension that its coefficient says",
    .run = run,
};
