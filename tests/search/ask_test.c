/* Visits, queries and the k nearest. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static rn_search *open_search(const world *w, rn_search_method method, uint32_t dim,
                              uint32_t threads, rn_lists lists, rn_list_order order)
{
    rn_search_def def = rn_search_def_default();
    def.radius = w->radius;
    def.method = method;
    def.dim = dim;
    def.threads = threads;
    def.lists = lists;
    def.order = order;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s", rn_last_error());
    if (rn_search_update(search, world_points(w)) != RN_OK) {
        assert_int_not_equal(method, RN_SEARCH_GRID);
        rn_search_destroy(search);
        return NULL;
    }
    return search;
}

typedef struct visited {
    const world *w;
    const judge_space *space;
    const judge_lists *truth;
    bool is_ordered;
    _Atomic uint32_t *seen; /* calls per point */
    _Atomic uint32_t mistakes;
} visited;

static void visit_one(void *user, const rn_batch *batch)
{
    visited *v = user;
    atomic_fetch_add(&v->seen[batch->point], 1);
    uint64_t begin = v->truth->start[batch->point], end = v->truth->start[batch->point + 1];
    bool is_good = batch->count == end - begin;
    for (uint32_t k = 0; is_good && k < batch->count; k++) {
        uint32_t j = batch->index[k];
        float expected = judge_distance_sq(v->space, v->w->position[batch->point], v->w->position[j]);
        if (batch->distance_sq[k] != expected) is_good = false;
        bool is_known = false;
        for (uint64_t e = begin; e < end; e++) is_known |= v->truth->index[e] == j;
        if (!is_known) is_good = false;
        if (v->is_ordered && j != v->truth->index[begin + k]) is_good = false;
    }
    if (!is_good) atomic_fetch_add(&v->mistakes, 1);
}

static void visits_bring_every_neighbour_with_its_distance(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 600, &w); number++) {
        const float(*position)[3] = (const float(*)[3])w.position;
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            for (uint32_t k = 0; k < 4; k++) {
                bool is_half = k & 1, is_ordered = k & 2;
                judge_space space = {.dim = 3, .radius = w.radius};
                judge_lists truth = judge_find(&space, position, w.count, position, w.count, is_half);
                rn_search *search = open_search(&w, rn_search_get_method_info(place)->method, 3,
                                                1 + k, is_half ? RN_LISTS_HALF : RN_LISTS_NONE,
                                                is_ordered ? RN_ORDER_INDEX : RN_ORDER_METHOD);
                if (search) {
                    visited v = {&w, &space, &truth, is_ordered, calloc(w.count + 1, 4), 0};
                    assert_int_equal(rn_search_visit(search, 0, 0, visit_one, &v), RN_OK);
                    assert_int_equal(v.mistakes, 0);
                    for (uint32_t i = 0; i < w.count; i++) assert_int_equal(v.seen[i], 1);
                    free(v.seen);
                    rn_search_destroy(search);
                }
                judge_free(&truth);
            }
        }
        world_free(&w);
    }
}

/* Query points inside, outside, far outside, and on the points themselves. */
static void make_queries(const world *w, float (*queries)[3], uint32_t count)
{
    rni_random random = rni_random_make(31);
    for (uint32_t q = 0; q < count; q++) {
        for (int a = 0; a < 3; a++) {
            float at = w->count ? w->position[rni_random_below(&random, w->count)][a] : 0.0f;
            if (q % 3 == 1) at += rni_random_float(&random, -2.0f, 2.0f) * w->radius;
            if (q % 17 == 2) at += rni_random_float(&random, -9.0f, 9.0f) * w->radius;
            if (q % 50 == 3) at = rni_random_float(&random, -1e30f, 1e30f);
            if (!(at < 3e38f && at > -3e38f)) at = 0.0f;
            queries[q][a] = at;
        }
    }
}

static void queries_find_what_brute_force_finds(void **state)
{
    (void)state;
    enum { QUERIES = 500 };
    world w;
    float queries[QUERIES][3];
    for (uint32_t number = 0; world_make(number, 700, &w); number++) {
        make_queries(&w, queries, QUERIES);
        for (uint32_t dim = 2; dim <= 3; dim++) {
            judge_space space = {.dim = dim, .radius = w.radius};
            judge_lists truth = judge_find(&space, (const float(*)[3])queries, QUERIES,
                                           (const float(*)[3])w.position, w.count, false);
            for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
                rn_search *search = open_search(&w, rn_search_get_method_info(place)->method, dim,
                                                2, RN_LISTS_NONE, RN_ORDER_INDEX);
                if (!search) continue;
                rn_points points = {queries, sizeof *queries, QUERIES, RN_SCALAR_FLOAT};
                rn_neighbors n;
                if (rn_search_query(search, 0, points, &n) != RN_OK)
                    fail_msg("%s", rn_last_error());
                if (w.count == 0) {
                    assert_int_equal(n.entry_count, 0);
                } else {
                    JUDGE(&truth, &n, true, "%s, %uD, method %d\n", w.name, dim,
                          (int)rn_search_get_method_info(place)->method);
                }
                points.count = 0;
                assert_int_equal(rn_search_query(search, 0, points, &n), RN_OK);
                assert_int_equal(n.count, 0);
                rn_search_destroy(search);
            }
            judge_free(&truth);
        }
        world_free(&w);
    }
}

static int compare_near(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_nearest(const world *w, const judge_space *space, const judge_lists *truth,
                          const float (*from)[3], const rn_nearest *nearest)
{
    assert_int_equal(nearest->count, truth->count);
    for (uint32_t i = 0; i < truth->count; i++) {
        uint32_t count = (uint32_t)(truth->start[i + 1] - truth->start[i]);
        uint64_t *keys = malloc((count + 1) * sizeof *keys);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = truth->index[truth->start[i] + k], bits;
            float distance_sq = judge_distance_sq(space, from[i], w->position[j]);
            memcpy(&bits, &distance_sq, 4);
            keys[k] = (uint64_t)bits << 32 | j;
        }
        qsort(keys, count, sizeof *keys, compare_near);
        uint32_t expected = count < nearest->k ? count : nearest->k;
        assert_int_equal(nearest->counts[i], expected);
        for (uint32_t k = 0; k < expected; k++) {
            uint32_t bits;
            memcpy(&bits, &nearest->distance_sq[(size_t)i * nearest->k + k], 4);
            assert_int_equal(nearest->index[(size_t)i * nearest->k + k], (uint32_t)keys[k]);
            assert_int_equal(bits, keys[k] >> 32);
        }
        free(keys);
    }
}

static void the_nearest_come_first_and_ties_go_by_index(void **state)
{
    (void)state;
    world w;
    static const uint32_t ks[] = {1, 2, 5, 17, 64};
    for (uint32_t number = 0; world_make(number, 500, &w); number++) {
        const float(*position)[3] = (const float(*)[3])w.position;
        judge_space space = {.dim = 3, .radius = w.radius};
        judge_lists own = judge_find(&space, position, w.count, position, w.count, false);
        float queries[100][3];
        make_queries(&w, queries, 100);
        judge_lists asked =
            judge_find(&space, (const float(*)[3])queries, 100, position, w.count, false);
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            rn_search *search = open_search(&w, rn_search_get_method_info(place)->method, 3, 3,
                                            RN_LISTS_NONE, RN_ORDER_METHOD);
            if (!search) continue;
            for (size_t k = 0; k < sizeof ks / sizeof *ks; k++) {
                rn_nearest nearest;
                assert_int_equal(rn_search_find_nearest(search, 0, 0, ks[k], &nearest), RN_OK);
                check_nearest(&w, &space, &own, position, &nearest);
                rn_points points = {queries, sizeof *queries, 100, RN_SCALAR_FLOAT};
                if (w.count == 0) continue;
                assert_int_equal(rn_search_query_nearest(search, 0, points, ks[k], &nearest), RN_OK);
                check_nearest(&w, &space, &asked, (const float(*)[3])queries, &nearest);
            }
            rn_search_destroy(search);
        }
        judge_free(&own);
        judge_free(&asked);
        world_free(&w);
    }
}

static void among_nobody_every_query_has_an_empty_list(void **state)
{
    (void)state;
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        for (uint32_t layout = RN_LAYOUT_SPAN; layout <= RN_LAYOUT_CSR; layout++) {
            rn_search_def def = rn_search_def_default();
            def.radius = 1.0f;
            def.method = rn_search_get_method_info(place)->method;
            def.layout = (rn_list_layout)layout;
            rn_search *search = NULL;
            assert_int_equal(rn_search_create(&def, &search), RN_OK);
            float places[3][3] = {{0}};
            rn_points queries = {places, 0, 3, RN_SCALAR_FLOAT},
                      nobody = {places, 0, 0, RN_SCALAR_FLOAT};
            for (int updated = 0; updated < 2; updated++) {
                rn_neighbors n;
                rn_nearest near;
                if (updated) assert_int_equal(rn_search_update(search, nobody), RN_OK);
                assert_int_equal(rn_search_query(search, 0, queries, &n), RN_OK);
                assert_int_equal(n.count, 3);
                for (uint32_t i = 0; i < 3; i++)
                    assert_int_equal(rn_neighbors_get_list(&n, i).count, 0);
                assert_int_equal(rn_search_query_nearest(search, 0, queries, 4, &near), RN_OK);
                assert_int_equal(near.count, 3);
                for (uint32_t i = 0; i < 3; i++) assert_int_equal(near.counts[i], 0);
            }
            rn_search_destroy(search);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_bring_every_neighbour_with_its_distance),
        cmocka_unit_test(queries_find_what_brute_force_finds),
        cmocka_unit_test(the_nearest_come_first_and_ties_go_by_index),
        cmocka_unit_test(among_nobody_every_query_has_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
