#include "place.h"

#include "output/checkpoint.h"
#include "output/crc64.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SCENE[] = "{\n  \"title\": \"a test\"\n}\n";

static rni_run_state run_make(uint64_t step)
{
    rni_run_state run = {.step = step, .time = 0.5, .state_hash = 0x123456789abcdef0ull};
    run.frame_count = 7;
    run.output_every = 0.01;
    run.bound_steps[2] = 9;
    run.clock_ms[9] = 1.25;
    run.bytes = 4321;
    return run;
}

static void crc_is_the_known_one(void **state)
{
    (void)state;
    assert_int_equal(rni_crc64(0, "123456789", 9), 0x995dc9bbdf1939faull);
    uint64_t crc = rni_crc64(rni_crc64(0, "12345", 5), "6789", 4);
    assert_int_equal(crc, 0x995dc9bbdf1939faull);
}

static void what_is_written_comes_back(void **state)
{
    (void)state;
    unsigned char fluid[1000];
    for (unsigned k = 0; k < sizeof fluid; k++) fluid[k] = (unsigned char)(k * 7);
    rni_run_state run = run_make(42);
    rni_checkpoint back;
    assert_int_equal(rni_checkpoint_write("a.rnck", &run, SCENE, fluid, sizeof fluid), RN_OK);
    if (rni_checkpoint_read("a.rnck", &back) != RN_OK) fail_msg("%s", rn_last_error());
    assert_memory_equal(&back.run, &run, sizeof run);
    assert_string_equal(back.scene, SCENE);
    assert_int_equal(back.fluid_bytes, sizeof fluid);
    assert_memory_equal(back.fluid, fluid, sizeof fluid);
    assert_string_equal(back.version, RN_VERSION_STRING);
    rni_checkpoint_release(&back);
}

static void the_bytes_are_those_of_the_documentation(void **state)
{
    (void)state;
    size_t size;
    rni_run_state run = run_make(42);
    assert_int_equal(rni_checkpoint_write("b.rnck", &run, SCENE, "water", 5), RN_OK);
    unsigned char *bytes = file_read("b.rnck", &size);
    assert_int_equal(size, 136 + 448 + sizeof SCENE - 1 + 5 + 8);
    assert_memory_equal(bytes, "\x89RNCK\r\n\x1a\x02\0\0\0\x03\0\0\0", 16);
    assert_memory_equal(bytes + 32, "run     \x88\0\0\0\0\0\0\0\xc0\x01\0\0\0\0\0\0", 24);
    assert_memory_equal(bytes + 64, "scene   ", 8);
    assert_memory_equal(bytes + 96, "fluid   ", 8);
    assert_int_equal(bytes[136 + 16], 42);
    assert_memory_equal(bytes + 136 + 448, SCENE, sizeof SCENE - 1);
    assert_memory_equal(bytes + size - 13, "water", 5);
    free(bytes);
}

static void the_last_two_of_a_folder_are_kept(void **state)
{
    (void)state;
    char paths[4][RNI_PATH_BYTES];
    file_write("checkpoint_mine.rnck", "x", 1);
    for (uint64_t step = 10; step <= 50; step += 10) {
        rni_run_state run = run_make(step);
        assert_int_equal(rni_checkpoint_keep(".", &run, SCENE, "water", 5), RN_OK);
    }
    assert_int_equal(rni_checkpoint_list(".", paths, 4), 2);
    assert_string_equal(paths[0], "./checkpoint_000000000050.rnck");
    assert_string_equal(paths[1], "./checkpoint_000000000040.rnck");
    /* The run went back: what is later than now goes. */
    rni_run_state run = run_make(45);
    assert_int_equal(rni_checkpoint_keep(".", &run, SCENE, "water", 5), RN_OK);
    assert_int_equal(rni_checkpoint_list(".", paths, 4), 2);
    assert_string_equal(paths[0], "./checkpoint_000000000045.rnck");
    assert_int_equal(access("checkpoint_mine.rnck", F_OK), 0);
    assert_int_equal(rni_checkpoint_list("./not-there", paths, 4), 0);
}

static void a_full_disk_leaves_the_last_two(void **state)
{
    (void)state;
    char paths[4][RNI_PATH_BYTES];
    rni_checkpoint back;
    void *large = calloc(1, 100000);
    rni_run_state run = run_make(1000);
    disk_limit(50000);
    assert_int_equal(rni_checkpoint_keep(".", &run, SCENE, large, 100000), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(),
                        "./checkpoint_000000001000.rnck: cannot be written: File too large");
    disk_lift();
    free(large);
    assert_int_equal(rni_checkpoint_list(".", paths, 4), 2);
    assert_int_equal(rni_checkpoint_read(paths[0], &back), RN_OK);
    rni_checkpoint_release(&back);
}

/* Right checksums, wrong numbers. */
static void numbers_no_run_writes_are_refused(void **state)
{
    (void)state;
    rni_run_state forged[9];
    for (unsigned k = 0; k < 9; k++) forged[k] = run_make(42);
    forged[0].frame_count = 1ull << 63;
    forged[1].frame_count = 44;
    forged[2].output_every = 1e-300;
    forged[3].checkpoint_every = 1e-300;
    forged[4].time = 1e300;
    forged[5].formats = 255;
    forged[6].step = 1ull << 63;
    forged[7].bound_steps[1] = 43;
    forged[8].speed_max = -1;
    for (unsigned k = 0; k < 9; k++) {
        rni_checkpoint back;
        assert_int_equal(rni_checkpoint_write("f.rnck", &forged[k], SCENE, "water", 5), RN_OK);
        assert_int_equal(rni_checkpoint_read("f.rnck", &back), RN_ERROR_FILE);
        assert_non_null(strstr(rn_last_error(), "f.rnck: is damaged: "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_the_known_one),
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(the_bytes_are_those_of_the_documentation),
        cmocka_unit_test(numbers_no_run_writes_are_refused),
        cmocka_unit_test(the_last_two_of_a_folder_are_kept),
        cmocka_unit_test(a_full_disk_leaves_the_last_two),
    };
    return cmocka_run_group_tests(tests, place_make, place_remove);
}
