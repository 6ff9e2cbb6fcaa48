/* A blob of oil in water: it rises, lies on top, and stays there. */
#include "lab/water.h"

#include <math.h>
#include <stdio.h>

#define WIDTH  1.0  /* m, of the tank */
#define DEPTH  0.8  /* m, of both fluids */
#define RADIUS 0.2  /* m, of the blob at the start */
#define LOW    0.3  /* m: its centre */
#define RISEN  10.0 /* s: it has come to the top */

enum { RATIO, SPACING, PARTICLES, TOP_AT_10, TOP_AT_END, SPEED_AT_10, SPEED_AT_END, COLUMN_COUNT };
static const rni_lab_column columns[COLUMN_COUNT] = {
    {"density_ratio", "density ratio", false, 3},
    {"spacing_m", "spacing m", false, 3},
    {"particles", "particles", false, 0},
    {"top_at_10_percent", "on top at 10 s %", false, 3},
    {"top_at_end_percent", "on top at the end %", false, 3},
    {"speed_at_10", "rms speed at 10 s m/s", false, 2},
    {"speed_at_end", "rms speed at the end m/s", false, 2},
};

typedef struct blob_case {
    double ratio, spacing, end;
    double top[2], speed[2]; /* at RISEN and at the end */
    uint32_t particles;
} blob_case;

/* Share of the oil that is above the water's level, less two spacings. */
static double share_on_top(const rn_fluid *fluid, double spacing)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    rn_fluid_span numbers;
    rn_phase_report oil = rn_phase_report_default();
    if (rn_fluid_get_attribute(fluid, "fluid", &numbers) != RN_OK ||
        rn_fluid_get_phase_report(fluid, 1, &oil) != RN_OK)
        return (double)NAN;
    const double level = DEPTH - oil.volume / WIDTH - 2 * spacing;
    uint32_t above = 0;
    for (uint32_t i = 0; i < p.count; i++)
        above += ((const uint32_t *)numbers.data)[i] == 1 && (double)p.position[i][1] > level;
    return (double)above / fmax(1, oil.particles);
}

static rn_result rise(blob_case *c, rn_fluid *fluid, rni_lab_trace *trace)
{
    rn_result result = RN_OK;
    double next = 0, speed_sq = 0;
    uint32_t samples = 0;
    for (int k = 0; k < 2 && result == RN_OK; k++) {
        const double until = k == 0 ? RISEN : c->end;
        speed_sq = 0, samples = 0;
        while (result == RN_OK && rn_fluid_get_time(fluid) < until) {
            rn_fluid_report report = rn_fluid_report_default();
            result = rn_fluid_step(fluid, &report);
            if (result != RN_OK || report.time < next) continue;
            next += 0.05;
            result = rni_lab_trace_add(trace, report.time, 100 * share_on_top(fluid, c->spacing));
            if (report.time > until - 2)
                speed_sq += pow(rni_lab_water_rms(fluid, &report), 2), samples++;
        }
        c->top[k] = share_on_top(fluid, c->spacing);
        c->speed[k] = sqrt(speed_sq / fmax(1, samples));
    }
    c->particles = rn_fluid_get_arrays(fluid).count;
    return result;
}

static rn_result run_case(const rni_lab *lab, blob_case *c, rni_lab_trace *trace)
{
    const rn_fluid_def def =
        rni_lab_two_def(lab, c->spacing, (double[]){WIDTH, 1.3 * DEPTH, 0}, c->ratio);
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = (float)WIDTH, block.high[1] = (float)DEPTH;
    rn_fluid_ball ball = rn_fluid_ball_default();
    ball.center[0] = (float)(0.4 * WIDTH), ball.center[1] = (float)LOW;
    ball.radius = (float)RADIUS, ball.phase = 1;
    if (result == RN_OK) result = rn_fluid_add_block(fluid, &block, NULL);
    if (result == RN_OK) result = rn_fluid_add_ball(fluid, &ball, NULL);
    if (result == RN_OK) result = rise(c, fluid, trace);
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result add_row(rni_lab *lab, const blob_case *c)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    const double values[COLUMN_COUNT] = {c->ratio,        c->spacing,      c->particles,
                                         100 * c->top[0], 100 * c->top[1], c->speed[0],
                                         c->speed[1]};
    for (uint32_t k = 0; k < COLUMN_COUNT; k++) rni_lab_table_number(&lab->table, values[k]);
    return RN_OK;
}

static void conclude(rni_lab *lab, const blob_case *cases, uint32_t count)
{
    bool is_up = true, is_staying = true;
    char list[512] = "";
    for (uint32_t k = 0, used = 0; k < count && used < sizeof list; k++) {
        is_up = is_up && cases[k].top[1] >= 0.95;
        is_staying = is_staying && cases[k].top[1] >= cases[k].top[0] - 0.01 &&
                     cases[k].speed[1] <= 1.2 * cases[k].speed[0];
        used += (uint32_t)snprintf(list + used, sizeof list - used, "%s%.1f %% (1:%g, %g m, %g s)",
                                   k ? ", " : "", 100 * cases[k].top[1], cases[k].ratio,
                                   cases[k].spacing, cases[k].end);
    }
    const char *verdict = rni_lab_verdict(is_up && is_staying, is_up);
    rni_lab_conclude(
        lab, verdict,
        "The claim that oil floats up through water and stays there %s here: at the end %s of the oil lies "
        "in a layer on top, and the flow %s.",
        verdict, list, is_staying ? "has not grown" : "has grown");
}

static rn_result run(rni_lab *lab)
{
    blob_case full[] = {{.ratio = 1000.0 / 914, .spacing = 0.025, .end = 60},
                        {.ratio = 2, .spacing = 0.025, .end = 30},
                        {.ratio = 10, .spacing = 0.025, .end = 20}};
    blob_case quick[] = {{.ratio = 2, .spacing = 0.05, .end = 12},
                         {.ratio = 10, .spacing = 0.05, .end = 12}};
    blob_case *cases = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 3;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace = rni_lab_begin_traced_case(lab, &traces, "1:%.3g, %g m",
                                                         cases[k].ratio, cases[k].spacing);
        result = run_case(lab, &cases[k], trace);
        if (result == RN_OK) result = add_row(lab, &cases[k]);
    }
    rni_chart chart = {.title = "A blob of oil in water",
                       .subtitle = "a disc of 0.4 m in a tank 1 m wide and 0.8 m deep",
                       .x_label = "time, s",
                       .y_label = "oil in the layer on top, %"};
    if (result == RN_OK) conclude(lab, cases, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_oil_and_water = {
    .name = "oil-and-water",
    .summary = "a blob of oil that floats up through water, lies on top and stays there",
    .source = "Runnel",
    .claim =
        "oil floats up through water and stays there: at least 95 % of it lies in a layer on top, and the flow "
        "does not grow, for 60 s",
    .run = run,
};
