/* Every method, instruction set and thread count against brute force, on point sets made to break
 * them. */
#include "fact.h"

#include "search/judge.h"
#include "search/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if FACT_SLOWNESS > 1
static const uint32_t thread_counts[] = {2, 7}; /* other tests run on one thread */
#else
static const uint32_t thread_counts[] = {1, 2, 7};
#endif

/* A method may refuse a point set with a sentence (RN_ERROR_LIMIT); the default method never does.
 * */
static bool update(rn_search *search, rn_search_method method, rn_points points, const char *name)
{
    rn_result result = rn_search_update(search, points);
    if (result == RN_ERROR_LIMIT && method != RN_SEARCH_GRID) {
        assert_true(strlen(rn_last_error()) > 20);
        return false;
    }
    if (result != RN_OK) fail_msg("%s: %s", name, rn_last_error());
    return true;
}

typedef struct twin {
    const world *w;
    uint32_t dim;
    rn_search_method method;
    rn_cpu_level cpu;
    const judge_lists *full, *half;
} twin;

static void check_case(const twin *t, rn_lists lists, rn_list_order order, rn_list_layout layout,
                       uint64_t *first_hash)
{
    /* rows become half lists, counts and CSR in code that all methods share: grid runs it with all
     * thread counts, the others with one */
    bool is_shared =
        t->method != RN_SEARCH_GRID && (lists != RN_LISTS_FULL || layout != RN_LAYOUT_SPAN);
    for (size_t c = 0; c < sizeof thread_counts / sizeof *thread_counts; c++) {
        if (is_shared && thread_counts[c] != 2) continue;
        rn_search_def def = rn_search_def_default();
        def.dim = t->dim;
        def.radius = t->w->radius;
        def.method = t->method;
        def.cpu = t->cpu;
        def.threads = thread_counts[c];
        def.lists = lists;
        def.order = order;
        def.layout = layout;
        rn_search *search = NULL;
        if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s", rn_last_error());
        for (int round = 0; round < 2;
             round++) { /* in the second update memory and order exist already */
            if (!update(search, t->method, world_points(t->w), t->w->name)) break;
            rn_neighbors n = rn_search_get_neighbors(search);
            const judge_lists *truth = lists == RN_LISTS_HALF ? t->half : t->full;
            uint64_t hash = judge_hash(&n);
            if (hash != *first_hash) /* otherwise the same lists were compared before */
                JUDGE(truth, &n, order == RN_ORDER_INDEX,
                      "%s, %uD, method %d, cpu %s, %u threads, lists %d, order %d, layout %d\n",
                      t->w->name, t->dim, (int)t->method, rn_cpu_level_name(t->cpu), def.threads,
                      (int)lists, (int)order, (int)layout);
            if (t->method == RN_SEARCH_AUTO && order == RN_ORDER_METHOD)
                continue; /* whichever is selected */
            if (*first_hash == 0) *first_hash = hash;
            assert_true(hash == *first_hash);
        }
        rn_search_destroy(search);
    }
}

static void check_world(const world *w, uint32_t dim)
{
    judge_space space = {.dim = dim, .radius = w->radius};
    const float(*position)[3] = (const float(*)[3])w->position;
    judge_lists full = judge_find(&space, position, w->count, position, w->count, false);
    judge_lists half = judge_find(&space, position, w->count, position, w->count, true);
    rn_cpu_level levels[3];
    uint32_t level_count = world_cpu_levels(levels);
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        rn_search_method method = rn_search_get_method_info(place)->method;
        for (uint32_t level = 0; level < level_count; level++) {
            if (level > 0 && !world_has_levels(method)) continue; /* one version only */
            twin t = {w, dim, method, levels[level], &full, &half};
            /* the same order for all thread counts; instruction sets must not differ either */
            uint64_t by_method = 0, by_index = 0, half_hash = 0, count_hash = 0;
            check_case(&t, RN_LISTS_FULL, RN_ORDER_METHOD, RN_LAYOUT_SPAN, &by_method);
            check_case(&t, RN_LISTS_FULL, RN_ORDER_METHOD, RN_LAYOUT_CSR, &by_method);
            check_case(&t, RN_LISTS_FULL, RN_ORDER_INDEX, RN_LAYOUT_CSR, &by_index);
            check_case(&t, RN_LISTS_HALF, RN_ORDER_METHOD, RN_LAYOUT_SPAN, &half_hash);
            check_case(&t, RN_LISTS_COUNTS, RN_ORDER_METHOD, RN_LAYOUT_SPAN, &count_hash);
        }
    }
    judge_free(&full);
    judge_free(&half);
}

static void every_method_finds_what_brute_force_finds_in_3d(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 1300, &w); number++) {
        check_world(&w, 3);
        world_free(&w);
    }
}

static void every_method_finds_what_brute_force_finds_in_2d(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 900, &w); number += FACT_SLOWNESS > 3 ? 4 : 1) {
        check_world(&w, 2);
        world_free(&w);
    }
}

/* Long lists only for the small sets, where they hold all points. */
#define LARGE_ENTRIES (40.0f / FACT_SLOWNESS)

static void shorten_lists(world *w)
{
    rn_search_def def = rn_search_def_default();
    def.radius = w->radius;
    def.lists = RN_LISTS_COUNTS;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    for (int round = 0; round < 20; round++) {
        assert_int_equal(rn_search_set_radius(search, w->radius), RN_OK);
        assert_int_equal(rn_search_update(search, world_points(w)), RN_OK);
        float mean = (float)rn_search_get_neighbors(search).entry_count / ((float)w->count + 1.0f);
        if (mean <= 1.2f * LARGE_ENTRIES) break;
        w->radius *= cbrtf(LARGE_ENTRIES / mean);
    }
    rn_search_destroy(search);
}

/* Large enough for several buckets, blocks, pieces, and parts per thread. */
static void larger_worlds_agree_between_methods(void **state)
{
    (void)state;
    world w;
    for (uint32_t number = 0; world_make(number, 40000, &w); number = FACT_NEXT_LARGE(number)) {
        uint64_t expected = 0;
        shorten_lists(&w);
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            rn_search_method method = rn_search_get_method_info(place)->method;
            if (method == RN_SEARCH_BRUTE || w.radius > 50.0f) continue;
            for (size_t c = 0; c < sizeof thread_counts / sizeof *thread_counts; c++) {
                if (FACT_SLOWNESS > 1 && thread_counts[c] == 2) continue;
                rn_search_def def = rn_search_def_default();
                def.radius = w.radius;
                def.method = method;
                def.threads = thread_counts[c];
                def.order = RN_ORDER_INDEX;
                rn_search *search = NULL;
                assert_int_equal(rn_search_create(&def, &search), RN_OK);
                if (update(search, method, world_points(&w), w.name)) {
                    rn_neighbors n = rn_search_get_neighbors(search);
                    uint64_t hash = judge_hash(&n);
                    if (expected == 0) expected = hash;
                    if (hash != expected) fail_msg("%s: method %d differs", w.name, (int)method);
                }
                rn_search_destroy(search);
            }
        }
        world_free(&w);
    }
}

/* Strides, padding, misaligned records, double: the same points in other layouts. */
static void positions_are_read_at_any_stride_and_width(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(0, 1000, &w));
    judge_space space = {.dim = 3, .radius = w.radius};
    const float(*position)[3] = (const float(*)[3])w.position;
    judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
    static const size_t strides[] = {12, 13, 16, 40};
    for (size_t s = 0; s < 4; s++) {
        unsigned char *bytes = malloc(strides[s] * w.count);
        for (uint32_t i = 0; i < w.count; i++) {
            memset(bytes + i * strides[s], 0xff, strides[s]); /* NaN between the points */
            memcpy(bytes + i * strides[s], w.position[i], sizeof w.position[i]);
        }
        rn_search_def def = rn_search_def_default();
        def.radius = w.radius;
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        rn_points points = {bytes, strides[s], w.count, RN_SCALAR_FLOAT};
        if (rn_search_update(search, points) != RN_OK) fail_msg("%s", rn_last_error());
        rn_neighbors n = rn_search_get_neighbors(search);
        JUDGE(&truth, &n, false, "stride %zu\n", strides[s]);
        rn_search_destroy(search);
        free(bytes);
    }
    judge_free(&truth);
    world_free(&w);
}

/* A search in 3D by one of the methods. */
static rn_search *search_by(rn_search_method method, float radius)
{
    rn_search_def def = rn_search_def_default();
    def.radius = radius;
    def.method = method;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    return search;
}

/* A set at 1e9 from the origin, given in double, has the same neighbours as at the origin. */
static void double_positions_far_away_lose_nothing(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(2, 1200, &w)); /* pairs at exactly the radius */
    judge_space space = {.dim = 3, .radius = w.radius};
    const float(*position)[3] = (const float(*)[3])w.position;
    judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
    double(*far)[3] = malloc(w.count * sizeof *far);
    static const double shifts[] = {0.0, 1e9, -123456789.25, 1e12};
    for (size_t s = 0; s < 4; s++) {
        for (uint32_t i = 0; i < w.count; i++) {
            for (int a = 0; a < 3; a++) far[i][a] = (double)w.position[i][a] + shifts[s] * (a + 1);
        }
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            rn_search *search = search_by(rn_search_get_method_info(place)->method, w.radius);
            rn_points points = {far, 0, w.count, RN_SCALAR_DOUBLE};
            if (rn_search_update(search, points) != RN_OK) fail_msg("%s", rn_last_error());
            rn_neighbors n = rn_search_get_neighbors(search);
            JUDGE(&truth, &n, false, "shift %g\n", shifts[s]);
            rn_search_destroy(search);
        }
    }
    free(far);
    judge_free(&truth);
    world_free(&w);
}

/* With outliers far away on one side, at any place in memory, the other points keep their
 * precision. */
static void strays_do_not_blur_double_positions(void **state)
{
    (void)state;
    world w;
    assert_true(world_make(2, 1200, &w));
    for (uint32_t i = 0; i < w.count; i += 50) w.position[i][i % 3] = 1e20f;
    judge_space space = {.dim = 3, .radius = w.radius};
    const float(*position)[3] = (const float(*)[3])w.position;
    judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
    double(*far)[3] = malloc(w.count * sizeof *far);
    for (int is_far = 0; is_far < 2; is_far++) {
        for (uint32_t i = 0; i < w.count; i++)
            for (int a = 0; a < 3; a++) far[i][a] = (double)w.position[i][a] + 1e9 * is_far;
        for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
            const rn_search_method method = rn_search_get_method_info(place)->method;
            rn_search *search = search_by(method, w.radius);
            if (update(search, method, (rn_points){far, 0, w.count, RN_SCALAR_DOUBLE}, w.name)) {
                rn_neighbors n = rn_search_get_neighbors(search);
                JUDGE(&truth, &n, false, "far %d, method %d\n", is_far, (int)method);
            }
            rn_search_destroy(search);
        }
    }
    free(far);
    judge_free(&truth);
    world_free(&w);
}

static void hash_finds_all_with_13_cells_and_any_table_length(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {0, 1, 7, 64, 100003};
    world w;
    for (uint32_t number = 0; world_make(number, 700, &w); number++) {
        judge_space space = {.dim = 3, .radius = w.radius};
        const float(*position)[3] = (const float(*)[3])w.position;
        judge_lists truth = judge_find(&space, position, w.count, position, w.count, false);
        for (size_t length = 0; length < 5; length++) {
            for (uint32_t cells = 13; cells <= 27; cells += 14) {
                rn_search_def def = rn_search_def_default();
                def.radius = w.radius;
                def.method = RN_SEARCH_HASH;
                def.hash_table_length = lengths[length];
                def.hash_cells = cells;
                rn_search *search = NULL;
                assert_int_equal(rn_search_create(&def, &search), RN_OK);
                if (update(search, RN_SEARCH_HASH, world_points(&w), w.name)) {
                    rn_neighbors n = rn_search_get_neighbors(search);
                    JUDGE(&truth, &n, false, "%s, table %u, %u cells\n", w.name, lengths[length],
                          cells);
                }
                rn_search_destroy(search);
            }
        }
        judge_free(&truth);
        world_free(&w);
    }
}

/* A published form uses one thread, whatever was requested; methods without one run as usual. */
static void as_published_is_on_one_thread(void **state)
{
    (void)state;
    static const rn_search_method own[] = {RN_SEARCH_GRID, RN_SEARCH_AUTO, RN_SEARCH_BRUTE};
    world w;
    assert_true(world_make(0, 3000, &w));
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        rn_search_def def = rn_search_def_default();
        def.radius = w.radius;
        def.method = rn_search_get_method_info(place)->method;
        def.threads = 3;
        def.as_published = true;
        bool is_own = false;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++) is_own |= def.method == own[k];
        rn_search *search = NULL;
        assert_int_equal(rn_search_create(&def, &search), RN_OK);
        assert_int_equal(rn_search_update(search, world_points(&w)), RN_OK);
        if (search_stats_of(search).threads != (is_own ? 3 : 1))
            fail_msg("%s runs on %u threads", rn_search_get_method_info(place)->name,
                     search_stats_of(search).threads);
        rn_search_destroy(search);
    }
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_what_brute_force_finds_in_3d),
        cmocka_unit_test(every_method_finds_what_brute_force_finds_in_2d),
        cmocka_unit_test(larger_worlds_agree_between_methods),
        cmocka_unit_test(positions_are_read_at_any_stride_and_width),
        cmocka_unit_test(double_positions_far_away_lose_nothing),
        cmocka_unit_test(strays_do_not_blur_double_positions),
        cmocka_unit_test(as_published_is_on_one_thread),
        cmocka_unit_test(hash_finds_all_with_13_cells_and_any_table_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
