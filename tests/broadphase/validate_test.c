/* Validators of the broad phase detect broken structures; statistics carry their size. */
#include "fact.h"

#include "broadphase/cell_hash.h"
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

/* Boxes of two sizes along x in a hash of this kind. */
static cell_hash *make_hash(rni_box_env *env, bool is_additive)
{
    static float corners[200][2][3];
    rni_boxes boxes = {.count = 200, .dim = 3};
    boxes.low = (const unsigned char *)corners[0][0],
    boxes.high = (const unsigned char *)corners[0][1];
    boxes.low_stride = boxes.high_stride = sizeof corners[0];
    for (uint32_t i = 0; i < 200; i++)
        for (int a = 0; a < 3; a++) {
            corners[i][0][a] = a == 0 ? 0.7f * (float)i : 0.3f;
            corners[i][1][a] = corners[i][0][a] + (i % 5 == 0 ? 3.0f : 0.5f);
            boxes.bound_high[a] = fmaxf(boxes.bound_high[a], corners[i][1][a]);
            boxes.extent[a] = 3.0f;
        }
    void *hash;
    assert_int_equal(rni_hash_create(env, is_additive, &hash), RN_OK);
    assert_int_equal(rni_hash_build(hash, &boxes), RN_OK);
    return hash;
}

static void a_cell_hash_that_is_broken_is_noticed(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    rn_broadphase_def def = rn_broadphase_def_default();
    rn_broadphase_stats stats = rn_broadphase_stats_default();
    rni_box_env env = {.memory = &memory, .def = &def, .stats = &stats};
    for (int kind = 0; kind < 4; kind++) {
        def.unbounded_table = kind & 1;
        cell_hash *hash = make_hash(&env, kind >= 2);
        hash_entry *entries = hash->entries.data, kept = entries[17];
        assert_null(rni_validate_cell_hash(hash));
        entries[17].box = 18;
        assert_string_equal(rni_validate_cell_hash(hash), "a box is stored in the wrong cell");
        entries[17] = kept;
        entries[17].next = 18; /* itself */
        assert_string_equal(rni_validate_cell_hash(hash), "a chain does not end");
        entries[17] = kept;
        hash->entry_count++;
        assert_string_equal(rni_validate_cell_hash(hash),
                            "a box is missing from a cell or is there twice");
        hash->entry_count--;
        hash_slot *slots = hash->slots.data;
        for (uint32_t k = 0; k < hash->slot_count && hash->is_additive; k++)
            slots[k].first &= ~RNI_HAS_CHILDREN;
        if (hash->is_additive)
            assert_string_equal(rni_validate_cell_hash(hash), "a cell is not marked as a child");
        rni_hash_destroy(hash);
    }
    assert_int_equal(memory.held_bytes, 0);
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
        cmocka_unit_test(a_cell_hash_that_is_broken_is_noticed),
        cmocka_unit_test(statistics_start_from_their_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
