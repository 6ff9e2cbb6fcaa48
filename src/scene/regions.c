#include "scene/regions.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/lattice.h"
#include "scene/reading.h"
#include "solid/solid.h"
#include "solid/span.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CELLS     64u /* of the grid, along its longest side */
#define MOST_KEPT 32u
#define RAYS      64u /* of a mouth, along each side */

/* What a region follows from. */
typedef struct source {
    rn_solid def; /* not hollow, where the inside is meant */
    uint32_t dim, up;
    bool is_up_low;        /* gravity points to the high side of that axis */
    bool is_inside;        /* else: what the solid can hold */
    float low[3], high[3]; /* m: of the domain */
    bool is_closed[3][2];  /* sides of the domain that are walls */
} source;

struct rni_region {
    source from;
    _Atomic uint32_t users;
    rni_solid solid;
    double low[3], pitch[3]; /* m: of the grid */
    uint32_t cells[3];
    bool is_side_closed[3][2]; /* of the grid: a wall of the domain */
    float *spill; /* by cell, height in m: what is below stays; -INFINITY: nothing does; INFINITY: everything */
    float brim;
    /* The last volume that was asked for, under the lock of what is kept. */
    float volume_level, volume_low[3], volume_high[3];
    double volume; /* below 0: none yet */
};

static struct {
    pthread_mutex_t lock;
    rni_region *region[MOST_KEPT];
    uint32_t count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- the grid -------------------------------------------------------------------------------------- */

static uint32_t cell_count(const rni_region *r)
{
    return r->cells[0] * r->cells[1] * r->cells[2];
}

static uint32_t index_of(const rni_region *r, const uint32_t at[3])
{
    return (at[2] * r->cells[1] + at[1]) * r->cells[0] + at[0];
}

static void at_of(const rni_region *r, uint32_t index, uint32_t at[3])
{
    at[0] = index % r->cells[0];
    at[1] = index / r->cells[0] % r->cells[1];
    at[2] = index / r->cells[0] / r->cells[1];
}

static void place_of(const rni_region *r, const uint32_t at[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = r->low[a] + r->pitch[a] * ((double)at[a] + 0.5);
}

static float height_of(const rni_region *r, double x)
{
    return (float)(r->from.is_up_low ? -x : x);
}

static void make_grid(rni_region *r, const float low[3], const float high[3])
{
    const source *from = &r->from;
    double size[3] = {0, 0, 0}, longest = 0;
    for (uint32_t a = 0; a < from->dim; a++) {
        r->low[a] = (double)rni_higher(low[a], from->low[a]);
        size[a] = fmax((double)rni_lower(high[a], from->high[a]) - r->low[a], 0);
        r->is_side_closed[a][0] = from->is_closed[a][0] && low[a] <= from->low[a];
        r->is_side_closed[a][1] = from->is_closed[a][1] && high[a] >= from->high[a];
        longest = fmax(longest, size[a]);
    }
    const double pitch = longest / CELLS;
    for (uint32_t a = 0; a < 3; a++) {
        r->cells[a] = 1;
        r->pitch[a] = a < from->dim ? pitch : 1;
        if (a >= from->dim || !(pitch > 0)) {
            r->low[a] = -0.5;
            continue;
        }
        /* Where water can run off there is a layer of cells outside. */
        if (!r->is_side_closed[a][0]) r->low[a] -= pitch, size[a] += pitch;
        if (!r->is_side_closed[a][1]) size[a] += pitch;
        r->cells[a] = (uint32_t)fmax(1, ceil(size[a] / pitch - 1e-6));
        r->pitch[a] = size[a] / r->cells[a];
    }
}

/* --- what a solid can hold ------------------------------------------------------------------------- */

enum { SOLID = 1, NEAR_WALL = 2, DONE = 4 };

static bool is_mesh(const rni_region *r)
{
    return r->solid.kind->has_mesh;
}

/* What is at a cell; those before are known. */
static uint8_t look_at(const rni_region *r, uint32_t index, const uint8_t *about)
{
    uint32_t at[3];
    double x[3];
    float normal[3];
    at_of(r, index, at);
    place_of(r, at, x);
    if (!is_mesh(r)) {
        const float place[3] = {(float)x[0], (float)x[1], (float)x[2]};
        return rni_solid_distance(&r->solid, place, normal) < 0 ? SOLID : 0;
    }
    rni_wall_near near;
    const double reach = 1.01 * fmax(r->pitch[0], fmax(r->pitch[1], r->pitch[2]));
    const bool is_near = rni_wall_mesh_closest(&r->solid, x, reach, &near);
    /* With no triangle within a pitch, the cell before is on the same side. */
    if (!is_near && at[0] > 0) return about[index - 1] & SOLID;
    return (uint8_t)((rni_wall_mesh_is_solid(&r->solid, x) ? SOLID : 0) | (is_near ? NEAR_WALL : 0));
}

/* Whether a triangle is between two places. */
static bool is_parted(const rni_region *r, const double x[3], const double y[3])
{
    double own[2][3];
    float from[3], to[3];
    rni_crossing crossing;
    rni_wall_mesh_enter(&r->solid, x, own[0]);
    rni_wall_mesh_enter(&r->solid, y, own[1]);
    for (int a = 0; a < 3; a++) from[a] = (float)own[0][a], to[a] = (float)own[1][a];
    return rni_hierarchy_segment(&r->solid.def.mesh->hierarchy, from, to, &crossing);
}

/* Cells that the flood has reached, the lowest first. */
typedef struct heap {
    uint32_t *cell;
    uint32_t count;
    const float *spill;
} heap;

static bool is_before(const heap *h, uint32_t a, uint32_t b)
{
    return h->spill[a] < h->spill[b] || (h->spill[a] == h->spill[b] && a < b);
}

static void heap_push(heap *h, uint32_t cell)
{
    uint32_t k = h->count++;
    for (; k > 0 && is_before(h, cell, h->cell[(k - 1) / 2]); k = (k - 1) / 2)
        h->cell[k] = h->cell[(k - 1) / 2];
    h->cell[k] = cell;
}

static uint32_t heap_pop(heap *h)
{
    const uint32_t first = h->cell[0], last = h->cell[--h->count];
    uint32_t k = 0;
    for (uint32_t child; (child = 2 * k + 1) < h->count; k = child) {
        if (child + 1 < h->count && is_before(h, h->cell[child + 1], h->cell[child])) child++;
        if (!is_before(h, h->cell[child], last)) break;
        h->cell[k] = h->cell[child];
    }
    h->cell[k] = last;
    return first;
}

/* Whether water in a cell at the side of the grid runs off. */
static bool is_drain(const rni_region *r, const uint32_t at[3])
{
    for (uint32_t a = 0; a < 3 && a < r->from.dim; a++)
        if ((at[a] == 0 && !r->is_side_closed[a][0]) ||
            (at[a] + 1 == r->cells[a] && !r->is_side_closed[a][1]))
            return true;
    return false;
}

static void flood_from(rni_region *r, heap *h, uint8_t *about, uint32_t cell)
{
    uint32_t at[3], next[3];
    double x[3], y[3];
    at_of(r, cell, at);
    place_of(r, at, x);
    for (uint32_t side = 0; side < 2 * r->from.dim; side++) {
        const uint32_t a = side / 2;
        memcpy(next, at, sizeof next);
        if (side % 2 ? at[a] + 1 == r->cells[a] : at[a] == 0) continue;
        next[a] += side % 2 ? 1u : UINT32_MAX;
        const uint32_t n = index_of(r, next);
        if (about[n] & (SOLID | DONE)) continue;
        place_of(r, next, y);
        if (is_mesh(r) && (about[cell] & about[n] & NEAR_WALL) && is_parted(r, x, y)) continue;
        about[n] |= DONE;
        r->spill[n] = rni_higher(r->spill[cell], height_of(r, y[r->from.up]));
        heap_push(h, n);
    }
}

/* Heights over which water must pass to run off, from the sides inwards, the lowest first. */
static void flood(rni_region *r, heap *h, uint8_t *about)
{
    for (uint32_t k = 0; k < cell_count(r); k++) {
        uint32_t at[3];
        double x[3];
        about[k] = look_at(r, k, about);
        at_of(r, k, at);
        place_of(r, at, x);
        r->spill[k] = about[k] & SOLID ? -INFINITY : INFINITY;
        if ((about[k] & SOLID) || !is_drain(r, at)) continue;
        r->spill[k] = height_of(r, x[r->from.up]);
        about[k] |= DONE;
        heap_push(h, k);
    }
    while (h->count > 0) flood_from(r, h, about, heap_pop(h));
    for (uint32_t k = 0; k < cell_count(r); k++) {
        uint32_t at[3];
        double x[3];
        at_of(r, k, at);
        place_of(r, at, x);
        if (r->spill[k] <= height_of(r, x[r->from.up])) r->spill[k] = -INFINITY;
        else if (isfinite(r->spill[k])) r->brim = rni_higher(r->brim, r->spill[k]);
    }
}

static void mark_inside(rni_region *r, uint8_t *about)
{
    for (uint32_t k = 0; k < cell_count(r); k++) {
        about[k] = look_at(r, k, about);
        r->spill[k] = about[k] & SOLID ? INFINITY : -INFINITY;
    }
}

/* --- made ------------------------------------------------------------------------------------------ */

static rn_result measure(rni_region *r)
{
    float low[3], high[3];
    if (!r->solid.kind->bounds)
        return rni_fail(RN_ERROR_FILE, "names a %s, which has no end; it cannot be filled",
                        r->solid.kind->name);
    r->solid.kind->bounds(&r->solid, low, high);
    make_grid(r, low, high);
    const uint32_t count = cell_count(r);
    heap h = {.cell = malloc(count * sizeof *h.cell)};
    uint8_t *about = malloc(count);
    r->spill = malloc(count * sizeof *r->spill);
    r->brim = -INFINITY;
    h.spill = r->spill;
    const bool has_memory = h.cell && about && r->spill;
    if (has_memory && r->from.is_inside) mark_inside(r, about);
    else if (has_memory) flood(r, &h, about);
    free(about);
    free(h.cell);
    return has_memory ? RN_OK : rni_fail(RN_ERROR_MEMORY, "no memory for the region of a solid");
}

static rn_result make(const source *from, rni_region **region)
{
    rni_region *r = calloc(1, sizeof *r);
    if (!r) return rni_fail(RN_ERROR_MEMORY, "no memory for the region of a solid");
    r->from = *from;
    r->volume = -1;
    atomic_init(&r->users, 1);
    rn_result result = rni_solid_place(&from->def, from->dim, &r->solid);
    if (result == RN_OK && from->def.mesh) rni_wall_mesh_keep(from->def.mesh);
    else r->from.def.mesh = NULL;
    if (result == RN_OK) result = measure(r);
    if (result == RN_OK) *region = r;
    else rni_region_give(r);
    return result;
}

void rni_region_give(rni_region *r)
{
    if (!r || atomic_fetch_sub(&r->users, 1) > 1) return;
    rn_wall_mesh_destroy((rn_wall_mesh *)(uintptr_t)r->from.def.mesh); /* our hold */
    free(r->spill);
    free(r);
}

static bool is_same_vector(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_same(const source *a, const source *b)
{
    const rn_solid *s = &a->def, *t = &b->def;
    return s->shape == t->shape && s->mesh == t->mesh && s->scale == t->scale &&
           s->radius == t->radius && is_same_vector(s->center, t->center) &&
           is_same_vector(s->axis, t->axis) && is_same_vector(s->half, t->half) &&
           is_same_vector(s->turn, t->turn) && a->dim == b->dim && a->up == b->up &&
           a->is_up_low == b->is_up_low && a->is_inside == b->is_inside &&
           is_same_vector(a->low, b->low) && is_same_vector(a->high, b->high) &&
           memcmp(a->is_closed, b->is_closed, sizeof a->is_closed) == 0;
}

static rn_result source_of(const rni_scene *scene, const char *name, source *from)
{
    const rni_scene_solid *solid = rni_scene_solid_named(scene, name);
    uint32_t side;
    if (!solid)
        return rni_fail(RN_ERROR_FILE,
                        "there is no solid named '%s'; give one of the solids this name",
                        rni_say_text(name, strlen(name)).text);
    from->def = rni_scene_solid_of(solid);
    from->is_inside = solid->is_hollow || !solid->is_wall;
    from->def.is_hollow = false;
    from->dim = scene->def.dim;
    from->up = rni_up_axis(&scene->def, &side);
    from->is_up_low = side == 0;
    memcpy(from->low, scene->def.domain_low, sizeof from->low);
    memcpy(from->high, scene->def.domain_high, sizeof from->high);
    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t k = 0; k < 2; k++)
            from->is_closed[a][k] = !scene->def.periodic[a] && !scene->def.open[a][k];
    return RN_OK;
}

rn_result rni_region_get(const rni_scene *scene, const char *solid, rni_region **region)
{
    source from;
    *region = NULL;
    rn_result result = source_of(scene, solid, &from);
    if (result != RN_OK) return result;
    pthread_mutex_lock(&kept.lock);
    for (uint32_t k = 0; k < kept.count && !*region; k++)
        if (is_same(&kept.region[k]->from, &from)) *region = kept.region[k];
    if (!*region && (result = make(&from, region)) == RN_OK) {
        if (kept.count == MOST_KEPT) {
            rni_region_give(kept.region[0]);
            memmove(kept.region, kept.region + 1, --kept.count * sizeof(rni_region *));
        }
        kept.region[kept.count++] = *region;
    }
    if (*region) atomic_fetch_add(&(*region)->users, 1);
    pthread_mutex_unlock(&kept.lock);
    return result;
}

void rni_regions_clear(void)
{
    pthread_mutex_lock(&kept.lock);
    for (uint32_t k = 0; k < kept.count; k++) rni_region_give(kept.region[k]);
    kept.count = 0;
    pthread_mutex_unlock(&kept.lock);
}

/* --- asked ----------------------------------------------------------------------------------------- */

static float top_of(const rni_region *r, float level)
{
    return level >= RNI_NO_LEVEL ? INFINITY : height_of(r, (double)level);
}

/* Whether water at this height stays in a cell, with the surface at `top`. */
static bool stays(float spill, float height, float top)
{
    return height <= top && (isfinite(top) ? spill > top : spill > height);
}

/* Whether a cell near x holds it, with no triangle between. ring: 1: the eight cells around x; 2: those around them. */
static bool is_held_by_cells(const rni_region *r, const double x[3], float top, int ring)
{
    const float height = height_of(r, x[r->from.up]);
    int cell[3], first[3], last[3];
    for (uint32_t a = 0; a < 3; a++) {
        cell[a] = (int)floor((x[a] - r->low[a]) / r->pitch[a] - 0.5);
        const int end = (int)r->cells[a] - 1;
        first[a] = cell[a] - ring + 1 > 0 ? cell[a] - ring + 1 : 0;
        last[a] = cell[a] + ring < end ? cell[a] + ring : end;
    }
    for (int c = first[2]; c <= last[2]; c++)
        for (int b = first[1]; b <= last[1]; b++)
            for (int a = first[0]; a <= last[0]; a++) {
                const uint32_t at[3] = {(uint32_t)a, (uint32_t)b, (uint32_t)c};
                const int off[3] = {a - cell[0], b - cell[1], c - cell[2]};
                double y[3];
                if (ring > 1 && !((off[0] | off[1] | off[2]) & ~1)) continue; /* asked before */
                if (!stays(r->spill[index_of(r, at)], height, top)) continue;
                place_of(r, at, y);
                if (!is_mesh(r) || !is_parted(r, x, y)) return true;
            }
    return false;
}

bool rni_region_has(const rni_region *r, float level, const float place[3])
{
    const double x[3] = {(double)place[0], (double)place[1], (double)place[2]};
    const float top = top_of(r, level);
    float normal[3];
    if (height_of(r, x[r->from.up]) > top) return false;
    const bool is_held =
        r->from.is_inside || is_held_by_cells(r, x, top, 1) || is_held_by_cells(r, x, top, 2);
    if (!is_held) return false;
    /* No triangle is between x and a cell that holds water: in a closed mesh they are on the same side. */
    if (!r->from.is_inside && is_mesh(r) && r->solid.def.mesh->is_closed) return true;
    const bool is_solid = is_mesh(r) ? rni_wall_mesh_is_solid(&r->solid, x)
                                     : rni_solid_distance(&r->solid, place, normal) < 0;
    return is_solid == r->from.is_inside;
}

void rni_region_bounds(const rni_region *r, float level, float low[3], float high[3])
{
    const float top = top_of(r, level);
    const uint32_t up = r->from.up;
    for (uint32_t a = 0; a < 3; a++) {
        low[a] = (float)r->low[a];
        high[a] = (float)(r->low[a] + r->pitch[a] * r->cells[a]);
    }
    if (isfinite(top) && r->from.is_up_low) low[up] = rni_higher(low[up], level);
    if (isfinite(top) && !r->from.is_up_low) high[up] = rni_lower(high[up], level);
}

static double measure_volume(const rni_region *r, float level, const float low[3],
                             const float high[3])
{
    const float top = top_of(r, level);
    const double layer = r->pitch[r->from.up];
    double cells = 0;
    for (uint32_t k = 0; k < cell_count(r); k++) {
        uint32_t at[3];
        double x[3];
        at_of(r, k, at);
        place_of(r, at, x);
        const float height = height_of(r, x[r->from.up]);
        bool is_in = true;
        for (uint32_t a = 0; a < r->from.dim; a++)
            is_in = is_in && (a == r->from.up ? x[a] + r->pitch[a] : x[a]) >= (double)low[a] &&
                    (a == r->from.up ? x[a] - r->pitch[a] : x[a]) <= (double)high[a];
        if (!is_in) continue;
        /* of the cell that the surface cuts, the part below */
        const double part = fmin(fmax(((double)top - (double)height) / layer + 0.5, 0), 1);
        if (part > 0 && stays(r->spill[k], rni_lower(height, top), top)) cells += part;
    }
    return cells * r->pitch[0] * r->pitch[1] * (r->from.dim == 3 ? r->pitch[2] : 1);
}

double rni_region_volume(rni_region *r, float level, const float low[3], const float high[3])
{
    pthread_mutex_lock(&kept.lock);
    if (r->volume < 0 || r->volume_level != level || !is_same_vector(r->volume_low, low) ||
        !is_same_vector(r->volume_high, high)) {
        r->volume = measure_volume(r, level, low, high);
        r->volume_level = level;
        memcpy(r->volume_low, low, sizeof r->volume_low);
        memcpy(r->volume_high, high, sizeof r->volume_high);
    }
    const double volume = r->volume;
    pthread_mutex_unlock(&kept.lock);
    return volume;
}

bool rni_region_holds(const rni_region *r, float level, float *brim)
{
    *brim = r->from.is_up_low ? -r->brim : r->brim;
    return !isfinite(r->brim) || level >= RNI_NO_LEVEL ||
           top_of(r, level) <= r->brim + (float)r->pitch[r->from.up];
}

/* Two directions at right angles to a unit one. */
static void make_across(const float unit[3], float across[2][3])
{
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabsf(unit[a]) < fabsf(unit[least])) least = a;
    for (int a = 0; a < 3; a++) across[0][a] = (a == least ? 1.0f : 0.0f) - unit[least] * unit[a];
    const float inverse = 1 / sqrtf(rni_solid_dot(across[0], across[0]));
    for (int a = 0; a < 3; a++) across[0][a] *= inverse;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        across[1][a] = unit[b] * across[0][c] - unit[c] * across[0][b];
    }
}

/* By rays through a square of this size about the middle. */
bool rni_region_mouth(const rni_region *r, const float direction[3], float center[3], float *radius)
{
    const float norm = sqrtf(rni_solid_dot(direction, direction));
    float low[3], high[3], across[2][3], unit[3], size = 0;
    double sum[2] = {0, 0};
    uint32_t hits = 0;
    if (!(norm > 0)) return false;
    r->solid.kind->bounds(&r->solid, low, high);
    for (int a = 0; a < 3; a++) {
        unit[a] = direction[a] / norm;
        center[a] = 0.5f * (low[a] + high[a]);
        size = rni_higher(size, 1.8f * (high[a] - low[a])); /* more than any diagonal */
    }
    make_across(unit, across);
    for (uint32_t k = 0; k < RAYS * RAYS; k++) {
        const uint32_t row = k / RAYS;
        const float u = size * (((float)(k % RAYS) + 0.5f) / RAYS - 0.5f),
                    v = size * (((float)row + 0.5f) / RAYS - 0.5f);
        float origin[3];
        rni_span span = {.near = 0, .far = 4 * size};
        for (int a = 0; a < 3; a++)
            origin[a] = center[a] + u * across[0][a] + v * across[1][a] - 2 * size * unit[a];
        if (!r->solid.kind->span(&r->solid, origin, unit, &span)) continue;
        sum[0] += (double)u, sum[1] += (double)v;
        hits++;
    }
    if (hits == 0) return false;
    for (int a = 0; a < 3; a++)
        center[a] += (float)((sum[0] * (double)across[0][a] + sum[1] * (double)across[1][a]) / hits);
    *radius = size / RAYS * sqrtf((float)(hits / RNI_PI));
    return true;
}
