#include "fluid/film_texels.h"

#include "base/error.h"
#include "solid/wall_mesh.h"

#include <math.h>
#include <string.h>

#define LEAST_SIDE 32u
#define MOST_SIDE  2048u
/* Of the spacing: how wide a texel is, and how far a particle wets. */
#define TEXEL 0.5f
#define REACH 0.8f
/* Of the area: what may lie under no texel before the mesh gets a texture of our own. */
#define MOST_LOST 0.02

typedef struct layout {
    rni_film *film;
    const rni_solid *solid;
    const rn_mesh *mesh;
    bool is_own; /* the texture is ours: two triangles in each square */
    uint32_t squares;
    uint8_t *is_taken; /* by texel of the texture */
    double lost;       /* m^2 under no texel */
} layout;

/* --- the texture ----------------------------------------------------------------------------------- */

/* Texture coordinates of a triangle, 0 to 1. Of our own: halves of squares, with a gap between them. */
static void coordinates_of(const layout *l, size_t t, double uv[3][2])
{
    if (!l->is_own) {
        for (size_t k = 0; k < 6; k++) uv[k / 2][k % 2] = (double)l->mesh->texture[6 * t + k];
        return;
    }
    static const double CORNER[2][3][2] = {{{0.02, 0.02}, {0.93, 0.02}, {0.02, 0.93}},
                                           {{0.98, 0.98}, {0.07, 0.98}, {0.98, 0.07}}};
    const double size = 1.0 / l->squares;
    const size_t row = t / 2 / l->squares;
    const double at[2] = {(double)(t / 2 % l->squares), (double)row};
    for (size_t k = 0; k < 3; k++)
        for (size_t a = 0; a < 2; a++) uv[k][a] = size * (at[a] + CORNER[t % 2][k][a]);
}

static void corners_of(const layout *l, size_t t, double corner[3][3])
{
    for (size_t k = 0; k < 3; k++) {
        const float *v = l->mesh->vertex + 3 * (size_t)l->mesh->triangle[3 * t + k];
        for (size_t a = 0; a < 3; a++) corner[k][a] = (double)l->solid->def.scale * (double)v[a];
    }
}

/* m^2, and the unit normal into the fluid. */
static double area_of(const layout *l, const double c[3][3], double normal[3])
{
    double e[2][3];
    rni_sub3(c[1], c[0], e[0]);
    rni_sub3(c[2], c[0], e[1]);
    rni_cross3(e[0], e[1], normal);
    const double twice = sqrt(rni_dot3(normal, normal)), sign = l->solid->is_hollow ? -1 : 1;
    for (int a = 0; a < 3; a++) normal[a] = twice > 0 ? sign * normal[a] / twice : 0;
    return 0.5 * twice;
}

static double spread_of(const double uv[3][2])
{
    return 0.5 * fabs((uv[1][0] - uv[0][0]) * (uv[2][1] - uv[0][1]) -
                      (uv[2][0] - uv[0][0]) * (uv[1][1] - uv[0][1]));
}

/* So many texels that they are TEXEL spacings wide on average. */
static uint32_t choose_side(const layout *l, float spacing)
{
    double area = 0, spread = 0;
    for (size_t t = 0; t < l->mesh->triangle_count; t++) {
        double uv[3][2], corner[3][3], normal[3];
        coordinates_of(l, t, uv);
        corners_of(l, t, corner);
        area += area_of(l, (const double(*)[3])corner, normal);
        spread += spread_of((const double(*)[2])uv);
    }
    const double wanted = spread > 0 ? sqrt(area / spread) / ((double)TEXEL * (double)spacing) : 0;
    uint32_t side = LEAST_SIDE;
    while (side < wanted && side < MOST_SIDE) side *= 2;
    /* Each half of a square has some texels. */
    while (l->is_own && side < 4 * l->squares && side < MOST_SIDE) side *= 2;
    return side;
}

/* --- texels ---------------------------------------------------------------------------------------- */

/* Barycentric weights of a place in the texture; false: it is outside the triangle. */
static bool weights_at(const double uv[3][2], double u, double v, double weight[3])
{
    const double d = (uv[1][0] - uv[0][0]) * (uv[2][1] - uv[0][1]) -
                     (uv[2][0] - uv[0][0]) * (uv[1][1] - uv[0][1]);
    if (!(fabs(d) > 1e-20)) return false;
    weight[1] = ((u - uv[0][0]) * (uv[2][1] - uv[0][1]) - (uv[2][0] - uv[0][0]) * (v - uv[0][1])) / d;
    weight[2] = ((uv[1][0] - uv[0][0]) * (v - uv[0][1]) - (u - uv[0][0]) * (uv[1][1] - uv[0][1])) / d;
    weight[0] = 1 - weight[1] - weight[2];
    return weight[0] >= -1e-9 && weight[1] >= -1e-9 && weight[2] >= -1e-9;
}

/* The texel that a place of the texture, perhaps repeated, is in. */
static uint32_t image_at(uint32_t side, int64_t i, int64_t j)
{
    const int64_t n = side;
    return (uint32_t)(((j % n + n) % n) * n + (i % n + n) % n);
}

/* Texels of one triangle; `texel` NULL: they are only counted. Returns how many. */
static uint32_t lay_triangle(layout *l, size_t t, rni_texel *texel)
{
    const uint32_t side = l->film->side;
    double uv[3][2], corner[3][3], normal[3], low[2], high[2], weight[3];
    uint32_t count = 0;
    coordinates_of(l, t, uv);
    corners_of(l, t, corner);
    const double area = area_of(l, (const double(*)[3])corner, normal);
    for (int a = 0; a < 2; a++) {
        low[a] = side * fmin(uv[0][a], fmin(uv[1][a], uv[2][a])) - 0.5;
        high[a] = side * fmax(uv[0][a], fmax(uv[1][a], uv[2][a])) - 0.5;
        if (!(high[a] - low[a] <= side)) high[a] = low[a] + side; /* not twice around */
        if (!(fabs(low[a]) < 1e9)) return 0;
    }
    for (int64_t j = (int64_t)ceil(low[1]); j <= (int64_t)floor(high[1]); j++)
        for (int64_t i = (int64_t)ceil(low[0]); i <= (int64_t)floor(high[0]); i++) {
            const uint32_t image = image_at(side, i, j);
            if (l->is_taken[image] || !weights_at((const double(*)[2])uv, ((double)i + 0.5) / side,
                                                  ((double)j + 0.5) / side, weight))
                continue;
            l->is_taken[image] = 1;
            if (texel) {
                texel[count].image = image;
                for (int a = 0; a < 3; a++) {
                    texel[count].place[a] =
                        (float)(weight[0] * corner[0][a] + weight[1] * corner[1][a] +
                                weight[2] * corner[2][a]);
                    texel[count].normal[a] = (float)normal[a];
                }
            }
            count++;
        }
    for (uint32_t k = 0; k < count && texel; k++) texel[k].area = (float)(area / count);
    if (count == 0) l->lost += area;
    return count;
}

/* All texels; the share of the area that lies under none. */
static rn_result lay_texels(layout *l, rni_memory *memory, float spacing, double *lost)
{
    rni_film *film = l->film;
    double area = 0, corner[3][3], normal[3];
    uint32_t used = 0;
    l->squares = (uint32_t)ceil(sqrt(0.5 * l->mesh->triangle_count));
    film->side = choose_side(l, spacing);
    const size_t bytes = (size_t)film->side * film->side;
    film->count = 0;
    l->lost = 0;
    l->is_taken = rni_memory_take(memory, bytes);
    if (!l->is_taken) return RN_ERROR_MEMORY;
    memset(l->is_taken, 0, bytes);
    for (size_t t = 0; t < l->mesh->triangle_count; t++) film->count += lay_triangle(l, t, NULL);
    memset(l->is_taken, 0, bytes);
    rn_result result =
        rni_buffer_need(memory, &film->texel_buffer, film->count + 1u, sizeof *film->texel);
    film->texel = film->texel_buffer.data;
    l->lost = 0;
    for (size_t t = 0; t < l->mesh->triangle_count && result == RN_OK; t++) {
        used += lay_triangle(l, t, film->texel + used);
        corners_of(l, t, corner);
        area += area_of(l, (const double(*)[3])corner, normal);
    }
    *lost = area > 0 ? l->lost / area : 0;
    rni_memory_give(memory, l->is_taken, bytes);
    return result;
}

/* --- cells ----------------------------------------------------------------------------------------- */

/* Of a coordinate along an axis; those of the three axes are combined by exclusive or. */
static uint32_t hash_along(int axis, int32_t at)
{
    static const uint32_t FACTOR[3] = {73856093u, 19349669u, 83492791u};
    return (uint32_t)at * FACTOR[axis];
}

static uint32_t slot_of_hash(const rni_film *film, const int32_t at[3], uint32_t hash)
{
    uint32_t slot = (hash ^ hash >> 15) & film->cell_mask;
    for (;; slot = (slot + 1) & film->cell_mask) {
        const rni_film_cell *cell = &film->cell[slot];
        if (cell->end == 0 || memcmp(cell->at, at, sizeof cell->at) == 0) return slot;
    }
}

static uint32_t slot_of(const rni_film *film, const int32_t at[3])
{
    return slot_of_hash(film, at, hash_along(0, at[0]) ^ hash_along(1, at[1]) ^ hash_along(2, at[2]));
}

/* Bit of is_taken: there are TAKEN_MORE times as many as places of the table. */
#define TAKEN_MORE 4u

static uint32_t taken_bit(const rni_film *film, uint32_t hash)
{
    return (hash ^ hash >> 15) & (TAKEN_MORE * (film->cell_mask + 1) - 1);
}

void rni_film_cell_find(const rni_film *film, const float own[3], rni_film_near *near)
{
    int32_t at[3][2]; /* the cell of the place, and the next one that is within reach if any is */
    uint32_t hash[3][2];
    float off_sq[3][2]; /* from the place to the nearest of a cell, along an axis, in cells */
    for (int a = 0; a < 3; a++) {
        const float place = own[a] / film->cell_side, begin = floorf(place), in = place - begin;
        const bool is_upper = in >= 0.5f;
        const float off = is_upper ? 1 - in : in;
        at[a][0] = (int32_t)begin, at[a][1] = at[a][0] + (is_upper ? 1 : -1);
        off_sq[a][0] = 0, off_sq[a][1] = off * off;
        for (int k = 0; k < 2; k++) hash[a][k] = hash_along(a, at[a][k]);
    }
    near->count = 0;
    for (int c = 0; c < 8; c++) {
        const int x = c & 1, y = c >> 1 & 1, z = c >> 2;
        if (off_sq[0][x] + off_sq[1][y] + off_sq[2][z] > 0.25001f) continue;
        const uint32_t h = hash[0][x] ^ hash[1][y] ^ hash[2][z];
        const uint32_t bit = taken_bit(film, h);
        if (!(film->is_taken[bit / 64] >> bit % 64 & 1)) continue;
        const int32_t cell_at[3] = {at[0][x], at[1][y], at[2][z]};
        const rni_film_cell *cell = &film->cell[slot_of_hash(film, cell_at, h)];
        if (cell->end > 0) near->cell[near->count++] = cell;
    }
}

static void take_cells(rni_film *film)
{
    const uint32_t size = film->cell_mask + 1;
    memset(film->is_taken, 0, TAKEN_MORE * size / 8);
    for (uint32_t slot = 0; slot < size; slot++) {
        const int32_t *at = film->cell[slot].at;
        if (film->cell[slot].end == 0) continue;
        const uint32_t bit =
            taken_bit(film, hash_along(0, at[0]) ^ hash_along(1, at[1]) ^ hash_along(2, at[2]));
        film->is_taken[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static uint32_t slot_of_place(const rni_film *film, const float place[3])
{
    int32_t at[3];
    for (int a = 0; a < 3; a++) at[a] = (int32_t)floorf(place[a] / film->cell_side);
    const uint32_t slot = slot_of(film, at);
    memcpy(film->cell[slot].at, at, sizeof at);
    return slot;
}

/* A table for `count` cells, all free. */
static rn_result clear_cells(rni_film *film, rni_memory *memory, uint32_t count)
{
    uint32_t size = 64 / TAKEN_MORE;
    while (size < 2 * count) size *= 2;
    rni_buffer_free(memory, &film->cell_buffer);
    rn_result result = rni_buffer_need(memory, &film->cell_buffer, size, sizeof *film->cell);
    if (result == RN_OK)
        result = rni_buffer_need(memory, &film->taken_buffer, TAKEN_MORE * size / 64,
                                 sizeof *film->is_taken);
    if (result != RN_OK) return result;
    film->cell = film->cell_buffer.data;
    film->is_taken = film->taken_buffer.data;
    film->cell_mask = size - 1;
    memset(film->cell, 0, size * sizeof *film->cell);
    return RN_OK;
}

/* Enters the cells of all texels, with `end` the count of texels in each. Returns how many cells there are. */
static uint32_t count_texels(rni_film *film)
{
    uint32_t cells = 0;
    for (uint32_t k = 0; k < film->count; k++)
        cells += film->cell[slot_of_place(film, film->texel[k].place)].end++ == 0;
    return cells;
}

/* Places and normals as arrays. */
static void spread_places(rni_film *film)
{
    const size_t stride = rni_film_stride(film);
    memset(film->place, 0, 6 * stride * sizeof *film->place);
    for (uint32_t k = 0; k < film->count; k++)
        for (size_t a = 0; a < 3; a++) {
            film->place[a * stride + k] = film->texel[k].place[a];
            film->place[(3 + a) * stride + k] = film->texel[k].normal[a];
        }
}

/* From counts in `end` to begins and ends, in the order of the table. */
static void place_cells(rni_film *film)
{
    uint32_t next = 0;
    for (uint32_t slot = 0; slot <= film->cell_mask; slot++) {
        rni_film_cell *cell = &film->cell[slot];
        if (cell->end == 0) continue;
        cell->begin = next;
        next += cell->end;
        cell->end = next; /* above 0 */
    }
}

/* Texels in the order of their cells. */
static rn_result sort_into_cells(rni_film *film, rni_memory *memory)
{
    rni_buffer sorted_buffer = {0};
    rn_result result = clear_cells(film, memory, film->count);
    if (result == RN_OK) result = clear_cells(film, memory, count_texels(film)); /* far fewer */
    if (result == RN_OK)
        result = rni_buffer_need(memory, &film->place_buffer, 6 * rni_film_stride(film),
                                 sizeof *film->place);
    if (result == RN_OK)
        result = rni_buffer_need(memory, &sorted_buffer, film->count + 1u, sizeof *film->texel);
    if (result != RN_OK) return result;
    film->place = film->place_buffer.data;
    (void)count_texels(film);
    place_cells(film);
    rni_texel *sorted = sorted_buffer.data;
    for (uint32_t k = 0; k < film->count; k++) {
        rni_film_cell *cell = &film->cell[slot_of_place(film, film->texel[k].place)];
        sorted[cell->begin++] = film->texel[k];
    }
    uint32_t next = 0; /* begins have become ends */
    for (uint32_t slot = 0; slot <= film->cell_mask; slot++) {
        rni_film_cell *cell = &film->cell[slot];
        if (cell->end == 0) continue;
        cell->begin = next;
        next = cell->end;
    }
    take_cells(film);
    rni_buffer_free(memory, &film->texel_buffer);
    film->texel_buffer = sorted_buffer;
    film->texel = sorted;
    spread_places(film);
    return RN_OK;
}

rn_result rni_film_lay_out(rni_film *film, rni_memory *memory, const rni_solid *solid, float spacing)
{
    layout l = {.film = film, .solid = solid, .mesh = &solid->def.mesh->mesh};
    double lost = 1;
    rn_result result = RN_OK;
    film->reach = REACH * spacing;
    film->cell_side = 2 * film->reach;
    if (l.mesh->texture) result = lay_texels(&l, memory, spacing, &lost);
    if (result == RN_OK && lost > MOST_LOST) { /* none, or one whose parts lie on each other */
        l.is_own = true;
        result = lay_texels(&l, memory, spacing, &lost);
    }
    return result == RN_OK ? sort_into_cells(film, memory) : result;
}
