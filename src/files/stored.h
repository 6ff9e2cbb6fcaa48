/* Numbers as stored in binary files: eight integer and two floating-point types, in either byte
 * order. */
#ifndef RNI_FILES_STORED_H
#define RNI_FILES_STORED_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rni_stored {
    RNI_STORED_I8,
    RNI_STORED_U8,
    RNI_STORED_I16,
    RNI_STORED_U16,
    RNI_STORED_I32,
    RNI_STORED_U32,
    RNI_STORED_I64,
    RNI_STORED_U64,
    RNI_STORED_F32,
    RNI_STORED_F64
} rni_stored;

/* 1, 2, 4 or 8. */
size_t rni_stored_bytes(rni_stored type);

/* The number at bytes, any alignment. Exact, except for 64-bit integers beyond 2^53, which are
 * rounded. */
double rni_stored_load(const unsigned char *bytes, rni_stored type, bool is_big_endian);

/* Byte order of this machine: files in this order need no swaps. */
#define RNI_NATIVE_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

#endif
