/* Validators detect broken structures; the bucket sort agrees with a plain sort. */
#include "fact.h"

#include "base/bucket_sort.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/validate.h"

#include <string.h>

static void a_permutation_has_each_index_once(void **state)
{
    (void)state;
    uint32_t order[] = {3, 0, 2, 1};
    assert_null(rni_validate_permutation(order, 4));
    order[2] = 3;
    assert_non_null(rni_validate_permutation(order, 4));
    order[2] = 4;
    assert_non_null(rni_validate_permutation(order, 4));
    assert_null(rni_validate_permutation(NULL, 0));
}

static void starts_ascend_from_zero_to_the_count(void **state)
{
    (void)state;
    uint32_t start[] = {0, 2, 2, 5};
    assert_null(rni_validate_starts(start, 3, 5));
    assert_non_null(rni_validate_starts(start, 3, 6));
    start[1] = 3;
    assert_non_null(rni_validate_starts(start, 3, 5));
    start[1] = 2, start[0] = 1;
    assert_non_null(rni_validate_starts(start, 3, 5));
}

static void an_arena_that_is_overwritten_is_noticed(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_arena arena;
    rni_memory_init(&memory, &none);
    rni_arena_init(&arena, &memory);
    assert_null(rni_validate_arena(&arena));
    assert_non_null(rni_arena_take(&arena, 100));
    assert_null(rni_validate_arena(&arena));
    unsigned char head[24]; /* a link and two sizes */
    memcpy(head, arena.chunk, sizeof head);
    memset((unsigned char *)arena.chunk + 8, 0xff, 16);
    assert_non_null(rni_validate_arena(&arena));
    memcpy(arena.chunk, head, sizeof head);
    assert_null(rni_validate_arena(&arena));
    rni_arena_free(&arena);
    assert_int_equal(memory.held_bytes, 0);
}

/* By the definition: the records of each key in input order. */
static void check_bucket_sort(uint32_t count, uint32_t key_count, uint32_t parts,
                              bool is_nearly_sorted)
{
    static uint32_t key[5000], start[40001];
    static rni_bucket_entry entries[5000];
    static rni_bucket_tally tally[3];
    rni_random random = rni_random_make(count + key_count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t any = rni_random_below(&random, key_count);
        key[i] = is_nearly_sorted ? (uint32_t)((uint64_t)i * key_count / count) : any;
    }
    rni_buckets buckets = {.parts = parts, .tally = tally};
    rni_buckets_choose(&buckets, count, 100, key_count);
    for (uint32_t part = 0; part < parts; part++)
        rni_buckets_count(&buckets, part, key, (uint64_t)count * part / parts,
                          (uint64_t)count * (part + 1) / parts);
    rni_buckets_place(&buckets, buckets.tally, buckets.start, 0);
    for (uint32_t part = 0; part < parts; part++)
        rni_buckets_fill(&buckets, part, key, (uint64_t)count * part / parts,
                         (uint64_t)count * (part + 1) / parts, entries);
    start[0] = 0;
    for (uint32_t bucket = 0; bucket < buckets.count; bucket++)
        rni_bucket_sort(&buckets, bucket, entries, start);
    assert_null(rni_validate_starts(start, key_count, count));
    static uint32_t order[5000];
    for (uint32_t k = 0; k < count; k++) order[entries[k].key] = entries[k].index;
    assert_null(rni_validate_permutation(order, count));
    for (uint32_t k = 0; k < count; k++) {
        assert_true(start[key[order[k]]] <= k && k < start[key[order[k]] + 1]);
        if (k > 0 && key[order[k - 1]] == key[order[k]]) assert_true(order[k - 1] < order[k]);
    }
}

static void a_bucket_sort_is_stable_for_any_number_of_parts(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 99, 5000}, keys[] = {1, 7, 513, 40000};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 4; k++)
            for (uint32_t parts = 1; parts <= 3; parts++) {
                check_bucket_sort(counts[c], keys[k], parts, false);
                check_bucket_sort(counts[c], keys[k], parts, true);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_permutation_has_each_index_once),
        cmocka_unit_test(starts_ascend_from_zero_to_the_count),
        cmocka_unit_test(an_arena_that_is_overwritten_is_noticed),
        cmocka_unit_test(a_bucket_sort_is_stable_for_any_number_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
