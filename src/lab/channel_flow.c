/* Steady flow of power-law fluids between two plates: the profile against the exact one. */
#include "lab/water.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define WIDTH        0.1  /* m between the plates */
#define FACTOR       10.0 /* Pa s^n */
#define SPEED        0.05 /* m / s in the middle */
#define LENGTH_SHARE 0.5
#define SECONDS      8.0 /* until the flow is steady */

enum { INDEX, ACROSS, FASTEST, EXACT, ERROR, ITERATIONS, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"flow_index", "flow index", false, 2},    {"across", "particles across", false, 0},
    {"speed_max", "fastest mm/s", false, 4},   {"exact_max", "exact mm/s", false, 4},
    {"error_percent", "L2 error %", false, 3}, {"iterations", "iterations", false, 3},
};

/* m / s at height y: zero at the plates, SPEED in the middle. */
static double exact_speed(double n, double y)
{
    return SPEED * (1 - pow(fabs(2 * y / WIDTH - 1), (n + 1) / n));
}

/* m / s^2 along the plates: the exact profile has this force. */
static double force_of(double n)
{
    return FACTOR / 1000 * pow(SPEED * (n + 1) / n / pow(WIDTH / 2, (n + 1) / n), n);
}

static rn_result make(const rni_lab *lab, double n, uint32_t across, rn_fluid **fluid)
{
    const double spacing = WIDTH / across, length = spacing * fmax(ceil(LENGTH_SHARE * across), 8);
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, (double[]){length, WIDTH, 0});
    def.periodic[0] = true;
    def.domain_slip = RN_SLIP_NONE;
    def.params.gravity[0] = (float)force_of(n), def.params.gravity[1] = 0;
    def.params.viscosity = (float)FACTOR;
    def.params.viscosity_law = RN_LAW_POWER;
    def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
    def.params.flow_index = (float)n;
    def.params.numerical_viscosity = 0;
    def.speed_expected = (float)SPEED;
    return rni_lab_water_make(&def, (double[]){0, 0, 0}, (double[]){length, WIDTH, 0}, 0, fluid);
}

static rn_result look(rni_lab *lab, const rn_fluid *fluid, double n, uint32_t across,
                      double iterations)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double error_sq = 0, exact_sq = 0, fastest = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        const double v = (double)p.velocity[i][0], e = exact_speed(n, (double)p.position[i][1]);
        error_sq += (v - e) * (v - e), exact_sq += e * e;
        fastest = fmax(fastest, v);
    }
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, n);
    rni_lab_table_number(&lab->table, across);
    rni_lab_table_number(&lab->table, 1e3 * fastest);
    rni_lab_table_number(&lab->table, 1e3 * SPEED);
    rni_lab_table_number(&lab->table, 100 * sqrt(error_sq / exact_sq));
    rni_lab_table_number(&lab->table, iterations);
    return RN_OK;
}

static rn_result draw(const rn_fluid *fluid, double n, rni_lab_traces *traces)
{
    rn_result result = RN_OK;
    rni_lab_trace *exact = rni_lab_trace_begin(traces, "exact, n = %.1f", n);
    for (int k = 0; k <= 60 && result == RN_OK; k++)
        result = rni_lab_trace_add(exact, 1e3 * WIDTH * k / 60, 1e3 * exact_speed(n, WIDTH * k / 60));
    rni_lab_trace *ours = rni_lab_trace_begin(traces, "particles, n = %.1f", n);
    ours->is_points = true;
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    for (uint32_t i = 0; i < p.count && result == RN_OK; i += 5)
        result =
            rni_lab_trace_add(ours, 1e3 * (double)p.position[i][1], 1e3 * (double)p.velocity[i][0]);
    return result;
}

static rn_result flow(rni_lab *lab, double n, uint32_t across, rni_lab_traces *traces)
{
    rn_fluid *fluid = NULL;
    double iterations = 0, steps = 0;
    rn_result result = make(lab, n, across, &fluid);
    while (result == RN_OK && rn_fluid_get_time(fluid) < SECONDS) {
        rn_fluid_report report = rn_fluid_report_default();
        result = rn_fluid_step(fluid, &report);
        iterations += report.viscosity_iterations, steps++;
    }
    if (result == RN_OK) result = look(lab, fluid, n, across, iterations / steps);
    if (result == RN_OK && traces) result = draw(fluid, n, traces);
    rn_fluid_destroy(fluid);
    return result;
}

static void conclude(rni_lab *lab, uint32_t finest)
{
    const rni_lab_table *table = &lab->table;
    double worst = 0;
    for (uint32_t r = 0; r < table->row_count; r++)
        if (rni_lab_table_at(table, r, ACROSS) == finest)
            worst = fmax(worst, rni_lab_table_at(table, r, ERROR));
    const char *verdict = worst <= 3 ? "holds" : "does not hold";
    rni_lab_conclude(lab, verdict,
                     "The claim that fluids which thin or thicken have the exact profile between two "
                     "plates within 3 %% %s here: the largest L2 error with %u particles across is "
                     "%.2f %%.",
                     verdict, finest, worst);
}

static rn_result run(rni_lab *lab)
{
    static const double index[] = {0.5, 1.5};
    static const uint32_t all_across[] = {20, 40};
    const uint32_t sizes = lab->is_quick ? 1 : 2, *across = all_across + (2 - sizes);
    rni_lab_traces profile = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 2 * sizes);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 2 * sizes && result == RN_OK; k++) {
        rni_lab_begin_case(lab, "flow index %.1f, %u particles across", index[k % 2], across[k / 2]);
        result = flow(lab, index[k % 2], across[k / 2], k / 2 == 0 ? &profile : NULL);
    }
    const rni_chart chart = {.title = "Power-law fluids between two plates",
                             .subtitle = "0.1 m apart, 10 Pa s^n",
                             .x_label = "distance from one plate, mm",
                             .y_label = "speed, mm/s"};
    if (result == RN_OK) result = rni_lab_traces_plot(lab, NULL, chart, &profile);
    if (result == RN_OK) conclude(lab, across[sizes - 1]);
    rni_lab_traces_release(&profile);
    return result;
}

const rni_lab_experiment rni_lab_channel_flow = {
    .name = "channel-flow",
    .summary = "steady flow of power-law fluids between two plates against the exact profiles",
    .source = "exact",
    .claim = "fluids that thin (n = 0.5) or thicken (n = 1.5) have the exact profile within 3 %",
    .run = run,
};
