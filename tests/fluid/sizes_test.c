/* Output structs carry their size: the library writes what the caller has, and no more. */
#include "fluid/water_test.h"

#include <string.h>

/* A caller of a later version: fields of its own behind those that the library knows. */
typedef struct later_report {
    rn_fluid_report known;
    uint64_t appended;
} later_report;

static rn_fluid *make(void)
{
    rn_fluid_def def = water_def(3, 0.1f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 0.5f}, 0);
    return fluid;
}

static void sizes_that_no_version_has_are_refused(void **state)
{
    (void)state;
    const uint32_t sizes[] = {0, 1, 8, 0xcdcdcdcdu, UINT32_MAX};
    rn_fluid *fluid = make();
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = block.high[1] = block.high[2] = 1;
    const float point[3] = {0.9f, 0.9f, 0.9f};
    const uint64_t hash = rn_fluid_get_state_hash(fluid);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        rn_fluid_report report = {.struct_bytes = sizes[k]};
        rn_fluid_derived derived = {.struct_bytes = sizes[k]};
        rn_fluid_added added = {.struct_bytes = sizes[k]};
        assert_int_equal(rn_fluid_step(fluid, &report), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "start from rn_fluid_report_default()"));
        assert_int_equal(rn_fluid_get_derived(fluid, &derived), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "start from rn_fluid_derived_default()"));
        assert_int_equal(rn_fluid_add_block(fluid, &block, &added), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "start from rn_fluid_added_default()"));
        assert_int_equal(rn_fluid_add_particles(fluid, point, NULL, 1, &added), RN_ERROR_ARGUMENT);
    }
    assert_true(rn_fluid_get_state_hash(fluid) == hash);
    assert_int_equal(rn_fluid_get_step_count(fluid), 0);
    rn_fluid_destroy(fluid);
}

static void fields_that_the_library_does_not_know_are_left_alone(void **state)
{
    (void)state;
    rn_fluid *fluid = make();
    later_report later = {.known = rn_fluid_report_default(), .appended = 42};
    later.known.struct_bytes = sizeof later;
    assert_ok(rn_fluid_step(fluid, &later.known));
    assert_int_equal(later.known.struct_bytes, sizeof later);
    assert_int_equal(later.known.particles, 125);
    assert_int_equal(later.appended, 42);
    rn_fluid_destroy(fluid);
}

/* The shortest struct is that of the first version; it is the present one until fields are appended. */
static void nothing_is_written_past_the_size(void **state)
{
    (void)state;
    rn_fluid *fluid = make();
    rn_fluid_report report[2];
    memset(report, 0x5a, sizeof report);
    report[0] = rn_fluid_report_default();
    assert_ok(rn_fluid_step(fluid, &report[0]));
    assert_int_equal(report[0].step, 1);
    const unsigned char *behind = (const unsigned char *)&report[1];
    for (size_t k = 0; k < sizeof report[1]; k++) assert_int_equal(behind[k], 0x5a);
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_no_version_has_are_refused),
        cmocka_unit_test(fields_that_the_library_does_not_know_are_left_alone),
        cmocka_unit_test(nothing_is_written_past_the_size),
    };
    return cmocka_run_group_tests_name("fluid.sizes", tests, NULL, NULL);
}
