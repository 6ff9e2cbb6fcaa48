/* Validators of the search detect broken structures. */
#include "fact.h"

#include "search/grid.h"
#include "search/hierarchical_table.h"
#include "search/lists.h"

#include <string.h>

static void lists_that_are_broken_are_noticed(void **state)
{
    (void)state;
    uint32_t index[] = {1, 2, 0, 2, 0, 1}, counts[] = {2, 2, 2};
    uint64_t start[] = {0, 2, 4, 6};
    rni_lists lists = {.count = 3, .entry_count = 6, .is_csr = true, .has_index = true};
    lists.index = (rni_buffer){index, sizeof index};
    lists.start = (rni_buffer){start, sizeof start};
    lists.counts = (rni_buffer){counts, sizeof counts};
    const rni_list_plan plan = {RN_LISTS_FULL, RN_ORDER_INDEX, RN_LAYOUT_CSR};
    const rni_list_plan half = {RN_LISTS_HALF, RN_ORDER_METHOD, RN_LAYOUT_CSR};
    assert_null(rni_validate_lists(&lists, plan, 3, true, true));
    assert_non_null(rni_validate_lists(&lists, plan, 2, true, true));
    assert_non_null(rni_validate_lists(&lists, half, 3, true, true));
    index[2] = 1; /* a point in its own list */
    assert_string_equal(rni_validate_lists(&lists, plan, 3, true, true),
                        "a point is its own neighbour");
    assert_null(rni_validate_lists(&lists, plan, 3, false, true));
    index[2] = 2, index[3] = 0;
    assert_string_equal(rni_validate_lists(&lists, plan, 3, true, true),
                        "a list is not in ascending index order");
    index[2] = 0, index[3] = 2;
    start[1] = 1; /* point 0 loses neighbour 2, and point 1 gains it */
    assert_non_null(rni_validate_lists(&lists, plan, 3, true, true));
    start[1] = 2;
    lists.entry_count = 5;
    assert_non_null(rni_validate_lists(&lists, plan, 3, true, true));
}

static void a_one_sided_pair_is_noticed(void **state)
{
    (void)state;
    uint32_t index[] = {1, 0, 1};
    uint64_t start[] = {0, 1, 2, 3};
    rni_lists lists = {.count = 3, .entry_count = 3, .is_csr = true, .has_index = true};
    lists.index = (rni_buffer){index, sizeof index};
    lists.start = (rni_buffer){start, sizeof start};
    const rni_list_plan plan = {RN_LISTS_FULL, RN_ORDER_METHOD, RN_LAYOUT_CSR};
    assert_string_equal(rni_validate_lists(&lists, plan, 3, true, true),
                        "a point is not in the list of its neighbour");
    assert_null(rni_validate_lists(&lists, plan, 3, true, false)); /* a radius for each point */
}

static void a_grid_with_a_point_in_a_wrong_cell_is_noticed(void **state)
{
    (void)state;
    static grid g;
    rni_search_env env = {0};
    uint32_t start[] = {0, 2, 3}, id[] = {0, 2, 1};
    float x[] = {0.25f, 0.75f, 1.5f}, y[3] = {0}, z[3] = {0};
    g.env = &env;
    g.shape = (grid_shape){.scale = {1, 1, 1}, .n = {2, 1, 1}};
    grid_set set = {.count = 3, .x = x, .y = y, .z = z, .id = id};
    set.start = (rni_buffer){start, sizeof start};
    assert_null(rni_validate_grid_set(&g, &set));
    x[1] = 1.25f;
    assert_string_equal(rni_validate_grid_set(&g, &set), "a point is in the wrong cell");
    x[1] = 0.75f, id[0] = 2, id[1] = 0;
    assert_string_equal(rni_validate_grid_set(&g, &set),
                        "the points of a cell are not in ascending index order");
    id[0] = 0, id[1] = 0;
    assert_non_null(rni_validate_grid_set(&g, &set));
    id[1] = 2, start[1] = 4;
    assert_non_null(rni_validate_grid_set(&g, &set));
}

static void rows_of_a_sparse_grid_that_are_broken_are_noticed(void **state)
{
    (void)state;
    grid_row rows[] = {{.y = 2, .z = 0, .begin = 0, .end = 2},
                       {.y = 1, .z = 1, .begin = 2, .end = 3}};
    uint32_t column[] = {3, 7, 5}, row_of[] = {0, 0, 1}, id[] = {0, 2, 1};
    grid_set set = {.count = 3, .row_count = 2, .id = id};
    set.rows = (rni_buffer){rows, sizeof rows};
    set.column = (rni_buffer){column, sizeof column};
    set.row_of = (rni_buffer){row_of, sizeof row_of};
    assert_null(rni_validate_grid_rows(&set));
    rows[1].z = 0;
    assert_string_equal(rni_validate_grid_rows(&set), "the rows do not ascend");
    rows[1].z = 1, rows[1].begin = 1;
    assert_string_equal(rni_validate_grid_rows(&set),
                        "a row does not begin where the one before ends");
    rows[1].begin = 2, row_of[1] = 1;
    assert_string_equal(rni_validate_grid_rows(&set), "a point names the wrong row");
    row_of[1] = 0, column[1] = 2;
    assert_string_equal(rni_validate_grid_rows(&set), "the columns of a row do not ascend");
    column[1] = 3, id[0] = 2, id[1] = 0;
    assert_string_equal(rni_validate_grid_rows(&set),
                        "the points of a cell are not in ascending index order");
    id[0] = 0, id[1] = 0;
    assert_non_null(rni_validate_grid_rows(&set));
    id[1] = 2, set.count = 4;
    assert_string_equal(rni_validate_grid_rows(&set), "a point is in no row");
}

static void a_table_that_lost_a_key_is_noticed(void **state)
{
    (void)state;
    rni_memory memory;
    rn_allocator none = {0};
    rni_memory_init(&memory, &none);
    static const uint32_t lengths[] = {0, 64}; /* a map, and a table of fixed length */
    for (int t = 0; t < 2; t++) {
        hier_table table = {0};
        uint32_t slot;
        assert_int_equal(rni_hier_table_begin(&memory, &table, lengths[t]), RN_OK);
        for (uint64_t key = 0; key < 40; key++)
            assert_int_equal(rni_hier_table_take(&memory, &table, key * 977, &slot), RN_OK);
        assert_null(rni_validate_hier_table(&table));
        if (table.is_map) ((uint64_t *)table.keys.data)[7]++;
        else table.used_count--;
        assert_non_null(rni_validate_hier_table(&table));
        rni_hier_table_free(&memory, &table);
    }
    assert_int_equal(memory.held_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_are_broken_are_noticed),
        cmocka_unit_test(a_one_sided_pair_is_noticed),
        cmocka_unit_test(a_grid_with_a_point_in_a_wrong_cell_is_noticed),
        cmocka_unit_test(rows_of_a_sparse_grid_that_are_broken_are_noticed),
        cmocka_unit_test(a_table_that_lost_a_key_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
