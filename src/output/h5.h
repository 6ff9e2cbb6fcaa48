/* One HDF5 file a run, a group a frame: /frame_000000/position, velocity, ... with units.
 *
 * HDF5 has no way to survive a kill while it writes. So a small text file beside, PATH.frames, notes
 * before each frame that it begins, and after it where in the file its numbers lie (they are
 * contiguous and never move). A file that was left in the middle, or that somebody else has touched, is made
 * anew from those numbers, without asking HDF5 to read what may be damaged: it may crash on that.
 */
#ifndef RNI_OUTPUT_H5_H
#define RNI_OUTPUT_H5_H

#include "output/frame_files.h"

/* A new file without frames, in place of what was there. */
rn_result rni_h5_create(const char *path);
/* Adds a frame, the number-th. On failure the file is as if it had been killed: rni_h5_rewind. */
rn_result rni_h5_append(const char *path, uint64_t number, const rn_frame *frame);
/* Makes the file hold the first frame_count frames and no others, whatever happened before. Where their
 * numbers are gone or others it fails, and leaves the file as it is. */
rn_result rni_h5_rewind(const char *path, uint64_t frame_count);
/* Removes the file and what lies beside it; fine when nothing is there. */
void rni_h5_remove(const char *path);

#endif
