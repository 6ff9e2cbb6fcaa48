/* The frames of a run: listed, gone back on, put right after a kill. */
#include "place.h"

#include "output/series.h"
#include "output/vtp_read.h"

#include <string.h>
#include <unistd.h>

#define ALL ((1u << RNI_FORMAT_COUNT) - 1)

static void add(rni_series *series, unsigned number, uint32_t count)
{
    rn_frame frame = frame_make(count, 0.25 * number, 10ull * number);
    if (rni_series_add(series, &frame) != RN_OK) fail_msg("%s", rn_last_error());
}

static rni_pvd_info listed(void)
{
    rni_pvd_info info;
    if (rni_pvd_read("./particles.pvd", &info) != RN_OK) fail_msg("%s", rn_last_error());
    return info;
}

static void frames_are_listed_with_their_times(void **state)
{
    (void)state;
    rni_series series;
    assert_int_equal(rni_series_begin(&series, ".", ALL), RN_OK);
    for (unsigned k = 0; k < 4; k++) add(&series, k, 10 + k);
    rni_pvd_info info = listed();
    assert_int_equal(info.frames, 4);
    assert_true(info.first == 0 && info.last == 0.75 && info.is_ascending && info.missing == 0);
    assert_int_equal(access("particles_000003.ply", F_OK), 0);
    assert_int_equal(access("particles.h5", F_OK), 0);
}

/* Two triangles in the plane z = 0, one mesh of one triangle placed twice: moved, and turned about z. */
static rn_frame frame_of_solids(void)
{
    static const float corners[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const uint32_t index[3] = {0, 1, 2};
    static rn_triangles mesh;
    static rn_pose poses[2] = {{0, {5, 0, 0}, {0, 0, 0, 1}}, {0, {0, 0, 7}, {0, 0, 1, 0}}};
    mesh = (rn_triangles){
        .name = "t", .vertex_count = 3, .index_count = 3, .vertex = corners[0], .index = index};
    rn_frame frame = rn_frame_default();
    frame.triangles = &mesh, frame.triangles_count = 1;
    frame.pose = poses, frame.pose_count = 2;
    return frame;
}

static void solids_are_beside_every_frame_and_where_their_poses_are(void **state)
{
    (void)state;
    rni_series series;
    const rn_frame solids = frame_of_solids();
    assert_int_equal(rni_series_begin(&series, ".", ALL), RN_OK);
    assert_int_equal(rni_series_put_solids(&series, &solids), RN_OK);
    for (unsigned k = 0; k < 3; k++) add(&series, k, 10);
    rni_pvd_info info = listed();
    assert_int_equal(info.frames, 3); /* solids are no frames */
    assert_true(info.is_ascending && info.missing == 0);
    rni_vtp_info vtp;
    if (rni_vtp_read("solids.vtp", true, &vtp) != RN_OK) fail_msg("%s", rn_last_error());
    assert_int_equal(vtp.points, 6);
    assert_int_equal(vtp.polys, 2);
    assert_true(vtp.array[0].low[0] == -1 && vtp.array[0].high[0] == 6);
    assert_true(vtp.array[0].low[1] == -1 && vtp.array[0].high[1] == 1);
    assert_true(vtp.array[0].high[2] == 7);
    assert_int_equal(rni_series_resume(&series, ".", ALL, 2), RN_OK);
    assert_true(series.has_solids);
    add(&series, 2, 10);
    assert_int_equal(listed().frames, 3);
    assert_true(rni_series_is_of_run("solids.vtp") && rni_series_is_of_run("gauges.csv"));
    rni_series_remove(".", 0);
    assert_int_not_equal(access("solids.vtp", F_OK), 0);
}

static void a_resumed_series_has_no_frame_twice_and_none_missing(void **state)
{
    (void)state;
    rni_series series;
    assert_int_equal(rni_series_begin(&series, ".", ALL), RN_OK);
    for (unsigned k = 0; k < 5; k++) add(&series, k, 10);
    file_write("particles_000005.vtp.tmp-123", "half", 4);
    file_write("mine.tmp-123", "not ours", 8);
    /* Killed between a frame and its list: the list is behind. */
    file_write("particles.pvd", "<Collection>\n", 13);
    assert_int_equal(rni_series_resume(&series, ".", ALL, 3), RN_OK);
    assert_int_equal(listed().frames, 3);
    assert_int_not_equal(access("particles_000003.vtp", F_OK), 0);
    assert_int_not_equal(access("particles_000004.ply", F_OK), 0);
    assert_int_not_equal(access("particles_000005.vtp.tmp-123", F_OK), 0);
    assert_int_equal(access("mine.tmp-123", F_OK), 0);
    add(&series, 3, 10);
    add(&series, 4, 10);
    rni_pvd_info info = listed();
    assert_int_equal(info.frames, 5);
    assert_true(info.last == 1.0 && info.is_ascending && info.missing == 0);
}

static void a_frame_that_somebody_removed_is_left_out(void **state)
{
    (void)state;
    rni_series series;
    assert_int_equal(rni_series_begin(&series, ".", ALL), RN_OK);
    for (unsigned k = 0; k < 3; k++) add(&series, k, 10);
    unlink("particles_000001.vtp");
    assert_int_equal(rni_series_resume(&series, ".", ALL, 3), RN_OK);
    assert_int_equal(series.missing_count, 1);
    assert_string_equal(rn_last_error(),
                        "./particles_000001.vtp: cannot be opened: No such file or directory");
    add(&series, 3, 10);
    assert_int_equal(listed().frames, 3);
    assert_int_equal(listed().missing, 0);
    unlink("particles.h5");
    assert_int_equal(rni_series_resume(&series, ".", ALL, 3), RN_ERROR_FILE);
}

static void a_new_series_removes_the_old_one_and_nothing_else(void **state)
{
    (void)state;
    rni_series series;
    file_write("particles_of_mine.vtp", "x", 1);
    assert_int_equal(rni_series_begin(&series, ".", 0), RN_OK);
    assert_int_not_equal(access("particles.pvd", F_OK), 0);
    assert_int_not_equal(access("particles.h5", F_OK), 0);
    assert_int_not_equal(access("particles_000000.vtp", F_OK), 0);
    assert_int_equal(access("particles_of_mine.vtp", F_OK), 0);
    add(&series, 0, 10);
    assert_int_equal(series.frame_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_listed_with_their_times),
        cmocka_unit_test(solids_are_beside_every_frame_and_where_their_poses_are),
        cmocka_unit_test(a_resumed_series_has_no_frame_twice_and_none_missing),
        cmocka_unit_test(a_frame_that_somebody_removed_is_left_out),
        cmocka_unit_test(a_new_series_removes_the_old_one_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
