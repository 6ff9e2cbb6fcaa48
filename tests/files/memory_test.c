/* The n-th allocation fails, for n = 1, 2, 3 ... until everything succeeds: an error, no leak, no
 * file left on disk. */
#include "clouds.h"

#include "failing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reading_survives_any_failed_allocation(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SAMPLE_COUNT; s++) {
        const sample *from = sample_at(s);
        const char *path = "files_memory_in";
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(from->content.data, 1, from->content.size, file), from->content.size);
        fclose(file);
        rn_result result = RN_ERROR_MEMORY;
        long n = 0;
        for (; result != RN_OK; n++) {
            rni_point_file cloud;
            until_failure = n;
            result = rni_point_file_read(path, &cloud);
            until_failure = -1;
            if (result == RN_OK) {
                expect_sample_points(&cloud);
            } else {
                assert_int_equal(result, RN_ERROR_MEMORY);
                assert_non_null(strstr(rn_last_error(), "no memory"));
                assert_null(cloud.position);
            }
            rni_point_file_release(&cloud);
            assert_true(n < 100);
        }
        assert_true(n > 2); /* the file and the points at least */
        unlink(path);
    }
}

static void writing_survives_any_failed_allocation(void **state)
{
    (void)state;
    const uint32_t index[] = {1, 0};
    const uint64_t start[] = {0, 1, 2};
    const rn_neighbors lists = {.count = 2, .entry_count = 2, .index = index, .start = start};
    rn_result result = RN_ERROR_MEMORY;
    for (long n = 0; result != RN_OK; n++) {
        until_failure = n;
        result = rni_lists_write("files_memory.npy", &lists);
        until_failure = -1;
        bool is_there = access("files_memory.npy", F_OK) == 0;
        assert_int_equal(is_there, result == RN_OK);
        assert_int_equal(access("files_memory_start.npy", F_OK) == 0, result == RN_OK);
        assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
        assert_true(result == RN_OK || strstr(rn_last_error(), "no memory"));
        assert_true(n < 100);
    }
    unlink("files_memory.npy");
    unlink("files_memory_start.npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_survives_any_failed_allocation),
        cmocka_unit_test(writing_survives_any_failed_allocation),
    };
    return cmocka_run_group_tests_name("files.memory", tests, NULL, NULL);
}
