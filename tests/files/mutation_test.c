/* Invalid input that is nearly a point file: samples with a few bytes changed, removed, repeated or
 * copied from elsewhere. Reading may fail but must not break anything that the sanitizers see. The
 * same on every machine; fuzz/ has the longer tests. */
#include "clouds.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define MUTATION_COUNT 20000u

/* Pieces that headers and rows are made of. */
static const char *const PIECES[] = {"4294967295", "18446744073709551616",
                                     "-1",         "nan",
                                     "1e999",      "\n",
                                     "\r\n",       "\"",
                                     ",",          ";",
                                     "\t",         "list",
                                     "uchar",      "0x",
                                     "element ",   "vertex",
                                     "property ",  "#",
                                     "(",          ")",
                                     "'",          "{",
                                     "}",          "True",
                                     "<u8",        " ",
                                     "99999999"};

static size_t mutate(rni_random *random, unsigned char *data, size_t size, size_t capacity)
{
    size_t at = size ? rni_random_below(random, (uint32_t)size) : 0;
    size_t length = 1 + rni_random_below(random, 8);
    switch (rni_random_below(random, 6)) {
    case 0: /* a bit */
        if (size) data[at] ^= (unsigned char)(1u << rni_random_below(random, 8));
        break;
    case 1: /* a byte */
        if (size) data[at] = (unsigned char)rni_random_below(random, 256);
        break;
    case 2: /* bytes dropped */
        if (at + length < size) {
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
        }
        break;
    case 3: /* bytes repeated */
        if (at + length <= size && size + length <= capacity) {
            memmove(data + at + length, data + at, size - at);
            size += length;
        }
        break;
    case 4: { /* a piece inserted */
        const char *piece = PIECES[rni_random_below(random, sizeof PIECES / sizeof *PIECES)];
        length = strlen(piece);
        if (size + length <= capacity) {
            memmove(data + at + length, data + at, size - at);
            memcpy(data + at, piece, length);
            size += length;
        }
        break;
    }
    default: /* the end cut off */ size = size - size / (1 + length); break;
    }
    return size;
}

static void mutated_files_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const NAMES[] = {NULL, "a.ply", "a.npy", "a.csv", "a.xyz"};
    rni_random random = rni_random_make(1);
    unsigned read_count = 0;
    for (unsigned m = 0; m < MUTATION_COUNT; m++) {
        unsigned char data[2048];
        const sample *from = sample_at(rni_random_below(&random, SAMPLE_COUNT));
        size_t size = from->content.size;
        memcpy(data, from->content.data, size);
        for (uint32_t k = 1 + rni_random_below(&random, 4); k > 0; k--) {
            size = mutate(&random, data, size, sizeof data);
        }
        const char *name =
            rni_random_below(&random, 4) ? from->name : NAMES[rni_random_below(&random, 5)];
        rni_point_file cloud;
        rn_result result = parse_exactly(data, size, name, &cloud);
        if (result == RN_OK) {
            read_count++;
            assert_true(cloud.dim == 2 || cloud.dim == 3);
            assert_true(cloud.count <= size);
            assert_non_null(cloud.position);
            assert_non_null(cloud.format);
            for (uint32_t i = 0; i < cloud.count; i++) (void)coordinate(&cloud, i, cloud.dim - 1);
        } else {
            assert_true(result == RN_ERROR_FILE || result == RN_ERROR_LIMIT);
            assert_null(cloud.position);
            assert_true(strlen(rn_last_error()) > 20);
        }
        rni_point_file_release(&cloud);
    }
    /* Mutations that always fail, or never do, would test nothing. */
    print_message("%u of %u were still read\n", read_count, MUTATION_COUNT);
    assert_in_range(read_count, MUTATION_COUNT / 20, MUTATION_COUNT * 19 / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutated_files_are_read_or_refused)};
    return cmocka_run_group_tests_name("files.mutation", tests, NULL, NULL);
}
