/* Pairs of every method, instruction set and thread count against brute force, in scenes made to
 * break them. */
#include "fact.h"

#include "base/random.h"
#include "broadphase/judge.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t thread_counts[] = {1, 2, 7};

static rn_broadphase *open(const rn_broadphase_def *def)
{
    rn_broadphase *phase = NULL;
    if (rn_broadphase_create(def, &phase) != RN_OK) fail_msg("%s", rn_last_error());
    return phase;
}

static uint64_t sum_of(const rn_pair *pair, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < count; k++) sum += (uint64_t)pair[k].a * 31 + pair[k].b + 1;
    return sum;
}

static void sum_pairs(void *user, const rn_pair *pair, uint32_t count, uint32_t worker)
{
    (void)worker;
    atomic_fetch_add((_Atomic uint64_t *)user, sum_of(pair, count));
}

/* One object, two rounds: the second round reuses the memory, and possibly the order, of the
 * first. */
static void check_case(const scene *s, const rn_broadphase_def *def, const judged *truth,
                       uint64_t *first_hash)
{
    rn_broadphase *phase = open(def);
    rn_boxes boxes = scene_boxes(s);
    for (int round = 0; round < 2; round++) {
        rn_pairs pairs;
        uint64_t count = 0;
        _Atomic uint64_t sum = 0;
        if (rn_broadphase_update(phase, &boxes) != RN_OK ||
            rn_broadphase_count_pairs(phase, &count) != RN_OK ||
            rn_broadphase_visit_pairs(phase, sum_pairs, &sum) != RN_OK ||
            rn_broadphase_find_pairs(phase, &pairs) != RN_OK)
            fail_msg("%s: %s", s->name, rn_last_error());
        uint64_t hash = judge_hash(pairs.pair, pairs.count);
        if (hash != *first_hash) /* otherwise the same bytes were judged before */
            JUDGE(judge_compare(truth, pairs.pair, pairs.count, def->order == RN_PAIRS_SORTED),
                  "%s, %uD, method %d, cpu %s, %u threads, order %d, round %d", s->name, def->dim,
                  (int)def->method, rn_cpu_level_name(def->cpu), def->threads, (int)def->order,
                  round);
        assert_int_equal(count, truth->count);
        assert_true(sum == sum_of(truth->pair, truth->count));
        for (uint64_t k = 0; k < pairs.count; k++)
            if (pairs.pair[k].a >= pairs.pair[k].b) fail_msg("%s: b before a", s->name);
        if (def->method == RN_BROADPHASE_AUTO && def->order == RN_PAIRS_METHOD) continue;
        if (*first_hash == 0) *first_hash = hash;
        if (hash != *first_hash)
            fail_msg("%s, %uD, method %d: another order with cpu %s, %u threads, round %d", s->name,
                     def->dim, (int)def->method, rn_cpu_level_name(def->cpu), def->threads, round);
    }
    rn_broadphase_destroy(phase);
}

static void check_scene(const scene *s, uint32_t dim)
{
    judged truth = judge_pairs(s, dim);
    rn_cpu_level levels[3];
    uint32_t level_count = scene_cpu_levels(levels);
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        rn_broadphase_def def = rn_broadphase_def_default();
        def.dim = dim;
        def.method = rn_broadphase_get_method_info(place)->method;
        uint64_t as_found = 0, sorted = 0;
        for (uint32_t level = 0; level < level_count; level++) {
            if (level > 0 && !scene_has_levels(def.method)) continue; /* one version only */
            def.cpu = levels[level];
            for (size_t c = 0; c < 3; c++) {
                def.threads = thread_counts[c];
                def.order = RN_PAIRS_METHOD;
                check_case(s, &def, &truth, &as_found);
                def.order = RN_PAIRS_SORTED;
                if (c == 1) check_case(s, &def, &truth, &sorted);
            }
        }
    }
    judge_free(&truth);
}

static void every_method_finds_what_brute_force_finds_in_3d(void **state)
{
    (void)state;
    scene s;
    for (uint32_t number = 0; scene_make(number, 900, &s); number += FACT_SLOWNESS > 3 ? 2 : 1) {
        check_scene(&s, 3);
        scene_free(&s);
    }
}

static void every_method_finds_what_brute_force_finds_in_2d(void **state)
{
    (void)state;
    scene s;
    for (uint32_t number = 0; scene_make(number, 500, &s); number += FACT_SLOWNESS > 3 ? 4 : 1) {
        check_scene(&s, 2);
        scene_free(&s);
    }
}

/* Large enough for several pieces and blocks per thread. */
static void larger_scenes_agree_between_methods(void **state)
{
    (void)state;
    scene s;
    for (uint32_t number = 0; scene_make(number, 40000, &s); number = FACT_NEXT_LARGE(number)) {
        uint64_t expected = 0;
        for (uint32_t place = 0; rn_broadphase_get_method_info(place) && !scene_is_crowded(&s);
             place++) {
            const rn_broadphase_method_info *info = rn_broadphase_get_method_info(place);
            if (info->is_quadratic) continue;
            for (size_t c = FACT_SLOWNESS > 1 ? 2 : 0; c < 3; c++) {
                rn_broadphase_def def = rn_broadphase_def_default();
                def.method = info->method;
                def.threads = thread_counts[c];
                def.order = RN_PAIRS_SORTED;
                rn_broadphase *phase = open(&def);
                rn_boxes boxes = scene_boxes(&s);
                rn_pairs pairs;
                if (rn_broadphase_update(phase, &boxes) != RN_OK ||
                    rn_broadphase_find_pairs(phase, &pairs) != RN_OK)
                    fail_msg("%s: %s", s.name, rn_last_error());
                uint64_t hash = judge_hash(pairs.pair, pairs.count);
                if (expected == 0) expected = hash;
                if (hash != expected) fail_msg("%s: %s differs", s.name, info->name);
                rn_broadphase_destroy(phase);
            }
        }
        scene_free(&s);
    }
}

/* Strides, padding, interleaved and misaligned records: the same boxes in other memory layouts. */
static void boxes_are_read_at_any_stride(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(0, 800, &s));
    static const size_t strides[] = {24, 25, 32, 56};
    for (uint32_t dim = 2; dim <= 3; dim++) {
        judged truth = judge_pairs(&s, dim);
        for (size_t k = 0; k < 4; k++) {
            unsigned char *bytes = malloc(strides[k] * s.count);
            memset(bytes, 0xff, strides[k] * s.count); /* NaN between the boxes */
            for (uint32_t i = 0; i < s.count; i++) {
                memcpy(bytes + i * strides[k], s.low[i], dim * sizeof(float));
                memcpy(bytes + i * strides[k] + 12, s.high[i], dim * sizeof(float));
            }
            rn_broadphase_def def = rn_broadphase_def_default();
            def.dim = dim;
            rn_broadphase *phase = open(&def);
            rn_boxes boxes = {.low = (const void *)bytes,
                              .high = (const void *)(bytes + 12),
                              .low_stride_bytes = strides[k],
                              .high_stride_bytes = strides[k],
                              .count = s.count};
            rn_pairs pairs;
            if (rn_broadphase_update(phase, &boxes) != RN_OK) fail_msg("%s", rn_last_error());
            assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
            JUDGE(judge_compare(&truth, pairs.pair, pairs.count, false), "stride %zu", strides[k]);
            rn_broadphase_destroy(phase);
            free(bytes);
        }
        judge_free(&truth);
    }
    scene_free(&s);
}

static void categories_and_masks_decide_who_meets(void **state)
{
    (void)state;
    scene s;
    assert_true(scene_make(1, 700, &s));
    judged all = judge_pairs(&s, 3), some = {0};
    uint32_t *category = malloc(s.count * sizeof *category), *mask = malloc(s.count * sizeof *mask);
    rni_random r = rni_random_make(3);
    for (uint32_t i = 0; i < s.count; i++) {
        category[i] = 1u << rni_random_below(&r, 4);
        mask[i] = rni_random_below(&r, 16);
    }
    some.pair = malloc((all.count + 1) * sizeof *some.pair);
    for (uint64_t k = 0; k < all.count; k++) {
        rn_pair p = all.pair[k];
        if ((category[p.a] & mask[p.b]) && (category[p.b] & mask[p.a])) some.pair[some.count++] = p;
    }
    assert_true(some.count > 0 && some.count < all.count);
    for (uint32_t place = 0; rn_broadphase_get_method_info(place); place++) {
        for (size_t c = 0; c < 3; c++) {
            rn_broadphase_def def = rn_broadphase_def_default();
            def.method = rn_broadphase_get_method_info(place)->method;
            def.threads = thread_counts[c];
            rn_broadphase *phase = open(&def);
            rn_boxes boxes = scene_boxes(&s);
            boxes.category = category;
            boxes.mask = mask;
            rn_pairs pairs;
            uint64_t count;
            assert_int_equal(rn_broadphase_update(phase, &boxes), RN_OK);
            assert_int_equal(rn_broadphase_count_pairs(phase, &count), RN_OK);
            assert_int_equal(count, some.count);
            assert_int_equal(rn_broadphase_find_pairs(phase, &pairs), RN_OK);
            JUDGE(judge_compare(&some, pairs.pair, pairs.count, false), "method %d", (int)def.method);
            rn_broadphase_destroy(phase);
        }
    }
    judge_free(&all);
    judge_free(&some);
    free(category);
    free(mask);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_finds_what_brute_force_finds_in_3d),
        cmocka_unit_test(every_method_finds_what_brute_force_finds_in_2d),
        cmocka_unit_test(larger_scenes_agree_between_methods),
        cmocka_unit_test(boxes_are_read_at_any_stride),
        cmocka_unit_test(categories_and_masks_decide_who_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
