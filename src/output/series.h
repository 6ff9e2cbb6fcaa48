/* The frames of a run in one folder, in every format that is wanted.
 *
 * Files:  particles_000000.vtp ... and particles.pvd, which lists them with their times;
 *         particles_000000.ply ...; particles.h5.
 * Order:  the files of a frame first, then what lists them; a frame counts when rni_series_add()
 *         has returned. After a kill rni_series_resume() puts back the frames that count.
 */
#ifndef RNI_OUTPUT_SERIES_H
#define RNI_OUTPUT_SERIES_H

#include "output/checkpoint.h"
#include "output/frame_files.h"

typedef enum rni_format {
    RNI_FORMAT_VTP = 0,
    RNI_FORMAT_PLY = 1,
    RNI_FORMAT_H5 = 2,
    RNI_FORMAT_COUNT = 3
} rni_format;
const char *rni_format_name(uint32_t format); /* "vtp", "ply", "h5"; NULL past the last */

typedef struct rni_series {
    char folder[RNI_PATH_BYTES - 64];
    uint64_t formats; /* bits: 1 << rni_format */
    uint64_t frame_count;
    uint64_t missing_count; /* frames that a resumed series has no whole .vtp of any more */
} rni_series;

/* A new series, in place of one that was there. */
rn_result rni_series_begin(rni_series *series, const char *folder, uint64_t formats);
/* The first frame_count frames stay, later ones are removed. A .vtp that somebody has removed or
 * damaged is left out of the list and counted; rn_last_error() then tells of the last. An HDF5 file
 * without its frames is a failure. */
rn_result rni_series_resume(rni_series *series, const char *folder, uint64_t formats,
                            uint64_t frame_count);
/* Whether the files of a frame are there, as far as each is a file of its own; a .vtp also of that step. */
bool rni_series_has(const char *folder, uint64_t formats, uint64_t frame, uint64_t step);
/* Adds a frame. On failure the series is as it was, except that a frame may have to be resumed. */
rn_result rni_series_add(rni_series *series, const rn_frame *frame);

/* Whether a name is one that a run gives to what it leaves in its folder, its picture aside. */
bool rni_series_is_of_run(const char *name);

/* Removes what a series has left in folder from the given frame on, and files that were being
 * written when a run was killed. Nothing else is touched. */
void rni_series_remove(const char *folder, uint64_t from_frame);

#endif
