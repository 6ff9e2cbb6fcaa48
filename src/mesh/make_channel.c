/* The water toy as one solid: a table of rectangles, each with a height of its own, that may rise along x. Where
 * rectangles of different heights meet stands a vertical wall. It is the scene water-channel without its ball and tap, with
 * square posts. */
#include "mesh/maker.h"

#include "base/error.h"

#include <math.h>

#define LINES_MAX 24u

/* A rectangle: later ones replace earlier ones. Height at its low and at its high x, m. */
typedef struct tile {
    double x0, x1, z0, z1, low, high;
} tile;

static const tile TILES[] = {
    {0.02, 1.00, 0.02, 0.06, 0.56, 0.56},     /* back wall */
    {0.02, 0.06, 0.06, 0.50, 0.56, 0.56},     /* left wall */
    {0.96, 1.00, 0.06, 0.50, 0.48, 0.48},     /* right wall */
    {0.06, 0.78, 0.06, 0.24, 0.36, 0.32},     /* first channel, falling */
    {0.78, 0.96, 0.06, 0.46, 0.31, 0.31},     /* bend */
    {0.06, 0.78, 0.24, 0.28, 0.47, 0.47},     /* wall between the channels */
    {0.24, 0.78, 0.28, 0.46, 0.26, 0.30},     /* second channel, falling the other way */
    {0.06, 0.24, 0.28, 0.50, 0.25, 0.25},     /* floor above the fall */
    {0.24, 0.96, 0.46, 0.50, 0.42, 0.42},     /* wall above the pool */
    {0.06, 0.96, 0.50, 0.78, 0.04, 0.04},     /* pool */
    {0.02, 0.06, 0.50, 0.82, 0.38, 0.38},     /* left wall of the pool */
    {0.96, 1.00, 0.50, 0.82, 0.23, 0.23},     /* right wall of the pool */
    {0.06, 0.96, 0.78, 0.82, 0.23, 0.23},     /* front wall of the pool */
    {0.435, 0.465, 0.06, 0.24, 0.365, 0.365}, /* weir */
    {0.638, 0.682, 0.318, 0.362, 0.42, 0.42}, /* first post */
    {0.498, 0.542, 0.383, 0.427, 0.41, 0.41}, /* second post */
};
#define TILE_COUNT (sizeof TILES / sizeof *TILES)

typedef struct toy {
    double x[LINES_MAX], z[LINES_MAX]; /* lines of the grid, ascending */
    uint32_t x_count, z_count;
    const tile *cell[LINES_MAX][LINES_MAX];
    /* Heights at each node, ascending: the table, then the tiles around; and their vertices. */
    double height[LINES_MAX][LINES_MAX][5];
    uint32_t vertex[LINES_MAX][LINES_MAX][5];
    uint32_t height_count[LINES_MAX][LINES_MAX];
    double scale;
    rn_mesh_data *mesh;
} toy;

/* --- the grid ---------------------------------------------------------------------------------- */

static void add_line(double *lines, uint32_t *count, double at)
{
    uint32_t k = 0;
    while (k < *count && lines[k] < at - 1e-9) k++;
    if (k < *count && lines[k] < at + 1e-9) return;
    for (uint32_t n = *count; n > k; n--) lines[n] = lines[n - 1];
    lines[k] = at;
    ++*count;
}

static double height_of(const tile *t, double x)
{
    return t ? t->low + (t->high - t->low) * (x - t->x0) / (t->x1 - t->x0) : 0;
}

static void make_grid(toy *y)
{
    for (size_t k = 0; k < TILE_COUNT; k++) {
        add_line(y->x, &y->x_count, TILES[k].x0);
        add_line(y->x, &y->x_count, TILES[k].x1);
        add_line(y->z, &y->z_count, TILES[k].z0);
        add_line(y->z, &y->z_count, TILES[k].z1);
    }
    for (uint32_t i = 0; i + 1 < y->x_count; i++)
        for (uint32_t j = 0; j + 1 < y->z_count; j++) {
            const double x = 0.5 * (y->x[i] + y->x[i + 1]), z = 0.5 * (y->z[j] + y->z[j + 1]);
            for (size_t k = 0; k < TILE_COUNT; k++)
                if (TILES[k].x0 < x && x < TILES[k].x1 && TILES[k].z0 < z && z < TILES[k].z1)
                    y->cell[i][j] = &TILES[k];
        }
}

/* The cell at (i, j), or NULL outside of the table. */
static const tile *cell_at(const toy *y, uint32_t i, uint32_t j)
{
    return i < y->x_count - 1 && j < y->z_count - 1 ? y->cell[i][j]
                                                    : NULL; /* also for -1, which wraps */
}

static void add_height(toy *y, uint32_t i, uint32_t j, double height)
{
    add_line(y->height[i][j], &y->height_count[i][j], height);
}

static rn_result add_nodes(toy *y)
{
    for (uint32_t i = 0; i < y->x_count; i++)
        for (uint32_t j = 0; j < y->z_count; j++) {
            add_height(y, i, j, 0);
            for (uint32_t k = 0; k < 4; k++) {
                const tile *t = cell_at(y, i - (k & 1), j - (k >> 1));
                if (t) add_height(y, i, j, height_of(t, y->x[i]));
            }
            for (uint32_t k = 0; k < y->height_count[i][j]; k++) {
                rn_result result =
                    rni_mesh_data_vertex(y->mesh, y->scale * y->x[i], y->scale * y->height[i][j][k],
                                         y->scale * y->z[j], &y->vertex[i][j][k]);
                if (result != RN_OK) return result;
            }
        }
    return RN_OK;
}

/* Place of a height in the list of a node. */
static uint32_t place_of(const toy *y, uint32_t i, uint32_t j, double height)
{
    uint32_t k = 0;
    while (fabs(y->height[i][j][k] - height) > 1e-9) k++;
    return k;
}

static uint32_t vertex_at(const toy *y, uint32_t i, uint32_t j, double height)
{
    return y->vertex[i][j][place_of(y, i, j, height)];
}

/* --- faces ------------------------------------------------------------------------------------- */

static rn_result add_floor(toy *y, uint32_t i, uint32_t j, const tile *t)
{
    const uint32_t corner[4][2] = {{i, j}, {i, j + 1}, {i + 1, j + 1}, {i + 1, j}};
    uint32_t up[4], down[4];
    for (int k = 0; k < 4; k++) {
        const uint32_t a = corner[k][0], b = corner[k][1];
        up[k] = vertex_at(y, a, b, height_of(t, y->x[a]));
        down[3 - k] = vertex_at(y, a, b, 0);
    }
    const uint32_t triangles[12] = {up[0],   up[1],   up[2],   up[0],   up[2],   up[3],
                                    down[0], down[1], down[2], down[0], down[2], down[3]};
    return rn_mesh_data_add_triangles(y->mesh, triangles, NULL, 4);
}

/* The wall between a cell and its lower neighbour, over the edge from node p to node q; seen from the neighbour, q
 * is to the right of p. Triangles zigzag upwards between the heights of both nodes. */
static rn_result add_wall(toy *y, const uint32_t p[2], const uint32_t q[2], const tile *high,
                          const tile *low)
{
    uint32_t a = place_of(y, p[0], p[1], height_of(low, y->x[p[0]]));
    uint32_t b = place_of(y, q[0], q[1], height_of(low, y->x[q[0]]));
    const uint32_t a_end = place_of(y, p[0], p[1], height_of(high, y->x[p[0]]));
    const uint32_t b_end = place_of(y, q[0], q[1], height_of(high, y->x[q[0]]));
    const uint32_t *left = y->vertex[p[0]][p[1]], *right = y->vertex[q[0]][q[1]];
    while (a < a_end || b < b_end) {
        const bool is_left =
            b == b_end || (a < a_end && y->height[p[0]][p[1]][a + 1] < y->height[q[0]][q[1]][b + 1]);
        const uint32_t corner[3] = {left[a], right[b], is_left ? left[a + 1] : right[b + 1]};
        rn_result result = rn_mesh_data_add_triangles(y->mesh, corner, NULL, 1);
        if (result != RN_OK) return result;
        if (is_left) a++;
        else b++;
    }
    return RN_OK;
}

/* The walls around a cell towards lower neighbours. */
static rn_result add_walls(toy *y, uint32_t i, uint32_t j, const tile *t)
{
    const struct {
        uint32_t i, j, p[2], q[2];
    } SIDES[4] = {{i, j - 1, {i + 1, j}, {i, j}},
                  {i, j + 1, {i, j + 1}, {i + 1, j + 1}},
                  {i - 1, j, {i, j}, {i, j + 1}},
                  {i + 1, j, {i + 1, j + 1}, {i + 1, j}}};
    for (int k = 0; k < 4; k++) {
        const tile *other = cell_at(y, SIDES[k].i, SIDES[k].j);
        const double xp = y->x[SIDES[k].p[0]], xq = y->x[SIDES[k].q[0]];
        if (height_of(t, xp) + height_of(t, xq) <= height_of(other, xp) + height_of(other, xq) + 1e-9)
            continue;
        rn_result result = add_wall(y, SIDES[k].p, SIDES[k].q, t, other);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result make_channel(rni_making *making)
{
    rni_buffer memory = {0};
    rn_result result = rni_buffer_need(&making->mesh->memory, &memory, 1, sizeof(toy));
    if (result != RN_OK) return result;
    toy *y = memory.data;
    *y = (toy){.scale = making->value[0], .mesh = making->mesh};
    make_grid(y);
    result = add_nodes(y);
    for (uint32_t i = 0; i + 1 < y->x_count && result == RN_OK; i++)
        for (uint32_t j = 0; j + 1 < y->z_count && result == RN_OK; j++) {
            result = add_floor(y, i, j, y->cell[i][j]);
            if (result == RN_OK) result = add_walls(y, i, j, y->cell[i][j]);
        }
    rni_buffer_free(&making->mesh->memory, &memory);
    return result;
}

static const rn_mesh_parameter parameters[] = {{"scale", 1, 1e-3, 1e3, "size; 1: one metre long"}};
const rni_maker rni_maker_channel = {
    .info = {"channel",
             "the water toy: a winding channel with a weir and two posts, falling into a pool",
             4000, 1400, false, 1, parameters},
    .make = make_channel};
