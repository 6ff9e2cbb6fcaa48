/* Where the surface meets walls: which vertices may move, and along what. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define PIECE 4096u

/* Normals of the walls at x, at most three; 0: they cannot be told apart. */
static uint32_t find_normals(const rn_surface *s, const float x[3], float normal[3][3])
{
    float step = fmaxf(s->grid.step[0], fmaxf(s->grid.step[1], s->grid.step[2]));
    float width = 0.02f * step;
    float here[RN_SURFACE_MAX_WALLS + 6], there[3][RN_SURFACE_MAX_WALLS + 6];
    uint32_t count = rni_surface_walls_near(&s->points, x, 2 * step, here);
    uint32_t found = 0;
    for (uint32_t k = 0; k < 3; k++) {
        float y[3] = {x[0], x[1], x[2]};
        y[k] += width;
        if (rni_surface_walls_near(&s->points, y, 2 * step, there[k]) != count) return 0;
    }
    for (uint32_t w = 0; w < count && found < 3; w++) {
        float length_sq = 0;
        if (fabsf(here[w]) > 0.5f * step) continue;
        for (uint32_t k = 0; k < 3; k++) {
            normal[found][k] = there[k][w] - here[w];
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
    if (count == 0) return RNI_AT_WALL;
    if (count > 2) return RNI_ON_WALL;
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
