#include <runnel/base.h>

#include <string.h>

void rn_permute(const uint32_t *order, uint32_t count, const void *source, void *destination,
                size_t element_bytes)
{
    const char *from = source;
    char *to = destination;
    for (uint32_t k = 0; k < count; k++) {
        memcpy(to + k * element_bytes, from + order[k] * element_bytes, element_bytes);
    }
}
