#include "cli/command.h"
#include "cli/spelling.h"
#include "files/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *choice(uint32_t place)
{
    static const char *const names[] = {"red", "green", "blue"};
    return place < 3 ? names[place] : NULL;
}

static const rni_option options[] = {
    {"length", RNI_OPTION_NUMBER, "L", "a length", NULL, "a length", 0, 10, NULL},
    {"counts", RNI_OPTION_COUNTS, "N,..", "counts", "1,2", "counts", 0, 1e9, NULL},
    {"color", RNI_OPTION_CHOICES, "C,..", "colours", "green", "a colour", 0, 0, choice},
    {"quiet", RNI_OPTION_FLAG, NULL, "quiet", NULL, NULL, 0, 0, NULL},
    {0}};

static const rni_command command = {.name = "try",
                                    .path = "runnel try",
                                    .summary = "a try",
                                    .usage = "[FILE]",
                                    .operand_max = 2,
                                    .operand_name = "FILE",
                                    .options = options};

/* Arguments point into argv, so the strings must outlive parsing. */
static int parse(rni_arguments *arguments, int argc, const char **words)
{
    static char storage[8][64];
    char *argv[8];
    bool is_help;
    for (int k = 0; k < argc; k++) {
        snprintf(storage[k], sizeof storage[k], "%s", words[k]);
        argv[k] = storage[k];
    }
    return rni_arguments_parse(arguments, &command, argc, argv, &is_help);
}

static void values_come_behind_a_space_or_an_equals_sign(void **state)
{
    (void)state;
    rni_arguments a;
    const char *words[] = {"--length", "2.5", "--counts=1e6,7", "--color", "blue,red", "file"};
    assert_int_equal(parse(&a, 6, words), RNI_EXIT_DONE);
    uint32_t list[RNI_MAX_LIST];
    assert_true(rni_arguments_number(&a, "length") == 2.5);
    assert_int_equal(rni_arguments_counts(&a, "counts", list), 2);
    assert_int_equal(list[0], 1000000);
    assert_int_equal(list[1], 7);
    assert_int_equal(rni_arguments_choices(&a, "color", list), 2);
    assert_int_equal(list[0], 2);
    assert_int_equal(list[1], 0);
    assert_false(rni_arguments_has(&a, "quiet"));
    assert_string_equal(a.operand[0], "file");
}

static void defaults_fill_in_what_is_not_given(void **state)
{
    (void)state;
    rni_arguments a;
    uint32_t list[RNI_MAX_LIST];
    assert_int_equal(parse(&a, 0, NULL), RNI_EXIT_DONE);
    assert_int_equal(rni_arguments_counts(&a, "counts", list), 2);
    assert_int_equal(rni_arguments_choice(&a, "color"), 1);
    assert_false(rni_arguments_has(&a, "counts"));
    assert_null(rni_arguments_text(&a, "length"));
}

static void wrong_values_are_misuse(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "--length=11", "--length=",    "--length=1x",  "--counts=1,,2", "--counts=1,",
        "--counts=-1", "--color=pink", "--color=red,", "--quiet=1",     "--lenght=1"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        rni_arguments a;
        const char *words[] = {wrong[k]};
        if (parse(&a, 1, words) != RNI_EXIT_MISUSE) fail_msg("%s is taken", wrong[k]);
    }
}

static void slips_are_counted(void **state)
{
    (void)state;
    assert_int_equal(rni_spelling_distance("", "abc"), 3);
    assert_int_equal(rni_spelling_distance("radius", "raduis"), 1);
    assert_int_equal(rni_spelling_distance("neighbours", "neighbors"), 1);
    assert_int_equal(rni_spelling_distance("kitten", "sitting"), 3);
    assert_true(rni_spelling_is_near("neigh", "neighbors"));
    assert_false(rni_spelling_is_near("x", "json"));
}

static void json_text_is_escaped_and_always_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {{"a\"b\\c", "\"a\\\"b\\\\c\""},
                 {"tab\there", "\"tab\\u0009here\""},
                 {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
                 {"\xff\xfe", "\"\\ufffd\\ufffd\""},
                 {"\xc3", "\"\\ufffd\""},
                 {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
                 {"\xc0\xaf", "\"\\ufffd\\ufffd\""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *text = NULL;
        size_t length = 0;
        FILE *file = open_memstream(&text, &length);
        assert_non_null(file);
        rni_json_write_text(file, cases[k].text);
        fclose(file);
        assert_string_equal(text, cases[k].json);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_behind_a_space_or_an_equals_sign),
        cmocka_unit_test(defaults_fill_in_what_is_not_given),
        cmocka_unit_test(wrong_values_are_misuse),
        cmocka_unit_test(slips_are_counted),
        cmocka_unit_test(json_text_is_escaped_and_always_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
