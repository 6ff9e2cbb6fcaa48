/* Arbitrary bytes as a point file, under every file name that selects a different reader. */
#include "files/point_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const NAMES[] = {"points", "points.csv", "points.ply", "points.npy"};
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        rni_point_file cloud;
        rn_result result = rni_point_file_parse(data, size, NAMES[k], &cloud);
        bool is_whole = cloud.position && (cloud.dim == 2 || cloud.dim == 3) && cloud.count <= size;
        if (result == RN_OK ? !is_whole : cloud.position != NULL) abort();
        rni_point_file_release(&cloud);
    }
    return 0;
}
