/* The cases of marching cubes, made once from two rules.
 *
 * 1. On a face of the cube, each run of corners inside is cut off by one segment, from the edge where the run is
 *    entered to the edge where it is left. Corners at opposite ends of a face are two runs: inside is
 *    never joined across a face. Both cubes at a face follow the same rule, so the surface has no holes.
 * 2. Segments form loops; a loop becomes triangles by diagonals that lie in no face. A diagonal in a face could be
 *    a diagonal of the neighbouring cube too, and the edge would have four triangles.
 * Of all such triangulations the one with the shortest diagonals is taken. */
#include "surface/surface.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define MAX_LOOP 12u

/* The corners of an edge: the first has the axis bit 0. */
static uint32_t first_corner(uint32_t edge)
{
    uint32_t axis = edge / 4;
    uint32_t u = edge & 1u;
    uint32_t v = edge >> 1 & 1u;
    uint32_t low = axis == 0 ? 1u : 0u;
    uint32_t high = axis == 2 ? 1u : 2u;
    return u << low | v << high;
}

static uint32_t edge_between(uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < 12; e++) {
        uint32_t c = first_corner(e);
        uint32_t d = c | 1u << (e / 4);
        if ((c == a && d == b) || (c == b && d == a)) return e;
    }
    assert(false);
    return 0;
}

/* Whether two edges have a face in common. */
static bool share_face(uint32_t e, uint32_t f)
{
    uint32_t a = first_corner(e);
    uint32_t b = first_corner(f);
    for (uint32_t axis = 0; axis < 3; axis++)
        if (e / 4 != axis && f / 4 != axis && ((a ^ b) >> axis & 1u) == 0) return true;
    return false;
}

static float length_between(uint32_t e, uint32_t f)
{
    float sum = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        float p = e / 4 == axis ? 0.5f : (float)(first_corner(e) >> axis & 1u);
        float q = f / 4 == axis ? 0.5f : (float)(first_corner(f) >> axis & 1u);
        sum += (p - q) * (p - q);
    }
    return sqrtf(sum);
}

/* next[e]: the edge to which the segment from edge e leads; 12: the surface does not cross e. */
static void trace_faces(uint32_t inside, uint8_t next[12])
{
    memset(next, 12, 12);
    for (uint32_t face = 0; face < 6; face++) {
        uint32_t axis = face / 2;
        uint32_t u = 1u << (axis + 1) % 3;
        uint32_t v = 1u << (axis + 2) % 3;
        uint32_t base = face % 2 ? 1u << axis : 0;
        /* Counter-clockwise as seen from outside. */
        uint32_t corner[4] = {base, base | u, base | u | v, base | v};
        if (face % 2 == 0) {
            corner[1] = base | v;
            corner[3] = base | u;
        }
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t before = corner[(k + 3) % 4];
            if (!(inside >> corner[k] & 1u) || inside >> before & 1u) continue;
            uint32_t last = k;
            while (inside >> corner[(last + 1) % 4] & 1u) last = (last + 1) % 4;
            uint32_t entered = edge_between(before, corner[k]);
            uint32_t left = edge_between(corner[last], corner[(last + 1) % 4]);
            next[entered] = (uint8_t)left;
        }
    }
}

/* Cheapest triangulation of loop[i .. j] by dynamic programming; cost[i][j], via[i][j]. */
static void plan_loop(const uint8_t *loop, uint32_t length, float cost[MAX_LOOP][MAX_LOOP],
                      uint8_t via[MAX_LOOP][MAX_LOOP])
{
    for (uint32_t span = 1; span < length; span++)
        for (uint32_t i = 0; i + span < length; i++) {
            uint32_t j = i + span;
            cost[i][j] = span == 1 ? 0 : INFINITY;
            for (uint32_t m = i + 1; m < j; m++) {
                float sum = cost[i][m] + cost[m][j];
                if (sum < cost[i][j]) {
                    cost[i][j] = sum;
                    via[i][j] = (uint8_t)m;
                }
            }
            bool is_side = span == 1 || span == length - 1;
            if (is_side) continue;
            cost[i][j] += share_face(loop[i], loop[j]) ? INFINITY : length_between(loop[i], loop[j]);
        }
}

static void cut_loop(const uint8_t *loop, uint32_t i, uint32_t j, uint8_t via[MAX_LOOP][MAX_LOOP],
                     uint8_t *edges, uint32_t *count)
{
    if (j < i + 2) return;
    uint32_t m = via[i][j];
    cut_loop(loop, i, m, via, edges, count);
    edges[3 * *count] = loop[i];
    edges[3 * *count + 1] = loop[m];
    edges[3 * *count + 2] = loop[j];
    ++*count;
    cut_loop(loop, m, j, via, edges, count);
}

static void make_case(uint32_t inside, rni_cube_table *table)
{
    uint8_t next[12];
    trace_faces(inside, next);
    uint32_t count = 0;
    for (uint32_t e = 0; e < 12; e++) {
        uint8_t loop[MAX_LOOP];
        uint32_t length = 0;
        for (uint32_t at = e; next[at] < 12; length++) {
            loop[length] = (uint8_t)at;
            uint32_t to = next[at];
            next[at] = 12;
            at = to;
        }
        if (length == 0) continue;
        float cost[MAX_LOOP][MAX_LOOP];
        uint8_t via[MAX_LOOP][MAX_LOOP];
        plan_loop(loop, length, cost, via);
        assert(length >= 3 && isfinite(cost[0][length - 1]));
        cut_loop(loop, 0, length - 1, via, table->edge[inside], &count);
    }
    table->triangle_count[inside] = (uint8_t)count;
    for (uint32_t n = 0; n < 3 * count; n++) {
        const uint32_t edge = table->edge[inside][n], corner = first_corner(edge);
        table->place[inside][n] =
            (uint16_t)(edge / 4 * RNI_EDGE_POINTS + (corner & 1u) +
                       (corner >> 1 & 1u) * RNI_EDGE_ROW + (corner >> 2) * RNI_EDGE_LAYER);
    }
}

const rni_cube_table *rni_cube_table_get(void)
{
    static rni_cube_table table;
    static atomic_flag is_busy = ATOMIC_FLAG_INIT;
    static atomic_bool is_made;
    if (atomic_load_explicit(&is_made, memory_order_acquire)) return &table;
    while (atomic_flag_test_and_set_explicit(&is_busy, memory_order_acquire)) rni_pause();
    if (!atomic_load_explicit(&is_made, memory_order_relaxed)) {
        for (uint32_t inside = 0; inside < 256; inside++) make_case(inside, &table);
        atomic_store_explicit(&is_made, true, memory_order_release);
    }
    atomic_flag_clear_explicit(&is_busy, memory_order_release);
    return &table;
}
