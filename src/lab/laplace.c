/* The pressure in a drop at rest: Young and Laplace. */
#include "lab/capillary.h"

#include <math.h>
#include <stdio.h>

#define RADIUS  0.01 /* m */
#define INSIDE  0.6  /* of the radius: where the pressure is taken */
#define ALLOWED 0.1  /* error of the pressure */

enum { CASE, RESOLUTION, PARTICLES, PRESSURE, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"radius_spacings", "radius / spacing", false, 0},
    {"particles", "particles", false, 0},
    {"pressure_pa", "pressure Pa", false, 4},
    {"exact_pa", "Laplace Pa", false, 4},
    {"error_percent", "error %", false, 2},
};

typedef struct drop {
    uint32_t dim, resolution;
    double pressure, exact;
    uint32_t particles;
} drop;

/* Pa: mean over the particles inside. */
static double pressure_inside(const rn_fluid *fluid, double center, uint32_t dim)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        double way_sq = 0;
        for (uint32_t a = 0; a < dim; a++) way_sq += pow((double)p.position[i][a] - center, 2);
        if (way_sq > pow(INSIDE * RADIUS, 2)) continue;
        sum += (double)p.pressure[i];
        count++;
    }
    return count > 0 ? sum / count : (double)NAN;
}

/* The mean of the second half of two capillary times sqrt(rho R^3 / sigma). */
static rn_result rest(rni_lab *lab, drop *d, rni_lab_trace *trace)
{
    const double spacing = RADIUS / d->resolution, side = 3 * RADIUS;
    const double end = 2 * sqrt(RNI_LAB_DENSITY * pow(RADIUS, 3) / RNI_LAB_TENSION);
    rn_fluid_def def = rni_lab_capillary_def(lab, d->dim, spacing, (double[]){side, side, side});
    const rni_lab_ellipsoid shape = {{side / 2, side / 2, side / 2}, {RADIUS, RADIUS, RADIUS}, 0};
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rni_lab_ellipsoid_add(fluid, d->dim, spacing, &shape);
    if (result == RN_OK) {
        const double radius = rni_lab_ball_radius(fluid, d->dim, spacing);
        d->exact = (d->dim - 1) * RNI_LAB_TENSION / radius;
        d->particles = rn_fluid_get_arrays(fluid).count;
    }
    double sum = 0, count = 0, next = 0;
    while (result == RN_OK && rn_fluid_get_time(fluid) < end) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid);
        if (result != RN_OK || time < next) continue;
        const double pressure = pressure_inside(fluid, side / 2, d->dim);
        result = rni_lab_trace_add(trace, time, pressure / d->exact);
        if (time > 0.5 * end) sum += pressure, count++;
        next += end / 200;
    }
    d->pressure = count > 0 ? sum / count : (double)NAN;
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result add_row(rni_lab *lab, const drop *d)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, d->dim == 3 ? "3D" : "2D");
    rni_lab_table_number(&lab->table, d->resolution);
    rni_lab_table_number(&lab->table, d->particles);
    rni_lab_table_number(&lab->table, d->pressure);
    rni_lab_table_number(&lab->table, d->exact);
    rni_lab_table_number(&lab->table, 100 * (d->pressure / d->exact - 1));
    return RN_OK;
}

static void conclude(rni_lab *lab, const drop *drops, uint32_t count)
{
    char list[256] = "";
    bool is_right = true; /* of the finest of each dimension */
    for (uint32_t k = 0, used = 0; k < count && used < sizeof list; k++) {
        const double error = drops[k].pressure / drops[k].exact - 1;
        if (k + 1 == count || drops[k + 1].dim != drops[k].dim) is_right &= fabs(error) <= ALLOWED;
        used += (uint32_t)snprintf(list + used, sizeof list - used, "%s%+.1f %% (%uD, R = %u s)",
                                   k ? ", " : "", 100 * error, drops[k].dim, drops[k].resolution);
    }
    const char *verdict = rni_lab_verdict(is_right, false);
    rni_lab_conclude(lab, verdict,
                     "The claim that the pressure in a drop is that of Young and Laplace within 10 %% %s "
                     "here at the finest resolution: the error is %s, with s for the spacing.",
                     verdict, list);
}

static rn_result run(rni_lab *lab)
{
    drop full[] = {{.dim = 2, .resolution = 10},
                   {.dim = 2, .resolution = 20},
                   {.dim = 3, .resolution = 10},
                   {.dim = 3, .resolution = 16}};
    drop quick[] = {{.dim = 2, .resolution = 10}, {.dim = 2, .resolution = 20}};
    drop *drops = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 4;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace = rni_lab_begin_traced_case(lab, &traces, "%uD, R = %u spacings",
                                                         drops[k].dim, drops[k].resolution);
        result = rest(lab, &drops[k], trace);
        if (result == RN_OK) result = add_row(lab, &drops[k]);
    }
    const rni_chart chart = {.title = "The pressure in a drop of water at rest",
                             .x_label = "time, s",
                             .y_label = "pressure / that of Young and Laplace"};
    if (result == RN_OK) conclude(lab, drops, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_laplace = {
    .name = "laplace",
    .summary = "pressure in a drop at rest against Young and Laplace",
    .source = "Young 1805, Laplace 1806",
    .claim = "the pressure in a drop is sigma times the curvature of its surface",
    .run = run,
};
