/* The n-th allocation fails, for n = 1, 2, 3 ... until everything succeeds: no leak, and the object
 * stays usable. */
#include "fact.h"

#include "allocators.h"
#include "base/random.h"
#include "search/judge.h"
#include "search/worlds.h"

#include <stdatomic.h>
#include <string.h>

static void visit_nothing(void *user, const rn_batch *batch)
{
    atomic_fetch_add((_Atomic uint64_t *)user, batch->count);
}

/* Everything a caller may do; returns the first failure. */
static rn_result use(rn_search *search, const world *w)
{
    rn_points points = world_points(w);
    rn_neighbors n;
    rn_nearest near;
    _Atomic uint64_t visited = 0;
    rn_result result = rn_search_update(search, points);
    if (result == RN_OK) result = rn_search_update(search, points);
    if (result == RN_OK) result = rn_search_query(search, 0, points, &n);
    if (result == RN_OK) result = rn_search_find_nearest(search, 0, 0, 3, &near);
    if (result == RN_OK) result = rn_search_query_nearest(search, 0, points, 2, &near);
    if (result == RN_OK) result = rn_search_visit(search, 0, 0, visit_nothing, &visited);
    return result;
}

static void check_faults(const rn_search_def *like, const world *w)
{
    const float(*position)[3] = (const float(*)[3])w->position;
    judge_space space = {.dim = 3, .radius = w->radius};
    judge_lists truth = judge_find(&space, position, w->count, position, w->count, false);
    for (int64_t n = 0;; n++) {
        budget b = {.left = n};
        rn_search_def def = *like;
        def.radius = w->radius;
        def.allocator = budget_allocator(&b);
        rn_search *search = NULL;
        rn_result result = rn_search_create(&def, &search);
        bool is_created = result == RN_OK;
        if (is_created) result = use(search, w);
        if (result != RN_OK) {
            if (result != RN_ERROR_MEMORY) fail_msg("%s", rn_last_error());
            assert_non_null(strstr(rn_last_error(), "no memory"));
        }
        if (is_created) { /* with memory available again, everything succeeds */
            atomic_store(&b.left, -1);
            assert_int_equal(use(search, w), RN_OK);
            rn_neighbors lists = rn_search_get_neighbors(search);
            JUDGE(&truth, &lists, false, "%s after failure %d\n", w->name, (int)n);
        } else {
            assert_null(search);
        }
        rn_search_destroy(search);
        assert_int_equal(b.live, 0);
        if (result == RN_OK) break;
        assert_true(n < 500);
    }
    judge_free(&truth);
}

/* A method may have a limit; the default has none. */
static bool is_refused(const rn_search_def *like, const world *w)
{
    rn_search_def def = *like;
    def.radius = w->radius;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    rn_result result = rn_search_update(search, world_points(w));
    rn_search_destroy(search);
    return result == RN_ERROR_LIMIT && def.method != RN_SEARCH_GRID;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 4, 12}; /* full table, sparse, sparse with ranked axes */
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            /* the last one runs on two threads, for the thread sanitizer */
            for (int variant = FACT_SLOWNESS > 3 ? 3 : 0; variant < 4; variant++) {
                world w;
                assert_true(world_make(numbers[k], 300, &w));
                rn_search_def def = rn_search_def_default();
                def.method = rn_search_get_method_info(place)->method;
                def.threads = variant == 3 ? 2 : 1;
                if (variant == 1) def.order = RN_ORDER_INDEX;
                if (variant == 2) def.skin = 0.1f * w.radius;
                if (def.method == RN_SEARCH_HASH) def.hash_cells = variant == 1 ? 13 : 27;
                if (def.method == RN_SEARCH_HIERARCHICAL_HASH) {
                    def.as_published = variant == 1;
                    def.unbounded_table = variant & 1;
                }
                if (variant == 2) def.h_mask = 2;
                if (def.method == RN_SEARCH_CELL_SORT) def.as_published = variant == 1;
                if (!is_refused(&def, &w)) check_faults(&def, &w);
                world_free(&w);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
