/* Walls: the water touches them, and none is behind them. */
#include "fact.h"

#include "surface/clouds.h"

#include <math.h>

static rn_surface_mesh build(rn_surface *surface, const rn_surface_points *points)
{
    rn_surface_mesh found = rn_surface_mesh_default();
    if (rn_surface_build(surface, points, &found) != RN_OK) fail_msg("%s", rn_last_error());
    const char *fault = mesh_fault(&found.mesh, found.normal);
    if (fault) fail_msg("%s", fault);
    return found;
}

static rn_surface *create(uint32_t smoothing)
{
    rn_surface_def def = rn_surface_def_default();
    def.smoothing = smoothing;
    def.threads = 2;
    rn_surface *surface = NULL;
    if (rn_surface_create(&def, &surface) != RN_OK) fail_msg("%s", rn_last_error());
    return surface;
}

/* m^2 of triangles whose corners all are within tolerance of the plane. */
static double area_at(const rn_mesh *mesh, uint32_t axis, float place, float tolerance)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *p[3];
        bool is_at = true;
        for (uint32_t k = 0; k < 3; k++) {
            p[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + k];
            is_at &= fabsf(p[k][axis] - place) < tolerance;
        }
        if (!is_at) continue;
        uint32_t u = (axis + 1) % 3;
        uint32_t v = (axis + 2) % 3;
        sum += 0.5 * fabs((double)((p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) -
                                   (p[1][v] - p[0][v]) * (p[2][u] - p[0][u])));
    }
    return sum;
}

static void water_in_a_tank_touches_the_glass(void **state)
{
    (void)state;
    rn_surface *surface = create(10);
    cloud c = cloud_block(23, 9, 17, 0.1f, 0.1f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = 2.3f, points.domain_high[1] = 3, points.domain_high[2] = 1.7f;
    rn_surface_mesh found = build(surface, &points);
    for (size_t v = 0; v < found.mesh.vertex_count; v++)
        for (uint32_t k = 0; k < 3; k++) {
            float x = found.mesh.vertex[3 * v + k];
            if (x < points.domain_low[k] - 1e-4f || x > points.domain_high[k] + 1e-4f)
                fail_msg("a vertex is at %g along %c, behind the wall", (double)x, "xyz"[k]);
        }
    static const double wanted[3] = {0.9 * 1.7, 2.3 * 1.7, 0.9 * 2.3};
    for (uint32_t side = 0; side < 6; side++) {
        if (side == 3) continue; /* above the water */
        uint32_t k = side / 2;
        float place = side % 2 ? points.domain_high[k] : points.domain_low[k];
        double area = area_at(&found.mesh, k, place, 1e-3f);
        if (fabs(area / wanted[k] - 1) > 0.02)
            fail_msg("side %u: water touches %g of %g m^2", side, area, wanted[k]);
    }
    cloud_free(&c);
    rn_surface_destroy(surface);
}

/* The corners of a tank, two steps of the grid from which a second wall comes into reach. */
static void smoothing_leaves_no_gap_between_water_line_and_glass(void **state)
{
    (void)state;
    cloud c = cloud_block(20, 20, 20, 0.02f, 0.02f);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = points.domain_high[2] = 0.4f, points.domain_high[1] = 0.6f;
    rn_surface *rough = create(0), *smooth = create(24);
    rn_surface_mesh before = build(rough, &points), after = build(smooth, &points);
    assert_int_equal(before.mesh.vertex_count, after.mesh.vertex_count);
    for (size_t v = 0; v < 3 * (size_t)before.mesh.vertex_count; v++) {
        uint32_t k = (uint32_t)(v % 3);
        float from = before.mesh.vertex[v], to = after.mesh.vertex[v];
        if (k == 1 || fminf(from, 0.4f - from) > 5e-4f) continue;
        if (fminf(to, 0.4f - to) > 5e-4f)
            fail_msg("a vertex at %g, %g, %g left the glass along %c, to %g",
                     (double)before.mesh.vertex[v - k], (double)before.mesh.vertex[v - k + 1],
                     (double)before.mesh.vertex[v - k + 2], "xyz"[k], (double)to);
    }
    cloud_free(&c);
    rn_surface_destroy(rough);
    rn_surface_destroy(smooth);
}

static void open_side_does_not_cut(void **state)
{
    (void)state;
    rn_surface *surface = create(10);
    cloud c = cloud_ball(12, 0.1f, 0);
    rn_surface_points points = cloud_points(&c);
    points.domain_high[0] = 0.6f, points.domain_high[1] = points.domain_high[2] = 9;
    points.domain_low[1] = points.domain_low[2] = -9;
    points.domain_wall[1] = false;
    rn_surface_mesh found = build(surface, &points);
    float most = 0;
    for (size_t v = 0; v < found.mesh.vertex_count; v++)
        most = fmaxf(most, found.mesh.vertex[3 * v]);
    assert_true(most > 1.15f);
    cloud_free(&c);
    rn_surface_destroy(surface);
}

/* A post in the middle of the tank. */
static uint32_t post(void *user, const float x[3], float reach, float distance[RN_SURFACE_MAX_WALLS])
{
    const float *p = user;
    distance[0] = hypotf(x[0] - p[0], x[2] - p[1]) - p[2];
    return distance[0] < reach;
}

static void callback_wall_cuts_exactly(void **state)
{
    (void)state;
    rn_surface *surface = create(10);
    cloud all = cloud_block(24, 8, 24, 0.1f, 0.05f);
    float where[3] = {1.2f, 1.2f, 0.5f};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        float d[RN_SURFACE_MAX_WALLS];
        const float *x = all.position + 3 * (size_t)i;
        post(where, x, 9, d);
        if (d[0] < 0.04f) continue;
        for (uint32_t k = 0; k < 3; k++) all.position[3 * (size_t)kept + k] = x[k];
        kept++;
    }
    all.count = kept;
    rn_surface_points points = cloud_points(&all);
    points.domain_high[0] = points.domain_high[2] = 2.4f, points.domain_high[1] = 3;
    points.walls = post;
    points.walls_user = where;
    rn_surface_mesh found = build(surface, &points);
    uint32_t touching = 0;
    for (size_t v = 0; v < found.mesh.vertex_count; v++) {
        float d[RN_SURFACE_MAX_WALLS];
        post(where, found.mesh.vertex + 3 * v, 9, d);
        if (d[0] < -2e-3f) fail_msg("a vertex is %g m inside the post", (double)-d[0]);
        touching += fabsf(d[0]) < 2e-3f;
    }
    /* Around 3.1 m and up 0.8 m in steps of 0.05 m. */
    if (touching < 500) fail_msg("%u vertices touch the post", touching);
    if (fabs(found.volume / cloud_volume(&all) - 1) > 0.03)
        fail_msg("encloses %g of %g m^3", found.volume, cloud_volume(&all));
    cloud_free(&all);
    rn_surface_destroy(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_in_a_tank_touches_the_glass),
        cmocka_unit_test(smoothing_leaves_no_gap_between_water_line_and_glass),
        cmocka_unit_test(open_side_does_not_cut),
        cmocka_unit_test(callback_wall_cuts_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
