/* What is refused, with which sentence; and every allocation that fails. */
#include "fact.h"

#include "allocators.h"
#include "surface/clouds.h"

#include <math.h>
#include <string.h>

static void assert_said(const char *part)
{
    if (!strstr(rn_last_error(), part)) fail_msg("\"%s\" lacks \"%s\"", rn_last_error(), part);
}

static void wrong_definitions_are_refused(void **state)
{
    (void)state;
    rn_surface *surface = NULL;
    for (uint32_t n = 0; n < 7; n++) {
        static const char *const words[] = {"struct_bytes", "kernel",    "voxel",         "radius",
                                            "level",        "smoothing", "keep_triangles"};
        rn_surface_def def = rn_surface_def_default();
        if (n == 0) def.struct_bytes = 0;
        if (n == 1) def.kernel = (rn_surface_kernel)7;
        if (n == 2) def.voxel = 0;
        if (n == 3) def.radius = NAN;
        if (n == 4) def.level = 1;
        if (n == 5) def.smoothing = 5000;
        if (n == 6) def.keep_triangles = 2;
        assert_int_equal(rn_surface_create(&def, &surface), RN_ERROR_ARGUMENT);
        assert_null(surface);
        assert_said(words[n]);
    }
    assert_int_equal(rn_surface_create(NULL, &surface), RN_ERROR_ARGUMENT);
}

static void wrong_points_are_refused_and_the_surface_stays_usable(void **state)
{
    (void)state;
    rn_surface_def def = rn_surface_def_default();
    def.threads = 1;
    rn_surface *surface = NULL;
    assert_int_equal(rn_surface_create(&def, &surface), RN_OK);
    cloud c = cloud_ball(8, 0.1f, 0);
    rn_surface_mesh found = rn_surface_mesh_default();
    for (uint32_t n = 0; n < 6; n++) {
        static const char *const words[] = {"struct_bytes", "spacing",  "particle 17",
                                            "stride",       "interval", "apart"};
        rn_surface_points points = cloud_points(&c);
        float kept = c.position[3 * 17 + 1];
        if (n == 0) points.struct_bytes = 3;
        if (n == 1) points.spacing = -1;
        if (n == 2) c.position[3 * 17 + 1] = NAN;
        if (n == 3) points.stride_bytes = 4;
        if (n == 4) points.domain_low[2] = 1;
        if (n == 5) c.position[3 * 17 + 1] = 1e9f;
        assert_int_not_equal(rn_surface_build(surface, &points, &found), RN_OK);
        assert_said(words[n]);
        assert_int_equal(found.mesh.vertex_count, 0);
        c.position[3 * 17 + 1] = kept;
    }
    rn_surface_points points = cloud_points(&c);
    assert_int_equal(rn_surface_build(surface, &points, &found), RN_OK);
    assert_true(found.mesh.triangle_count > 100);
    points.count = 0;
    assert_int_equal(rn_surface_build(surface, &points, &found), RN_OK);
    assert_int_equal(found.mesh.triangle_count, 0);
    cloud_free(&c);
    rn_surface_destroy(surface);
    rn_surface_destroy(NULL);
}

static void each_failing_allocation_leaves_a_usable_surface(void **state)
{
    (void)state;
    cloud c = cloud_ball(8, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    bool is_done = false;
    for (int64_t n = 0; !is_done; n++) {
        budget b = {.left = n};
        rn_surface_def def = rn_surface_def_default();
        def.threads = 2;
        def.keep_triangles = 0.5f;
        def.allocator = budget_allocator(&b);
        rn_surface *surface = NULL;
        rn_surface_mesh found = rn_surface_mesh_default();
        if (rn_surface_create(&def, &surface) == RN_OK) {
            is_done = rn_surface_build(surface, &points, &found) == RN_OK;
            b.left = -1;
            assert_int_equal(rn_surface_build(surface, &points, &found), RN_OK);
            assert_null(mesh_fault(&found.mesh, found.normal));
        }
        rn_surface_destroy(surface);
        assert_int_equal(b.live, 0);
        assert_true(n < 1000);
    }
    cloud_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(wrong_points_are_refused_and_the_surface_stays_usable),
        cmocka_unit_test(each_failing_allocation_leaves_a_usable_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
