/* Arbitrary bytes as a checkpoint; also with corrected checksums, to reach the code after the
 * checks. */
#include "output/checkpoint.h"
#include "output/crc64.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t load(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < 8; k++) value |= (uint64_t)at[k] << (8 * k);
    return value;
}

static void store(uint8_t *at, uint64_t value)
{
    for (unsigned k = 0; k < 8; k++) at[k] = (uint8_t)(value >> (8 * k));
}

static void try_bytes(const uint8_t *data, size_t size)
{
    rni_checkpoint checkpoint;
    rn_result result = rni_checkpoint_parse(data, size, "fuzz", &checkpoint);
    bool is_whole = checkpoint.scene && checkpoint.held &&
                    checkpoint.scene_bytes + checkpoint.fluid_bytes < size &&
                    strlen(checkpoint.scene) == checkpoint.scene_bytes;
    if (result == RN_OK ? !is_whole : checkpoint.held != NULL) abort();
    rni_checkpoint_release(&checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    if (size < RNI_CHECKPOINT_HEADER_BYTES + 8) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data, size);
    store(copy + 16, size);
    for (unsigned s = 0; s < 3; s++) {
        uint8_t *entry = copy + 32 + 32 * s;
        uint64_t offset = load(entry + 8), bytes = load(entry + 16);
        if (offset <= size && bytes <= size - offset)
            store(entry + 24, rni_crc64(0, copy + offset, (size_t)bytes));
    }
    store(copy + 128, rni_crc64(0, copy, 128));
    store(copy + size - 8, rni_crc64(0, copy, size - 8));
    try_bytes(copy, size);
    free(copy);
    return 0;
}
