/* Marching cubes: closed, manifold, the volume of the particles, the same bits. */
#include "fact.h"

#include "allocators.h"
#include "surface/clouds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_surface_mesh build(rn_surface *surface, const rn_surface_points *points)
{
    rn_surface_mesh found = rn_surface_mesh_default();
    rn_result result = rn_surface_build(surface, points, &found);
    if (result != RN_OK) fail_msg("%s", rn_last_error());
    return found;
}

static rn_surface *create(const rn_surface_def *def)
{
    rn_surface *surface = NULL;
    if (rn_surface_create(def, &surface) != RN_OK) fail_msg("%s", rn_last_error());
    return surface;
}

static void assert_sound(const rn_surface_mesh *found)
{
    const char *fault = mesh_fault(&found->mesh, found->normal);
    if (fault) fail_msg("%s", fault);
    double volume = mesh_volume(&found->mesh);
    if (fabs(volume - found->volume) > 1e-3 * fabs(volume))
        fail_msg("the volume is %g, reported %g", volume, found->volume);
}

static void assert_volume(const char *what, const rn_surface_mesh *found, double wanted)
{
    if (fabs(found->volume / wanted - 1) > 0.03)
        fail_msg("%s: encloses %g, its particles have %g", what, found->volume, wanted);
}

static void random_clouds_have_closed_manifold_surfaces(void **state)
{
    (void)state;
    static const float voxels[] = {0.3f, 0.5f, 0.77f, 1};
    for (uint32_t n = 0; n < 8; n++) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = 2;
        def.voxel = voxels[n % 4];
        def.smoothing = n % 2 ? 5 : 0;
        def.kernel = n >= 4 ? RN_SURFACE_ANISOTROPIC : RN_SURFACE_ISOTROPIC;
        rn_surface *surface = create(&def);
        cloud c = cloud_gas(600, n % 3 ? 12 : 25, 0.1f);
        rn_surface_points points = cloud_points(&c);
        rn_surface_mesh found = build(surface, &points);
        assert_true(found.mesh.triangle_count > 1000);
        assert_sound(&found);
        for (uint32_t k = 0; k < 3; k++) points.domain_low[k] = 0.2f, points.domain_high[k] = 1;
        found = build(surface, &points);
        assert_sound(&found);
        cloud_free(&c);
        rn_surface_destroy(surface);
    }
}

static void mesh_encloses_volume_of_particles(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 12; n++) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = 2;
        def.kernel = n % 2 ? RN_SURFACE_ANISOTROPIC : RN_SURFACE_ISOTROPIC;
        def.smoothing = n >= 6 ? 0 : def.smoothing;
        rn_surface *surface = create(&def);
        cloud c[3] = {cloud_block(20, 14, 9, 0.01f, 0.1f), cloud_ball(18, 3, 0), cloud_splash(0.02f)};
        cloud *one = &c[n / 2 % 3];
        static const char *const names[] = {"block", "ball", "splash"};
        rn_surface_points points = cloud_points(one);
        rn_surface_mesh found = build(surface, &points);
        assert_sound(&found);
        assert_volume(names[n / 2 % 3], &found, cloud_volume(one));
        for (uint32_t k = 0; k < 3; k++) cloud_free(&c[k]);
        rn_surface_destroy(surface);
    }
}

/* Drops, threads and single layers are hardly larger than the boxes of the grid. */
static void drops_threads_and_layers_have_their_volume(void **state)
{
    (void)state;
    static const char *const names[] = {"drop", "two drops that touch", "thread", "layer", "gas"};
    for (uint32_t n = 0; n < 10; n++) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = 1;
        def.smoothing = n < 5 ? def.smoothing : 0;
        rn_surface *surface = create(&def);
        static const uint32_t side[4][3] = {{1, 1, 1}, {2, 1, 1}, {80, 1, 1}, {40, 1, 40}};
        const uint32_t *size = side[n % 5 % 4];
        cloud c =
            n % 5 == 4 ? cloud_gas(300, 60, 0.1f) : cloud_block(size[0], size[1], size[2], 0.1f, 0);
        rn_surface_points points = cloud_points(&c);
        /* No walls. */
        for (uint32_t k = 0; k < 3; k++) points.domain_low[k] = -50, points.domain_high[k] = 50;
        rn_surface_mesh found = build(surface, &points);
        assert_sound(&found);
        assert_volume(names[n % 5], &found, cloud_volume(&c));
        cloud_free(&c);
        rn_surface_destroy(surface);
    }
}

/* Without the correction: the default level is about right for a flat surface. */
static void fixed_level_encloses_nearly_the_volume(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    def.threads = 1;
    def.keep_volume = false;
    rn_surface *surface = create(&def);
    cloud c = cloud_block(24, 24, 24, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    rn_surface_mesh found = build(surface, &points);
    assert_sound(&found);
    assert_true(found.level == def.level);
    assert_volume("block", &found, cloud_volume(&c));
    cloud_free(&c);
    rn_surface_destroy(surface);
}

static void flat_water_is_flat(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    def.threads = 2;
    rn_surface *surface = create(&def);
    cloud c = cloud_block(30, 8, 30, 0.1f, 0.15f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = points.domain_high[2] = 3, points.domain_high[1] = 4;
    rn_surface_mesh found = build(surface, &points);
    assert_sound(&found);
    double sum = 0, sum_sq = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < found.mesh.vertex_count; v++) {
        const float *x = found.mesh.vertex + 3 * (size_t)v;
        if (x[1] < 0.6f || x[0] < 0.3f || x[0] > 2.7f || x[2] < 0.3f || x[2] > 2.7f) continue;
        sum += (double)x[1];
        sum_sq += (double)x[1] * (double)x[1];
        count++;
    }
    double mean = sum / count;
    double deviation = sqrt(sum_sq / count - mean * mean);
    if (fabs(mean - 0.8) > 0.01) fail_msg("the surface is at %g instead of 0.8", mean);
    if (deviation > 0.006) fail_msg("the surface has bumps of %g for a spacing of 0.1", deviation);
    cloud_free(&c);
    rn_surface_destroy(surface);
}

static void normals_point_out_of_ball(void **state)
{
    (void)state;
    for (uint32_t smoothing = 0; smoothing <= 10; smoothing += 10) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = 2;
        def.smoothing = smoothing;
        rn_surface *surface = create(&def);
        cloud c = cloud_ball(24, 1, 0.1f);
        rn_surface_points points = cloud_points(&c);
        rn_surface_mesh found = build(surface, &points);
        assert_sound(&found);
        float least = 1, wrong = 0;
        for (uint32_t v = 0; v < found.mesh.vertex_count; v++) {
            const float *x = found.mesh.vertex + 3 * (size_t)v;
            const float *n = found.normal + 3 * (size_t)v;
            float d[3] = {x[0] - 12, x[1] - 12, x[2] - 12};
            float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            least = fminf(least, (d[0] * n[0] + d[1] * n[1] + d[2] * n[2]) / r);
            wrong = fmaxf(wrong, fabsf(r - 12));
        }
        if (least < 0.8f) fail_msg("cosine between normal and radius: %g", (double)least);
        if (wrong > 0.6f) fail_msg("a vertex is %g spacings off the ball", (double)wrong);
        cloud_free(&c);
        rn_surface_destroy(surface);
    }
}

static void bits_do_not_depend_on_threads_or_instructions(void **state)
{
    (void)state;
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = 0.8f, points.domain_high[1] = 0.4f, points.domain_high[2] = 0.2f;
    for (uint32_t kernel = 0; kernel < 2; kernel++) {
        uint64_t first = 0;
        for (uint32_t n = 0; n < 6; n++) {
            static const uint32_t threads[] = {1, 2, 5};
            rn_surface_def def = rn_surface_def_default();
            def.threads = threads[n % 3];
            def.kernel = (rn_surface_kernel)kernel;
            def.cpu = n < 3 ? RN_CPU_AUTO : RN_CPU_PLAIN;
            rn_surface *surface = create(&def);
            rn_surface_mesh found = build(surface, &points);
            uint64_t hash = mesh_hash(&found.mesh, found.normal);
            if (n == 0) first = hash;
            if (hash != first)
                fail_msg("%u threads: %016llx instead of %016llx", def.threads,
                         (unsigned long long)hash, (unsigned long long)first);
            rn_surface_destroy(surface);
        }
    }
    cloud_free(&c);
}

static void second_frame_allocates_nothing(void **state)
{
    (void)state;
    counting calls = {0};
    rn_surface_def def = rn_surface_def_default();
    def.threads = 2;
    def.allocator = counting_allocator(&calls);
    rn_surface *surface = create(&def);
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    for (uint32_t n = 0; n < 3; n++) build(surface, &points);
    uint64_t before = calls.calls;
    for (uint32_t n = 0; n < 5; n++) {
        for (uint32_t i = 0; i < c.count; i++) c.position[3 * (size_t)i] += 1e-4f;
        build(surface, &points);
    }
    assert_int_equal(calls.calls, before);
    cloud_free(&c);
    rn_surface_destroy(surface);
}

static void memory_follows_the_surface(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    def.threads = 1;
    rn_surface *surface = create(&def);
    cloud c = cloud_block(64, 64, 64, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    rn_surface_mesh found = build(surface, &points);
    /* 16^3 blocks are full of particles, 18^3 within reach of them. */
    if (found.block_count > 18 * 18 * 18 - 14 * 14 * 14)
        fail_msg("%u blocks were computed", found.block_count);
    cloud_free(&c);
    rn_surface_destroy(surface);
}

static void decimation_keeps_volume_and_walls(void **state)
{
    (void)state;
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = 0.8f, points.domain_high[1] = 0.4f, points.domain_high[2] = 0.2f;
    uint32_t before = 0;
    for (uint32_t n = 0; n < 3; n++) {
        static const float share[] = {1, 0.4f, 0.15f};
        rn_surface_def def = rn_surface_def_default();
        def.threads = 2;
        def.keep_triangles = share[n];
        rn_surface *surface = create(&def);
        rn_surface_mesh found = build(surface, &points);
        assert_sound(&found);
        assert_volume("splash", &found, cloud_volume(&c));
        if (n == 0) before = found.mesh.triangle_count;
        if ((double)found.mesh.triangle_count > 1.05 * (double)share[n] * before)
            fail_msg("%u of %u triangles are left", found.mesh.triangle_count, before);
        for (uint32_t v = 0; v < found.mesh.vertex_count; v++)
            for (uint32_t k = 0; k < 3; k++) {
                float x = found.mesh.vertex[3 * (size_t)v + k];
                if (x < -1e-5f || x > points.domain_high[k] + 1e-5f)
                    fail_msg("a vertex is at %g along %c, behind the wall", (double)x, "xyz"[k]);
            }
        rn_surface_destroy(surface);
    }
    cloud_free(&c);
}

/* One particle, many at one place, a line, a far outlier: with the extremes of every parameter. */
static void odd_clouds_have_sound_surfaces(void **state)
{
    (void)state;
    float x[150];
    for (uint32_t n = 0; n<32; n += FACT_SLOWNESS> 1 ? 5 : 1) {
        rn_surface_def def = rn_surface_def_default();
        def.threads = 1;
        def.voxel = n & 4 ? 0.2f : 1;
        def.radius = n & 8 ? 1.5f : 4;
        def.kernel = n & 16 ? RN_SURFACE_ANISOTROPIC : RN_SURFACE_ISOTROPIC;
        def.keep_triangles = n & 4 ? 0.3f : 1;
        rn_surface *surface = create(&def);
        rn_surface_points points = rn_surface_points_default();
        points.spacing = 0.5f;
        points.position = x;
        points.count = n % 4 == 0 ? 1 : 50;
        for (uint32_t i = 0; i < 150; i++)
            x[i] = n % 4 == 2 ? 0.3f * (float)(i / 3) : n % 4 == 3 && i < 3 ? 1000.0f : -2.5f;
        if (n % 4 == 3)
            for (uint32_t i = 3; i < 150; i++) x[i] = (float)(i * 7919 % 31) * 0.1f;
        rn_surface_mesh found = build(surface, &points);
        assert_sound(&found);
        rn_surface_destroy(surface);
    }
}

static void strided_positions_are_read(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    def.threads = 1;
    rn_surface *surface = create(&def);
    cloud c = cloud_ball(10, 0.1f, 0);
    float *wide = calloc((size_t)c.count * 5, sizeof *wide);
    for (uint32_t i = 0; i < c.count; i++)
        memcpy(wide + 5 * (size_t)i, c.position + 3 * (size_t)i, 12);
    rn_surface_points points = cloud_points(&c);
    rn_surface_mesh found = build(surface, &points);
    uint64_t hash = mesh_hash(&found.mesh, found.normal);
    points.position = wide;
    points.stride_bytes = 5 * sizeof(float);
    found = build(surface, &points);
    assert_true(hash == mesh_hash(&found.mesh, found.normal));
    free(wide);
    cloud_free(&c);
    rn_surface_destroy(surface);
}

/* Share of the corners whose normal looks away from the triangle. */
static double share_turned_away(const rn_surface_mesh *found)
{
    const rn_mesh *m = &found->mesh;
    size_t away = 0;
    for (size_t t = 0; t < m->triangle_count; t++) {
        const float *p[3];
        float u[3], v[3];
        for (size_t k = 0; k < 3; k++) p[k] = m->vertex + 3 * (size_t)m->triangle[3 * t + k];
        for (size_t k = 0; k < 3; k++) u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
        const float face[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                               u[0] * v[1] - u[1] * v[0]};
        for (size_t k = 0; k < 3; k++) {
            const float *n = found->normal + 3 * (size_t)m->triangle[3 * t + k];
            away += n[0] * face[0] + n[1] * face[1] + n[2] * face[2] < 0;
        }
    }
    return (double)away / (3.0 * m->triangle_count);
}

static void normals_face_their_triangles_at_walls_too(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    rn_surface *surface = create(&def);
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    for (uint32_t k = 0; k < 3; k++) points.domain_low[k] = 0.1f, points.domain_high[k] = 0.9f;
    for (uint32_t walls = 0; walls < 2; walls++) {
        for (uint32_t k = 0; k < 6; k++) points.domain_wall[k] = walls == 1;
        rn_surface_mesh found = build(surface, &points);
        const double away = share_turned_away(&found);
        if (away > 5e-4) fail_msg("%g of the corners look away", away);
    }
    cloud_free(&c);
    rn_surface_destroy(surface);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_clouds_have_closed_manifold_surfaces),
        cmocka_unit_test(mesh_encloses_volume_of_particles),
        cmocka_unit_test(drops_threads_and_layers_have_their_volume),
        cmocka_unit_test(fixed_level_encloses_nearly_the_volume),
        cmocka_unit_test(flat_water_is_flat),
        cmocka_unit_test(normals_point_out_of_ball),
        cmocka_unit_test(normals_face_their_triangles_at_walls_too),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_instructions),
        cmocka_unit_test(second_frame_allocates_nothing),
        cmocka_unit_test(memory_follows_the_surface),
        cmocka_unit_test(decimation_keeps_volume_and_walls),
        cmocka_unit_test(odd_clouds_have_sound_surfaces),
        cmocka_unit_test(strided_positions_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
