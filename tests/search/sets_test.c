/* Several point sets, with a table of which set searches which. */
#include "fact.h"

#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>

/* Three different point sets (one of them empty or far away) as sets of one search. */
static void check_three(const uint32_t numbers[3], rn_search_method method, uint32_t threads)
{
    world w[3];
    rn_points points[3];
    rn_search_def def = rn_search_def_default();
    def.set_count = 3;
    def.searches[0] = 1u << 0 | 1u << 1; /* fluid: itself and walls */
    def.searches[1] = 1u << 0;           /* walls: the fluid */
    def.searches[2] = 1u << 0 | 1u << 1 | 1u << 2;
    def.radius = 0.9f;
    def.method = method;
    def.threads = threads;
    for (int s = 0; s < 3; s++) {
        assert_true(world_make(numbers[s], 500 + 200 * (uint32_t)s, &w[s]));
        points[s] = world_points(&w[s]);
    }
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    rn_result updated = rn_search_update_sets(search, points, 3);
    if (updated == RN_ERROR_LIMIT && method != RN_SEARCH_GRID && method != RN_SEARCH_BRUTE) {
        rn_search_destroy(search);
        for (int s = 0; s < 3; s++) world_free(&w[s]);
        return;
    }
    if (updated != RN_OK) fail_msg("%s", rn_last_error());
    judge_space space = {.dim = 3, .radius = def.radius};
    for (uint32_t a = 0; a < 3; a++) {
        for (uint32_t b = 0; b < 3; b++) {
            rn_neighbors n = rn_search_get_neighbors_between(search, a, b);
            if (!(def.searches[a] >> b & 1u)) {
                assert_int_equal(n.count, 0);
                continue;
            }
            judge_lists truth = judge_find(&space, (const float(*)[3])w[a].position, w[a].count,
                                           (const float(*)[3])w[b].position, w[b].count, false);
            JUDGE(&truth, &n, false, "set %u in %u, worlds %u %u %u, method %d\n", a, b, numbers[0],
                  numbers[1], numbers[2], (int)method);
            judge_free(&truth);
        }
    }
    rn_search_destroy(search);
    for (int s = 0; s < 3; s++) world_free(&w[s]);
}

static void sets_find_each_other_as_the_table_says(void **state)
{
    (void)state;
    static const uint32_t numbers[][3] = {{0, 2, 1}, {0, 17, 2}, {17, 0, 0}, {4, 7, 0}, {6, 0, 12}};
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            check_three(numbers[k], rn_search_get_method_info(place)->method, 1 + (uint32_t)k % 3);
        }
    }
}

static void a_float_set_and_a_double_set_share_one_place(void **state)
{
    (void)state;
    float near[2][3] = {{100, 0, 0}, {103, 0, 0}};
    double far[3][3] = {{101, 0, 0}, {100.5, 0, 0}, {200, 0, 0}};
    rn_points points[2] = {{near, 0, 2, RN_SCALAR_FLOAT}, {far, 0, 3, RN_SCALAR_DOUBLE}};
    rn_search_def def = rn_search_def_default();
    def.set_count = 2;
    def.searches[0] = 2;
    def.searches[1] = 1;
    def.radius = 1.0f;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update_sets(search, points, 2), RN_OK);
    rn_neighbors n = rn_search_get_neighbors_between(search, 0, 1);
    assert_int_equal(rn_neighbors_get_list(&n, 0).count, 2);
    assert_int_equal(rn_neighbors_get_list(&n, 1).count, 0);
    n = rn_search_get_neighbors_between(search, 1, 0);
    assert_int_equal(n.entry_count, 2);
    rn_search_destroy(search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_find_each_other_as_the_table_says),
        cmocka_unit_test(a_float_set_and_a_double_set_share_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
