/* The header of an NPY file; the numbers follow as they are in memory. */
#ifndef RNI_FILES_NPY_WRITE_H
#define RNI_FILES_NPY_WRITE_H

#include "files/out_file.h"

/* type is "f4", "f8", "u4" or "u8"; columns 0 makes a one-dimensional array. */
void rni_npy_header_write(rni_out_file *out, const char *type, uint64_t rows, uint32_t columns);

#endif
