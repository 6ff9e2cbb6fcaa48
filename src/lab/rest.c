/* Still water that starts disordered: how calm it becomes, how smooth its pressure is, and whether
 * it keeps its depth. */
#include "lab/cases.h"

#include "base/clock.h"
#include "base/error.h"
#include "fluid/derived.h"

#include <math.h>
#include <stdio.h>

#define JITTER 0.2 /* spacings */
#define LAYERS 32  /* at most, for the mean pressure at a height */

enum { CASE, SPACING, PARTICLES, SPEED, EARLY, NOISE, LOWER, GAIN, OUTSIDE, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"spacing_m", "spacing m", false, 3},
    {"particles", "particles", false, 0},
    {"speed", "rms speed / sqrt(g H)", false, 2},
    {"early_speed", "in the middle fifth", false, 2},
    {"pressure_noise", "pressure noise / rho g H", false, 2},
    {"depth_error_percent", "depth error %", false, 2},
    {"energy_gain", "energy gained / M g H", false, 2},
    {"outside", "outside", false, 0},
};

/* Mean of the squares of pressure minus a line over the height in its layer, which takes away the
 * part that grows with depth. The layers are two spacings high; the surface is left out. */
static double noise_sq_of(const rn_fluid *fluid, const rni_lab_still *s)
{
    struct {
        double n, y, yy, p, pp, yp;
    } layer[LAYERS] = {0};
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    const double top = s->depth - 2 * s->spacing;
    const int count = (int)fmin(fmax(top / (2 * s->spacing), 1), LAYERS);
    for (uint32_t i = 0; i < p.count; i++) {
        const double y = (double)p.position[i][1], pressure = (double)p.pressure[i];
        const int k = (int)(y / top * count);
        if (y < 0 || k >= count) continue;
        layer[k].n++, layer[k].y += y, layer[k].yy += y * y;
        layer[k].p += pressure, layer[k].pp += pressure * pressure, layer[k].yp += y * pressure;
    }
    double sum = 0, all = 0;
    for (int k = 0; k < count; k++) {
        const double n = layer[k].n, yy = layer[k].yy - layer[k].y * layer[k].y / n;
        const double yp = layer[k].yp - layer[k].y * layer[k].p / n;
        const double pp = layer[k].pp - layer[k].p * layer[k].p / n;
        if (n < 3 || !(yy > 0)) continue;
        sum += fmax(pp - yp * yp / yy, 0);
        all += n;
    }
    return all > 0 ? sum / all : 0;
}

/* Mean height of the compressed column: of the layers of equal mass. */
static double center_at_rest(const rn_fluid *fluid, double depth)
{
    enum { PARTS = 200 };
    double sum = 0;
    for (int k = 0; k < PARTS; k++)
        sum += rni_lab_water_pressed(fluid, depth, depth * (k + 0.5) / PARTS);
    return sum / PARTS;
}

/* Sums over the middle and over the last fifth. */
typedef struct sums {
    double time[2], speed_sq[2], energy[2], noise_sq, height, count;
} sums;

static void add_up(sums *all, const rni_lab_still *s, const rn_fluid *fluid,
                   const rn_fluid_report *report)
{
    const double part = report->time / s->seconds, dt = (double)report->time_step;
    if (!(part >= 0.8 || (part >= 0.4 && part < 0.6))) return;
    const int k = part >= 0.8;
    all->time[k] += dt;
    all->speed_sq[k] += dt * pow(rni_lab_water_rms(fluid, report), 2);
    all->energy[k] += dt * (report->kinetic + report->potential + report->elastic);
    if (!k || report->step % 10 != 0) return;
    all->noise_sq += noise_sq_of(fluid, s);
    all->height += rni_lab_water_center(fluid, 1);
    all->count++;
}

static void evaluate(rni_lab_still *s, const sums *all, const rn_fluid *fluid)
{
    const double wave = sqrt(RNI_LAB_GRAVITY * s->depth);
    const double mass = s->cost.particles * (double)rni_fluid_derived_of(fluid).mass;
    s->early_speed = sqrt(all->speed_sq[0] / all->time[0]) / wave;
    s->speed = sqrt(all->speed_sq[1] / all->time[1]) / wave;
    s->energy_gain =
        (all->energy[1] / all->time[1] - all->energy[0] / all->time[0]) / (mass * wave * wave);
    s->noise = sqrt(all->noise_sq / all->count) / (1000 * wave * wave);
    s->depth_error = all->height / all->count / center_at_rest(fluid, s->depth) - 1;
    s->escaped = rn_fluid_get_escaped_count(fluid);
}

rn_result rni_lab_still_run(const rni_lab *lab, rni_lab_still *s, rni_lab_trace *trace)
{
    const double size[3] = {s->width, s->depth, s->width};
    rn_fluid_def def =
        rni_lab_water_def(lab, s->dim, s->spacing, (double[]){s->width, 1.4 * s->depth, s->width});
    rn_fluid *fluid = NULL;
    rn_result result = rni_lab_water_make(&def, (double[]){0, 0, 0}, size, JITTER, &fluid);
    sums all = {0};
    rn_fluid_report report = rn_fluid_report_default();
    const double began = rni_process_seconds();
    while (result == RN_OK && rn_fluid_get_time(fluid) < s->seconds) {
        result = rn_fluid_step(fluid, &report);
        if (result != RN_OK) break;
        add_up(&all, s, fluid, &report);
        if (trace && report.step % 20 == 0)
            result = rni_lab_trace_add(trace, report.time,
                                       rni_lab_water_rms(fluid, &report) /
                                           sqrt(RNI_LAB_GRAVITY * s->depth));
    }
    s->cost = (rni_lab_cost){report.particles, report.time, rni_process_seconds() - began};
    if (result == RN_OK) evaluate(s, &all, fluid);
    rn_fluid_destroy(fluid);
    return result;
}

/* --- the experiment ----------------------------------------------------------------------------- */

static rn_result add_row(rni_lab *lab, const rni_lab_still *s)
{
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, s->dim == 3 ? "3D" : "2D");
    rni_lab_table_number(&lab->table, s->spacing);
    rni_lab_table_number(&lab->table, s->cost.particles);
    rni_lab_table_number(&lab->table, s->speed);
    rni_lab_table_number(&lab->table, s->early_speed);
    rni_lab_table_number(&lab->table, s->noise);
    rni_lab_table_number(&lab->table, 100 * s->depth_error);
    rni_lab_table_number(&lab->table, s->energy_gain);
    rni_lab_table_number(&lab->table, s->escaped);
    return RN_OK;
}

static void conclude(rni_lab *lab, const rni_lab_still *cases, uint32_t count)
{
    double speed = 0, noise = 0, depth = 0, gain = -HUGE_VAL;
    bool grows = false;
    uint32_t escaped = 0;
    for (uint32_t k = 0; k < count; k++) {
        const rni_lab_still *s = &cases[k];
        speed = fmax(speed, s->speed);
        noise = fmax(noise, s->noise);
        if (fabs(s->depth_error) > fabs(depth)) depth = s->depth_error;
        gain = fmax(gain, s->energy_gain);
        grows |= s->speed > 1.2 * s->early_speed && s->speed > 1e-3;
        escaped += s->escaped;
    }
    const bool is_calm = speed < 5e-3 && !grows && !escaped, is_deep = fabs(depth) <= 0.005;
    const char *verdict = rni_lab_verdict(is_calm && is_deep, is_calm || is_deep);
    rni_lab_conclude(lab, verdict,
                     "The claim that disordered water comes to rest and keeps its depth %s here: "
                     "after %g s the rms speed is at most %.4f sqrt(g H) and %s, the depth is off by "
                     "%+.2f %%, the noise of the pressure at most %.4f rho g H, the energy gained at "
                     "most %.1e M g H, and %u particles are outside the walls.",
                     verdict, cases[0].seconds, speed, grows ? "grows" : "does not grow",
                     100 * depth, noise, gain, escaped);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_still full[] = {{.dim = 2, .spacing = 0.025, .depth = 0.5, .width = 0.5, .seconds = 10},
                            {.dim = 2, .spacing = 0.0125, .depth = 0.5, .width = 0.5, .seconds = 10},
                            {.dim = 3, .spacing = 0.025, .depth = 0.3, .width = 0.25, .seconds = 10}};
    rni_lab_still quick[] = {{.dim = 2, .spacing = 0.05, .depth = 0.5, .width = 0.5, .seconds = 2},
                             {.dim = 3, .spacing = 0.05, .depth = 0.4, .width = 0.25, .seconds = 2}};
    rni_lab_still *cases = lab->is_quick ? quick : full;
    const uint32_t count = lab->is_quick ? 2 : 3;
    rni_lab_traces traces = {0};
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, count);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < count && result == RN_OK; k++) {
        rni_lab_trace *trace =
            rni_lab_begin_traced_case(lab, &traces, "%uD, %g m", cases[k].dim, cases[k].spacing);
        result = rni_lab_still_run(lab, &cases[k], trace);
        if (result == RN_OK) result = add_row(lab, &cases[k]);
    }
    rni_chart chart = {.title = "Still water",
                       .subtitle = "from a disordered start",
                       .x_label = "time, s",
                       .y_label = "rms speed / sqrt(g H)",
                       .y_log = true};
    if (result == RN_OK) conclude(lab, cases, count);
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_rest = {
    .name = "rest",
    .summary = "still water from a disordered start: speeds, noise of the pressure, depth, energy",
    .source = "Runnel",
    .claim = "disordered water comes to rest, below 0.005 sqrt(g H) and not growing, and keeps its "
             "depth within 0.5 %",
    .run = run,
};
