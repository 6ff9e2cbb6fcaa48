#include "fact.h"

#include "base/random.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

typedef struct bench {
    rni_memory memory;
    rni_arena arena;
    rni_crew *crew;
} bench;

static void bench_open(bench *b, uint32_t threads)
{
    rn_allocator none = {0};
    rn_tasks no_tasks = {0};
    assert_int_equal(rni_memory_init(&b->memory, &none), RN_OK);
    rni_arena_init(&b->arena, &b->memory);
    assert_int_equal(rni_crew_create(&b->memory, threads, &no_tasks, &b->crew), RN_OK);
}

static void bench_close(bench *b)
{
    rni_crew_destroy(b->crew);
    rni_arena_free(&b->arena);
    assert_int_equal(b->memory.held_bytes, 0);
}

static const uint32_t thread_counts[] = {1, 2, 7};
static const uint32_t sizes[] = {0, 1, 2, 17, 1000, 8191, 8192, 50000};

/* Ascending keys, and equal keys in input order: values were 0, 1, 2, ... */
#define CHECK_SORTED_STABLY(key, value, count)                                  \
    for (uint32_t k = 1; k < (count); k++) {                                    \
        assert_true((key)[k - 1] <= (key)[k]);                                  \
        if ((key)[k - 1] == (key)[k]) assert_true((value)[k - 1] < (value)[k]); \
    }

#define DEFINE_RADIX_TEST(bits, name, sort)                                                         \
    static void name(void **state)                                                                  \
    {                                                                                               \
        (void)state;                                                                                \
        static const uint64_t masks[] = {0, 1, 0xff, 0xff00, 0xffffffff, 0xff000000ff, UINT64_MAX}; \
        for (size_t t = 0; t < 3; t++) {                                                            \
            bench b;                                                                                \
            bench_open(&b, thread_counts[t]);                                                       \
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {                             \
                for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {                         \
                    uint32_t count = sizes[s];                                                      \
                    rni_random random = rni_random_make(count + m);                                 \
                    uint##bits##_t *key = calloc(count + 1, sizeof *key),                           \
                                   *scratch = calloc(count + 1, sizeof *key);                       \
                    uint32_t *value = calloc(count + 1, 4), *value_scratch = calloc(count + 1, 4);  \
                    uint64_t sum = 0;                                                               \
                    for (uint32_t k = 0; k < count; k++) {                                          \
                        key[k] = (uint##bits##_t)(rni_random_u64(&random) & masks[m]);              \
                        value[k] = k;                                                               \
                        sum += key[k];                                                              \
                    }                                                                               \
                    assert_int_equal(                                                               \
                        sort(b.crew, &b.arena, count, key, value, scratch, value_scratch), RN_OK);  \
                    CHECK_SORTED_STABLY(key, value, count)                                          \
                    for (uint32_t k = 0; k < count; k++) sum -= key[k];                             \
                    assert_int_equal(sum, 0);                                                       \
                    rni_arena_reset(&b.arena);                                                      \
                    free(key);                                                                      \
                    free(scratch);                                                                  \
                    free(value);                                                                    \
                    free(value_scratch);                                                            \
                }                                                                                   \
            }                                                                                       \
            bench_close(&b);                                                                        \
        }                                                                                           \
    }

DEFINE_RADIX_TEST(32, radix_sort_of_32_bit_keys_is_sorted_and_stable, rni_sort_u32)
DEFINE_RADIX_TEST(64, radix_sort_of_64_bit_keys_is_sorted_and_stable, rni_sort_u64)

static void counting_sort_is_stable_and_knows_where_keys_begin(void **state)
{
    (void)state;
    static const uint32_t key_counts[] = {1, 3, 1000, 30000};
    for (size_t t = 0; t < 3; t++) {
        bench b;
        bench_open(&b, thread_counts[t]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (size_t m = 0; m < 4; m++) {
                uint32_t count = sizes[s], keys = key_counts[m];
                rni_random random = rni_random_make(count + m);
                uint32_t *key = calloc(count + 1, 4), *order = calloc(count + 1, 4);
                uint32_t *start = calloc(keys + 1, 4);
                for (uint32_t k = 0; k < count; k++) key[k] = rni_random_below(&random, keys);
                assert_int_equal(rni_counting_sort(b.crew, &b.arena, count, key, keys, order, start),
                                 RN_OK);
                assert_int_equal(start[0], 0);
                assert_int_equal(start[keys], count);
                for (uint32_t k = 0; k < keys; k++) {
                    for (uint32_t at = start[k]; at < start[k + 1]; at++) {
                        assert_int_equal(key[order[at]], k);
                        if (at > start[k]) assert_true(order[at - 1] < order[at]);
                    }
                }
                rni_arena_reset(&b.arena);
                free(key);
                free(order);
                free(start);
            }
        }
        bench_close(&b);
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void list_sorts_agree_with_the_c_library(void **state)
{
    (void)state;
    rni_random random = rni_random_make(5);
    for (uint32_t count = 0; count < 300; count++) {
        uint32_t list[300], scratch[300];
        uint64_t pairs[300], pair_scratch[300], expected[300];
        for (uint32_t k = 0; k < count; k++) {
            expected[k] = rni_random_u64(&random) >> (count % 40);
            pairs[k] = expected[k];
        }
        qsort(expected, count, sizeof *expected, compare_u64);
        rni_sort_pairs(pairs, count, pair_scratch);
        assert_memory_equal(pairs, expected, count * sizeof *pairs);
        for (uint32_t k = 0; k < count; k++) list[k] = (uint32_t)(rni_random_u64(&random) >> 40);
        rni_sort_list(list, count, scratch);
        for (uint32_t k = 1; k < count; k++) assert_true(list[k - 1] <= list[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radix_sort_of_32_bit_keys_is_sorted_and_stable),
        cmocka_unit_test(radix_sort_of_64_bit_keys_is_sorted_and_stable),
        cmocka_unit_test(counting_sort_is_stable_and_knows_where_keys_begin),
        cmocka_unit_test(list_sorts_agree_with_the_c_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
