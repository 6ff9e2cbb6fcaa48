/* Frames come back as they were written; cut and damaged ones are told, never believed. */
#include "place.h"

#include "base/random.h"
#include "output/frame_read.h"
#include "output/h5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 37u

static void expect_attribute(const rn_frame *frame, const rn_frame *back, const char *name)
{
    const rn_attribute *a = rn_frame_get_attribute(frame, name);
    const rn_attribute *b = rn_frame_get_attribute(back, name);
    if (!a || !b) fail_msg("there is no %s", name);
    assert_int_equal(a->components, b->components);
    assert_string_equal(a->unit, b->unit);
    for (uint32_t i = 0; i < frame->count; i++) {
        float written[3], read[3];
        rn_frame_get_rows(frame, a, i, 1, written);
        rn_frame_get_rows(back, b, i, 1, read);
        if (a->type == RN_ATTRIBUTE_UINT32) {
            uint32_t whole;
            memcpy(&whole, written, sizeof whole);
            written[0] = (float)whole;
        }
        assert_memory_equal(written, read, a->components * sizeof(float));
    }
}

static void expect_frame(const rn_frame *frame, const char *path)
{
    static const char *const NAMES[] = {"position", "velocity", "density", "pressure", "id", "age"};
    rni_frame_file back;
    if (rni_frame_read(path, &back) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(back.frame.count, frame->count);
    assert_true(back.frame.time == frame->time);
    assert_int_equal(back.frame.step, frame->step);
    for (uint32_t k = 0; k < 6; k++) expect_attribute(frame, &back.frame, NAMES[k]);
    assert_non_null(rn_frame_get_attribute(&back.frame, "speed"));
    rni_frame_file_release(&back);
}

static void last_frame_of_an_hdf5_file_is_read(void **state)
{
    (void)state;
    rn_frame first = frame_make(COUNT, 1, 1), last = frame_make(COUNT - 3, 2, 2);
    rni_frame_file back;
    assert_int_equal(rni_h5_create("r.h5"), RN_OK);
    assert_int_equal(rni_frame_read("r.h5", &back), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "r.h5: has no complete frame"));
    assert_int_equal(rni_h5_append("r.h5", 0, &first), RN_OK);
    expect_frame(&first, "r.h5");
    assert_int_equal(rni_h5_append("r.h5", 1, &last), RN_OK);
    expect_frame(&last, "r.h5");
    /* A file that was damaged, cut or lost its notes is refused. */
    FILE *file = fopen("r.h5", "r+b");
    assert_non_null(file);
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    for (long at = size / 2; at < size; at += 64)
        if (fseek(file, at, SEEK_SET) == 0) fputc(0x5a, file);
    fclose(file);
    assert_int_equal(rni_frame_read("r.h5", &back), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "r.h5: was changed by another program"));
    assert_int_equal(truncate("r.h5", size / 4), 0);
    assert_int_equal(rni_frame_read("r.h5", &back), RN_ERROR_FILE);
    assert_int_equal(remove("r.h5.frames"), 0);
    assert_int_equal(rni_frame_read("r.h5", &back), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "r.h5.frames"));
    rni_h5_remove("r.h5");
}

/* What nobody has thought of yet goes through every format by being in the frame. */
static void any_attribute_is_written_and_read(void **state)
{
    (void)state;
    static float spin[COUNT][3], heat[COUNT];
    rn_frame frame = frame_make(COUNT, 1, 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t c = 0; c < 3; c++) spin[i][c] = (float)(i * 3 + c);
        heat[i] = 300.0f + (float)i;
    }
    rn_attribute added[] = {{"spin", "1/s", 3, 0, 0, RN_ATTRIBUTE_IN_FILES, 0, spin},
                            {"heat", "K", 1, 0, 0, RN_ATTRIBUTE_IN_FILES, 0, heat}};
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(rn_frame_add_attribute(&frame, &added[k]), RN_OK);
    assert_int_equal(rni_vtp_write("n.vtp", &frame), RN_OK);
    assert_int_equal(rni_ply_frame_write("n.ply", &frame), RN_OK);
    const char *const paths[] = {"n.vtp", "n.ply"};
    for (uint32_t p = 0; p < 2; p++) {
        rni_frame_file back;
        if (rni_frame_read(paths[p], &back) != RN_OK) fail_msg("%s", rn_last_error());
        const rn_attribute *a = rn_frame_get_attribute(&back.frame, "spin");
        const rn_attribute *b = rn_frame_get_attribute(&back.frame, "heat");
        assert_true(a && b && a->components == 3 && b->components == 1);
        assert_memory_equal(a->data, spin, sizeof spin);
        assert_memory_equal(b->data, heat, sizeof heat);
        rni_frame_file_release(&back);
    }
}

static void frames_come_back_from_both_formats(void **state)
{
    (void)state;
    rn_frame frame = frame_make(COUNT, 1.25, 10);
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

static void arrays_that_are_left_out_are_not_there(void **state)
{
    (void)state;
    rn_frame frame = frame_make(COUNT, 1, 1);
    frame_leave_out(&frame, "velocity");
    frame_leave_out(&frame, "density");
    assert_int_equal(rni_ply_frame_write("b.ply", &frame), RN_OK);
    rni_frame_file back;
    assert_int_equal(rni_frame_read("b.ply", &back), RN_OK);
    assert_null(rn_frame_get_attribute(&back.frame, "velocity"));
    assert_null(rn_frame_get_attribute(&back.frame, "density"));
    assert_null(rn_frame_get_attribute(&back.frame, "speed"));
    assert_non_null(rn_frame_get_attribute(&back.frame, "pressure"));
    assert_non_null(back.rows[0]);
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
        else assert_null(back.rows[0]);
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
    rn_frame frame = frame_make(COUNT, 1, 1);
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
    expect_refusal("ply\nformat ascii 1.0\n", "end_header");
    expect_refusal(
        "ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\nend_header\n",
        "lacks x, y or z");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\nproperty float x\n"
                   "property float y\nproperty float z\nend_header\n1234",
                   "cut off");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 99999999999\n",
                   "more particles");
    expect_refusal("ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\n",
                   "end_header");
    expect_refusal("ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
                   "property float z\nend_header\n1 2 3\n1 inf 3\n",
                   "y of particle 1 is inf");
}

static void points_of_other_programs_are_read(void **state)
{
    (void)state;
    static const char text[] = "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\n"
                               "property double y\nproperty double z\nend_header\n1 2 0\n4 5 0\n";
    rni_frame_file back;
    file_write("points", text, strlen(text));
    if (rni_frame_read("points", &back) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(back.frame.count, 2);
    assert_int_equal(back.frame.dim, 3);
    assert_true(back.rows[0][3] == 4 && back.rows[0][4] == 5);
    rni_frame_file_release(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_come_back_from_both_formats),
                                       cmocka_unit_test(last_frame_of_an_hdf5_file_is_read),
                                       cmocka_unit_test(any_attribute_is_written_and_read),
                                       cmocka_unit_test(arrays_that_are_left_out_are_not_there),
                                       cmocka_unit_test(damaged_frames_do_no_harm),
                                       cmocka_unit_test(headers_that_lie_are_told),
                                       cmocka_unit_test(points_of_other_programs_are_read)};
    return cmocka_run_group_tests_name("output.frame_read", tests, place_make, place_remove);
}
