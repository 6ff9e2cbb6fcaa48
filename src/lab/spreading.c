/* A viscous gravity current of constant volume in a plane: its front against the similarity solution of Huppert
 * 1982. */
#include "lab/water.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define NU     0.005 /* m^2 / s: 5 Pa s */
#define LENGTH 0.4   /* m: of the current at the start */
#define HEIGHT 0.04  /* m: at x = 0 */
#define FRONT \
    1.411          /* Huppert 1982, eq. 2.25 (constant volume): of (g q^3 / (3 nu))^(1/5) t^(1/5) */
#define GROWTH 1.4 /* times its length: the end */

enum { HIGH, TIME, POSITION, EXACT, ERROR, SPREAD_ERROR, ITERATIONS, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"high", "particles high", false, 0},
    {"time_s", "time s", false, 3},
    {"front_mm", "front mm", false, 4},
    {"exact_mm", "Huppert mm", false, 4},
    {"error_percent", "error %", false, 3},
    {"spread_error_percent", "error of the spread %", false, 3},
    {"iterations", "iterations", false, 3},
};

/* m: h(x) over that at x = 0. */
static double profile_at(double share)
{
    return share < 1 ? cbrt(1 - share * share) : 0;
}

/* m^2: the volume per width of the current at the start. */
static double volume(void)
{
    enum { PARTS = 20000 };
    double sum = 0;
    for (int k = 0; k < PARTS; k++) sum += profile_at((k + 0.5) / PARTS) / PARTS;
    return sum * LENGTH * HEIGHT;
}

/* s: the age of the similarity solution that has this length. */
static double age_of(double length)
{
    const double q = volume();
    return pow(length / FRONT, 5) * 3 * NU / (RNI_LAB_GRAVITY * q * q * q);
}

static double front_at(double age)
{
    const double q = volume();
    return FRONT * pow(RNI_LAB_GRAVITY * q * q * q / (3 * NU) * age, 0.2);
}

static bool place(void *user, const float position[3], float velocity[3])
{
    (void)user;
    (void)velocity;
    return (double)position[1] < HEIGHT * profile_at((double)position[0] / LENGTH);
}

static rn_result make(const rni_lab *lab, uint32_t high, rn_fluid **fluid)
{
    const double spacing = HEIGHT / high;
    const double size[3] = {1.2 * GROWTH * LENGTH, 2 * HEIGHT, 0};
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, size);
    def.domain_low[1] = (float)(-4 * spacing);
    def.params.viscosity = (float)(1000 * NU);
    def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
    def.speed_expected = (float)sqrt(2 * RNI_LAB_GRAVITY * HEIGHT);
    rn_solid floor =
        rn_solid_default(); /* the sides of the domain are free-slip: x = 0 is a plane of symmetry */
    floor.axis[0] = floor.axis[2] = 0, floor.axis[1] = 1;
    floor.slip = RN_SLIP_NONE;
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = (float)LENGTH, block.high[1] = (float)HEIGHT;
    block.place = place;
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rn_fluid_add_solid(*fluid, &floor, NULL);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &block, NULL);
    return result;
}

/* The foremost particle that is part of the current, and the mean position. */
static double front_of(const rn_fluid *fluid, double spacing, double *mean)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double front = 0;
    *mean = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        const double x = (double)p.position[i][0];
        *mean += x / p.count;
        if (x > front && p.neighbor_count[i] >= 3) front = x;
    }
    return front + 0.5 * spacing;
}

typedef struct watch {
    double age, mean; /* s, m: at the start */
    double iterations, steps;
} watch;

static rn_result add_row(rni_lab *lab, uint32_t high, const rn_fluid *fluid, const watch *w)
{
    const double time = rn_fluid_get_time(fluid), exact = front_at(w->age + time);
    double mean;
    const double front = front_of(fluid, HEIGHT / high, &mean);
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_number(&lab->table, high);
    rni_lab_table_number(&lab->table, time);
    rni_lab_table_number(&lab->table, 1e3 * front);
    rni_lab_table_number(&lab->table, 1e3 * exact);
    rni_lab_table_number(&lab->table, 100 * (front / exact - 1));
    rni_lab_table_number(&lab->table, 100 * (mean / w->mean / (exact / LENGTH) - 1));
    rni_lab_table_number(&lab->table, w->steps > 0 ? w->iterations / w->steps : 0);
    return RN_OK;
}

static rn_result spread(rni_lab *lab, uint32_t high, rni_lab_traces *traces)
{
    enum { ROWS = 6 };
    rn_fluid *fluid = NULL;
    watch w = {.age = age_of(LENGTH)};
    const double end = age_of(GROWTH * LENGTH) - w.age;
    rn_result result = make(lab, high, &fluid);
    if (result == RN_OK) (void)front_of(fluid, HEIGHT / high, &w.mean);
    rni_lab_trace *exact = rni_lab_trace_begin(traces, "Huppert 1982%s", high > 10 ? " " : "");
    rni_lab_trace *ours = rni_lab_trace_begin(traces, "%u particles high", high);
    ours->is_points = true;
    for (int k = 1; k <= ROWS && result == RN_OK; k++) {
        while (result == RN_OK && rn_fluid_get_time(fluid) < end * k / ROWS) {
            rn_fluid_report report = rn_fluid_report_default();
            result = rn_fluid_step(fluid, &report);
            w.iterations += report.viscosity_iterations, w.steps++;
        }
        double mean = 0;
        const double time = rn_fluid_get_time(fluid);
        if (result == RN_OK) result = rni_lab_trace_add(exact, time, 1e3 * front_at(w.age + time));
        if (result == RN_OK)
            result = rni_lab_trace_add(ours, time, 1e3 * front_of(fluid, HEIGHT / high, &mean));
        if (result == RN_OK) result = add_row(lab, high, fluid, &w);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static void conclude(rni_lab *lab)
{
    const rni_lab_table *table = &lab->table;
    const uint32_t last = table->row_count - 1;
    const double high = rni_lab_table_at(table, last, HIGH);
    double worst = 0, spread = 0;
    for (uint32_t r = 0; r < table->row_count; r++) {
        if (rni_lab_table_at(table, r, HIGH) != high) continue;
        worst = fmax(worst, fabs(rni_lab_table_at(table, r, ERROR)));
        spread = fmax(spread, fabs(rni_lab_table_at(table, r, SPREAD_ERROR)));
    }
    const char *verdict = rni_lab_verdict(worst <= 3 && spread <= 3, worst <= 3 || spread <= 3);
    rni_lab_conclude(
        lab, verdict,
        "The claim that the front of a viscous current follows t^(1/5) within 3 %% %s here: "
        "with %.0f particles in its height the front is at most %.2f %% off, the mean position "
        "of the fluid %.2f %%, while the current becomes %.1f times as long.",
        verdict, high, worst, spread, GROWTH);
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t high[] = {10, 20};
    const uint32_t sizes = lab->is_quick ? 1 : 2;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, sizes);
    rn_result result = RN_OK;
    for (uint32_t s = 0; s < sizes && result == RN_OK; s++) {
        rni_lab_begin_case(lab, "%u particles high", high[s]);
        result = spread(lab, high[s], &traces);
    }
    const rni_chart chart = {.title = "A viscous gravity current",
                             .subtitle =
                                 "5 Pa s, from the similarity profile, 40 mm high and 400 mm long",
                             .x_label = "time, s",
                             .y_label = "front, mm"};
    if (result == RN_OK) result = rni_lab_traces_plot(lab, NULL, chart, &traces);
    if (result == RN_OK) conclude(lab);
    rni_lab_traces_release(&traces);
    return result;
}

const rni_lab_experiment rni_lab_spreading = {
    .name = "spreading",
    .summary =
        "a current of paste on a floor against the similarity solution, with the implicit solver",
    .source = "Huppert 1982",
    .claim = "the front of a viscous gravity current of constant volume follows t^(1/5) within 3 %",
    .run = run,
};
