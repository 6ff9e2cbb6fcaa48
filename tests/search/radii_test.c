/* Points with individual radii. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>
#include <string.h>

/* Brute force with the radius of the searching point. */
static judge_lists find_with_radii(const world *w, uint32_t dim, const float *radius)
{
    judge_lists all = {.count = w->count, .start = calloc((size_t)w->count + 1, sizeof(uint64_t))};
    uint64_t capacity = 1024, used = 0;
    all.index = malloc(capacity * sizeof *all.index);
    judge_space space = {.dim = dim, .radius = w->radius};
    for (uint32_t i = 0; i < w->count; i++) {
        for (uint32_t j = 0; j < w->count; j++) {
            float distance_sq = judge_distance_sq(&space, w->position[i], w->position[j]);
            if (i == j || distance_sq > radius[i] * radius[i]) continue;
            if (used == capacity)
                all.index = realloc(all.index, (capacity *= 2) * sizeof *all.index);
            all.index[used++] = j;
        }
        all.start[i + 1] = used;
    }
    return all;
}

static void each_point_searches_with_its_own_radius(void **state)
{
    (void)state;
    world w;
    uint32_t tried = 0;
    for (uint32_t number = 0; world_make(number, 600, &w); number++) {
        rni_random random = rni_random_make(number);
        float *radius = malloc((w.count + 1) * sizeof *radius);
        for (uint32_t i = 0; i < w.count; i++) {
            radius[i] = i % 5 ? w.radius * rni_random_float(&random, 0.11f, 1.0f) : w.radius;
        }
        for (uint32_t dim = 2; dim <= 3; dim++) {
            judge_lists truth = find_with_radii(&w, dim, radius);
            for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
                if (!rn_search_get_method_info(place)->takes_radii) continue;
                for (uint32_t variant = 0; variant < 5; variant++) {
                    rn_search_def def = rn_search_def_default();
                    def.dim = dim;
                    def.radius = w.radius;
                    def.method = rn_search_get_method_info(place)->method;
                    def.threads = 1 + variant % 2;
                    if (variant == 1) def.order = RN_ORDER_INDEX;
                    if (variant == 2) def.lists = RN_LISTS_COUNTS;
                    if (variant == 3) def.cpu = RN_CPU_PLAIN;
                    if (variant == 4 && rn_cpu_best() > RN_CPU_AVX2) def.cpu = RN_CPU_AVX2;
                    rn_search *search = NULL;
                    assert_int_equal(rn_search_create(&def, &search), RN_OK);
                    for (int round = 0; round < 2; round++) {
                        if (rn_search_update_radii(search, world_points(&w), radius, 0) != RN_OK) {
                            fail_msg("%s: %s", w.name, rn_last_error());
                        }
                        rn_neighbors n = rn_search_get_neighbors(search);
                        JUDGE(&truth, &n, variant == 1, "%s, method %d, variant %u\n", w.name,
                              (int)def.method, variant);
                    }
                    tried++;
                    rn_search_destroy(search);
                }
            }
            judge_free(&truth);
        }
        free(radius);
        world_free(&w);
    }
    assert_true(tried > 100);
}

static void note_count(void *user, const rn_batch *batch)
{
    uint32_t *counts = user;
    counts[batch->point] = batch->count;
}

static void visits_and_the_nearest_keep_to_the_radii_and_queries_do_not(void **state)
{
    (void)state;
    float points[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, radius[3] = {0.5f, 1.0f, 2.0f};
    const uint32_t truth[3] = {0, 2, 2};
    rn_points all = {points, 0, 3, RN_SCALAR_FLOAT};
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        if (!rn_search_get_method_info(place)->takes_radii) continue;
        rn_search_def def = rn_search_def_default();
        def.radius = 2.0f;
        def.method = rn_search_get_method_info(place)->method;
        rn_search *search = NULL;
        rn_neighbors found;
        rn_nearest near;
        uint32_t counts[3] = {9, 9, 9};
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        assert_int_equal(rn_search_update_radii(search, all, radius, 0), RN_OK);
        assert_int_equal(rn_search_visit(search, 0, 0, note_count, counts), RN_OK);
        assert_memory_equal(counts, truth, sizeof truth);
        assert_int_equal(rn_search_find_nearest(search, 0, 0, 2, &near), RN_OK);
        assert_memory_equal(near.counts, truth, sizeof truth);
        assert_int_equal(rn_search_query(search, 0, all, &found), RN_OK);
        assert_int_equal(found.entry_count, 9);
        assert_int_equal(rn_search_query_nearest(search, 0, all, 3, &near), RN_OK);
        for (uint32_t i = 0; i < 3; i++) assert_int_equal(near.counts[i], 3);
        rn_search_destroy(search);
    }
}

static void radii_that_cannot_be_are_refused(void **state)
{
    (void)state;
    float points[3][3] = {{0}}, radius[3] = {1.0f, 1.0f, 2.0f};
    rn_points all = {points, 0, 3, RN_SCALAR_FLOAT};
    rn_search_def def = rn_search_def_default();
    def.radius = 1.5f;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update_radii(search, all, radius, 0), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "radius[2] is 2"));
    radius[2] = 0.0f;
    assert_int_equal(rn_search_update_radii(search, all, radius, 0), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_search_update_radii(search, all, NULL, 0), RN_ERROR_ARGUMENT);
    radius[2] = 1.0f;
    assert_int_equal(rn_search_update_radii(search, all, radius, 0), RN_OK);
    rn_search_destroy(search);
    def.lists = RN_LISTS_HALF;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    assert_int_equal(rn_search_update_radii(search, all, radius, 0), RN_ERROR_ARGUMENT);
    rn_search_destroy(search);
    def.lists = RN_LISTS_FULL;
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        def.method = rn_search_get_method_info(place)->method;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        rn_result expected = rn_search_get_method_info(place)->takes_radii ? RN_OK : RN_ERROR_LIMIT;
        assert_int_equal(rn_search_update_radii(search, all, radius, 0), expected);
        rn_search_destroy(search);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point_searches_with_its_own_radius),
        cmocka_unit_test(visits_and_the_nearest_keep_to_the_radii_and_queries_do_not),
        cmocka_unit_test(radii_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
