#include "clouds.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void every_sample_is_recognised_by_its_content(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLE_COUNT; s++) {
        const sample *from = sample_at(s);
        /* Tabs alone are ambiguous: without an extension they count as blanks, and column names are
         * still found. */
        bool is_open = strcmp(from->name, "tab.tsv") == 0;
        static const char *const NAMES[] = {NULL, "cloud", "cloud.bin"};
        for (int k = 0; k < 4; k++) {
            const char *name = k < 3 ? NAMES[k] : from->name;
            rni_point_file cloud = parse_good(name, from->content.data, from->content.size);
            assert_string_equal(cloud.format, is_open && k < 3 ? "XYZ" : from->format);
            assert_int_equal(cloud.scalar, from->scalar);
            expect_sample_points(&cloud);
            rni_point_file_release(&cloud);
        }
    }
}

static void content_wins_over_a_wrong_extension(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLE_COUNT; s++) {
        const sample *from = sample_at(s);
        bool is_binary = strstr(from->format, "PLY") || strstr(from->format, "NPY");
        if (!is_binary) continue;
        rni_point_file cloud = parse_good("cloud.CSV", from->content.data, from->content.size);
        expect_sample_points(&cloud);
        rni_point_file_release(&cloud);
    }
}

static void a_cut_at_any_byte_is_survived_and_explained(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLE_COUNT; s++) {
        const sample *from = sample_at(s);
        size_t size = from->content.size;
        size_t needed = size;
        /* The line end after the last number of a text file may be missing; then a cut within its
         * digits is not noticed. */
        if (strstr(from->format, "ascii")) needed = size - 1;
        if (strcmp(from->format, "XYZ") == 0) needed = size - 6;
        for (size_t cut = 0; cut < size; cut++) {
            rni_point_file cloud;
            rn_result result = parse_exactly(from->content.data, cut, from->name, &cloud);
            if (result == RN_OK) {
                assert_true(cloud.count <= 3);
                assert_non_null(cloud.position);
            } else {
                assert_int_equal(result, RN_ERROR_FILE);
                assert_null(cloud.position);
                assert_non_null(strstr(rn_last_error(), from->name));
            }
            if (from->tells_its_count && cut < needed && result == RN_OK) {
                fail_msg("%s cut at byte %zu of %zu was read", from->name, cut, size);
            }
            rni_point_file_release(&cloud);
        }
    }
}

static void what_is_no_point_file_is_explained(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *sentence;
    } CASES[] = {
        {"", 0, "c: the file is empty; PLY, XYZ, CSV and NPY point files are read"},
        {"\x1f\x8b\x08", 3, "c: the file is packed with gzip; unpack it first"},
        {"PK\x03\x04", 4, "c: the file is a ZIP or NPZ archive; unpack it first"},
        {"\x89HDF", 4, "c: the file is an HDF5 file; export the points as NPY or CSV"},
        {"\xff\xfe\x31\x00", 4, "c: the file is UTF-16 text; save it as UTF-8"},
        {"\xfe\xff\x00\x31", 4, "c: the file is UTF-16 text; save it as UTF-8"},
        {"1 2 3\n\0 ", 8,
         "c: the file is binary, but opens like neither PLY nor NPY; PLY, XYZ, CSV and NPY point files are read"},
        {"\xef\xbb\xbf", 3,
         "c: the file has no points, only comments or empty lines; a row is two or three numbers"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        expect_failure("c", CASES[k].bytes, CASES[k].size, RN_ERROR_FILE, CASES[k].sentence);
    }
}

static void write_file(const char *path, const bytes *content)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content->data, 1, content->size, file), content->size);
    assert_int_equal(fclose(file), 0);
}

static void files_are_read_from_disk(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLE_COUNT; s++) {
        char path[64];
        snprintf(path, sizeof path, "files_read_%s", sample_at(s)->name);
        write_file(path, &sample_at(s)->content);
        rni_point_file cloud;
        rn_result result = rni_point_file_read(path, &cloud);
        unlink(path);
        if (result != RN_OK) fail_msg("%s", rn_last_error());
        expect_sample_points(&cloud);
        rni_point_file_release(&cloud);
    }
}

static void a_dash_reads_standard_input(void **state)
{
    (void)state;
    const sample *from = sample_at(1);
    int ends[2], users = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], from->content.data, from->content.size), from->content.size);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    rni_point_file cloud;
    rn_result result = rni_point_file_read("-", &cloud);
    rni_point_file nothing;
    rn_result after = rni_point_file_read("-", &nothing); /* the pipe is empty now */
    if (users >= 0) dup2(users, STDIN_FILENO);
    close(users);
    assert_int_equal(result, RN_OK);
    expect_sample_points(&cloud);
    rni_point_file_release(&cloud);
    assert_int_equal(after, RN_ERROR_FILE);
    assert_string_equal(
        rn_last_error(),
        "standard input: the file is empty; PLY, XYZ, CSV and NPY point files are read");
}

static void binary_devices_are_left_after_their_first_bytes(void **state)
{
    (void)state;
    static const char *const PATHS[] = {"/dev/zero", "/dev/urandom", "files_zero.ply"};
    unlink("files_zero.ply");
    assert_int_equal(symlink("/dev/zero", "files_zero.ply"), 0);
    for (int k = 0; k < 3; k++) {
        rni_point_file cloud;
        if (access(PATHS[k], R_OK) != 0) continue;
        assert_int_equal(rni_point_file_read(PATHS[k], &cloud), RN_ERROR_FILE);
        assert_non_null(strstr(rn_last_error(), "the file is "));
        assert_null(cloud.position);
    }
    unlink("files_zero.ply");
}

static void a_file_longer_than_its_opening_is_read_whole(void **state)
{
    (void)state;
    uint32_t count = 20000;
    double *position = calloc(2u * count, sizeof *position);
    assert_non_null(position);
    for (uint32_t i = 0; i < count; i++) position[2 * i] = i;
    rni_point_file cloud = {.dim = 2, .count = count, .scalar = RN_SCALAR_DOUBLE};
    cloud.position = position;
    rni_point_file back;
    assert_int_equal(rni_points_write("files_long.npy", &cloud), RN_OK);
    assert_int_equal(rni_point_file_read("files_long.npy", &back), RN_OK);
    unlink("files_long.npy");
    assert_int_equal(back.count, count);
    assert_memory_equal(back.position, position, 2u * count * sizeof *position);
    rni_point_file_release(&back);
    free(position);
}

static void unreadable_paths_are_explained(void **state)
{
    (void)state;
    rni_point_file cloud;
    assert_int_equal(rni_point_file_read("no/such/file.ply", &cloud), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(),
                        "no/such/file.ply: cannot be opened: No such file or directory");
    assert_null(cloud.position);
    assert_int_equal(rni_point_file_read(".", &cloud), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), ".: cannot be read: Is a directory");
}

static void release_takes_anything(void **state)
{
    (void)state;
    rni_point_file zero = {0};
    rni_point_file_release(NULL);
    rni_point_file_release(&zero);
    rni_point_file_release(&zero);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_recognised_by_its_content),
        cmocka_unit_test(content_wins_over_a_wrong_extension),
        cmocka_unit_test(a_cut_at_any_byte_is_survived_and_explained),
        cmocka_unit_test(what_is_no_point_file_is_explained),
        cmocka_unit_test(files_are_read_from_disk),
        cmocka_unit_test(a_dash_reads_standard_input),
        cmocka_unit_test(binary_devices_are_left_after_their_first_bytes),
        cmocka_unit_test(a_file_longer_than_its_opening_is_read_whole),
        cmocka_unit_test(unreadable_paths_are_explained),
        cmocka_unit_test(release_takes_anything),
    };
    return cmocka_run_group_tests_name("files.point_file", tests, NULL, NULL);
}
