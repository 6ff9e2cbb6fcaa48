/* Particles to disk: one moment of the water, or a whole run of them.
 *
 * Job:    frames -> VTK XML (.vtp, listed by a .pvd), PLY, HDF5.
 * Input:  plain spans of the caller's arrays, not a world. Borrowed for the call.
 * Output: files that appear whole or not at all (written beside, synced, renamed), in the order the
 *         particles lie; the id tells who is who. Memory does not grow with the particles.
 * Errors: RN_ERROR_FILE with the path and what the system said; nothing that was there is lost.
 * Next:   vtp.c, ply_frame.c, h5.h; series.h (a frame in every format that a run wants);
 *         checkpoint.h (what a run goes on from); vtp_read.h (what is in our files).
 */
#ifndef RNI_OUTPUT_FRAME_H
#define RNI_OUTPUT_FRAME_H

#include <runnel/base.h>

typedef struct rni_frame {
    double time; /* s */
    uint64_t step;
    uint32_t count;
    const float *position; /* m: x, y, z */
    const float *velocity; /* m/s; NULL, here and below: left out */
    size_t stride;         /* bytes from one position (velocity) to the next; at least 12 */
    const float *density;  /* kg/m^3 */
    const float *pressure; /* Pa */
    const uint32_t *id;
    const float *birth; /* s; written as age = time - birth */
} rni_frame;

/* One array of a frame as all formats see it. */
typedef struct rni_frame_array {
    const char *name;    /* "velocity" */
    const char *unit;    /* "m/s"; "1" for plain numbers */
    uint32_t components; /* 1 or 3 */
    bool is_integer;     /* uint32 instead of float */
    bool is_age;         /* the data are births */
    double time;
    const void *data;
    size_t stride;
} rni_frame_array;

#define RNI_FRAME_MAX_ARRAYS 6u
#define RNI_FRAME_PIECE      4096u /* rows that writers take at a time */

/* The arrays that are there; the first is the position. */
uint32_t rni_frame_arrays(const rni_frame *frame, rni_frame_array list[RNI_FRAME_MAX_ARRAYS]);
/* Rows first .. first + count - 1, packed: components * 4 bytes each. */
void rni_frame_rows(const rni_frame_array *array, uint32_t first, uint32_t count, void *packed);

/* PolyData with a vertex for each particle, so that viewers show them; appended raw data. */
rn_result rni_vtp_write(const char *path, const rni_frame *frame);
/* Binary: x y z vx vy vz density pressure id age. */
rn_result rni_ply_frame_write(const char *path, const rni_frame *frame);

#endif
