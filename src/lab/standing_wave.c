/* The first sloshing mode of a tank: period against linear theory, damping against viscosity. */
#include "lab/cases.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/pi.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdio.h>

#define LENGTH   1.0    /* m, of the tank */
#define NUMBER   RNI_PI /* 1 / m: half a wave in the tank */
#define BREADTH  0.2    /* m, in 3D */
#define STEEP    0.05   /* amplitude over depth */
#define MAX_TURN 64     /* zero crossings that are stored */
#define NOISE    0.003  /* below this share, errors of two sizes are not ranked */

enum {
    CASE,
    SPACING,
    DEPTH,
    PARTICLES,
    PERIOD,
    EXACT,
    ERROR,
    SHIFT,
    DAMPING,
    VISCOUS,
    TOTAL,
    COLUMN_COUNT
};

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"spacing_m", "spacing m", false, 3},
    {"depth_m", "depth m", false, 3},
    {"particles", "particles", false, 0},
    {"period_s", "period s", false, 4},
    {"exact_s", "exact s", false, 4},
    {"error_percent", "error %", false, 3},
    {"amplitude_percent", "of finite amplitude %", false, 2},
    {"damping_percent", "damping % / period", false, 3},
    {"viscous_percent", "by viscosity", false, 2},
    {"total_percent", "with numerical", false, 3},
};

/* --- the start ---------------------------------------------------------------------------------- */

typedef struct shape {
    const rn_fluid *fluid;
    double depth, amplitude;
} shape;

/* The flow of the mode, which is free of divergence: its stream deforms the lattice without
 * changing a volume, and leaves walls and floor where they are. */
static void mode_flow(const shape *s, const double x[2], double u[2])
{
    const double scale = s->amplitude / sinh(NUMBER * s->depth);
    u[0] = -scale * sin(NUMBER * x[0]) * cosh(NUMBER * x[1]);
    u[1] = scale * cos(NUMBER * x[0]) * sinh(NUMBER * x[1]);
}

/* Runge and Kutta's steps along the flow, from the compressed column at rest. */
static void deform(void *user, double position[3], double velocity[3])
{
    enum { STEPS = 8 };
    const shape *s = user;
    double x[2] = {position[0], rni_lab_water_pressed(s->fluid, s->depth, position[1])};
    for (int k = 0; k < STEPS; k++) {
        double a[2], b[2], c[2], d[2], at[2];
        mode_flow(s, x, a);
        for (int i = 0; i < 2; i++) at[i] = x[i] + a[i] / (2 * STEPS);
        mode_flow(s, at, b);
        for (int i = 0; i < 2; i++) at[i] = x[i] + b[i] / (2 * STEPS);
        mode_flow(s, at, c);
        for (int i = 0; i < 2; i++) at[i] = x[i] + c[i] / STEPS;
        mode_flow(s, at, d);
        for (int i = 0; i < 2; i++) x[i] += (a[i] + 2 * b[i] + 2 * c[i] + d[i]) / (6 * STEPS);
    }
    position[0] = x[0], position[1] = x[1];
    velocity[0] = velocity[1] = 0;
}

/* --- what is measured --------------------------------------------------------------------------- */

/* Zero crossings of the centre of mass, and the largest deflection between two of them. */
typedef struct swings {
    double cross[MAX_TURN], peak[MAX_TURN], peak_time[MAX_TURN];
    uint32_t count;         /* of crossings; peak k lies before crossing k */
    double time, value;     /* the sample before */
    double best, best_time; /* since the last crossing */
} swings;

static void follow(swings *s, double time, double value)
{
    if (value * s->value < 0 && s->count < MAX_TURN) {
        s->cross[s->count] = s->time + (time - s->time) * s->value / (s->value - value);
        s->peak[s->count] = s->best;
        s->peak_time[s->count++] = s->best_time;
        s->best = 0;
    }
    if (fabs(value) > s->best) s->best = fabs(value), s->best_time = time;
    s->time = time;
    s->value = value;
}

/* Share of the amplitude lost in a period: a line through the logarithms of the peaks after the
 * first crossing. */
static double damping_of(const swings *s, double period)
{
    double n = 0, t = 0, y = 0, tt = 0, ty = 0;
    for (uint32_t k = 1; k < s->count; k++) {
        const double at = s->peak_time[k], value = log(s->peak[k]);
        n++, t += at, y += value, tt += at * at, ty += at * value;
    }
    return n < 2 ? (double)NAN : 1 - exp((n * ty - t * y) / (n * tt - t * t) * period);
}

/* Linear theory: omega^2 = g k tanh(k d). A standing wave of amplitude a swings faster by the share
 * (a k)^2 / 64 (9 / T^4 - 12 / T^2 - 3 - 2 T^2), T = tanh(k d) (Tadjbakhsh and Keller 1960): slower
 * in deep water. Its amplitude falls as exp(-2 nu k^2 t) between walls without friction. */
static void evaluate(rni_lab_wave *w, const swings *s, const rn_fluid *fluid)
{
    const double tanh_sq = pow(tanh(NUMBER * w->depth), 2), steepness = STEEP * w->depth * NUMBER;
    const double nu = (double)rn_fluid_get_params(fluid).viscosity / 1000;
    const double total = (double)rni_fluid_derived_of(fluid).viscosity / 1000;
    w->amplitude_shift =
        -steepness * steepness / 64 * (9 / (tanh_sq * tanh_sq) - 12 / tanh_sq - 3 - 2 * tanh_sq);
    w->period =
        s->count < 3 ? (double)NAN : 2 * (s->cross[s->count - 1] - s->cross[0]) / (s->count - 1);
    w->damping = damping_of(s, w->period);
    w->exact_damping = -expm1(-2 * nu * NUMBER * NUMBER * w->exact_period);
    w->total_damping = -expm1(-2 * total * NUMBER * NUMBER * w->exact_period);
}

static rn_result swing(rni_lab_wave *w, rn_fluid *fluid, rni_lab_trace *trace)
{
    swings s = {.value = rni_lab_water_center(fluid, 0) - LENGTH / 2};
    const double first = s.value, began = rni_process_seconds();
    const double end = 1.5 * (w->periods + 0.5) * w->exact_period;
    rn_result result = RN_OK;
    while (result == RN_OK && s.count < 2 * w->periods + 1 && rn_fluid_get_time(fluid) < end) {
        result = rn_fluid_step(fluid, NULL);
        const double time = rn_fluid_get_time(fluid);
        const double value = rni_lab_water_center(fluid, 0) - LENGTH / 2;
        follow(&s, time, value);
        if (result == RN_OK && trace)
            result = rni_lab_trace_add(trace, time / w->exact_period, value / first);
    }
    w->cost = (rni_lab_cost){rn_fluid_get_arrays(fluid).count, rn_fluid_get_time(fluid),
                             rni_process_seconds() - began};
    evaluate(w, &s, fluid);
    return result;
}

rn_result rni_lab_wave_run(const rni_lab *lab, rni_lab_wave *w, rni_lab_trace *trace)
{
    rn_fluid_def def =
        rni_lab_water_def(lab, w->dim, w->spacing, (double[]){LENGTH, 1.4 * w->depth, BREADTH});
    rn_fluid *fluid = NULL;
    w->exact_period = 2 * RNI_PI / sqrt(RNI_LAB_GRAVITY * NUMBER * tanh(NUMBER * w->depth));
    rn_result result = rn_fluid_create(&def, &fluid);
    shape s = {fluid, w->depth, STEEP * w->depth};
    if (result == RN_OK)
        result = rni_lab_water_place(fluid, w->dim, w->spacing,
                                     (double[]){LENGTH, w->depth, BREADTH}, deform, &s);
    if (result == RN_OK) result = swing(w, fluid, trace);
    rn_fluid_destroy(fluid);
    return result;
}

/* --- the experiment ----------------------------------------------------------------------------- */

static double error_of(const rni_lab_wave *w)
{
    return w->period / w->exact_period - 1;
}

static rn_result add_row(rni_lab *lab, const rni_lab_wave *w)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, w->dim == 3 ? "3D" : "2D");
    rni_lab_table_number(&lab->table, w->spacing);
    rni_lab_table_number(&lab->table, w->depth);
    rni_lab_table_number(&lab->table, w->cost.particles);
    rni_lab_table_number(&lab->table, w->period);
    rni_lab_table_number(&lab->table, w->exact_period);
    rni_lab_table_number(&lab->table, 100 * error_of(w));
    rni_lab_table_number(&lab->table, 100 * w->amplitude_shift);
    rni_lab_table_number(&lab->table, 100 * w->damping);
    rni_lab_table_number(&lab->table, 100 * w->exact_damping);
    rni_lab_table_number(&lab->table, 100 * w->total_damping);
    return RN_OK;
}

/* Pairs of the same depth, coarse then fine. */
static bool is_falling(const rni_lab_wave *waves, uint32_t count)
{
    bool falls = true;
    for (uint32_t k = 1; k < count; k++) {
        if (waves[k].dim != waves[k - 1].dim || waves[k].depth != waves[k - 1].depth) continue;
        const double fine = fabs(error_of(&waves[k]));
        falls &= fine < NOISE || fine < fabs(error_of(&waves[k - 1]));
    }
    return falls;
}

static void conclude(rni_lab *lab, const rni_lab_wave *waves, uint32_t count)
{
    double worst = 0, most = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double error = error_of(&waves[k]);
        if (!(fabs(error) <= fabs(worst))) worst = error; /* also NaN */
        most = fmax(most, waves[k].damping);
    }
    const bool is_right = fabs(worst) <= 0.02, falls = is_falling(waves, count);
    const char *verdict = rni_lab_verdict(is_right && falls, is_right);
    char list[512] = "";
    for (uint32_t k = 0, used = 0; k < count && used < sizeof list; k++)
        used += (uint32_t)snprintf(
            list + used, sizeof list - used, "%s%+.2f %% (%uD, %g m deep, %g m)", k ? ", " : "",
            100 * error_of(&waves[k]), waves[k].dim, waves[k].depth, waves[k].spacing);
    rni_lab_conclude(lab, verdict,
                     "The claim that a standing wave has its exact period within 2 %% %s here: the "
                     "error is %s; it %s with resolution, and at most %.1f %% of the amplitude is "
                     "lost in a period.",
                     verdict, list, falls ? "falls" : "does not fall", 100 * most);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_wave full[] = {{.dim = 2, .spacing = 0.025, .depth = 0.5, .periods = 5},
                           {.dim = 2, .spacing = 0.0125, .depth = 0.5, .periods = 5},
                           {.dim = 2, .spacing = 0.025, .depth = 0.25, .periods = 5},
                           {.dim = 2, .spacing = 0.0125, .depth = 0.25, .periods = 5},
                           {.dim = 3, .spacing = 0.02, .depth = 0.26, .periods = 5}};
    rni_lab_wave quick[] = {{.dim = 2, .spacing = 0.05, .depth = 0.5, .periods = 4},
                            {.dim = 2, .spacing = 0.025, .depth = 0.5, .periods = 4}};
    rni_lab_wave *waves = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 5;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace = rni_lab_begin_traced_case(
            lab, &traces, "%uD, %g m deep, %g m", waves[k].dim, waves[k].depth, waves[k].spacing);
        result = rni_lab_wave_run(lab, &waves[k], trace);
        if (result == RN_OK) result = add_row(lab, &waves[k]);
    }
    rni_chart chart = {.title = "A standing wave in a tank of 1 m",
                       .subtitle = "horizontal centre of mass; exact: a zero at 0.25, 0.75, ...",
                       .x_label = "time, exact periods",
                       .y_label = "amplitude / first amplitude"};
    if (result == RN_OK) conclude(lab, waves, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_standing_wave = {
    .name = "standing-wave",
    .summary = "period and damping of a standing wave in a tank, against linear theory",
    .source = "exact",
    .claim = "a standing wave has its exact period within 2 %, at two resolutions and two depths, "
             "and the error falls with resolution",
    .run = run,
};
