/* Flow between two plates, one of which starts to move: profiles against the exact series. */
#include "lab/cases.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define WIDTH 0.1  /* m between the plates */
#define NU    0.01 /* m^2 / s */
#define SPEED 0.01 /* m / s, of the upper plate */

static const double moments[RNI_LAB_SHEAR_MOMENTS] = {0.02, 0.05, 0.1, 0.2, 1}; /* of WIDTH^2 / NU */

enum { ACROSS, TIME, MIDDLE, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"across", "particles across", false, 0},   {"time_s", "time s", false, 3},
    {"speed_middle", "at 3/4, mm/s", false, 4}, {"exact_middle", "exact mm/s", false, 4},
    {"error_percent", "L2 error %", false, 3},
};

/* m / s at height y after t seconds. */
static double exact_speed(double y, double t)
{
    double speed = SPEED * y / WIDTH;
    for (int n = 1; n <= 60; n++) {
        const double m = n * RNI_PI;
        speed += (n % 2 ? -2 : 2) * SPEED / m * sin(m * y / WIDTH) *
                 exp(-m * m * NU * t / (WIDTH * WIDTH));
    }
    return speed;
}

/* The moment in the case, and the profile, averaged over rows of particles, in traces. */
static rn_result look(const rn_fluid *fluid, rni_lab_shear *s, int moment, rni_lab_traces *traces)
{
    enum { ROWS = 160 };
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    const double t = rn_fluid_get_time(fluid);
    double error_sq = 0, exact_sq = 0, height[ROWS] = {0}, speed[ROWS] = {0}, count[ROWS] = {0};
    for (uint32_t i = 0; i < p.count; i++) {
        const double y = (double)p.position[i][1], v = (double)p.velocity[i][0];
        const double e = exact_speed(y, t);
        error_sq += (v - e) * (v - e);
        exact_sq += e * e;
        const int row = (int)(y / WIDTH * s->across);
        if (row < 0 || row >= ROWS) continue;
        height[row] += y, speed[row] += v, count[row]++;
    }
    const uint32_t row = 3 * s->across / 4 < ROWS ? 3 * s->across / 4 : ROWS - 1;
    s->time[moment] = t;
    s->error[moment] = sqrt(error_sq / exact_sq);
    s->speed[moment] = speed[row] / count[row];
    s->exact[moment] = exact_speed(height[row] / count[row], t);
    rn_result result = RN_OK;
    if (!traces) return result;
    rni_lab_trace *exact = rni_lab_trace_begin(traces, "series, %.2g s", t);
    for (int k = 0; k <= 60 && result == RN_OK; k++)
        result = rni_lab_trace_add(exact, 1e3 * WIDTH * k / 60, 1e3 * exact_speed(WIDTH * k / 60, t));
    rni_lab_trace *ours = rni_lab_trace_begin(traces, "particles, %.2g s", t);
    ours->is_points = true;
    for (int k = 0; k < ROWS && result == RN_OK; k++)
        if (count[k] > 0)
            result = rni_lab_trace_add(ours, 1e3 * height[k] / count[k], 1e3 * speed[k] / count[k]);
    return result;
}

/* The upper plate is a solid with a surface that moves, the lower one the side of the domain. */
static rn_result make(const rni_lab *lab, uint32_t across, rn_fluid **fluid)
{
    const double spacing = WIDTH / across, length = spacing * fmax(ceil(0.5 * across), 10);
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, (double[]){length, WIDTH + 4 * spacing, 0});
    def.periodic[0] = true;
    def.domain_slip = RN_SLIP_NONE;
    def.params.gravity[1] = 0;
    def.params.viscosity = (float)(1000 * NU);
    def.speed_expected = (float)SPEED;
    /* Implicit steps may be as long as the whole start, which they would then not follow. */
    if (lab->solver == RN_SOLVER_IMPLICIT)
        def.params.time_step_max = (float)(0.001 * WIDTH * WIDTH / NU);
    rn_solid plate = rn_solid_default();
    plate.center[1] = (float)WIDTH;
    plate.axis[0] = plate.axis[2] = 0, plate.axis[1] = -1;
    plate.slip = RN_SLIP_NONE;
    plate.velocity[0] = (float)SPEED;
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = (float)length, block.high[1] = (float)WIDTH;
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rn_fluid_add_solid(*fluid, &plate, NULL);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &block, NULL);
    return result;
}

rn_result rni_lab_shear_run(const rni_lab *lab, rni_lab_shear *s, rni_lab_traces *traces)
{
    rn_fluid *fluid = NULL;
    rn_result result = make(lab, s->across, &fluid);
    const double began = rni_process_seconds();
    for (int m = 0; m < RNI_LAB_SHEAR_MOMENTS && result == RN_OK; m++) {
        while (result == RN_OK && rn_fluid_get_time(fluid) < moments[m] * WIDTH * WIDTH / NU)
            result = rn_fluid_step(fluid, NULL);
        if (result == RN_OK) result = look(fluid, s, m, traces);
    }
    if (result == RN_OK)
        s->cost = (rni_lab_cost){rn_fluid_get_arrays(fluid).count, rn_fluid_get_time(fluid),
                                 rni_process_seconds() - began};
    rn_fluid_destroy(fluid);
    return result;
}

double rni_lab_shear_worst(const rni_lab_shear *s)
{
    double worst = 0;
    for (int m = 0; m < RNI_LAB_SHEAR_MOMENTS; m++) worst = fmax(worst, s->error[m]);
    return worst;
}

/* --- the experiment ----------------------------------------------------------------------------- */

static rn_result add_rows(rni_lab *lab, const rni_lab_shear *s)
{
    rn_result result = RN_OK;
    for (int m = 0; m < RNI_LAB_SHEAR_MOMENTS && result == RN_OK; m++) {
        result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) return result;
        rni_lab_table_number(&lab->table, s->across);
        rni_lab_table_number(&lab->table, s->time[m]);
        rni_lab_table_number(&lab->table, 1e3 * s->speed[m]);
        rni_lab_table_number(&lab->table, 1e3 * s->exact[m]);
        rni_lab_table_number(&lab->table, 100 * s->error[m]);
    }
    return result;
}

static void conclude(rni_lab *lab, const rni_lab_shear *cases, uint32_t count)
{
    const rni_lab_shear *coarse = &cases[0], *fine = &cases[count - 1];
    const double first = rni_lab_shear_worst(coarse), last = rni_lab_shear_worst(fine);
    const bool is_right = last <= 0.02, falls = last < first;
    const char *verdict = rni_lab_verdict(is_right && falls, is_right || falls);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the flow beside a plate that starts to move follows the series within 2 %% "
        "%s here: the largest L2 error at five times is %.2f %% with %u particles across and %.2f %% "
        "with %u; of the steady flow it is %.2f %%.",
        verdict, 100 * first, coarse->across, 100 * last, fine->across,
        100 * fine->error[RNI_LAB_SHEAR_MOMENTS - 1]);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t across[] = {10, 20, 40};
    rni_lab_shear cases[3];
    const uint32_t count = lab->is_quick ? 2 : 3;
    rni_lab_traces profile = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        cases[k] = (rni_lab_shear){.across = across[k]};
        rni_lab_begin_case(lab, "%u particles across", across[k]);
        result = rni_lab_shear_run(lab, &cases[k], across[k] == 20 ? &profile : NULL);
        if (result == RN_OK) result = add_rows(lab, &cases[k]);
    }
    rni_chart chart = {.title = "Flow beside a plate that starts to move",
                       .subtitle = "from rest, 0.1 m apart, nu = 0.01 m^2/s, 0.01 m/s",
                       .x_label = "distance from the plate at rest, mm",
                       .y_label = "speed, mm/s"};
    if (result == RN_OK) conclude(lab, cases, count);
    return rni_lab_traces_end(lab, result, chart, &profile);
}

const rni_lab_experiment rni_lab_couette = {
    .name = "couette",
    .summary = "flow between two plates, one of which starts to move, against the exact series",
    .source = "exact",
    .claim = "the speed beside a plate that starts to move follows the series within 2 % and "
             "converges with resolution",
    .run = run,
};
