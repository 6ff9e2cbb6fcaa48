/* Every preset on reduced versions of the cases of the other experiments: error and cost. */
#include "lab/cases.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PRESETS 3

enum { PRESET, CASE, VALUE, EXACT, ERROR, COST, RELATIVE, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"preset", "preset", true, 0},          {"case", "case", true, 0},
    {"value", "value", false, 4},           {"exact", "exact", false, 4},
    {"error_percent", "error %", false, 3}, {"cpu_ms_per_s", "CPU ms / simulated s", false, 3},
    {"cost", "cost / balanced", false, 3},
};

/* What a case has measured. */
typedef struct outcome {
    double value, exact; /* exact 0: the error is the value itself */
    rni_lab_cost cost;
    double noise; /* of the jet */
} outcome;

static rn_result wave(const rni_lab *lab, uint32_t dim, outcome *out)
{
    rni_lab_wave w = {.dim = dim,
                      .spacing = lab->is_quick ? 0.05
                                 : dim == 3    ? 0.02
                                               : 0.0125,
                      .depth = dim == 3 ? 0.25 : 0.5,
                      .periods = lab->is_quick ? 2 : 4};
    rn_result result = rni_lab_wave_run(lab, &w, NULL);
    *out = (outcome){w.period, w.exact_period, w.cost, 0};
    return result;
}

static rn_result wave_2d(const rni_lab *lab, outcome *out)
{
    return wave(lab, 2, out);
}

static rn_result wave_3d(const rni_lab *lab, outcome *out)
{
    return wave(lab, 3, out);
}

static rn_result lean(const rni_lab *lab, outcome *out)
{
    rni_lab_leaning l = {.dim = lab->is_quick ? 2 : 3,
                         .spacing = lab->is_quick ? 0.1 : 0.025,
                         .depth = lab->is_quick ? 0.5 : 0.25};
    rn_result result = rni_lab_leaning_run(lab, &l, NULL);
    *out = (outcome){l.level, 1, l.cost, 0};
    return result;
}

static rn_result vortices(const rni_lab *lab, outcome *out)
{
    rni_lab_vortices v = {
        .side = lab->is_quick ? 32 : 64, .is_perturbed = true, .seconds = lab->is_quick ? 0.4 : 1};
    rn_result result = rni_lab_vortices_run(lab, &v, NULL);
    *out = (outcome){v.viscosity, 0.01, v.cost, 0};
    return result;
}

static rn_result shear(const rni_lab *lab, outcome *out)
{
    rni_lab_shear s = {.across = lab->is_quick ? 10 : 20};
    rn_result result = rni_lab_shear_run(lab, &s, NULL);
    *out = (outcome){rni_lab_shear_worst(&s), 0, s.cost, 0};
    return result;
}

static rn_result stream(const rni_lab *lab, outcome *out)
{
    rni_lab_stream s = {.across = lab->is_quick ? 8 : 20};
    rn_result result = rni_lab_stream_run(lab, &s, NULL);
    *out = (outcome){s.pressure, 1, s.cost, s.noise};
    return result;
}

static rn_result impact(const rni_lab *lab, outcome *out)
{
    rni_lab_impact_case c = {.spacing = lab->is_quick ? 0.03 : 0.01};
    rn_result result = rni_lab_impact_run(lab, &c, NULL);
    *out = (outcome){c.peak[0], 2, c.cost, 0};
    return result;
}

static rn_result still(const rni_lab *lab, outcome *out)
{
    rni_lab_still s = {.dim = 2,
                       .spacing = lab->is_quick ? 0.05 : 0.025,
                       .depth = 0.5,
                       .width = 0.5,
                       .seconds = lab->is_quick ? 1 : 5};
    rn_result result = rni_lab_still_run(lab, &s, NULL);
    *out = (outcome){s.noise, 0, s.cost, 0};
    return result;
}

/* Cases with the error that the accurate preset may have. */
static const struct trial {
    const char *name;
    double most;
    rn_result (*run)(const rni_lab *lab, outcome *out); /* NULL: the noise of the case before */
} trials[] = {
    {"wave period 2D", 0.02, wave_2d},
    {"wave period 3D", 0.02, wave_3d},
    {"leaned tank", 0.02, lean},
    {"vortex viscosity", 0.1, vortices},
    {"plates, L2", 0.02, shear},
    {"jet pressure", 0.05, stream},
    {"jet noise", 0.1, NULL},
    {"impact peak", 0.5, impact},
    {"still pressure noise", 0.05, still},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static double error_of(const outcome *out)
{
    return out->exact > 0 ? out->value / out->exact - 1 : out->value;
}

/* Rows by preset, then by case. */
static rn_result fill_table(rni_lab *lab, outcome out[PRESETS][TRIALS])
{
    rn_result result = RN_OK;
    for (uint32_t p = 0; p < PRESETS; p++)
        for (uint32_t t = 0; t < TRIALS && result == RN_OK; t++) {
            const outcome *o = &out[p][t];
            result = rni_lab_table_row(&lab->table);
            if (result != RN_OK) return result;
            rni_lab_table_text(&lab->table, rn_fluid_choice_name(RN_CHOICE_PRESET, p));
            rni_lab_table_text(&lab->table, trials[t].name);
            rni_lab_table_number(&lab->table, o->value);
            rni_lab_table_number(&lab->table, o->exact);
            rni_lab_table_number(&lab->table, 100 * error_of(o));
            rni_lab_table_number(&lab->table, rni_lab_cost_ms(&o->cost));
            rni_lab_table_number(&lab->table, rni_lab_cost_ms(&o->cost) /
                                                  rni_lab_cost_ms(&out[RN_PRESET_BALANCED][t].cost));
        }
    return result;
}

static rn_result plot(const rni_lab *lab, outcome out[PRESETS][TRIALS])
{
    rni_lab_traces traces = {0};
    rn_result result = RN_OK;
    for (uint32_t p = 0; p < PRESETS; p++) {
        rni_lab_trace *trace =
            rni_lab_trace_begin(&traces, "%s", rn_fluid_choice_name(RN_CHOICE_PRESET, p));
        trace->is_points = true;
        for (uint32_t t = 0; t < TRIALS && result == RN_OK; t++)
            result = rni_lab_trace_add(trace, t + 1, 100 * fabs(error_of(&out[p][t])));
    }
    rni_chart chart = {.title = "Presets",
                       .subtitle = "cases in the order of the table",
                       .x_label = "case",
                       .y_label = "error, %",
                       .y_log = true};
    if (result == RN_OK) result = rni_lab_traces_plot(lab, NULL, chart, &traces);
    rni_lab_traces_release(&traces);
    return result;
}

/* Geometric mean over the cases. */
static double cost_of(outcome out[PRESETS][TRIALS], uint32_t preset)
{
    double sum = 0;
    for (uint32_t t = 0; t < TRIALS; t++)
        sum += log(rni_lab_cost_ms(&out[preset][t].cost) /
                   rni_lab_cost_ms(&out[RN_PRESET_BALANCED][t].cost));
    return exp(sum / TRIALS);
}

static void conclude(rni_lab *lab, outcome out[PRESETS][TRIALS])
{
    uint32_t passed[PRESETS] = {0};
    for (uint32_t p = 0; p < PRESETS; p++)
        for (uint32_t t = 0; t < TRIALS; t++)
            passed[p] += fabs(error_of(&out[p][t])) <= trials[t].most;
    const double accurate = cost_of(out, RN_PRESET_ACCURATE), live = cost_of(out, RN_PRESET_LIVE);
    const bool is_right = passed[RN_PRESET_ACCURATE] == TRIALS;
    const bool is_cheap = accurate <= 5 && live < 1;
    const char *verdict = rni_lab_verdict(is_right && is_cheap, is_right || is_cheap);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the accurate preset passes every case, at up to 5 times the cost "
        "of the balanced one, and that the live one is cheaper, %s here: of %d cases, live "
        "passes %u, balanced %u and accurate %u; live costs %.2f and accurate %.2f times as "
        "much as balanced.",
        verdict, (int)TRIALS, passed[RN_PRESET_LIVE], passed[RN_PRESET_BALANCED],
        passed[RN_PRESET_ACCURATE], live, accurate);
}

static rn_result run(rni_lab *lab)
{
    outcome out[PRESETS][TRIALS];
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, PRESETS * TRIALS);
    rn_result result = RN_OK;
    for (uint32_t t = 0; t < TRIALS && result == RN_OK; t++)
        for (uint32_t p = 0; p < PRESETS && result == RN_OK; p++) {
            rni_lab with = *lab;
            with.preset = (rn_fluid_preset)p;
            rni_lab_begin_case(lab, "%s, %s", trials[t].name,
                               rn_fluid_choice_name(RN_CHOICE_PRESET, p));
            if (trials[t].run) result = trials[t].run(&with, &out[p][t]);
            else out[p][t] = (outcome){out[p][t - 1].noise, 0, out[p][t - 1].cost, 0};
        }
    if (result == RN_OK) result = fill_table(lab, out);
    if (result == RN_OK) result = plot(lab, out);
    if (result == RN_OK) conclude(lab, out);
    return result;
}

const rni_lab_experiment rni_lab_presets = {
    .name = "presets",
    .summary = "every preset on reduced versions of the cases above: error and cost",
    .source = "Runnel",
    .claim = "the accurate preset passes every case, at up to 5 times the cost of the balanced one, "
             "and the live one is cheaper",
    .run = run,
};
