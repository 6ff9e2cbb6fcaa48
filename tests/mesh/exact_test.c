/* Signs of determinants against whole numbers, and triangles in every position to each other. */
#include "../fact.h"

#include "base/random.h"
#include "mesh/exact.h"
#include "mesh/intersect.h"

#include <math.h>
#include <string.h>

/* Whole numbers up to 2^18 times a power of two, also far from the origin: the determinant fits into 64 bits. */
static void signs_agree_with_whole_numbers(void **state)
{
    (void)state;
    rni_random random = rni_random_make(3);
    unsigned zeros = 0;
    for (int trial = 0; trial < 200000; trial++) {
        const int bits = 1 + (int)rni_random_below(&random, 18);
        const int power = (int)rni_random_below(&random, 60) - 40;
        int64_t whole[4][3];
        float p[4][3];
        const int64_t shift = rni_random_below(&random, 3) ? 0 : (int64_t)(1 << 22);
        for (int k = 0; k < 12; k++) {
            whole[k / 3][k % 3] = (int64_t)rni_random_below(&random, 1u << bits) + shift;
            p[k / 3][k % 3] = ldexpf((float)whole[k / 3][k % 3], power);
        }
        if (trial % 4 == 0) /* in one plane */
            for (int axis = 0; axis < 3; axis++) {
                whole[3][axis] = whole[0][axis] + whole[1][axis] - whole[2][axis];
                p[3][axis] = ldexpf((float)whole[3][axis], power);
            }
        int64_t m[3][3];
        for (int r = 0; r < 3; r++)
            for (int axis = 0; axis < 3; axis++) m[r][axis] = whole[r][axis] - whole[3][axis];
        const int64_t side = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                             m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        assert_int_equal(rni_exact_side(p[0], p[1], p[2], p[3]), (side > 0) - (side < 0));
        zeros += side == 0;
        const int64_t turn = m[0][0] * m[1][1] - m[0][1] * m[1][0]; /* of 0, 1, 3 */
        assert_int_equal(rni_exact_turn(p[0], p[1], p[3], 0, 1), (turn > 0) - (turn < 0));
    }
    assert_true(zeros > 40000);
}

/* The last bit of a coordinate decides. */
static void one_bit_off_the_plane_is_seen(void **state)
{
    (void)state;
    const float a[3] = {1e-3f, 1e5f, 0.1f}, b[3] = {1e5f, 3e-4f, 0.1f}, c[3] = {-7e4f, -3.3e4f, 0.1f};
    float d[3] = {0.3f, 0.7f, 0.1f};
    assert_int_equal(rni_exact_side(a, b, c, d), 0);
    d[2] = nextafterf(0.1f, 1);
    const int above = rni_exact_side(a, b, c, d);
    assert_int_not_equal(above, 0);
    d[2] = nextafterf(0.1f, 0);
    assert_int_equal(rni_exact_side(a, b, c, d), -above);
    const float large[3] = {3e38f, -3e38f, 3e38f}, small[3] = {1e-45f, 0, 0}, zero[3] = {0};
    assert_true(rni_exact_is_flat(large, zero, large));
    assert_false(rni_exact_is_flat(large, zero, small));
}

/* Every order of corners and of triangles gives the same answer. */
static bool intersect(const float a[9], const float b[9])
{
    static const int ORDERS[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int yes = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const float *s[3], *t[3];
            for (int k = 0; k < 3; k++) {
                s[k] = a + 3 * ORDERS[i][k];
                t[k] = b + 3 * ORDERS[j][k];
            }
            yes += rni_triangles_intersect(s, t);
            yes += rni_triangles_intersect(t, s);
        }
    if (yes != 0 && yes != 72) fail_msg("%d of 72 orders say that the triangles intersect", yes);
    return yes == 72;
}

static void triangles_in_known_positions(void **state)
{
    (void)state;
    static const float T[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    static const struct {
        float other[9];
        bool meets;
        const char *what;
    } CASES[] = {
        {{1, 1, -1, 1, 1, 1, 2, 1, 1}, true, "pierces the face"},
        {{1, 1, 1, 1, 1, 2, 2, 1, 1}, false, "above"},
        {{1, 1, 0, 1, 1, 2, 2, 1, 1}, true, "a corner on the face"},
        {{2, 2, 0, 3, 3, 2, 3, 3, -1}, true, "touches an edge with a corner"},
        {{2.5f, 2.5f, 0, 3, 3, 2, 3, 3, -1}, false, "past the edge"},
        {{1, 1, 0, 2, 1, 0, 1, 2, 0}, true, "inside, in the plane"},
        {{3, 3, 0, 5, 3, 0, 3, 5, 0}, false, "beside, in the plane"},
        {{-1, -1, 0, 9, -1, 0, -1, 9, 0}, true, "around, in the plane"},
        {{0, 0, 0, -4, 0, 0, 0, -4, 0}, false, "only a corner shared, in the plane"},
        {{0, 0, 0, 1, 1, 0, 2, 1, 0}, true, "a corner shared, overlap"},
        {{0, 0, 0, 1, 1, 1, 1, 1, -1}, true, "a corner shared, through the face"},
        {{0, 0, 0, 1, 1, 1, 2, 1, 1}, false, "a corner shared, above"},
        {{0, 0, 0, 8, 0, 0, 0, 0, 1}, true, "a corner shared, along an edge"},
        {{0, 0, 0, 4, 0, 0, 0, 0, 4}, false, "an edge shared"},
        {{0, 0, 0, 4, 0, 0, 2, -4, 0}, false, "an edge shared, in the plane, outwards"},
        {{0, 0, 0, 4, 0, 0, 2, 4, 0}, true, "an edge shared, folded over"},
        {{0, 0, 0, 4, 0, 0, 0, 4, 0}, false, "the same triangle"},
        {{2, 0, 0, 2, -1, 1, 2, -1, -1}, true, "a T: a corner on an edge"},
        {{1, 0, 0, 3, 0, 0, 2, -2, 0}, true, "part of an edge, in the plane"},
        {{1, 0, 0, 3, 0, 0, 2, 0, 2}, true, "part of an edge, upright"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++)
        if (intersect(T, CASES[k].other) != CASES[k].meets) fail_msg("%s", CASES[k].what);
}

/* On a coarse lattice nearly every pair touches in a degenerate way: all orders agree. */
static void order_of_corners_never_matters(void **state)
{
    (void)state;
    rni_random random = rni_random_make(5);
    unsigned meets = 0, count = 0;
    while (count < 20000) {
        float a[9], b[9];
        for (int k = 0; k < 9; k++) {
            a[k] = 0.1f * (float)rni_random_below(&random, 4);
            b[k] = 0.1f * (float)rni_random_below(&random, 4);
        }
        if (rni_exact_is_flat(a, a + 3, a + 6) || rni_exact_is_flat(b, b + 3, b + 6)) continue;
        meets += intersect(a, b);
        count++;
    }
    assert_in_range(meets, 2000, 18000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_agree_with_whole_numbers),
        cmocka_unit_test(one_bit_off_the_plane_is_seen),
        cmocka_unit_test(triangles_in_known_positions),
        cmocka_unit_test(order_of_corners_never_matters),
    };
    return cmocka_run_group_tests_name("mesh.exact", tests, NULL, NULL);
}
