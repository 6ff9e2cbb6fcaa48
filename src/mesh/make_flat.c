/* Shapes with flat faces, and the sphere: box, trough, sphere. */
#include "mesh/maker.h"

#include <math.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

/* --- box --------------------------------------------------------------------------------------- */

static rn_result make_box(rni_making *making)
{
    static const uint32_t FACES[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    rn_result result = RN_OK;
    for (uint32_t v = 0; v < 8 && result == RN_OK; v++) {
        uint32_t number;
        result = rni_mesh_data_vertex(making->mesh, v & 1 ? making->value[0] : 0,
                                      v & 2 ? making->value[1] : 0, v & 4 ? making->value[2] : 0,
                                      &number);
    }
    for (uint32_t f = 0; f < 6 && result == RN_OK; f++) {
        const uint32_t row = f / 3;
        const float rectangle[4] = {(float)(f % 3) / 3, (float)row / 2, 0.32f, 0.49f};
        result = rni_quad_add(making->mesh, FACES[f], rectangle);
    }
    return result;
}

static const rn_mesh_parameter box_parameters[] = {{"x", 0.2, 1e-4, 1e4, "size along x, m"},
                                                   {"y", 0.2, 1e-4, 1e4, "size along y, m"},
                                                   {"z", 0.2, 1e-4, 1e4, "size along z, m"}};
const rni_maker rni_maker_box = {.info = {"box", "a box from the origin", 12, 12, false,
                                          COUNT_OF(box_parameters), box_parameters},
                                 .make = make_box};

/* --- trough ------------------------------------------------------------------------------------ */

/* Four corners of a rectangle at a height. */
static rn_result add_ring(rn_mesh_data *mesh, double x0, double x1, double half_width, double y)
{
    uint32_t number;
    rn_result result = rni_mesh_data_vertex(mesh, x0, y, half_width, &number);
    if (result == RN_OK) result = rni_mesh_data_vertex(mesh, x1, y, half_width, &number);
    if (result == RN_OK) result = rni_mesh_data_vertex(mesh, x1, y, -half_width, &number);
    if (result == RN_OK) result = rni_mesh_data_vertex(mesh, x0, y, -half_width, &number);
    return result;
}

static rn_result make_trough(rni_making *making)
{
    const double length = making->value[0], bottom = making->value[1] / 2, top = making->value[2] / 2;
    const double depth = making->value[3], wall = making->value[4];
    rn_mesh_data *mesh = making->mesh;
    /* Outside, the sides have the same slope as inside. */
    const double slope = (top - bottom) / depth, across = wall * sqrt(1 + slope * slope);
    const double foot = bottom + across - slope * wall;
    rn_result result = add_ring(mesh, -wall, length + wall, foot, -wall);
    if (result == RN_OK) result = add_ring(mesh, -wall, length + wall, top + across, depth);
    if (result == RN_OK) result = add_ring(mesh, 0, length, top, depth);
    if (result == RN_OK) result = add_ring(mesh, 0, length, bottom, 0);
    uint32_t tile = 0;
    for (uint32_t ring = 0; ring < 3 && result == RN_OK; ring++)
        for (uint32_t k = 0; k < 4 && result == RN_OK; k++, tile++) {
            const uint32_t n = (k + 1) % 4, low = 4 * ring, high = low + 4;
            const uint32_t corner[4] = {low + k, low + n, high + n, high + k};
            const uint32_t row = tile / 4;
            const float rectangle[4] = {(float)(tile % 4) / 4, (float)row / 4, 0.24f, 0.24f};
            result = rni_quad_add(mesh, corner, rectangle);
        }
    const uint32_t floor_inside[4] = {12, 13, 14, 15}, floor_outside[4] = {3, 2, 1, 0};
    const float inside[4] = {0, 0.75f, 0.49f, 0.24f}, outside[4] = {0.5f, 0.75f, 0.49f, 0.24f};
    if (result == RN_OK) result = rni_quad_add(mesh, floor_inside, inside);
    return result == RN_OK ? rni_quad_add(mesh, floor_outside, outside) : result;
}

static const rn_mesh_parameter trough_parameters[] = {
    {"length", 0.6, 1e-3, 1e3, "along x, inside, m"},
    {"bottom", 0.15, 1e-3, 1e3, "width of the floor along z, inside, m"},
    {"top", 0.25, 1e-3, 1e3, "width of the opening along z, inside, m"},
    {"depth", 0.15, 1e-3, 1e3, "m; the floor inside is y = 0"},
    {"wall", 0.02, 1e-4, 1e2, "thickness, m"}};
const rni_maker rni_maker_trough = {
    .info = {"trough", "a vessel with a flat floor and sloping sides, open at the top", 28, 28,
             false, COUNT_OF(trough_parameters), trough_parameters},
    .make = make_trough};

/* --- sphere ------------------------------------------------------------------------------------ */

/* Appends a face of the icosahedron as parts^2 triangles, with vertices of its own. */
static rn_result add_face(rn_mesh_data *mesh, double p[3][3], uint32_t parts, uint32_t face)
{
    const uint32_t first = mesh->vertex_count;
    const uint32_t strip = face / 5;
    const float u0 = (float)(face % 5) / 5, v0 = (float)strip / 4;
    rn_result result = RN_OK;
    for (uint32_t i = 0; i <= parts; i++)
        for (uint32_t j = 0; j + i <= parts && result == RN_OK; j++) {
            const double b = (double)i / parts, c = (double)j / parts, a = 1 - b - c;
            uint32_t number;
            result = rni_mesh_data_vertex(mesh, a * p[0][0] + b * p[1][0] + c * p[2][0],
                                          a * p[0][1] + b * p[1][1] + c * p[2][1],
                                          a * p[0][2] + b * p[1][2] + c * p[2][2], &number);
        }
    for (uint32_t i = 0, row = first; i < parts; row += parts - i + 1, i++)
        for (uint32_t j = 0; j + i < parts && result == RN_OK; j++) {
            const uint32_t below = row + parts - i + 1; /* where row i + 1 begins */
            const uint32_t corner[6] = {row + j,     below + j, row + j + 1,
                                        row + j + 1, below + j, below + j + 1};
            const uint32_t at[6][2] = {{i, j},     {i + 1, j}, {i, j + 1},
                                       {i, j + 1}, {i + 1, j}, {i + 1, j + 1}};
            float uv[12];
            for (int k = 0; k < 6; k++) {
                uv[2 * k] = u0 + 0.19f * (float)at[k][0] / (float)parts;
                uv[2 * k + 1] = v0 + 0.24f * (float)at[k][1] / (float)parts;
            }
            result = rn_mesh_data_add_triangles(mesh, corner, uv, j + i + 1 < parts ? 2 : 1);
        }
    return result;
}

static rn_result make_sphere(rni_making *making)
{
    static const int FACES[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double golden = 0.5 * (1 + sqrt(5));
    const double corner[12][3] = {{-1, golden, 0},  {1, golden, 0},   {-1, -golden, 0},
                                  {1, -golden, 0},  {0, -1, golden},  {0, 1, golden},
                                  {0, -1, -golden}, {0, 1, -golden},  {golden, 0, -1},
                                  {golden, 0, 1},   {-golden, 0, -1}, {-golden, 0, 1}};
    const uint32_t parts = (uint32_t)sqrt(making->triangles / 20.0);
    rn_result result = RN_OK;
    for (uint32_t f = 0; f < 20 && result == RN_OK; f++) {
        double p[3][3];
        for (int k = 0; k < 9; k++) p[k / 3][k % 3] = corner[FACES[f][k / 3]][k % 3];
        result = add_face(making->mesh, p, parts, f);
    }
    if (result != RN_OK) return result;
    /* Faces meet in vertices that are equal up to rounding. */
    rn_mesh_repair_def def = rn_mesh_repair_def_default();
    def.weld_tolerance = 0.01 / parts;
    def.allocator = making->mesh->memory.allocator;
    return rn_mesh_repair(making->mesh, &def, NULL);
}

static void finish_sphere(rni_making *making)
{
    float *vertex = rni_data_vertex(making->mesh);
    for (size_t v = 0; v < making->mesh->vertex_count; v++) {
        const double x = (double)vertex[3 * v], y = (double)vertex[3 * v + 1],
                     z = (double)vertex[3 * v + 2];
        const double scale = making->value[0] / sqrt(x * x + y * y + z * z);
        vertex[3 * v] = (float)(x * scale);
        vertex[3 * v + 1] = (float)(y * scale);
        vertex[3 * v + 2] = (float)(z * scale);
    }
}

static const rn_mesh_parameter sphere_parameters[] = {{"radius", 0.1, 1e-4, 1e4, "m"}};
const rni_maker rni_maker_sphere = {.info = {"sphere", "a sphere about the origin", 1280, 20, false,
                                             COUNT_OF(sphere_parameters), sphere_parameters},
                                    .make = make_sphere,
                                    .finish = finish_sphere};
