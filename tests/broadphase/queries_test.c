/* Queries and two sets, every method, instruction set and thread count, against brute force. */
#include "fact.h"

#include "broadphase/judge.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t thread_counts[] = {1, 2, 7};

typedef struct visited {
    const uint32_t *counts;
    _Atomic uint64_t total;
    _Atomic uint32_t calls, wrong;
} visited;

static void visit(void *user, uint32_t query, const uint32_t *index, uint32_t count, uint32_t worker)
{
    (void)worker;
    visited *v = user;
    atomic_fetch_add(&v->calls, 1);
    atomic_fetch_add(&v->total, count);
    if (v->counts[query] != count || (count > 0 && !index)) atomic_fetch_add(&v->wrong, 1);
}

static void check_queries(rn_broadphase *phase, const rn_queries *queries, const judged *truth,
                          const rn_broadphase_def *def, const char *name)
{
    rn_hits hits;
    if (rn_broadphase_query(phase, queries, &hits) != RN_OK) fail_msg("%s", rn_last_error());
    JUDGE(judge_hits(truth, &hits, def->order == RN_PAIRS_SORTED),
          "%s, %uD, method %d, cpu %s, %u threads, kind %d", name, def->dim, (int)def->method,
          rn_cpu_level_name(def->cpu), def->threads, (int)queries->kind);
    uint32_t *counts = malloc((queries->count + 1) * sizeof *counts);
    uint64_t total;
    assert_int_equal(rn_broadphase_count_hits(phase, queries, counts, &total), RN_OK);
    assert_int_equal(total, truth->count);
    visited v = {.counts = counts};
    assert_int_equal(rn_broadphase_visit_hits(phase, queries, visit, &v), RN_OK);
    assert_int_equal(v.calls, queries->count);
    assert_int_equal(v.total, truth->count);
    assert_int_equal(v.wrong, 0);
    free(counts);
}

static void check_scene(const scene *s, uint32_t dim, uint32_t query_count)
{
    rn_queries queries[4];
    judged truth[4];
    for (int kind = 0; kind < 4; kind++) {
        queries[kind] = scene_queries(s, (rn_query_kind)kind, query_count, 5 + (uint64_t)kind);
        truth[kind] = judge_queries(s, &queries[kind], dim);
    }
    rn_cpu_level levels[3];
    uint32_t level_count = scene_cpu_levels(levels);
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        for (uint32_t level = 0; level < level_count; level++) {
            for (size_t c = FACT_FIRST_THREADS; c < 3; c++) {
                rn_broadphase_def def = rn_broadphase_def_default();
                def.dim = dim;
                def.method = rn_broadphase_get_method_info(place)->method;
                def.cpu = levels[level];
                /* one version only; the code that concatenates lists is the same for all */
                if (!scene_has_levels(def.method) && (level > 0 || c == 2)) continue;
                def.threads = thread_counts[c];
                def.order = c == 1 ? RN_PAIRS_SORTED : RN_PAIRS_METHOD;
                rn_broadphase *phase = NULL;
                rn_boxes boxes = scene_boxes(s);
                assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
                if (rn_broadphase_update(phase, &boxes) != RN_OK) fail_msg("%s", rn_last_error());
                for (int kind = 0; kind < 4; kind++)
                    check_queries(phase, &queries[kind], &truth[kind], &def, s->name);
                rn_broadphase_destroy(phase);
            }
        }
    }
    for (int kind = 0; kind < 4; kind++) {
        judge_free(&truth[kind]);
        scene_queries_free(&queries[kind]);
    }
}

static void every_method_answers_queries_as_brute_force_does(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {500, 37};
    for (uint32_t dim = 2; dim <= 3; dim++) {
        for (size_t n = 0; n < 2; n++) {
            scene s;
            for (uint32_t number = 0; scene_make(number, sizes[n], &s); number++) {
                check_scene(&s, dim, (n == 0 ? 300 : 60) / FACT_SLOWNESS);
                scene_free(&s);
            }
        }
    }
}

static void two_sets_meet_as_brute_force_says(void **state)
{
    (void)state;
    scene s, others;
    for (uint32_t number = 0; scene_make(number, 400, &s); number++) {
        assert_true(scene_make(number, 400, &others));
        scene_step(&others, 9);
        judged truth = judge_between(&s, &others, 3);
        for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
            for (size_t c = FACT_FIRST_THREADS; c < 3; c++) {
                rn_broadphase_def def = rn_broadphase_def_default();
                def.method = rn_broadphase_get_method_info(place)->method;
                def.threads = thread_counts[c];
                def.order = RN_PAIRS_SORTED;
                rn_broadphase *phase = NULL;
                rn_boxes ours = scene_boxes(&s), theirs = scene_boxes(&others);
                rn_pairs pairs;
                assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
                assert_int_equal(rn_broadphase_update(phase, &ours), RN_OK);
                if (rn_broadphase_find_pairs_between(phase, &theirs, &pairs) != RN_OK)
                    fail_msg("%s: %s", s.name, rn_last_error());
                JUDGE(judge_compare(&truth, pairs.pair, pairs.count, true), "%s, method %d", s.name,
                      (int)def.method);
                rn_broadphase_destroy(phase);
            }
        }
        judge_free(&truth);
        scene_free(&s);
        scene_free(&others);
    }
}

/* Even boxes have category 2, and the queries find only those. */
static void queries_find_the_categories_they_ask_for(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(1, 500, &s));
    rn_queries queries = scene_queries(&s, RN_QUERY_BOX, 200, 3);
    judged all = judge_queries(&s, &queries, 3);
    uint64_t even = 0;
    for (uint64_t k = 0; k < all.count; k++) even += all.pair[k].a % 2 == 0;
    uint32_t category[500];
    for (uint32_t i = 0; i < 500; i++) category[i] = i % 2 == 0 ? 2u : 4u;
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    rn_boxes boxes = scene_boxes(&s);
    boxes.category = category;
    assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    uint64_t total;
    assert_int_equal(rn_broadphase_count_hits(phase, &queries, NULL, &total), RN_OK);
    assert_int_equal(total, all.count);
    queries.mask = 2;
    assert_int_equal(rn_broadphase_count_hits(phase, &queries, NULL, &total), RN_OK);
    assert_int_equal(total, even);
    queries.mask = 8;
    rn_hits hits;
    assert_int_equal(rn_broadphase_query(phase, &queries, &hits), RN_OK);
    assert_int_equal(hits.entry_count, 0);
    /* without categories all boxes have category 1 */
    boxes.category = NULL;
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    assert_int_equal(rn_broadphase_count_hits(phase, &queries, NULL, &total), RN_OK);
    assert_int_equal(total, 0);
    rn_broadphase_destroy(phase);
    judge_free(&all);
    scene_queries_free(&queries);
    scene_free(&s);
}

/* Diagonals past a corner: the bounding box of the segment overlaps, the segment does not. */
static void segments_miss_boxes_beside_them(void **state)
{
    (void)state;
    const float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const float from[4][3] = {{-1, 1.5f, 0.5f}, {-1, 1, 0.5f}, {0.5f, -1, 1.5f}, {2, 2, 2}};
    const float to[4][3] = {{0.5f, 3, 0.5f}, {1, 3, 0.5f}, {0.5f, 2.5f, -2.0f}, {-1, -1, -1}};
    const uint32_t expected[4] = {0, 0, 1, 1};
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    rn_boxes boxes = {.low = low, .high = high, .count = 1};
    rn_queries queries = {.kind = RN_QUERY_SEGMENT, .count = 4, .a = from[0], .b = to[0]};
    uint32_t counts[4];
    assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
    assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
    assert_int_equal(rn_broadphase_count_hits(phase, &queries, counts, NULL), RN_OK);
    for (int k = 0; k < 4; k++) assert_int_equal(counts[k], expected[k]);
    rn_broadphase_destroy(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_answers_queries_as_brute_force_does),
        cmocka_unit_test(two_sets_meet_as_brute_force_says),
        cmocka_unit_test(queries_find_the_categories_they_ask_for),
        cmocka_unit_test(segments_miss_boxes_beside_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
