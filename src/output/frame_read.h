/* Particles back from our own .vtp and .ply, for pictures. Hostile files are fine: counts are
 * believed only as far as the bytes behind them reach. */
#ifndef RNI_OUTPUT_FRAME_READ_H
#define RNI_OUTPUT_FRAME_READ_H

#include <runnel/base.h>

typedef struct rni_frame_file {
    bool has_time;
    double time; /* s */
    uint32_t count;
    uint32_t dim;    /* 2 when every z is 0 */
    float *position; /* x, y, z each; never NULL after a read. All from malloc */
    float *velocity; /* vx, vy, vz each; NULL, here and below: not in the file */
    float *density, *pressure, *age;
} rni_frame_file;

/* On failure *out is zero and needs no release. */
rn_result rni_frame_read(const char *path, rni_frame_file *out);
void rni_frame_file_release(rni_frame_file *file); /* zero structs are fine */

/* Whether the file begins as one of ours does; for telling files from scenes. */
bool rni_frame_file_is(const void *bytes, size_t size);

#endif
