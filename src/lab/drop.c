/* A cube of water without gravity becomes round: with Akinci's surface tension and with the colour field. */
#include "lab/water.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>

#define SIDE 0.5 /* m of the cube */

enum { TENSION, TIME, ROUNDNESS, SPEED, DRIFT, PRESSURE, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"tension", "tension", true, 0},
    {"time_s", "time s", false, 3},
    {"roundness", "longest / shortest", false, 4},
    {"speed_rms", "mean speed m/s", false, 3},
    {"drift", "of the whole m/s", false, 3},
    {"pressure_pa", "pressure inside Pa", false, 4},
};

/* Akinci's coefficients are not a physical surface tension. That of the colour field is, chosen so that
 * the cube becomes round in about a second. */
#define SIGMA 5.0 /* N / m */

/* Longest / shortest distance from the centre to the surface in 26 directions (axes, edges, corners):
 * 1 for a ball, 1.73 for a cube. */
static double roundness(const rn_fluid *fluid, double spacing)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    double center[3] = {0, 0, 0}, low = HUGE_VAL, high = 0;
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) center[a] += (double)p.position[i][a] / p.count;
    for (int d = 0; d < 27; d++) {
        double n[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 % 3 - 1}, most = 0;
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length > 0)) continue;
        for (uint32_t i = 0; i < p.count; i++) {
            double way = 0;
            for (int a = 0; a < 3; a++) way += ((double)p.position[i][a] - center[a]) * n[a];
            most = fmax(most, way / length);
        }
        low = fmin(low, most);
        high = fmax(high, most);
    }
    return (high + spacing / 2) / (low + spacing / 2);
}

/* m / s: speed of the centre of mass, without external forces. */
static double drift(const rn_fluid *fluid)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    double sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) sum[a] += (double)p.velocity[i][a] / p.count;
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/* Pa: mean over the particles within half the radius of the final ball. */
static double pressure_inside(const rn_fluid *fluid, double reach)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    double center[3] = {0, 0, 0}, sum = 0, count = 0;
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) center[a] += (double)p.position[i][a] / p.count;
    for (uint32_t i = 0; i < p.count; i++) {
        double way_sq = 0;
        for (int a = 0; a < 3; a++) way_sq += pow((double)p.position[i][a] - center[a], 2);
        if (way_sq > reach * reach) continue;
        sum += (double)p.pressure[i];
        count++;
    }
    return count > 0 ? sum / count : 0;
}

static rn_result float_free(rni_lab *lab, rn_fluid_tension tension, double end, rni_lab_trace *trace)
{
    double spacing = lab->is_quick ? SIDE / 8 : SIDE / 20, middle = 2 * SIDE;
    double low = middle - SIDE / 2, high = middle + SIDE / 2;
    rn_fluid_def def = rni_lab_water_def(lab, 3, spacing, (double[]){4 * SIDE, 4 * SIDE, 4 * SIDE});
    for (int a = 0; a < 3; a++) def.params.gravity[a] = 0;
    def.speed_expected = 1;
    def.params.tension = tension;
    def.params.cohesion = 0.2f;
    def.params.curvature = 0.5f;
    def.params.surface_tension = (float)SIGMA;
    def.params.numerical_viscosity = 0.5f;
    rn_fluid *fluid = NULL;
    rn_result result =
        rni_lab_water_make(&def, (double[]){low, low, low}, (double[]){high, high, high}, 0, &fluid);
    rn_fluid_report report = rn_fluid_report_default();
    for (double next = 0; result == RN_OK && next <= end + 1e-9; next += end / 20) {
        do result = rn_fluid_step(fluid, &report);
        while (result == RN_OK && report.time < next);
        if (result == RN_OK) result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) break;
        double round = roundness(fluid, spacing);
        rni_lab_table_text(&lab->table, rn_fluid_choice_name(RN_CHOICE_TENSION, tension));
        rni_lab_table_number(&lab->table, report.time);
        rni_lab_table_number(&lab->table, round);
        rni_lab_table_number(&lab->table, rni_lab_water_rms(fluid, &report));
        rni_lab_table_number(&lab->table, drift(fluid));
        rni_lab_table_number(&lab->table, pressure_inside(fluid, 0.31 * SIDE));
        result = rni_lab_trace_add(trace, report.time, round);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static void conclude(rni_lab *lab)
{
    const rni_lab_table *t = &lab->table;
    uint32_t half = t->row_count / 2, last = t->row_count - 1;
    double akinci = rni_lab_table_at(t, half - 1, ROUNDNESS);
    double color = rni_lab_table_at(t, last, ROUNDNESS), first = rni_lab_table_at(t, 0, ROUNDNESS);
    bool is_akinci = akinci < 1.15, is_color = color < 1.15;
    double radius = SIDE * cbrt(3 / (4 * RNI_PI));
    const char *verdict = rni_lab_verdict(is_akinci && is_color, is_akinci || is_color);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a cube of water becomes round %s here: the ratio of the longest to the "
        "shortest distance from the centre to the surface goes from %.2f to %.2f with Akinci's "
        "surface tension and to %.2f with the colour field; at the end the mean speed is %.4f "
        "and %.4f m/s, and the centre of mass drifts at %.1e and %.1e m/s without an external "
        "force; with the colour field the pressure inside is %.0f Pa, and the Young-Laplace equation gives 2 sigma / R = %.0f Pa.",
        verdict, first, akinci, color, rni_lab_table_at(t, half - 1, SPEED),
        rni_lab_table_at(t, last, SPEED), rni_lab_table_at(t, half - 1, DRIFT),
        rni_lab_table_at(t, last, DRIFT), rni_lab_table_at(t, last, PRESSURE), 2 * SIGMA / radius);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_traces traces = {0};
    rn_result result = RN_OK;
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 2);
    for (int k = RN_TENSION_AKINCI; k <= RN_TENSION_COLOR_FIELD && result == RN_OK; k++) {
        const char *name = rn_fluid_choice_name(RN_CHOICE_TENSION, (uint32_t)k);
        rni_lab_step(lab, name);
        result = float_free(lab, (rn_fluid_tension)k, lab->is_quick ? 2 : 4,
                            rni_lab_trace_begin(&traces, "%s", name));
    }
    rni_chart chart = {.title = "A cube of water becomes round",
                       .x_label = "time, s",
                       .y_label = "longest / shortest distance from the centre to the surface"};
    if (result == RN_OK) conclude(lab);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_drop = {
    .name = "drop",
    .summary = "a cube of water becomes round with both models of surface tension",
    .source = "Akinci et al. 2013 in Wichert et al. 2021; Grahn 2008",
    .claim = "surface tension makes a cube of water round",
    .run = run,
};
