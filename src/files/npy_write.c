#include "files/npy_write.h"

#include "files/stored.h"

#include <inttypes.h>
#include <stdio.h>

/* The format requires data to begin at a multiple of 64 bytes. */
#define HEADER_BYTES  128
#define OPENING_BYTES 10

void rni_npy_header_write(rni_out_file *out, const char *type, uint64_t rows, uint32_t columns)
{
    char shape[64];
    if (columns) {
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %" PRIu32 ")", rows, columns);
    } else {
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", rows);
    }
    char text[HEADER_BYTES - OPENING_BYTES];
    snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': %s, }",
             RNI_NATIVE_IS_BIG_ENDIAN ? '>' : '<', type, shape);
    const unsigned char opening[OPENING_BYTES] = {0x93, 'N', 'U', 'M',         'P',
                                                  'Y',  1,   0,   sizeof text, 0};
    rni_out_file_put(out, opening, sizeof opening);
    rni_out_file_print(out, "%-*s\n", (int)sizeof text - 1, text);
}
