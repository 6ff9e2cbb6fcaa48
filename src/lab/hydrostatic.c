/* Water at rest: hydrostatic pressure at several resolutions, in 2D and 3D. */
#include "lab/water.h"

#include "base/error.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdio.h>

#define DEPTH   1.0 /* m */
#define GRAVITY 9.81
#define BINS    10

enum { CASE, SPACING, PARTICLES, HEIGHT, PRESSURE, EXACT, PRESSED, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"spacing_m", "spacing m", false, 3},
    {"particles", "particles", false, 0},
    {"height_m", "height m", false, 3},
    {"pressure_pa", "pressure Pa", false, 5},
    {"exact_pa", "rho g (H - y) Pa", false, 5},
    {"exact_pressed_pa", "of pressed water Pa", false, 5},
    {"error_percent_of_floor", "error, % of rho g H", false, 2},
};

/* One tank: parameters and results. */
typedef struct tank {
    uint32_t dim;
    double spacing, width;
    double at_mid; /* pressure over rho g (H - y) around mid depth, minus 1 */
    double profile; /* root mean square over the bins against the compressed column, as a share of rho g H */
    double rms; /* m / s at the end */
    uint32_t escaped;
} tank;

/* Sums over particles and time. */
typedef struct bins {
    double height[BINS], pressure[BINS], count[BINS];
    double mid_ratio, mid_count;
} bins;

static void gather(const rn_fluid *fluid, bins *b)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        double y = (double)p.position[i][1], pressure = (double)p.pressure[i];
        int k = (int)(y / DEPTH * BINS);
        if (k < 0 || k >= BINS) continue;
        b->height[k] += y;
        b->pressure[k] += pressure;
        b->count[k]++;
        if (fabs(y - DEPTH / 2) > 0.1 * DEPTH) continue;
        b->mid_ratio += pressure / (1000 * GRAVITY * (DEPTH - y));
        b->mid_count++;
    }
}

/* The column as compressed by its own weight: dp = -rho(p) g dy with Tait's rho(p), and rho_0 H of mass
 * above the floor. It is slightly lower than H, by the compressibility of the model. */
static double pressed(const rn_fluid_derived *d, double y)
{
    double e = 7, part = (e - 1) / e, stiffness = (double)d->stiffness, weight = 1000 * GRAVITY;
    double height = stiffness / weight / part * (pow(1 + weight * DEPTH / stiffness, part) - 1);
    return stiffness * (pow(1 + part * weight * fmax(height - y, 0) / stiffness, 1 / part) - 1);
}

static rn_result add_rows(rni_lab *lab, tank *t, const rn_fluid *fluid, const bins *b)
{
    const rn_fluid_derived d = rni_fluid_derived_of(fluid);
    char name[16];
    snprintf(name, sizeof name, "%uD", t->dim);
    double sum = 0, rows = 0;
    for (int k = 0; k < BINS; k++) {
        if (!(b->count[k] > 0)) continue;
        double y = b->height[k] / b->count[k], pressure = b->pressure[k] / b->count[k];
        double exact = 1000 * GRAVITY * (DEPTH - y);
        double just = pressed(&d, y), error = (pressure - just) / (1000 * GRAVITY * DEPTH);
        rn_result result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) return result;
        rni_lab_table_text(&lab->table, name);
        rni_lab_table_number(&lab->table, t->spacing);
        rni_lab_table_number(&lab->table, rn_fluid_get_arrays(fluid).count);
        rni_lab_table_number(&lab->table, y);
        rni_lab_table_number(&lab->table, pressure);
        rni_lab_table_number(&lab->table, exact);
        rni_lab_table_number(&lab->table, just);
        rni_lab_table_number(&lab->table, 100 * error);
        sum += error * error;
        rows++;
    }
    t->profile = sqrt(sum / rows);
    t->at_mid = b->mid_ratio / b->mid_count - 1;
    return RN_OK;
}

/* Gravity grows over `ramp` seconds, the water settles until 2 ramps, means are taken until 3. */
static rn_result fill_and_wait(rni_lab *lab, tank *t, double ramp)
{
    rn_fluid_def def =
        rni_lab_water_def(lab, t->dim, t->spacing, (double[]){t->width, 1.2 * DEPTH, t->width});
    def.speed_expected = (float)sqrt(2 * GRAVITY * DEPTH);
    def.params.numerical_viscosity = 0.3f;
    def.params.gravity_ramp = (float)ramp;
    rn_fluid *fluid = NULL;
    rn_result result = rni_lab_water_make(&def, (double[]){0, 0, 0},
                                          (double[]){t->width, DEPTH, t->width}, 0, &fluid);
    bins b = {0};
    rn_fluid_report report = rn_fluid_report_default();
    while (result == RN_OK && rn_fluid_get_time(fluid) < 3 * ramp) {
        result = rn_fluid_step(fluid, &report);
        if (rn_fluid_get_time(fluid) >= 2 * ramp) gather(fluid, &b);
    }
    if (result == RN_OK) {
        t->rms = rni_lab_water_rms(fluid, &report);
        t->escaped = rn_fluid_get_escaped_count(fluid);
        result = add_rows(lab, t, fluid, &b);
    }
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result plot(const rni_lab *lab, const tank *tanks, uint32_t count)
{
    rni_lab_traces traces = {0};
    rn_result result = RN_OK;
    rni_lab_trace *exact = rni_lab_trace_begin(&traces, "rho g (H - y)");
    result = rni_lab_trace_add(exact, 0, 1000 * GRAVITY * DEPTH);
    if (result == RN_OK) result = rni_lab_trace_add(exact, DEPTH, 0);
    uint32_t row = 0;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace =
            rni_lab_trace_begin(&traces, "%uD, spacing %g m", tanks[k].dim, tanks[k].spacing);
        trace->is_points = true;
        double particles = rni_lab_table_at(&lab->table, row, PARTICLES);
        for (; row < lab->table.row_count && result == RN_OK &&
               rni_lab_table_at(&lab->table, row, PARTICLES) == particles;
             row++)
            result = rni_lab_trace_add(trace, rni_lab_table_at(&lab->table, row, HEIGHT),
                                       rni_lab_table_at(&lab->table, row, PRESSURE));
    }
    rni_chart chart = {.title = "Standing water",
                       .subtitle = "1 m deep; means over time and over layers of a tenth of the "
                                   "depth",
                       .x_label = "height above the floor, m",
                       .y_label = "pressure, Pa"};
    if (result == RN_OK) result = rni_lab_traces_plot(lab, NULL, chart, &traces);
    rni_lab_traces_release(&traces);
    return result;
}

/* The finest against the coarsest of the same dimension. */
static bool is_falling(const tank *tanks, uint32_t count, uint32_t dim, const tank **first,
                       const tank **last)
{
    *first = *last = NULL;
    for (uint32_t k = 0; k < count; k++) {
        if (tanks[k].dim != dim) continue;
        if (!*first) *first = &tanks[k];
        *last = &tanks[k];
    }
    return !*first || (*last)->profile < (*first)->profile;
}

static void conclude(rni_lab *lab, const tank *tanks, uint32_t count)
{
    double worst = 0, rms = 0;
    uint32_t escaped = 0;
    for (uint32_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(tanks[k].at_mid));
        rms = fmax(rms, tanks[k].rms);
        escaped += tanks[k].escaped;
    }
    const tank *coarse, *fine, *coarse_3d, *fine_3d;
    bool falls = is_falling(tanks, count, 2, &coarse, &fine);
    if (!coarse || !fine) return; /* there are always 2D cases */
    falls &= is_falling(tanks, count, 3, &coarse_3d, &fine_3d);
    bool is_right = worst <= 0.01, is_calm = rms < 0.01 * sqrt(2 * GRAVITY * DEPTH) && !escaped;
    const char *verdict = rni_lab_verdict(is_right && is_calm && falls, is_right || falls);
    char in_3d[160] = "";
    if (fine_3d)
        snprintf(in_3d, sizeof in_3d, ", in 3D %.2f %% at %g m and %.2f %% at %g m",
                 100 * coarse_3d->profile, coarse_3d->spacing, 100 * fine_3d->profile,
                 fine_3d->spacing);
    rni_lab_conclude(
        lab, verdict,
        "The claim that water at rest has hydrostatic pressure %s here: around mid depth the "
        "pressure deviates by at most %.2f %% from rho g (H - y); against the column as "
        "compressed by its own stiffness, over the whole depth, the error is %.3f %% of the "
        "pressure at the floor with a spacing of %g m and %.3f %% with %g m in 2D%s; the water "
        "%s, with a mean speed of at most %.4f m/s, and %u particles are outside the walls.",
        verdict, 100 * worst, 100 * coarse->profile, coarse->spacing, 100 * fine->profile,
        fine->spacing, in_3d, is_calm ? "is at rest" : "is not at rest", rms, escaped);
}

static rn_result run(rni_lab *lab)
{
    tank full[] = {{.dim = 2, .spacing = 0.05, .width = 0.5},
                   {.dim = 2, .spacing = 0.025, .width = 0.5},
                   {.dim = 2, .spacing = 0.0125, .width = 0.5},
                   {.dim = 3, .spacing = 0.05, .width = 0.4},
                   {.dim = 3, .spacing = 0.025, .width = 0.4}};
    tank quick[] = {{.dim = 2, .spacing = 0.1, .width = 0.5},
                    {.dim = 2, .spacing = 0.05, .width = 0.5}};
    tank *tanks = lab->is_quick ? quick : full;
    uint32_t count = lab->is_quick ? 2 : 5;
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_begin_case(lab, "%uD, spacing %g m", tanks[k].dim, tanks[k].spacing);
        result = fill_and_wait(lab, &tanks[k], lab->is_quick ? 0.7 : 1);
    }
    if (result == RN_OK) result = plot(lab, tanks, count);
    if (result == RN_OK) conclude(lab, tanks, count);
    return result;
}

const rni_lab_experiment rni_lab_hydrostatic = {
    .name = "hydrostatic",
    .summary = "pressure of water at rest in 2D and 3D, against rho g (H - y)",
    .source = "exact",
    .claim = "water at rest has hydrostatic pressure, within 1 % at mid depth, and stays at rest",
    .run = run,
};
