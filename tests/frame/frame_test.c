/* A frame: attributes by name, values in whatever layout, derived ones, and what the validator finds. */
#include "fact.h"

#include "frame/frame.h"

#include <runnel/fluid.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT 5u

static float record[COUNT][4], density[COUNT], birth[COUNT];
static uint32_t neighbors[COUNT];

static rn_frame make(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t a = 0; a < 4; a++) record[i][a] = (float)(10 * i + a);
        density[i] = 1000.0f + (float)i;
        birth[i] = 0.5f * (float)i;
        neighbors[i] = 7 * i;
    }
    const rn_attribute all[] = {{"position", "m", 3, 0, 0, 0, sizeof record[0], record},
                                {"velocity", "m/s", 3, 0, 0, 0, sizeof record[0], record},
                                {"density", "kg/m^3", 1, 0, 0, 0, 0, density},
                                {"birth", "s", 1, 0, 0, 0, sizeof(float), birth},
                                {"neighbors", "1", 1, RN_ATTRIBUTE_UINT32, 0, 0, 0, neighbors},
                                {"lane", "1", 1, 0, 0, 0, sizeof record[0], &record[0][3]}};
    rn_frame frame = rn_frame_default();
    frame.time = 4;
    frame.count = COUNT;
    for (uint32_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_int_equal(rn_frame_add_attribute(&frame, &all[k]), RN_OK);
    assert_int_equal(rn_frame_add_derived(&frame), RN_OK);
    assert_null(rni_frame_flaw(&frame));
    return frame;
}

static void rows_are_packed_whatever_the_stride(void **state)
{
    (void)state;
    rn_frame frame = make();
    float rows[COUNT * 3];
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "position"), 1, 3, rows);
    for (uint32_t k = 0; k < 3; k++) assert_memory_equal(&rows[3 * k], record[k + 1], 12);
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "lane"), 2, 3, rows);
    for (uint32_t k = 0; k < 3; k++) assert_true(rows[k] == record[k + 2][3]);
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "density"), 0, COUNT, rows);
    assert_memory_equal(rows, density, sizeof density);
    assert_null(rn_frame_get_attribute(&frame, "heat"));
}

static void speed_and_age_follow_from_velocity_and_birth(void **state)
{
    (void)state;
    rn_frame frame = make();
    float speed[COUNT], age[COUNT];
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "speed"), 0, COUNT, speed);
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "age"), 0, COUNT, age);
    for (uint32_t i = 0; i < COUNT; i++) {
        const float *v = record[i];
        assert_float_equal(speed[i], sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 1e-5f);
        assert_true(age[i] == 4 - birth[i]);
    }
    assert_int_equal(rn_frame_add_derived(&frame), RN_OK); /* they are there already */
    assert_int_equal(frame.attribute_count, 8);
}

static void scalars_of_a_vector_are_its_lengths(void **state)
{
    (void)state;
    rn_frame frame = make();
    float speed[COUNT], values[COUNT];
    rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "speed"), 0, COUNT, speed);
    rn_frame_get_scalars(&frame, rn_frame_get_attribute(&frame, "velocity"), 0, COUNT, values);
    assert_memory_equal(values, speed, sizeof speed);
    rn_frame_get_scalars(&frame, rn_frame_get_attribute(&frame, "neighbors"), 1, 2, values);
    assert_true(values[0] == 7 && values[1] == 14);
}

static void expect_refusal(rn_frame *frame, rn_attribute attribute, const char *word)
{
    assert_int_not_equal(rn_frame_add_attribute(frame, &attribute), RN_OK);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' is not in: %s", word, rn_last_error());
}

static void attributes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    rn_frame frame = make();
    rn_attribute good = {"heat", "K", 1, 0, 0, 0, 0, density}, bad = good;
    bad.name = "a name that is longer than it may be";
    expect_refusal(&frame, bad, "name");
    bad = good, bad.name = "Heat";
    expect_refusal(&frame, bad, "name");
    bad = good, bad.components = 2;
    expect_refusal(&frame, bad, "components");
    bad = good, bad.stride = 3;
    expect_refusal(&frame, bad, "stride");
    bad = good, bad.name = "density";
    expect_refusal(&frame, bad, "already");
    char names[RN_FRAME_MAX_ATTRIBUTES][8];
    for (uint32_t k = frame.attribute_count; k < RN_FRAME_MAX_ATTRIBUTES; k++) {
        snprintf(names[k], sizeof names[k], "a%u", k);
        bad = good, bad.name = names[k];
        assert_int_equal(rn_frame_add_attribute(&frame, &bad), RN_OK);
    }
    expect_refusal(&frame, good, "at most 24");
}

static void expect_flaw(const rn_frame *frame, const char *word)
{
    const char *flaw = rni_frame_flaw(frame);
    if (!flaw || !strstr(flaw, word)) fail_msg("'%s' is not in: %s", word, flaw ? flaw : "nothing");
}

static void the_validator_finds_what_is_wrong(void **state)
{
    (void)state;
    const float vertex[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t index[3] = {0, 1, 2};
    rn_triangles mesh = {
        .name = "wall", .vertex_count = 3, .index_count = 3, .vertex = vertex, .index = index};
    rn_pose pose = {0, {0, 0, 0}, {0, 0, 0, 1}};
    rn_frame good = make();
    good.triangles = &mesh, good.triangles_count = 1;
    good.pose = &pose, good.pose_count = 1;
    assert_null(rni_frame_flaw(&good));
    rn_frame frame = good;
    frame.struct_bytes = 0;
    expect_flaw(&frame, "rn_frame_default");
    frame = good, frame.dim = 4;
    expect_flaw(&frame, "dim");
    frame = good, frame.domain_low[1] = 1;
    expect_flaw(&frame, "inside out");
    frame = good, frame.attribute[2].data = NULL;
    expect_flaw(&frame, "no data");
    frame = good, frame.attribute[2].name = "velocity";
    expect_flaw(&frame, "same name");
    frame = good, frame.attribute[0].name = "place";
    expect_flaw(&frame, "position");
    index[1] = 3;
    expect_flaw(&good, "vertex");
    index[1] = 1;
    pose.triangles = 1;
    expect_flaw(&good, "no mesh");
    pose.triangles = 0, pose.rotation[3] = 2;
    expect_flaw(&good, "quaternion");
}

static void a_fluid_fills_a_frame(void **state)
{
    (void)state;
    rn_fluid_def def = rn_fluid_def_default();
    rn_fluid_block block = rn_fluid_block_default();
    rn_fluid *fluid = NULL;
    def.spacing = 0.25f;
    for (int a = 0; a < 3; a++) def.domain_high[a] = 1, block.high[a] = 0.5f;
    assert_int_equal(rn_fluid_create(&def, &fluid), RN_OK);
    rn_frame frame = rn_frame_default();
    assert_int_equal(rn_fluid_get_frame(fluid, &frame), RN_OK); /* without particles */
    assert_int_equal(rn_fluid_add_block(fluid, &block, NULL), RN_OK);
    for (int k = 0; k < 3; k++) assert_int_equal(rn_fluid_step(fluid, NULL), RN_OK);
    assert_int_equal(rn_fluid_get_frame(fluid, &frame), RN_OK);
    assert_null(rni_frame_flaw(&frame));
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    assert_int_equal(frame.count, p.count);
    assert_int_equal(frame.step, 3);
    assert_true(frame.spacing == 0.25f && frame.domain_high[2] == 1 && frame.dim == 3);
    for (uint32_t i = 0; i < p.count; i++) {
        float row[3];
        uint32_t whole;
        rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "acceleration"), i, 1, row);
        assert_memory_equal(row, p.acceleration[i], sizeof row);
        rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "birth"), i, 1, row);
        assert_true(row[0] == p.birth[i]);
        rn_frame_get_rows(&frame, rn_frame_get_attribute(&frame, "id"), i, 1, &whole);
        assert_int_equal(whole, p.id[i]);
    }
    const rn_frame known = rn_fluid_frame_default();
    assert_int_equal(known.attribute_count, frame.attribute_count);
    for (uint32_t k = 0; k < known.attribute_count; k++) {
        assert_string_equal(known.attribute[k].name, frame.attribute[k].name);
        assert_string_equal(known.attribute[k].unit, frame.attribute[k].unit);
        assert_int_equal(known.attribute[k].components, frame.attribute[k].components);
    }
    for (uint32_t k = 0; rn_fluid_get_attribute_info(NULL, k); k++)
        assert_non_null(rn_frame_get_attribute(&frame, rn_fluid_get_attribute_info(NULL, k)->name));
    frame.struct_bytes = 0;
    assert_int_equal(rn_fluid_get_frame(fluid, &frame), RN_ERROR_ARGUMENT);
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_packed_whatever_the_stride),
                                       cmocka_unit_test(speed_and_age_follow_from_velocity_and_birth),
                                       cmocka_unit_test(scalars_of_a_vector_are_its_lengths),
                                       cmocka_unit_test(attributes_that_make_no_sense_are_refused),
                                       cmocka_unit_test(the_validator_finds_what_is_wrong),
                                       cmocka_unit_test(a_fluid_fills_a_frame)};
    return cmocka_run_group_tests_name("frame.frame", tests, NULL, NULL);
}
