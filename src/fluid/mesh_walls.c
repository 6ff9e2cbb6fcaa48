#include "fluid/mesh_walls.h"

#include "base/error.h"
#include "fluid/grip.h"
#include "fluid/phases.h"
#include "fluid/thin_walls.h"
#include "mesh/field.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

/* Of the spacing: distance of the nodes of a field. */
#define NODE_SPACING 0.4f
/* Of the spacing: no particle comes nearer to a triangle; and where it slides. */
#define HARD 0.05
#define SOFT 0.1
/* Distance queries of a move; one that needs more ends early. */
#define MAX_STEPS 32

/* --- fields ---------------------------------------------------------------------------------------- */

/* The law whose sum over walls gives the product of what each leaves open: U = -ln(1 - share). Its fit counts
 * most where particles beside a wall, in an edge and in a corner are: from a quarter to a half of a spacing. */
static void make_law(const rn_fluid *f, rni_field_law *law)
{
    enum { COUNT = RNI_WALL_TABLE + 1 };
    const rni_wall_tables *tables = &f->walls->tables;
    const double spacing = (double)f->def.spacing, reach = (double)f->derived.radius - 0.5 * spacing;
    double target[COUNT], weight[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        const double t = reach * k / (COUNT - 1), off = (t / spacing - 0.42) / 0.15;
        const double share = fmin((double)rni_wall_share_at(tables, (float)t), 0.95);
        target[k] = -log(1 - share);
        weight[k] = (exp(-off * off) + 0.005) * pow((1 - share) / (target[k] + 0.1), 2);
    }
    rni_field_law_fit(law, reach, target, weight, COUNT);
    rni_field_law_fit_cover(law, (double)tables->width);
}

/* The field of a mesh, NULL: none is noted. */
static rni_mesh_field *find_field(const rn_fluid *f, const rni_solid *solid)
{
    const rni_walls *walls = f->walls;
    for (uint32_t k = 0; k < walls->field_count; k++) {
        rni_mesh_field *has = &walls->fields[k];
        if (has->mesh == solid->def.mesh && has->scale == solid->def.scale &&
            has->is_hollow == solid->is_hollow)
            return has;
    }
    return NULL;
}

rn_result rni_mesh_walls_attach(rn_fluid *f, rni_solid *solid)
{
    rni_walls *walls = f->walls;
    solid->field = NULL;
    solid->thin = NULL;
    if (!rni_is_mesh(solid)) return RN_OK;
    const rni_mesh_field *has = find_field(f, solid);
    if (has) {
        solid->field = has->field;
        solid->thin = has->thin;
        return RN_OK;
    }
    rn_result result = rni_buffer_grow(&f->memory, &walls->field_buffer, walls->field_count + 1u,
                                       sizeof *walls->fields);
    walls->fields = walls->field_buffer.data;
    if (result != RN_OK) return result;
    walls->fields[walls->field_count++] = (rni_mesh_field){
        rni_wall_mesh_keep(solid->def.mesh), solid->def.scale, solid->is_hollow, NULL, NULL};
    return RN_OK;
}

static bool tell_progress(void *data, double part)
{
    const rn_fluid *f = data;
    return f->def.progress(f->def.progress_user, "boundary field of a mesh", part);
}

static rn_result build_field(rn_fluid *f, rni_mesh_field *of)
{
    uint8_t *is_thin = NULL;
    rni_field_def def = {.mesh = &of->mesh->mesh,
                         .hierarchy = &of->mesh->hierarchy,
                         .scale = of->scale,
                         .is_flipped = of->is_hollow,
                         .is_two_sided = of->mesh->is_two_sided,
                         .cell = NODE_SPACING * f->def.spacing,
                         .progress = f->def.progress ? tell_progress : NULL,
                         .progress_data = f};
    const size_t bytes = of->mesh->mesh.triangle_count;
    make_law(f, &def.law);
    rn_result result = rni_thin_triangles(f, of, &is_thin);
    def.is_thin = is_thin;
    if (result == RN_OK) result = rni_field_build(&f->memory, f->crew, &def, &of->field);
    rni_memory_give(&f->memory, is_thin, is_thin ? bytes : 0);
    return result;
}

rn_result rni_mesh_walls_ready(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    walls->has_thin = false;
    if (rni_has_bare_walls(&f->def)) return RN_OK;
    for (uint32_t k = 0; k < walls->solid_count; k++) {
        rni_solid *solid = &walls->solids[k];
        if (walls->slots[k].is_removed) continue;
        if (rni_is_mesh(solid) && !solid->field) {
            rni_mesh_field *of = find_field(f, solid);
            rn_result result = of->field ? RN_OK : build_field(f, of);
            if (result != RN_OK) return result;
            solid->field = of->field;
            solid->thin = of->thin;
        }
        if (solid->kind->is_thin && solid->kind->is_thin(solid, f->derived.radius))
            walls->has_thin = true;
    }
    return RN_OK;
}

void rni_mesh_walls_free(rn_fluid *f)
{
    rni_walls *walls = f->walls;
    for (uint32_t k = 0; k < walls->field_count; k++) {
        rni_field_destroy(&f->memory, walls->fields[k].field);
        rni_thin_triangles_free(f, walls->fields[k].thin);
        rn_wall_mesh_destroy((rn_wall_mesh *)(uintptr_t)walls->fields[k].mesh); /* our hold */
    }
    walls->field_count = 0;
    rni_buffer_free(&f->memory, &walls->field_buffer);
}

/* --- moves ----------------------------------------------------------------------------------------- */

/* The meshes that a move can meet: those of a list, or all. */
typedef struct mesh_set {
    const rni_walls *walls;
    const uint32_t *list; /* NULL: all solids */
    uint32_t count;
    const rni_solid *but; /* this one does not count; NULL: all count */
    double hard, soft;    /* m */
} mesh_set;

static bool is_in_set(const mesh_set *set, uint32_t n, uint32_t *k)
{
    *k = set->list ? set->list[n] : n;
    const rni_solid *s = &set->walls->solids[*k];
    return !set->walls->slots[*k].is_removed && s->kind && rni_is_mesh(s) && s != set->but;
}

/* The nearest triangle of all meshes within max_distance; *solid: whose. */
static bool find_nearest(const mesh_set *set, const double p[3], double max_distance,
                         rni_wall_near *near, uint32_t *solid)
{
    bool has_any = false;
    for (uint32_t n = 0; n < set->count; n++) {
        rni_wall_near own;
        uint32_t k;
        if (!is_in_set(set, n, &k)) continue;
        if (!rni_wall_mesh_closest(&set->walls->solids[k], p, max_distance, &own)) continue;
        has_any = true;
        max_distance = own.distance;
        *near = own;
        *solid = k;
    }
    return has_any;
}

/* What a move slid along last. */
typedef struct slide {
    uint32_t solid;
    double normal[3];
    bool has_met;
} slide;

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The way that is left, without what goes into the wall at p, and back to where particles slide. */
static void turn_along(const rni_wall_near *near, double soft, const double p[3], double way[3],
                       double normal[3])
{
    double into = 0;
    for (int a = 0; a < 3; a++) {
        normal[a] = near->distance > 0 ? (p[a] - near->point[a]) / near->distance : 0;
        into += way[a] * normal[a];
    }
    if (into >= 0) return;
    for (int a = 0; a < 3; a++) way[a] += (fmax(soft - near->distance, 0) - into) * normal[a];
}

typedef void (*met_fn)(void *data, uint32_t solid, const double p[3], const double normal[3]);

/* From p towards q by free balls; q becomes where the move ends. Calls met for each wall it slides along. */
static bool move_free(const mesh_set *set, const double start[3], double q[3], met_fn met, void *data)
{
    double p[3] = {start[0], start[1], start[2]}, way[3], normal[3];
    bool has_met = false;
    for (int step = 0; step < MAX_STEPS; step++) {
        rni_wall_near near;
        uint32_t solid = 0;
        for (int a = 0; a < 3; a++) way[a] = q[a] - p[a];
        double length = length_of(way);
        if (!find_nearest(set, p, length + set->soft, &near, &solid))
            return has_met; /* q is free */
        double room = near.distance - set->hard;
        const bool is_close = near.distance <= 1.05 * set->soft;
        if (is_close) {
            const double before[3] = {way[0], way[1], way[2]};
            turn_along(&near, set->soft, p, way, normal);
            if (memcmp(before, way, sizeof way) != 0) {
                has_met = true;
                if (met) met(data, solid, p, normal);
            }
            length = length_of(way);
            for (int a = 0; a < 3; a++) q[a] = p[a] + way[a];
        }
        if (!(length > 1e-6 * set->hard)) break;
        if (length <= room) return has_met;
        /* Too near already: half of the distance holds no triangle, but only a step that gains distance counts. */
        const bool is_wedged = room <= 0.01 * set->hard;
        const double stride = fmin(length, is_wedged ? 0.5 * near.distance : room) / length;
        double next[3];
        for (int a = 0; a < 3; a++) next[a] = p[a] + stride * way[a];
        if (is_wedged) {
            rni_wall_near then = {.distance = (double)INFINITY};
            if (find_nearest(set, next, near.distance, &then, &solid) &&
                then.distance <= near.distance)
                break;
        }
        memcpy(p, next, sizeof p);
    }
    memcpy(q, p, sizeof p);
    return has_met;
}

static mesh_set set_of(const rn_fluid *f, const float from[3], const float x[3])
{
    const rni_walls *walls = f->walls;
    const double spacing = (double)f->def.spacing, r = (double)f->derived.radius;
    mesh_set set = {
        .walls = walls, .count = walls->solid_count, .hard = HARD * spacing, .soft = SOFT * spacing};
    double sq = 0;
    for (int a = 0; a < 3; a++)
        sq += ((double)x[a] - (double)from[a]) * ((double)x[a] - (double)from[a]);
    /* Lists have all that is within a radius. */
    if (sq < (0.9 * r) * (0.9 * r)) set.list = rni_walls_near(walls, x, &set.count);
    return set;
}

/* A particle that meets walls on its way. */
typedef struct meeting {
    const rn_fluid *fluid;
    float *v;
    rni_load_sum *impulses;
    double mass; /* over that of the densest fluid */
} meeting;

static void lose_speed(void *data, uint32_t k, const double p[3], const double normal[3])
{
    const meeting *m = data;
    const rni_solid *s = &m->fluid->walls->solids[k];
    const float x[3] = {(float)p[0], (float)p[1], (float)p[2]};
    const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
    double change[3];
    if (!rni_bounce(m->fluid, s, x, n, m->v, change) || !m->impulses) return;
    for (int a = 0; a < 3; a++) change[a] *= m->mass;
    rni_load_add(&m->impulses[k], s->center, x, change);
}

bool rni_mesh_walls_move(const rn_fluid *f, const float from[3], float x[4], float v[4],
                         rni_load_sum *impulses)
{
    if (f->walls->field_count == 0 && !f->walls->has_meshes) return false;
    mesh_set set = set_of(f, from, x);
    meeting m = {f, v, impulses, impulses ? rni_mass_at(f, v) : 1};
    const double p[3] = {(double)from[0], (double)from[1], (double)from[2]};
    double q[3] = {(double)x[0], (double)x[1], (double)x[2]};
    const double wanted[3] = {q[0], q[1], q[2]};
    const bool has_met = move_free(&set, p, q, lose_speed, &m);
    for (int a = 0; a < 3; a++)
        if (q[a] != wanted[a]) x[a] = (float)q[a];
    return has_met;
}

/* --- a mesh that has moved ------------------------------------------------------------------------- */

/* Where a particle has to go: in the frame of the mesh it moves from where it was to where it is. False: it may stay.
 * *has_place: whether nothing else is there. */
static bool evade(const rn_fluid *f, const rni_solid *before, const rni_solid *now,
                  const float x[3], float to[4], bool *has_place)
{
    mesh_set set = set_of(f, x, x);
    rni_wall_near near;
    double own[3], p[3], q[3] = {(double)x[0], (double)x[1], (double)x[2]};
    *has_place = true;
    rni_wall_mesh_enter(before, q, own);
    rni_wall_mesh_leave(now, own, p); /* there it would be if it moved along */
    const double drift = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                              (p[2] - q[2]) * (p[2] - q[2]));
    if (!rni_wall_mesh_closest(now, q, drift + set.soft, &near)) return false;
    mesh_set one = set;
    const uint32_t index = (uint32_t)(now - f->walls->solids);
    one.list = &index, one.count = 1;
    const double wanted[3] = {q[0], q[1], q[2]};
    move_free(&one, p, q, NULL, NULL);
    for (int a = 0; a < 3; a++) to[a] = (float)q[a];
    to[3] = 0;
    if (memcmp(wanted, q, sizeof q) == 0) return false;
    /* Other meshes must not be between, nor other solids there. */
    double end[3] = {(double)to[0], (double)to[1], (double)to[2]};
    const double arrival[3] = {end[0], end[1], end[2]};
    set.but = now, set.list = NULL, set.count = f->walls->solid_count;
    move_free(&set, wanted, end, NULL, NULL);
    *has_place = memcmp(end, arrival, sizeof end) == 0 && rni_walls_distance_plain(f, to) >= 0;
    return true;
}

rn_result rni_mesh_walls_clear_path(rn_fluid *f, const rni_solid *before, const rni_solid *now)
{
    float to[4];
    bool has_place;
    for (int round = 0; round < 2; round++) /* first only asked, then done */
        for (uint32_t i = 0; i < f->now.count; i++) {
            float *x = f->now.position[i], *v = f->now.velocity[i];
            if (!evade(f, before, now, x, to, &has_place)) continue;
            if (!has_place)
                return rni_fail(RN_ERROR_LIMIT,
                                "the solid would leave no place for the particle at %g, %g, %g: water is "
                                "between it and another wall; stop it, or leave a gap",
                                (double)x[0], (double)x[1], (double)x[2]);
            if (round == 0) continue;
            float n[3], surface[3], into = 0, size = 0;
            for (int a = 0; a < 3; a++) n[a] = to[a] - x[a], size += n[a] * n[a];
            memcpy(x, to, 3 * sizeof *x);
            rni_solid_velocity_at(now, x, surface);
            size = sqrtf(size);
            for (int a = 0; a < 3; a++) into += size > 0 ? (v[a] - surface[a]) * n[a] / size : 0.0f;
            for (int a = 0; into < 0 && a < 3; a++) v[a] -= into * n[a] / size;
        }
    return RN_OK;
}
