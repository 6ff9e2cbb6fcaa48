#include "base/output.h"

#include "base/error.h"

#include <string.h>

#define MOST_BYTES 65536u

static uint32_t bytes_of(const void *output)
{
    uint32_t bytes;
    memcpy(&bytes, output, sizeof bytes);
    return bytes;
}

rn_result rni_output_check(const void *output, size_t first_bytes, const char *name)
{
    if (!output) return RN_OK;
    uint32_t bytes = bytes_of(output);
    if (bytes >= first_bytes && bytes <= MOST_BYTES) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "the %s has struct_bytes %u; start from %s_default()", name,
                    bytes, name);
}

void rni_output_write(void *output, const void *full, size_t full_bytes)
{
    if (!output) return;
    size_t bytes = bytes_of(output);
    const size_t head = sizeof(uint32_t);
    if (bytes > full_bytes) bytes = full_bytes;
    if (bytes > head) memcpy((char *)output + head, (const char *)full + head, bytes - head);
}
