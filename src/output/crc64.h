/* CRC-64/XZ: polynomial 0x42f0e1eba9ea3693, reflected, all ones before and after. The CRC of the nine
 * letters "123456789" is 0x995dc9bbdf1939fa. */
#ifndef RNI_OUTPUT_CRC64_H
#define RNI_OUTPUT_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* crc is 0 to begin with, then what the last call returned. */
uint64_t rni_crc64(uint64_t crc, const void *bytes, size_t size);

#endif
