/* One HDF5 file per run, one group per frame: /frame_000000/position, velocity, ... with units.
 *
 * An HDF5 file does not survive a kill while it is written. So a small text file beside it, PATH.frames,
 * records that a frame is begun, and afterwards where in the file its numbers are (they are contiguous and
 * never move). A file with an unfinished frame, or one that another program changed, is rebuilt
 * from those numbers; HDF5 never reads a file that may be damaged, because it may crash.
 */
#ifndef RNI_OUTPUT_H5_H
#define RNI_OUTPUT_H5_H

#include "output/frame_files.h"

/* A new file without frames; replaces an existing one. */
rn_result rni_h5_create(const char *path);
/* Adds a frame, the number-th. On failure the file is as after a kill: call rni_h5_rewind. */
rn_result rni_h5_append(const char *path, uint64_t number, const rn_frame *frame);
/* Makes the file hold the first frame_count frames and no others, whatever happened before. Fails when
 * their numbers are missing or differ, and leaves the file unchanged. */
rn_result rni_h5_rewind(const char *path, uint64_t frame_count);
/* Removes the file and its notes; missing files are fine. */
void rni_h5_remove(const char *path);

#endif
