/* Tables as CSV: titles, rows, what is wrong and where, and rubbish. */
#include "clouds.h"

#include "files/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each has its bytes in a block of exactly their size. */
static rn_result open_text(const char *text, size_t size, rni_csv *csv)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, size, "r");
    assert_non_null(file);
    return rni_csv_begin(file, "t.csv", csv);
}

static double cell(const rni_csv *csv, uint32_t column)
{
    double value;
    if (rni_csv_number(csv, column, &value) != RN_OK) fail_msg("%s", rn_last_error());
    return value;
}

static void tables_with_any_separator_are_read_row_by_row(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "time [s],\"a, b\",c\n0.5,1e-3,\n\n# note\n 1 ,2,-7.25\n",
        "\xef\xbb\xbftime [s];a b;c\r\n0.5;1e-3;\r\n1;\"2\";-7.25\r\n",
        "# first\ntime [s]\ta b\tc\n0.5\t1e-3\n1\t2\t-7.25\n",
    };
    for (unsigned k = 0; k < 3; k++) {
        rni_csv csv;
        rn_result result;
        if (open_text(TEXTS[k], strlen(TEXTS[k]), &csv) != RN_OK) fail_msg("%s", rn_last_error());
        assert_int_equal(csv.column_count, 3);
        assert_string_equal(csv.title[0], "time [s]");
        assert_string_equal(csv.title[2], "c");
        assert_true(rni_csv_next(&csv, &result) && result == RN_OK);
        assert_true(cell(&csv, 0) == 0.5 && cell(&csv, 1) == 1e-3 && isnan(cell(&csv, 2)));
        assert_true(rni_csv_next(&csv, &result) && result == RN_OK);
        assert_true(cell(&csv, 0) == 1 && cell(&csv, 1) == 2 && cell(&csv, 2) == -7.25);
        assert_int_equal(csv.end, strlen(TEXTS[k]));
        assert_false(csv.is_cut);
        assert_false(rni_csv_next(&csv, &result));
        assert_int_equal(result, RN_OK);
        rni_csv_close(&csv);
    }
}

static void refused(const char *text, size_t size, const char *sentence)
{
    rni_csv csv;
    double value;
    rn_result result = open_text(text, size, &csv);
    if (result == RN_OK) {
        while (result == RN_OK && rni_csv_next(&csv, &result))
            for (uint32_t k = 0; k < csv.column_count && result == RN_OK; k++)
                result = rni_csv_number(&csv, k, &value);
        rni_csv_close(&csv);
    }
    assert_int_equal(result, RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), sentence);
}

static void wrong_tables_are_explained(void **state)
{
    (void)state;
    refused("\n\n", 2, "t.csv: is empty; it must begin with a line of titles");
    refused("a,b", 3, "t.csv: has no rows below its titles");
    refused("a\0,b\n1,2\n", 9, "t.csv: is not text");
    refused("a,b\n1,2\n1,x\n", 12, "t.csv:3: column 2 (b): 'x' is not a number");
    refused("a,b\n1,2,3\n", 10, "t.csv:2: has 3 cells; there are 2 titles");
    rni_csv csv;
    assert_int_equal(rni_csv_open("/", &csv), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "/: cannot be read: Is a directory");
    assert_int_equal(rni_csv_open("not-there.csv", &csv), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(),
                        "not-there.csv: cannot be opened: No such file or directory");
}

/* A row without its line end is one that its writer has not finished. */
static void cut_row_is_noticed(void **state)
{
    (void)state;
    rni_csv csv;
    rn_result result;
    assert_int_equal(open_text("a,b\n1,2\n3", 9, &csv), RN_OK);
    assert_true(rni_csv_next(&csv, &result) && !csv.is_cut);
    assert_int_equal(csv.end, 8);
    assert_true(rni_csv_next(&csv, &result) && csv.is_cut);
    rni_csv_close(&csv);
}

static void rubbish_is_read_or_refused(void **state)
{
    (void)state;
    static const char LETTERS[] = "0123456789.,;\t\n\"# eax[]-\0";
    for (uint32_t round = 0; round < 20000; round++) {
        char text[40];
        rni_csv csv;
        rn_result result;
        double value;
        const size_t size = 1 + round % sizeof text;
        uint32_t seed = round * 2654435761u;
        for (size_t k = 0; k < size; k++) {
            seed = seed * 1664525u + 1013904223u;
            text[k] = LETTERS[(seed >> 16) % (sizeof LETTERS - 1)];
        }
        if (open_text(text, size, &csv) != RN_OK) continue;
        while (rni_csv_next(&csv, &result))
            for (uint32_t k = 0; k < csv.column_count; k++) (void)rni_csv_number(&csv, k, &value);
        rni_csv_close(&csv);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_with_any_separator_are_read_row_by_row),
        cmocka_unit_test(wrong_tables_are_explained),
        cmocka_unit_test(cut_row_is_noticed),
        cmocka_unit_test(rubbish_is_read_or_refused),
    };
    return cmocka_run_group_tests_name("files.csv", tests, NULL, NULL);
}
