/* Checkpoints that are damaged, cut off, foreign or hostile: refused with a sentence, never
 * believed. The sanitizers watch; fuzz/checkpoint_fuzz.c has the longer way. */
#include "place.h"

#include "base/random.h"
#include "output/checkpoint.h"
#include "output/crc64.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char *bytes;
static size_t size;

static int make(void **state)
{
    if (place_make(state) != 0) return -1;
    rni_run_state run = {.step = 5, .time = 1};
    unsigned char fluid[300] = {1, 2, 3};
    assert_int_equal(rni_checkpoint_write("whole.rnck", &run, "{}\n", fluid, sizeof fluid), RN_OK);
    bytes = file_read("whole.rnck", &size);
    return 0;
}

static int remove_all(void **state)
{
    free(bytes);
    return place_remove(state);
}

static void expect_refused(const void *data, size_t length, const char *sentence)
{
    rni_checkpoint checkpoint;
    assert_int_equal(rni_checkpoint_parse(data, length, "it", &checkpoint), RN_ERROR_FILE);
    assert_null(checkpoint.held);
    if (sentence && !strstr(rn_last_error(), sentence))
        fail_msg("'%s' does not say '%s'", rn_last_error(), sentence);
}

static void every_changed_bit_is_seen(void **state)
{
    (void)state;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        expect_refused(bytes, size, NULL);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

static void every_cut_is_seen(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < size; cut++) expect_refused(bytes, cut, NULL);
    expect_refused(bytes, size - 1, "it: is cut off: its header says ");
    expect_refused(bytes, 100, "it: is cut off: a checkpoint has at least 144 bytes, this 100");
}

static void strangers_are_told(void **state)
{
    (void)state;
    rni_checkpoint checkpoint;
    expect_refused("", 0, "it: is not a checkpoint of Runnel");
    expect_refused("{\"title\": \"a scene\"}", 20, "it: is not a checkpoint of Runnel");
    assert_int_equal(rni_checkpoint_read("/dev/zero", &checkpoint), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "/dev/zero: is not a plain file");
    assert_int_equal(rni_checkpoint_read(".", &checkpoint), RN_ERROR_FILE);
    assert_int_equal(rni_checkpoint_read("not-there", &checkpoint), RN_ERROR_FILE);
    assert_string_equal(rn_last_error(), "not-there: cannot be opened: No such file or directory");
}

static void put(unsigned char *at, uint64_t value, unsigned count)
{
    for (unsigned k = 0; k < count; k++) at[k] = (unsigned char)(value >> (8 * k));
}

/* Makes all checksums right again, as somebody who means harm would. */
static void sign(unsigned char *data, size_t length)
{
    for (unsigned s = 0; s < 3; s++) {
        unsigned char *entry = data + 32 + 32 * s;
        uint64_t offset = 0, bytes_of = 0;
        for (unsigned k = 0; k < 8; k++) {
            offset |= (uint64_t)entry[8 + k] << 8 * k;
            bytes_of |= (uint64_t)entry[16 + k] << 8 * k;
        }
        if (offset <= length && bytes_of <= length - offset)
            put(entry + 24, rni_crc64(0, data + offset, (size_t)bytes_of), 8);
    }
    put(data + 128, rni_crc64(0, data, 128), 8);
    put(data + length - 8, rni_crc64(0, data, length - 8), 8);
}

static void hostile_sizes_are_refused_with_right_checksums(void **state)
{
    (void)state;
    static const uint64_t SIZES[] = {
        0, 1, 7, 0x7fffffffu, 0xffffffffu, UINT64_MAX, UINT64_MAX - 7, 1ull << 62};
    static const unsigned PLACES[] = {12, 16, 24, 40, 48, 72, 80, 104, 112};
    unsigned char *copy = malloc(size);
    for (unsigned p = 0; p < sizeof PLACES / sizeof *PLACES; p++)
        for (unsigned v = 0; v < sizeof SIZES / sizeof *SIZES; v++) {
            memcpy(copy, bytes, size);
            if (PLACES[p] == 24 && SIZES[v] == 0) continue; /* as it was */
            put(copy + PLACES[p], SIZES[v], PLACES[p] == 12 ? 4 : 8);
            sign(copy, size);
            expect_refused(copy, size, NULL);
        }
    memcpy(copy, bytes, size);
    put(copy + 8, 7, 4);
    sign(copy, size);
    expect_refused(copy, size, "it: is a checkpoint of format 7; this Runnel (");
    put(copy + 8, 1, 4); /* format 1 held the particles without names */
    sign(copy, size);
    expect_refused(copy, size, "reads format 2. Run the scene again from its start");
    memcpy(copy, bytes, size);
    put(copy + 136 + 16 + 8, 0x7ff0000000000000ull, 8);
    sign(copy, size);
    expect_refused(copy, size, "run.time is not a finite number");
    free(copy);
}

static void rubbish_with_right_checksums_is_read_or_refused(void **state)
{
    (void)state;
    rni_random random = rni_random_make(7);
    unsigned char *copy = malloc(size);
    for (unsigned m = 0; m < 20000; m++) {
        rni_checkpoint checkpoint;
        memcpy(copy, bytes, size);
        for (uint32_t k = 1 + rni_random_below(&random, 4); k > 0; k--)
            copy[rni_random_below(&random, (uint32_t)size)] =
                (unsigned char)rni_random_below(&random, 256);
        sign(copy, size);
        if (rni_checkpoint_parse(copy, size, "it", &checkpoint) == RN_OK)
            rni_checkpoint_release(&checkpoint);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_changed_bit_is_seen),
        cmocka_unit_test(every_cut_is_seen),
        cmocka_unit_test(strangers_are_told),
        cmocka_unit_test(hostile_sizes_are_refused_with_right_checksums),
        cmocka_unit_test(rubbish_with_right_checksums_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, make, remove_all);
}
