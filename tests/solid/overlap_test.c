/* Which solids overlap: by distances alone, for every pair of shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "solid/solid.h"

#include <string.h>

static rni_solid make(rn_solid_shape shape, const float center[3], const float half[3], float radius)
{
    rn_solid def = rn_solid_default();
    rni_solid solid;
    def.shape = shape;
    memcpy(def.center, center, sizeof def.center);
    memcpy(def.half, half, sizeof def.half);
    def.radius = radius;
    assert_int_equal(rni_solid_place(&def, 3, &solid), RN_OK);
    return solid;
}

#define AT(...)  ((const float[3]){__VA_ARGS__})
#define BOX(...) RN_SOLID_BOX, __VA_ARGS__, 0

static void expect(const rni_solid *a, const rni_solid *b, bool is_overlapping)
{
    assert_int_equal(rni_solid_overlap(a, b, 0.01f) > 0, is_overlapping);
    assert_int_equal(rni_solid_overlap(b, a, 0.01f) > 0, is_overlapping);
}

static void bars_that_cross_overlap(void **state)
{
    (void)state;
    const rni_solid x = make(BOX(AT(0, 0, 0), AT(2, 0.1f, 0.1f)));
    const rni_solid y = make(BOX(AT(0.7f, 0, 0.1f), AT(0.1f, 2, 0.1f)));
    const rni_solid beside = make(BOX(AT(0.7f, 0, 0.25f), AT(0.1f, 2, 0.1f)));
    expect(&x, &y, true);
    expect(&x, &beside, false);
}

static void walls_that_touch_do_not_overlap(void **state)
{
    (void)state;
    const rni_solid floor = make(BOX(AT(0, -0.5f, 0), AT(1, 0.5f, 1)));
    const rni_solid post = make(BOX(AT(0, 1, 0), AT(0.2f, 1, 0.2f)));
    const rni_solid sunk = make(BOX(AT(0, 0.98f, 0), AT(0.2f, 1, 0.2f)));
    expect(&floor, &post, false);
    expect(&floor, &sunk, true);
}

static void a_ball_inside_a_box_overlaps_it(void **state)
{
    (void)state;
    const rni_solid box = make(BOX(AT(0, 0, 0), AT(1, 1, 1)));
    const rni_solid inside = make(RN_SOLID_SPHERE, AT(0.5f, 0, 0), AT(0, 0, 0), 0.1f);
    const rni_solid at_corner = make(RN_SOLID_SPHERE, AT(1.15f, 1.15f, 1.15f), AT(0, 0, 0), 0.2f);
    const rni_solid in_corner = make(RN_SOLID_SPHERE, AT(1.08f, 1.08f, 1.08f), AT(0, 0, 0), 0.2f);
    expect(&box, &inside, true);
    expect(&box, &at_corner, false); /* 0.26 m off the corner, though its box reaches in */
    expect(&box, &in_corner, true);
}

static void what_has_no_end_overlaps_nothing(void **state)
{
    (void)state;
    const rni_solid plane = make(RN_SOLID_PLANE, AT(0, 0, 0), AT(0, 0, 0), 0);
    const rni_solid ball = make(RN_SOLID_SPHERE, AT(0, 0, 0), AT(0, 0, 0), 0.1f);
    rn_solid def = ball.def;
    rni_solid hollow;
    def.is_hollow = true;
    assert_int_equal(rni_solid_place(&def, 3, &hollow), RN_OK);
    expect(&plane, &ball, false);
    expect(&hollow, &ball, false);
}

static void the_share_inside_is_that_of_the_volume(void **state)
{
    (void)state;
    const rni_solid box = make(BOX(AT(0, 0, 0), AT(1, 1, 1)));
    const rni_solid half = make(BOX(AT(1, 0, 0), AT(0.5f, 0.5f, 0.5f)));
    const rni_solid far = make(BOX(AT(3, 0, 0), AT(0.5f, 0.5f, 0.5f)));
    assert_float_equal(rni_solid_share_inside(&half, &box), 0.5, 0.01);
    assert_float_equal(rni_solid_share_inside(&box, &half), 0.0625, 0.01);
    assert_float_equal(rni_solid_share_inside(&far, &box), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_that_cross_overlap),
        cmocka_unit_test(walls_that_touch_do_not_overlap),
        cmocka_unit_test(a_ball_inside_a_box_overlaps_it),
        cmocka_unit_test(what_has_no_end_overlaps_nothing),
        cmocka_unit_test(the_share_inside_is_that_of_the_volume),
    };
    return cmocka_run_group_tests_name("solid.overlap", tests, NULL, NULL);
}
