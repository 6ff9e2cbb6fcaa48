/* Points that move: the order kept from update to update, the skin, and no allocation after warm-up. */
#include "fact.h"

#include "allocators.h"
#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>
#include <string.h>

static void move(world *w, rni_random *random, float amount, uint32_t one_in)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (rni_random_below(random, one_in)) continue;
        for (int a = 0; a < 3; a++) w->position[i][a] += rni_random_float(random, -amount, amount);
    }
}

static uint64_t fresh_hash(const world *w, const rn_search_def *like)
{
    rn_search_def def = *like;
    def.skin = 0.0f;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update(search, world_points(w)), RN_OK);
    rn_neighbors n = rn_search_get_neighbors(search);
    uint64_t hash = judge_hash(&n);
    rn_search_destroy(search);
    return hash;
}

/* A search with earlier updates returns what a new one returns, list by list, in the same order. */
static void the_past_never_shows_in_the_results(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 2, 4, 7, 9, 16};
    static const float amounts[] = {0.0f, 1e-4f, 0.02f, 0.3f, 5.0f};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        world w;
        assert_true(world_make(numbers[k], 6000, &w));
        rni_random random = rni_random_make(k);
        rn_search_def def = rn_search_def_default();
        def.radius = w.radius;
        def.threads = 1 + (uint32_t)k % 3;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        uint32_t full_count = w.count;
        for (int step = 0; step < 24; step++) {
            move(&w, &random, amounts[step % 5] * w.radius, step % 2 ? 1 : 40);
            w.count = step % 7 == 6 ? full_count - 100 : full_count;
            assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
            rn_neighbors n = rn_search_get_neighbors(search);
            if (judge_hash(&n) != fresh_hash(&w, &def)) fail_msg("%s, step %d", w.name, step);
        }
        w.count = full_count;
        rn_search_destroy(search);
        world_free(&w);
    }
}

static void points_along_the_order_are_sorted_run_by_run(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(0, 20000, &w));
    rn_search_def def = rn_search_def_default();
    def.radius = w.radius;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
    assert_false(search_stats_of(search).order_reused);
    /* in the order of the method, as for a caller who sorts the points */
    float(*sorted)[3] = malloc(w.count * sizeof *sorted);
    rn_permute(rn_search_get_order(search, 0), w.count, w.position, sorted, sizeof *sorted);
    memcpy(w.position, sorted, w.count * sizeof *sorted);
    free(sorted);
    assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
    rni_random random = rni_random_make(8);
    for (int step = 0; step < 5; step++) {
        move(&w, &random, 1e-4f, 1);
        assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
    }
    assert_true(search_stats_of(search).order_reused);
    const uint32_t *order = rn_search_get_order(search, 0);
    uint8_t *seen = calloc(w.count, 1);
    for (uint32_t k = 0; k < w.count; k++) seen[order[k]]++;
    for (uint32_t k = 0; k < w.count; k++) assert_int_equal(seen[k], 1);
    free(seen);
    rn_search_destroy(search);
    world_free(&w);
}

static void the_skin_is_exact_and_rebuilds_only_when_it_must(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        for (uint32_t lists = RN_LISTS_FULL; lists <= RN_LISTS_COUNTS; lists++) {
            world w;
            assert_true(world_make(3, 1331, &w)); /* many pairs at exactly the radius */
            rni_random random = rni_random_make(lists);
            rn_search_def def = rn_search_def_default();
            def.radius = w.radius;
            def.method = rn_search_get_method_info(place)->method;
            def.lists = (rn_lists)lists;
            def.order = RN_ORDER_INDEX;
            def.skin = 0.2f * w.radius;
            def.threads = 2;
            rn_search *search = NULL;
            assert_int_equal(rn_search_create(&def, &search), RN_OK);
            uint32_t reused = 0;
            for (int step = 0; step < 30; step++) {
                if (step > 0) move(&w, &random, 0.01f * w.radius, 1);
                assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
                reused += search_stats_of(search).skin_reused;
                rn_neighbors n = rn_search_get_neighbors(search);
                if (judge_hash(&n) != fresh_hash(&w, &def)) fail_msg("step %d", step);
                if (step % 10 == 9) { /* queries see the current points too */
                    rn_nearest near;
                    assert_int_equal(rn_search_find_nearest(search, 0, 0, 1, &near), RN_OK);
                    rn_neighbors q;
                    assert_int_equal(rn_search_query(search, 0, world_points(&w), &q), RN_OK);
                    uint64_t expected = n.entry_count + w.count;
                    if (lists == RN_LISTS_HALF) expected += n.entry_count;
                    assert_int_equal(q.entry_count, expected);
                }
            }
            assert_in_range(reused, 10, 29);
            rn_search_destroy(search);
            world_free(&w);
        }
    }
}

/* Updates until `quiet` of them in a row have allocated nothing, or `most` updates were made. */
static uint32_t quiet_updates(const rn_search_def *like, const world *w, uint32_t quiet, uint32_t most)
{
    counting calls = {0};
    rn_search_def def = *like;
    def.radius = w->radius;
    def.threads = 1;
    def.allocator = counting_allocator(&calls);
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    uint32_t in_a_row = 0;
    bool is_refused = false;
    for (uint32_t step = 0; step < most && in_a_row < quiet && !is_refused; step++) {
        uint64_t before = calls.calls;
        is_refused = rn_search_update(search, world_points(w)) == RN_ERROR_LIMIT;
        in_a_row = calls.calls == before ? in_a_row + 1 : 0;
    }
    rn_search_destroy(search);
    return is_refused ? quiet : in_a_row;
}

static void after_warm_up_an_update_allocates_nothing(void **state)
{
    (void)state;
    if (FACT_SLOWNESS > 3) skip(); /* on one thread */
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        rn_search_def def = rn_search_def_default();
        def.method = rn_search_get_method_info(place)->method;
        if (def.method == RN_SEARCH_AUTO) continue; /* below */
        for (uint32_t number = 0; number < 8; number++) {
            world w;
            assert_true(world_make(number, 3000, &w));
            if (quiet_updates(&def, &w, 1, 6) == 0)
                fail_msg("%s, %s", rn_search_get_method_info(place)->name, w.name);
            world_free(&w);
        }
    }
}

/* Other methods allocate when auto tries them; trials take a fixed share of the time, so the last
 * one may come after some thousand updates. */
static void auto_allocates_nothing_when_it_has_asked_all(void **state)
{
    (void)state;
    if (FACT_SLOWNESS > 3) skip(); /* on one thread */
    rn_search_def def = rn_search_def_default();
    def.method = RN_SEARCH_AUTO;
    for (uint32_t number = 0; number < 8; number += 3) {
        world w;
        assert_true(world_make(number, 400, &w));
        if (quiet_updates(&def, &w, 4000, 100000) < 4000) fail_msg("%s", w.name);
        world_free(&w);
    }
}

static void the_radius_can_change_between_updates(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(0, 900, &w));
    const float(*position)[3] = (const float(*)[3])w.position;
    rn_search_def def = rn_search_def_default();
    def.radius = 0.5f;
    def.skin = 0.1f;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    static const float radii[] = {0.5f, 1.5f, 0.2f, 30.0f};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(rn_search_set_radius(search, radii[k]), RN_OK);
        assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
        judge_space space = {.dim = 3, .radius = radii[k]};
        judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, true, "radius %g\n", (double)radii[k]);
        judge_free(&truth);
    }
    assert_int_equal(rn_search_set_radius(search, -1.0f), RN_ERROR_ARGUMENT);
    rn_search_destroy(search);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_past_never_shows_in_the_results),
        cmocka_unit_test(points_along_the_order_are_sorted_run_by_run),
        cmocka_unit_test(the_skin_is_exact_and_rebuilds_only_when_it_must),
        cmocka_unit_test(after_warm_up_an_update_allocates_nothing),
        cmocka_unit_test(auto_allocates_nothing_when_it_has_asked_all),
        cmocka_unit_test(the_radius_can_change_between_updates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
