/* The solids of a scene: what depends on their shape is asked of the rows of src/solid. */
#include "scene/check.h"
#include "scene/meshes.h"
#include "scene/parameters.h"
#include "solid/solid.h"

#include <math.h>
#include <string.h>

static const char AXES[] = "xyz";

static const rni_parameter_list *solid_list(void)
{
    return rni_parameter_list_find("solids", strlen("solids"));
}

/* The numbers of a parameter in a scene's solid. */
static const float *value_of(const rni_scene_solid *solid, const rni_solid_parameter *p)
{
    const rni_parameter *row = rni_parameter_find_in(solid_list(), p->name, strlen(p->name));
    return (const float *)(const void *)((const char *)solid + row->offset);
}

rn_solid rni_scene_solid_of(const rni_scene_solid *s)
{
    const rni_solid_kind *kind = rni_solid_kind_at(s->shape);
    rn_solid solid = rn_solid_default();
    solid.shape = s->shape;
    memcpy(solid.center, s->center, sizeof solid.center);
    memcpy(solid.velocity, s->velocity, sizeof solid.velocity);
    solid.is_hollow = s->is_hollow;
    solid.slip = s->slip;
    solid.friction = s->friction;
    solid.adhesion = s->adhesion;
    solid.bounce = s->bounce;
    solid.trail = s->trail;
    solid.trail_dry = s->trail_dry;
    solid.trail_drain = s->trail_drain;
    solid.contact_angle = s->contact_angle;
    for (uint32_t k = 0; kind && k < kind->parameter_count; k++) {
        const rni_solid_parameter *p = &kind->parameters[k];
        const float *value = value_of(s, p);
        float *field = (float *)(void *)((char *)&solid + p->offset);
        for (uint32_t c = 0; c < p->count; c++) field[c] = p->factor * value[c];
    }
    if (kind && kind->has_mesh) rni_scene_mesh_get(s, &solid.mesh);
    return solid;
}

const rni_scene_solid *rni_scene_solid_named(const rni_scene *scene, const char *name)
{
    for (uint32_t k = 0; k < scene->solid_count; k++)
        if (strcmp(scene->solids[k].name, name) == 0) return &scene->solids[k];
    return NULL;
}

bool rni_scene_solid_place(const rni_scene *scene, uint32_t k, rni_solid *solid)
{
    if (!scene->solids[k].is_wall) return false;
    const rn_solid def = rni_scene_solid_of(&scene->solids[k]);
    return rni_solid_place(&def, scene->def.dim, solid) == RN_OK;
}

/* --- periodic copies ------------------------------------------------------------------------------- */

/* Whether a solid, moved by so many periods along each axis, is within reach of the fluid. */
static bool is_near_domain(const rni_scene *scene, const rni_solid *solid, const int periods[3],
                           float h)
{
    const rn_fluid_def *def = &scene->def;
    const float size = rni_solid_reach(solid);
    for (uint32_t a = 0; a < 3 && a < def->dim; a++) {
        if (!def->periodic[a]) continue;
        float length = def->domain_high[a] - def->domain_low[a];
        float at = solid->center[a] + (float)periods[a] * length;
        if (at + size + h < def->domain_low[a] || at - size - h > def->domain_high[a]) return false;
    }
    return true;
}

/* A solid that reaches over a periodic side is there on the other side, too. Solids without an end
 * (planes, hollow ones) have no copy. */
static rn_result add_copies(const rni_scene *scene, rn_fluid *fluid, const rn_solid *def, float h,
                            rni_scene_solid_ids *ids)
{
    rni_solid solid;
    rn_result result = rni_solid_place(def, scene->def.dim, &solid);
    if (result != RN_OK || !isfinite(rni_solid_reach(&solid))) return result;
    for (int k = 0; k < 27; k++) {
        const int periods[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        bool is_copy = k != 13;
        for (uint32_t a = 0; a < 3; a++)
            is_copy = is_copy && (periods[a] == 0 || (a < scene->def.dim && scene->def.periodic[a]));
        if (!is_copy || !is_near_domain(scene, &solid, periods, h)) continue;
        rn_solid copy = *def;
        for (uint32_t a = 0; a < 3; a++)
            if (periods[a] != 0)
                copy.center[a] +=
                    (float)periods[a] * (scene->def.domain_high[a] - scene->def.domain_low[a]);
        result = rn_fluid_add_solid(fluid, &copy, &ids->id[ids->count++]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

rn_result rni_scene_add_solid(const rni_scene *scene, uint32_t k, float h, rn_fluid *fluid,
                              rni_scene_solid_ids *ids)
{
    rni_scene_solid_ids own;
    if (!ids) ids = &own;
    ids->count = 1;
    const rn_solid solid = rni_scene_solid_of(&scene->solids[k]);
    rn_result result = rn_fluid_add_solid(fluid, &solid, &ids->id[0]);
    return result == RN_OK ? add_copies(scene, fluid, &solid, h, ids) : result;
}

/* --- checks ---------------------------------------------------------------------------------------- */

/* Solids without an end are not repeated across a periodic side: what goes out through it has to find
 * the same wall where it comes in. */
static void check_seam(rni_reading *r, const rni_scene *scene, const rni_solid *s, uint32_t a,
                       double radius)
{
    const rni_solid_kind *kind = s->kind;
    const bool is_uniform = kind->is_uniform_along && kind->is_uniform_along(s, a);
    if (!kind->bounds) {
        if (!is_uniform)
            rni_problem(r,
                        "the %s leans along %c, which is periodic, and would end at the seam; "
                        "make that number of its axis 0, or take a box",
                        kind->name, AXES[a]);
        return;
    }
    if (!s->is_hollow) return;
    float from[3], to[3];
    kind->bounds(s, from, to);
    double low = (double)scene->def.domain_low[a], high = (double)scene->def.domain_high[a];
    double slack = 1e-4 * (high - low), begin = (double)from[a], end = (double)to[a];
    bool is_inside = begin >= low - slack && end <= high + slack;
    bool is_through = is_uniform && begin <= low - radius + slack && end >= high + radius - slack;
    if (!is_inside && !is_through)
        rni_problem(r,
                    "it is hollow and reaches over a side along %c, which is periodic; keep it "
                    "inside, or let it lie straight and reach a radius (%.3g m) beyond both sides",
                    AXES[a], radius);
}

static void check_seams(rni_reading *r, const rni_scene *scene, const rni_scene_solid *solid,
                        double radius)
{
    const rni_solid_kind *kind = rni_solid_kind_at(solid->shape);
    rni_solid placed;
    if (!rni_reading_is_sound(r, "center")) return;
    for (uint32_t k = 0; k < kind->parameter_count; k++)
        if (!rni_reading_is_sound(r, kind->parameters[k].name)) return;
    const rn_solid def = rni_scene_solid_of(solid);
    if (rni_solid_place(&def, scene->def.dim, &placed) != RN_OK) return;
    for (uint32_t a = 0; a < scene->def.dim; a++)
        if (scene->def.periodic[a]) check_seam(r, scene, &placed, a, radius);
}

static void check_positive(rni_reading *r, const rni_scene *scene, const rni_solid_kind *kind,
                           const rni_solid_parameter *p, const float *value)
{
    const uint32_t count = p->count < scene->def.dim ? p->count : scene->def.dim;
    bool is_any = false;
    for (uint32_t c = 0; c < count; c++) is_any = is_any || value[c] != 0;
    if (!is_any && p->count > 1) {
        rni_problem(r, "%s is missing or 0: %s", p->name, p->help);
        return;
    }
    for (uint32_t c = 0; c < count; c++) {
        if (value[c] > 0) continue;
        rni_reading_enter(r, p->name);
        if (p->count > 1)
            rni_problem(r, "%c is %.7g; every %s of a %s must be positive", AXES[c],
                        (double)value[c], p->name, kind->name);
        else
            rni_problem(r, "is %.7g; a %s has a positive %s", (double)value[c], kind->name, p->name);
        rni_reading_leave(r);
    }
}

static void check_parameters(rni_reading *r, const rni_scene *scene, const rni_scene_solid *solid)
{
    const rni_solid_kind *kind = rni_solid_kind_at(solid->shape);
    for (uint32_t k = 0; k < kind->parameter_count; k++) {
        const rni_solid_parameter *p = &kind->parameters[k];
        const float *value = value_of(solid, p);
        if (!rni_reading_is_sound(r, p->name)) continue;
        if (p->rule == RNI_RULE_POSITIVE) check_positive(r, scene, kind, p, value);
        if (p->rule == RNI_RULE_DIRECTION) rni_check_direction(r, scene, p->name, value);
    }
}

/* Triangles that are not there, or not those that they should be. */
static bool check_mesh(rni_reading *r, const rni_scene_solid *solid)
{
    const rn_wall_mesh *mesh = NULL;
    if (!rni_solid_kind_at(solid->shape)->has_mesh) return true;
    const char *field = *solid->make && !*solid->file ? "make" : "file";
    if (rni_scene_mesh_get(solid, &mesh) == RN_OK && rni_scene_mesh_check_hash(solid, mesh) == RN_OK)
        return true;
    rni_reading_enter(r, field);
    rni_problem(r, "%s", rn_last_error());
    rni_reading_leave(r);
    return false;
}

/* What the row of the shape refuses beyond the rules of its parameters. */
static void check_row(rni_reading *r, const rni_scene *scene, const rni_scene_solid *solid)
{
    static const char WORD[] = "solid: ";
    const rn_solid def = rni_scene_solid_of(solid);
    rni_solid placed;
    if (!rni_reading_is_clean(r, NULL) || rni_solid_place(&def, scene->def.dim, &placed) == RN_OK)
        return;
    const char *sentence = rn_last_error();
    if (strncmp(sentence, WORD, sizeof WORD - 1) == 0) sentence += sizeof WORD - 1;
    rni_problem(r, "%s", sentence);
}

void rni_scene_check_solid(rni_reading *r, const rni_scene *scene, const rni_scene_solid *solid)
{
    const double spacing = rni_scene_derive(scene).spacing;
    const rni_solid_kind *kind = rni_solid_kind_at(solid->shape);
    if (!rni_reading_is_sound(r, "shape")) return;
    if (scene->def.dim == 2 && !kind->has_2d) {
        rni_problem(r, "there is no %s in 2D; a sphere is a disc", kind->name);
        return;
    }
    if (scene->def.dim == 2 && (solid->turn[0] != 0 || solid->turn[1] != 0)) {
        rni_reading_enter(r, "turn");
        rni_problem(r, "in 2D a %s turns about z only: [0, 0, %g]", kind->name,
                    (double)(solid->turn[1] != 0 ? solid->turn[1] : solid->turn[0]));
        rni_reading_leave(r);
    }
    if (!check_mesh(r, solid)) return;
    check_seams(r, scene, solid, scene->def.radius > 0 ? (double)scene->def.radius : 2 * spacing);
    check_parameters(r, scene, solid);
    check_row(r, scene, solid);
}
