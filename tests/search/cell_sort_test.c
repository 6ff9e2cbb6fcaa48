/* Cell sorting (Grahn 2008) and H-masks, which the hash uses too: the errors in the printed
 * algorithms, each in a test of its own, the limits of the keys, and the published form against
 * ours. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdlib.h>
#include <string.h>

static const rn_search_method methods[] = {RN_SEARCH_CELL_SORT, RN_SEARCH_HASH};

static rn_search *open_search(const rn_search_def *def)
{
    rn_search *search = NULL;
    if (rn_search_create(def, &search) != RN_OK) fail_msg("%s", rn_last_error());
    return search;
}

static rn_search_def make_def(rn_search_method method, uint32_t dim, float radius, uint32_t h_mask)
{
    rn_search_def def = rn_search_def_default();
    def.method = method;
    def.dim = dim;
    def.radius = radius;
    def.h_mask = h_mask;
    return def;
}

static rn_points packed(const float (*position)[3], uint32_t count)
{
    return (rn_points){position, sizeof *position, count, RN_SCALAR_FLOAT};
}

/* Both forms of one method on one point set, with 1 and 3 threads: against brute force, and the
 * same order. */
static void check_forms(const world *w, rn_search_def def, const judge_lists *truth)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < 4; k++) {
        def.as_published = k & 1;
        def.threads = k & 2 ? 3 : 1;
        rn_search *search = open_search(&def);
        rn_result result = rn_search_update(search, world_points(w));
        if (result == RN_OK) {
            rn_neighbors n = rn_search_get_neighbors(search);
            JUDGE(truth, &n, false, "%s, %uD, method %d, H %u, published %d\n", w->name, def.dim,
                  (int)def.method, def.h_mask, def.as_published);
            if (k == 0) hash = judge_hash(&n);
            assert_true(judge_hash(&n) == hash);
        } else {
            assert_int_equal(result, RN_ERROR_LIMIT);
            assert_non_null(strstr(rn_last_error(), "method grid"));
        }
        rn_search_destroy(search);
    }
}

static void every_mask_and_the_published_form_find_what_brute_force_finds(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 700, &w); number++) {
        const float(*position)[3] = (const float(*)[3])w.position;
        for (uint32_t dim = 2; dim <= 3; dim++) {
            judge_space space = {.dim = dim, .radius = w.radius};
            judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
            for (uint32_t h_mask = 1; h_mask <= 3; h_mask++) {
                for (size_t m = 0; m < 2; m++)
                    check_forms(&w, make_def(methods[m], dim, w.radius, h_mask), &truth);
            }
            judge_free(&truth);
        }
        world_free(&w);
    }
}

/* Query points around the set, near its bounding box and far from it. */
static void queries_outside_the_box_find_what_is_in_reach(void **state)
{
    (void)state;
    enum { QUERIES = 900 };
    world w;
    assert_true(world_make(0, 500, &w)); /* -3 to 5, radius 1.1 */
    float queries[QUERIES][3];
    rni_random random = rni_random_make(3);
    for (uint32_t q = 0; q < QUERIES; q++) {
        float reach = q % 9 == 0 ? 1e30f : 8.0f;
        for (int a = 0; a < 3; a++) queries[q][a] = rni_random_float(&random, -reach, reach);
    }
    judge_space space = {.dim = 3, .radius = w.radius};
    judge_lists truth = judge_find(&space, (const float(*)[3])queries, QUERIES,
                                   (const float(*)[3])w.position, w.count, false);
    for (uint32_t k = 0; k < 12; k++) {
        rn_search_def def = make_def(methods[k & 1], 3, w.radius, 1 + k / 4);
        def.as_published = k & 2;
        rn_search *search = open_search(&def);
        rn_neighbors n;
        rn_nearest nearest;
        rn_points asked = packed((const float(*)[3])queries, QUERIES);
        /* before the first update there is nothing to find */
        assert_int_equal(rn_search_query_nearest(search, 0, asked, 3, &nearest), RN_OK);
        for (uint32_t q = 0; q < nearest.count; q++) assert_int_equal(nearest.counts[q], 0);
        assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(rn_search_query(search, 0, asked, &n), RN_OK);
            JUDGE(&truth, &n, false, "case %u\n", k);
        }
        rn_search_destroy(search);
    }
    judge_free(&truth);
    world_free(&w);
}

/* Algorithm 1 stores its pointer behind the cell it has scanned. */
static void the_second_point_of_a_cell_finds_its_neighbours_too(void **state)
{
    (void)state;
    float points[5][3] = {{0, 0, 0}, {0.1f, 0, 0}, {0.2f, 0, 0}, {1.1f, 0, 0}, {2.15f, 0, 0}};
    static const uint32_t expected[5] = {2, 3, 3, 2, 0};
    for (uint32_t k = 0; k < 6; k++) {
        rn_search_def def = make_def(RN_SEARCH_CELL_SORT, 3, 1.0f, 1 + k / 2);
        def.as_published = k & 1;
        rn_search *search = open_search(&def);
        assert_int_equal(rn_search_update(search, packed((const float(*)[3])points, 5)), RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(rn_neighbors_get_list(&n, i).count, expected[i]);
        rn_search_destroy(search);
    }
}

/* 2 - (1 - 2^-24) is more than 1, and 1 in float: two cells apart when cells are exactly 1 wide. */
static void a_pair_that_rounds_to_the_radius_is_found(void **state)
{
    (void)state;
    float points[3][3] = {{0, 0, 0}, {0.99999994f, 0, 0}, {2.0f, 0, 0}};
    for (uint32_t k = 0; k < 12; k++) {
        rn_search_def def = make_def(methods[k & 1], 3, 1.0f, 1 + k / 4);
        def.as_published = k & 2;
        rn_search *search = open_search(&def);
        assert_int_equal(rn_search_update(search, packed((const float(*)[3])points, 3)), RN_OK);
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 4);
        rn_search_destroy(search);
    }
}

/* The printed `<=` also reports keys before the wanted one, again for each pointer. */
static void no_pair_comes_twice(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    float points[COUNT][3];
    rni_random random = rni_random_make(11);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) points[i][a] = rni_random_float(&random, 0.0f, 2.9f);
    }
    for (uint32_t k = 0; k < 12; k++) {
        rn_search_def def = make_def(methods[k & 1], 3, 1.0f, 1 + k / 4);
        def.as_published = k & 2;
        def.order = RN_ORDER_INDEX;
        rn_search *search = open_search(&def);
        assert_int_equal(rn_search_update(search, packed((const float(*)[3])points, COUNT)), RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        assert_true(n.entry_count > COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            rn_list list = rn_neighbors_get_list(&n, i);
            for (uint32_t e = 1; e < list.count; e++)
                assert_true(list.index[e] > list.index[e - 1]);
        }
        rn_search_destroy(search);
    }
}

/* A sweep past the last key ends at the sentinel, which is the key of no point, and no point is its
 * own neighbour; also where the last cell is the only one, or the last bits of a key are all set.
 * */
static void the_last_cell_ends_its_walk_and_nobody_finds_himself(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 40; count += 13) {
        float points[40][3];
        for (uint32_t i = 0; i < count; i++) {
            for (int a = 0; a < 3; a++) points[i][a] = i == 0 ? -65515.0f : 0.25f;
        }
        for (uint32_t k = 0; k < 12; k++) {
            rn_search_def def = make_def(methods[k & 1], 3, 1.0f, 1 + k / 4);
            def.as_published = k & 2;
            rn_search *search = open_search(&def);
            assert_int_equal(rn_search_update(search, packed((const float(*)[3])points, count)),
                             RN_OK);
            rn_neighbors n = rn_search_get_neighbors(search);
            for (uint32_t i = 0; i < count; i++) {
                rn_list list = rn_neighbors_get_list(&n, i);
                assert_int_equal(list.count, i == 0 ? 0 : count - 2);
                for (uint32_t e = 0; e < list.count; e++) assert_int_not_equal(list.index[e], i);
            }
            rn_search_destroy(search);
        }
    }
}

/* Width of the cells of method cell-sort for radius 1. */
#define CELL (1.0 + 1e-5)

/* The last cell of one row and the first of the next have consecutive keys when no empty cell is
 * between them: each point may test itself and no other. */
static void rows_of_cells_do_not_alias(void **state)
{
    (void)state;
    for (uint32_t cells = 4; cells < 65538; cells += cells < 12 || cells >= 65515 ? 1 : 65503) {
        float end = (float)(((double)cells - 0.5) * CELL);
        float points[2][2][3] = {{{end, 0, 0}, {0, 1.5f, 0}}, {{end, end, 0}, {0, 0, 1.5f}}};
        for (uint32_t k = 0; k < 4; k++) {
            rn_search_def def = make_def(RN_SEARCH_CELL_SORT, 3, 1.0f, 1);
            def.as_published = k & 1;
            rn_search *search = open_search(&def);
            rn_points two = packed((const float(*)[3])points[k / 2], 2);
            for (int round = 0; round < 2;
                 round++) /* the first also estimates the memory that it needs */
                assert_int_equal(rn_search_update(search, two), RN_OK);
            rn_search_stats stats = rn_search_stats_default();
            rn_search_get_stats(search, &stats);
            assert_int_equal(stats.entry_count, 0);
            assert_int_equal(stats.candidate_count, 2);
            rn_search_destroy(search);
        }
    }
}

/* A few points at both ends of one axis, so far apart that the axis has `cells` cells. */
static rn_result check_extent(uint32_t dim, uint32_t axis, double cells, uint32_t h_mask,
                              bool as_published)
{
    enum { COUNT = 60 };
    float points[COUNT][3];
    rni_random random = rni_random_make((uint64_t)cells);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) points[i][a] = rni_random_float(&random, 0.0f, 2.5f);
    }
    for (uint32_t i = 0; i < COUNT; i += 2) /* the last cell, and those before it */
        points[i][axis] = (float)(((cells - 0.5) / h_mask - (double)points[i][axis]) * CELL);
    points[0][axis] = 0.0f;
    points[2][axis] = (float)((cells - 0.5) / h_mask * CELL);
    const float(*position)[3] = (const float(*)[3])points;
    judge_space space = {.dim = dim, .radius = 1.0f};
    judge_lists truth = judge_find(&space, position, COUNT, position, COUNT, false);
    rn_search_def def = make_def(RN_SEARCH_CELL_SORT, dim, 1.0f, h_mask);
    def.as_published = as_published;
    rn_search *search = open_search(&def);
    rn_result result = rn_search_update(search, packed(position, COUNT));
    if (result == RN_OK) {
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, false, "%uD, %.0f cells along %u, H %u\n", dim, cells, axis, h_mask);
    }
    rn_search_destroy(search);
    judge_free(&truth);
    return result;
}

static void keys_grow_where_16_bits_an_axis_do_not_do(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        for (uint32_t axis = 0; axis < dim; axis++) {
            for (uint32_t k = 0; k < 6; k++) {
                uint32_t h_mask = 1 + k / 2;
                for (double cells = 65510; cells < 65540; cells++)
                    assert_int_equal(check_extent(dim, axis, cells, h_mask, k & 1), RN_OK);
                assert_int_equal(check_extent(dim, axis, 2097000, h_mask, k & 1), RN_OK);
            }
        }
    }
}

static void points_beyond_the_widest_keys_are_refused_with_a_way_out(void **state)
{
    (void)state;
    assert_int_equal(check_extent(3, 1, 2097152, 1, false), RN_ERROR_LIMIT);
    assert_non_null(strstr(rn_last_error(), "cell-sort: y runs from 0 to 2.09"));
    assert_non_null(strstr(rn_last_error(), "method grid"));
    assert_int_equal(check_extent(3, 1, 2097152, 3, true), RN_ERROR_LIMIT);
    assert_int_equal(check_extent(2, 1, 2e9, 1, false), RN_OK);
    assert_int_equal(check_extent(2, 1, 3e9, 1, false), RN_ERROR_LIMIT);
    /* after an error the search can still be used */
    rn_search_def def = make_def(RN_SEARCH_CELL_SORT, 3, 1.0f, 1);
    rn_search *search = open_search(&def);
    float points[3][3] = {{0, 0, 0}, {0.5f, 0, 0}, {1e9f, 0, 0}};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(rn_search_update(search, packed((const float(*)[3])points, 2)), RN_OK);
        assert_int_equal(rn_search_get_neighbors(search).entry_count, 2);
        rn_points all = packed((const float(*)[3])points, 3);
        assert_int_equal(rn_search_update(search, all), RN_ERROR_LIMIT);
        rn_nearest nearest;
        assert_int_equal(rn_search_query_nearest(search, 0, all, 1, &nearest), RN_OK);
        for (uint32_t q = 0; q < nearest.count; q++) assert_int_equal(nearest.counts[q], 0);
    }
    rn_search_destroy(search);
}

static void periodic_axes_are_refused_by_cell_sort(void **state)
{
    (void)state;
    rn_search_def def = make_def(RN_SEARCH_CELL_SORT, 3, 1.0f, 1);
    def.periodic[1] = true;
    def.period_high[1] = 10.0;
    rn_search *search = open_search(&def);
    float points[2][3] = {{0, 0, 0}, {0, 9.5f, 0}};
    rn_points two = packed((const float(*)[3])points, 2);
    assert_int_equal(rn_search_update(search, two), RN_ERROR_LIMIT);
    assert_non_null(strstr(rn_last_error(), "axis y is periodic"));
    assert_non_null(strstr(rn_last_error(), "grid"));
    rn_search_destroy(search);
}

/* From periods of two radii, where a mask overlaps itself, to periods wider than any mask. */
static void masks_wrap_around_periodic_axes_in_the_hash(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    for (uint32_t k = 0; k < 27; k++) {
        double periods[3] = {2.0 + 0.27 * k, 2.0 + 0.31 * (k % 10), k % 3 ? 4.1 : 700.0};
        float points[COUNT][3];
        judge_space space = {.dim = 3, .radius = 1.0f};
        rn_search_def def = make_def(RN_SEARCH_HASH, 3, 1.0f, 1 + k % 3);
        def.as_published = k % 2;
        rni_random random = rni_random_make(k);
        for (int a = 0; a < 3; a++) {
            def.periodic[a] = a == 0 || k % 4;
            def.period_high[a] = periods[a];
            if (def.periodic[a]) space.period[a] = (float)periods[a];
            for (uint32_t i = 0; i < COUNT; i++)
                points[i][a] = (float)periods[a] * rni_random_float(&random, 0.0f, 0.99999f);
        }
        const float(*position)[3] = (const float(*)[3])points;
        judge_lists truth = judge_find(&space, position, COUNT, position, COUNT, false);
        rn_search *search = open_search(&def);
        assert_int_equal(rn_search_update(search, packed(position, COUNT)), RN_OK);
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, false, "case %u\n", k);
        rn_search_destroy(search);
        judge_free(&truth);
    }
}

/* The purpose of larger masks: more cells, fewer candidates. */
static void larger_masks_look_into_more_cells_and_test_fewer_points(void **state)
{
    (void)state;
    static const uint64_t cells[2][3] = {{9, 25, 49}, {27, 125, 343 - 8 - 24}};
    world w;
    assert_true(world_make(0, 3000, &w));
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t dim = 2 + (k >> 1 & 1);
        uint64_t before = UINT64_MAX;
        for (uint32_t h_mask = 1; h_mask <= 3; h_mask++) {
            rn_search_def def = make_def(methods[k & 1], dim, w.radius, h_mask);
            def.as_published = k & 4;
            def.lists = RN_LISTS_COUNTS;
            rn_search *search = open_search(&def);
            assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
            rn_search_stats stats = rn_search_stats_default();
            rn_search_get_stats(search, &stats);
            uint64_t looked = cells[dim - 2][h_mask - 1] * w.count;
            assert_true(stats.visited_count > 0 && stats.visited_count <= looked);
            if (def.as_published) assert_int_equal(stats.visited_count, looked);
            assert_true(stats.candidate_count >= stats.entry_count + w.count);
            assert_true(stats.candidate_count < before);
            before = stats.candidate_count;
            rn_search_destroy(search);
        }
    }
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mask_and_the_published_form_find_what_brute_force_finds),
        cmocka_unit_test(queries_outside_the_box_find_what_is_in_reach),
        cmocka_unit_test(the_second_point_of_a_cell_finds_its_neighbours_too),
        cmocka_unit_test(a_pair_that_rounds_to_the_radius_is_found),
        cmocka_unit_test(no_pair_comes_twice),
        cmocka_unit_test(the_last_cell_ends_its_walk_and_nobody_finds_himself),
        cmocka_unit_test(rows_of_cells_do_not_alias),
        cmocka_unit_test(keys_grow_where_16_bits_an_axis_do_not_do),
        cmocka_unit_test(points_beyond_the_widest_keys_are_refused_with_a_way_out),
        cmocka_unit_test(periodic_axes_are_refused_by_cell_sort),
        cmocka_unit_test(masks_wrap_around_periodic_axes_in_the_hash),
        cmocka_unit_test(larger_masks_look_into_more_cells_and_test_fewer_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
