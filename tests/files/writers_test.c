#include "clouds.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Four points: 0 - 1, 0 - 2, 1 - 2; 3 is alone. The spans are in another order than the points. */
static const uint32_t SPAN_INDEX[] = {0, 1, 2, 1, 0, 2};
static const rn_span SPANS[] = {{2, 4}, {4, 6}, {0, 2}, {6, 6}};
static const rn_neighbors SPAN_LISTS = {
    .count = 4, .entry_count = 6, .index = SPAN_INDEX, .span = SPANS};
static const uint32_t CSR_INDEX[] = {2, 1, 0, 2, 0, 1};
static const uint64_t CSR_START[] = {0, 2, 4, 6, 6};
static const rn_neighbors CSR_LISTS = {
    .count = 4, .entry_count = 6, .index = CSR_INDEX, .start = CSR_START};

#define PAIRS_CSV "i,j\n0,2\n0,1\n1,0\n1,2\n2,0\n2,1\n"
#define LISTS_CSV "point,count,neighbors\n0,2,2 1\n1,2,0 2\n2,2,0 1\n3,0,\n"

static size_t read_back(const char *path, void *data, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is not there", path);
    size_t size = fread(data, 1, capacity, file);
    fclose(file);
    unlink(path);
    return size;
}

static void expect_content(const char *path, const char *text)
{
    char content[4096];
    size_t size = read_back(path, content, sizeof content - 1);
    content[size] = '\0';
    assert_string_equal(content, text);
}

/* The header of an NPY file of 128 bytes, then exactly data. */
static void expect_npy(const char *path, const char *dictionary, const void *data, size_t size)
{
    unsigned char content[4096];
    assert_int_equal(read_back(path, content, sizeof content), 128 + size);
    assert_memory_equal(content, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(content + 10, dictionary, strlen(dictionary));
    for (size_t k = 10 + strlen(dictionary); k < 127; k++) assert_int_equal(content[k], ' ');
    assert_int_equal(content[127], '\n');
    assert_memory_equal(content + 128, data, size);
}

static void expect_nothing_beside(const char *path)
{
    char beside[128];
    snprintf(beside, sizeof beside, "%s.tmp-%ld", path, (long)getpid());
    assert_int_not_equal(access(beside, F_OK), 0);
}

static void pairs_are_the_same_for_both_layouts(void **state)
{
    (void)state;
    static const uint32_t PAIRS[] = {0, 2, 0, 1, 1, 0, 1, 2, 2, 0, 2, 1};
    const rn_neighbors *both[] = {&SPAN_LISTS, &CSR_LISTS};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(rni_pairs_write("files_pairs.csv", both[k]), RN_OK);
        expect_nothing_beside("files_pairs.csv");
        expect_content("files_pairs.csv", PAIRS_CSV);
        assert_int_equal(rni_pairs_write("files_pairs.NPY", both[k]), RN_OK);
        expect_npy("files_pairs.NPY", "{'descr': '<u4', 'fortran_order': False, 'shape': (6, 2), }",
                   PAIRS, sizeof PAIRS);
    }
}

static void lists_are_the_same_for_both_layouts(void **state)
{
    (void)state;
    const rn_neighbors *both[] = {&SPAN_LISTS, &CSR_LISTS};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(rni_lists_write("files_lists.csv", both[k]), RN_OK);
        expect_content("files_lists.csv", LISTS_CSV);
        assert_int_equal(rni_lists_write("files_lists.npy", both[k]), RN_OK);
        expect_nothing_beside("files_lists.npy");
        expect_nothing_beside("files_lists_start.npy");
        expect_npy("files_lists.npy", "{'descr': '<u4', 'fortran_order': False, 'shape': (6,), }",
                   CSR_INDEX, sizeof CSR_INDEX);
        expect_npy("files_lists_start.npy",
                   "{'descr': '<u8', 'fortran_order': False, 'shape': (5,), }", CSR_START,
                   sizeof CSR_START);
    }
}

static void nearest_come_with_their_distances(void **state)
{
    (void)state;
    static const uint32_t COUNTS[] = {2, 1, 0}, INDEX[] = {1, 2, 0, 99, 99, 99};
    static const float DISTANCE_SQ[] = {0.25f, 2.0f, 0.25f, 9, 9, 9};
    rn_nearest nearest = {
        .count = 3, .k = 2, .counts = COUNTS, .index = INDEX, .distance_sq = DISTANCE_SQ};
    assert_int_equal(rni_nearest_write("files_nearest.csv", &nearest), RN_OK);
    expect_content("files_nearest.csv", "point,count,neighbors,distances\n"
                                        "0,2,1 2,0.5 1.41421354\n1,1,0,0.5\n2,0,,\n");
    static const uint32_t FLAT[] = {1, 2, 0};
    static const uint64_t START[] = {0, 2, 3, 3};
    assert_int_equal(rni_nearest_write("files_nearest.npy", &nearest), RN_OK);
    expect_npy("files_nearest.npy", "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }",
               FLAT, sizeof FLAT);
    expect_npy("files_nearest_start.npy",
               "{'descr': '<u8', 'fortran_order': False, 'shape': (4,), }", START, sizeof START);
    rn_nearest none = {0};
    assert_int_equal(rni_nearest_write("files_nearest.csv", &none), RN_OK);
    expect_content("files_nearest.csv", "point,count,neighbors,distances\n");
}

static void no_points_and_no_neighbours_are_fine(void **state)
{
    (void)state;
    rn_neighbors none = {0};
    assert_int_equal(rni_pairs_write("files_none.csv", &none), RN_OK);
    expect_content("files_none.csv", "i,j\n");
    assert_int_equal(rni_lists_write("files_none.npy", &none), RN_OK);
    expect_npy("files_none.npy", "{'descr': '<u4', 'fortran_order': False, 'shape': (0,), }", "", 0);
    expect_npy("files_none_start.npy", "{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }",
               &(uint64_t){0}, 8);
    uint64_t start[] = {0, 0, 0};
    rn_neighbors alone = {.count = 2, .start = start};
    assert_int_equal(rni_lists_write("files_none.csv", &alone), RN_OK);
    expect_content("files_none.csv", "point,count,neighbors\n0,0,\n1,0,\n");
}

static void unknown_extensions_and_counts_are_refused(void **state)
{
    (void)state;
    assert_int_equal(rni_pairs_write("a.txt", &CSR_LISTS), RN_ERROR_ARGUMENT);
    assert_string_equal(
        rn_last_error(),
        "a.txt: the extension names no known format; neighbours are written as .csv or .npy");
    assert_int_equal(rni_lists_write("a", &CSR_LISTS), RN_ERROR_ARGUMENT);
    assert_int_equal(rni_lists_write("a.ply", &CSR_LISTS), RN_ERROR_ARGUMENT);
    rni_point_file cloud = {.dim = 2};
    assert_int_equal(rni_points_write("a.obj", &cloud), RN_ERROR_ARGUMENT);
    assert_string_equal(
        rn_last_error(),
        "a.obj: the extension names no known format; points are written as .ply, .xyz, .csv or .npy");
    uint32_t counts[] = {1, 1};
    rn_neighbors counted = {.count = 2, .entry_count = 2, .counts = counts};
    assert_int_equal(rni_pairs_write("a.csv", &counted), RN_ERROR_ARGUMENT);
    assert_string_equal(
        rn_last_error(),
        "a.csv: the search kept counts, not lists; RN_LISTS_FULL or RN_LISTS_HALF keeps lists");
    assert_int_not_equal(access("a.csv", F_OK), 0);
}

static void a_dash_writes_csv_to_standard_output(void **state)
{
    (void)state;
    rni_point_file cloud = parse_good_text("a.xyz", "1 2.5\n");
    fflush(stdout);
    int users = dup(STDOUT_FILENO), file = open("files_stdout", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(users >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    close(file);
    fputs("before\n", stdout);
    rn_result results[3] = {rni_pairs_write("-", &SPAN_LISTS), rni_lists_write("-", &SPAN_LISTS),
                            rni_points_write("-", &cloud)};
    fputs("after\n", stdout);
    fflush(stdout);
    dup2(users, STDOUT_FILENO);
    close(users);
    for (int k = 0; k < 3; k++) assert_int_equal(results[k], RN_OK);
    expect_content("files_stdout", "before\n" PAIRS_CSV LISTS_CSV "x,y\n1,2.5\nafter\n");
    rni_point_file_release(&cloud);
}

static void points_come_back_to_the_last_bit(void **state)
{
    (void)state;
    float floats[] = {0.1f, -1.17549435e-38f, 3.40282347e38f, 1.0f / 3.0f, 1e-45f, -0.0f};
    double doubles[] = {0.1, -2.2250738585072014e-308, 1.7976931348623157e308, 1.0 / 3.0, 5e-324,
                        -0.0};
    static const char *const PATHS[] = {"files_trip.ply", "files_trip.npy", "files_trip.xyz",
                                        "files_trip.csv"};
    for (int p = 0; p < 4; p++) {
        for (int is_double = 0; is_double < 2; is_double++) {
            for (uint32_t dim = 2; dim <= 3; dim++) {
                rni_point_file cloud = {.dim = dim, .count = 6 / dim};
                cloud.scalar = is_double ? RN_SCALAR_DOUBLE : RN_SCALAR_FLOAT;
                cloud.position = is_double ? (void *)doubles : (void *)floats;
                rni_point_file back;
                assert_int_equal(rni_points_write(PATHS[p], &cloud), RN_OK);
                assert_int_equal(rni_point_file_read(PATHS[p], &back), RN_OK);
                unlink(PATHS[p]);
                assert_int_equal(back.dim, dim);
                assert_int_equal(back.count, cloud.count);
                assert_int_equal(back.scalar, p < 2 ? cloud.scalar : RN_SCALAR_DOUBLE);
                for (uint32_t k = 0; k < 6; k++) {
                    double value = coordinate(&back, k / dim, k % dim);
                    if (!is_double) {
                        float narrow = (float)value;
                        assert_memory_equal(&narrow, &floats[k], sizeof narrow);
                    } else {
                        assert_memory_equal(&value, &doubles[k], sizeof value);
                    }
                }
                rni_point_file_release(&back);
            }
        }
    }
}

static void written_decimals_have_a_point_in_every_language(void **state)
{
    (void)state;
    static const char *const LANGUAGES[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR",
                                            "nl_NL.UTF-8"};
    const char *set = NULL;
    for (size_t k = 0; k < sizeof LANGUAGES / sizeof *LANGUAGES && !set; k++) {
        set = setlocale(LC_ALL, LANGUAGES[k]);
    }
    if (!set) skip();
    double position[] = {1.5, 2.5};
    rni_point_file cloud = {.dim = 2, .count = 1, .scalar = RN_SCALAR_DOUBLE, .position = position};
    rn_result result = rni_points_write("files_language.csv", &cloud);
    setlocale(LC_ALL, "C");
    assert_int_equal(result, RN_OK);
    expect_content("files_language.csv", "x,y\n1.5,2.5\n");
}

static void larger_than_the_buffer_is_written_whole(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    double *position = malloc(COUNT * 2 * sizeof *position);
    assert_non_null(position);
    for (int k = 0; k < 2 * COUNT; k++) position[k] = k * 0.37;
    rni_point_file cloud = {.dim = 2, .count = COUNT, .scalar = RN_SCALAR_DOUBLE, .position = position},
                   back;
    static const char *const PATHS[] = {"files_large.ply", "files_large.csv"};
    for (int p = 0; p < 2; p++) {
        assert_int_equal(rni_points_write(PATHS[p], &cloud), RN_OK);
        assert_int_equal(rni_point_file_read(PATHS[p], &back), RN_OK);
        unlink(PATHS[p]);
        assert_int_equal(back.count, COUNT);
        assert_memory_equal(back.position, position, COUNT * 2 * sizeof *position);
        rni_point_file_release(&back);
    }
    free(position);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    /* A link gives the device an extension; the link itself is never replaced. */
    static const char *const PATHS[] = {"files_full.csv", "files_full.npy"};
    double position[] = {1, 2};
    rni_point_file cloud = {.dim = 2, .count = 1, .scalar = RN_SCALAR_DOUBLE, .position = position};
    for (int p = 0; p < 2; p++) {
        unlink(PATHS[p]);
        assert_int_equal(symlink("/dev/full", PATHS[p]), 0);
        char sentence[128];
        snprintf(sentence, sizeof sentence, "%s: cannot be written: No space left on device",
                 PATHS[p]);
        assert_int_equal(rni_pairs_write(PATHS[p], &CSR_LISTS), RN_ERROR_FILE);
        assert_string_equal(rn_last_error(), sentence);
        assert_int_equal(rni_lists_write(PATHS[p], &CSR_LISTS), RN_ERROR_FILE);
        assert_string_equal(rn_last_error(), sentence);
        assert_int_equal(rni_points_write(PATHS[p], &cloud), RN_ERROR_FILE);
        assert_string_equal(rn_last_error(), sentence);
        struct stat link;
        assert_int_equal(lstat(PATHS[p], &link), 0);
        assert_true(S_ISLNK(link.st_mode));
        unlink(PATHS[p]);
    }
    assert_int_not_equal(access("files_full_start.npy", F_OK), 0);
    expect_nothing_beside("files_full_start.npy");
    fflush(stdout);
    int users = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    close(full);
    rn_result result = rni_pairs_write("-", &CSR_LISTS);
    dup2(users, STDOUT_FILENO);
    close(users);
    assert_int_equal(result, RN_ERROR_FILE);
    assert_string_equal(rn_last_error(),
                        "standard output: cannot be written: No space left on device");
}

static void a_failed_write_leaves_the_old_file_and_nothing_beside(void **state)
{
    (void)state;
    const char *path = "files_old.csv";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("old\n", file);
    fclose(file);
    struct rlimit users, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &users), 0);
    small = users;
    small.rlim_cur = 16;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    rn_result result = rni_pairs_write(path, &CSR_LISTS);
    setrlimit(RLIMIT_FSIZE, &users);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "files_old.csv: cannot be written: File too large");
    expect_nothing_beside(path);
    expect_content(path, "old\n");
}

static void an_old_file_is_replaced_and_keeps_its_mode(void **state)
{
    (void)state;
    const char *path = "files_mode.csv";
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, "a longer text than what follows, to be gone", 43), 43);
    close(file);
    assert_int_equal(rni_pairs_write(path, &CSR_LISTS), RN_OK);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    expect_content(path, PAIRS_CSV);
}

static void unwritable_paths_are_explained(void **state)
{
    (void)state;
    assert_int_equal(rni_pairs_write("no/such/folder.csv", &CSR_LISTS), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(),
                        "no/such/folder.csv: cannot be written: No such file or directory");
    rmdir("files_folder.csv");
    assert_int_equal(mkdir("files_folder.csv", 0700), 0);
    assert_int_equal(rni_pairs_write("files_folder.csv", &CSR_LISTS), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "files_folder.csv: cannot be written: Is a directory");
    rmdir("files_folder.csv");
    /* The second file of a pair cannot be written: the first does not appear either. */
    mkdir("files_half_start.npy", 0700);
    assert_int_equal(rni_lists_write("files_half.npy", &CSR_LISTS), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "files_half_start.npy: cannot be written: Is a directory");
    rmdir("files_half_start.npy");
    assert_int_not_equal(access("files_half.npy", F_OK), 0);
    expect_nothing_beside("files_half.npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_the_same_for_both_layouts),
        cmocka_unit_test(lists_are_the_same_for_both_layouts),
        cmocka_unit_test(nearest_come_with_their_distances),
        cmocka_unit_test(no_points_and_no_neighbours_are_fine),
        cmocka_unit_test(unknown_extensions_and_counts_are_refused),
        cmocka_unit_test(a_dash_writes_csv_to_standard_output),
        cmocka_unit_test(points_come_back_to_the_last_bit),
        cmocka_unit_test(written_decimals_have_a_point_in_every_language),
        cmocka_unit_test(larger_than_the_buffer_is_written_whole),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_failed_write_leaves_the_old_file_and_nothing_beside),
        cmocka_unit_test(an_old_file_is_replaced_and_keeps_its_mode),
        cmocka_unit_test(unwritable_paths_are_explained),
    };
    return cmocka_run_group_tests_name("files.writers", tests, NULL, NULL);
}
