/* Frames back from our own .vtp and .ply, and the last one of our own .h5: for pictures, and as the start of
 * another run; of other programs, the points of .ply, .xyz, .csv and .npy. Hostile files are fine: a count in a header is
 * trusted only as far as the file has bytes for it. */
#ifndef RNI_OUTPUT_FRAME_READ_H
#define RNI_OUTPUT_FRAME_READ_H

#include <runnel/frame.h>

/* The frame points into the struct: do not copy or move it. Zero is empty. */
typedef struct rni_frame_file {
    rn_frame frame; /* floats only; dim 2 when every z is 0; time not finite when the file has none */
    float *rows[RN_FRAME_MAX_ATTRIBUTES]; /* by attribute, from malloc */
    char name[RN_FRAME_MAX_ATTRIBUTES][RN_ATTRIBUTE_NAME_BYTES];
} rni_frame_file;

/* On failure *out is zero and needs no release. */
rn_result rni_frame_read(const char *path, rni_frame_file *out);
void rni_frame_file_release(rni_frame_file *file); /* zero structs are fine */

/* Whether the file begins as one of ours does; to tell files from scenes. */
bool rni_frame_file_is(const void *bytes, size_t size);

#endif
