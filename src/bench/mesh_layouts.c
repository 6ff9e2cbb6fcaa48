#include "bench/mesh_layouts.h"

#include "base/error.h"
#include "base/pi.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static rn_result take(rni_mesh_layout *layout, uint32_t vertices, uint32_t triangles)
{
    *layout = (rni_mesh_layout){.mesh = rn_mesh_default()};
    layout->vertex = calloc((size_t)vertices * 3, sizeof(float));
    layout->triangle = calloc((size_t)triangles * 3, sizeof(uint32_t));
    if (!layout->vertex || !layout->triangle) {
        rni_mesh_layout_release(layout);
        return rni_fail(RN_ERROR_MEMORY, "there is no memory for a mesh of %u triangles", triangles);
    }
    layout->mesh.vertex = layout->vertex;
    layout->mesh.triangle = layout->triangle;
    layout->mesh.vertex_count = vertices;
    layout->mesh.triangle_count = triangles;
    return RN_OK;
}

void rni_mesh_layout_release(rni_mesh_layout *layout)
{
    free(layout->vertex);
    free(layout->triangle);
    *layout = (rni_mesh_layout){.mesh = rn_mesh_default()};
}

static void put_vertex(rni_mesh_layout *layout, uint32_t at, double x, double y, double z)
{
    layout->vertex[(size_t)3 * at] = (float)x;
    layout->vertex[(size_t)3 * at + 1] = (float)y;
    layout->vertex[(size_t)3 * at + 2] = (float)z;
}

static void put_triangle(rni_mesh_layout *layout, uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = layout->triangle + (size_t)3 * (*at)++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

/* The factor of half that is closest to wanted from below. */
static uint32_t factor_near(uint32_t half, double wanted)
{
    uint32_t factor = wanted > 3.0 ? (uint32_t)wanted : 3;
    for (uint32_t k = factor; k > factor / 2 && k >= 3; k--)
        if (half % k == 0) return k;
    return factor;
}

static rn_result make_torus(uint32_t triangles, rni_mesh_layout *layout)
{
    const uint32_t around = factor_near(triangles / 2, sqrt((double)triangles / 4.0));
    const uint32_t along = triangles / 2 / around < 3 ? 3 : triangles / 2 / around;
    rn_result result = take(layout, around * along, 2 * around * along);
    if (result != RN_OK) return result;
    uint32_t at = 0;
    for (uint32_t i = 0; i < along; i++)
        for (uint32_t j = 0; j < around; j++) {
            const double u = 2.0 * RNI_PI * i / along, v = 2.0 * RNI_PI * j / around;
            const double r = 0.35 * (1.0 + 0.15 * sin(14.0 * u) + 0.06 * sin(9.0 * v + 3.0 * u));
            const double ring = 1.0 + r * cos(v);
            put_vertex(layout, i * around + j, ring * cos(u), ring * sin(u), r * sin(v));
            const uint32_t i2 = (i + 1) % along, j2 = (j + 1) % around;
            const uint32_t a = i * around + j, b = i2 * around + j, c = i2 * around + j2;
            put_triangle(layout, &at, a, b, c);
            put_triangle(layout, &at, a, c, i * around + j2);
        }
    return RN_OK;
}

/* Rows of latitude between two poles. */
static rn_result make_sphere(uint32_t triangles, rni_random *random, rni_mesh_layout *layout)
{
    uint32_t rows = (uint32_t)(0.5 + sqrt((double)triangles) / 2.0);
    if (rows < 2) rows = 2;
    const uint32_t columns = 2 * rows, last = (rows - 1) * columns + 1;
    rn_result result = take(layout, last + 1, 2 * columns * (rows - 1));
    if (result != RN_OK) return result;
    uint32_t at = 0;
    for (uint32_t i = 0; i <= rows; i++)
        for (uint32_t j = 0; j < columns; j++) {
            const double theta = RNI_PI * i / rows, phi = 2.0 * RNI_PI * j / columns;
            const double r = random ? 0.5 + rni_random_unit(random) : 1.0;
            if ((i == 0 || i == rows) && j > 0) break;
            const uint32_t v = i == 0 ? 0 : (i == rows ? last : (i - 1) * columns + j + 1);
            put_vertex(layout, v, r * sin(theta) * cos(phi), r * sin(theta) * sin(phi),
                       r * cos(theta));
        }
    for (uint32_t j = 0; j < columns; j++) {
        const uint32_t j2 = (j + 1) % columns, bottom = (rows - 2) * columns + 1;
        put_triangle(layout, &at, 0, 1 + j, 1 + j2);
        put_triangle(layout, &at, last, bottom + j2, bottom + j);
        for (uint32_t i = 0; i + 2 < rows; i++) {
            const uint32_t upper = i * columns + 1, lower = upper + columns;
            put_triangle(layout, &at, upper + j, lower + j, lower + j2);
            put_triangle(layout, &at, upper + j, lower + j2, upper + j2);
        }
    }
    return RN_OK;
}

/* Sizes from 0.001 to 1 m; one triangle in sixteen is a line or a point, one is a duplicate. */
static rn_result make_soup(uint32_t triangles, rni_random *random, rni_mesh_layout *layout)
{
    rn_result result = take(layout, 3 * triangles, triangles);
    if (result != RN_OK) return result;
    uint32_t at = 0;
    for (uint32_t t = 0; t < triangles; t++) {
        const float size = (float)pow(10.0, -3.0 * rni_random_unit(random));
        float centre[3];
        for (int axis = 0; axis < 3; axis++) centre[axis] = rni_random_float(random, -1.0f, 1.0f);
        for (uint32_t k = 0; k < 3; k++) {
            float p[3];
            for (int axis = 0; axis < 3; axis++)
                p[axis] = centre[axis] + rni_random_float(random, -size, size);
            put_vertex(layout, 3 * t + k, (double)p[0], (double)p[1], (double)p[2]);
        }
        const uint32_t v = 3 * t, which = t % 16;
        if (which == 3) put_triangle(layout, &at, v, v + 1, v);
        else if (which == 7) put_triangle(layout, &at, v, v, v);
        else if (which == 11 && t > 16) put_triangle(layout, &at, v - 3, v - 2, v - 1);
        else put_triangle(layout, &at, v, v + 1, v + 2);
    }
    return RN_OK;
}

/* Rows of very different widths: the narrow ones are slivers. */
static rn_result make_plate(uint32_t triangles, rni_mesh_layout *layout)
{
    uint32_t side = (uint32_t)sqrt((double)triangles / 2.0);
    if (side < 2) side = 2;
    rn_result result = take(layout, (side + 1) * (side + 1), 2 * side * side);
    if (result != RN_OK) return result;
    uint32_t at = 0;
    for (uint32_t i = 0; i <= side; i++)
        for (uint32_t j = 0; j <= side; j++) {
            const double x = (double)i / side, y = (double)j / side;
            put_vertex(layout, i * (side + 1) + j, 2.0 * x * x * x - 1.0, 2.0 * y - 1.0, 0.0);
            if (i == side || j == side) continue;
            const uint32_t a = i * (side + 1) + j, b = a + side + 1;
            put_triangle(layout, &at, a, b, b + 1);
            put_triangle(layout, &at, a, b + 1, a + 1);
        }
    return RN_OK;
}

rn_result rni_mesh_layout_make(rni_mesh_kind kind, uint32_t triangles, uint64_t seed,
                               rni_mesh_layout *layout)
{
    rni_random random = rni_random_make(seed);
    if (triangles < 8) triangles = 8;
    switch (kind) {
    case RNI_MESH_SPHERE: return make_sphere(triangles, NULL, layout);
    case RNI_MESH_SPIKES: return make_sphere(triangles, &random, layout);
    case RNI_MESH_SOUP: return make_soup(triangles, &random, layout);
    case RNI_MESH_PLATE: return make_plate(triangles, layout);
    default: return make_torus(triangles, layout);
    }
}

void rni_mesh_points_near(const rni_mesh_layout *layout, double distance, uint64_t seed,
                          uint32_t count, float *position)
{
    rni_random random = rni_random_make(seed);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t t = rni_random_below(&random, layout->mesh.triangle_count);
        const uint32_t *corner = layout->triangle + (size_t)3 * t;
        double u = rni_random_unit(&random), v = rni_random_unit(&random);
        if (u + v > 1.0) u = 1.0 - u, v = 1.0 - v;
        for (size_t axis = 0; axis < 3; axis++) {
            const double a = (double)layout->vertex[(size_t)3 * corner[0] + axis];
            const double b = (double)layout->vertex[(size_t)3 * corner[1] + axis];
            const double c = (double)layout->vertex[(size_t)3 * corner[2] + axis];
            const double away = distance * (2.0 * rni_random_unit(&random) - 1.0);
            position[(size_t)3 * i + axis] = (float)(a + u * (b - a) + v * (c - a) + away);
        }
    }
}
