/* The boundary field: the closed form against the law, quadrature, slopes and other triangles of the same
 * surface; the cached field against the sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/pi.h"
#include "base/random.h"
#include "mesh/field.h"
#include "mesh/field_builder.h"
#include "mesh/triangle.h"
#include "slowness.h"

#include <math.h>
#include <string.h>

/* In double; cmocka's own is float. */
static void assert_near(double found, double wanted, double error)
{
    if (!(fabs(found - wanted) <= error)) fail_msg("%.12g instead of %.12g", found, wanted);
}

#define SIDE      10.0 /* of the cube, in spacings */
#define MAX_QUADS 49u

static float vertices[6 * MAX_QUADS * 4][3];
static uint32_t indices[6 * MAX_QUADS * 2][3];
static rni_field_triangle triangles[6 * MAX_QUADS * 2];

/* A cube from 0 to SIDE whose faces are n x n squares. */
static rn_mesh cube_of(uint32_t n)
{
    rn_mesh mesh = rn_mesh_default();
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t k = 0; k < n * n; k++) {
            const uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            const uint32_t first = mesh.vertex_count;
            for (uint32_t c = 0; c < 4; c++) {
                float *x = vertices[mesh.vertex_count++];
                x[axis] = face % 2 ? (float)SIDE : 0.0f;
                x[u] = (float)(SIDE * (k % n + (c == 1 || c == 2)) / n);
                x[v] = (float)(SIDE * (k / n + (c >= 2)) / n);
            }
            const uint32_t turn = face % 2 ? 0 : 1;
            const uint32_t corner[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 2, 1}, {0, 3, 2}}};
            for (uint32_t t = 0; t < 2; t++, mesh.triangle_count++)
                for (uint32_t c = 0; c < 3; c++)
                    indices[mesh.triangle_count][c] = first + corner[turn][t][c];
        }
    mesh.vertex = vertices[0];
    mesh.triangle = indices[0];
    return mesh;
}

static uint32_t make_triangles(const rn_mesh *mesh, bool is_flipped)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        count += rni_field_triangle_make(&triangles[count], vertices[indices[t][0]],
                                         vertices[indices[t][1]], vertices[indices[t][2]], 1,
                                         is_flipped);
    return count;
}

/* Of the kind that walls have: steep at the wall, flat at the reach. */
static rni_field_law law_of_test(void)
{
    enum { COUNT = 65 };
    double target[COUNT], weight[COUNT];
    for (uint32_t k = 0; k < COUNT; k++) {
        const double r = (double)k / (COUNT - 1);
        target[k] = 1.8 * pow(1 - r, 6) + 0.1 * pow(1 - r, 3);
        weight[k] = 1;
    }
    rni_field_law law;
    rni_field_law_fit(&law, 1.7, target, weight, COUNT);
    return law;
}

static void draw_points(rni_random *random, rni_field_points *points)
{
    for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++)
        for (int a = 0; a < 3; a++)
            points->x[a][l] = (double)rni_random_float(random, -2, (float)SIDE + 2);
}

static rni_field_sums sum(const rni_field_law *law, uint32_t count, const rni_field_points *points)
{
    rni_field_sums sums;
    rni_field_sums_clear(&sums);
    rni_field_add_plain(law, triangles, count, points, &sums);
    return sums;
}

static void law_is_convex_and_its_distance_is_its_inverse(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    double before = (double)INFINITY, slope, slope_before = -(double)INFINITY;
    for (int k = 0; k <= 1000; k++) {
        const double t = law.reach * k / 1000, u = rni_field_law_value(&law, t, &slope);
        assert_true(u <= before && slope >= slope_before - 1e-12);
        if (k < 980) assert_near(rni_field_law_distance(&law, u), t, 1e-9);
        before = u, slope_before = slope;
    }
    for (int k = 0; k < 20; k++) {
        const double t = -0.05 * k, u = rni_field_law_value(&law, t, &slope);
        assert_near(rni_field_law_distance(&law, u), t, 1e-9);
    }
}

static void law_is_split_among_equal_walls(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    for (int k = -200; k <= 990; k++)
        for (int n = 0; n <= 10; n++) {
            double slope;
            const float t = (float)(law.reach * k / 1000), part = (1 + 0.2f * (float)n) / 3;
            const double u = rni_field_law_value(&law, (double)t, &slope), own = u * (double)part;
            float others;
            const float found = rni_field_law_split(&law, t, part, &others);
            assert_near((double)found, rni_field_law_distance(&law, own), 3e-5 * law.reach);
            assert_near((double)others, u - own, 2e-5 * law.at_wall);
        }
}

static void flat_wall_has_the_value_and_slope_of_the_law(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    const rn_mesh mesh = cube_of(1);
    const uint32_t count = make_triangles(&mesh, false);
    rni_random random = rni_random_make(3);
    for (int rep = 0; rep < 50; rep++) {
        rni_field_points points;
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
            points.x[0][l] = (double)rni_random_float(&random, 3, 7);
            points.x[2][l] = (double)rni_random_float(&random, 3, 7);
            points.x[1][l] = SIDE + law.reach * (double)rni_random_float(&random, -1, 1);
        }
        const rni_field_sums sums = sum(&law, count, &points);
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
            const double t = points.x[1][l] - SIDE;
            double slope, u = rni_field_law_value(&law, fabs(t), &slope);
            assert_near(sums.flux[l], t >= 0 ? u : -u, 1e-11);
            assert_near(sums.gradient[1][l], slope, 1e-11);
            assert_near(sums.gradient[0][l], 0, 1e-11);
            assert_near(sqrt(sums.distance_sq[l]), fabs(t), 1e-12);
        }
    }
}

static void field_does_not_depend_on_how_the_surface_is_cut(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    rni_random random = rni_random_make(4);
    for (int rep = 0; rep < 50; rep++) {
        rni_field_points points;
        draw_points(&random, &points);
        rn_mesh mesh = cube_of(1);
        const rni_field_sums few = sum(&law, make_triangles(&mesh, false), &points);
        mesh = cube_of(7);
        const rni_field_sums many = sum(&law, make_triangles(&mesh, false), &points);
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
            assert_near(few.flux[l], many.flux[l], 1e-10);
            for (int a = 0; a < 3; a++) assert_near(few.gradient[a][l], many.gradient[a][l], 1e-10);
            for (int k = 0; k < 6; k++) assert_near(few.spread[k][l], many.spread[k][l], 1e-10);
        }
    }
}

static void sign_of_the_flux_tells_the_side(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    const rn_mesh mesh = cube_of(2);
    const uint32_t count = make_triangles(&mesh, false);
    rni_random random = rni_random_make(5);
    for (int rep = 0; rep < 200; rep++) {
        rni_field_points points;
        draw_points(&random, &points);
        const rni_field_sums sums = sum(&law, count, &points);
        for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) {
            bool is_inside = true;
            for (int a = 0; a < 3; a++)
                is_inside = is_inside && points.x[a][l] > 0 && points.x[a][l] < SIDE;
            if (fabs(sums.flux[l]) > 1e-12) assert_int_equal(sums.flux[l] < 0, is_inside);
            else assert_true(sums.distance_sq[l] > 0.9 * law.reach * law.reach);
        }
    }
}

static void gradient_is_the_slope_of_the_value(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    const rn_mesh mesh = cube_of(3);
    const uint32_t count = make_triangles(&mesh, false);
    rni_random random = rni_random_make(6);
    const double step = 1e-5;
    for (int rep = 0; rep < 50; rep++) {
        rni_field_points points;
        draw_points(&random, &points);
        const rni_field_sums sums = sum(&law, count, &points);
        for (int a = 0; a < 3; a++) {
            rni_field_points moved = points;
            for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) moved.x[a][l] += step;
            const rni_field_sums up = sum(&law, count, &moved);
            for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++) moved.x[a][l] -= 2 * step;
            const rni_field_sums down = sum(&law, count, &moved);
            for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++)
                if (fabs(up.flux[l] - down.flux[l]) < 1) /* else the surface is between */
                    assert_near((up.flux[l] - down.flux[l]) / (2 * step), sums.gradient[a][l], 1e-6);
        }
    }
}

/* At a convex corner: the integral of u''(r) / (2 pi r) over the cube, by midpoints. */
static void value_is_the_integral_over_the_solid(void **state)
{
    (void)state;
    enum { CELLS = 60 };
    const rni_field_law law = law_of_test();
    const rn_mesh mesh = cube_of(1);
    const double x[3] = {SIDE + 0.4, SIDE + 0.3, SIDE - 0.5};
    rni_field_points points;
    for (uint32_t l = 0; l < RNI_FIELD_BATCH; l++)
        for (int a = 0; a < 3; a++) points.x[a][l] = x[a];
    const rni_field_sums sums = sum(&law, make_triangles(&mesh, false), &points);
    double low[3], width[3], total = 0;
    for (int a = 0; a < 3; a++) low[a] = x[a] - law.reach, width[a] = (SIDE - low[a]) / CELLS;
    for (uint32_t k = 0; k < CELLS * CELLS * CELLS; k++) {
        const uint32_t at[3] = {k % CELLS, k / CELLS % CELLS, k / (CELLS * CELLS)};
        double r_sq = 0, curvature = 0;
        for (int a = 0; a < 3; a++) {
            const double d = low[a] + width[a] * (at[a] + 0.5) - x[a];
            r_sq += d * d;
        }
        const double r = sqrt(r_sq), rest = 1 - r / law.reach;
        for (uint32_t p = 2; p <= RNI_FIELD_DEGREE && rest > 0; p++)
            curvature += law.power[p] * p * (p - 1) * pow(rest, p - 2);
        total +=
            curvature / (law.reach * law.reach) / (2 * RNI_PI * r) * width[0] * width[1] * width[2];
    }
    assert_near(sums.flux[0], total, 2e-3 * total);
}

static void instruction_sets_agree_in_every_bit(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    const rn_mesh mesh = cube_of(5);
    const uint32_t count = make_triangles(&mesh, true);
    rni_random random = rni_random_make(7);
    for (int rep = 0; rep < 50; rep++) {
        rni_field_points points;
        draw_points(&random, &points);
        const rni_field_sums plain = sum(&law, count, &points);
        rni_field_sums best;
        rni_field_sums_clear(&best);
        rni_field_add_choose()(&law, triangles, count, &points, &best);
        assert_memory_equal(&plain, &best, sizeof plain);
    }
}

/* Triangles all through a block, some with all corners on a plane of nodes. */
static void instruction_sets_agree_at_the_nodes_of_a_block(void **state)
{
    (void)state;
    static rni_node_sums plain, best;
    static rni_ready_triangle ready[50];
    const double cell = 0.25, origin[3] = {0, 0, 0};
    const rni_field_law law = law_of_test();
    const rni_node_law node_law = rni_node_law_of(&law);
    rni_random random = rni_random_make(9);
    uint32_t count = 0;
    for (int k = 0; k < 50; k++) {
        float corner[3][3];
        rni_field_triangle t;
        for (int n = 0; n < 9; n++) corner[n / 3][n % 3] = rni_random_float(&random, -0.3f, 1.3f);
        for (int n = 0; n < 3 && k < 5; n++) corner[n][1] = (float)cell;
        assert_true(rni_field_triangle_make(&t, corner[0], corner[1], corner[2], 1, false));
        rni_field_make_ready(&law, &t, origin, cell, 0.4, &ready[count]);
        count += ready[count].halves != 0;
    }
    assert_true(count > 40);
    rni_node_sums_clear(&plain);
    rni_node_sums_clear(&best);
    rni_field_nodes_plain(&node_law, ready, count, &plain);
    rni_field_nodes_choose()(&node_law, ready, count, &best);
    assert_memory_equal(&plain, &best, sizeof plain);
}

/* --- cached ---------------------------------------------------------------------------------------- */

typedef struct cached {
    rni_memory memory;
    rni_crew *crew;
    rni_field *field;
} cached;

static void build(cached *c, const rn_mesh *mesh, bool is_flipped, bool is_two_sided, uint32_t threads)
{
    const rni_field_def def = {.mesh = mesh,
                               .scale = 1,
                               .is_flipped = is_flipped,
                               .is_two_sided = is_two_sided,
                               .law = law_of_test(),
                               .cell = 0.4f};
    assert_int_equal(rni_memory_init(&c->memory, &(rn_allocator){0}), RN_OK);
    assert_int_equal(rni_crew_create(&c->memory, threads, &(rn_tasks){0}, &c->crew), RN_OK);
    assert_int_equal(rni_field_build(&c->memory, c->crew, &def, &c->field), RN_OK);
}

static void drop(cached *c)
{
    rni_field_destroy(&c->memory, c->field);
    rni_crew_destroy(c->crew);
    assert_int_equal(c->memory.held_bytes, 0);
}

/* Inside the hollow cube: flat walls exactly, edges and corners nearly. */
static void cached_field_is_that_of_the_sum(void **state)
{
    (void)state;
    const rn_mesh mesh = cube_of(3);
    const rni_field_law law = law_of_test();
    const uint32_t count = make_triangles(&mesh, true);
    rni_random random = rni_random_make(8);
    cached c;
    build(&c, &mesh, true, false, 1);
    for (int rep = 0; rep < 3000; rep++) {
        float x[3], nearest = INFINITY;
        uint32_t near_count = 0;
        for (int a = 0; a < 3; a++) {
            x[a] = rni_random_float(&random, 0.1f, (float)SIDE - 0.1f);
            if (rep % 3 == 0 && a == 1) x[a] = rni_random_float(&random, 0.1f, 1.5f);
            const float d = fminf(x[a], (float)SIDE - x[a]);
            nearest = fminf(nearest, d);
            near_count += d < 2.5f;
        }
        const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
        rni_field_value wanted, found;
        const bool is_near = rni_field_sum_at(&law, triangles, count, at, false, &wanted);
        const bool is_found = rni_field_at(c.field, x, &found);
        assert_true(found.clear <= nearest + 1e-5f);
        if (!is_near || wanted.distance > 0.95f * (float)law.reach) continue;
        assert_true(is_found);
        const float error = near_count == 1 ? 1e-5f : 0.1f;
        assert_near((double)found.distance, (double)wanted.distance, (double)error);
        if (near_count != 1) continue;
        assert_true(found.is_flat);
        assert_near((double)found.distance, (double)nearest, (double)1e-5f);
        for (int a = 0; a < 3; a++)
            assert_near((double)found.gradient[a], (double)wanted.gradient[a], (double)1e-4f);
    }
    drop(&c);
}

static void cached_field_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    const rn_mesh mesh = cube_of(4);
    rni_random random = rni_random_make(9);
    cached one, three;
    build(&one, &mesh, false, false, 1);
    build(&three, &mesh, false, false, 3);
    for (int rep = 0; rep < 5000; rep++) {
        float x[3];
        rni_field_value a, b;
        memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
        for (int k = 0; k < 3; k++) x[k] = rni_random_float(&random, -2, (float)SIDE + 2);
        assert_int_equal(rni_field_at(one.field, x, &a), rni_field_at(three.field, x, &b));
        assert_memory_equal(&a, &b, sizeof a);
    }
    drop(&one);
    drop(&three);
}

static void cached_field_is_the_same_for_any_instruction_set(void **state)
{
    (void)state;
    const rn_mesh mesh = cube_of(2);
    for (int shape = 0; shape < 3; shape++) {
        rni_random random = rni_random_make(12);
        uint32_t count = 0;
        cached c;
        build(&c, &mesh, shape == 1, shape == 2, 1);
        for (int rep = 0; rep < 5000; rep++) {
            float x[3];
            rni_field_value a, b;
            memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
            for (int k = 0; k < 3; k++) x[k] = rni_random_float(&random, -2, (float)SIDE + 2);
            c.field->at_cell = rni_field_cell_choose();
            const bool is_near = rni_field_at(c.field, x, &a);
            c.field->at_cell = rni_field_cell_plain;
            assert_int_equal(rni_field_at(c.field, x, &b), is_near);
            if (is_near) assert_memory_equal(&a, &b, sizeof a);
            count += is_near;
        }
        assert_true(count > 100);
        drop(&c);
    }
}

/* A needle with a base of 0.1 by 0.1, thinner than a cell, and 6 long. */
static rn_mesh needle(void)
{
    static const float CORNER[4][3] = {{5, 8, 5}, {4.95f, 2, 4.95f}, {5.05f, 2, 4.95f}, {5, 2, 5.05f}};
    static const uint32_t FACE[4][3] = {{1, 2, 3}, {0, 2, 1}, {0, 3, 2}, {0, 1, 3}};
    rn_mesh mesh = rn_mesh_default();
    memcpy(vertices, CORNER, sizeof CORNER);
    memcpy(indices, FACE, sizeof FACE);
    mesh.vertex = vertices[0], mesh.vertex_count = 4;
    mesh.triangle = indices[0], mesh.triangle_count = 4;
    return mesh;
}

static double distance_to(const rn_mesh *mesh, const float x[3])
{
    const double at[3] = {(double)x[0], (double)x[1], (double)x[2]};
    double least = (double)INFINITY;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double corner[3][3];
        rni_near near;
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) corner[k][a] = (double)vertices[indices[t][k]][a];
        rni_triangle_nearest((const double(*)[3])corner, at, &near);
        least = fmin(least, near.distance_sq);
    }
    return sqrt(least);
}

/* The collide stage relies on it: also where the field ends, and around what is thinner than its cells. */
static void no_triangle_is_nearer_than_the_field_says(void **state)
{
    (void)state;
    const rni_field_law law = law_of_test();
    for (int shape = 0; shape < 3; shape++) {
        const rn_mesh mesh = shape == 2 ? needle() : cube_of(2);
        rni_random random = rni_random_make(10);
        uint32_t near_count = 0, far_count = 0;
        cached c;
        build(&c, &mesh, shape == 1, false, 1);
        for (int rep = 0; rep < 20000; rep++) {
            float x[3];
            rni_field_value value;
            for (int k = 0; k < 3; k++) x[k] = rni_random_float(&random, -4, (float)SIDE + 4);
            const bool is_near = rni_field_at(c.field, x, &value);
            const double distance = distance_to(&mesh, x);
            if (!((double)value.clear <= distance + 1e-5))
                fail_msg("shape %d: %g instead of %g", shape, (double)value.clear, distance);
            if (is_near) near_count++;
            else if (value.clear > 0 && distance < 1.2 * law.reach) far_count++;
        }
        assert_true(near_count > 100 && far_count > 10);
        drop(&c);
    }
}

/* Else walls would give or take energy. */
static void cached_gradient_is_the_slope_of_the_cached_distance(void **state)
{
    (void)state;
    const rn_mesh mesh = cube_of(3);
    rni_random random = rni_random_make(11);
    uint32_t count = 0;
    cached c;
    build(&c, &mesh, true, false, 1);
    for (int rep = 0; rep < 4000; rep++) {
        float x[3];
        rni_field_value value, low, high;
        for (int k = 0; k < 3; k++) x[k] = rni_random_float(&random, 0.1f, 2);
        if (!rni_field_at(c.field, x, &value) || value.part < 1) continue;
        for (int k = 0; k < 3; k++) {
            float from[3] = {x[0], x[1], x[2]}, to[3] = {x[0], x[1], x[2]};
            from[k] -= 0.01f, to[k] += 0.01f;
            if (!rni_field_at(c.field, from, &low) || !rni_field_at(c.field, to, &high)) continue;
            const double slope = (double)(high.distance - low.distance) / (double)(to[k] - from[k]);
            assert_near((double)value.gradient[k], slope, 0.01);
            count++;
        }
    }
    assert_true(count > 1000);
    drop(&c);
}

/* A square sheet: the same on both sides, and nothing beyond its rim. */
static void two_sided_sheet_is_a_wall_for_both_sides(void **state)
{
    (void)state;
    rn_mesh mesh = cube_of(1);
    mesh.triangle += 3 * 2; /* one face: x = SIDE */
    mesh.triangle_count = 2;
    cached c;
    build(&c, &mesh, false, true, 1);
    for (int k = 1; k < 16; k++) {
        const float t = 0.1f * (float)k;
        rni_field_value value;
        for (int side = -1; side <= 1; side += 2) {
            const float x[3] = {(float)SIDE + (float)side * t, 5, 5};
            assert_true(rni_field_at(c.field, x, &value));
            assert_near((double)value.distance, (double)t, (double)2e-4f);
            assert_near((double)value.gradient[0], (double)(float)side, (double)2e-3f);
        }
        const float beyond[3] = {(float)SIDE, -0.5f - 0.1f * (float)k, 5};
        if (rni_field_at(c.field, beyond, &value)) assert_true(value.distance > 0.6f);
    }
    drop(&c);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_is_convex_and_its_distance_is_its_inverse),
        cmocka_unit_test(law_is_split_among_equal_walls),
        cmocka_unit_test(flat_wall_has_the_value_and_slope_of_the_law),
        cmocka_unit_test(field_does_not_depend_on_how_the_surface_is_cut),
        cmocka_unit_test(sign_of_the_flux_tells_the_side),
        cmocka_unit_test(gradient_is_the_slope_of_the_value),
        cmocka_unit_test(value_is_the_integral_over_the_solid),
        cmocka_unit_test(instruction_sets_agree_in_every_bit),
        cmocka_unit_test(instruction_sets_agree_at_the_nodes_of_a_block),
        cmocka_unit_test(cached_field_is_that_of_the_sum),
        cmocka_unit_test(cached_field_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(cached_field_is_the_same_for_any_instruction_set),
        cmocka_unit_test(no_triangle_is_nearer_than_the_field_says),
        cmocka_unit_test(cached_gradient_is_the_slope_of_the_cached_distance),
        cmocka_unit_test(two_sided_sheet_is_a_wall_for_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
