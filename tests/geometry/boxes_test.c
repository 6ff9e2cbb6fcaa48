#include "fact.h"

#include <runnel/geometry.h>

#include "base/random.h"

static rn_vec3 random_point(rni_random *random)
{
    return rn_vec3_make(rni_random_float(random, -1, 1), rni_random_float(random, -1, 1),
                        rni_random_float(random, -1, 1));
}

static void a_box_of_points_holds_them_and_nothing_else(void **state)
{
    (void)state;
    rni_random random = rni_random_make(9);
    for (int round = 0; round < 200; round++) {
        rn_box3 box = rn_box3_empty();
        assert_true(rn_box3_is_empty(box));
        rn_vec3 points[5];
        for (int k = 0; k < 5; k++) box = rn_box3_include(box, points[k] = random_point(&random));
        for (int k = 0; k < 5; k++) {
            assert_true(rn_box3_contains(box, points[k]));
            assert_true(rn_box3_distance_sq(box, points[k]) == 0.0f);
        }
        rn_vec3 other = random_point(&random);
        assert_int_equal(rn_box3_contains(box, other), rn_box3_distance_sq(box, other) == 0.0f);
        rn_box3 single = rn_box3_include(rn_box3_empty(), other);
        assert_int_equal(rn_box3_overlaps(box, single), rn_box3_contains(box, other));
        assert_true(rn_box3_contains(rn_box3_union(box, single), other));
    }
}

static void boxes_that_touch_overlap(void **state)
{
    (void)state;
    rn_box3 a = {{0, 0, 0}, {1, 1, 1}}, b = {{1, 1, 1}, {2, 2, 2}}, c = {{1.5f, 0, 0}, {2, 1, 1}};
    assert_true(rn_box3_overlaps(a, b));
    assert_false(rn_box3_overlaps(a, c));
}

static void vectors_obey_their_laws(void **state)
{
    (void)state;
    rni_random random = rni_random_make(10);
    for (int round = 0; round < 200; round++) {
        rn_vec3 a = random_point(&random), b = random_point(&random), c = rn_vec3_cross(a, b);
        assert_true(fabsf(rn_vec3_dot(a, c)) < 1e-6f && fabsf(rn_vec3_dot(b, c)) < 1e-6f);
        float lengths = rn_vec3_length(a) * rn_vec3_length(b), dot = rn_vec3_dot(a, b);
        assert_true(fabsf(rn_vec3_dot(c, c) + dot * dot - lengths * lengths) < 1e-5f);
        rn_vec3 back = rn_vec3_sub(rn_vec3_add(a, rn_vec3_scale(b, 2)), rn_vec3_scale(b, 2));
        assert_true(rn_vec3_length(rn_vec3_sub(back, a)) < 1e-6f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_points_holds_them_and_nothing_else),
        cmocka_unit_test(boxes_that_touch_overlap),
        cmocka_unit_test(vectors_obey_their_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
