/* The frames of a run in one folder, in every requested format.
 *
 * Files:  particles_000000.vtp ... and particles.pvd, which lists them with their times, each beside
 *         solids.vtp, the solids of all frames;
 *         particles_000000.ply ...; particles.h5.
 * Order:  the files of a frame first, then the list; a frame is valid when rni_series_add()
 *         has returned. After a kill rni_series_resume() restores the valid frames.
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
    bool has_solids;  /* solids.vtp is there */
    uint64_t frame_count;
    uint64_t missing_count; /* frames of a resumed series whose .vtp is missing or damaged */
} rni_series;

/* The solids of the series, beside every frame from now on: the meshes of a frame. Does nothing without
 * .vtp or without meshes. */
rn_result rni_series_put_solids(rni_series *series, const rn_frame *frame);
/* A new series; replaces an existing one. */
rn_result rni_series_begin(rni_series *series, const char *folder, uint64_t formats);
/* Keeps the first frame_count frames and removes later ones. A .vtp that is missing or
 * damaged is left out of the list and counted; rn_last_error() then describes the last one. An HDF5 file
 * without its frames is a failure. */
rn_result rni_series_resume(rni_series *series, const char *folder, uint64_t formats,
                            uint64_t frame_count);
/* Whether the files of a frame are there, as far as each is a file of its own; a .vtp also of that step. */
bool rni_series_has(const char *folder, uint64_t formats, uint64_t frame, uint64_t step);
/* Adds a frame. On failure the series is as it was, except that a frame may have to be resumed. */
rn_result rni_series_add(rni_series *series, const rn_frame *frame);

/* A table of the whole run, in HDF5 only; after the last frame. */
struct rni_h5_table;
rn_result rni_series_put_table(const rni_series *series, const struct rni_h5_table *table);

/* Whether a run gives this name to a file in its folder (pictures excepted). */
bool rni_series_is_of_run(const char *name);

/* Removes the files of a series in folder from the given frame on, and unfinished files of a killed
 * run. Other files are not touched. */
void rni_series_remove(const char *folder, uint64_t from_frame);

#endif
