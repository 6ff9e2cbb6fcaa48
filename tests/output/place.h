/* A folder of its own for each test program, and a small frame to write into it. */
#ifndef RNI_TESTS_OUTPUT_PLACE_H
#define RNI_TESTS_OUTPUT_PLACE_H

#include "fact.h"

#include "output/frame_files.h"

#include <stdio.h>

/* Makes an empty folder and goes there; the second removes it. For cmocka's group setup. */
int place_make(void **state);
int place_remove(void **state);

/* A frame of count particles: every number tells which particle and which array it is of. Valid
 * until the next call. */
rn_frame frame_make(uint32_t count, double time, uint64_t step);
/* Files do not get this attribute. */
void frame_leave_out(rn_frame *frame, const char *name);

/* The whole file, from malloc; fails the test when it is not there. */
unsigned char *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);

/* Files larger than bytes cannot be written until the limit is lifted. */
void disk_limit(long bytes);
void disk_lift(void);

#endif
