/* VTP and PLY: what is written is what was given, and what a reader of its own finds. */
#include "place.h"

#include "files/point_file.h"
#include "output/vtp_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The array of that name behind a header, found by its offset; *length is what lies before it. */
static const unsigned char *array_at(const unsigned char *bytes, const char *name, uint64_t *length)
{
    char mark[64];
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char *at = strstr((const char *)bytes, mark);
    assert_non_null(at);
    at = strstr(at, "offset=\"");
    assert_non_null(at);
    uint64_t offset = strtoull(at + 8, NULL, 10);
    const char *data = strstr((const char *)bytes, "<AppendedData encoding=\"raw\">\n_");
    assert_non_null(data);
    data = strchr(data, '_') + 1 + offset;
    memcpy(length, data, 8);
    return (const unsigned char *)data + 8;
}

static void vtp_holds_every_number(void **state)
{
    (void)state;
    const uint32_t count = 10001;
    size_t size;
    uint64_t length;
    rn_frame frame = frame_make(count, 1.5, 77);
    assert_int_equal(rni_vtp_write("a.vtp", &frame), RN_OK);
    unsigned char *bytes = file_read("a.vtp", &size);
    const unsigned char *position = array_at(bytes, "position", &length);
    assert_int_equal(length, 12ull * count);
    const unsigned char *age = array_at(bytes, "age", &length);
    assert_int_equal(length, 4ull * count);
    const unsigned char *id = array_at(bytes, "id", &length);
    const unsigned char *cells = array_at(bytes, "connectivity", &length);
    assert_int_equal(length, 4ull * count);
    const unsigned char *ends = array_at(bytes, "offsets", &length);
    for (uint32_t i = 0; i < count; i++) {
        float p[3], a;
        uint32_t who, cell, end;
        memcpy(p, position + 12ull * i, 12);
        memcpy(&a, age + 4ull * i, 4);
        memcpy(&who, id + 4ull * i, 4);
        memcpy(&cell, cells + 4ull * i, 4);
        memcpy(&end, ends + 4ull * i, 4);
        assert_true(p[0] == (float)i && p[1] == (float)i + 0.25f && p[2] == (float)i + 0.5f);
        assert_true(a == 1.5f - (float)(i % 4) * 0.5f);
        assert_int_equal(who, count - 1 - i);
        assert_int_equal(cell, i);
        assert_int_equal(end, i + 1);
    }
    assert_memory_equal(bytes + size - 30, "\n  </AppendedData>\n</VTKFile>\n", 30);
    free(bytes);
}

static void vtp_reader_tells_what_is_in_it(void **state)
{
    (void)state;
    rni_vtp_info info;
    rn_frame frame = frame_make(100, 2.25, 12345);
    frame_leave_out(&frame, "pressure");
    assert_int_equal(rni_vtp_write("b.vtp", &frame), RN_OK);
    assert_int_equal(rni_vtp_read("b.vtp", true, &info), RN_OK);
    assert_true(info.has_time && info.time == 2.25);
    assert_int_equal(info.step, 12345);
    assert_int_equal(info.points, 100);
    assert_int_equal(info.array_count, 7);
    assert_string_equal(info.array[1].name, "velocity");
    assert_true(info.array[0].low[0] == 0 && info.array[0].high[0] == 99);
    assert_true(info.array[1].low[0] == -99 && info.array[1].high[0] == 0);
}

static void frames_without_particles_are_fine(void **state)
{
    (void)state;
    rni_vtp_info info;
    rni_point_file cloud;
    rn_frame frame = rn_frame_default();
    assert_int_equal(rni_vtp_write("none.vtp", &frame), RN_OK);
    assert_int_equal(rni_vtp_read("none.vtp", true, &info), RN_OK);
    assert_int_equal(info.points, 0);
    assert_int_equal(rni_ply_frame_write("none.ply", &frame), RN_OK);
    assert_int_equal(rni_point_file_read("none.ply", &cloud), RN_OK);
    assert_int_equal(cloud.count, 0);
    rni_point_file_release(&cloud);
}

static void ply_is_read_back_by_the_point_reader(void **state)
{
    (void)state;
    rni_point_file cloud;
    rn_frame frame = frame_make(321, 0.5, 3);
    assert_int_equal(rni_ply_frame_write("a.ply", &frame), RN_OK);
    assert_int_equal(rni_point_file_read("a.ply", &cloud), RN_OK);
    assert_int_equal(cloud.count, 321);
    const float *p = cloud.position;
    for (uint32_t i = 0; i < 321; i++)
        assert_true(p[3 * i] == (float)i && p[3 * i + 2] == (float)i + 0.5f);
    rni_point_file_release(&cloud);
}

static void hostile_vtp_is_refused(void **state)
{
    (void)state;
    size_t size;
    rni_vtp_info info;
    rn_frame frame = frame_make(50, 1, 1);
    assert_int_equal(rni_vtp_write("c.vtp", &frame), RN_OK);
    unsigned char *bytes = file_read("c.vtp", &size);
    for (size_t cut = 0; cut + 60 < size; cut += 7) {
        file_write("d.vtp", bytes, cut);
        if (rni_vtp_read("d.vtp", true, &info) == RN_OK)
            fail_msg("cut to %zu bytes it is read", cut);
    }
    /* Any byte of the header and some behind it may be anything. */
    for (size_t at = 0; at < size; at += at < 2500 ? 1 : 97) {
        unsigned char old = bytes[at];
        static const unsigned char OTHERS[] = {'0', '9', '<', '>', '"', 0, 0xff};
        bytes[at] = OTHERS[at % sizeof OTHERS];
        file_write("d.vtp", bytes, size);
        (void)rni_vtp_read("d.vtp", true, &info);
        bytes[at] = old;
    }
    free(bytes);
    assert_int_equal(rni_vtp_read("/dev/null", true, &info), RN_ERROR_FILE);
    assert_int_equal(rni_vtp_read("not-there.vtp", true, &info), RN_ERROR_FILE);
}

static void a_full_disk_leaves_the_old_file_and_says_which(void **state)
{
    (void)state;
    size_t before, after;
    rn_frame small = frame_make(10, 1, 1);
    assert_int_equal(rni_vtp_write("full.vtp", &small), RN_OK);
    assert_int_equal(rni_ply_frame_write("full.ply", &small), RN_OK);
    unsigned char *old = file_read("full.vtp", &before);
    rn_frame large = frame_make(50000, 2, 2);
    disk_limit(65536);
    assert_int_equal(rni_vtp_write("full.vtp", &large), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "full.vtp: cannot be written: File too large");
    assert_int_equal(rni_ply_frame_write("full.ply", &large), RN_ERROR_FILE);
    disk_lift();
    unsigned char *now = file_read("full.vtp", &after);
    assert_int_equal(before, after);
    assert_memory_equal(old, now, before);
    free(old);
    free(now);
    assert_int_equal(rni_vtp_write("no/such/folder.vtp", &small), RN_ERROR_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vtp_holds_every_number),
        cmocka_unit_test(vtp_reader_tells_what_is_in_it),
        cmocka_unit_test(frames_without_particles_are_fine),
        cmocka_unit_test(ply_is_read_back_by_the_point_reader),
        cmocka_unit_test(hostile_vtp_is_refused),
        cmocka_unit_test(a_full_disk_leaves_the_old_file_and_says_which),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
