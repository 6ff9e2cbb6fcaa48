#include "fluid/virtual_walls.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/derive.h"
#include "fluid/phases.h"
#include "solid/mesh.h"

#include <math.h>
#include <string.h>

/* Of the radius: the longest side of a triangle that is not cut. The push of a flat wall is then the same everywhere
 * to 2 % (a test). */
#define LONGEST_SIDE 0.5
/* Points of a solid, at most; and cells of its grid. */
#define MOST_POINTS (1u << 27)
#define MOST_CELLS  (1u << 22)
/* Segments of a circle where round solids become triangles. */
#define SEGMENTS 64u

/* The points of one solid. */
typedef struct rni_virtual_set {
    rni_solid made; /* as it was placed when they were made; without a kind: never */
    uint32_t count;
    float (*point)[4]; /* in the frame of the solid, sorted by cell: x, y, z, area in m^2 */
    float low[3], inverse_cell;
    uint32_t cells[3];
    uint32_t *start; /* of each cell, and the end */
    rni_buffer point_buffer, sorted_buffer, start_buffer;
} rni_virtual_set;

void rni_gauss_point(uint32_t k, double barycentric[3], double *weight)
{
    const double root = sqrt(15.0), sign = k < 4 ? 1 : -1, side = (6 + sign * root) / 21;
    for (uint32_t c = 0; c < 3; c++) barycentric[c] = k == 0 ? 1.0 / 3 : side;
    *weight = k == 0 ? 9.0 / 40 : (155 + sign * root) / 1200;
    if (k > 0) barycentric[(k - 1) % 3] = 1 - 2 * side;
}

rni_traction rni_traction_of(const rn_fluid *f)
{
    const float h = f->derived.radius, v = f->derived.speed_expected, half = 0.5f * f->def.spacing;
    rni_traction t = {.h = h, .rest = f->def.wall_distance, .stiffness = f->def.wall_traction};
    /* Much stiffer walls attract so much, too, that water climbs them. */
    if (!(t.stiffness > 0)) t.stiffness = f->def.rest_density * v * v;
    /* The force of a flat wall, 2 pi t times the integral of tau from t to h, is 0 where
     * (h - t)^2 = 5 / 3 (h - r0)^2. */
    if (!(t.rest > 0)) t.rest = h - (h - half) * sqrtf(0.6f);
    t.scale = t.stiffness / (h * h * t.rest * (2 * h - t.rest));
    t.balance_sq = (h - t.rest) * (h - t.rest);
    return t;
}

rn_result rni_virtual_walls_check(const rn_fluid_def *def)
{
    const float radius = rni_fluid_radius(def);
    if (!rn_fluid_choice_name(RN_CHOICE_WALL_LAW, def->wall_law))
        return rni_fail(RN_ERROR_ARGUMENT, "wall_law is %u; there is no such choice", def->wall_law);
    if (!(def->wall_traction >= 0 && def->wall_traction <= 1e12f))
        return rni_fail(RN_ERROR_ARGUMENT, "wall_traction is %g Pa; it must be from 0 to 1e12",
                        (double)def->wall_traction);
    if (!(def->wall_distance >= 0 && def->wall_distance < radius))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "wall_distance is %g m; it must be from 0 to less than the radius (%g m)",
                        (double)def->wall_distance, (double)radius);
    if (def->wall_law == RN_WALL_LAW_LAYERS) {
        if (!(def->wall_traction > 0) && !(def->wall_distance > 0)) return RN_OK;
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "wall_traction and wall_distance belong to wall law virtual-particles; take it, or "
            "leave them 0");
    }
    if (def->dim != 3)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "wall law virtual-particles needs triangles, which 2D has none of; take law layers, "
            "or 3D");
    if (def->params.viscosity_solver == RN_SOLVER_IMPLICIT)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "wall law virtual-particles does not go with the implicit viscosity solver, which "
                        "knows no boundary particles; take solver explicit, or law layers");
    return RN_OK;
}

/* --- making the points ----------------------------------------------------------------------------- */

typedef struct point_maker {
    rn_fluid *fluid;
    rni_virtual_set *set;
    double longest_sq; /* m^2 */
} point_maker;

static rn_result add_points(point_maker *m, const double corner[3][3], double area)
{
    rni_virtual_set *set = m->set;
    if (set->count + RNI_GAUSS_POINTS > MOST_POINTS)
        return rni_fail(RN_ERROR_LIMIT,
                        "wall law virtual-particles needs more than %u points on one solid; take a larger "
                        "spacing, or law layers",
                        MOST_POINTS);
    rn_result result = rni_buffer_grow(&m->fluid->memory, &set->point_buffer,
                                       set->count + RNI_GAUSS_POINTS, sizeof *set->point);
    if (result != RN_OK) return result;
    float(*point)[4] = set->point_buffer.data;
    for (uint32_t k = 0; k < RNI_GAUSS_POINTS; k++) {
        double part[3], weight;
        rni_gauss_point(k, part, &weight);
        float *p = point[set->count++];
        for (int a = 0; a < 3; a++)
            p[a] = (float)(part[0] * corner[0][a] + part[1] * corner[1][a] + part[2] * corner[2][a]);
        p[3] = (float)(weight * area);
    }
    return RN_OK;
}

static double area_of(const double corner[3][3])
{
    double u[3], v[3];
    for (int a = 0; a < 3; a++)
        u[a] = corner[1][a] - corner[0][a], v[a] = corner[2][a] - corner[0][a];
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Cuts a triangle across its longest side until it is small enough; depth: cuts so far. */
static rn_result add_triangle(point_maker *m, const double corner[3][3], uint32_t depth)
{
    double longest_sq = 0;
    size_t at = 0;
    for (size_t k = 0; k < 3; k++) {
        double sq = 0;
        for (int a = 0; a < 3; a++) {
            const double d = corner[(k + 1) % 3][a] - corner[k][a];
            sq += d * d;
        }
        if (sq > longest_sq) longest_sq = sq, at = k;
    }
    if (!(longest_sq > m->longest_sq) || depth > 60) return add_points(m, corner, area_of(corner));
    double half[2][3][3];
    memcpy(half[0], corner, sizeof half[0]);
    memcpy(half[1], corner, sizeof half[1]);
    for (int a = 0; a < 3; a++)
        half[0][(at + 1) % 3][a] = half[1][at][a] = 0.5 * (corner[at][a] + corner[(at + 1) % 3][a]);
    const rn_result result = add_triangle(m, (const double(*)[3])half[0], depth + 1);
    return result == RN_OK ? add_triangle(m, (const double(*)[3])half[1], depth + 1) : result;
}

/* A triangle of the world into the frame of the solid. */
static rn_result enter_triangle(point_maker *m, const float *corner[3])
{
    const rni_solid *s = &m->set->made;
    double own[3][3];
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 3; b++) {
            own[k][b] = 0;
            for (int a = 0; a < 3; a++)
                own[k][b] += (double)s->frame[b][a] * ((double)corner[k][a] - (double)s->center[a]);
        }
    return add_triangle(m, (const double(*)[3])own, 0);
}

/* The sides of the domain that are walls; along periodic axes they go on for a radius. */
static rn_result add_domain(point_maker *m)
{
    const rn_fluid *f = m->fluid;
    rn_result result = RN_OK;
    for (uint32_t face = 0; face < 6 && result == RN_OK; face++) {
        const uint32_t axis = face / 2, side = face % 2;
        if (!m->set->made.side[axis][side]) continue;
        float corner[4][3];
        for (uint32_t k = 0; k < 4; k++)
            for (uint32_t a = 0; a < 3; a++) {
                const bool is_high = a == axis             ? side == 1
                                     : a == (axis + 1) % 3 ? k == 1 || k == 2
                                                           : k >= 2;
                const float beyond = f->def.periodic[a] ? f->derived.radius : 0.0f;
                corner[k][a] =
                    is_high ? f->def.domain_high[a] + beyond : f->def.domain_low[a] - beyond;
            }
        result = enter_triangle(m, (const float *[3]){corner[0], corner[1], corner[2]});
        if (result == RN_OK)
            result = enter_triangle(m, (const float *[3]){corner[0], corner[2], corner[3]});
    }
    return result;
}

/* The triangles that a solid is drawn with; a plane is cut to the domain. */
static rn_result add_drawn(point_maker *m)
{
    rn_fluid *f = m->fluid;
    rni_solid_mesh mesh = {.segments = SEGMENTS};
    for (int a = 0; a < 3; a++) {
        mesh.low[a] = f->def.domain_low[a] - f->derived.radius;
        mesh.high[a] = f->def.domain_high[a] + f->derived.radius;
    }
    rni_solid_draw(&m->set->made, &mesh);
    rni_buffer vertices = {0}, triangles = {0}, lines = {0};
    rn_result result =
        rni_buffer_need(&f->memory, &vertices, mesh.vertex_count + 1u, sizeof *mesh.vertices);
    if (result == RN_OK)
        result = rni_buffer_need(&f->memory, &triangles, mesh.triangle_count + 1u,
                                 sizeof *mesh.triangles);
    if (result == RN_OK)
        result = rni_buffer_need(&f->memory, &lines, mesh.line_count + 1u, sizeof *mesh.lines);
    if (result == RN_OK) {
        mesh.vertices = vertices.data, mesh.triangles = triangles.data, mesh.lines = lines.data;
        rni_solid_draw(&m->set->made, &mesh);
    }
    for (uint32_t t = 0; t < mesh.triangle_count && result == RN_OK; t++) {
        const uint32_t *k = mesh.triangles[t];
        result = enter_triangle(
            m, (const float *[3]){mesh.vertices[k[0]], mesh.vertices[k[1]], mesh.vertices[k[2]]});
    }
    rni_buffer_free(&f->memory, &vertices);
    rni_buffer_free(&f->memory, &triangles);
    rni_buffer_free(&f->memory, &lines);
    return result;
}

static uint32_t cell_of(const rni_virtual_set *set, const float p[3])
{
    uint32_t c[3];
    for (int a = 0; a < 3; a++) {
        c[a] = (uint32_t)rni_higher((p[a] - set->low[a]) * set->inverse_cell, 0.0f);
        if (c[a] >= set->cells[a]) c[a] = set->cells[a] - 1;
    }
    return (c[2] * set->cells[1] + c[1]) * set->cells[0] + c[0];
}

/* Cells of the radius, or larger ones where that would be too many. */
static void shape_cells(const rn_fluid *f, rni_virtual_set *set)
{
    float(*point)[4] = set->point_buffer.data, high[3] = {0, 0, 0};
    double side = 1.001 * (double)f->derived.radius, cells;
    for (uint32_t n = 0; n < set->count; n++)
        for (int a = 0; a < 3; a++) {
            set->low[a] = n == 0 ? point[n][a] : rni_lower(set->low[a], point[n][a]);
            high[a] = n == 0 ? point[n][a] : rni_higher(high[a], point[n][a]);
        }
    for (;; side *= 1.25) {
        cells = 1;
        for (int a = 0; a < 3; a++)
            cells *= floor(((double)high[a] - (double)set->low[a]) / side) + 1;
        if (cells <= MOST_CELLS) break;
    }
    for (int a = 0; a < 3; a++)
        set->cells[a] = (uint32_t)(((double)high[a] - (double)set->low[a]) / side) + 1;
    set->inverse_cell = (float)(1 / side);
}

static rn_result sort_points(rn_fluid *f, rni_virtual_set *set)
{
    shape_cells(f, set);
    const uint32_t cells = set->cells[0] * set->cells[1] * set->cells[2];
    rn_result result =
        rni_buffer_need(&f->memory, &set->start_buffer, cells + 2u, sizeof *set->start);
    if (result == RN_OK)
        result =
            rni_buffer_need(&f->memory, &set->sorted_buffer, set->count + 1u, sizeof *set->point);
    if (result != RN_OK) return result;
    const float(*from)[4] = set->point_buffer.data;
    set->start = set->start_buffer.data, set->point = set->sorted_buffer.data;
    memset(set->start, 0, (cells + 2u) * sizeof *set->start);
    for (uint32_t n = 0; n < set->count; n++) set->start[cell_of(set, from[n]) + 2]++;
    for (uint32_t c = 1; c < cells; c++) set->start[c + 1] += set->start[c];
    for (uint32_t n = 0; n < set->count; n++)
        memcpy(set->point[set->start[cell_of(set, from[n]) + 1]++], from[n], sizeof *from);
    rni_buffer_free(&f->memory, &set->point_buffer);
    return RN_OK;
}

/* Whether the points of a solid are still right. Of a plane, which was cut, only where it has not moved. */
static bool is_same(const rni_solid *was, const rni_solid *is)
{
    const rn_solid *a = &was->def, *b = &is->def;
    if (was->kind != is->kind || a->radius != b->radius || a->mesh != b->mesh || a->scale != b->scale)
        return false;
    if (memcmp(a->half, b->half, sizeof a->half) != 0 ||
        memcmp(a->axis, b->axis, sizeof a->axis) != 0 ||
        memcmp(a->turn, b->turn, sizeof a->turn) != 0)
        return false;
    return is->kind->bounds || (memcmp(was->center, is->center, sizeof is->center) == 0 &&
                                memcmp(was->axis, is->axis, sizeof is->axis) == 0);
}

static rn_result make_set(rn_fluid *f, uint32_t k)
{
    rni_virtual_set *set = &f->walls->virtual_sets[k];
    const double longest = LONGEST_SIDE * (double)f->derived.radius;
    point_maker m = {f, set, longest * longest};
    set->made = f->walls->solids[k];
    set->count = 0;
    rn_result result = k == 0 ? add_domain(&m) : add_drawn(&m);
    if (result == RN_OK) result = sort_points(f, set);
    if (result != RN_OK) set->made.kind = NULL, set->count = 0;
    return result;
}

rn_result rni_virtual_walls_ready(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    if (!rni_has_virtual_walls(f)) return RN_OK;
    if (walls->virtual_count < walls->solid_count) {
        rn_result result = rni_buffer_grow(&f->memory, &walls->virtual_buffer, walls->solid_count,
                                           sizeof *walls->virtual_sets);
        if (result != RN_OK) return result;
        walls->virtual_sets = walls->virtual_buffer.data;
        memset(walls->virtual_sets + walls->virtual_count, 0,
               (walls->solid_count - walls->virtual_count) * sizeof *walls->virtual_sets);
        walls->virtual_count = walls->solid_count;
    }
    for (uint32_t k = 0; k < walls->solid_count; k++) {
        if (walls->slots[k].is_removed || is_same(&walls->virtual_sets[k].made, &walls->solids[k]))
            continue;
        rn_result result = make_set(f, k);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

void rni_virtual_walls_free(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    for (uint32_t k = 0; k < walls->virtual_count; k++) {
        rni_buffer_free(&f->memory, &walls->virtual_sets[k].point_buffer);
        rni_buffer_free(&f->memory, &walls->virtual_sets[k].sorted_buffer);
        rni_buffer_free(&f->memory, &walls->virtual_sets[k].start_buffer);
    }
    walls->virtual_count = 0;
    rni_buffer_free(&f->memory, &walls->virtual_buffer);
}

/* --- what they do ---------------------------------------------------------------------------------- */

/* Of the points of one solid at a place in its frame. */
typedef struct point_sum {
    float force[3]; /* N */
    float viscous;  /* m^2 times (h - r): of the Laplacian */
} point_sum;

static void sum_row(const rni_virtual_set *set, const rni_traction *t, const float x[3],
                    uint32_t begin, uint32_t end, point_sum *sum)
{
    const float h_sq = t->h * t->h;
    for (uint32_t n = begin; n < end; n++) {
        const float *p = set->point[n];
        const float d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        const float r_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(r_sq < h_sq && r_sq > 0)) continue;
        const float r = sqrtf(r_sq), force = p[3] * rni_traction_at(t, r) / r;
        for (int a = 0; a < 3; a++) sum->force[a] += force * d[a];
        sum->viscous += p[3] * (t->h - r);
    }
}

static point_sum sum_points(const rni_virtual_set *set, const rni_traction *t, const float x[3])
{
    point_sum sum = {{0, 0, 0}, 0};
    uint32_t low[3], high[3];
    if (set->count == 0) return sum;
    for (int a = 0; a < 3; a++) {
        const float place = (x[a] - set->low[a]) * set->inverse_cell, last = (float)set->cells[a];
        if (!(place > -1 && place < last + 1)) return sum; /* also where it is NaN */
        low[a] = place < 1 ? 0 : (uint32_t)(place - 1);
        high[a] = (uint32_t)rni_lower(place + 1, last - 1);
    }
    for (uint32_t z = low[2]; z <= high[2]; z++)
        for (uint32_t y = low[1]; y <= high[1]; y++) {
            const uint32_t row = (z * set->cells[1] + y) * set->cells[0];
            sum_row(set, t, x, set->start[row + low[0]], set->start[row + high[0] + 1], &sum);
        }
    return sum;
}

void rni_virtual_walls_add(const rn_fluid *f, uint32_t i, float a[4], rni_load_sum *sums)
{
    const rni_walls *walls = f->walls;
    const rni_traction traction = rni_traction_of(f);
    const float *x = f->now.position[i], *v = f->now.velocity[i], h = traction.h;
    const float inverse_mass = rni_inverse_ratio(f, i) / f->derived.mass;
    /* Of the viscosity's Laplacian, with the volume of a point: its area times the spacing. */
    const float drag = f->derived.viscosity / f->density[i] * f->def.spacing *
                       (float)(45 / RNI_PI) / (h * h * h * h * h * h);
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    for (uint32_t n = 0; n < count; n++) {
        const rni_solid *s = &walls->solids[list[n]];
        const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
        float own[3], velocity[3] = {0, 0, 0};
        double force[3];
        for (int b = 0; b < 3; b++) own[b] = rni_solid_dot(s->frame[b], d);
        const point_sum sum = sum_points(&walls->virtual_sets[list[n]], &traction, own);
        const float slow = s->slip == RN_SLIP_NONE ? drag * sum.viscous : 0.0f;
        if (slow > 0) rni_face_velocity(s, x, velocity);
        for (int k = 0; k < 3; k++) {
            const float turned = sum.force[0] * s->frame[0][k] + sum.force[1] * s->frame[1][k] +
                                 sum.force[2] * s->frame[2][k];
            const float given = inverse_mass * turned + slow * (velocity[k] - v[k]);
            a[k] += given;
            force[k] = -(double)given / (double)inverse_mass;
        }
        if (sums) rni_load_add(&sums[list[n]], s->center, x, force);
    }
}
