/* What each kind of gauge measures, and the table of kinds. */
#include "base/error.h"
#include "base/pi.h"
#include "fluid/gauges.h"
#include "fluid/loads.h"
#include "fluid/thin_walls.h"

#include <string.h>

/* Less water than this share of the kernel's support is spray: the gauge is dry. In a corner of
 * three walls an eighth of the support is left. */
#define WET_SHARE 0.1
/* Places on the disc of a sensor: one per spacing, up to that; the kernel is wider. */
#define MAX_PLACES 64u
/* A discharge is the mean over so many spacings to each side of its section. */
#define SECTION_SPACINGS 2.0

/* --- what kinds share ------------------------------------------------------------------------- */

static void set_box(rni_gauge *g, const double low[3], const double high[3], double reach)
{
    for (int a = 0; a < 3; a++) {
        g->box_low[a] = low[a] - reach;
        g->box_high[a] = high[a] + reach;
    }
}

static void set_box_around(rni_gauge *g, double reach)
{
    const double center[3] = {(double)g->def.center[0], (double)g->def.center[1],
                              (double)g->def.center[2]};
    set_box(g, center, center, reach);
}

bool rni_gauge_set_axes(const rn_fluid *f, rni_gauge *g, const double direction[3])
{
    double *d = g->axis[0], *u = g->axis[1], *v = g->axis[2];
    const double length = sqrt(rni_gauge_dot(direction, direction));
    if (!(length > 0)) return false;
    for (int a = 0; a < 3; a++) d[a] = direction[a] / length;
    int least = f->def.dim == 2 ? 2 : 0; /* the axis that is farthest from the direction */
    for (int a = 1; a < 3 && f->def.dim == 3; a++)
        if (fabs(d[a]) < fabs(d[least])) least = a;
    for (int a = 0; a < 3; a++) v[a] = (a == least ? 1.0 : 0.0) - d[least] * d[a];
    const double across = sqrt(rni_gauge_dot(v, v));
    for (int a = 0; a < 3; a++) v[a] /= across;
    for (int a = 0; a < 3; a++) {
        const int p = (a + 1) % 3, q = (a + 2) % 3;
        u[a] = v[p] * d[q] - v[q] * d[p];
    }
    return true;
}

static bool take_direction(const rn_fluid *f, rni_gauge *g)
{
    const double direction[3] = {(double)g->def.direction[0], (double)g->def.direction[1],
                                 (double)g->def.direction[2]};
    return rni_gauge_set_axes(f, g, direction);
}

/* A disc that a wall or the end of the world cuts would measure less than it says. */
static rn_result check_disc(const rn_fluid *f, const rni_gauge *g)
{
    const double slack = 1e-3 * (double)f->def.spacing;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        const double n = g->axis[0][a], reach = (double)g->def.radius * sqrt(fmax(0, 1 - n * n));
        const double at = (double)g->def.center[a];
        if (g->period[a] > 0 || (at - reach >= (double)f->def.domain_low[a] - slack &&
                                 at + reach <= (double)f->def.domain_high[a] + slack))
            continue;
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s gauge: the disc reaches from %g to %g m along %c, outside the domain: %g "
                        "to %g m; move its center, or make radius smaller",
                        g->kind->name, at - reach, at + reach, "xyz"[a],
                        (double)f -> def.domain_low[a], (double)f->def.domain_high[a]);
    }
    return RN_OK;
}

/* Wendland C2 without its constant. */
static inline double kernel_at(double distance_sq, double h)
{
    if (distance_sq >= h * h) return 0;
    const double q = sqrt(distance_sq) / h, t = 1 - q;
    return t * t * t * t * (1 + 4 * q);
}

/* What all particles of water at rest add up to. */
static double kernel_sum(const rn_fluid *f)
{
    const double h = (double)f->derived.radius;
    const double constant =
        f->def.dim == 3 ? 21.0 / (2.0 * RNI_PI * h * h * h) : 7.0 / (RNI_PI * h * h);
    return 1 / (constant * rni_gauge_volume(f));
}

/* Whether a thin wall is between a place and the particle `way` from it. */
static bool is_hidden(const rn_fluid *f, const double at[3], const double way[3])
{
    if (!f->walls->has_thin) return false;
    const float x[3] = {(float)at[0], (float)at[1], (float)at[2]};
    const float y[3] = {(float)(at[0] + way[0]), (float)(at[1] + way[1]), (float)(at[2] + way[2])};
    return rni_thin_walls_part(f, x, y);
}

/* --- pressure and velocity -------------------------------------------------------------------- */

typedef struct place {
    double at[3];
    double weight, sum[3];
} place;

static rn_result take_places(rn_fluid *f, rni_gauge *g, uint32_t count)
{
    rn_result result = rni_buffer_need(&f->memory, &g->sums, count, sizeof(place));
    if (result != RN_OK) return result;
    g->point_count = count;
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) ((place *)g->sums.data)[k].at[a] = (double)g->def.center[a];
    set_box_around(g, (double)f->derived.radius + (double)g->def.radius);
    return RN_OK;
}

/* Even places on a disc, by the golden angle (Vogel 1979); in 2D on a line. */
static void spread_places(const rn_fluid *f, rni_gauge *g)
{
    static const double GOLDEN_ANGLE = 2.39996322972865332;
    place *places = g->sums.data;
    const double radius = (double)g->def.radius;
    for (uint32_t k = 0; k < g->point_count; k++) {
        const double part = (k + 0.5) / g->point_count;
        const double r = radius * sqrt(part), angle = k * GOLDEN_ANGLE;
        const double u = f->def.dim == 2 ? radius * (2 * part - 1) : r * cos(angle);
        const double v = f->def.dim == 2 ? 0 : r * sin(angle);
        for (int a = 0; a < 3; a++) places[k].at[a] += u * g->axis[1][a] + v * g->axis[2][a];
    }
}

static rn_result prepare_pressure(rn_fluid *f, rni_gauge *g)
{
    const bool has_direction = take_direction(f, g);
    const double across = 2 * (double)g->def.radius / (double)f->def.spacing;
    double wanted = f->def.dim == 2 ? across : 0.25 * RNI_PI * across * across;
    wanted = fmin(fmax(ceil(wanted), 8), MAX_PLACES);
    if (!(f->needed_rows & RNI_ROW_BIT(RNI_ROW_PRESSURE)))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pressure gauge: the scheme of this fluid has no pressure");
    if (!(g->def.radius > 0)) return take_places(f, g, 1);
    if (!has_direction)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pressure gauge: a disc needs a direction: the normal from the wall into the "
                        "water; without radius it is a point");
    rn_result result = check_disc(f, g);
    if (result == RN_OK) result = take_places(f, g, (uint32_t)wanted);
    if (result == RN_OK) spread_places(f, g);
    return result;
}

static rn_result prepare_velocity(rn_fluid *f, rni_gauge *g)
{
    return take_places(f, g, 1);
}

static void begin_places(const rn_fluid *f, rni_gauge *g)
{
    (void)f;
    place *places = g->sums.data;
    for (uint32_t k = 0; k < g->point_count; k++) {
        places[k].weight = 0;
        memset(places[k].sum, 0, sizeof places[k].sum);
    }
}

/* The pressure of each particle is carried to the place along the gradient of water at rest: what
 * lies on one side only (at walls) then has no error of the first order. */
static void add_pressure(const rn_fluid *f, rni_gauge *g, uint32_t begin, uint32_t end)
{
    place *places = g->sums.data;
    const double h = (double)f->derived.radius, rho = (double)f->def.rest_density;
    const bool has_side = rni_gauge_dot(g->axis[0], g->axis[0]) > 0;
    float gravity[3];
    rni_fluid_gravity(f, gravity);
    const double weight[3] = {rho * (double)gravity[0], rho * (double)gravity[1],
                              rho * (double)gravity[2]};
    for (uint32_t i = begin; i < end; i++) {
        if (!rni_gauge_has(f, g, i)) continue;
        const double volume = rho / fmax((double)f->density[i], 0.1 * rho);
        const double ratio = (double)rni_ratio(f, i);
        for (uint32_t k = 0; k < g->point_count; k++) {
            double way[3];
            rni_gauge_between(g, places[k].at, f->now.position[i], way);
            if (has_side && rni_gauge_dot(way, g->axis[0]) < 0) continue;
            const double w = volume * kernel_at(rni_gauge_dot(way, way), h);
            if (!(w > 0) || is_hidden(f, places[k].at, way)) continue;
            places[k].weight += w;
            places[k].sum[0] += w * ((double)f->pressure[i] - ratio * rni_gauge_dot(weight, way));
        }
    }
}

static void finish_pressure(rn_fluid *f, rni_gauge *g, double *values)
{
    const place *places = g->sums.data;
    const double all = kernel_sum(f);
    double sum = 0;
    for (uint32_t k = 0; k < g->point_count; k++) {
        const bool is_wet = places[k].weight > WET_SHARE * all;
        const double p = is_wet ? places[k].sum[0] / places[k].weight : 0;
        sum += f->def.params.negative_pressure ? p : fmax(p, 0);
    }
    values[0] = sum / g->point_count;
}

static void add_velocity(const rn_fluid *f, rni_gauge *g, uint32_t begin, uint32_t end)
{
    place *p = g->sums.data;
    const double h = (double)f->derived.radius, rho = (double)f->def.rest_density;
    for (uint32_t i = begin; i < end; i++) {
        double way[3];
        if (!rni_gauge_has(f, g, i)) continue;
        rni_gauge_between(g, p->at, f->now.position[i], way);
        const double w =
            rho / fmax((double)f->density[i], 0.1 * rho) * kernel_at(rni_gauge_dot(way, way), h);
        if (!(w > 0) || is_hidden(f, p->at, way)) continue;
        p->weight += w;
        for (int a = 0; a < 3; a++) p->sum[a] += w * (double)f->now.velocity[i][a];
    }
}

static void finish_velocity(rn_fluid *f, rni_gauge *g, double *values)
{
    const place *p = g->sums.data;
    const bool is_wet = p->weight > WET_SHARE * kernel_sum(f);
    for (uint32_t a = 0; a < f->def.dim; a++) values[a] = is_wet ? p->sum[a] / p->weight : 0;
}

/* --- discharge -------------------------------------------------------------------------------- */

/* The axis along which low and high are equal; 3: there is none, or more than one. */
static uint32_t flat_axis(const rn_fluid *f, const rn_fluid_gauge *def)
{
    uint32_t axis = 3, count = 0;
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (def->low[a] == def->high[a]) axis = a, count++;
    return count == 1 ? axis : 3;
}

static rn_result prepare_rectangle(rn_fluid *f, rni_gauge *g)
{
    const rn_fluid_gauge *def = &g->def;
    const uint32_t axis = flat_axis(f, def);
    double low[3] = {0}, high[3] = {0}, normal[3] = {0};
    if (axis == 3)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "discharge gauge: give a disc by center, direction and radius, or a "
                        "rectangle by low and high, which are equal along one axis");
    for (uint32_t a = 0; a < f->def.dim; a++) {
        low[a] = (double)def->low[a], high[a] = (double)def->high[a];
        if (low[a] > high[a])
            return rni_fail(RN_ERROR_ARGUMENT,
                            "discharge gauge: %c goes from %g to %g m; low must be below high",
                            "xyz"[a], low[a], high[a]);
    }
    if (!(low[axis] >= (double)f->def.domain_low[axis] &&
          low[axis] <= (double)f->def.domain_high[axis]))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "discharge gauge: %c of the section is %g m, outside the domain: %g to %g m",
                        "xyz"[axis], low[axis], (double)f -> def.domain_low[axis],
                        (double)f->def.domain_high[axis]);
    normal[axis] = def->direction[axis] < 0 ? -1 : 1;
    (void)rni_gauge_set_axes(f, g, normal);
    set_box(g, low, high, 0);
    const double reach = SECTION_SPACINGS * (double)f->def.spacing;
    g->box_low[axis] -= reach, g->box_high[axis] += reach;
    return RN_OK;
}

static rn_result prepare_discharge(rn_fluid *f, rni_gauge *g)
{
    rn_result result = rni_buffer_need(&f->memory, &g->sums, 1, sizeof(double));
    if (result != RN_OK) return result;
    if (!(g->def.radius > 0)) return prepare_rectangle(f, g);
    if (!take_direction(f, g))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "discharge gauge: a disc needs a direction, which counts as positive");
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(g->def.center[a] >= f->def.domain_low[a] && g->def.center[a] <= f->def.domain_high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "discharge gauge: %c of center is %g m, outside the domain: %g to %g m",
                            "xyz"[a], (double)g -> def.center[a], (double)f->def.domain_low[a],
                            (double)f->def.domain_high[a]);
    const double reach = SECTION_SPACINGS * (double)f->def.spacing;
    set_box_around(g, hypot((double)g->def.radius, reach));
    return RN_OK;
}

static void begin_sum(const rn_fluid *f, rni_gauge *g)
{
    (void)f;
    *(double *)g->sums.data = 0;
}

/* The flux through parallel sections close by, averaged: the volume of each particle times its speed
 * along the normal, over the thickness. */
static void add_discharge(const rn_fluid *f, rni_gauge *g, uint32_t begin, uint32_t end)
{
    const double reach = SECTION_SPACINGS * (double)f->def.spacing;
    const double radius = (double)g->def.radius;
    double sum = 0, center[3];
    for (int a = 0; a < 3; a++)
        center[a] = radius > 0 ? (double)g->def.center[a] : (double)g->def.low[a];
    for (uint32_t i = begin; i < end; i++) {
        double way[3];
        if (!rni_gauge_has(f, g, i)) continue;
        rni_gauge_between(g, center, f->now.position[i], way);
        const double along = rni_gauge_dot(way, g->axis[0]);
        if (radius > 0 && rni_gauge_dot(way, way) - along * along > radius * radius) continue;
        double speed = 0;
        for (int a = 0; a < 3; a++) speed += (double)f->now.velocity[i][a] * g->axis[0][a];
        sum += speed * rni_gauge_hat(along, reach);
    }
    *(double *)g->sums.data += sum;
}

static void finish_volume(rn_fluid *f, rni_gauge *g, double *values)
{
    values[0] = rni_gauge_volume(f) * *(const double *)g->sums.data;
}

/* --- volume, force, energy -------------------------------------------------------------------- */

static rn_result prepare_volume(rn_fluid *f, rni_gauge *g)
{
    double low[3] = {0}, high[3] = {0};
    for (uint32_t a = 0; a < f->def.dim; a++) {
        low[a] = (double)g->def.low[a], high[a] = (double)g->def.high[a];
        if (!(low[a] < high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "volume gauge: %c goes from %g to %g m; low must be below high",
                            "xyz"[a], low[a], high[a]);
        if (high[a] < (double)f->def.domain_low[a] || low[a] > (double)f->def.domain_high[a])
            return rni_fail(RN_ERROR_ARGUMENT,
                            "volume gauge: along %c the box, %g to %g m, is outside the domain: %g to "
                            "%g m",
                            "xyz"[a], low[a], high[a], (double)f -> def.domain_low[a],
                            (double)f->def.domain_high[a]);
    }
    set_box(g, low, high, 0);
    memset(g->period, 0, sizeof g->period); /* a box is where it is */
    return rni_buffer_need(&f->memory, &g->sums, 1, sizeof(double));
}

static void add_volume(const rn_fluid *f, rni_gauge *g, uint32_t begin, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) count += rni_gauge_has(f, g, i);
    *(double *)g->sums.data += count;
}

static rn_result prepare_force(rn_fluid *f, rni_gauge *g)
{
    rn_solid_load load = rn_solid_load_default();
    if (g->def.solid_count > RN_GAUGE_MAX_SOLIDS)
        return rni_fail(RN_ERROR_ARGUMENT, "force gauge: %u solids; there may be %u",
                        g->def.solid_count, RN_GAUGE_MAX_SOLIDS);
    rn_result result = rn_fluid_get_domain_load(f, &load);
    for (uint32_t k = 0; k < g->def.solid_count && result == RN_OK; k++)
        result = rn_fluid_get_solid_load(f, g->def.solid[k], &load);
    return result;
}

static void finish_force(rn_fluid *f, rni_gauge *g, double *values)
{
    double sum[6] = {0};
    const uint32_t count = g->def.solid_count > 0 ? g->def.solid_count : 1;
    for (uint32_t k = 0; k < count; k++) {
        rn_solid_load load = rn_solid_load_default();
        const bool is_there =
            g->def.solid_count == 0 || rn_fluid_get_solid_load(f, g->def.solid[k], &load) == RN_OK;
        if (g->def.solid_count == 0) (void)rn_fluid_get_domain_load(f, &load);
        for (int a = 0; a < 3; a++) {
            sum[a] += is_there ? load.force[a] : (double)NAN;
            sum[3 + a] += is_there ? load.torque[a] : (double)NAN;
        }
    }
    if (f->def.dim == 2) values[0] = sum[0], values[1] = sum[1], values[2] = sum[5];
    else memcpy(values, sum, sizeof sum);
}

static rn_result prepare_film(rn_fluid *f, rni_gauge *g)
{
    rn_fluid_film film = rn_fluid_film_default();
    rn_result result = RN_OK;
    if (g->def.solid_count < 1 || g->def.solid_count > RN_GAUGE_MAX_SOLIDS)
        return rni_fail(RN_ERROR_ARGUMENT, "film gauge: %u solids; there must be 1 to %u",
                        g->def.solid_count, RN_GAUGE_MAX_SOLIDS);
    for (uint32_t k = 0; k < g->def.solid_count && result == RN_OK; k++)
        result = rn_fluid_get_film(f, g->def.solid[k], &film);
    return result;
}

static void finish_film(rn_fluid *f, rni_gauge *g, double *values)
{
    values[0] = values[1] = 0;
    for (uint32_t k = 0; k < g->def.solid_count; k++) {
        rn_fluid_film film = rn_fluid_film_default();
        const bool is_there = rn_fluid_get_film(f, g->def.solid[k], &film) == RN_OK;
        values[0] += is_there ? film.wetted_area : (double)NAN;
        values[1] += is_there ? film.volume : (double)NAN;
    }
}

static rn_result prepare_energy(rn_fluid *f, rni_gauge *g)
{
    (void)f, (void)g;
    return RN_OK;
}

static void finish_energy(rn_fluid *f, rni_gauge *g, double *values)
{
    const rn_fluid_report *r = f->gauges->report;
    if (g->def.phase > 0 && f->fluid_number) {
        rn_phase_report own = rn_phase_report_default();
        (void)rn_fluid_get_phase_report(f, g->def.phase - 1, &own);
        values[0] = own.kinetic, values[1] = own.potential, values[2] = 0;
        values[3] = own.kinetic + own.potential;
        return;
    }
    values[0] = r->kinetic, values[1] = r->potential, values[2] = r->elastic;
    values[3] = r->kinetic + r->potential + r->elastic;
}

/* --- the table -------------------------------------------------------------------------------- */

static const rni_gauge_kind KINDS[] = {
    [RN_GAUGE_PRESSURE] = {"pressure",
                           "center direction radius",
                           "center",
                           {{{"", "Pa"}}, {{"", "Pa"}}},
                           prepare_pressure,
                           begin_places,
                           add_pressure,
                           finish_pressure},
    [RN_GAUGE_VELOCITY] = {"velocity",
                           "center",
                           "center",
                           {{{"vx", "m/s"}, {"vy", "m/s"}},
                            {{"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}}},
                           prepare_velocity,
                           begin_places,
                           add_velocity,
                           finish_velocity},
    [RN_GAUGE_LEVEL] =
        {"level",
         "center direction radius height surfaces",
         "center",
         {{{"", "m"}, {"2", "m"}, {"3", "m"}, {"4", "m"}, {"5", "m"}, {"6", "m"}, {"7", "m"}, {"8", "m"}},
          {{"", "m"}, {"2", "m"}, {"3", "m"}, {"4", "m"}, {"5", "m"}, {"6", "m"}, {"7", "m"}, {"8", "m"}}},
         rni_level_prepare,
         rni_level_begin,
         rni_level_add,
         rni_level_finish},
    [RN_GAUGE_DISCHARGE] = {"discharge",
                            "center direction radius low high",
                            "",
                            {{{"", "m^2/s"}}, {{"", "m^3/s"}}},
                            prepare_discharge,
                            begin_sum,
                            add_discharge,
                            finish_volume},
    [RN_GAUGE_FORCE] =
        {"force",
         "solid",
         "",
         {{{"fx", "N/m"}, {"fy", "N/m"}, {"mz", "N"}},
          {{"fx", "N"}, {"fy", "N"}, {"fz", "N"}, {"mx", "N m"}, {"my", "N m"}, {"mz", "N m"}}},
         prepare_force,
         NULL,
         NULL,
         finish_force},
    [RN_GAUGE_VOLUME] = {"volume",
                         "low high",
                         "low high",
                         {{{"", "m^2"}}, {{"", "m^3"}}},
                         prepare_volume,
                         begin_sum,
                         add_volume,
                         finish_volume},
    [RN_GAUGE_ENERGY] =
        {"energy",
         "",
         "",
         {{{"kinetic", "J/m"}, {"potential", "J/m"}, {"elastic", "J/m"}, {"total", "J/m"}},
          {{"kinetic", "J"}, {"potential", "J"}, {"elastic", "J"}, {"total", "J"}}},
         prepare_energy,
         NULL,
         NULL,
         finish_energy},
    [RN_GAUGE_FILM] = {"film",
                       "solid",
                       "solid",
                       {{{"area", "m^2"}, {"volume", "m^3"}}, {{"area", "m^2"}, {"volume", "m^3"}}},
                       prepare_film,
                       NULL,
                       NULL,
                       finish_film},
};

const rni_gauge_kind *rni_gauge_kind_at(uint32_t kind)
{
    return kind < sizeof KINDS / sizeof *KINDS ? &KINDS[kind] : NULL;
}

const rn_gauge_column *rn_gauge_get_column(const rn_fluid_gauge *gauge, uint32_t dim, uint32_t index)
{
    const rni_gauge_kind *kind = rni_gauge_kind_at((uint32_t)gauge->kind);
    if (!kind || index >= RN_GAUGE_MAX_VALUES) return NULL;
    if (gauge->kind == RN_GAUGE_LEVEL && index >= gauge->surface_count) return NULL;
    const rn_gauge_column *column = &kind->column[dim == 2 ? 0 : 1][index];
    return column->unit ? column : NULL;
}
