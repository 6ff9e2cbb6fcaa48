/* A soak test of the system of Wichert et al. 2021: 32,768 particles at a time step of 0.006 s for a given
 * time, with every particle checked. */
#include "lab/water.h"
#include "scene/scene.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define SCENE     "papers/water-channel-2021"
#define TIME_STEP "time.step=0.006"
#define PARTS     30 /* rows of the table */

enum { MINUTE, SIMULATED, STEPS, OUTSIDE, NOT_FINITE, RESCUED, DENSITY, SPEED, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"wall_s", "wall s", false, 5},
    {"simulated_s", "simulated s", false, 5},
    {"steps", "steps", false, 0},
    {"outside", "outside", false, 0},
    {"not_finite", "not finite", false, 0},
    {"rescued_steps", "steps rescued", false, 0},
    {"density_max", "max. density / rest", false, 4},
    {"speed_max", "fastest m/s", false, 3},
};

/* Counts since the last row, and in total. */
typedef struct watch {
    uint64_t outside, not_finite, rescued;
    float density, speed;
    rn_fluid_report report; /* of the last step */
} watch;

static void look(const rn_fluid *fluid, watch *w)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    w->outside += rn_fluid_get_escaped_count(fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        bool is_finite = isfinite(p.density[i]) && isfinite(p.pressure[i]);
        for (int a = 0; a < 3; a++)
            is_finite = is_finite && isfinite(p.position[i][a]) && isfinite(p.velocity[i][a]);
        w->not_finite += !is_finite;
    }
}

static rn_result add_row(rni_lab *lab, const watch *w, double wall)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, wall);
    rni_lab_table_number(&lab->table, w->report.time);
    rni_lab_table_number(&lab->table, (double)w->report.step);
    rni_lab_table_number(&lab->table, (double)w->outside);
    rni_lab_table_number(&lab->table, (double)w->not_finite);
    rni_lab_table_number(&lab->table, (double)w->rescued);
    rni_lab_table_number(&lab->table, (double)w->density);
    rni_lab_table_number(&lab->table, (double)w->speed);
    return RN_OK;
}

static rn_result soak(rni_lab *lab, rn_fluid *fluid, double seconds, uint32_t parts, watch *all)
{
    double began = rni_seconds();
    rn_result result = RN_OK;
    for (uint32_t part = 1; part <= parts && result == RN_OK; part++) {
        rni_lab_begin_case(lab, "to %.0f s of %.0f s, %.0f s simulated", seconds * part / parts,
                           seconds, rn_fluid_get_time(fluid));
        all->density = all->speed = 0;
        do {
            result = rn_fluid_step(fluid, &all->report);
            if (result != RN_OK) break;
            all->rescued += (all->report.flags & RN_FLAG_RETRIED) != 0;
            all->density = fmaxf(all->density, all->report.density_max);
            all->speed = fmaxf(all->speed, all->report.speed_max);
            if (all->report.step % 10 == 0) look(fluid, all);
        } while (rni_seconds() - began < seconds * part / parts);
        look(fluid, all);
        if (result == RN_OK) result = add_row(lab, all, rni_seconds() - began);
    }
    return result;
}

static rn_result plot(const rni_lab *lab)
{
    rni_chart chart = {.title = "Soak test: the system of Wichert et al. 2021 at 0.006 s",
                       .subtitle = "largest density and speed in every interval",
                       .x_label = "simulated, s",
                       .y_label = "density / rest density; speed, m/s",
                       .y_from_zero = true};
    return rni_lab_plot_columns(lab, NULL, chart,
                                &(rni_lab_curves){.x = SIMULATED,
                                                  .y = (uint32_t[]){DENSITY, SPEED},
                                                  .names = (const char *[]){"densest", "fastest"},
                                                  .count = 2});
}

static rn_result run(rni_lab *lab)
{
    /* Less fluid with the same spacing, parameters and walls. */
    static const char *const settings[] = {
        TIME_STEP, "blocks=[{\"low\":[0,0,0],\"high\":[0.6,0.8,0.6]}]", "domain.high=1.2,1.6,1.2"};
    double seconds = lab->minutes > 0 ? 60 * lab->minutes : lab->is_quick ? 2 : 1800;
    uint32_t parts = lab->is_quick ? 4 : PARTS;
    rni_scene_how how = {.threads = lab->threads};
    rni_scene *scene = NULL;
    rn_fluid *fluid = NULL;
    watch all = {.report = rn_fluid_report_default()};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, parts);
    rn_result result = rni_scene_load(SCENE, settings, lab->is_quick ? 3 : 1, &scene, NULL);
    if (result == RN_OK) result = rni_scene_build(scene, &how, &fluid, NULL);
    if (result == RN_OK) result = soak(lab, fluid, seconds, parts, &all);
    if (result == RN_OK) result = plot(lab);
    if (result == RN_OK) {
        bool is_well = all.outside == 0 && all.not_finite == 0;
        const char *verdict = rni_lab_verdict(is_well && all.rescued == 0, is_well);
        rni_lab_conclude(
            lab, verdict,
            "The claim that the system of Wichert et al. 2021 is stable at 0.006 s %s here: in "
            "%.3g minutes %u particles were simulated for %llu steps and %.0f s; checked at "
            "every tenth step, %llu times a particle was outside the walls and %llu times not "
            "finite, and %llu steps had to be split.",
            verdict, seconds / 60, all.report.particles, (unsigned long long)all.report.step,
            all.report.time, (unsigned long long)all.outside, (unsigned long long)all.not_finite,
            (unsigned long long)all.rescued);
    }
    rn_fluid_destroy(fluid);
    rni_scene_free(scene);
    return result;
}

const rni_lab_experiment rni_lab_soak = {
    .name = "soak",
    .summary = "the system of Wichert et al. 2021 for 30 minutes of wall-clock time, with every "
               "particle checked",
    .source = "Wichert et al. 2021",
    .claim = "with leapfrog the simulation is stable for 30 minutes at time steps up to 0.006 s",
    .run = run,
};
