/* A tank at rest whose gravity is turned by 1.4 degrees: the surface should become level again. */
#include "lab/cases.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/pi.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdio.h>

#define LENGTH    1.0                  /* m, of the tank */
#define BREADTH   0.2                  /* m, in 3D */
#define ANGLE     (1.4 / 180 * RNI_PI) /* of gravity, in the end */
#define SETTLED   0.5                  /* s: gravity has grown and the water is at rest */
#define TURNED    4.0                  /* s: gravity has its last direction */
#define AVERAGED  6.0                  /* s: means are taken from here ... */
#define END       8.0                  /* ... to here */
#define VISCOSITY 20.0                 /* Pa s: ends the sloshing, and holds nothing at rest */

enum { CASE, SPACING, DEPTH, PARTICLES, LEVEL, SWING, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},           {"spacing_m", "spacing m", false, 3},
    {"depth_m", "depth m", false, 3},    {"particles", "particles", false, 0},
    {"level", "tilt / level", false, 4}, {"swing", "swing", false, 2},
};

static double angle_at(double time)
{
    const double part = fmin(fmax((time - SETTLED) / (TURNED - SETTLED), 0), 1);
    return ANGLE * part * part * (3 - 2 * part);
}

/* A surface of slope tan(angle) moves the centre of mass by tan(angle) L^2 / (12 d); in water of
 * finite stiffness, pressure that grows along x moves it by g sin(angle) L^2 / (12 c^2) more. */
static double tilt_of(const rn_fluid *fluid, double depth)
{
    const double c = (double)rni_fluid_derived_of(fluid).sound_speed, square = LENGTH * LENGTH / 12;
    const double pressed = RNI_LAB_GRAVITY * sin(angle_at(rn_fluid_get_time(fluid))) / (c * c);
    const double moved = rni_lab_water_center(fluid, 0) - LENGTH / 2;
    return (moved / square - pressed) * depth / tan(ANGLE);
}

static rn_result turn_gravity(rn_fluid *fluid)
{
    rn_fluid_params params = rn_fluid_get_params(fluid);
    const double angle = angle_at(rn_fluid_get_time(fluid));
    params.gravity[0] = (float)(RNI_LAB_GRAVITY * sin(angle));
    params.gravity[1] = (float)(-RNI_LAB_GRAVITY * cos(angle));
    return rn_fluid_set_params(fluid, &params);
}

static rn_result lean_and_wait(rni_lab_leaning *l, rn_fluid *fluid, rni_lab_trace *trace)
{
    double low = HUGE_VAL, high = -HUGE_VAL, sum = 0, weight = 0, began = rni_process_seconds();
    rn_result result = RN_OK;
    while (result == RN_OK && rn_fluid_get_time(fluid) < END) {
        rn_fluid_report report = rn_fluid_report_default();
        result = rn_fluid_get_time(fluid) < TURNED ? turn_gravity(fluid) : RN_OK;
        if (result == RN_OK) result = rn_fluid_step(fluid, &report);
        if (result != RN_OK) break;
        const double tilt = tilt_of(fluid, l->depth);
        if (trace) result = rni_lab_trace_add(trace, report.time, tilt);
        if (report.time < AVERAGED) continue;
        low = fmin(low, tilt), high = fmax(high, tilt);
        sum += tilt * (double)report.time_step, weight += (double)report.time_step;
    }
    l->level = sum / weight;
    l->swing = high - low;
    l->cost = (rni_lab_cost){rn_fluid_get_arrays(fluid).count, rn_fluid_get_time(fluid),
                             rni_process_seconds() - began};
    return result;
}

rn_result rni_lab_leaning_run(const rni_lab *lab, rni_lab_leaning *l, rni_lab_trace *trace)
{
    rn_fluid_def def =
        rni_lab_water_def(lab, l->dim, l->spacing, (double[]){LENGTH, 1.4 * l->depth, BREADTH});
    def.params.viscosity = (float)VISCOSITY;
    def.params.gravity_ramp = (float)(0.8 * SETTLED);
    rn_fluid *fluid = NULL;
    rn_result result = rni_lab_water_make(&def, (double[]){0, 0, 0},
                                          (double[]){LENGTH, l->depth, BREADTH}, 0, &fluid);
    if (result == RN_OK) result = lean_and_wait(l, fluid, trace);
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result add_row(rni_lab *lab, const rni_lab_leaning *l)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, l->dim == 3 ? "3D" : "2D");
    rni_lab_table_number(&lab->table, l->spacing);
    rni_lab_table_number(&lab->table, l->depth);
    rni_lab_table_number(&lab->table, l->cost.particles);
    rni_lab_table_number(&lab->table, l->level);
    rni_lab_table_number(&lab->table, l->swing);
    return RN_OK;
}

static void conclude(rni_lab *lab, const rni_lab_leaning *leans, uint32_t count)
{
    uint32_t level = 0;
    char list[512] = "";
    for (uint32_t k = 0, used = 0; k < count && used < sizeof list; k++) {
        level += fabs(leans[k].level - 1) <= 0.02;
        used += (uint32_t)snprintf(list + used, sizeof list - used, "%s%.3f (%uD, %g m)",
                                   k ? ", " : "", leans[k].level, leans[k].dim, leans[k].spacing);
    }
    const char *verdict = rni_lab_verdict(level == count, level);
    rni_lab_conclude(lab, verdict,
                     "The claim that water in a leaned tank becomes level within 2 %% %s here: after "
                     "gravity has turned by 1.4 degrees, the tilt of the surface over that of a level "
                     "one is %s.",
                     verdict, list);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_leaning full[] = {{.dim = 2, .spacing = 0.025, .depth = 0.5},
                              {.dim = 2, .spacing = 0.0125, .depth = 0.5},
                              {.dim = 3, .spacing = 0.02, .depth = 0.26}};
    rni_lab_leaning quick[] = {{.dim = 2, .spacing = 0.05, .depth = 0.5},
                               {.dim = 3, .spacing = 0.05, .depth = 0.25}};
    rni_lab_leaning *leans = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 3;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace =
            rni_lab_begin_traced_case(lab, &traces, "%uD, %g m", leans[k].dim, leans[k].spacing);
        result = rni_lab_leaning_run(lab, &leans[k], trace);
        if (result == RN_OK) result = add_row(lab, &leans[k]);
    }
    rni_chart chart = {.title = "A leaned tank",
                       .subtitle = "gravity turns by 1.4 degrees from 0.5 s to 4 s",
                       .x_label = "time, s",
                       .y_label = "tilt of the surface / tilt of a level surface"};
    if (result == RN_OK) conclude(lab, leans, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_lean = {
    .name = "lean",
    .summary = "where the surface of a tank comes to rest after gravity has turned",
    .source = "exact",
    .claim = "the surface of water in a leaned tank becomes level within 2 %, in 2D and 3D",
    .run = run,
};
