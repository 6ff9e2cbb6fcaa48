/* A drop without gravity that is drawn out by the flow it starts with: its two semi-axes follow an ordinary differential
 * equation as long as the water keeps its volume (Monaghan 1994, J. Comput. Phys. 110, 399-406). No wall is near: what is
 * tested is how a free body of water carries large strains. */
#include "lab/water.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define RATE          1.0 /* 1 / s, of the strain at first */
#define RADIUS        1.0 /* m */
#define END           1.6 /* s: then it is ten times as long as wide */
#define AXIS_WITHIN   0.02
#define ENERGY_WITHIN 0.05

enum { SPACING, PARTICLES, TIME, LENGTH, EXACT_LENGTH, WIDTH, EXACT_WIDTH, ENERGY, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"spacing_m", "spacing m", false, 3},  {"particles", "particles", false, 0},
    {"time_s", "time s", false, 3},        {"length_m", "half length m", false, 4},
    {"exact_length_m", "exact", false, 4}, {"width_m", "half width m", false, 4},
    {"exact_width_m", "exact", false, 4},  {"energy", "energy / first", false, 4},
};

/* The exact ellipse: u = -A x, v = A y. */
typedef struct ellipse {
    double width, length, rate, time;
} ellipse;

static ellipse slope_of(const ellipse *e)
{
    const double w = e->width * e->width, l = e->length * e->length;
    return (ellipse){-e->rate * e->width, e->rate * e->length,
                     e->rate * e->rate * (w - l) / (w + l), 1};
}

static ellipse moved(const ellipse *e, const ellipse *slope, double dt)
{
    return (ellipse){e->width + dt * slope->width, e->length + dt * slope->length,
                     e->rate + dt * slope->rate, e->time + dt};
}

/* By the midpoint rule. */
static void follow(ellipse *e, double time)
{
    const int count = (int)ceil((time - e->time) / 1e-3);
    const double dt = count > 0 ? (time - e->time) / count : 0;
    for (int k = 0; k < count; k++) {
        const ellipse first = slope_of(e), middle = moved(e, &first, dt / 2),
                      slope = slope_of(&middle);
        *e = moved(e, &slope, dt);
    }
}

static bool place(void *user, const float position[3], float velocity[3])
{
    (void)user;
    const float x = position[0], y = position[1];
    velocity[0] = -(float)RATE * x, velocity[1] = (float)RATE * y;
    return x * x + y * y <= (float)(RADIUS * RADIUS);
}

/* What is left of the drop's axes in the end, as errors, and of its energy. */
typedef struct drawn {
    double spacing;
    double length_error, width_error, energy;
} drawn;

static rn_result add_row(rni_lab *lab, drawn *d, const rn_fluid *fluid, const ellipse *exact,
                         double energy)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double square[2] = {0, 0};
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 2; a++)
            square[a] += (double)p.position[i][a] * (double)p.position[i][a];
    const double width = 2 * sqrt(square[0] / p.count), length = 2 * sqrt(square[1] / p.count);
    d->length_error = length / exact->length - 1;
    d->width_error = width / exact->width - 1;
    d->energy = energy;
    const rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    const double row[] = {d->spacing,    p.count, exact->time,  length,
                          exact->length, width,   exact->width, energy};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) rni_lab_table_number(&lab->table, row[k]);
    return RN_OK;
}

static rn_result make(const rni_lab *lab, double spacing, rn_fluid **fluid)
{
    rn_fluid_def def = rni_lab_water_def(lab, 2, spacing, (double[]){0, 0, 0});
    for (int a = 0; a < 2; a++) def.domain_low[a] = -4, def.domain_high[a] = 4;
    def.params.gravity[1] = 0;
    def.speed_expected = (float)(1.5 * RATE * RADIUS);
    rn_result result = rn_fluid_create(&def, fluid);
    rn_fluid_block block = rn_fluid_block_default();
    for (int a = 0; a < 2; a++) block.low[a] = -(float)RADIUS, block.high[a] = (float)RADIUS;
    block.place = place;
    return result == RN_OK ? rn_fluid_add_block(*fluid, &block, NULL) : result;
}

static rn_result draw_out(rni_lab *lab, drawn *d, rni_lab_trace *trace)
{
    rn_fluid *fluid = NULL;
    rn_result result = make(lab, d->spacing, &fluid);
    rn_fluid_report report = rn_fluid_report_default();
    ellipse exact = {RADIUS, RADIUS, RATE, 0};
    double next = 0.4, first = 0;
    while (result == RN_OK && report.time < END) {
        result = rn_fluid_step(fluid, &report);
        if (result != RN_OK) break;
        const double energy = report.kinetic + report.elastic;
        if (!(first > 0)) first = energy;
        if (report.time < next) continue;
        next += 0.4;
        follow(&exact, report.time);
        result = add_row(lab, d, fluid, &exact, energy / first);
        if (result == RN_OK) result = rni_lab_trace_add(trace, report.time, 1 + d->width_error);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static void conclude(rni_lab *lab, const drawn *coarse, const drawn *fine)
{
    const double axis = fmax(fabs(fine->length_error), fabs(fine->width_error));
    const bool is_right = axis <= AXIS_WITHIN, keeps = fabs(fine->energy - 1) <= ENERGY_WITHIN;
    const char *verdict = rni_lab_verdict(is_right && keeps, is_right || keeps);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a drop is drawn out as in theory, its semi-axes within %g %% and its "
        "energy within %g %% %s here: after %g s, when it is ten times as long as wide, its "
        "length is off by %+.2f %% and its width by %+.2f %% with a spacing of %g m "
        "(%+.2f and %+.2f %% with %g m), and its energy has changed by %+.2f %%.",
        100 * AXIS_WITHIN, 100 * ENERGY_WITHIN, verdict, END, 100 * fine->length_error,
        100 * fine->width_error, fine->spacing, 100 * coarse->length_error,
        100 * coarse->width_error, coarse->spacing, 100 * (fine->energy - 1));
}

static rn_result run(rni_lab *lab)
{
    drawn drops[2] = {{.spacing = lab->is_quick ? 0.0625 : 0.03125},
                      {.spacing = lab->is_quick ? 0.03125 : 0.015625}};
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 2);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 2 && result == RN_OK; k++)
        result = draw_out(lab, &drops[k],
                          rni_lab_begin_traced_case(lab, &traces, "spacing %g m", drops[k].spacing));
    rni_chart chart = {.title = "A drop that its flow draws out",
                       .subtitle = "a disc of 1 m radius with a strain of 1 / s, without gravity",
                       .x_label = "time, s",
                       .y_label = "half width / exact half width"};
    if (result == RN_OK) conclude(lab, &drops[0], &drops[1]);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_stretching_drop = {
    .name = "stretching-drop",
    .summary = "semi-axes and energy of a free drop that its flow draws out",
    .source = "Monaghan 1994, exact solution",
    .claim =
        "a drop that its own flow draws out has the semi-axes of theory within 2 % and keeps its energy "
        "within 5 %",
    .run = run,
};
