/* Validators of the broad phase detect broken structures; statistics carry their size. */
#include "fact.h"

#include "broadphase/columns.h"
#include "broadphase/pair_set.h"

#include <string.h>

static void a_pair_set_that_is_broken_is_noticed(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rni_pair_set set = {.memory = &memory, .limit_bytes = UINT64_MAX};
    assert_null(rni_validate_pair_set(&set));
    for (uint32_t k = 0; k < 3000; k++)
        assert_int_equal(rni_pair_set_add(&set, k * 7 % 311, 400 + k), RN_OK);
    for (uint32_t k = 0; k < 3000; k += 3) rni_pair_set_remove(&set, 400 + k, k * 7 % 311);
    assert_int_equal(set.count, 2000);
    assert_null(rni_validate_pair_set(&set));
    rn_pair *pairs = set.pairs.data;
    const rn_pair kept = pairs[11];
    pairs[11] = (rn_pair){kept.b, kept.a};
    assert_non_null(rni_validate_pair_set(&set));
    pairs[11] = (rn_pair){kept.a, kept.b + 5000};
    assert_string_equal(rni_validate_pair_set(&set), "a pair is not found by its slot");
    pairs[11] = kept;
    set.count--;
    assert_non_null(rni_validate_pair_set(&set));
    set.count++;
    assert_null(rni_validate_pair_set(&set));
    rni_pair_set_free(&set);
    assert_int_equal(memory.held_bytes, 0);
}

static void columns_that_are_broken_are_noticed(void **state)
{
    (void)state;
    static columns set;
    uint16_t rows[] = {0, 1};
    uint32_t start[] = {0, 2, 3};
    float blocks[3][7]; /* low x, high x, low y, high y, low z, high z, index; of two boxes, then of one */
    float *first = &blocks[0][0], *second = first + 14;
    const float values[21] = {0, 1, 2, 3, 0.5f, 0.25f, 1, 1, 0, 0, 1,
                              1, 0, 0, 5, 6,    1.5f,  2, 0, 1, 0};
    memcpy(blocks, values, sizeof values);
    const uint32_t index[3] = {2, 0, 1};
    memcpy(first + 12, index, 2 * sizeof *index);
    memcpy(second + 6, index + 2, sizeof *index);
    set.level_count = 1, set.column_count = 2;
    set.levels[0] = (column_level){.box_count = 3, .column_count = 2};
    set.levels[0].y = (column_axis){.scale = 1, .bin_count = 2, .row_count = 2};
    set.levels[0].z = (column_axis){.scale = 1, .bin_count = 1, .row_count = 1};
    set.rows = (rni_buffer){rows, sizeof rows};
    set.start = (rni_buffer){start, sizeof start};
    set.blocks = (rni_buffer){blocks, sizeof blocks};
    assert_null(rni_validate_columns(&set, 3));
    first[0] = 2;
    assert_string_equal(rni_validate_columns(&set, 3), "a column is not in ascending low x");
    first[0] = 0, first[4] = 1.5f;
    assert_string_equal(rni_validate_columns(&set, 3), "a box is in the wrong column");
    first[4] = 0.5f;
    memcpy(first + 12, index + 1, sizeof *index);
    assert_string_equal(rni_validate_columns(&set, 3), "a box is missing or occurs twice");
    assert_non_null(rni_validate_columns(&set, 4));
}

static void statistics_start_from_their_default(void **state)
{
    (void)state;
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase *phase = NULL;
    assert_int_equal(rn_broadphase_create(&def, &phase), RN_OK);
    rn_broadphase_stats stats = {0};
    assert_int_equal(rn_broadphase_get_stats(phase, &stats), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "rn_broadphase_stats_default()"));
    stats = rn_broadphase_stats_default();
    assert_int_equal(rn_broadphase_get_stats(phase, &stats), RN_OK);
    assert_true(stats.held_bytes > 0);
    assert_int_equal(stats.struct_bytes, sizeof stats);
    assert_int_equal(rn_broadphase_get_stats(NULL, &stats), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_broadphase_get_stats(phase, NULL), RN_ERROR_ARGUMENT);
    rn_broadphase_destroy(phase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_set_that_is_broken_is_noticed),
        cmocka_unit_test(columns_that_are_broken_are_noticed),
        cmocka_unit_test(statistics_start_from_their_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
