/* The solids of a fluid: added, moved, removed. */
#include "base/error.h"
#include "fluid/attributes.h"
#include "fluid/film.h"
#include "fluid/grip.h"
#include "fluid/loads.h"
#include "fluid/mesh_walls.h"
#include "fluid/virtual_walls.h"
#include "fluid/walls.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void find_thinnest(rni_walls *walls)
{
    const char *what;
    walls->thinnest = INFINITY;
    walls->has_meshes = false;
    for (uint32_t k = 0; k < walls->solid_count; k++) {
        if (walls->slots[k].is_removed) continue;
        walls->thinnest =
            fminf(walls->thinnest, walls->solids[k].kind->thickness(&walls->solids[k], &what));
        walls->has_meshes = walls->has_meshes || rni_is_mesh(&walls->solids[k]);
    }
}

/* How many particles are inside it. */
static uint32_t count_inside(const rn_fluid *f, const rni_solid *s)
{
    uint32_t count = 0;
    float n[3];
    for (uint32_t i = 0; i < f->now.count; i++)
        count += rni_solid_distance(s, f->now.position[i], n) < 0;
    return count;
}

static rn_result prepare(rn_fluid *f, const rn_solid *def, rni_solid *solid)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the solid has struct_bytes %u instead of %zu; start from "
                        "rn_solid_default()",
                        def->struct_bytes, sizeof *def);
    if (rni_has_virtual_walls(f) && def->adhesion > 0)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "solid: adhesion does not go with wall law virtual-particles, whose traction attracts "
            "already; leave it 0 and set wall_traction, or take law layers");
    rn_result result = rni_solid_place(def, f->def.dim, solid);
    if (result == RN_OK) result = rni_solid_check_thickness(solid, 0.5f * f->def.spacing);
    if (result == RN_OK && rni_has_grip(solid) && !rni_has_bare_walls(&f->def))
        result = rni_attributes_need(f, RNI_ROW_BIT(RNI_ROW_WALL_GRIP));
    return result == RN_OK ? rni_mesh_walls_attach(f, solid) : result;
}

static void put(rn_fluid *f, uint32_t k, const rni_solid *solid, rni_solid_slot slot)
{
    rni_walls *walls = f->walls;
    assert(k > 0 && k < walls->solid_count && rni_solid_is_valid(solid));
    walls->solids[k] = *solid;
    walls->slots[k] = slot;
    walls->is_stale = true;
    find_thinnest(walls);
}

/* Puts a solid into place k; refused, all is as before. */
static rn_result put_where_no_water_is(rn_fluid *f, uint32_t k, const rni_solid *solid,
                                       uint32_t generation)
{
    const uint32_t inside = count_inside(f, solid);
    if (inside > 0)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the solid would hold %u particles; put it where there is "
                        "no water",
                        inside);
    const rni_solid before = f->walls->solids[k];
    const rni_solid_slot slot = f->walls->slots[k];
    put(f, k, solid, (rni_solid_slot){.generation = generation});
    const bool is_same_film = before.kind && before.def.mesh == solid->def.mesh &&
                              before.def.scale == solid->def.scale && !slot.is_removed &&
                              before.is_hollow == solid->is_hollow && solid->def.trail > 0 &&
                              before.def.trail > 0;
    f->has_previous_density = false; /* walls count in densities */
    if (is_same_film) return RN_OK;
    rni_film_detach(f, k);
    const rn_result result = rni_film_attach(f, k);
    if (result == RN_OK) return RN_OK;
    f->walls->slots[k].is_removed = true; /* without memory for its film it is not there */
    find_thinnest(f->walls);
    return result;
}

/* A place that is free: a removed solid's, or a new one at the end. */
static rn_result free_slot(rn_fluid *f, uint32_t *slot)
{
    rni_walls *walls = f->walls;
    uint32_t k = 1;
    while (k < walls->solid_count && !walls->slots[k].is_removed) k++;
    *slot = k;
    if (k < walls->solid_count) return RN_OK;
    rn_result result =
        rni_buffer_grow(&f->memory, &walls->solid_buffer, k + 1u, sizeof *walls->solids);
    walls->solids = walls->solid_buffer.data;
    if (result == RN_OK)
        result = rni_buffer_grow(&f->memory, &walls->slot_buffer, k + 1u, sizeof *walls->slots);
    walls->slots = walls->slot_buffer.data;
    if (result != RN_OK) return result;
    walls->solids[k] = (rni_solid){0};
    walls->slots[k] = (rni_solid_slot){.is_removed = true};
    walls->solid_count++;
    return RN_OK;
}

rn_result rn_fluid_add_solid(rn_fluid *f, const rn_solid *def, rn_fluid_id *id)
{
    rni_solid solid;
    uint32_t k = 0;
    rn_result result = prepare(f, def, &solid);
    if (result == RN_OK) result = free_slot(f, &k);
    if (result != RN_OK) return result;
    const uint32_t generation = f->walls->slots[k].generation + 1;
    result = put_where_no_water_is(f, k, &solid, generation);
    if (result == RN_OK && id) *id = (rn_fluid_id){k, generation};
    return result;
}

static rn_result find(const rn_fluid *f, rn_fluid_id id, rni_solid **found)
{
    const rni_walls *walls = f->walls;
    if (id.index < 1 || id.index >= walls->solid_count || walls->slots[id.index].is_removed ||
        walls->slots[id.index].generation != id.generation)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no solid %u (generation %u)", id.index,
                        id.generation);
    *found = &walls->solids[id.index];
    return RN_OK;
}

rn_result rn_fluid_set_solid(rn_fluid *f, rn_fluid_id id, const rn_solid *def)
{
    rni_solid solid, *found = NULL;
    rn_result result = find(f, id, &found);
    if (result == RN_OK) result = prepare(f, def, &solid);
    if (result == RN_OK) result = put_where_no_water_is(f, id.index, &solid, id.generation);
    return result;
}

rn_result rn_fluid_remove_solid(rn_fluid *f, rn_fluid_id id)
{
    rni_solid *found = NULL;
    rn_result result = find(f, id, &found);
    if (result != RN_OK) return result;
    rni_film_detach(f, id.index);
    f->walls->slots[id.index].is_removed = true;
    f->walls->is_stale = true;
    f->has_previous_density = false; /* walls count in densities */
    find_thinnest(f->walls);
    return RN_OK;
}

/* --- moving ---------------------------------------------------------------------------------------- */

/* A particle that a moved solid has caught up with leaves it, at the speed of its surface at least. x and v are
 * changed; false: there is no place for it. */
static bool leave(const rn_fluid *f, const rni_solid *solid, float x[4], float v[4], bool *has_met)
{
    float n[3];
    *has_met = false;
    if (rni_solid_distance(solid, x, n) >= f->walls->contact) return true;
    const float from[3] = {x[0], x[1], x[2]};
    if (!rni_walls_settle(f, x, v, has_met)) return false;
    if (f->walls->has_meshes) rni_mesh_walls_move(f, from, x, v, NULL);
    return rni_walls_distance_plain(f, x) >= 0;
}

/* Moves the particles out of a solid that is in its new place; refused, none has moved. */
static rn_result clear_path(rn_fluid *f, const rni_solid *solid)
{
    const float deepest = 0.5f * f->derived.radius;
    float n[3], x[4], v[4];
    bool has_met;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float d = rni_solid_distance(solid, f->now.position[i], n);
        memcpy(x, f->now.position[i], sizeof x);
        memcpy(v, f->now.velocity[i], sizeof v);
        if (d < -deepest)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "the solid would move %g m into the water at once; move it by at most "
                            "half a radius (%g m) from step to step",
                            (double)-d, (double)deepest);
        if (d < 0 && !leave(f, solid, x, v, &has_met))
            return rni_fail(RN_ERROR_LIMIT,
                            "the solid would leave no place for the particle at %g, %g, %g: water is "
                            "between it and another wall; stop it, or leave a gap",
                            (double)x[0], (double)x[1], (double)x[2]);
    }
    for (uint32_t i = 0; i < f->now.count; i++)
        if (rni_solid_distance(solid, f->now.position[i], n) < 0)
            leave(f, solid, f->now.position[i], f->now.velocity[i], &has_met);
    return RN_OK;
}

rn_result rn_fluid_set_solid_pose(rn_fluid *f, rn_fluid_id id, const rn_solid_pose *pose,
                                  const rn_solid_motion *motion)
{
    static const rn_solid_motion STILL = {{0, 0, 0}, {0, 0, 0}};
    rni_solid solid, *found = NULL;
    rn_result result = find(f, id, &found);
    if (result != RN_OK) return result;
    rn_solid def = found->def;
    memcpy(def.center, pose->position, sizeof def.center);
    memcpy(def.rotation, pose->rotation, sizeof def.rotation);
    def.motion = motion ? *motion : STILL;
    for (int a = 0; a < 3; a++) def.half[a] = isfinite(def.half[a]) ? def.half[a] : 0.0f;
    result = rni_solid_place(&def, f->def.dim, &solid);
    if (result == RN_OK) result = rni_mesh_walls_attach(f, &solid);
    if (result != RN_OK) return result;
    const rni_solid before = *found;
    const rni_solid_slot slot = f->walls->slots[id.index];
    put(f, id.index, &solid, slot);
    result = rni_walls_ready(f);
    if (result == RN_OK)
        result = rni_is_mesh(&solid)
                     ? rni_mesh_walls_clear_path(f, &before, &f->walls->solids[id.index])
                     : clear_path(f, &f->walls->solids[id.index]);
    if (result != RN_OK) put(f, id.index, &before, slot);
    return result;
}

rn_result rn_fluid_get_solid_load(const rn_fluid *f, rn_fluid_id id, rn_solid_load *load)
{
    rni_solid *found = NULL;
    rn_result result = find(f, id, &found);
    return result == RN_OK ? rni_loads_get(f, id.index, load) : result;
}

rn_result rn_fluid_get_domain_load(const rn_fluid *f, rn_solid_load *load)
{
    return rni_loads_get(f, 0, load);
}
