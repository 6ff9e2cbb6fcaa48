/* What the walls give to every particle: their share of its density, and the rest of rni_touch. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/grip.h"
#include "fluid/mesh_walls.h"
#include "fluid/near_cells.h"
#include "fluid/stages.h"
#include "fluid/validate.h"
#include "fluid/walls.h"
#include "solid/wall_mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* n . D n, of the mean D of n n over the faces that one stands for. */
static float part_along(const rni_face *face, const float n[3])
{
    const float *d = face->spread;
    return d[0] * n[0] * n[0] + d[1] * n[1] * n[1] + d[2] * n[2] * n[2] +
           2 * (d[3] * n[0] * n[1] + d[4] * n[0] * n[2] + d[5] * n[1] * n[2]);
}

/* How much of what face `own` gives `other` gives, too, if it is nearer. */
static float covered_part(const rni_face *own, const rni_face *other, float cosine)
{
    if (other->faces > 1) return rni_lower(other->faces * part_along(other, own->normal), 1.0f);
    if (own->faces > 1) return part_along(own, other->normal) * other->part;
    if (cosine > 0.95f) return rni_higher(own->part + other->part - 1, 0.0f) / own->part;
    return cosine * other->part;
}

/* How much of what face k gives is not given by the others: of a floor laid in pieces, or of a slope
 * that meets it, each part counts once. Half spaces whose faces look the same way are one; at right
 * angles they have little in common; between, the cosine says how much. The nearer of two counts, and where
 * they are equally near, each by half: there is no jump for a particle that passes. */
static float part_of(const rni_face *faces, uint32_t count, uint32_t k, float spacing)
{
    const rni_face *own = &faces[k];
    float part = 1;
    for (uint32_t l = 0; l < count; l++) {
        const rni_face *other = &faces[l];
        float cosine = own->normal[0] * other->normal[0] + own->normal[1] * other->normal[1] +
                       own->normal[2] * other->normal[2];
        if (l == k || cosine <= 0) continue;
        const float covered = covered_part(own, other, cosine);
        float behind = 0.5f + (own->distance - other->distance) / (0.5f * spacing);
        behind = behind < 0 ? 0.0f : behind > 1 ? 1.0f : behind;
        part *= 1 - rni_lower(covered, 1.0f) * behind;
    }
    return part;
}

/* to += part from, of structs that are floats only. */
static inline void add_floats(void *to, float part, const void *from, size_t bytes)
{
    float *sum = to;
    const float *more = from;
    for (size_t n = 0; n < bytes / sizeof(float); n++) sum[n] += part * more[n];
}

/* All faces together; there is at least one. moments may be NULL. */
static float sum_faces(const rni_face *faces, uint32_t count, float spacing, rni_touch *touch,
                       rni_moments *moments)
{
    if (count == 1) {
        *touch = faces->touch;
        if (moments) *moments = faces->moments;
        return rni_lower(faces->share, 0.9f);
    }
    float sum = 0;
    memset(touch, 0, sizeof *touch);
    if (moments) memset(moments, 0, sizeof *moments);
    for (uint32_t k = 0; k < count; k++) {
        float part = part_of(faces, count, k, spacing);
        sum += part * faces[k].share;
        add_floats(touch, part, &faces[k].touch, sizeof *touch);
        if (moments) add_floats(moments, part, &faces[k].moments, sizeof *moments);
    }
    return rni_lower(sum, 0.9f);
}

/* Bounds of the domain; where there is no axis, none. */
typedef struct domain_bounds {
    rni_v low, high;
} domain_bounds;

static domain_bounds domain_of(const rn_fluid_def *def)
{
    const rni_v wide = rni_v_set(INFINITY);
    domain_bounds d = {rni_v_set(0.0f) - wide, wide};
    for (uint32_t a = 0; a < def->dim; a++)
        d.low[a] = def->domain_low[a], d.high[a] = def->domain_high[a];
    return d;
}

/* What is on its way for a particle: the solids near it, and a spot in the field of the first mesh among these. */
typedef struct coming {
    const uint32_t *list;
    uint32_t listed;
    uint32_t only;          /* the list, if it is that of one solid */
    const rni_solid *solid; /* NULL: none is a mesh */
    rni_field_spot spot;
} coming;

/* No wall gives anything to particle i. */
static void leave_one(rni_walls *walls, uint32_t i, float clear)
{
    walls->share[i] = 0;
    walls->clear[i] = clear;
    if (walls->impulse) walls->impulse[i] = (rni_impulse){0};
}

/* Particle i, which is within the support radius of the domain or of what is near. */
static void evaluate_near(const rn_fluid *fluid, const rni_wall_query *query, const coming *c,
                          bool is_far, bool is_inside, uint32_t i)
{
    rni_walls *walls = fluid->walls;
    const float *x = fluid->now.position[i];
    float clear = query->h;
    leave_one(walls, i, clear);
    uint32_t count = 0, k = 0;
    if (is_far && c->listed > 0 && c->list[0] == 0) k = 1; /* from all sides of the domain */
    if (is_far && k == c->listed) return;
    rni_face faces[RNI_MAX_FACES];
    for (; k < c->listed && count + RNI_FACES_OF_A_SOLID <= RNI_MAX_FACES; k++)
        count += rni_solid_meet(&walls->tables, &walls->solids[c->list[k]], x, query, &faces[count],
                                &clear);
    walls->clear[i] = k == c->listed && is_inside ? clear : 0.0f;
    if (count > 0)
        walls->share[i] = sum_faces(faces, count, fluid->def.spacing, &walls->touch[i],
                                    query->has_moments ? &walls->moments[i] : NULL);
    if (count > 0 && walls->grip) rni_grip_evaluate(fluid, query, i);
}

static void evaluate_one(const rn_fluid *fluid, const rni_wall_query *query,
                         const domain_bounds *domain, const coming *c, uint32_t i)
{
    const rni_v place = rni_v_load(fluid->now.position[i]);
    const rni_v room = rni_v_min(place - domain->low, domain->high - place);
    const bool is_inside = (rni_v_bits(room >= rni_v_set(0.0f)) & 7u) == 7u;
    const bool is_far = (rni_v_bits(room >= rni_v_set(query->h)) & 7u) == 7u;
    const bool is_beyond_mesh = c->listed == 1 && c->solid && !c->spot.block;
    if (is_far && (c->listed == 0 || is_beyond_mesh))
        leave_one(fluid->walls, i, c->listed == 0 ? query->h : rni_lower(query->h, c->spot.clear));
    else evaluate_near(fluid, query, c, is_far, is_inside, i);
}

float rni_walls_feel_in(const rn_fluid *fluid, const rni_solid *domain, const float x[3],
                        float push[3])
{
    const rni_walls *walls = fluid->walls;
    const rni_wall_query query = {.h = fluid->derived.radius, .nearest = 0.25f * fluid->def.spacing};
    uint32_t listed;
    const uint32_t *list = rni_walls_near(walls, x, &listed);
    rni_face faces[RNI_MAX_FACES];
    float clear = query.h;
    uint32_t count = rni_solid_meet(&walls->tables, domain, x, &query, faces, &clear);
    for (uint32_t k = 0; k < listed && count + RNI_FACES_OF_A_SOLID <= RNI_MAX_FACES; k++)
        if (list[k] != 0)
            count += rni_solid_meet(&walls->tables, &walls->solids[list[k]], x, &query,
                                    &faces[count], &clear);
    push[0] = push[1] = push[2] = 0;
    if (count == 0) return 0;
    rni_touch touch;
    float share = sum_faces(faces, count, fluid->def.spacing, &touch, NULL);
    memcpy(push, touch.push, sizeof touch.push);
    return share;
}

rni_wall_query rni_walls_query(const rn_fluid *fluid)
{
    rni_wall_query query = {.h = fluid->derived.radius,
                            .nearest = 0.25f * fluid->def.spacing,
                            .has_moments = fluid->walls->moments != NULL,
                            .dim = fluid->def.dim,
                            .contact_angle = fluid->def.params.contact_angle};
    rni_fluid_gravity(fluid, query.gravity);
    return query;
}

void rni_walls_faces(const rn_fluid *fluid, const rni_wall_query *query, const float x[3],
                     rni_near_faces *near)
{
    const rni_walls *walls = fluid->walls;
    uint32_t listed;
    const uint32_t *list = rni_walls_near(walls, x, &listed);
    float clear = query->h;
    near->count = 0;
    for (uint32_t k = 0; k < listed && near->count + RNI_FACES_OF_A_SOLID <= RNI_MAX_FACES; k++) {
        uint32_t met = rni_solid_meet(&walls->tables, &walls->solids[list[k]], x, query,
                                      &near->face[near->count], &clear);
        for (; met > 0; met--) near->solid[near->count++] = list[k];
    }
    for (uint32_t k = 0; k < near->count; k++)
        near->part[k] =
            near->count == 1 ? 1.0f : part_of(near->face, near->count, k, fluid->def.spacing);
}

/* Fields of meshes are larger than caches: where the block of a particle is, and then the block, are fetched so many
 * particles before it is evaluated. (In separate loops over some particles, the processor waits in the first ones.) */
#define AHEAD_SLOT  16u
#define AHEAD_BLOCK 8u

static void begin_one(const rn_fluid *fluid, uint32_t i, coming *c)
{
    const rni_walls *walls = fluid->walls;
    const float *x = fluid->now.position[i];
    const uint32_t cell = rni_near_cell(walls, rni_v_load(x)), kind = walls->list_kind[cell];
    c->listed = 0;
    c->solid = NULL;
    if (kind == RNI_LIST_NONE) return;
    c->only = kind;
    c->list = &c->only, c->listed = 1;
    if (kind == RNI_LIST_LONG) c->list = rni_near_list(walls, cell, &c->listed);
    for (uint32_t k = 0; k < c->listed && walls->has_meshes; k++) {
        const rni_solid *solid = &walls->solids[c->list[k]];
        if (!rni_is_mesh(solid) || !solid->field) continue;
        c->solid = solid;
        rni_wall_mesh_spot_begin(solid, x, &c->spot);
        return;
    }
}

static void find_one(coming *c)
{
    if (c->solid) rni_field_spot_find(c->solid->field, &c->spot);
}

static void evaluate(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    rn_fluid *fluid = data;
    (void)piece;
    rni_wall_query query = rni_walls_query(fluid);
    const domain_bounds domain = domain_of(&fluid->def);
    coming next[AHEAD_SLOT]; /* by index % AHEAD_SLOT */
    for (uint32_t i = begin; i < end && i < begin + AHEAD_SLOT; i++)
        begin_one(fluid, i, &next[i % AHEAD_SLOT]);
    for (uint32_t i = begin; i < end && i < begin + AHEAD_BLOCK; i++)
        find_one(&next[i % AHEAD_SLOT]);
    for (uint32_t i = begin; i < end; i++) {
        coming *c = &next[i % AHEAD_SLOT];
        if (i + AHEAD_BLOCK < end) find_one(&next[(i + AHEAD_BLOCK) % AHEAD_SLOT]);
        query.spot_solid = c->solid;
        query.spot = &c->spot;
        evaluate_one(fluid, &query, &domain, c, i);
        if (i + AHEAD_SLOT < end) begin_one(fluid, i + AHEAD_SLOT, c);
    }
}

void rni_stage_boundaries(rn_fluid *fluid)
{
    if (rni_has_bare_walls(&fluid->def)) return;
    rni_for_particles(fluid, evaluate, fluid);
    assert(rni_walls_are_valid(fluid));
}

bool rni_walls_are_valid(const rn_fluid *fluid)
{
    const rni_walls *walls = fluid->walls;
    if (walls->is_stale) return false;
    for (uint32_t c = 0; c < walls->cell_count; c++)
        if (walls->list_start[c] > walls->list_start[c + 1]) return false;
    for (uint32_t k = 0; k < walls->list_start[walls->cell_count]; k++)
        if (walls->list[k] >= walls->solid_count || walls->slots[walls->list[k]].is_removed)
            return false;
    for (uint32_t i = 0; i < fluid->now.count && !rni_has_bare_walls(&fluid->def); i++) {
        if (!(walls->share[i] >= 0 && walls->share[i] <= 0.9f)) return false;
        if (walls->share[i] > 0 && rni_validate_touch(fluid, i)) return false;
    }
    return true;
}
