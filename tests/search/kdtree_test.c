/* The two kd-trees: ties, thin sets, boundaries of leaves, limits of the codes. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"

#include <runnel/geometry.h>

#include <stdlib.h>
#include <string.h>

static const rn_search_method trees[] = {RN_SEARCH_KDTREE, RN_SEARCH_LINEAR_KDTREE};
enum { TREE_COUNT = sizeof trees / sizeof *trees };

static rn_search *open_search(rn_search_def def)
{
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK) fail_msg("%s", rn_last_error());
    return search;
}

static void update(rn_search *search, const float (*points)[3], uint32_t count)
{
    rn_points all = {points, sizeof *points, count, RN_SCALAR_FLOAT};
    if (rn_search_update(search, all) != RN_OK) fail_msg("%s", rn_last_error());
}

/* Both trees, by clusters and point by point, against the judge. */
static void check(const char *name, const float (*points)[3], uint32_t count, float radius)
{
    judge_space space = {.dim = 3, .radius = radius};
    judge_lists truth = judge_find(&space, points, count, points, count, false);
    for (int t = 0; t < TREE_COUNT; t++) {
        for (int as_published = 0; as_published < 2; as_published++) {
            rn_search_def def = rn_search_def_default();
            def.radius = radius;
            def.method = trees[t];
            def.as_published = as_published;
            rn_search *search = open_search(def);
            update(search, points, count);
            rn_neighbors n = rn_search_get_neighbors(search);
            JUDGE(&truth, &n, false, "%s, %u points, method %d\n", name, count, (int)trees[t]);
            rn_search_destroy(search);
        }
    }
    judge_free(&truth);
}

static void sets_at_the_ends_of_leaves_and_groups_are_whole(void **state)
{
    (void)state;
    enum { MOST = 1100 };
    float(*points)[3] = calloc(MOST, sizeof *points);
    rni_random random = rni_random_make(3);
    for (uint32_t i = 0; i < MOST; i++) {
        for (int a = 0; a < 3; a++) points[i][a] = rni_random_float(&random, 0.0f, 5.0f);
    }
    const float(*some)[3] = (const float(*)[3])points;
    for (uint32_t size = 8; size <= 1024; size *= 2) {
        for (uint32_t count = size - 1; count <= size + 1; count++)
            check("uniform", some, count, 1);
    }
    for (uint32_t count = 0; count <= 40; count++) check("few", some, count, 2.0f);
    free(points);
}

static void equal_points_end_the_tree(void **state)
{
    (void)state;
    enum { COUNT = 300000, LISTED = 700 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (uint32_t i = 0; i < COUNT; i++) points[i][1] = i % 2 ? 0.0f : -0.0f;
    check("both zeros", (const float(*)[3])points, LISTED, 1.0f);
    for (uint32_t i = 0; i < LISTED; i++) points[i][0] = i % 3 ? 3.4028234e38f : -3.4028234e38f;
    check("both ends", (const float(*)[3])points, LISTED, 1.0f);
    for (int t = 0; t < TREE_COUNT; t++) {
        rn_search_def def = rn_search_def_default();
        def.radius = 1.0f;
        def.method = trees[t];
        def.lists = RN_LISTS_NONE;
        rn_search *search = open_search(def);
        update(search, (const float(*)[3])points, COUNT);
        assert_true(search_stats_of(search).held_bytes < (uint64_t)COUNT * 200);
        rn_search_destroy(search);
    }
    free(points);
}

static void lines_and_planes_are_searched_in_linear_time(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    for (int kind = 0; kind < 5; kind++) {
        rni_random random = rni_random_make((uint64_t)kind);
        for (uint32_t i = 0; i < COUNT; i++) {
            float unit = rni_random_float(&random, 0.0f, 1.0f);
            memset(points[i], 0, sizeof points[i]);
            points[i][kind % 3] = 2e4f * unit; /* one line per axis */
            if (kind == 3) points[i][1] = points[i][2] = -2.0f * points[i][0]; /* diagonal */
            if (kind == 4) points[i][2] = (float)(i % 2) * 1e12f; /* two lines, far apart */
        }
        for (int t = 0; t < TREE_COUNT; t++) {
            rn_search_def def = rn_search_def_default();
            def.radius = 1.0f;
            def.method = trees[t];
            rn_search *search = open_search(def);
            update(search, (const float(*)[3])points, COUNT);
            rn_search_stats stats = rn_search_stats_default();
            rn_search_get_stats(search, &stats);
            if (stats.candidate_count > (uint64_t)COUNT * 400)
                fail_msg("line %d, method %d: %llu candidates", kind, (int)trees[t],
                         (unsigned long long)stats.candidate_count);
            assert_true(stats.visited_count > 0 && stats.visited_count < (uint64_t)COUNT * 100);
            rn_search_destroy(search);
        }
        check("line", (const float(*)[3])points, 900, 40.0f);
    }
    free(points);
}

/* One far point must not put all others into one cell of the codes. */
static void far_points_do_not_spoil_the_codes(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    static const float distances[] = {1e7f, 1e12f, 1e30f, 3.4e38f};
    for (size_t d = 0; d < 4; d++) {
        rni_random random = rni_random_make(d);
        for (uint32_t i = 0; i < COUNT; i++) {
            for (int a = 0; a < 3; a++) points[i][a] = rni_random_float(&random, 0.0f, 20.0f);
        }
        points[0][0] = distances[d];
        points[1][1] = -distances[d];
        points[2][2] = distances[d];
        memcpy(points[3], points[2], sizeof points[3]);
        check("far", (const float(*)[3])points, 900, 1.0f);
        rn_search_def def = rn_search_def_default();
        def.radius = 1.0f;
        def.method = RN_SEARCH_LINEAR_KDTREE;
        def.lists = RN_LISTS_COUNTS;
        rn_search *search = open_search(def);
        update(search, (const float(*)[3])points, COUNT);
        assert_true(search_stats_of(search).candidate_count < (uint64_t)COUNT * 1500);
        rn_search_destroy(search);
    }
    free(points);
}

/* Points on the upper face of the root cell must have codes within range. The extents are whole
 * numbers of cells, and powers of two of them: there the published mapping leaves its range. */
static void points_on_the_upper_face_of_the_root_are_found(void **state)
{
    (void)state;
    float points[64][3];
    for (int exponent = -3; exponent <= 24; exponent++) {
        float side = (float)(1u << (exponent + 3)) / 8.0f;
        for (uint32_t i = 0; i < 64; i++) {
            for (int a = 0; a < 3; a++) {
                float inward = (float)(i / 8 >> a & 1) * 0.25f;
                points[i][a] = i >> a & 1 ? side - inward : inward;
            }
        }
        check("upper face", (const float(*)[3])points, 64, 0.5f);
        check("upper face", (const float(*)[3])points, 64, side / 2.0f);
    }
}

/* The points of a node are contiguous (Poirrier 2009, properties 2 and 3, for points) and in the
 * order of their codes (property 4): checked by the order of the rows. Property 1 is about boxes
 * that are split; points are not. */
static void rows_are_in_the_order_of_their_codes(void **state)
{
    (void)state;
    enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    uint64_t *codes = calloc(COUNT, sizeof *codes);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t scattered = i * 1103u % COUNT; /* odd, so that each place occurs once */
        uint32_t cell[3] = {scattered % SIDE, scattered / SIDE % SIDE, scattered / SIDE / SIDE};
        for (int a = 0; a < 3; a++) points[i][a] = 0.5f * (float)cell[a];
        codes[i] = rn_morton3_encode(cell[0], cell[1], cell[2]);
    }
    rn_search_def def = rn_search_def_default();
    def.radius = 1.0f; /* cells of half a radius, starting at the smallest coordinates */
    def.method = RN_SEARCH_LINEAR_KDTREE;
    rn_search *search = open_search(def);
    update(search, (const float(*)[3])points, COUNT);
    const uint32_t *order = rn_search_get_order(search, 0);
    for (uint32_t k = 0; k < COUNT; k++) assert_int_equal(codes[order[k]], k);
    rn_search_destroy(search);
    free(codes);
    free(points);
}

/* Halves of the order are halves of space: no point of the first half is beyond the second half. */
static void the_balanced_tree_is_cut_at_its_median(void **state)
{
    (void)state;
    enum { COUNT = 4097 };
    float(*points)[3] = calloc(COUNT, sizeof *points);
    rni_random random = rni_random_make(11);
    for (uint32_t i = 0; i < COUNT; i++) {
        points[i][0] = (float)rni_random_below(&random, 9); /* many ties along the longest axis too */
        points[i][1] = rni_random_float(&random, 0.0f, 2.0f);
    }
    rn_search_def def = rn_search_def_default();
    def.radius = 0.1f;
    def.method = RN_SEARCH_KDTREE;
    rn_search *search = open_search(def);
    update(search, (const float(*)[3])points, COUNT);
    const uint32_t *order = rn_search_get_order(search, 0);
    uint32_t last = order[0], next = order[COUNT / 2];
    for (uint32_t k = 0; k < COUNT; k++) {
        uint32_t i = order[k], *edge = k < COUNT / 2 ? &last : &next;
        bool is_after =
            points[i][0] > points[*edge][0] || (points[i][0] == points[*edge][0] && i > *edge);
        if (k < COUNT / 2 ? is_after : !is_after) *edge = i;
    }
    assert_true(points[last][0] <= points[next][0]);
    if (points[last][0] == points[next][0]) assert_true(last < next);
    rn_search_destroy(search);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_at_the_ends_of_leaves_and_groups_are_whole),
        cmocka_unit_test(equal_points_end_the_tree),
        cmocka_unit_test(lines_and_planes_are_searched_in_linear_time),
        cmocka_unit_test(far_points_do_not_spoil_the_codes),
        cmocka_unit_test(points_on_the_upper_face_of_the_root_are_found),
        cmocka_unit_test(rows_are_in_the_order_of_their_codes),
        cmocka_unit_test(the_balanced_tree_is_cut_at_its_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
