/* Arbitrary bytes as a file of boxes, under every file name that selects a different reader. */
#include "files/box_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const NAMES[] = {"boxes", "boxes.csv", "mesh.obj", "mesh.stl", "mesh.ply"};
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        rni_box_file boxes;
        rn_result result = rni_box_file_parse(data, size, NAMES[k], &boxes);
        bool is_whole = boxes.low && boxes.high && (boxes.dim == 2 || boxes.dim == 3);
        if (result == RN_OK ? !is_whole : boxes.low != NULL) abort();
        for (size_t n = 0; n < (size_t)boxes.count * boxes.dim; n++)
            if (!(boxes.low[n] <= boxes.high[n])) abort();
        rni_box_file_release(&boxes);
    }
    return 0;
}
