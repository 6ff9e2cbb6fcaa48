#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/film.h"

#include "base/error.h"
#include "base/output.h"
#include "fluid/film_texels.h"
#include "fluid/mesh_walls.h"
#include "fluid/sources.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

#define WET_TIME 0.02f /* s: in which a wet place takes on 63 % of the trail */
#define STRIDE   1.0 /* spacings that the fluid moves from one time of wetting to the next, at most */
#define WETTED   0.01f /* of the trail: what counts as wet */
#define PIECE    8192u /* texels */
#define THICKEST 10.0f /* m: more is no film */

/* --- made and given up ----------------------------------------------------------------------------- */

static void destroy(rn_fluid *f, rni_film *film)
{
    rni_buffer_free(&f->memory, &film->texel_buffer);
    rni_buffer_free(&f->memory, &film->place_buffer);
    rni_buffer_free(&f->memory, &film->thickness_buffer);
    rni_buffer_free(&f->memory, &film->wet_buffer);
    rni_buffer_free(&f->memory, &film->cell_buffer);
    rni_buffer_free(&f->memory, &film->taken_buffer);
    rni_buffer_free(&f->memory, &film->image_buffer);
    rni_memory_give(&f->memory, film, sizeof *film);
}

static rn_result make(rn_fluid *f, uint32_t k, rni_film **made)
{
    rni_film *film = rni_memory_take(&f->memory, sizeof *film);
    if (!film) return RN_ERROR_MEMORY;
    memset(film, 0, sizeof *film);
    film->solid = k;
    rn_result result = rni_film_lay_out(film, &f->memory, &f->walls->solids[k], f->def.spacing);
    const uint64_t count = film->count + (uint64_t)1;
    if (result == RN_OK)
        result = rni_buffer_need(&f->memory, &film->thickness_buffer, count, sizeof(float));
    if (result == RN_OK) result = rni_buffer_need(&f->memory, &film->wet_buffer, count, 1);
    if (result == RN_OK)
        result = rni_buffer_need(&f->memory, &film->image_buffer, (uint64_t)film->side * film->side,
                                 sizeof(float));
    if (result != RN_OK) {
        destroy(f, film);
        return result;
    }
    film->thickness = film->thickness_buffer.data;
    film->wet = film->wet_buffer.data;
    film->image = film->image_buffer.data;
    memset(film->thickness, 0, count * sizeof(float));
    for (uint64_t n = 0; n < count; n++) atomic_init(&film->wet[n], 0);
    *made = film;
    return RN_OK;
}

static bool has_trail(const rni_solid *solid)
{
    return rni_is_mesh(solid) && solid->def.trail > 0;
}

rn_result rni_film_attach(rn_fluid *f, uint32_t k)
{
    rni_film *film = NULL, **at = &f->walls->films;
    if (!has_trail(&f->walls->solids[k])) return RN_OK;
    const rn_result result = make(f, k, &film);
    if (result != RN_OK) return result;
    while (*at && (*at)->solid < k) at = &(*at)->next;
    film->next = *at;
    *at = film;
    return RN_OK;
}

void rni_film_detach(rn_fluid *f, uint32_t k)
{
    for (rni_film **at = &f->walls->films; *at; at = &(*at)->next)
        if ((*at)->solid == k) {
            rni_film *film = *at;
            *at = film->next;
            destroy(f, film);
            return;
        }
}

void rni_films_destroy(rn_fluid *f)
{
    while (f->walls->films) rni_film_detach(f, f->walls->films->solid);
}

/* --- a step ---------------------------------------------------------------------------------------- */

/* One film in a step. */
typedef struct wetting {
    rn_fluid *fluid;
    rni_film *film;
    const rni_solid *solid;
    float dt, gravity[3]; /* in the solid's own frame, of length 1 */
    float least_share;    /* a wall within reach gives more, even around an edge */
} wetting;

static void enter(const rni_solid *s, const float x[3], float own[3])
{
    const float d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    for (int a = 0; a < 3; a++) own[a] = rni_solid_dot(s->frame[a], d);
}

/* Marks the lanes of a set, from texel k on, that are not yet. */
static void mark(const rni_film *film, uint32_t k, uint32_t set)
{
    for (; set != 0; set &= set - 1) {
        _Atomic uint8_t *wet = &film->wet[k + (uint32_t)__builtin_ctz(set)];
        if (!atomic_load_explicit(wet, memory_order_relaxed))
            atomic_store_explicit(wet, 1, memory_order_relaxed);
    }
}

static void wet_cell(const wetting *w, const rni_film_cell *cell, const float own[3])
{
    const rni_film *film = w->film;
    const rni_v reach_sq = rni_v_set(film->reach * film->reach), none = rni_v_set(0.0f);
    const uint32_t any_side = w->solid->def.mesh->is_two_sided ? 15u : 0u;
    const size_t stride = rni_film_stride(film);
    for (uint32_t k = cell->begin; k < cell->end; k += RNI_FILM_LANES) {
        const float *place = film->place + k;
        rni_v d[3], normal[3];
        for (size_t a = 0; a < 3; a++) {
            d[a] = own[a] - rni_v_load(place + a * stride);
            normal[a] = rni_v_load(place + (3 + a) * stride);
        }
        const rni_v sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        const rni_v above = d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2];
        const uint32_t side = rni_v_bits(none < above) | any_side, left = cell->end - k;
        mark(film, k, rni_v_bits(sq <= reach_sq) & side & (left < 4 ? (1u << left) - 1 : 15u));
    }
}

/* Whether no wall is within the reach of a particle: what the boundaries knew, less how far it has moved since. */
static bool is_out_of_reach(const wetting *w, uint32_t i)
{
    const rn_fluid *f = w->fluid;
    if (rni_has_bare_walls(&f->def)) return false;
    if (!(f->walls->share[i] > w->least_share)) return true;
    const float *x = f->now.position[i], *from = rni_previous_position(f)[i];
    const float moved[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    const float room = f->walls->clear[i] - 1.001f * w->film->reach;
    return !f->was_operated && room > 0 && rni_solid_dot(moved, moved) < room * room;
}

static void wet_near(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const wetting *w = data;
    const rn_fluid *f = w->fluid;
    rni_film_near near;
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        float own[3];
        if (is_out_of_reach(w, i)) continue;
        enter(w->solid, f->now.position[i], own);
        rni_film_cell_find(w->film, own, &near);
        for (uint32_t k = 0; k < near.count; k++) wet_cell(w, near.cell[k], own);
    }
}

/* Wet places take on the trail; others drain where gravity runs along them, and dry. */
static void change_piece(void *data, uint32_t piece, uint32_t worker)
{
    const wetting *w = data;
    rni_film *film = w->film;
    const rn_solid *def = &w->solid->def;
    const float gain = 1 - expf(-w->dt / WET_TIME);
    const float dry = def->trail_dry > 0 ? w->dt * def->trail / def->trail_dry : 0.0f;
    (void)worker;
    for (uint32_t k = piece * PIECE; k < film->count && k < (piece + 1) * PIECE; k++) {
        float h = film->thickness[k];
        if (atomic_load_explicit(&film->wet[k], memory_order_relaxed)) {
            film->thickness[k] = h < def->trail ? h + gain * (def->trail - h) : h;
            atomic_store_explicit(&film->wet[k], 0, memory_order_relaxed);
        } else if (h > 0 && (dry > 0 || def->trail_drain > 0)) {
            const float along = rni_solid_dot(w->gravity, film->texel[k].normal);
            const float slope = sqrtf(rni_higher(1 - along * along, 0.0f));
            if (def->trail_drain > 0) h *= expf(-w->dt * slope / def->trail_drain);
            film->thickness[k] = rni_higher(h - dry, 0.0f);
        }
    }
}

/* s: what the films have to catch up with at the end of a step, a whole number of intervals in which the fluid moves
 * by STRIDE. Most often 0. It follows from the time alone, so a run that is continued does the same. */
static float wetting_time(const rn_fluid *f, float dt)
{
    const double speed = fmax((double)f->derived.speed_expected, 1e-9);
    const double interval = fmin(STRIDE * (double)f->def.spacing / speed, 0.25 * (double)WET_TIME);
    const double count = ceil(f->time / interval) - ceil((f->time - (double)dt) / interval);
    return (float)(fmax(count, 0) * interval);
}

void rni_films_step(rn_fluid *f, float step)
{
    const float dt = f->walls->films ? wetting_time(f, step) : 0.0f;
    float g[3];
    if (!(dt > 0)) return;
    rni_fluid_gravity(f, g);
    const float size = sqrtf(rni_solid_dot(g, g)), inverse = size > 0 ? 1 / size : 0.0f;
    for (rni_film *film = f->walls->films; film; film = film->next) {
        const rni_solid *solid = &f->walls->solids[film->solid];
        wetting w = {.fluid = f, .film = film, .solid = solid, .dt = dt};
        w.least_share = 0.25f * rni_wall_share_at(&f->walls->tables, film->reach);
        for (int a = 0; a < 3; a++) w.gravity[a] = inverse * rni_solid_dot(solid->frame[a], g);
        rni_for_particles(f, wet_near, &w);
        rni_crew_pieces(f->crew, rni_piece_count(film->count, PIECE), change_piece, &w);
    }
}

/* --- the state ------------------------------------------------------------------------------------- */

uint32_t rni_films_texels(const rn_fluid *f)
{
    uint32_t sum = 0;
    for (const rni_film *film = f->walls->films; film; film = film->next) sum += film->count;
    return sum;
}

/* The image of a film; `nothing` where it has no texel. */
static void fill_image(const rni_film *film, float nothing)
{
    const size_t size = (size_t)film->side * film->side;
    for (size_t k = 0; k < size; k++) film->image[k] = nothing;
    for (uint32_t k = 0; k < film->count; k++)
        film->image[film->texel[k].image] = film->thickness[k];
}

/* In the order of the texture: how texels lie in memory is nothing to a state. */
void rni_films_write(const rn_fluid *f, void *bytes)
{
    char *to = bytes;
    for (const rni_film *film = f->walls->films; film; film = film->next) {
        fill_image(film, -1);
        for (size_t k = 0; k < (size_t)film->side * film->side; k++) {
            if (film->image[k] < 0) continue;
            memcpy(to, &film->image[k], sizeof(float));
            to += sizeof(float);
        }
        fill_image(film, 0); /* the caller may have it */
    }
}

rn_result rni_films_check(const void *bytes, uint32_t texels)
{
    for (uint32_t k = 0; k < texels; k++) {
        float h;
        memcpy(&h, (const char *)bytes + (size_t)k * sizeof h, sizeof h);
        if (!(h >= 0 && h <= THICKEST))
            return rni_fail(RN_ERROR_FILE, "the state's film is %g m thick at texel %u", (double)h,
                            k);
    }
    return RN_OK;
}

void rni_films_read(rn_fluid *f, const void *bytes)
{
    const char *from = bytes;
    for (rni_film *film = f->walls->films; film; film = film->next) {
        fill_image(film, -1);
        for (size_t k = 0; k < (size_t)film->side * film->side; k++) {
            if (film->image[k] < 0) continue;
            memcpy(&film->image[k], from, sizeof(float));
            from += sizeof(float);
        }
        for (uint32_t k = 0; k < film->count; k++)
            film->thickness[k] = film->image[film->texel[k].image];
        fill_image(film, 0);
    }
}

/* --- asked ----------------------------------------------------------------------------------------- */

rn_fluid_film rn_fluid_film_default(void)
{
    return (rn_fluid_film){.struct_bytes = sizeof(rn_fluid_film)};
}

static rn_result find(const rn_fluid *f, rn_fluid_id id, rni_film **found)
{
    const rni_walls *walls = f->walls;
    const bool is_there = id.index >= 1 && id.index < walls->solid_count &&
                          !walls->slots[id.index].is_removed &&
                          walls->slots[id.index].generation == id.generation;
    for (*found = walls->films; *found && (*found)->solid != id.index;) *found = (*found)->next;
    if (is_there && *found) return RN_OK;
    if (!is_there) return rni_no_such("solid", id);
    return rni_fail(RN_ERROR_ARGUMENT,
                    "solid %u has no film; films are on meshes whose definition has a trail",
                    id.index);
}

rn_result rn_fluid_get_film(rn_fluid *f, rn_fluid_id id, rn_fluid_film *out)
{
    rn_fluid_film about = rn_fluid_film_default();
    rni_film *film = NULL;
    rn_result result =
        rni_output_check(out, RNI_OUTPUT_BYTES(rn_fluid_film, volume), "rn_fluid_film");
    if (result == RN_OK) result = find(f, id, &film);
    if (result != RN_OK) return result;
    const float least = WETTED * f->walls->solids[film->solid].def.trail;
    fill_image(film, 0);
    for (uint32_t k = 0; k < film->count; k++) {
        const float h = film->thickness[k];
        const double area = (double)film->texel[k].area;
        about.area += area;
        about.wetted_area += h > least ? area : 0;
        about.volume += area * (double)h;
    }
    about.width = about.height = film->side;
    about.thickness = film->image;
    rni_output_write(out, &about, sizeof about);
    return RN_OK;
}

/* The mean over the texels around a place of the mesh. */
static float mean_at(const rni_film *film, const float own[3])
{
    double sum = 0, area = 0;
    const float reach_sq = film->reach * film->reach;
    rni_film_near near;
    rni_film_cell_find(film, own, &near);
    for (uint32_t c = 0; c < near.count; c++)
        for (uint32_t k = near.cell[c]->begin; k < near.cell[c]->end; k++) {
            const rni_texel *t = &film->texel[k];
            const float d[3] = {own[0] - t->place[0], own[1] - t->place[1], own[2] - t->place[2]};
            if (rni_solid_dot(d, d) > reach_sq) continue;
            sum += (double)t->area * (double)film->thickness[k];
            area += (double)t->area;
        }
    return area > 0 ? (float)(sum / area) : 0.0f;
}

rn_result rn_fluid_get_film_at_vertices(const rn_fluid *f, rn_fluid_id id, float *thickness)
{
    rni_film *film = NULL;
    const rn_result result = find(f, id, &film);
    if (result != RN_OK) return result;
    const rni_solid *solid = &f->walls->solids[film->solid];
    const rn_mesh *mesh = &solid->def.mesh->mesh;
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        float own[3];
        for (size_t a = 0; a < 3; a++) own[a] = solid->def.scale * mesh->vertex[3 * v + a];
        thickness[v] = mean_at(film, own);
    }
    return RN_OK;
}
