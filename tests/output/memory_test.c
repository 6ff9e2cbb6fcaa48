/* The n-th allocation fails, for n = 1, 2, 3 ... until it passes: an error, no leak, what was there
 * is still there. */
#include "place.h"

#include "failing.h"
#include "output/series.h"
#include "output/vtp_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rn_result checkpoints(void)
{
    rni_run_state run = {.step = 7};
    rni_checkpoint back;
    rn_result result = rni_checkpoint_write("a.rnck", &run, "{}\n", "water", 5);
    if (result == RN_OK) result = rni_checkpoint_read("a.rnck", &back);
    if (result == RN_OK) {
        assert_int_equal(back.run.step, 7);
        rni_checkpoint_release(&back);
    }
    return result;
}

static rn_result frames(void)
{
    rn_frame frame = frame_make(100, 1, 1);
    rni_vtp_info info;
    rn_result result = rni_ply_frame_write("a.ply", &frame);
    if (result == RN_OK) result = rni_vtp_write("a.vtp", &frame);
    if (result == RN_OK) result = rni_vtp_read("a.vtp", true, &info);
    return result;
}

/* Whatever failed half way is put right by going on from what counts. */
static rn_result series(void)
{
    rni_series list;
    rn_frame frame = frame_make(50, 1, 1);
    uint64_t formats = (1u << RNI_FORMAT_COUNT) - 1;
    rn_result result = rni_series_begin(&list, ".", formats);
    if (result == RN_OK) result = rni_series_add(&list, &frame);
    if (result == RN_OK) result = rni_series_add(&list, &frame);
    if (result == RN_OK) result = rni_series_resume(&list, ".", formats, 1);
    if (result == RN_OK) assert_int_equal(list.frame_count, 1);
    return result;
}

static void everything_survives_any_failed_allocation(void **state)
{
    (void)state;
    rn_result (*const jobs[])(void) = {checkpoints, frames, series};
    for (unsigned j = 0; j < 3; j++) {
        rn_result result = RN_ERROR_MEMORY;
        for (long n = 0; result != RN_OK; n++) {
            until_failure = n;
            result = jobs[j]();
            until_failure = -1;
            assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
            assert_true(n < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_survives_any_failed_allocation)};
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
