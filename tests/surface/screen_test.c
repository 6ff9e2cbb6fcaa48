/* Screen-space meshes: depth as rays see it, layers apart, the same bits. */
#include "fact.h"

#include "allocators.h"
#include "surface/clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_screen *create(const rn_screen_def *def)
{
    rn_screen *screen = NULL;
    if (rn_screen_create(def, &screen) != RN_OK) fail_msg("%s", rn_last_error());
    return screen;
}

static rn_screen_mesh build(rn_screen *screen, const rn_camera *camera,
                            const rn_surface_points *points)
{
    rn_screen_mesh found = rn_screen_mesh_default();
    if (rn_screen_build(screen, camera, points, &found) != RN_OK) fail_msg("%s", rn_last_error());
    for (size_t n = 0; n < 3 * (size_t)found.mesh.triangle_count; n++)
        if (found.mesh.triangle[n] >= found.mesh.vertex_count)
            fail_msg("index %zu is out of range", n);
    return found;
}

static rn_camera camera_at(float x, float y, float z, float tx, float ty, float tz)
{
    rn_camera camera = rn_camera_default();
    const float eye[3] = {x, y, z}, target[3] = {tx, ty, tz};
    memcpy(camera.eye, eye, sizeof eye);
    memcpy(camera.target, target, sizeof target);
    camera.width = 320, camera.height = 240;
    return camera;
}

/* Distance along a ray to the first of the spheres. */
static float trace(const cloud *c, float radius, const float eye[3], const double ray[3])
{
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < c->count; i++) {
        double d[3], along = 0, ray_sq = 0, d_sq = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = (double)c->position[3 * (size_t)i + (size_t)k] - (double)eye[k];
            along += d[k] * ray[k];
            ray_sq += ray[k] * ray[k];
            d_sq += d[k] * d[k];
        }
        double inside = along * along - ray_sq * (d_sq - (double)radius * (double)radius);
        if (inside < 0) continue;
        double t = (along - sqrt(inside)) / ray_sq;
        if (t < best) best = t;
    }
    return (float)best;
}

static void depth_is_that_of_rays(void **state)
{
    (void)state;
    rn_screen_def def = rn_screen_def_default();
    def.threads = 2;
    def.cell = 5;
    rn_screen *screen = create(&def);
    cloud c = cloud_gas(150, 12, 0.1f);
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(0.6f, 0.6f, 2.4f, 0.6f, 0.6f, 0);
    camera.fov = 60;
    rn_screen_mesh found = build(screen, &camera, &points);
    uint32_t hits = 0;
    double scale = tan(30 * 3.14159265358979 / 180);
    for (uint32_t j = 0; j < found.node_count[1]; j++)
        for (uint32_t i = 0; i < found.node_count[0]; i++) {
            double x = (i * 5.0 - 160) / 120 * scale;
            double y = (j * 5.0 - 120) / 120 * scale;
            float wanted = trace(&c, 0.1f, camera.eye, (const double[3]){x, y, -1});
            float depth = found.depth[(size_t)j * found.node_count[0] + i];
            /* A ray that grazes a sphere may just meet it or not. */
            if (isfinite(wanted) != isfinite(depth)) {
                float near = trace(&c, 0.1003f, camera.eye, (const double[3]){x, y, -1});
                if (!isfinite(near))
                    fail_msg("node %u, %u: depth %g, traced %g", i, j, (double)depth, (double)wanted);
                continue;
            }
            if (!isfinite(depth)) continue;
            hits++;
            if (fabsf(depth - wanted) > 0.01f)
                fail_msg("node %u, %u: depth %g, traced %g", i, j, (double)depth, (double)wanted);
        }
    assert_true(hits > 200);
    cloud_free(&c);
    rn_screen_destroy(screen);
}

/* The mesh itself, silhouettes included, against rays through the same spheres: its vertices are where rays meet them,
 * and it covers the pixels that rays meet them in. */
static void mesh_is_what_rays_see(void **state)
{
    (void)state;
    rn_screen_def def = rn_screen_def_default();
    def.threads = 2;
    def.cell = 2;
    def.depth_smoothing = 0;
    def.silhouette_smoothing = 0;
    rn_screen *screen = create(&def);
    cloud c = cloud_gas(120, 10, 0.1f);
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(0.5f, 0.5f, 2.4f, 0.5f, 0.5f, 0);
    camera.fov = 50;
    const double scale = tan(25 * 3.14159265358979 / 180);
    rn_screen_mesh found = build(screen, &camera, &points);
    uint32_t off = 0;
    double covered = 0, seen = 0;
    for (uint32_t v = 0; v < found.mesh.vertex_count; v++) {
        double ray[3];
        for (uint32_t k = 0; k < 3; k++)
            ray[k] = (double)found.mesh.vertex[3 * (size_t)v + k] - (double)camera.eye[k];
        /* 1: the vertex itself. */
        float place = trace(&c, 0.1f, camera.eye, ray);
        off += !(fabsf(place - 1) * -(float)ray[2] < 0.01f);
    }
    for (uint32_t t = 0; t < found.mesh.triangle_count; t++) {
        double p[3][2];
        for (uint32_t k = 0; k < 3; k++) {
            const float *x = found.mesh.vertex + 3 * (size_t)found.mesh.triangle[3 * t + k];
            for (uint32_t a = 0; a < 2; a++)
                p[k][a] = ((double)x[a] - (double)camera.eye[a]) /
                          ((double)camera.eye[2] - (double)x[2]) / scale * 120;
        }
        covered += 0.5 * ((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                          (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
    }
    for (uint32_t j = 0; j < 240; j++)
        for (uint32_t i = 0; i < 320; i++) {
            const double ray[3] = {(i + 0.5 - 160) / 120 * scale, (j + 0.5 - 120) / 120 * scale, -1};
            seen += isfinite(trace(&c, 0.1f, camera.eye, ray));
        }
    /* Vertices on outlines may be just beside their sphere. */
    if (off > found.mesh.vertex_count / 12)
        fail_msg("%u of %u vertices are not where rays meet the spheres", off,
                 found.mesh.vertex_count);
    if (fabs(covered / seen - 1) > 0.02)
        fail_msg("the mesh covers %g pixels, rays meet spheres in %g", covered, seen);
    cloud_free(&c);
    rn_screen_destroy(screen);
}

static void ball_looks_round_and_its_vertices_are_on_it(void **state)
{
    (void)state;
    rn_screen_def def = rn_screen_def_default();
    def.threads = 2;
    def.cell = 4;
    def.radius = 10; /* one particle is the ball */
    def.depth_smoothing = 0;
    def.silhouette_smoothing = 0;
    rn_screen *screen = create(&def);
    float center[3] = {0.2f, -0.1f, 0};
    rn_surface_points points = rn_surface_points_default();
    points.position = center, points.count = 1, points.spacing = 0.05f;
    rn_camera camera = camera_at(0, 0, 3, 0, 0, 0);
    rn_screen_mesh found = build(screen, &camera, &points);
    assert_true(found.mesh.triangle_count > 500);
    for (uint32_t v = 0; v < found.mesh.vertex_count; v++) {
        const float *x = found.mesh.vertex + 3 * (size_t)v;
        const float *n = found.normal + 3 * (size_t)v;
        float d[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
        float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (fabsf(r - 0.5f) > 2e-3f)
            fail_msg("a vertex is %g m from the centre of a ball of 0.5 m", (double)r);
        float cosine = (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / r;
        if (cosine < 0.6f) fail_msg("cosine between normal and radius: %g", (double)cosine);
    }
    rn_screen_destroy(screen);
}

/* A small ball in front of a wall of water: no triangle joins the two. */
static void layers_stay_apart(void **state)
{
    (void)state;
    rn_screen_def def = rn_screen_def_default();
    def.threads = 1;
    rn_screen *screen = create(&def);
    cloud c = cloud_block(40, 40, 2, 0.05f, 0);
    cloud ball = cloud_ball(6, 0.05f, 0);
    c.position = realloc(c.position, (size_t)(c.count + ball.count) * 12);
    for (uint32_t i = 0; i < ball.count; i++)
        for (uint32_t k = 0; k < 3; k++)
            c.position[3 * (size_t)(c.count + i) + k] =
                ball.position[3 * (size_t)i + k] + (k == 2 ? 1.0f : 0.85f);
    c.count += ball.count;
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(1, 1, 4, 1, 1, 0);
    rn_screen_mesh found = build(screen, &camera, &points);
    uint32_t in_front = 0, behind = 0;
    for (size_t t = 0; t < found.mesh.triangle_count; t++) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t k = 0; k < 3; k++) {
            float z = found.mesh.vertex[3 * (size_t)found.mesh.triangle[3 * t + k] + 2];
            low = fminf(low, z);
            high = fmaxf(high, z);
        }
        if (high - low > 0.5f)
            fail_msg("a triangle spans %g m from wall to ball", (double)(high - low));
        in_front += low > 0.6f;
        behind += high < 0.6f;
    }
    assert_true(in_front > 20 && behind > 500);
    cloud_free(&c);
    cloud_free(&ball);
    rn_screen_destroy(screen);
}

static void smoothing_makes_water_flat(void **state)
{
    (void)state;
    double deviation[2] = {0};
    cloud c = cloud_block(40, 40, 2, 0.05f, 0.1f);
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(1, 1, 4, 1, 1, 0);
    for (uint32_t n = 0; n < 2; n++) {
        rn_screen_def def = rn_screen_def_default();
        def.threads = 2;
        def.depth_smoothing = n ? 6 : 0;
        rn_screen *screen = create(&def);
        rn_screen_mesh found = build(screen, &camera, &points);
        double sum = 0, sum_sq = 0;
        uint32_t count = 0;
        for (uint32_t v = 0; v < found.mesh.vertex_count; v++) {
            const float *x = found.mesh.vertex + 3 * (size_t)v;
            if (fabsf(x[0] - 1) > 0.8f || fabsf(x[1] - 1) > 0.8f) continue;
            sum += (double)x[2];
            sum_sq += (double)x[2] * (double)x[2];
            count++;
        }
        deviation[n] = sqrt(sum_sq / count - sum / count * sum / count);
        rn_screen_destroy(screen);
    }
    if (!(deviation[1] < 0.6 * deviation[0]))
        fail_msg("bumps of %g m, smoothed %g m", deviation[0], deviation[1]);
    cloud_free(&c);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(0.6f, 0.5f, 1.2f, 0.4f, 0.1f, 0.1f);
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        counting calls = {0};
        rn_screen_def def = rn_screen_def_default();
        def.threads = threads;
        def.allocator = counting_allocator(&calls);
        rn_screen *screen = create(&def);
        rn_screen_mesh found = build(screen, &camera, &points);
        uint64_t hash = mesh_hash(&found.mesh, found.normal);
        if (threads == 1) first = hash;
        assert_true(hash == first);
        uint64_t before = calls.calls;
        for (uint32_t n = 0; n < 3; n++) build(screen, &camera, &points);
        assert_int_equal(calls.calls, before);
        rn_screen_destroy(screen);
    }
    cloud_free(&c);
}

static void wrong_cameras_are_refused(void **state)
{
    (void)state;
    rn_screen_def def = rn_screen_def_default();
    def.threads = 1;
    rn_screen *screen = create(&def);
    cloud c = cloud_ball(6, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    rn_screen_mesh found = rn_screen_mesh_default();
    for (uint32_t n = 0; n < 5; n++) {
        static const char *const words[] = {"struct_bytes", "pixels", "fov", "same place", "up"};
        rn_camera camera = camera_at(0, 0, 3, 0, 0, 0);
        if (n == 0) camera.struct_bytes = 1;
        if (n == 1) camera.width = 0;
        if (n == 2) camera.fov = 0;
        if (n == 3) memcpy(camera.target, camera.eye, sizeof camera.eye);
        if (n == 4) camera.up[1] = 0, camera.up[2] = 1;
        assert_int_equal(rn_screen_build(screen, &camera, &points, &found), RN_ERROR_ARGUMENT);
        if (!strstr(rn_last_error(), words[n]))
            fail_msg("\"%s\" lacks \"%s\"", rn_last_error(), words[n]);
    }
    /* The eye inside the water, and nothing to see. */
    rn_camera camera = camera_at(0.3f, 0.3f, 0.3f, 0, 0, 0);
    found = build(screen, &camera, &points);
    points.count = 0;
    found = build(screen, &camera, &points);
    assert_int_equal(found.mesh.triangle_count, 0);
    cloud_free(&c);
    rn_screen_destroy(screen);
    def.cell = 0;
    assert_int_equal(rn_screen_create(&def, &screen), RN_ERROR_ARGUMENT);
}

static void each_failing_allocation_leaves_a_usable_screen(void **state)
{
    (void)state;
    cloud c = cloud_ball(6, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    rn_camera camera = camera_at(0.3f, 0.3f, 3, 0.3f, 0.3f, 0);
    bool is_done = false;
    for (int64_t n = 0; !is_done; n++) {
        budget b = {.left = n};
        rn_screen_def def = rn_screen_def_default();
        def.threads = 2;
        def.allocator = budget_allocator(&b);
        rn_screen *screen = NULL;
        rn_screen_mesh found = rn_screen_mesh_default();
        if (rn_screen_create(&def, &screen) == RN_OK) {
            is_done = rn_screen_build(screen, &camera, &points, &found) == RN_OK;
            b.left = -1;
            found = build(screen, &camera, &points);
            assert_true(found.mesh.triangle_count > 100);
        }
        rn_screen_destroy(screen);
        assert_int_equal(b.live, 0);
        assert_true(n < 1000);
    }
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_that_of_rays),
        cmocka_unit_test(mesh_is_what_rays_see),
        cmocka_unit_test(ball_looks_round_and_its_vertices_are_on_it),
        cmocka_unit_test(layers_stay_apart),
        cmocka_unit_test(smoothing_makes_water_flat),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(wrong_cameras_are_refused),
        cmocka_unit_test(each_failing_allocation_leaves_a_usable_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
