/* Dense clusters, limits of size, and large sets whose cost must stay bounded. */
#include "fact.h"

#include "base/clock.h"
#include "base/random.h"
#include "search/judge.h"

#include <stdlib.h>
#include <string.h>

static rn_search *open_search(float radius, rn_lists lists, uint64_t memory_limit)
{
    rn_search_def def = rn_search_def_default();
    def.radius = radius;
    def.lists = lists;
    def.memory_limit_bytes = memory_limit;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s", rn_last_error());
    return search;
}

static void lists_larger_than_the_limit_are_refused_and_the_search_lives_on(void **state)
{
    (void)state;
    enum { COUNT = 30000 / FACT_SLOWNESS };
    float(*points)[3] =
        calloc(COUNT, sizeof *points); /* all at one position: 9e8 entries, more than fit */
    for (uint32_t layout = RN_LAYOUT_SPAN; layout <= RN_LAYOUT_CSR; layout++) {
        rn_search_def def = rn_search_def_default();
        def.radius = 1.0f;
        def.layout = (rn_list_layout)layout;
        def.memory_limit_bytes = (64u << 20) / FACT_SLOWNESS;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT}, few = {points, 0, 100, RN_SCALAR_FLOAT};
        assert_int_equal(rn_search_update(search, all), RN_ERROR_LIMIT);
        assert_non_null(strstr(rn_last_error(), "memory_limit_bytes"));
        assert_int_equal(rn_search_get_neighbors(search).count, 0);
        assert_int_equal(rn_search_update(search, few), RN_OK);
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 100 * 99);
        rn_search_destroy(search);
    }
    free(points);
}

/* 300,000 points at one position have 9e10 neighbours; counting them must not take 9e10 tests. */
static void a_crowd_is_counted_without_testing_every_pair(void **state)
{
    (void)state;
    enum { COUNT = 300000 / FACT_SLOWNESS };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (uint32_t i = 0; i < COUNT; i++) points[i][0] = 5.0f + 1e-6f * (float)(i % 7);
    rn_search *search = open_search(1.0f, RN_LISTS_COUNTS, 0);
    rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT};
    assert_int_equal(rn_search_update(search, all), RN_OK);
    rn_neighbors n = rn_search_get_neighbors(search);
    assert_true(n.entry_count == (uint64_t)COUNT * (COUNT - 1));
    assert_int_equal(n.counts[COUNT / 2], COUNT - 1);
    rn_search_destroy(search);
    free(points);
}

/* Wherever the bounding box of a cluster ends near the radius, counts equal the lengths of the
 * lists. */
static void a_crowd_at_the_radius_is_counted_exactly(void **state)
{
    (void)state;
    enum { COUNT = 5000 / FACT_SLOWNESS };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (int round = 0; round < 6; round++) {
        rni_random random = rni_random_make((uint64_t)round);
        float side = 0.5773502f + 1e-7f * (float)(round - 3);
        for (uint32_t i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++) {
                points[i][a] =
                    rni_random_below(&random, 2) ? side : rni_random_float(&random, 0, side);
            }
        }
        rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT};
        rn_search *counted = open_search(1.0f, RN_LISTS_COUNTS, 0);
        rn_search *listed = open_search(1.0f, RN_LISTS_FULL, 0);
        assert_int_equal(rn_search_update(counted, all), RN_OK);
        assert_int_equal(rn_search_update(listed, all), RN_OK);
        rn_neighbors a = rn_search_get_neighbors(counted), b = rn_search_get_neighbors(listed);
        assert_true(a.entry_count == b.entry_count);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(rn_neighbors_get_list(&a, i).count, rn_neighbors_get_list(&b, i).count);
        }
        rn_search_destroy(counted);
        rn_search_destroy(listed);
    }
    free(points);
}

/* In each of these sets points have few neighbours, but a grid over the whole extent would be
 * quadratic. */
static void large_sparse_sets_take_linear_time(void **state)
{
    (void)state;
    enum { COUNT = 200000 / FACT_SLOWNESS };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (int kind = 0; kind < 4; kind++) {
        rni_random random = rni_random_make((uint64_t)kind);
        for (uint32_t i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++) {
                float unit = rni_random_float(&random, 0.0f, 1.0f);
                if (kind == 0) points[i][a] = 1e30f * (unit - 0.5f); /* very far from each other */
                if (kind == 1)
                    points[i][a] = i ? 60.0f * unit : 1e9f; /* a cluster, and one point far away */
                if (kind == 2)
                    points[i][a] = a ? 2.0f * points[i][0] : 1e7f * unit; /* along a line */
                if (kind == 3) points[i][a] = (float)(i % 100) * 1e5f + 10.0f * unit; /* clusters */
            }
        }
        rn_search *search = open_search(1.0f, RN_LISTS_FULL, 0);
        rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT};
        assert_int_equal(rn_search_update(search, all), RN_OK);
        rn_search_stats stats = rn_search_stats_default();
        rn_search_get_stats(search, &stats);
        assert_true(stats.candidate_count < (uint64_t)COUNT * 2000);
        assert_true(stats.held_bytes < (uint64_t)COUNT * 1000);
        rn_search_destroy(search);
    }
    free(points);
}

/* A dense cluster where the estimate samples first must not cause an error for lists that fit. */
static void lists_that_fit_are_not_refused_for_a_wrong_guess(void **state)
{
    (void)state;
    enum { COUNT = 4096 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (uint32_t i = 0; i < COUNT; i++) points[i][2] = i < 256 ? 0.0f : 10.0f * (float)i;
    for (uint32_t layout = RN_LAYOUT_SPAN; layout <= RN_LAYOUT_CSR; layout++) {
        rn_search_def def = rn_search_def_default();
        def.radius = 1.0f;
        def.layout = (rn_list_layout)layout;
        def.memory_limit_bytes = 300000; /* 256 * 255 entries take 261,120 */
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        rn_points all = {points, 0, COUNT, RN_SCALAR_FLOAT};
        if (rn_search_update(search, all) != RN_OK) fail_msg("%s", rn_last_error());
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 256 * 255);
        rn_nearest near;
        assert_int_equal(rn_search_find_nearest(search, 0, 0, 4000, &near), RN_ERROR_LIMIT);
        assert_non_null(strstr(rn_last_error(), "smaller k"));
        rn_search_destroy(search);
    }
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_larger_than_the_limit_are_refused_and_the_search_lives_on),
        cmocka_unit_test(a_crowd_is_counted_without_testing_every_pair),
        cmocka_unit_test(a_crowd_at_the_radius_is_counted_exactly),
        cmocka_unit_test(large_sparse_sets_take_linear_time),
        cmocka_unit_test(lists_that_fit_are_not_refused_for_a_wrong_guess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
