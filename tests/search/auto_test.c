/* Method auto: its lists are right whatever it selects, and it reports what it has selected. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <string.h>

/* Point sets of other sizes, densities and extents, one after the other, through one search. */
static void auto_is_right_while_the_points_change_character(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {900, 40, 1500, 300};
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_AUTO;
    def.order = RN_ORDER_INDEX;
    def.radius = 1.0f;
    def.threads = 2;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    uint32_t updates = 0;
    for (uint32_t round = 0; round < 4; round++) {
        world w;
        for (uint32_t number = 0; world_make(number, sizes[round], &w); number++) {
            const float(*position)[3] = (const float(*)[3])w.position;
            judge_space space = {.dim = 3, .radius = w.radius};
            judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
            assert_int_equal(rn_search_set_radius(search, w.radius), RN_OK);
            for (int step = 0; step < 12; step++) {
                if (rn_search_update(search, world_points(&w)) != RN_OK) {
                    fail_msg("%s: %s", w.name, rn_last_error());
                }
                rn_neighbors n = rn_search_get_neighbors(search);
                JUDGE(&truth, &n, true, "%s, step %d, %s\n", w.name, step,
                      search_stats_of(search).choice);
                updates++;
            }
            judge_free(&truth);
            world_free(&w);
        }
    }
    assert_true(updates > 900);
    rn_search_destroy(search);
}

static void auto_says_what_it_took_and_why(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(0, 3000, &w));
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_AUTO;
    def.radius = w.radius;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    for (int step = 0; step < 10; step++) {
        assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
    }
    rn_search_stats stats = rn_search_stats_default();
    rn_search_get_stats(search, &stats);
    assert_int_not_equal(stats.method, RN_SEARCH_AUTO);
    const char *name = NULL;
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        if (rn_search_get_method_info(place)->method == stats.method)
            name = rn_search_get_method_info(place)->name;
    }
    assert_non_null(name);
    assert_int_equal(strncmp(stats.choice, name, strlen(name)), 0);
    assert_non_null(strstr(stats.choice, " times ")); /* all methods have been measured by now */
    rn_search_destroy(search);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_is_right_while_the_points_change_character),
        cmocka_unit_test(auto_says_what_it_took_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
