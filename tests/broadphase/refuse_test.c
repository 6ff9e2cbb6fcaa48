/* Invalid input is refused with a sentence that names the location, and the previous state is
 * kept. */
#include "fact.h"

#include "broadphase/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_said(rn_result result, rn_result expected, const char *part)
{
    assert_int_equal(result, expected);
    if (!strstr(rn_last_error(), part)) fail_msg("'%s' is not in '%s'", part, rn_last_error());
}

static rn_broadphase *open(void)
{
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
    return phase;
}

static void a_def_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    rn_broadphase *phase = (rn_broadphase *)1;
    rn_broadphase_def def = {0};
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "rn_broadphase_def_default");
    assert_null(phase);
    def = rn_broadphase_def_default();
    def.dim = 4;
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "dim is 4");
    def = rn_broadphase_def_default();
    def.method = (rn_broadphase_method)99;
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "method 99");
    def = rn_broadphase_def_default();
    def.order = (rn_pair_order)7;
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "order is 7");
    def = rn_broadphase_def_default();
    def.threads = 100000;
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "threads is 100000");
    def = rn_broadphase_def_default();
    def.kd_bits[0] = def.kd_bits[1] = def.kd_bits[2] = 30;
    assert_said(rn_broadphase_create(&def, &phase), RN_ERROR_ARGUMENT, "kd_bits are 90");
    assert_said(rn_broadphase_create(NULL, &phase), RN_ERROR_ARGUMENT, "def");
    assert_said(rn_broadphase_create(&def, NULL), RN_ERROR_ARGUMENT, "phase");
}

/* The boxes of the last successful update are kept. */
static void bad_boxes_are_refused_with_index_and_value(void **state)
{
    (void)state;
    rn_broadphase *phase = open();
    scene s;
    assert_true(scene_make(0, 40000, &s));
    rn_boxes boxes = scene_boxes(&s);
    uint64_t before, after;
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    assert_int_equal(rn_broadphase_count_pairs(phase, &before), RN_OK);
    uint32_t last = s.count - 7;
    char expected[64];
    snprintf(expected, sizeof expected, "box %u: low.y is nan", last);
    float good = s.low[last][1];
    s.low[last][1] = NAN;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, expected);
    s.low[last][1] = good;
    good = s.high[7][2];
    s.high[7][2] = INFINITY;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "box 7: high.z is inf");
    s.high[7][2] = s.low[7][2] - 1.0f;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "box 7 is inverted: low.z");
    s.high[7][2] = good;
    assert_int_equal(rn_broadphase_count_pairs(phase, &after), RN_OK);
    assert_int_equal(before, after);
    boxes.low = NULL;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "must not be NULL");
    rn_broadphase_destroy(phase);
    scene_free(&s);
}

static void moving_boxes_must_stay_finite(void **state)
{
    (void)state;
    rn_broadphase *phase = open();
    const float low[2][3] = {{0, 0, 0}, {1, 1, 1}}, high[2][3] = {{1, 1, 1}, {2, 2, 2}};
    float velocity[2][3] = {{0, 0, 0}, {0, 3e38f, 0}};
    rn_boxes boxes = {.low = low[0], .high = high[0], .count = 2, .velocity = velocity[0]};
    boxes.time_step = 2.0f;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "box 1: velocity.y is 3e+38");
    boxes.time_step = -1.0f;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "time_step is -1");
    velocity[1][1] = NAN;
    boxes.time_step = 1.0f;
    assert_said(rn_broadphase_update(phase, &boxes), RN_ERROR_ARGUMENT, "velocity.y is nan");
    rn_broadphase_destroy(phase);
}

static void bad_queries_are_refused(void **state)
{
    (void)state;
    rn_broadphase *phase = open();
    float a[2][3] = {{0, 0, 0}, {1, 1, 1}}, b[2][3] = {{1, 1, 1}, {2, 0, 2}};
    float radius[2] = {1.0f, -1.0f};
    rn_queries queries = {.kind = RN_QUERY_BOX, .count = 2, .a = a[0], .b = b[0], .radius = radius};
    rn_hits hits;
    assert_said(rn_broadphase_query(phase, &queries, &hits), RN_ERROR_ARGUMENT,
                "query 1 is inverted: a.y");
    queries.kind = RN_QUERY_SPHERE;
    assert_said(rn_broadphase_query(phase, &queries, &hits), RN_ERROR_ARGUMENT,
                "query 1: radius is -1");
    queries.kind = RN_QUERY_SEGMENT;
    b[0][0] = NAN;
    assert_said(rn_broadphase_query(phase, &queries, &hits), RN_ERROR_ARGUMENT,
                "query 0: b.x is nan");
    queries.kind = (rn_query_kind)9;
    assert_said(rn_broadphase_query(phase, &queries, &hits), RN_ERROR_ARGUMENT, "kind is 9");
    queries.kind = RN_QUERY_SEGMENT;
    queries.b = NULL;
    assert_said(rn_broadphase_query(phase, &queries, &hits), RN_ERROR_ARGUMENT, "queries.b");
    rn_broadphase_destroy(phase);
}

/* Before the first update the set is empty, which is not a failure. */
static void an_empty_phase_answers(void **state)
{
    (void)state;
    rn_broadphase *phase = open();
    const float point[3] = {0, 0, 0};
    rn_queries queries = {.kind = RN_QUERY_POINT, .count = 1, .a = point};
    rn_pairs pairs;
    rn_hits hits;
    assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
    assert_int_equal(pairs.count, 0);
    assert_int_equal(rn_broadphase_query(phase, &queries, &hits), RN_OK);
    assert_int_equal(hits.entry_count, 0);
    assert_int_equal(hits.start[1], 0);
    rn_broadphase_destroy(phase);
    rn_broadphase_destroy(NULL);
}

static void more_pairs_than_memory_are_refused(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        for (uint32_t threads = 1; threads <= 2; threads++) {
            rn_broadphase_def def = rn_broadphase_def_default();
            def.method = rn_broadphase_get_method_info(place)->method;
            def.memory_limit_bytes = 4 << 20;
            def.threads = threads;
            rn_broadphase *phase = NULL;
            static float low[4000][3], high[4000][3]; /* all identical: 8 million pairs */
            rn_boxes boxes = {.low = low[0], .high = high[0], .count = 4000};
            assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
            rn_pairs pairs;
            uint64_t count;
            rn_result result = rn_broadphase_update(phase, &boxes);
            if (result != RN_OK && place > 0) { /* a method that keeps its pairs */
                assert_said(result, RN_ERROR_LIMIT, "memory_limit_bytes");
                rn_broadphase_destroy(phase);
                continue;
            }
            assert_int_equal(result, RN_OK);
            assert_said(rn_broadphase_find_pairs(phase, &pairs), RN_ERROR_LIMIT,
                        "memory_limit_bytes");
            assert_int_equal(rn_broadphase_count_pairs(phase, &count), RN_OK);
            assert_int_equal(count, 4000u * 3999u / 2);
            rn_broadphase_destroy(phase);
        }
    }
}

static void methods_are_found_by_name(void **state)
{
    (void)state;
    rn_broadphase_method method;
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        const rn_broadphase_method_info *info = rn_broadphase_get_method_info(place);
        assert_int_equal(rn_broadphase_method_from_name(info->name, &method), RN_OK);
        assert_int_equal(method, info->method);
        assert_true(strlen(info->summary) > 10 && strlen(info->source) > 3);
    }
    assert_int_equal(rn_broadphase_method_from_name("default", &method), RN_OK);
    assert_int_equal(method, rn_broadphase_get_method_info(0)->method);
    assert_said(rn_broadphase_method_from_name("quick", &method), RN_ERROR_ARGUMENT, "brute");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_def_that_makes_no_sense_is_refused),
        cmocka_unit_test(bad_boxes_are_refused_with_index_and_value),
        cmocka_unit_test(moving_boxes_must_stay_finite),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(an_empty_phase_answers),
        cmocka_unit_test(more_pairs_than_memory_are_refused),
        cmocka_unit_test(methods_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
