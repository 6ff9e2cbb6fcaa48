/* Every row of the table, by one test body: the step's distance against the independent one, bounds,
 * volume, rays and triangles against the distance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "solid/mesh.h"
#include "solid/span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of meshes: a box of 12 triangles, off its origin. */
static const rn_wall_mesh *box_mesh(void)
{
    static const uint32_t QUAD[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static rn_wall_mesh *wall;
    float vertex[8][3];
    uint32_t triangle[12][3];
    if (wall) return wall;
    for (uint32_t k = 0; k < 8; k++)
        for (uint32_t a = 0; a < 3; a++)
            vertex[k][a] = (k >> a & 1 ? 0.9f : -0.8f) + 0.1f * (float)a;
    for (uint32_t q = 0; q < 6; q++)
        for (uint32_t c = 0; c < 3; c++) {
            triangle[2 * q][c] = QUAD[q][c];
            triangle[2 * q + 1][c] = QUAD[q][c == 0 ? 0 : c + 1];
        }
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex_count = 8, mesh.triangle_count = 12;
    mesh.vertex = vertex[0], mesh.triangle = triangle[0];
    assert_int_equal(rn_wall_mesh_create(NULL, &mesh, &wall), RN_OK);
    return wall;
}

/* A random solid of a shape: every parameter of its row is drawn by its rule. */
static rni_solid draw_solid(rni_random *random, uint32_t shape, uint32_t dim, bool is_hollow)
{
    const rni_solid_kind *kind = rni_solid_kind_at(shape);
    rni_solid solid;
    for (int tries = 0; tries < 1000; tries++) {
        rn_solid def = rn_solid_default();
        def.shape = (rn_solid_shape)shape;
        def.is_hollow = is_hollow;
        def.mesh = shape == RN_SOLID_MESH ? box_mesh() : NULL;
        for (int a = 0; a < 3; a++) def.center[a] = rni_random_float(random, -0.5f, 0.5f);
        for (uint32_t k = 0; k < kind->parameter_count; k++) {
            const rni_solid_parameter *p = &kind->parameters[k];
            float *value = (float *)(void *)((char *)&def + p->offset);
            for (uint32_t c = 0; c < p->count; c++)
                value[c] = p->rule == RNI_RULE_POSITIVE    ? rni_random_float(random, 0.15f, 0.5f)
                           : p->rule == RNI_RULE_DIRECTION ? rni_random_float(random, -1, 1)
                                                           : rni_random_float(random, -180, 180);
        }
        if (dim == 2) def.turn[0] = def.turn[1] = 0;
        float length_sq = 0;
        for (int k = 0; k < 4; k++) {
            def.rotation[k] = dim == 3 || k > 1 ? rni_random_float(random, -1, 1) : 0.0f;
            length_sq += def.rotation[k] * def.rotation[k];
        }
        for (int k = 0; k < 4; k++) def.rotation[k] /= sqrtf(length_sq);
        if (rni_solid_place(&def, dim, &solid) == RN_OK) return solid;
    }
    fail_msg("no %s could be drawn: %s", kind->name, rn_last_error());
    return solid;
}

static void draw_place(rni_random *random, uint32_t dim, float x[3])
{
    for (uint32_t a = 0; a < 3; a++) x[a] = a < dim ? rni_random_float(random, -1.5f, 1.5f) : 0.0f;
}

typedef void (*fact_fn)(rni_random *random, const rni_solid *solid);

/* Calls fact for solids of every shape, in 2D and 3D, full and hollow. */
static void for_all(fact_fn fact)
{
    rni_random random = rni_random_make(11);
    const rni_solid_kind *kind;
    for (uint32_t shape = 0; (kind = rni_solid_kind_at(shape)) != NULL; shape++)
        for (uint32_t dim = kind->has_2d ? 2 : 3; dim <= 3; dim++)
            for (int hollow = 0; hollow <= (kind->can_be_hollow ? 1 : 0); hollow++)
                for (int k = 0; k < 20; k++) {
                    const rni_solid solid = draw_solid(&random, shape, dim, hollow != 0);
                    fact(&random, &solid);
                }
}

static double exact_at(const rni_solid *solid, const float x[3])
{
    return rni_solid_exact_distance(&solid->def, solid->dim, x);
}

/* --- facts ----------------------------------------------------------------------------------------- */

static void distance_is_the_exact_one(rni_random *random, const rni_solid *solid)
{
    for (int k = 0; k < 200; k++) {
        float x[3], n[3];
        draw_place(random, solid->dim, x);
        const double exact = exact_at(solid, x), d = (double)rni_solid_distance(solid, x, n);
        /* behind the wall of a hollow solid the way back along one face is enough */
        if (solid->is_hollow && exact < 0 ? d >= 1e-5 : fabs(d - exact) > 1e-5)
            fail_msg("%s (%uD%s): %g m by the step, %g m by the definition", solid->kind->name,
                     solid->dim, solid->is_hollow ? ", hollow" : "", d, exact);
        if (fabsf(rni_solid_dot(n, n) - 1) > 1e-4f)
            fail_msg("%s: the normal has the length %g", solid->kind->name,
                     (double)sqrtf(rni_solid_dot(n, n)));
        if (exact < 0) continue;
        const float step = 1e-2f,
                    on[3] = {x[0] + step * n[0], x[1] + step * n[1], x[2] + step * n[2]};
        const float back[3] = {x[0] - (float)d * n[0], x[1] - (float)d * n[1],
                               x[2] - (float)d * n[2]};
        if (!solid->is_hollow && fabs(exact_at(solid, on) - exact - (double)step) > 1e-4)
            fail_msg("%s: the distance does not grow along the normal", solid->kind->name);
        if (fabs(exact_at(solid, back)) > 2e-5)
            fail_msg("%s: the foot along the normal is %g m off the surface", solid->kind->name,
                     exact_at(solid, back));
    }
}

static void every_distance_is_the_exact_one(void **state)
{
    (void)state;
    for_all(distance_is_the_exact_one);
}

static void box_and_ball_hold_the_shape(rni_random *random, const rni_solid *solid)
{
    const rni_solid_kind *kind = solid->kind;
    float low[3], high[3], x[3];
    assert_int_equal(!kind->bounds, !kind->reach);
    assert_int_equal(!kind->bounds, !kind->volume);
    if (!kind->bounds) return;
    kind->bounds(solid, low, high);
    const float reach = kind->reach(solid);
    uint32_t inside = 0, all = 20000;
    double box = 1;
    for (uint32_t a = 0; a < solid->dim; a++) box *= (double)high[a] - (double)low[a];
    for (uint32_t k = 0; k < all; k++) {
        float away_sq = 0;
        for (uint32_t a = 0; a < 3; a++) {
            const float side = high[a] - low[a];
            x[a] = a < solid->dim
                       ? rni_random_float(random, low[a] - 0.1f * side, high[a] + 0.1f * side)
                       : 0.0f;
            away_sq += (x[a] - solid->center[a]) * (x[a] - solid->center[a]);
        }
        const double d = exact_at(solid, x);
        const bool is_in = solid->is_hollow ? d > 0 : d < 0;
        if (!is_in) continue;
        inside++;
        for (uint32_t a = 0; a < solid->dim; a++) {
            assert_true(x[a] >= low[a] - 1e-5f && x[a] <= high[a] + 1e-5f);
        }
        assert_true(away_sq <= reach * reach * 1.0001f);
    }
    const double share = (double)inside / all * pow(1.2, solid->dim),
                 volume = kind->volume(solid) / box;
    if (fabs(share - volume) > 0.15 * volume + 0.01)
        fail_msg("%s: %g of its box by sampling, %g by its row", kind->name, share, volume);
}

static void every_bound_holds_the_shape(void **state)
{
    (void)state;
    for_all(box_and_ball_hold_the_shape);
}

static void rays_are_inside_the_shape(rni_random *random, const rni_solid *solid)
{
    if (solid->dim == 2) return; /* pictures of 2D have no rays */
    const double sign = solid->is_hollow ? -1 : 1;
    for (int k = 0; k < 100; k++) {
        float origin[3], direction[3];
        draw_place(random, 3, origin);
        draw_place(random, 3, direction);
        rni_span span = {.near = -3, .far = 3, .near_is_cut = true, .far_is_cut = true};
        const bool is_hit = solid->kind->span(solid, origin, direction, &span);
        for (float t = -2.99f; t < 3; t += 0.1f) {
            const float x[3] = {origin[0] + t * direction[0], origin[1] + t * direction[1],
                                origin[2] + t * direction[2]};
            const double d = sign * exact_at(solid, x);
            const bool is_in = is_hit && t > span.near && t < span.far;
            if (fabs(d) > 1e-4 && is_in != (d < 0))
                fail_msg("%s: at t = %g the ray is %s by the span, distance %g", solid->kind->name,
                         (double)t, is_in ? "inside" : "outside", d);
        }
        if (!is_hit) continue;
        assert_true(span.near_is_cut || rni_solid_dot(span.near_normal, direction) <= 1e-6f);
        assert_true(span.far_is_cut || rni_solid_dot(span.far_normal, direction) >= -1e-6f);
        if (!span.near_is_cut)
            assert_float_equal(rni_solid_dot(span.near_normal, span.near_normal), 1, 1e-3);
    }
}

static void every_ray_is_inside_where_its_span_says(void **state)
{
    (void)state;
    for_all(rays_are_inside_the_shape);
}

static rni_solid_mesh draw_mesh(const rni_solid *solid)
{
    rni_solid_mesh mesh = {.low = {-1, -1, -1}, .high = {1, 1, 1}, .segments = 48};
    if (solid->dim == 2) mesh.low[2] = -0.1f, mesh.high[2] = 0.1f;
    rni_solid_draw(solid, &mesh);
    const uint32_t count = mesh.vertex_count;
    mesh.vertices = malloc((count + 1) * sizeof *mesh.vertices);
    mesh.triangles = malloc((mesh.triangle_count + 1) * sizeof *mesh.triangles);
    mesh.lines = malloc((mesh.line_count + 1) * sizeof *mesh.lines);
    assert_true(mesh.vertices && mesh.triangles && mesh.lines);
    rni_solid_draw(solid, &mesh);
    assert_int_equal(mesh.vertex_count, count);
    return mesh;
}

/* Six times the volume under a triangle, seen from the origin. */
static double volume_under(const float *a, const float *b, const float *c)
{
    return (double)a[0] * ((double)b[1] * (double)c[2] - (double)b[2] * (double)c[1]) +
           (double)a[1] * ((double)b[2] * (double)c[0] - (double)b[0] * (double)c[2]) +
           (double)a[2] * ((double)b[0] * (double)c[1] - (double)b[1] * (double)c[0]);
}

static void triangles_lie_on_the_shape(rni_random *random, const rni_solid *solid)
{
    (void)random;
    rni_solid_mesh mesh = draw_mesh(solid);
    double volume = 0, depth = solid->dim == 2 ? 0.2 : 1;
    for (uint32_t k = 0; k < mesh.vertex_count; k++) {
        const double d = exact_at(solid, mesh.vertices[k]);
        const float *n = mesh.vertices[k] + 3;
        /* in 2D the flat faces are inside the shape */
        if (solid->dim == 3 && fabs(d) > 1e-5)
            fail_msg("%s: a corner is %g m off the surface", solid->kind->name, d);
        assert_float_equal(rni_solid_dot(n, n), 1, 1e-4);
    }
    for (uint32_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *corner = mesh.triangles[t];
        for (int k = 0; k < 3; k++) assert_true(corner[k] < mesh.vertex_count);
        const float *a = mesh.vertices[corner[0]], *b = mesh.vertices[corner[1]],
                    *c = mesh.vertices[corner[2]];
        const float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]},
                    v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                            u[0] * v[1] - u[1] * v[0]};
        assert_true(rni_solid_dot(n, a + 3) > 0);
        volume += volume_under(a, b, c) / 6;
    }
    if (solid->kind->volume) {
        const double wanted = solid->kind->volume(solid) * depth * (solid->is_hollow ? -1 : 1);
        if (fabs(volume - wanted) > 0.02 * fabs(wanted))
            fail_msg("%s (%uD): the triangles hold %g, the row says %g", solid->kind->name,
                     solid->dim, volume, wanted);
    }
    free(mesh.vertices);
    free(mesh.triangles);
    free(mesh.lines);
}

static void every_mesh_is_closed_and_on_the_shape(void **state)
{
    (void)state;
    for_all(triangles_lie_on_the_shape);
}

/* --- single facts ---------------------------------------------------------------------------------- */

static void rows_are_complete_and_names_unique(void **state)
{
    (void)state;
    const rni_solid_kind *kind;
    for (uint32_t shape = 0; (kind = rni_solid_kind_at(shape)) != NULL; shape++) {
        for (uint32_t other = 0; other < shape; other++)
            assert_string_not_equal(kind->name, rni_solid_shape_name(other));
        for (uint32_t k = 0; k < kind->parameter_count; k++) {
            const rni_solid_parameter *p = &kind->parameters[k];
            assert_ptr_equal(rni_solid_parameter_find(kind, p->name), p);
            assert_true(p->count >= 1 && p->count <= 3 && p->factor > 0);
            assert_true(p->offset + p->count * sizeof(float) <= sizeof(rn_solid));
        }
    }
    assert_null(rni_solid_shape_name(1000));
}

static void surface_velocity_is_belt_and_motion_and_rotation(void **state)
{
    (void)state;
    rn_solid def = rn_solid_default();
    rni_solid solid;
    def.shape = RN_SOLID_SPHERE;
    def.center[0] = 1, def.radius = 0.5f;
    def.velocity[2] = 3;
    def.motion.linear[1] = 2;
    def.motion.angular[2] = 4;
    assert_int_equal(rni_solid_place(&def, 3, &solid), RN_OK);
    float v[3];
    rni_solid_velocity_at(&solid, (float[3]){1.5f, 0, 0}, v);
    assert_float_equal(v[0], 0, 1e-6);
    assert_float_equal(v[1], 4, 1e-6); /* 2 + 4 * 0.5 */
    assert_float_equal(v[2], 3, 1e-6);
}

static void expect_refused(const rn_solid *def, uint32_t dim, const char *words)
{
    rni_solid solid;
    assert_int_equal(rni_solid_place(def, dim, &solid), RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), words)) fail_msg("'%s' instead of '%s'", rn_last_error(), words);
}

static void wrong_definitions_are_refused_in_words(void **state)
{
    (void)state;
    rn_solid def = rn_solid_default();
    def.shape = (rn_solid_shape)99;
    expect_refused(&def, 3, "shape is 99");
    def = rn_solid_default();
    def.axis[1] = 0;
    expect_refused(&def, 3, "axis is 0, 0, 0");
    def = rn_solid_default();
    def.center[2] = NAN;
    expect_refused(&def, 3, "center[2]");
    def = rn_solid_default();
    def.motion.angular[0] = INFINITY;
    expect_refused(&def, 3, "motion.angular[0]");
    def = rn_solid_default();
    def.rotation[3] = 2;
    expect_refused(&def, 3, "unit quaternion");
    def = rn_solid_default();
    def.rotation[0] = 1, def.rotation[3] = 0;
    expect_refused(&def, 2, "about z only");
    def = rn_solid_default();
    def.shape = RN_SOLID_CYLINDER;
    expect_refused(&def, 2, "no cylinder in 2D");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete_and_names_unique),
        cmocka_unit_test(every_distance_is_the_exact_one),
        cmocka_unit_test(every_bound_holds_the_shape),
        cmocka_unit_test(every_ray_is_inside_where_its_span_says),
        cmocka_unit_test(every_mesh_is_closed_and_on_the_shape),
        cmocka_unit_test(surface_velocity_is_belt_and_motion_and_rotation),
        cmocka_unit_test(wrong_definitions_are_refused_in_words),
    };
    return cmocka_run_group_tests_name("solid.kinds", tests, NULL, NULL);
}
