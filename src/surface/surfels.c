/* Surfels: surface particles, moved onto the surface and split where they are too few.
 *
 * Surface particles are those where the gradient of the colour field is steep (Grahn's equation 6.10). Newton
 * steps (6.11) move a surfel onto the level; one that does not arrive is discarded. Then a surfel without a neighbour
 * in one of four directions gets a new one there: the four of a split, as far as they are missing. A new
 * surfel too close to another is discarded. */
#include "surface/surface.h"

#include "base/output.h"

#include <math.h>
#include <string.h>

#define PIECE       256u
#define STEEP       0.15f /* per spacing: the gradient at a surface particle */
#define MAX_STEPS   6u
#define ARRIVED     0.01f /* spacings: the last step of a surfel that is on the surface */
#define MAX_WAY     1.5f  /* spacings from where it began */
#define TOO_CLOSE   0.7f  /* of the wanted distance */
#define COVER       0.9f  /* radius of a disc over the wanted distance */
#define MAX_SURFELS 0x10000000u

typedef struct surfel {
    float x[3], normal[3];
    float error; /* m: of the last step; negative: discarded */
} surfel;

struct rn_surfels {
    rni_memory memory; /* first: rni_memory_begin() */
    rn_surfels_def def;
    rni_crew *crew;
    rn_surface *surface; /* particles sorted by block, their weights */
    float spacing, distance, level;
    uint32_t count;     /* surfels that are kept */
    uint32_t new_count; /* behind them: candidates */
    rni_buffer list;    /* surfel */
    rni_buffer table;   /* cells of the wanted distance: first surfel of each; by hash */
    rni_buffer next;    /* the next surfel of the same place in the table */
    uint32_t table_mask;
    rni_buffer position, normal;
};

rn_surfels_def rn_surfels_def_default(void)
{
    return (rn_surfels_def){.struct_bytes = sizeof(rn_surfels_def),
                            .radius = 2,
                            .level = 0.6f,
                            .distance = 0.5f,
                            .rounds = 6};
}

rn_surfel_set rn_surfel_set_default(void)
{
    return (rn_surfel_set){.struct_bytes = sizeof(rn_surfel_set)};
}

static rn_result check_def(const rn_surfels_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "def.struct_bytes is %u instead of %zu; begin with rn_surfels_def_default(), and with the "
            "header of the library that is loaded",
            def->struct_bytes, sizeof *def);
    if (!(def->distance >= 0.1f && def->distance <= 2))
        return rni_fail(RN_ERROR_ARGUMENT, "distance is %g spacings; it must be from 0.1 to 2",
                        (double)def->distance);
    if (def->rounds > 16)
        return rni_fail(RN_ERROR_ARGUMENT, "rounds are %u; at most 16", def->rounds);
    return RN_OK;
}

_Static_assert(offsetof(rn_surfels, memory) == 0, "rni_memory_begin");

rn_result rn_surfels_create(const rn_surfels_def *def, rn_surfels **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "surfels must not be NULL");
    *out = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_surfels), &object);
    if (result != RN_OK) return result;
    rn_surfels *s = object;
    s->def = *def;
    rn_surface_def inner = rn_surface_def_default();
    inner.threads = def->threads;
    inner.allocator = def->allocator;
    inner.tasks = def->tasks;
    inner.radius = def->radius;
    inner.level = def->level;
    result = rn_surface_create(&inner, &s->surface);
    if (result != RN_OK) {
        rn_surfels_destroy(s);
        return result;
    }
    s->crew = s->surface->crew;
    *out = s;
    return RN_OK;
}

void rn_surfels_destroy(rn_surfels *s)
{
    if (!s) return;
    rni_buffer *const buffers[] = {&s->list, &s->table, &s->next, &s->position, &s->normal};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(&s->memory, buffers[k]);
    rn_surface_destroy(s->surface);
    rni_memory_end(&s->memory, sizeof *s);
}

/* --- onto the surface -------------------------------------------------------------------------------- */

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Newton steps; error becomes negative when the surfel does not arrive or is behind a wall. */
static void settle(const rn_surfels *s, surfel *p)
{
    float start[3], gradient[3];
    memcpy(start, p->x, sizeof start);
    p->error = INFINITY;
    for (uint32_t step = 0; step < MAX_STEPS && p->error > ARRIVED * s->spacing; step++) {
        float value = rni_surface_field_at(s->surface, p->x, gradient) - s->level;
        float steep_sq =
            gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
        if (!(steep_sq > 0)) break;
        float scale = value / steep_sq;
        /* A step of more than half a spacing leaves the part of the field that is nearly linear. */
        float limit = 0.5f * s->spacing / sqrtf(steep_sq);
        scale = fminf(fmaxf(scale, -limit), limit);
        for (uint32_t k = 0; k < 3; k++) p->x[k] -= scale * gradient[k];
        p->error = fabsf(scale) * sqrtf(steep_sq);
        for (uint32_t k = 0; k < 3; k++) p->normal[k] = -gradient[k] / sqrtf(steep_sq);
    }
    float way[3] = {p->x[0] - start[0], p->x[1] - start[1], p->x[2] - start[2]};
    float wall;
    (void)rni_surface_walls_share(&s->surface->points, p->x, s->surface->grid.radius, &wall);
    bool is_lost =
        !(p->error <= ARRIVED * s->spacing) || length_of(way) > MAX_WAY * s->spacing || wall < 0;
    if (is_lost) p->error = -1;
}

static void settle_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_surfels *s = data;
    (void)worker;
    surfel *list = (surfel *)s->list.data + s->count;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->new_count - begin < PIECE ? s->new_count : begin + PIECE;
    for (uint32_t n = begin; n < end; n++)
        if (list[n].error >= 0) settle(s, &list[n]);
}

/* --- surface particles ------------------------------------------------------------------------------- */

static void start_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_surfels *s = data;
    (void)worker;
    surfel *list = s->list.data;
    const float *position = s->surface->position.data;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->new_count - begin < PIECE ? s->new_count : begin + PIECE;
    for (uint32_t i = begin; i < end; i++) {
        float gradient[3];
        memcpy(list[i].x, position + 3 * (size_t)i, sizeof list[i].x);
        rni_surface_field_at(s->surface, list[i].x, gradient);
        list[i].error = length_of(gradient) * s->spacing > STEEP ? 0 : -1;
    }
}

/* --- neighbours -------------------------------------------------------------------------------------- */

static uint32_t cell_hash(const rn_surfels *s, const int32_t at[3])
{
    uint32_t h =
        (uint32_t)at[0] * 73856093u ^ (uint32_t)at[1] * 19349669u ^ (uint32_t)at[2] * 83492791u;
    return (h ^ h >> 15) & s->table_mask;
}

static void cell_of(const rn_surfels *s, const float x[3], int32_t at[3])
{
    for (uint32_t k = 0; k < 3; k++)
        at[k] = (int32_t)floorf((x[k] - s->surface->grid.low[k]) / s->distance);
}

/* Whether a kept surfel is within reach (at most the wanted distance) of x, on the same side. */
static bool has_near(const rn_surfels *s, const float x[3], const float normal[3], float reach)
{
    const surfel *list = s->list.data;
    const uint32_t *table = s->table.data;
    const uint32_t *next = s->next.data;
    int32_t at[3];
    cell_of(s, x, at);
    for (int32_t n = 0; n < 27; n++) {
        const int32_t cell[3] = {at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1};
        for (uint32_t j = table[cell_hash(s, cell)]; j != UINT32_MAX; j = next[j]) {
            const float *y = list[j].x;
            const float *m = list[j].normal;
            float d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
            if (length_of(d) >= reach) continue;
            if (m[0] * normal[0] + m[1] * normal[1] + m[2] * normal[2] > 0) return true;
        }
    }
    return false;
}

static void put(rn_surfels *s, uint32_t j)
{
    int32_t at[3];
    cell_of(s, ((const surfel *)s->list.data)[j].x, at);
    uint32_t *slot = (uint32_t *)s->table.data + cell_hash(s, at);
    ((uint32_t *)s->next.data)[j] = *slot;
    *slot = j;
}

static rn_result renew_table(rn_surfels *s, uint64_t count)
{
    uint64_t length = 1024;
    while (length < count) length *= 2;
    if (rni_surface_need(&s->memory, &s->table, length, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->next, count + 1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    s->table_mask = (uint32_t)(length - 1);
    memset(s->table.data, 0xff, length * sizeof(uint32_t));
    for (uint32_t j = 0; j < s->count; j++) put(s, j);
    return RN_OK;
}

/* Candidates that arrived and are not too close to others become surfels, in order. */
static rn_result keep_candidates(rn_surfels *s)
{
    rn_result result = renew_table(s, (uint64_t)s->count + s->new_count);
    if (result != RN_OK) return result;
    surfel *list = s->list.data;
    uint32_t begin = s->count;
    for (uint32_t n = 0; n < s->new_count; n++) {
        surfel p = list[begin + n];
        if (p.error < 0 || has_near(s, p.x, p.normal, TOO_CLOSE * s->distance)) continue;
        list[s->count] = p;
        put(s, s->count++);
    }
    s->new_count = 0;
    return RN_OK;
}

/* --- splitting --------------------------------------------------------------------------------------- */

static void find_tangents(const float n[3], float u[3], float v[3])
{
    uint32_t least = fabsf(n[0]) < fabsf(n[1]) ? 0 : 1;
    if (fabsf(n[2]) < fabsf(n[least])) least = 2;
    float axis[3] = {0};
    axis[least] = 1;
    for (uint32_t k = 0; k < 3; k++)
        u[k] = n[(k + 1) % 3] * axis[(k + 2) % 3] - n[(k + 2) % 3] * axis[(k + 1) % 3];
    float length = length_of(u);
    for (uint32_t k = 0; k < 3; k++) u[k] /= length;
    for (uint32_t k = 0; k < 3; k++)
        v[k] = n[(k + 1) % 3] * u[(k + 2) % 3] - n[(k + 2) % 3] * u[(k + 1) % 3];
}

/* Four candidates around each surfel from `first` on, at the wanted distance; those with a neighbour are discarded. */
typedef struct split {
    rn_surfels *s;
    uint32_t first;
} split;

static void split_piece(void *data, uint32_t piece, uint32_t worker)
{
    const split *job = data;
    const rn_surfels *s = job->s;
    (void)worker;
    surfel *list = s->list.data;
    uint32_t count = s->count - job->first;
    uint32_t begin = piece * PIECE;
    uint32_t end = count - begin < PIECE ? count : begin + PIECE;
    for (uint32_t n = begin; n < end; n++) {
        const surfel *from = &list[job->first + n];
        float tangent[2][3];
        find_tangents(from->normal, tangent[0], tangent[1]);
        for (uint32_t side = 0; side < 4; side++) {
            surfel *to = &list[s->count + 4 * n + side];
            float way = side % 2 ? s->distance : -s->distance;
            *to = *from;
            for (uint32_t k = 0; k < 3; k++) to->x[k] += way * tangent[side / 2][k];
            to->error = has_near(s, to->x, to->normal, TOO_CLOSE * s->distance) ? -1 : 0;
        }
    }
}

static rn_result split_round(rn_surfels *s, uint32_t first)
{
    uint32_t count = s->count - first;
    if (s->count > MAX_SURFELS - 4 * (uint64_t)count)
        return rni_fail(RN_ERROR_LIMIT, "there are more than %u surfels; choose a larger distance",
                        MAX_SURFELS);
    if (rni_buffer_grow(&s->memory, &s->list, s->count + 4 * (uint64_t)count, sizeof(surfel)))
        return RN_ERROR_MEMORY;
    split job = {.s = s, .first = first};
    rni_crew_pieces(s->crew, rni_piece_count(count, PIECE), split_piece, &job);
    s->new_count = 4 * count;
    rni_crew_pieces(s->crew, rni_piece_count(s->new_count, PIECE), settle_piece, s);
    return keep_candidates(s);
}

/* --- build ------------------------------------------------------------------------------------------- */

static rn_result find_surfels(rn_surfels *s, const rn_surface_points *points, uint32_t *particles)
{
    rn_surface *surface = s->surface;
    rni_arena_reset(&surface->arena);
    surface->points = *points;
    rn_result result = rni_surface_ingest(surface);
    if (result == RN_OK) result = rni_surface_find_blocks(surface);
    if (result == RN_OK) result = rni_surface_weigh(surface);
    if (result == RN_OK) result = rni_surface_level_scratch(surface);
    if (result == RN_OK)
        result = rni_surface_need(&s->memory, &s->list, points->count + (uint64_t)1, sizeof(surfel));
    if (result != RN_OK) return result;
    s->new_count = points->count;
    uint32_t pieces = rni_piece_count(s->new_count, PIECE);
    rni_crew_pieces(s->crew, pieces, start_piece, s);
    for (uint32_t i = 0; i < s->new_count; i++)
        *particles += ((const surfel *)s->list.data)[i].error >= 0;
    rni_crew_pieces(s->crew, pieces, settle_piece, s);
    result = keep_candidates(s);
    uint32_t first = 0;
    for (uint32_t round = 0; round < s->def.rounds && first < s->count && result == RN_OK; round++) {
        uint32_t before = s->count;
        result = split_round(s, first);
        first = before;
    }
    return result;
}

static rn_result copy_out(rn_surfels *s, rn_surfel_set *full)
{
    if (rni_surface_need(&s->memory, &s->position, s->count + (uint64_t)1, 3 * sizeof(float)) ||
        rni_surface_need(&s->memory, &s->normal, s->count + (uint64_t)1, 3 * sizeof(float)))
        return RN_ERROR_MEMORY;
    for (uint32_t n = 0; n < s->count; n++) {
        const surfel *p = (const surfel *)s->list.data + n;
        memcpy((float *)s->position.data + 3 * (size_t)n, p->x, sizeof p->x);
        memcpy((float *)s->normal.data + 3 * (size_t)n, p->normal, sizeof p->normal);
        full->error = fmaxf(full->error, p->error);
    }
    full->count = s->count;
    full->position = s->position.data;
    full->normal = s->normal.data;
    full->radius = COVER * s->distance;
    return RN_OK;
}

rn_result rn_surfels_build(rn_surfels *s, const rn_surface_points *points, rn_surfel_set *found)
{
    if (!s || !points || !found)
        return rni_fail(RN_ERROR_ARGUMENT, "surfels, points and found must not be NULL");
    rn_result result =
        rni_output_check(found, RNI_OUTPUT_BYTES(rn_surfel_set, error), "rn_surfel_set");
    if (result == RN_OK) result = rni_surface_check_points(points);
    if (result != RN_OK) return result;
    rn_surfel_set full = rn_surfel_set_default();
    s->spacing = points->spacing;
    s->distance = s->def.distance * points->spacing;
    s->level = s->def.level;
    s->count = s->new_count = 0;
    if (points->count > 0) result = find_surfels(s, points, &full.surface_particle_count);
    if (result == RN_OK) result = copy_out(s, &full);
    if (result == RN_OK) rni_output_write(found, &full, sizeof full);
    return result;
}
