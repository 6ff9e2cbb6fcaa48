/* A plane jet without gravity on a plate: pressure at the centre of the plate, as a sensor reads it,
 * and the force on the plate. */
#include "lab/cases.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define BREADTH 0.2               /* m: b, of the jet */
#define SPEED   1.0               /* m / s */
#define LENGTH  (11 * BREADTH)    /* m, of the jet */
#define HEIGHT  (7 * BREADTH)     /* m, of the plate; both ends are open */
#define UNIT    (BREADTH / SPEED) /* s */
#define STEADY  3.0               /* UNIT after the impact: means are taken from here ... */
#define END     8.0               /* ... to here */

enum { ACROSS, PARTICLES, PRESSURE, NOISE, FORCE, FORCE_NOISE, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"across", "particles across", false, 0},           {"particles", "particles", false, 0},
    {"pressure", "pressure / (rho U^2 / 2)", false, 4}, {"noise", "rms noise", false, 2},
    {"force", "force / (rho U^2 b)", false, 4},         {"force_noise", "rms noise", false, 2},
};

/* Mean and deviation, weighted by time steps. */
typedef struct mean {
    double weight, sum, squares;
} mean;

static void mean_add(mean *m, double value, double weight)
{
    m->weight += weight, m->sum += weight * value, m->squares += weight * value * value;
}

static double mean_of(const mean *m)
{
    return m->sum / m->weight;
}

static double deviation_of(const mean *m)
{
    return sqrt(fmax(m->squares / m->weight - pow(mean_of(m), 2), 0));
}

static rn_result watch(rni_lab_stream *s, rn_fluid *fluid, rni_lab_trace *trace)
{
    const double dynamic = 1000 * SPEED * SPEED / 2, began = rni_process_seconds();
    const rni_lab_sensor sensor =
        rni_lab_sensor_make(fluid, 2, BREADTH / s->across, (double[]){LENGTH, HEIGHT / 2, 0}, 0);
    mean pressures = {0}, forces = {0};
    rn_result result = RN_OK;
    while (result == RN_OK && rn_fluid_get_time(fluid) < END * UNIT) {
        rn_fluid_report report = rn_fluid_report_default();
        rn_solid_load load = rn_solid_load_default();
        result = rn_fluid_step(fluid, &report);
        if (result == RN_OK) result = rn_fluid_get_domain_load(fluid, &load);
        if (result != RN_OK) break;
        const double pressure = rni_lab_sensor_read(&sensor, fluid) / dynamic;
        if (trace) result = rni_lab_trace_add(trace, report.time / UNIT, pressure);
        if (report.time < STEADY * UNIT) continue;
        mean_add(&pressures, pressure, (double)report.time_step);
        mean_add(&forces, load.force[0] / (2 * dynamic * BREADTH), (double)report.time_step);
    }
    s->pressure = mean_of(&pressures), s->noise = deviation_of(&pressures);
    s->force = mean_of(&forces), s->force_noise = deviation_of(&forces);
    s->cost.simulated_s = rn_fluid_get_time(fluid);
    s->cost.processor_s = rni_process_seconds() - began;
    return result;
}

rn_result rni_lab_stream_run(const rni_lab *lab, rni_lab_stream *s, rni_lab_trace *trace)
{
    const double spacing = BREADTH / s->across;
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, (double[]){LENGTH, HEIGHT, 0});
    def.open[0][0] = def.open[1][0] = def.open[1][1] = true;
    def.params.gravity[1] = 0;
    def.speed_expected = (float)SPEED;
    def.measure_loads = true;
    rn_fluid_block block = rn_fluid_block_default();
    block.low[1] = (float)(HEIGHT / 2 - BREADTH / 2),
    block.high[1] = (float)(HEIGHT / 2 + BREADTH / 2);
    block.high[0] = (float)LENGTH;
    block.velocity[0] = (float)SPEED;
    /* A gap of a few spacings: the front arrives before STEADY counts. */
    block.high[0] -= (float)(4 * spacing);
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &block, NULL);
    if (result == RN_OK) {
        s->cost.particles = rn_fluid_get_arrays(fluid).count;
        result = watch(s, fluid, trace);
    }
    rn_fluid_destroy(fluid);
    return result;
}

/* --- the experiment ----------------------------------------------------------------------------- */

static rn_result add_row(rni_lab *lab, const rni_lab_stream *s)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, s->across);
    rni_lab_table_number(&lab->table, s->cost.particles);
    rni_lab_table_number(&lab->table, s->pressure);
    rni_lab_table_number(&lab->table, s->noise);
    rni_lab_table_number(&lab->table, s->force);
    rni_lab_table_number(&lab->table, s->force_noise);
    return RN_OK;
}

static void conclude(rni_lab *lab, const rni_lab_stream *fine)
{
    const bool is_right = fabs(fine->pressure - 1) <= 0.05, is_smooth = fine->noise <= 0.1;
    const char *verdict = rni_lab_verdict(is_right && is_smooth, is_right || is_smooth);
    rni_lab_conclude(lab, verdict,
                     "The claim that a jet has its stagnation pressure within 5 %% and a noise below "
                     "10 %% %s here: with %u particles across, the pressure at the centre of the "
                     "plate is %.3f +- %.3f rho U^2 / 2, and the force %.3f +- %.3f rho U^2 b.",
                     verdict, fine->across, fine->pressure, fine->noise, fine->force,
                     fine->force_noise);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t across[] = {10, 20, 40};
    rni_lab_stream cases[3];
    const uint32_t count = lab->is_quick ? 2 : 3;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        cases[k] = (rni_lab_stream){.across = across[k]};
        rni_lab_trace *trace =
            rni_lab_begin_traced_case(lab, &traces, "%u particles across", across[k]);
        result = rni_lab_stream_run(lab, &cases[k], trace);
        if (result == RN_OK) result = add_row(lab, &cases[k]);
    }
    rni_chart chart = {.title = "A jet on a plate",
                       .subtitle = "pressure at the centre, means over two spacings; exact: 1",
                       .x_label = "time, b / U",
                       .y_label = "pressure / (rho U^2 / 2)"};
    if (result == RN_OK) conclude(lab, &cases[count - 1]);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_jet = {
    .name = "jet",
    .summary = "a jet on a plate: pressure at the centre and force, against rho U^2 / 2 and rho U^2 b",
    .source = "exact",
    .claim = "a steady jet on a plate has its stagnation pressure within 5 %, with a noise below 10 %",
    .run = run,
};
