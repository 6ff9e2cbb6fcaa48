/* Many steps with one object: boxes move, deform, appear and disappear; after the first steps
 * nothing is allocated. */
#include "fact.h"

#include "allocators.h"
#include "base/random.h"
#include "broadphase/judge.h"

#include <stdlib.h>
#include <string.h>

static void every_method_follows_moving_and_deforming_boxes(void **state)
{
    (void)state;
    scene s;
    for (uint32_t number = 0; scene_make(number, 220, &s); number++) {
        for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
            scene_free(&s);
            assert_true(scene_make(number, 220, &s));
            uint32_t full = s.count;
            rn_broadphase_def def = rn_broadphase_def_default();
            def.method = rn_broadphase_get_method_info(place)->method;
            def.threads = 2;
            rn_broadphase *phase = NULL;
            assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
            for (uint32_t step = 0; step < 8; step++) {
                s.count = step == 4 ? full / 3 : step == 5 ? 0 : full;
                rn_boxes boxes = scene_boxes(&s);
                rn_pairs pairs;
                if (rn_broadphase_update(phase, &boxes) != RN_OK ||
                    rn_broadphase_find_pairs(phase, &pairs) != RN_OK)
                    fail_msg("%s", rn_last_error());
                judged truth = judge_pairs(&s, 3);
                JUDGE(judge_compare(&truth, pairs.pair, pairs.count, false),
                      "%s, method %d, step %u", s.name, (int)def.method, step);
                judge_free(&truth);
                s.count = full;
                scene_step(&s, step);
            }
            rn_broadphase_destroy(phase);
        }
        scene_free(&s);
    }
}

static rn_result use(rn_broadphase *phase, const scene *s, const rn_queries *queries)
{
    rn_boxes boxes = scene_boxes(s);
    rn_pairs pairs;
    rn_hits hits;
    uint64_t count;
    rn_result result = rn_broadphase_update(phase, &boxes);
    if (result == RN_OK) result = rn_broadphase_find_pairs(phase, &pairs);
    if (result == RN_OK) result = rn_broadphase_count_pairs(phase, &count);
    if (result == RN_OK) result = rn_broadphase_query(phase, queries, &hits);
    if (result == RN_OK) result = rn_broadphase_find_pairs_between(phase, &boxes, &pairs);
    return result;
}

static void after_warm_up_a_step_allocates_nothing(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 6, 15};
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        if (rn_broadphase_get_method_info(place)->method == RN_BROADPHASE_AUTO)
            continue; /* tries other methods from time to time */
        for (size_t n = 0; n < 4; n++) {
            scene s;
            assert_true(scene_make(numbers[n], 1200, &s));
            rn_queries queries = scene_queries(&s, RN_QUERY_BOX, 600, 1);
            counting c = {0};
            rn_broadphase_def def = rn_broadphase_def_default();
            def.method = rn_broadphase_get_method_info(place)->method;
            def.threads = 1; /* more threads: pairs per worker, and so buffer sizes, vary */
            def.order = n % 2 ? RN_PAIRS_SORTED : RN_PAIRS_METHOD;
            def.allocator = counting_allocator(&c);
            rn_broadphase *phase = NULL;
            assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
            for (int k = 0; k < 6; k++) assert_int_equal(use(phase, &s, &queries), RN_OK);
            uint64_t before = c.calls;
            for (int k = 0; k < 3; k++) assert_int_equal(use(phase, &s, &queries), RN_OK);
            if (c.calls != before)
                fail_msg("%s: %d allocations in %s", rn_broadphase_get_method_info(place)->name,
                         (int)(c.calls - before), s.name);
            rn_broadphase_destroy(phase);
            scene_queries_free(&queries);
            scene_free(&s);
        }
    }
}

/* The pairs are correct whatever method auto picks and whenever it changes; the choice comes with a
 * reason. */
static void auto_measures_and_stays_right(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {200, 1500};
    for (size_t n = 0; n < 2; n++) {
        scene s;
        assert_true(scene_make(0, sizes[n], &s));
        judged truth = judge_pairs(&s, 3);
        rn_broadphase_def def = rn_broadphase_def_default();
        def.method = RN_BROADPHASE_AUTO;
        def.threads = 2;
        rn_broadphase *phase = NULL;
        assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
        bool has_measured = false;
        for (int step = 0; step < 100000 && !(has_measured && step > 100); step++) {
            rn_boxes boxes = scene_boxes(&s);
            rn_pairs pairs;
            assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
            assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
            JUDGE(judge_compare(&truth, pairs.pair, pairs.count, false), "%u boxes, step %d",
                  s.count, step);
            rn_broadphase_stats stats = rn_broadphase_stats_default();
            rn_broadphase_get_stats(phase, &stats);
            has_measured |= strstr(stats.choice, "on these") != NULL;
            assert_true(stats.method != RN_BROADPHASE_AUTO && strlen(stats.choice) > 0);
        }
        assert_true(has_measured);
        rn_broadphase_destroy(phase);
        judge_free(&truth);
        scene_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_follows_moving_and_deforming_boxes),
        cmocka_unit_test(after_warm_up_a_step_allocates_nothing),
        cmocka_unit_test(auto_measures_and_stays_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
