/* Solids in the picture: against a slow twin that asks their distance, and what hides what. */
#include "sample.h"

#include "base/random.h"
#include "render/canvas.h"

#include <math.h>
#include <string.h>

/* Whether a place is inside a solid, from its definition alone. */
static bool is_inside(const rn_solid *s, rni_vec p)
{
    const float x[3] = {p.x, p.y, p.z};
    return rni_solid_exact_distance(s, 3, x) < 0;
}

static void span_of_a_ray_is_where_its_places_are_inside(void **state)
{
    (void)state;
    const rn_solid solids[] = {
        {.shape = RN_SOLID_BOX,
         .center = {0.1f, 0.2f, 0},
         .half = {0.5f, 0.3f, 0.2f},
         .turn = {20, -35, 70}},
        {.shape = RN_SOLID_SPHERE, .center = {0.1f, -0.2f, 0.3f}, .radius = 0.6f},
        {.shape = RN_SOLID_CYLINDER,
         .center = {0, 0.1f, 0},
         .axis = {1, 2, -1},
         .half = {0.6f},
         .radius = 0.3f},
        {.shape = RN_SOLID_PLANE, .center = {0, 0.1f, 0.2f}, .axis = {0.3f, 2, 1}}};
    rni_picture picture = rni_picture_default();
    picture.solids = solids;
    picture.solid_count = 4;
    rni_wall walls[4];
    rni_rect seen[8];
    rni_canvas canvas = {.picture = &picture, .walls = walls, .wall_count = 4, .wall_seen = seen};
    canvas.domain = (rni_box){{-1, -1, -1}, {1, 1, 1}};
    canvas.size = 1;
    canvas.camera = canvas.light =
        (rni_view){.width = 8, .height = 8, .scale = 1, .step = 1, .is_flat = true};
    rni_walls_prepare(&canvas);
    rni_random random = rni_random_make(7);
    for (int k = 0; k < 4000; k++) {
        float n[6];
        for (int c = 0; c < 6; c++) n[c] = rni_random_float(&random, -1, 1);
        rni_ray ray = {{n[0] * 2, n[1] * 2, n[2] * 2}, {n[3], n[4], n[5]}};
        uint32_t w = (uint32_t)k % 4;
        rni_span span = {.near = 1, .far = 0};
        bool meets = rni_wall_span(&canvas, &walls[w], ray, &span);
        for (float t = -4; t < 4; t += 0.093f) {
            rni_vec p = rni_along(ray.origin, ray.direction, t);
            bool is_near_edge =
                meets && (fabsf(t - span.near) < 1e-3f || fabsf(t - span.far) < 1e-3f);
            float out = fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z)));
            if (is_near_edge || fabsf(out - 1) < 2e-3f) continue;
            bool is_in = meets && t > span.near && t < span.far;
            if (is_in != (out < 1 && is_inside(&solids[w], p)))
                fail_msg("solid %u, ray %d, t = %g: %s by the span", w, k, (double)t,
                         is_in ? "inside" : "outside");
        }
        if (meets) assert_true(rni_dot(rni_vec_of(span.near_normal), ray.direction) <= 0);
        if (meets) assert_true(rni_dot(rni_vec_of(span.far_normal), ray.direction) >= 0);
    }
}

static rni_picture with_block(const float *place, const rn_solid *solid)
{
    rni_picture p = sample_front(place, 1, 1);
    for (int k = 0; k < 3; k++) {
        p.frame.domain_low[k] = -4;
        p.frame.domain_high[k] = 4;
    }
    p.solids = solid;
    p.solid_count = 1;
    return p;
}

static void block_hides_a_particle_behind_it_and_not_one_before(void **state)
{
    (void)state;
    const float behind[3] = {0, 0, -2};
    const float before[3] = {0, 0, 3};
    const rn_solid block = {.shape = RN_SOLID_BOX, .half = {2, 2, 1}};
    rni_picture p = with_block(before, &block);
    uint8_t *rgba = sample_render(&p);
    assert_true(sample_blue(&p, rgba, 100, 80) > 60);
    free(rgba);
    /* A little of much: the block hides all of the water, and turns to glass for it. */
    p = with_block(behind, &block);
    rgba = sample_render(&p);
    assert_true(sample_blue(&p, rgba, 100, 80) > 40);
    free(rgba);
    /* When there is more water beside it, it stays as it is. */
    const float many[] = {0,  0,     -2, 3.7f, 0,    -2, -3.7f, 0,     -2, 3.7f, 2,
                          -2, -3.7f, 2,  -2,   3.7f, -2, -2,    -3.7f, -2, -2};
    p = with_block(many, &block);
    p.frame.count = 7;
    p.frame.domain_low[0] = -6;
    p.frame.domain_high[0] = 6;
    rgba = sample_render(&p);
    assert_true(sample_blue(&p, rgba, 100, 80) < 20);
    free(rgba);
}

static void near_side_of_a_tank_does_not_hide_what_is_in_it(void **state)
{
    (void)state;
    const float place[3] = {0, 0, 0};
    const rn_solid tank = {
        .shape = RN_SOLID_CYLINDER, .axis = {0, 1, 0}, .half = {3}, .radius = 3, .is_hollow = true};
    rni_picture p = with_block(place, &tank);
    uint8_t *rgba = sample_render(&p);
    assert_true(sample_blue(&p, rgba, 100, 80) > 40);
    free(rgba);
}

static void walls_none_leaves_them_out(void **state)
{
    (void)state;
    const float place[3] = {0, 0, -2};
    const rn_solid block = {.shape = RN_SOLID_BOX, .half = {2, 2, 1}};
    rni_picture p = with_block(place, &block);
    p.walls = RNI_WALLS_NONE;
    uint8_t *with = sample_render(&p);
    p.solid_count = 0;
    uint8_t *without = sample_render(&p);
    assert_memory_equal(with, without, 200 * 160 * 4);
    free(with);
    free(without);
}

static rni_wall flat_wall(const rn_solid *solid)
{
    rni_wall wall = {.is_glass = false};
    assert_int_equal(rni_solid_place(solid, 2, &wall.solid), RN_OK);
    return wall;
}

static void flat_distance_has_the_sign_of_the_solid(void **state)
{
    (void)state;
    rni_wall disc =
        flat_wall(&(rn_solid){.shape = RN_SOLID_SPHERE, .center = {1, 1}, .radius = 0.5f});
    assert_float_equal(rni_wall_distance_flat(&disc, 1, 2), 0.5f, 1e-6f);
    assert_float_equal(rni_wall_distance_flat(&disc, 1, 1), -0.5f, 1e-6f);
    disc = flat_wall(
        &(rn_solid){.shape = RN_SOLID_SPHERE, .center = {1, 1}, .radius = 0.5f, .is_hollow = true});
    assert_float_equal(rni_wall_distance_flat(&disc, 1, 1), 0.5f, 1e-6f);
    rni_wall box = flat_wall(&(rn_solid){.shape = RN_SOLID_BOX, .half = {2, 1}, .turn = {0, 0, 90}});
    assert_float_equal(rni_wall_distance_flat(&box, 0, 3), 1, 1e-6f);
    assert_float_equal(rni_wall_distance_flat(&box, 3, 0), 2, 1e-6f);
    rni_wall plane = flat_wall(&(rn_solid){.shape = RN_SOLID_PLANE, .axis = {0, 1, 0}});
    assert_float_equal(rni_wall_distance_flat(&plane, 7, -2), -2, 1e-6f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(span_of_a_ray_is_where_its_places_are_inside),
        cmocka_unit_test(block_hides_a_particle_behind_it_and_not_one_before),
        cmocka_unit_test(near_side_of_a_tank_does_not_hide_what_is_in_it),
        cmocka_unit_test(walls_none_leaves_them_out),
        cmocka_unit_test(flat_distance_has_the_sign_of_the_solid)};
    return cmocka_run_group_tests_name("render.walls", tests, NULL, NULL);
}
