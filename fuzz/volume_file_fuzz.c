/* Arbitrary bytes as a volume: MetaImage, or NRRD if they begin with NRRD. Data files beside it do not exist. */
#include "files/volume_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rni_volume_file volume;
    rn_result result = rni_volume_file_parse(data, size, "/nowhere/volume", &volume);
    if ((result == RN_OK) != (volume.value != NULL)) abort();
    rni_volume_file_release(&volume);
    return 0;
}
