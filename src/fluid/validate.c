#include "fluid/validate.h"

#include "fluid/scheme.h"

#include "fluid/attributes.h"
#include "fluid/particles.h"
#include "fluid/thin_walls.h"
#include "fluid/traversal.h"
#include "fluid/walls.h"

#include <math.h>

/* Particles that are compared with brute force at each call. */
#define SAMPLES 4u
/* Particles whose distance from the walls is computed anew at each call. */
#define WALL_SAMPLES 64u

/* Other samples at each step: a stride that is coprime to nearly every count. */
static uint32_t sample_of(const rn_fluid *f, uint32_t k)
{
    return (uint32_t)((f->step_count * 7919u + k * 104729u) % f->now.count);
}

static bool is_finite3(const float v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static bool are_positions_finite(const rn_fluid *f)
{
    for (uint32_t i = 0; i < f->now.count; i++)
        if (!is_finite3(f->now.position[i])) return false;
    return true;
}

/* --- sort and search
 * ------------------------------------------------------------------------------ */

const char *rni_validate_sort(const rn_fluid *f)
{
    const rni_cells *cells = &f->cells;
    if (f->now.count == 0) return NULL;
    if (cells->start[0] != 0) return "the first cell does not begin at particle 0";
    if (cells->start[cells->cell_count] != f->now.count)
        return "the last cell does not end at the last particle";
    for (uint32_t c = 0; c < cells->cell_count; c++) {
        if (cells->start[c + 1] < cells->start[c]) return "a cell ends before it begins";
        for (uint32_t i = cells->start[c]; i < cells->start[c + 1]; i++)
            if (rni_cell_of(cells, f->now.position[i]) != c) return "a particle is in a wrong cell";
    }
    return NULL;
}

static double distance_sq(const rn_fluid *f, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        double d = (double)f->now.position[i][a] - (double)f->now.position[j][a];
        const double period = (double)f->def.domain_high[a] - (double)f->def.domain_low[a];
        if (f->def.periodic[a]) d = remainder(d, period);
        sum += d * d;
    }
    return sum;
}

/* Whether a thin wall is between i and the nearest image of j. */
static bool is_hidden(const rn_fluid *f, uint32_t i, uint32_t j)
{
    const float *x = f->now.position[i], *at = f->now.position[j];
    float y[3];
    if (!f->walls->thin_distance || !(f->walls->thin_distance[i] < INFINITY)) return false;
    for (uint32_t a = 0; a < 3; a++)
        y[a] = f->def.periodic[a]
                   ? x[a] + remainderf(at[a] - x[a], f->def.domain_high[a] - f->def.domain_low[a])
                   : at[a];
    return rni_thin_walls_part(f, x, y);
}

/* Pairs at the radius to within rounding may count or not; those that a thin wall parts, too. */
const char *rni_validate_neighbors(const rn_fluid *f)
{
    if (f->now.count == 0 || !are_positions_finite(f)) return NULL;
    const char *problem = f->traversal->check(f);
    if (problem) return problem;
    double largest = 0;
    for (uint32_t a = 0; a < f->def.dim; a++)
        largest = fmax(
            largest, fmax(fabs((double)f->def.domain_low[a]), fabs((double)f->def.domain_high[a])));
    const double h = (double)f->derived.radius, slack = 1e-5 * h + 1e-6 * largest;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const uint32_t i = sample_of(f, k);
        uint32_t least = 0, most = 0;
        for (uint32_t j = 0; j < f->now.count; j++) {
            if (j == i) continue;
            const double r_sq = distance_sq(f, i, j);
            least += r_sq < (h - slack) * (h - slack) && !is_hidden(f, i, j);
            most += r_sq < (h + slack) * (h + slack);
        }
        if (f->neighbor_count[i] < least)
            return "a particle has fewer neighbours than by brute force";
        if (f->neighbor_count[i] > most)
            return "a particle has more neighbours than by brute force";
    }
    return NULL;
}

static double length_of(const float v[3])
{
    return sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                (double)v[2] * (double)v[2]);
}

/* --- boundaries, density, pressure, forces
 * -------------------------------------------------------- */

static bool are_finite(const void *floats, size_t bytes)
{
    const float *value = floats;
    for (size_t n = 0; n < bytes / sizeof *value; n++)
        if (!isfinite(value[n])) return false;
    return true;
}

const char *rni_validate_touch(const rn_fluid *f, uint32_t i)
{
    const rni_walls *walls = f->walls;
    if (are_finite(&walls->touch[i], sizeof *walls->touch) &&
        (!walls->moments || are_finite(&walls->moments[i], sizeof *walls->moments)))
        return NULL;
    return "what walls add to a particle is not finite";
}

const char *rni_validate_boundaries(const rn_fluid *f)
{
    if (rni_has_bare_walls(&f->def)) return NULL;
    for (uint32_t i = 0; i < f->now.count; i++) {
        if (!is_finite3(f->now.position[i])) continue;
        const float share = f->walls->share[i];
        if (!(share >= 0)) return "the walls' share of a density is negative or not finite";
        if (!(share < 1)) return "the walls' share of a density is 1 or more";
        const char *problem = share > 0 ? rni_validate_touch(f, i) : NULL;
        if (problem) return problem;
    }
    return NULL;
}

const char *rni_validate_density(const rn_fluid *f)
{
    if (!are_positions_finite(f)) return NULL;
    const char *problem = rni_validate_neighbors(f);
    if (problem) return problem;
    for (uint32_t i = 0; i < f->now.count; i++)
        if (!(f->density[i] > 0) || !isfinite(f->density[i]))
            return "a density is not above 0, or not finite";
    return NULL;
}

/* Compressed more than this an equation of state may leave the range of floats. */
#define COMPRESSION_MAX 100.0f

const char *rni_validate_pressure(const rn_fluid *f)
{
    for (uint32_t i = 0; i < f->now.count; i++) {
        if (!(f->density[i] < COMPRESSION_MAX * f->def.rest_density)) continue;
        if (!isfinite(f->pressure[i])) return "a pressure is not finite";
        if (f->pressure[i] < 0 && !f->def.params.negative_pressure) return "a pressure is negative";
    }
    return NULL;
}

/* The order of magnitude of the pair forces on particle i (m / s^2) before they cancel: pressure
 * over density and radius, viscosity, cohesion and curvature. */
static double pair_scale(const rn_fluid *f, uint32_t i)
{
    const rn_fluid_params *p = &f->def.params;
    const double h = (double)f->derived.radius, rho = (double)f->density[i];
    const float *v = f->now.velocity[i];
    double scale = fabs((double)f->pressure[i]) / (rho * h);
    scale += (double)f->derived.viscosity / (rho * h * h) * length_of(v);
    if (p->tension == RN_TENSION_AKINCI)
        scale += (double)p->cohesion * (double)f->def.rest_density + (double)p->curvature;
    return 10 * scale;
}

/* Sums of antisymmetric pairs are zero but for rounding of the terms, which may be much larger than
 * their sum. */
#define BALANCE  1e-3
#define ROUNDING 1e-5

const char *rni_validate_pair_forces(const rn_fluid *f)
{
    double sum[3] = {0, 0, 0}, size = 0, scale = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        scale += pair_scale(f, i);
        for (int a = 0; a < 3; a++) {
            sum[a] += (double)f->now.acceleration[i][a];
            size += fabs((double)f->now.acceleration[i][a]);
        }
    }
    if (!isfinite(size) || !isfinite(scale)) return NULL;
    for (int a = 0; a < 3; a++)
        if (fabs(sum[a]) > BALANCE * size + ROUNDING * scale)
            return "the forces between particles do not sum to zero";
    return NULL;
}

const char *rni_validate_forces(const rn_fluid *f)
{
    if (f->def.dim == 3) return NULL;
    for (uint32_t i = 0; i < f->now.count; i++)
        if (f->now.acceleration[i][2] != 0) return "an acceleration leaves the plane of 2D";
    return NULL;
}

/* --- motion
 * --------------------------------------------------------------------------------------- */

const char *rni_validate_integrate(const rn_fluid *f)
{
    rni_record *from = rni_previous_position(f);
    const double dt = (double)f->dt;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i], *v = f->now.velocity[i], *a = f->now.acceleration[i];
        const float way[3] = {x[0] - from[i][0], x[1] - from[i][1], x[2] - from[i][2]};
        const double speed = (f->shift ? length_of(f->shift[i]) : 0) + length_of(v) +
                             dt * length_of(a) + dt * length_of(rni_previous_acceleration(f)[i]);
        if (!isfinite(speed) || !is_finite3(x)) continue;
        const double rounding = 1e-6 * (length_of(x) + length_of(from[i]));
        if (length_of(way) > 1.001 * dt * speed + rounding)
            return "a particle has moved further than its speed allows";
    }
    return NULL;
}

/* Beside meshes all of up to so many particles are asked in every step; of more, one in MESH_TURNS. */
#define MESH_ALL   250u
#define MESH_TURNS 8u

const char *rni_validate_collide(const rn_fluid *f)
{
    const double depth = -0.01 * (double)f->def.spacing;
    for (uint32_t k = 0; k < WALL_SAMPLES && f->now.count > 0; k++) {
        const float *x = f->now.position[sample_of(f, k)];
        if (!is_finite3(x)) continue;
        if (rn_fluid_get_wall_distance(f, x) < depth) return "a particle is behind a wall";
    }
    const uint32_t turns = f->now.count <= MESH_ALL ? 1 : MESH_TURNS;
    const uint32_t first = (uint32_t)(f->step_count % turns);
    for (uint32_t i = first; f->walls->has_meshes && i < f->now.count; i += turns)
        if (is_finite3(f->now.position[i]) && rni_walls_has_escaped(f, i))
            return "a particle has passed a mesh";
    return NULL;
}

const char *rni_validate_state(const rn_fluid *f)
{
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!(row->flags & RNI_SAVED) || row->info.type != RN_ATTRIBUTE_FLOAT) continue;
        if (!rni_has_row(f, k)) continue;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const char *entry = rni_row_data(f, k) + (size_t)i * row->element_bytes;
            for (uint32_t n = 0; n < row->info.components && k < RNI_ROW_COUNT; n++) {
                float value;
                __builtin_memcpy(&value, entry + 4 * (size_t)n, sizeof value);
                if (!isfinite(value)) return "a saved attribute is not finite";
            }
        }
    }
    for (uint32_t i = 0; i < f->now.count; i++)
        if (rni_particle_id(&f->now, i) >= f->next_id) return "an id was never given";
    if (f->now.count > f->now.capacity) return "there are more particles than capacity";
    return NULL;
}
