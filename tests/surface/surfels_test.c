/* Surfels: on the surface, everywhere on it, the same bits. */
#include "fact.h"

#include "allocators.h"
#include "surface/clouds.h"

#include <math.h>
#include <string.h>

static rn_surfels *create(const rn_surfels_def *def)
{
    rn_surfels *surfels = NULL;
    if (rn_surfels_create(def, &surfels) != RN_OK) fail_msg("%s", rn_last_error());
    return surfels;
}

static rn_surfel_set build(rn_surfels *surfels, const rn_surface_points *points)
{
    rn_surfel_set found = rn_surfel_set_default();
    if (rn_surfels_build(surfels, points, &found) != RN_OK) fail_msg("%s", rn_last_error());
    return found;
}

static void surfels_cover_a_ball(void **state)
{
    (void)state;
    rn_surfels_def def = rn_surfels_def_default();
    def.threads = 2;
    rn_surfels *surfels = create(&def);
    cloud c = cloud_ball(20, 0.1f, 0.05f);
    rn_surface_points points = cloud_points(&c);
    rn_surfel_set found = build(surfels, &points);
    assert_true(found.count > found.surface_particle_count / 2 && found.surface_particle_count > 300);
    for (uint32_t n = 0; n < found.count; n++) {
        const float *x = found.position + 3 * (size_t)n;
        const float *m = found.normal + 3 * (size_t)n;
        float d[3] = {x[0] - 1, x[1] - 1, x[2] - 1};
        float r = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (fabsf(r - 1) > 0.08f) fail_msg("surfel %u is %g m from the centre", n, (double)r);
        float cosine = (d[0] * m[0] + d[1] * m[1] + d[2] * m[2]) / r;
        if (cosine < 0.7f)
            fail_msg("surfel %u: cosine between normal and radius %g", n, (double)cosine);
    }
    /* No place of the sphere is farther than the radius from a surfel. */
    float widest = 0;
    for (uint32_t k = 0; k < 2000; k++) {
        float z = 1 - 2 * ((float)k + 0.5f) / 2000;
        float angle = 2.39996323f * (float)k;
        float s = sqrtf(1 - z * z);
        float p[3] = {1 + s * cosf(angle), 1 + s * sinf(angle), 1 + z};
        float nearest = INFINITY;
        for (uint32_t n = 0; n < found.count; n++) {
            const float *x = found.position + 3 * (size_t)n;
            nearest = fminf(nearest, hypotf(hypotf(x[0] - p[0], x[1] - p[1]), x[2] - p[2]));
        }
        widest = fmaxf(widest, nearest);
    }
    if (widest > found.radius + 0.06f)
        fail_msg("a hole: %g m to the next surfel, discs have %g m", (double)widest,
                 (double)found.radius);
    cloud_free(&c);
    rn_surfels_destroy(surfels);
}

static void no_surfels_where_water_touches_walls(void **state)
{
    (void)state;
    rn_surfels_def def = rn_surfels_def_default();
    def.threads = 2;
    rn_surfels *surfels = create(&def);
    cloud c = cloud_block(20, 8, 20, 0.1f, 0.05f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = points.domain_high[2] = 2, points.domain_high[1] = 3;
    rn_surfel_set found = build(surfels, &points);
    /* 2 x 2 m at 0.05 m. */
    if (found.count < 1000 || found.count > 3000) fail_msg("%u surfels", found.count);
    for (uint32_t n = 0; n < found.count; n++) {
        float y = found.position[3 * (size_t)n + 1];
        if (fabsf(y - 0.8f) > 0.08f) fail_msg("a surfel at the height of %g m", (double)y);
    }
    cloud_free(&c);
    rn_surfels_destroy(surfels);
}

static uint64_t hash_of(const rn_surfel_set *found)
{
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex = found->position;
    mesh.vertex_count = found->count;
    return mesh_hash(&mesh, found->normal);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    cloud c = cloud_splash(0.02f);
    rn_surface_points points = cloud_points(&c);
    uint64_t first = 0;
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        counting calls = {0};
        rn_surfels_def def = rn_surfels_def_default();
        def.threads = threads;
        def.allocator = counting_allocator(&calls);
        rn_surfels *surfels = create(&def);
        for (uint32_t n = 0; n < 3; n++) build(surfels, &points);
        uint64_t before = calls.calls;
        rn_surfel_set found = build(surfels, &points);
        assert_int_equal(calls.calls, before);
        if (threads == 1) first = hash_of(&found);
        assert_true(hash_of(&found) == first);
        rn_surfels_destroy(surfels);
    }
    cloud_free(&c);
}

static void wrong_definitions_are_refused(void **state)
{
    (void)state;
    rn_surfels *surfels = NULL;
    for (uint32_t n = 0; n < 4; n++) {
        static const char *const words[] = {"struct_bytes", "distance", "radius", "rounds"};
        rn_surfels_def def = rn_surfels_def_default();
        if (n == 0) def.struct_bytes = 0;
        if (n == 1) def.distance = 0;
        if (n == 2) def.radius = 50;
        if (n == 3) def.rounds = 99;
        assert_int_equal(rn_surfels_create(&def, &surfels), RN_ERROR_ARGUMENT);
        assert_null(surfels);
        if (!strstr(rn_last_error(), words[n]))
            fail_msg("\"%s\" lacks \"%s\"", rn_last_error(), words[n]);
    }
    rn_surfels_destroy(NULL);
}

static void each_failing_allocation_leaves_usable_surfels(void **state)
{
    (void)state;
    cloud c = cloud_ball(6, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    bool is_done = false;
    for (int64_t n = 0; !is_done; n++) {
        budget b = {.left = n};
        rn_surfels_def def = rn_surfels_def_default();
        def.threads = 2;
        def.allocator = budget_allocator(&b);
        rn_surfels *surfels = NULL;
        rn_surfel_set found = rn_surfel_set_default();
        if (rn_surfels_create(&def, &surfels) == RN_OK) {
            is_done = rn_surfels_build(surfels, &points, &found) == RN_OK;
            b.left = -1;
            found = build(surfels, &points);
            assert_true(found.count > 50);
        }
        rn_surfels_destroy(surfels);
        assert_int_equal(b.live, 0);
        assert_true(n < 1000);
    }
    cloud_free(&c);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfels_cover_a_ball),
        cmocka_unit_test(no_surfels_where_water_touches_walls),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(each_failing_allocation_leaves_usable_surfels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
