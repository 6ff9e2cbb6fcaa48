#include "files/stored.h"

#include <stdint.h>
#include <string.h>

size_t rni_stored_bytes(rni_stored type)
{
    switch (type) {
    case RNI_STORED_I8:
    case RNI_STORED_U8: return 1;
    case RNI_STORED_I16:
    case RNI_STORED_U16: return 2;
    case RNI_STORED_I32:
    case RNI_STORED_U32:
    case RNI_STORED_F32: return 4;
    case RNI_STORED_I64:
    case RNI_STORED_U64:
    case RNI_STORED_F64: break;
    }
    return 8;
}

static uint64_t load_bits(const unsigned char *bytes, size_t size, bool is_big_endian)
{
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) bits = bits << 8 | bytes[is_big_endian ? k : size - 1 - k];
    return bits;
}

double rni_stored_load(const unsigned char *bytes, rni_stored type, bool is_big_endian)
{
    uint64_t bits = load_bits(bytes, rni_stored_bytes(type), is_big_endian);
    switch (type) {
    case RNI_STORED_I8: return (double)(int8_t)(uint8_t)bits;
    case RNI_STORED_I16: return (double)(int16_t)(uint16_t)bits;
    case RNI_STORED_I32: return (double)(int32_t)(uint32_t)bits;
    case RNI_STORED_I64: return (double)(int64_t)bits;
    case RNI_STORED_U8:
    case RNI_STORED_U16:
    case RNI_STORED_U32:
    case RNI_STORED_U64: break;
    case RNI_STORED_F32: {
        uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return (double)value;
    }
    case RNI_STORED_F64: {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    }
    return (double)bits;
}
