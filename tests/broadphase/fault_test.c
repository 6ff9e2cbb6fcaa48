/* The n-th allocation fails, for n = 1, 2, 3 ... until every call succeeds: no leak, and the object
 * stays usable. */
#include "fact.h"

#include "allocators.h"
#include "broadphase/judge.h"

#include <string.h>

/* Every public call; returns the first failure. */
static rn_result use(rn_broadphase *phase, const scene *s, const rn_queries *queries, rn_pairs *pairs)
{
    rn_boxes boxes = scene_boxes(s);
    rn_pairs between;
    rn_hits hits;
    uint64_t count;
    uint32_t category[400];
    for (uint32_t i = 0; i < 400; i++) category[i] = 1u << i % 3;
    rn_boxes filtered = boxes;
    filtered.category = category;
    rn_result result = rn_broadphase_update(phase, &filtered);
    if (result == RN_OK) result = rn_broadphase_count_pairs(phase, &count);
    if (result == RN_OK) result = rn_broadphase_update(phase, &boxes);
    if (result == RN_OK) result = rn_broadphase_query(phase, queries, &hits);
    if (result == RN_OK) result = rn_broadphase_find_pairs_between(phase, &boxes, &between);
    if (result == RN_OK) result = rn_broadphase_find_pairs(phase, pairs);
    return result;
}

static void check_faults(const rn_broadphase_def *like, const scene *s)
{
    judged truth = judge_pairs(s, 3);
    rn_queries queries = scene_queries(s, RN_QUERY_SPHERE, 300, 2);
    for (int64_t n = 0;; n++) {
        budget b = {.left = n};
        rn_broadphase_def def = *like;
        def.allocator = budget_allocator(&b);
        rn_broadphase *phase = NULL;
        rn_pairs pairs;
        rn_result result = rn_broadphase_create(&def, &phase);
        bool is_created = result == RN_OK;
        if (is_created) result = use(phase, s, &queries, &pairs);
        if (result != RN_OK) {
            if (result != RN_ERROR_MEMORY) fail_msg("%s", rn_last_error());
            assert_non_null(strstr(rn_last_error(), "no memory"));
        }
        if (is_created) { /* still answers; with memory again, every call succeeds */
            uint64_t count;
            (void)rn_broadphase_count_pairs(phase, &count);
            atomic_store(&b.left, -1);
            assert_int_equal(use(phase, s, &queries, &pairs), RN_OK);
            JUDGE(judge_compare(&truth, pairs.pair, pairs.count, false), "%s after failure %d",
                  s->name, (int)n);
        } else {
            assert_null(phase);
        }
        rn_broadphase_destroy(phase);
        assert_int_equal(b.live, 0);
        if (result == RN_OK) break;
        assert_true(n < 500);
    }
    scene_queries_free(&queries);
    judge_free(&truth);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 6, 14};
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        for (size_t k = 0; k < 4; k++) {
            /* the last is on two threads, and all that the thread sanitizer is for */
            for (int variant = FACT_SLOWNESS > 3 ? 2 : 0; variant < 3; variant++) {
                scene s;
                assert_true(scene_make(numbers[k], 400, &s));
                rn_broadphase_def def = rn_broadphase_def_default();
                def.method = rn_broadphase_get_method_info(place)->method;
                def.threads = variant == 2 ? 2 : 1;
                def.order = variant == 1 ? RN_PAIRS_SORTED : RN_PAIRS_METHOD;
                def.unbounded_table = variant == 1;
                def.as_published = variant == 1;
                check_faults(&def, &s);
                scene_free(&s);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
