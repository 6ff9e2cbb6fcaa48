/* Frames come back as they were written; cut and damaged ones are told, never believed. */
#include "place.h"

#include "base/random.h"
#include "output/frame_read.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 37u

static void expect_frame(const rni_frame *frame, const char *path)
{
    rni_frame_file back;
    if (rni_frame_read(path, &back) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(back.count, frame->count);
    assert_true(back.has_time && back.time == frame->time);
    assert_true(back.velocity && back.density && back.pressure && back.age);
    for (uint32_t i = 0; i < frame->count; i++) {
        const float *p =
            (const float *)(const void *)((const char *)frame->position + i * frame->stride);
        const float *v =
            (const float *)(const void *)((const char *)frame->velocity + i * frame->stride);
        assert_memory_equal(back.position + 3 * i, p, 12);
        assert_memory_equal(back.velocity + 3 * i, v, 12);
        assert_true(back.density[i] == frame->density[i]);
        assert_true(back.pressure[i] == frame->pressure[i]);
        assert_true(back.age[i] == (float)(frame->time - (double)frame->birth[i]));
    }
    rni_frame_file_release(&back);
}

static void frames_come_back_from_both_formats(void **state)
{
    (void)state;
    rni_frame frame = frame_make(COUNT, 1.25, 10);
    assert_int_equal(rni_vtp_write("a.vtp", &frame), RN_OK);
    assert_int_equal(rni_ply_frame_write("a.ply", &frame), RN_OK);
    expect_frame(&frame, "a.vtp");
    expect_frame(&frame, "a.ply");
    frame.count = 0;
    assert_int_equal(rni_vtp_write("a.vtp", &frame), RN_OK);
    assert_int_equal(rni_ply_frame_write("a.ply", &frame), RN_OK);
    expect_frame(&frame, "a.vtp");
    expect_frame(&frame, "a.ply");
}

static void arrays_that_are_left_out_are_null(void **state)
{
    (void)state;
    rni_frame frame = frame_make(COUNT, 1, 1);
    frame.velocity = frame.density = NULL;
    assert_int_equal(rni_ply_frame_write("b.ply", &frame), RN_OK);
    rni_frame_file back;
    assert_int_equal(rni_frame_read("b.ply", &back), RN_OK);
    assert_true(!back.velocity && !back.density && back.pressure && back.position);
    rni_frame_file_release(&back);
}

/* Every length of the file, and many bytes changed: an error, or a frame that can be released. */
static void spoil(const char *path)
{
    size_t size;
    unsigned char *bytes = file_read(path, &size);
    rni_frame_file back;
    for (size_t length = 0; length < size; length += 1 + length / 64) {
        file_write("spoilt", bytes, length);
        if (rni_frame_read("spoilt", &back) == RN_OK) rni_frame_file_release(&back);
        else assert_null(back.position);
    }
    rni_random random = rni_random_make(3);
    for (int k = 0; k < 400; k++) {
        size_t at = rni_random_below(&random, (uint32_t)size);
        if (k % 2) at %= 600; /* mostly the header */
        unsigned char old = bytes[at];
        bytes[at] = (unsigned char)rni_random_below(&random, 256);
        file_write("spoilt", bytes, size);
        if (rni_frame_read("spoilt", &back) == RN_OK) rni_frame_file_release(&back);
        bytes[at] = old;
    }
    free(bytes);
}

static void damaged_frames_do_no_harm(void **state)
{
    (void)state;
    rni_frame frame = frame_make(COUNT, 1, 1);
    assert_int_equal(rni_vtp_write("c.vtp", &frame), RN_OK);
    assert_int_equal(rni_ply_frame_write("c.ply", &frame), RN_OK);
    spoil("c.vtp");
    spoil("c.ply");
}

static void expect_refusal(const char *text, const char *word)
{
    rni_frame_file back;
    file_write("bad", text, strlen(text));
    assert_int_equal(rni_frame_read("bad", &back), RN_ERROR_FILE);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' is not in: %s", word, rn_last_error());
}

static void headers_that_lie_are_told(void **state)
{
    (void)state;
    expect_refusal("", "neither");
    expect_refusal("hello", "neither");
    expect_refusal("ply\nformat ascii 1.0\n", "text");
    expect_refusal(
        "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n",
        "x, y and z");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\n"
                   "property float y\nproperty float z\nend_header\n1234",
                   "cut off");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\n",
                   "more particles");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\n",
                   "float");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_come_back_from_both_formats),
                                       cmocka_unit_test(arrays_that_are_left_out_are_null),
                                       cmocka_unit_test(damaged_frames_do_no_harm),
                                       cmocka_unit_test(headers_that_lie_are_told)};
    return cmocka_run_group_tests_name("output.frame_read", tests, place_make, place_remove);
}
