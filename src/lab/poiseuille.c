/* Flow between two plates from rest: the profile at several times against the exact series, and how
 * the error falls with the number of particles across. */
#include "lab/water.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 0.1  /* m between the plates */
#define NU    0.01 /* m^2 / s */
#define FORCE 0.01 /* m / s^2 along the plates */

static const double moments[] = {0.05, 0.1, 0.2, 0.5, 1}; /* of WIDTH^2 / NU */
enum { MOMENTS = sizeof moments / sizeof *moments };

enum { ACROSS, TIME, FASTEST, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"across", "particles across", false, 0},  {"time_s", "time s", false, 3},
    {"speed_max", "fastest mm/s", false, 4},   {"exact_max", "exact mm/s", false, 4},
    {"error_percent", "L2 error %", false, 3},
};

/* m / s at height y after t seconds: the parabola minus the transient. */
static double exact_speed(double y, double t)
{
    double speed = FORCE / (2 * NU) * y * (WIDTH - y);
    for (int k = 0; k < 40; k++) {
        double m = (2 * k + 1) * RNI_PI;
        speed -= 4 * FORCE * WIDTH * WIDTH / (NU * m * m * m) * sin(m * y / WIDTH) *
                 exp(-m * m * NU * t / (WIDTH * WIDTH));
    }
    return speed;
}

/* The row of this time; with traces not NULL also the profile, averaged over rows of particles. */
static rn_result look(rni_lab *lab, const rn_fluid *fluid, uint32_t across, rni_lab_traces *traces)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    double t = rn_fluid_get_time(fluid), error_sq = 0, exact_sq = 0, fastest = 0;
    double height[160] = {0}, speed[160] = {0}, count[160] = {0};
    for (uint32_t i = 0; i < p.count; i++) {
        double y = (double)p.position[i][1], v = (double)p.velocity[i][0], e = exact_speed(y, t);
        error_sq += (v - e) * (v - e);
        exact_sq += e * e;
        fastest = fmax(fastest, v);
        int row = (int)(y / WIDTH * across);
        if (row < 0 || row >= 160) continue;
        height[row] += y, speed[row] += v, count[row]++;
    }
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, across);
    rni_lab_table_number(&lab->table, t);
    rni_lab_table_number(&lab->table, 1e3 * fastest);
    rni_lab_table_number(&lab->table, 1e3 * exact_speed(WIDTH / 2, t));
    rni_lab_table_number(&lab->table, 100 * sqrt(error_sq / exact_sq));
    if (!traces) return RN_OK;
    rni_lab_trace *exact = rni_lab_trace_begin(traces, "series, %.2g s", t);
    for (int k = 0; k <= 60 && result == RN_OK; k++)
        result = rni_lab_trace_add(exact, 1e3 * WIDTH * k / 60, 1e3 * exact_speed(WIDTH * k / 60, t));
    rni_lab_trace *ours = rni_lab_trace_begin(traces, "particles, %.2g s", t);
    ours->is_points = true;
    for (int k = 0; k < 160 && result == RN_OK; k++)
        if (count[k] > 0)
            result = rni_lab_trace_add(ours, 1e3 * height[k] / count[k], 1e3 * speed[k] / count[k]);
    return result;
}

static rn_result flow(rni_lab *lab, uint32_t across, rni_lab_traces *traces)
{
    double spacing = WIDTH / across, length = spacing * fmax(ceil(0.5 * across), 8);
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, (double[]){length, WIDTH, 0});
    def.periodic[0] = true;
    def.domain_slip = RN_SLIP_NONE;
    def.params.gravity[0] = (float)FORCE, def.params.gravity[1] = 0;
    def.params.viscosity = (float)(1000 * NU);
    def.params.numerical_viscosity = 0;
    def.speed_expected = (float)(FORCE * WIDTH * WIDTH / (8 * NU));
    /* Implicit steps may be as long as the whole start, which they would then not follow. */
    if (lab->solver == RN_SOLVER_IMPLICIT)
        def.params.time_step_max = (float)(0.001 * WIDTH * WIDTH / NU);
    rn_fluid *fluid = NULL;
    rn_result result =
        rni_lab_water_make(&def, (double[]){0, 0, 0}, (double[]){length, WIDTH, 0}, 0, &fluid);
    for (int m = 0; m < MOMENTS && result == RN_OK; m++) {
        while (result == RN_OK && rn_fluid_get_time(fluid) < moments[m] * WIDTH * WIDTH / NU)
            result = rn_fluid_step(fluid, NULL);
        if (result == RN_OK) result = look(lab, fluid, across, traces);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result plot(const rni_lab *lab, const rni_lab_traces *profile, uint32_t sizes)
{
    rni_chart chart = {.title = "Flow between two plates",
                       .subtitle = "from rest, 0.1 m apart, nu = 0.01 m^2/s, 0.01 m/s^2",
                       .x_label = "distance from one plate, mm",
                       .y_label = "speed, mm/s"};
    rn_result result = rni_lab_traces_plot(lab, NULL, chart, profile);
    rni_lab_traces errors = {0};
    for (int m = 0; m < MOMENTS && result == RN_OK; m++) {
        rni_lab_trace *trace = rni_lab_trace_begin(&errors, "%.2g s", moments[m]);
        for (uint32_t s = 0; s < sizes && result == RN_OK; s++)
            result = rni_lab_trace_add(
                trace, rni_lab_table_at(&lab->table, s * MOMENTS + (uint32_t)m, ACROSS),
                rni_lab_table_at(&lab->table, s * MOMENTS + (uint32_t)m, ERROR));
    }
    chart = (rni_chart){.title = "Flow between two plates: the error falls with resolution",
                        .x_label = "particles across",
                        .y_label = "L2 error of the speed, %",
                        .x_log = true,
                        .y_log = true};
    if (result == RN_OK) result = rni_lab_traces_plot(lab, "error", chart, &errors);
    rni_lab_traces_release(&errors);
    return result;
}

/* The largest error of all moments at one size. */
static double worst_of(const rni_lab_table *table, uint32_t size)
{
    double worst = 0;
    for (uint32_t m = 0; m < MOMENTS; m++)
        worst = fmax(worst, rni_lab_table_at(table, size * MOMENTS + m, ERROR));
    return worst;
}

static void conclude(rni_lab *lab, const uint32_t *across, uint32_t sizes)
{
    double coarse = worst_of(&lab->table, 0), fine = worst_of(&lab->table, sizes - 1);
    double order = log(coarse / fine) / log((double)across[sizes - 1] / across[0]);
    bool is_falling = true;
    for (uint32_t s = 1; s < sizes; s++)
        is_falling &= worst_of(&lab->table, s) < worst_of(&lab->table, s - 1);
    const char *verdict = rni_lab_verdict(fine <= 2 && is_falling, fine <= 2 || is_falling);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the flow between plates follows the series within 2 %% %s "
        "here: the largest L2 error at five times is %.2f %% with %u particles across and %.2f "
        "%% with %u, a convergence order of %.2f; at the end the error is %.2f %% with %u.",
        verdict, coarse, across[0], fine, across[sizes - 1], order,
        rni_lab_table_at(&lab->table, sizes * MOMENTS - 1, ERROR), across[sizes - 1]);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t across[] = {10, 20, 40};
    uint32_t sizes = lab->is_quick ? 2 : 3;
    rni_lab_traces profile = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, sizes);
    rn_result result = RN_OK;
    for (uint32_t s = 0; s < sizes && result == RN_OK; s++) {
        rni_lab_begin_case(lab, "%u particles across", across[s]);
        result = flow(lab, across[s], across[s] == 20 ? &profile : NULL);
    }
    if (result == RN_OK) result = plot(lab, &profile, sizes);
    if (result == RN_OK) conclude(lab, across, sizes);
    rni_lab_traces_release(&profile);
    return result;
}

const rni_lab_experiment rni_lab_poiseuille = {
    .name = "poiseuille",
    .summary = "flow between two plates, started from rest, against the exact series",
    .source = "exact",
    .claim = "the speed between two plates follows the series within 2 % and converges with "
             "resolution",
    .run = run,
};
