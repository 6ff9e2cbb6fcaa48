/* HDF5: what is written comes back by the library's own calls, and a file that was left in the
 * middle of a write is made whole again. */
#include "place.h"

#include "base/random.h"
#include "output/h5.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Every number of frame number, which was frame_make(count, ...). */
static void expect_frame(const char *path, unsigned number, uint32_t count)
{
    char name[64];
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    snprintf(name, sizeof name, "frame_%06u/position", number);
    float(*position)[3] = malloc((count + 1) * sizeof *position);
    uint32_t *id = malloc((count + 1) * sizeof *id);
    assert_true(position && id);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), 3ull * count);
    assert_true(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, position) >= 0);
    char units[8] = "";
    hid_t attribute = H5Aopen(set, "units", H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Aread(attribute, type, units) >= 0);
    assert_string_equal(units, "m");
    H5Tclose(type);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Dclose(set);
    snprintf(name, sizeof name, "frame_%06u/id", number);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, id) >= 0);
    H5Dclose(set);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(position[i][1] == (float)i + 0.25f);
        assert_int_equal(id[i], count - 1 - i);
    }
    H5Fclose(file);
    free(position);
    free(id);
}

static long long group_count(const char *path)
{
    H5G_info_t info;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(H5Gget_info(file, &info) >= 0);
    H5Fclose(file);
    return (long long)info.nlinks - 1; /* the generation */
}

static void add(const char *path, unsigned number, uint32_t count)
{
    rn_frame frame = frame_make(count, 0.1 * number, number);
    if (rni_h5_append(path, number, &frame) != RN_OK) fail_msg("%s", rn_last_error());
}

static void frames_come_back(void **state)
{
    (void)state;
    assert_int_equal(rni_h5_create("a.h5"), RN_OK);
    add("a.h5", 0, 0);
    add("a.h5", 1, 5);
    add("a.h5", 2, 40000);
    assert_int_equal(group_count("a.h5"), 3);
    expect_frame("a.h5", 0, 0);
    expect_frame("a.h5", 1, 5);
    expect_frame("a.h5", 2, 40000);
    assert_int_equal(rni_h5_rewind("a.h5", 3), RN_OK);
    expect_frame("a.h5", 2, 40000);
}

static void later_frames_are_dropped(void **state)
{
    (void)state;
    assert_int_equal(rni_h5_create("b.h5"), RN_OK);
    for (unsigned k = 0; k < 5; k++) add("b.h5", k, 100 + k);
    assert_int_equal(rni_h5_rewind("b.h5", 2), RN_OK);
    assert_int_equal(group_count("b.h5"), 2);
    expect_frame("b.h5", 1, 101);
    add("b.h5", 2, 999);
    expect_frame("b.h5", 2, 999);
    assert_int_equal(rni_h5_rewind("b.h5", 9), RN_ERROR_FILE);
    assert_string_equal(
        rn_last_error(),
        "b.h5: holds 3 frames, and the run has 9; restore an intact copy of it and of its "
        ".frames, or continue in another folder: runnel run CHECKPOINT.rnck --out OTHER");
}

/* A kill between begin and end may leave anything in the metadata; only the numbers are sure. */
static void a_file_left_in_the_middle_is_made_anew(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(rni_h5_create("c.h5"), RN_OK);
    for (unsigned k = 0; k < 3; k++) add("c.h5", k, 1000 + k);
    FILE *notes = fopen("c.h5.frames", "a");
    assert_non_null(notes);
    fputs("begin 3\n", notes);
    fclose(notes);
    unsigned char *bytes = file_read("c.h5", &size);
    memset(bytes, 0xee, 96); /* the superblock and more */
    file_write("c.h5", bytes, size);
    free(bytes);
    assert_int_equal(rni_h5_rewind("c.h5", 3), RN_OK);
    assert_int_equal(group_count("c.h5"), 3);
    for (unsigned k = 0; k < 3; k++) expect_frame("c.h5", k, 1000 + k);
    add("c.h5", 3, 7);
    expect_frame("c.h5", 3, 7);
}

/* Whichever of the two renames of a remake was the last, the right notes are found. */
static void a_remake_may_be_killed_between_its_renames(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(rni_h5_create("d.h5"), RN_OK);
    add("d.h5", 0, 10);
    add("d.h5", 1, 20);
    unsigned char *old = file_read("d.h5.frames", &size);
    assert_int_equal(rni_h5_rewind("d.h5", 1), RN_OK);
    assert_int_equal(rename("d.h5.frames", "d.h5.frames-next"), 0);
    file_write("d.h5.frames", old, size);
    free(old);
    assert_int_equal(rni_h5_rewind("d.h5", 1), RN_OK);
    assert_int_not_equal(access("d.h5.frames-next", F_OK), 0);
    expect_frame("d.h5", 0, 10);
    add("d.h5", 1, 30);
    expect_frame("d.h5", 1, 30);
    /* Notes of another file are not believed. */
    file_write("d.h5.frames-next",
               "runnel-h5-frames 3 5 0\nframe 0 0x0p+0 1 4294967295 0 0 0 id 1 u 1 0\n", 67);
    assert_int_equal(rni_h5_rewind("d.h5", 2), RN_OK);
    file_write("d.h5.frames", "runnel-h5-frames 3 5 0\n", 23);
    assert_int_equal(rni_h5_rewind("d.h5", 2), RN_ERROR_FILE);
}

/* Change times of files come in ticks of some milliseconds. */
static void wait_for_another_tick(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
}

static void a_file_that_nobody_touched_is_not_copied(void **state)
{
    (void)state;
    struct stat before, after;
    assert_int_equal(rni_h5_create("f.h5"), RN_OK);
    add("f.h5", 0, 100);
    add("f.h5", 1, 200);
    assert_int_equal(stat("f.h5", &before), 0);
    assert_int_equal(rni_h5_rewind("f.h5", 2), RN_OK);
    assert_int_equal(stat("f.h5", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    wait_for_another_tick();
    size_t size;
    unsigned char *bytes = file_read("f.h5", &size);
    file_write("f.h5", bytes, size);
    free(bytes);
    assert_int_equal(rni_h5_rewind("f.h5", 2), RN_OK);
    assert_int_equal(stat("f.h5", &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
}

/* What was done to a file between two parts of a run, one of several kinds. Returns the new size. */
static size_t damage(unsigned char *bytes, size_t size, uint64_t seed)
{
    rni_random random = rni_random_make(seed);
    size_t first = (size_t)(rni_random_u64(&random) % size), left = size - first;
    size_t length = 1 + (size_t)(rni_random_u64(&random) % 3000);
    if (length > left) length = left;
    switch (seed % 5) {
    case 0: memset(bytes + first, 0, length); return size;
    case 1: memmove(bytes + first, bytes + first + length, left - length); return size - length;
    case 2: return first;
    case 3: /* where HDF5 keeps the root of everything */
        for (unsigned k = 0; k < 20; k++) {
            size_t at = (size_t)(rni_random_u64(&random) % 2500);
            bytes[at] = (unsigned char)rni_random_u64(&random);
        }
        return size;
    default:
        for (unsigned k = 0; k < length % 50; k++) {
            size_t at = (size_t)(rni_random_u64(&random) % size);
            bytes[at] = (unsigned char)(bytes[at] ^ 1u << rni_random_u64(&random) % 8);
        }
        return size;
    }
}

/* HDF5 aborts on some of these. Either all frames come back and more can be added, or a sentence tells that
 * numbers are gone, and nothing is touched. */
static void a_damaged_file_is_mended_or_told(void **state)
{
    (void)state;
    size_t size, notes_size, size_now;
    unsigned mended = 0, told = 0;
    assert_int_equal(rni_h5_create("g.h5"), RN_OK);
    for (unsigned k = 0; k < 12; k++) add("g.h5", k, 3 + k);
    unsigned char *sound = file_read("g.h5", &size);
    unsigned char *notes = file_read("g.h5.frames", &notes_size);
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    wait_for_another_tick();
    for (uint64_t seed = 0; seed < 200; seed++) {
        memcpy(bytes, sound, size);
        size_t damaged_size = damage(bytes, size, seed);
        file_write("g.h5", bytes, damaged_size);
        file_write("g.h5.frames", notes, notes_size);
        if (rni_h5_rewind("g.h5", 12) == RN_OK) {
            add("g.h5", 12, 7);
            for (unsigned k = 0; k < 12; k++) expect_frame("g.h5", k, 3 + k);
            expect_frame("g.h5", 12, 7);
            mended++;
            continue;
        }
        assert_non_null(strstr(rn_last_error(), "g.h5: was changed by another program: "));
        assert_non_null(strstr(rn_last_error(), "runnel run CHECKPOINT.rnck --out OTHER"));
        unsigned char *now = file_read("g.h5", &size_now);
        assert_int_equal(size_now, damaged_size);
        assert_memory_equal(now, bytes, damaged_size);
        free(now);
        told++;
    }
    assert_true(mended > 40);
    assert_true(told > 40);
    free(bytes);
    free(notes);
    free(sound);
}

/* Which notes are the file's is written in the file; when that is gone, the sums tell. */
static void a_file_that_lost_its_generation_is_mended(void **state)
{
    (void)state;
    size_t size;
    unsigned long long generation, offset;
    assert_int_equal(rni_h5_create("h.h5"), RN_OK);
    add("h.h5", 0, 50);
    unsigned char *notes = file_read("h.h5.frames", &size);
    assert_int_equal(
        sscanf((const char *)notes, "runnel-h5-frames 3 %llu %llu", &generation, &offset), 2);
    free(notes);
    unsigned char *bytes = file_read("h.h5", &size);
    memset(bytes + offset, 0, 8);
    file_write("h.h5", bytes, size);
    free(bytes);
    assert_int_equal(rni_h5_rewind("h.h5", 1), RN_OK);
    add("h.h5", 1, 5);
    expect_frame("h.h5", 0, 50);
    expect_frame("h.h5", 1, 5);
}

static void a_full_disk_is_told_and_got_over(void **state)
{
    (void)state;
    assert_int_equal(rni_h5_create("e.h5"), RN_OK);
    add("e.h5", 0, 100);
    rn_frame large = frame_make(50000, 1, 1);
    disk_limit(100000);
    assert_int_equal(rni_h5_append("e.h5", 1, &large), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "e.h5: cannot be written: File too large");
    assert_int_equal(group_count("e.h5"), 1); /* as it was */
    disk_lift();
    assert_int_equal(rni_h5_rewind("e.h5", 1), RN_OK);
    assert_int_equal(group_count("e.h5"), 1);
    expect_frame("e.h5", 0, 100);
    add("e.h5", 1, 50000);
    expect_frame("e.h5", 1, 50000);
}

/* A table of the run: read back with its units, replaced, dropped when frames follow. */
static void tables_come_back_and_give_way_to_frames(void **state)
{
    (void)state;
    double time[3] = {0, 0.5, 1}, level[3] = {1, 0.25, 3}, back[3] = {0};
    const double *columns[2] = {time, level};
    const char *names[2] = {"time", "tank/level"}, *units[2] = {"s", "m"};
    const rni_h5_table table = {"gauges", 2, 3, names, units, columns};
    assert_int_equal(rni_h5_create("t.h5"), RN_OK);
    add("t.h5", 0, 100);
    for (int k = 0; k < 2; k++) {
        level[2] = 3 + k;
        if (rni_h5_put_table("t.h5", &table) != RN_OK) fail_msg("%s", rn_last_error());
        assert_int_equal(group_count("t.h5"), 2);
    }
    hid_t file = H5Fopen("t.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "gauges/tank_level", H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
    assert_true(back[1] == 0.25 && back[2] == 4);
    assert_true(H5Aexists(set, "units") > 0);
    H5Dclose(set);
    H5Fclose(file);
    expect_frame("t.h5", 0, 100);
    assert_int_equal(rni_h5_rewind("t.h5", 1), RN_OK);
    add("t.h5", 1, 50);
    assert_int_equal(group_count("t.h5"), 2); /* two frames */
    expect_frame("t.h5", 0, 100);
    expect_frame("t.h5", 1, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back),
        cmocka_unit_test(later_frames_are_dropped),
        cmocka_unit_test(a_file_left_in_the_middle_is_made_anew),
        cmocka_unit_test(a_remake_may_be_killed_between_its_renames),
        cmocka_unit_test(a_file_that_nobody_touched_is_not_copied),
        cmocka_unit_test(a_damaged_file_is_mended_or_told),
        cmocka_unit_test(a_file_that_lost_its_generation_is_mended),
        cmocka_unit_test(a_full_disk_is_told_and_got_over),
        cmocka_unit_test(tables_come_back_and_give_way_to_frames),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
