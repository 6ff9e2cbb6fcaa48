/* One HDF5 file per run, one group per frame: /frame_000000/position, velocity, ... with units; at the end
 * tables, such as /gauges.
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
/* Columns of numbers as datasets of a group of their own, which is replaced; NaN where there is no
 * number. To be called after the last frame: rni_h5_rewind() builds the file anew without the group when
 * further frames are to follow. */
typedef struct rni_h5_table {
    const char *group;
    uint32_t column_count;
    uint64_t row_count;
    const char *const *name; /* of the columns; / becomes _ */
    const char *const *unit;
    const double *const *column;
} rni_h5_table;
rn_result rni_h5_put_table(const char *path, const rni_h5_table *table);
/* Removes the file and its notes; missing files are fine. */
void rni_h5_remove(const char *path);

#endif
