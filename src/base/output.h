/* Output structs of the public API: structs that a call fills for its caller.
 *
 * Each opens with `uint32_t struct_bytes`, set by its default function. A caller compiled against
 * an
 * older header has a shorter struct: the library writes only as many bytes as the caller's struct
 * has. Fields may therefore be appended, but never moved. */
#ifndef RNI_BASE_OUTPUT_H
#define RNI_BASE_OUTPUT_H

#include <runnel/base.h>

/* Bytes of a struct up to the end of a field: the struct size of the version that ended with this
 * field. */
#define RNI_OUTPUT_BYTES(type, field) (offsetof(type, field) + sizeof(((type *)0)->field))

/* Refuses sizes that no version has: less than first_bytes (the size of the first version), or more
 * than 64 KiB (uninitialised memory). name is the struct, as "rn_fluid_report"; its default
 * function is name_default(). output may be NULL: the caller does not want it. */
rn_result rni_output_check(const void *output, size_t first_bytes, const char *name);

/* Copies *full, of full_bytes bytes, into *output, as much as fits; output keeps its struct_bytes.
 * output may be NULL. */
void rni_output_write(void *output, const void *full, size_t full_bytes);

#endif
