/* Levels: where the water in a column ends.
 *
 * The share of water is sampled along the axis of the column, four times per spacing: the volumes of
 * the particles, each spread over a box by hats along the axis and across it (gauges.h). On a lattice
 * these add up to exactly 1 in the water and to one half at its surface. Where a wall takes a part of
 * the box, the share is that of the rest. A surface is where the share falls below one half. */
#include "base/error.h"
#include "fluid/gauges.h"
#include "fluid/walls.h"

#include <string.h>

#define SAMPLES_PER_SPACING 4.0
#define MAX_SAMPLES         65536.0
#define REACH_SPACINGS      2.0 /* along the axis, and across at least */
#define SURFACE_SHARE       0.5
/* Less than this is air, also in a corner; less open space than that is a wall. */
#define AIR_SHARE  0.05
#define OPEN_SHARE 0.1
/* Places along one side of the box in which open space is measured. */
#define BOX_PLACES 6

/* One sample of the profile. */
typedef struct level_sample {
    double water; /* share of the box */
    float open;   /* share of the box that no wall takes; NaN: not known yet */
    float wall;   /* m to the nearest wall, negative: inside; NaN: not known yet */
} level_sample;

static double width_across(const rn_fluid *f, const rni_gauge *g)
{
    const double spacing = (double)f->def.spacing;
    return spacing * fmax(REACH_SPACINGS, ceil((double)g->def.radius / spacing - 1e-6));
}

/* --- preparing -------------------------------------------------------------------------------- */

/* From the foot to where the axis leaves the domain. */
static double way_out(const rn_fluid *f, const rni_gauge *g)
{
    double way = HUGE_VAL;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        const double d = g->axis[0][a], at = (double)g->def.center[a];
        const double end = (double)(d > 0 ? f->def.domain_high[a] : f->def.domain_low[a]);
        if (fabs(d) > 1e-9) way = fmin(way, (end - at) / d);
    }
    return fmax(way, 0);
}

static rn_result choose_axis(const rn_fluid *f, rni_gauge *g)
{
    const float *given = g->def.direction, *gravity = f->def.params.gravity;
    const bool is_given = given[0] != 0 || given[1] != 0 || given[2] != 0;
    double up[3];
    for (int a = 0; a < 3; a++) up[a] = is_given ? (double)given[a] : -(double)gravity[a];
    if (rni_gauge_set_axes(f, g, up)) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "level gauge: there is no gravity that says where up is; give a direction");
}

rn_result rni_level_prepare(rn_fluid *f, rni_gauge *g)
{
    const double spacing = (double)f->def.spacing;
    if (g->def.surface_count < 1 || g->def.surface_count > RN_GAUGE_MAX_VALUES)
        return rni_fail(RN_ERROR_ARGUMENT, "level gauge: surface_count is %u; it must be 1 to %u",
                        g->def.surface_count, RN_GAUGE_MAX_VALUES);
    rn_result result = choose_axis(f, g);
    if (result != RN_OK) return result;
    const double out = way_out(f, g), given = (double)g->def.height;
    const double height = given > 0 ? fmin(given, out) : out;
    g->spacing = spacing / SAMPLES_PER_SPACING;
    if (!(height > 2 * spacing))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "level gauge: the column is %g m high; it must be more than 2 spacings (%g "
                        "m): move its foot down, or give another direction",
                        height, 2 * spacing);
    if (!(height / g->spacing < MAX_SAMPLES))
        return rni_fail(RN_ERROR_LIMIT,
                        "level gauge: the column is %g m high, more than %g spacings; give a smaller "
                        "height",
                        height, MAX_SAMPLES / SAMPLES_PER_SPACING);
    g->point_count = (uint32_t)(height / g->spacing + 1e-6) + 1;
    g->wall_version = f->walls->version - 1; /* not these */
    const double reach = spacing * REACH_SPACINGS, width = width_across(f, g);
    for (int a = 0; a < 3; a++) {
        const double foot = (double)g->def.center[a], end = foot + height * g->axis[0][a];
        const double around = reach * fabs(g->axis[0][a]) +
                              width * (fabs(g->axis[1][a]) + fabs(g->axis[2][a])) + 1e-6 * spacing;
        g->box_low[a] = fmin(foot, end) - around;
        g->box_high[a] = fmax(foot, end) + around;
        /* Along a period the column has a begin and an end. */
        if (fabs(g->axis[0][a]) > 1e-9) g->period[a] = 0;
    }
    return rni_buffer_need(&f->memory, &g->sums, g->point_count, sizeof(level_sample));
}

/* --- the profile ------------------------------------------------------------------------------ */

void rni_level_begin(const rn_fluid *f, rni_gauge *g)
{
    level_sample *samples = g->sums.data;
    const bool is_other = g->wall_version != f->walls->version;
    for (uint32_t k = 0; k < g->point_count; k++) {
        samples[k].water = 0;
        if (is_other) samples[k].open = samples[k].wall = NAN;
    }
    g->wall_version = f->walls->version;
}

void rni_level_add(const rn_fluid *f, rni_gauge *g, uint32_t begin, uint32_t end)
{
    level_sample *samples = g->sums.data;
    const double reach = REACH_SPACINGS * (double)f->def.spacing, width = width_across(f, g);
    const double foot[3] = {(double)g->def.center[0], (double)g->def.center[1],
                            (double)g->def.center[2]};
    const double volume = rni_gauge_volume(f), last = g->point_count - 1;
    for (uint32_t i = begin; i < end; i++) {
        double way[3];
        if (!rni_gauge_has(f, g, i)) continue;
        rni_gauge_between(g, foot, f->now.position[i], way);
        const double along = rni_gauge_dot(way, g->axis[0]);
        double share = volume * rni_gauge_hat(rni_gauge_dot(way, g->axis[1]), width);
        if (f->def.dim == 3) share *= rni_gauge_hat(rni_gauge_dot(way, g->axis[2]), width);
        if (!(share > 0)) continue;
        const double from = fmax(ceil((along - reach) / g->spacing), 0);
        const double to = fmin(floor((along + reach) / g->spacing), last);
        if (!(from <= to)) continue;
        for (uint32_t k = (uint32_t)from; k <= (uint32_t)to; k++)
            samples[k].water += share * rni_gauge_hat(k * g->spacing - along, reach);
    }
}

static void place_of(const rni_gauge *g, double along, double u, double v, float x[3])
{
    for (int a = 0; a < 3; a++)
        x[a] = (float)((double)g->def.center[a] + along * g->axis[0][a] + u * g->axis[1][a] +
                       v * g->axis[2][a]);
}

/* The share of the box around a sample that no wall takes. Where a wall cuts the neighbourhood of a
 * place, a part of it counts. */
static float open_share(const rn_fluid *f, const rni_gauge *g, double along)
{
    const double reach = REACH_SPACINGS * (double)f->def.spacing, width = width_across(f, g);
    const double step = 2 * reach / BOX_PLACES, step_across = 2 * width / BOX_PLACES;
    const int deep = f->def.dim == 3 ? BOX_PLACES : 1;
    double open = 0, all = 0;
    for (int k = 0; k < BOX_PLACES * BOX_PLACES * deep; k++) {
        const int across = k / BOX_PLACES % BOX_PLACES, behind = k / (BOX_PLACES * BOX_PLACES);
        const double z = ((k % BOX_PLACES) + 0.5) * step - reach;
        const double u = (across + 0.5) * step_across - width;
        const double v = deep > 1 ? (behind + 0.5) * step_across - width : 0.0;
        double weight = rni_gauge_hat(z, reach) * rni_gauge_hat(u, width);
        if (deep > 1) weight *= rni_gauge_hat(v, width);
        float x[3];
        place_of(g, along + z, u, v, x);
        const double wall = (double)rni_walls_distance(f, x);
        open += weight * fmin(1, fmax(0, 0.5 + wall / step_across));
        all += weight;
    }
    return (float)(open / all);
}

/* The share of water in the open space around sample k; 0 in a wall. */
static double wet_share(const rn_fluid *f, const rni_gauge *g, level_sample *samples, uint32_t k)
{
    level_sample *s = &samples[k];
    if (s->water < AIR_SHARE) return 0;
    if (isnan(s->wall)) {
        float x[3];
        place_of(g, k * g->spacing, 0, 0, x);
        s->wall = rni_walls_distance(f, x);
    }
    if ((double)s->wall < -1e-3 * (double)f->def.spacing) return 0;
    if (s->water >= 1) return 1;
    if (isnan(s->open)) s->open = open_share(f, g, k * g->spacing);
    return (double)s->open < OPEN_SHARE ? 0 : s->water / (double)s->open;
}

/* Where between a wet sample and the next one the water ends: its surface, or the wall above it. */
static double end_of(const rni_gauge *g, const level_sample *samples, uint32_t k, double here,
                     double next)
{
    const float wall = samples[k].wall, beyond = samples[k + 1].wall;
    double part = (here - SURFACE_SHARE) / (here - next);
    if (beyond < 0 && wall >= 0) part = (double)wall / ((double)wall - (double)beyond);
    return (k + fmin(fmax(part, 0), 1)) * g->spacing;
}

void rni_level_finish(rn_fluid *f, rni_gauge *g, double *values)
{
    level_sample *samples = g->sums.data;
    uint32_t count = 0;
    for (uint32_t k = 0; k < g->value_count; k++) values[k] = (double)NAN;
    double above = 0;
    bool was_wet = false;
    for (uint32_t k = g->point_count; k-- > 0;) {
        const double here = wet_share(f, g, samples, k);
        const bool is_wet = here >= SURFACE_SHARE, is_last = k + 1 == g->point_count;
        if (is_wet && !was_wet && count < g->value_count)
            values[count++] = is_last ? k * g->spacing : end_of(g, samples, k, here, above);
        was_wet = is_wet;
        above = here;
    }
    if (count == 0) values[0] = 0; /* dry: the water ends at the foot */
}
