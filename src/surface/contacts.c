/* Where the surface meets walls: which vertices may move, and along what. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define PIECE 4096u

/* Shares of the step that walls are looked for in. Where one wall comes into reach beside x, another reach is tried. */
static const float reaches[] = {2, 1.7f, 1.4f, 1.1f, 0.8f};

typedef struct near_walls {
    uint32_t count;
    float here[RN_SURFACE_MAX_WALLS + 6],
        there[3][RN_SURFACE_MAX_WALLS + 6]; /* m, at x and beside it */
} near_walls;

/* Whether the same walls are within reach at x and beside it. */
static bool find_walls(const rn_surface *s, const float x[3], float reach, float width,
                       near_walls *near)
{
    near->count = rni_surface_walls_near(&s->points, x, reach, near->here);
    for (uint32_t k = 0; k < 3; k++) {
        float y[3] = {x[0], x[1], x[2]};
        y[k] += width;
        if (rni_surface_walls_near(&s->points, y, reach, near->there[k]) != near->count)
            return false;
    }
    return true;
}

/* Normals of the walls at x, at most three; 0: they cannot be told apart. */
static uint32_t find_normals(const rn_surface *s, const float x[3], float normal[3][3])
{
    float step = fmaxf(s->grid.step[0], fmaxf(s->grid.step[1], s->grid.step[2]));
    near_walls near;
    uint32_t found = 0;
    bool is_found = false;
    for (uint32_t n = 0; n < sizeof reaches / sizeof *reaches && !is_found; n++)
        is_found = find_walls(s, x, reaches[n] * step, 0.02f * step, &near);
    if (!is_found) return 0;
    for (uint32_t w = 0; w < near.count && found < 3; w++) {
        float length_sq = 0;
        if (fabsf(near.here[w]) > 0.5f * step) continue;
        for (uint32_t k = 0; k < 3; k++) {
            normal[found][k] = near.there[k][w] - near.here[w];
            length_sq += normal[found][k] * normal[found][k];
        }
        if (!(length_sq > 0)) continue;
        for (uint32_t k = 0; k < 3; k++) normal[found][k] /= sqrtf(length_sq);
        found++;
    }
    return found;
}

static uint8_t kind_at_wall(const rn_surface *s, uint32_t v)
{
    float wall[3][3];
    const float *x = (const float *)s->vertex.data + 3 * (size_t)v;
    float *normal = (float *)s->normal.data + 3 * (size_t)v;
    uint32_t count = find_normals(s, x, wall);
    if (count == 0 || count > 2) return RNI_ON_WALL; /* it stays where it is */
    memcpy(normal, wall[0], sizeof wall[0]);
    if (count == 1) return RNI_AT_WALL;
    float length_sq = 0;
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t i = (k + 1) % 3;
        uint32_t j = (k + 2) % 3;
        normal[k] = wall[0][i] * wall[1][j] - wall[0][j] * wall[1][i];
        length_sq += normal[k] * normal[k];
    }
    if (length_sq < 0.01f) { /* two faces of the same direction */
        memcpy(normal, wall[0], sizeof wall[0]);
        return RNI_AT_WALL;
    }
    for (uint32_t k = 0; k < 3; k++) normal[k] /= sqrtf(length_sq);
    return RNI_AT_EDGE;
}

static void find_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_surface *s = data;
    (void)worker;
    const uint32_t *start = s->ring_start.data;
    const uint32_t *ring = s->ring.data;
    const uint8_t *on_wall = s->on_wall.data;
    uint8_t *kind = s->kind.data;
    uint32_t begin = piece * PIECE;
    uint32_t end = s->vertex_count - begin < PIECE ? s->vertex_count : begin + PIECE;
    for (uint32_t v = begin; v < end; v++) {
        uint32_t free_count = 0;
        for (uint32_t n = start[v]; n < start[v + 1]; n++) free_count += !on_wall[ring[n]];
        kind[v] = on_wall[v] ? RNI_ON_WALL : RNI_FREE;
        if (on_wall[v] && free_count > 0) kind[v] = kind_at_wall(s, v);
    }
}

void rni_surface_find_contacts(rn_surface *s)
{
    rni_crew_pieces(s->crew, rni_piece_count(s->vertex_count, PIECE), find_piece, s);
}
