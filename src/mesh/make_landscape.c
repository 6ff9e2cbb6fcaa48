/* A landscape with a river bed: a sheet over the x-z plane, or a block with a flat base. */
#include "mesh/maker.h"
#include "mesh/net.h"

#include "base/pi.h"
#include "base/random.h"

#include <math.h>

#define WAVES 3

typedef struct landscape {
    double length, width, slope, bed_width, bed_depth, relief; /* m; slope: fall per metre */
    double base;                                               /* m: height of the base */
    double amplitude[WAVES], wave[WAVES], phase[WAVES];        /* bends of the river */
    uint64_t seed;
    uint32_t rows, columns;
} landscape;

/* --- height ------------------------------------------------------------------------------------ */

static double smooth_step(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

/* 0 .. 1 at the points of a lattice. */
static double lattice(uint64_t seed, int64_t i, int64_t j)
{
    rni_random random = rni_random_make(seed ^ (uint64_t)i * 0x9e3779b97f4a7c15u ^
                                        (uint64_t)j * 0xc2b2ae3d27d4eb4fu);
    return rni_random_unit(&random);
}

/* Smooth noise between 0 and 1, of octaves with half the size and half the height each. */
static double noise(uint64_t seed, double x, double z)
{
    double sum = 0, share = 0.5;
    for (uint64_t octave = 0; octave < 5; octave++, share *= 0.5) {
        const double fx = floor(x), fz = floor(z), sx = smooth_step(x - fx), sz = smooth_step(z - fz);
        const int64_t i = (int64_t)fx, j = (int64_t)fz;
        const double near =
            lattice(seed + octave, i, j) * (1 - sx) + lattice(seed + octave, i + 1, j) * sx;
        const double far =
            lattice(seed + octave, i, j + 1) * (1 - sx) + lattice(seed + octave, i + 1, j + 1) * sx;
        sum += share * (near * (1 - sz) + far * sz);
        x *= 2;
        z *= 2;
    }
    return sum / (1 - share * 2);
}

static double river_at(const landscape *l, double x)
{
    double z = 0.5 * l->width;
    for (int k = 0; k < WAVES; k++) z += l->amplitude[k] * sin(l->wave[k] * x + l->phase[k]);
    return z;
}

/* The distance to the river is measured across its course, so that the bed keeps its width in bends. */
static double height_at(const landscape *l, double x, double z)
{
    const double step = 1e-3 * l->length;
    const double rise = (river_at(l, x + step) - river_at(l, x - step)) / (2 * step);
    const double away = fabs(z - river_at(l, x)) / sqrt(1 + rise * rise);
    const double half = 0.5 * l->bed_width, across = away / half;
    const double hills = smooth_step((away - half) / (0.3 * l->width));
    const double size = 0.25 * l->width;
    const double rough = noise(l->seed, x / size, z / size);
    double height = l->slope * (l->length - x);
    height += l->bed_depth * (across < 1 ? across * across : 1);
    height += l->relief * hills * (0.25 + 0.75 * rough);
    return height + 0.06 * l->bed_depth * noise(l->seed + 99, 8 * x / size, 8 * z / size);
}

/* --- the mesh ---------------------------------------------------------------------------------- */

static void sheet_at(const void *user, uint32_t row, uint32_t column, double at[3])
{
    const landscape *l = user;
    at[0] = l->length * row / l->rows;
    at[2] = l->width * column / l->columns;
    at[1] = height_at(l, at[0], at[2]);
}

/* Vertex of the border of the sheet, k = 0, 1, 2, ...: around, counter-clockwise as seen from above. */
static uint32_t border_at(const landscape *l, uint32_t k)
{
    const uint32_t across = l->columns + 1;
    k %= 2 * (l->rows + l->columns);
    if (k < l->columns) return k; /* x = 0, z rises */
    if (k < l->columns + l->rows)
        return (k - l->columns) * across + l->columns; /* z high, x rises */
    if (k < 2 * l->columns + l->rows)
        return l->rows * across + l->columns - (k - l->columns - l->rows);
    return (l->rows - (k - 2 * l->columns - l->rows)) * across;
}

/* Sides and base. The texture of the sheet takes v up to 0.8, the sides 0.8 to 0.9, the base the rest. */
static rn_result add_block(rn_mesh_data *mesh, const landscape *l)
{
    const uint32_t around = 2 * (l->rows + l->columns), first = mesh->vertex_count;
    rn_result result = RN_OK;
    uint32_t number, middle;
    float *uv = rni_data_texture(mesh);
    for (size_t k = 1; k < (size_t)mesh->triangle_count * 6; k += 2) uv[k] *= 0.8f;
    for (uint32_t k = 0; k < around && result == RN_OK; k++) {
        const float *top = rni_data_vertex(mesh) + 3 * (size_t)border_at(l, k);
        result = rni_mesh_data_vertex(mesh, (double)top[0], l->base, (double)top[2], &number);
    }
    if (result == RN_OK)
        result = rni_mesh_data_vertex(mesh, 0.5 * l->length, l->base, 0.5 * l->width, &middle);
    for (uint32_t k = 0; k < around && result == RN_OK; k++) {
        const uint32_t next = first + (k + 1) % around;
        const uint32_t corner[4] = {first + k, next, border_at(l, k + 1), border_at(l, k)};
        const float begin = (float)k / (float)around, end = (float)(k + 1) / (float)around;
        const float rectangle[4] = {begin, 0.8f, end - begin, 0.1f};
        result = rni_quad_add(mesh, corner, rectangle);
        const uint32_t under[3] = {next, first + k, middle};
        const float under_uv[6] = {end, 0.9f, begin, 0.9f, 0.5f * (begin + end), 1};
        if (result == RN_OK) result = rn_mesh_data_add_triangles(mesh, under, under_uv, 1);
    }
    return result;
}

/* Rows and columns of about square quads; a block needs 6 triangles more for each row and column. */
static void choose_counts(landscape *l, uint32_t triangles, bool is_block)
{
    const double aspect = l->length / l->width;
    for (l->columns = (uint32_t)fmax(2, sqrt(0.5 * triangles / aspect)); l->columns > 2;
         l->columns--) {
        l->rows = (uint32_t)fmax(2, floor(l->columns * aspect));
        const uint64_t sheet = 2 * (uint64_t)l->rows * l->columns;
        if (sheet + (is_block ? 6 * ((uint64_t)l->rows + l->columns) : 0) <= triangles) return;
    }
    l->rows = 2;
}

static rn_result make_landscape(rni_making *making)
{
    const double *v = making->value;
    landscape l = {.length = v[0],
                   .width = v[1],
                   .slope = v[2],
                   .bed_width = v[3],
                   .bed_depth = v[4],
                   .relief = v[5],
                   .base = -v[7],
                   .seed = making->seed};
    const bool is_block = v[6] > 0.5;
    rni_random random = rni_random_make(making->seed);
    for (int k = 0; k < WAVES; k++) {
        l.amplitude[k] = l.width * (k == 0 ? 0.16 : 0.05) * (0.6 + 0.4 * rni_random_unit(&random));
        l.wave[k] = 2 * RNI_PI * (k + 0.8 + 0.5 * rni_random_unit(&random)) / l.length;
        l.phase[k] = 2 * RNI_PI * rni_random_unit(&random);
    }
    choose_counts(&l, making->triangles, is_block);
    const rni_net net = {.rows = l.rows, .columns = l.columns, .at = sheet_at, .user = &l};
    rn_result result = rni_net_add(making->mesh, &net);
    if (result != RN_OK) return result;
    /* Rows run along x and columns along z: quads as the net makes them look down. */
    for (size_t t = 0; t < making->mesh->triangle_count; t++) {
        uint32_t *c = rni_data_triangle(making->mesh) + 3 * t, corner = c[1];
        c[1] = c[2];
        c[2] = corner;
        for (size_t axis = 0; axis < 2; axis++) {
            float *uv = rni_data_texture(making->mesh) + 6 * t + 2 + axis, kept = uv[0];
            uv[0] = uv[2];
            uv[2] = kept;
        }
    }
    return is_block ? add_block(making->mesh, &l) : RN_OK;
}

static const rn_mesh_parameter parameters[] = {
    {"length", 4, 1e-2, 1e5, "along x, down the river, m"},
    {"width", 3, 1e-2, 1e5, "along z, m"},
    {"slope", 0.08, 0, 1, "fall of the river, m a metre"},
    {"bed_width", 0.5, 1e-3, 1e4, "m"},
    {"bed_depth", 0.15, 1e-4, 1e3, "m"},
    {"relief", 0.5, 0, 1e4, "height of the hills, m"},
    {"closed", 0, 0, 1, "1: a block with sides and a base; 0: an open sheet, looking up"},
    {"base", 0.2, 1e-3, 1e4, "of a block: how far it reaches below the lowest point of the bed, m"}};
const rni_maker rni_maker_landscape = {
    .info = {"landscape", "hills with a winding river bed that falls along x", 20000, 40, true,
             sizeof parameters / sizeof *parameters, parameters},
    .make = make_landscape,
    .keeps_orientation = true};
