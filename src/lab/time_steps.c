/* The sweep over time steps of Wichert et al. 2021, explicit Euler against leapfrog: which runs stay calm,
 * gain energy or explode. The library would split a failed step; a run in which that happens counts as
 * exploded and ends. */
#include "lab/water.h"
#include "scene/scene.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCENE "papers/water-channel-2021"

enum { INTEGRATOR, STEP, OUTCOME, EXPLODES, DENSITY, ENERGY, SPEED, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"integrator", "integrator", true, 0},
    {"time_step_s", "time step s", false, 3},
    {"outcome", "outcome", true, 0},
    {"explodes_s", "explodes at s", false, 3},
    {"density_max", "max. density / rest", false, 3},
    {"energy_last", "final energy, % of initial", false, 3},
    {"speed_rms", "mean speed m/s", false, 3},
};

static const rn_fluid_integrator integrators[] = {RN_INTEGRATOR_EULER, RN_INTEGRATOR_LEAPFROG};

/* The charts: one curve per run. */
typedef struct pictures {
    rni_lab_traces energy, density;
} pictures;

/* The outcome of a run. */
typedef struct outcome {
    double exploded; /* s; NaN: it did not */
    double density, energy, rms;
} outcome;

static rn_result open_scene(rni_lab *lab, rn_fluid_integrator integrator, double step,
                            rn_fluid **fluid)
{
    char settings[2][64];
    const char *list[4] = {settings[0], settings[1],
                           "blocks=[{\"low\":[0,0,0],\"high\":[0.4,0.8,0.4]}]",
                           "domain.high=0.8,1.6,0.8"};
    snprintf(settings[0], sizeof settings[0], "time.integrator=%s",
             rn_fluid_choice_name(RN_CHOICE_INTEGRATOR, integrator));
    snprintf(settings[1], sizeof settings[1], "time.step=%g", step);
    rni_scene *scene = NULL;
    rni_scene_how how = {.threads = lab->threads};
    rn_result result = rni_scene_load(SCENE, list, lab->is_quick ? 4 : 2, &scene, NULL);
    if (result == RN_OK) result = rni_scene_build(scene, &how, fluid, NULL);
    rni_scene_free(scene);
    return result;
}

static rn_result flow(rn_fluid *fluid, double end, pictures *p, outcome *o)
{
    rni_lab_trace *energies = &p->energy.of[p->energy.count - 1];
    rni_lab_trace *densities = &p->density.of[p->density.count - 1];
    rn_result result = RN_OK;
    double first = 0, next = 0;
    o->exploded = (double)NAN;
    while (result == RN_OK && rn_fluid_get_time(fluid) < end) {
        rn_fluid_report report = rn_fluid_report_default();
        double time = rn_fluid_get_time(fluid);
        result = rn_fluid_step(fluid, &report);
        if (result == RN_ERROR_LIMIT || (result == RN_OK && report.flags & RN_FLAG_RETRIED)) {
            o->exploded = time;
            return RN_OK;
        }
        if (result != RN_OK) return result;
        double energy = report.kinetic + report.potential + report.elastic;
        if (report.step == 1) first = energy;
        o->density = fmax(o->density, (double)report.density_max);
        o->energy = energy / first;
        o->rms = rni_lab_water_rms(fluid, &report);
        if (report.time < next) continue;
        next += end / 200;
        result = rni_lab_trace_add(energies, report.time, 100 * energy / first);
        if (result == RN_OK)
            result = rni_lab_trace_add(densities, report.time, (double)report.density_max);
    }
    return result;
}

/* A stable run loses energy: it starts as a block that collapses. */
static const char *name_of(const outcome *o)
{
    if (!isnan(o->exploded)) return "explodes";
    return o->energy <= 1 ? "calm" : "gains energy";
}

static rn_result try_step(rni_lab *lab, rn_fluid_integrator integrator, double step, double end,
                          pictures *p)
{
    const char *name = rn_fluid_choice_name(RN_CHOICE_INTEGRATOR, integrator);
    rn_fluid *fluid = NULL;
    outcome o = {0};
    rni_lab_trace_begin(&p->density, "%s, %g ms", name, 1e3 * step);
    rni_lab_step(lab, rni_lab_trace_begin(&p->energy, "%s, %g ms", name, 1e3 * step)->name);
    rn_result result = open_scene(lab, integrator, step, &fluid);
    if (result == RN_OK) result = flow(fluid, end, p, &o);
    if (result == RN_OK) result = rni_lab_table_row(&lab->table);
    if (result == RN_OK) {
        rni_lab_table_text(&lab->table, name);
        rni_lab_table_number(&lab->table, step);
        rni_lab_table_text(&lab->table, name_of(&o));
        rni_lab_table_number(&lab->table, o.exploded);
        rni_lab_table_number(&lab->table, o.density);
        rni_lab_table_number(&lab->table, 100 * o.energy);
        rni_lab_table_number(&lab->table, o.rms);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result plot(const rni_lab *lab, const pictures *p)
{
    rni_chart chart = {.title = "Time steps: energy in the system of Wichert et al. 2021",
                       .subtitle = "a curve ends where its run explodes",
                       .x_label = "time, s",
                       .y_label = "energy, % of the first"};
    rn_result result = rni_lab_traces_plot(lab, NULL, chart, &p->energy);
    chart.title = "Time steps: largest density in the system of Wichert et al. 2021";
    chart.y_label = "density, of rest";
    return result == RN_OK ? rni_lab_traces_plot(lab, "density", chart, &p->density) : result;
}

/* Sets the largest time step (s) that stayed calm and the smallest that exploded; 0: none. */
static void find_limits(const rni_lab_table *table, const char *integrator, double *calm,
                        double *explodes)
{
    *calm = *explodes = 0;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const rni_lab_value *row = table->values + (size_t)r * COLUMN_COUNT;
        if (strcmp(row[INTEGRATOR].text, integrator) != 0) continue;
        if (strcmp(row[OUTCOME].text, "explodes") == 0 && !(*explodes > 0))
            *explodes = row[STEP].number;
        if (strcmp(row[OUTCOME].text, "calm") == 0 && !(*explodes > 0)) *calm = row[STEP].number;
    }
}

static void conclude(rni_lab *lab)
{
    double euler, leapfrog, euler_bad, leapfrog_bad;
    char euler_end[64] = "none of its runs explodes", leapfrog_end[64] = "none of its runs explodes";
    find_limits(&lab->table, "euler", &euler, &euler_bad);
    find_limits(&lab->table, "leapfrog", &leapfrog, &leapfrog_bad);
    if (euler_bad > 0) snprintf(euler_end, sizeof euler_end, "it explodes at %g s", euler_bad);
    if (leapfrog_bad > 0)
        snprintf(leapfrog_end, sizeof leapfrog_end, "it explodes at %g s", leapfrog_bad);
    bool is_stable = leapfrog >= 0.006, is_better = euler < 0.006;
    const char *verdict = rni_lab_verdict(is_stable && is_better, is_stable || is_better);
    rni_lab_conclude(
        lab, verdict,
        "The claim that leapfrog is stable up to 0.006 s and Euler is not %s here: "
        "of the time steps tried, leapfrog stays stable up to %g s and %s; Euler stays stable "
        "up to %g s and %s.",
        verdict, leapfrog, leapfrog_end, euler, euler_end);
}

static rn_result run(rni_lab *lab)
{
    static const double full[] = {0.002, 0.004, 0.006, 0.008, 0.012, 0.016, 0.02, 0.024};
    static const double quick[] = {0.006, 0.012, 0.024};
    const double *steps = lab->is_quick ? quick : full;
    uint32_t count = lab->is_quick ? 3 : 8;
    pictures p = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 2 * count);
    rn_result result = RN_OK;
    for (int k = 0; k < 2; k++)
        for (uint32_t s = 0; s < count && result == RN_OK; s++)
            result = try_step(lab, integrators[k], steps[s], lab->is_quick ? 1 : 4, &p);
    if (result == RN_OK) result = plot(lab, &p);
    if (result == RN_OK) conclude(lab);
    rni_lab_traces_release(&p.energy);
    rni_lab_traces_release(&p.density);
    return result;
}

const rni_lab_experiment rni_lab_time_steps = {
    .name = "time-steps",
    .summary = "time steps from stable to exploding, explicit Euler against leapfrog",
    .source = "Wichert et al. 2021",
    .claim = "leapfrog is stable up to time steps of 0.006 s, explicit Euler is not",
    .run = run,
};
