#include "fact.h"

#include <runnel/runnel.h>

#include "base/cpu.h"

#include <stdio.h>

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char parts[32];
    snprintf(parts, sizeof parts, "%d.%d.%d", RN_VERSION_MAJOR, RN_VERSION_MINOR, RN_VERSION_PATCH);
    assert_string_equal(rn_version(), RN_VERSION_STRING);
    assert_string_equal(rn_version(), parts);
}

static void every_result_and_level_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(rn_result_name(RN_OK), "ok");
    assert_string_equal(rn_result_name(RN_ERROR_FILE), "file");
    assert_string_equal(rn_result_name((rn_result)99), "unknown");
    assert_string_equal(rn_cpu_level_name(RN_CPU_PLAIN), "plain");
    assert_string_equal(rn_cpu_level_name((rn_cpu_level)99), "unknown");
    assert_true(rn_cpu_count() >= 1);
}

static void levels_the_machine_lacks_are_refused(void **state)
{
    (void)state;
    rn_cpu_level chosen = RN_CPU_AUTO;
    assert_int_equal(rni_cpu_choose(RN_CPU_AUTO, &chosen), RN_OK);
    assert_int_equal(chosen, rn_cpu_best());
    for (int level = RN_CPU_PLAIN; level <= RN_CPU_AVX512; level++) {
        rn_result expected = level <= (int)rn_cpu_best() ? RN_OK : RN_ERROR_LIMIT;
        assert_int_equal(rni_cpu_choose((rn_cpu_level)level, &chosen), expected);
    }
    assert_int_equal(rni_cpu_choose((rn_cpu_level)17, &chosen), RN_ERROR_ARGUMENT);
}

static void permute_takes_elements_of_any_size(void **state)
{
    (void)state;
    const uint32_t order[4] = {2, 0, 3, 1};
    const char source[4][3] = {"a", "b", "c", "d"};
    char destination[4][3];
    rn_permute(order, 4, source, destination, sizeof source[0]);
    assert_string_equal(destination[0], "c");
    assert_string_equal(destination[1], "a");
    assert_string_equal(destination[2], "d");
    assert_string_equal(destination[3], "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(every_result_and_level_has_a_name),
        cmocka_unit_test(levels_the_machine_lacks_are_refused),
        cmocka_unit_test(permute_takes_elements_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
