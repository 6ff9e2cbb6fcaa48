/* PATH.frames: where the numbers of every frame are in an HDF5 file. Text, one line per frame:
 *     runnel-h5-frames 3 GENERATION OFFSET      the file holds GENERATION (uint64) at OFFSET
 *     begin K                                   frame K is being written
 *     frame K TIME STEP COUNT SUM SIZE CHANGED ARRAY ...   frame K is complete
 * An ARRAY is: NAME COMPONENTS TYPE UNIT OFFSET, with TYPE f (float) or u (uint32).
 * SUM is the checksum of the numbers, in the order of the arrays. SIZE and CHANGED are those of the whole file at
 * that time: if they differ now, another program has changed the file, and HDF5, which may crash on it, does
 * not open it. An HDF5 file that is rebuilt gets a new generation and new notes (PATH.frames-next) before it
 * replaces the old one: the notes that name the generation in the file are the valid ones.
 */
#ifndef RNI_OUTPUT_H5_NOTES_H
#define RNI_OUTPUT_H5_NOTES_H

#include "output/frame_files.h"

#include <stdio.h>

#define RNI_H5_UNIT_BYTES 16u

typedef struct rni_h5_note {
    double time;
    uint64_t step;
    uint32_t count;
    uint32_t array_count;
    uint64_t sum;     /* CRC-64 of the numbers */
    uint64_t size;    /* of the file when the frame was complete, in bytes; 0: not recorded */
    uint64_t changed; /* and its change time, in nanoseconds */
    struct {
        char name[RN_ATTRIBUTE_NAME_BYTES];
        char unit[RNI_H5_UNIT_BYTES];
        uint32_t components;
        rn_attribute_type type;
        uint64_t offset; /* bytes into the file; of no meaning when count is 0 */
    } array[RN_FRAME_MAX_ATTRIBUTES];
} rni_h5_note;

typedef struct rni_h5_notes {
    FILE *file;
    const char *path;     /* of the HDF5 file */
    uint64_t frame_count; /* complete ones, from 0 without a gap */
    bool is_whole;        /* no frame is unfinished, and the file is unchanged since */
} rni_h5_notes;

/* Finds the notes that belong to the file at path, puts them in place and counts. Where the file does not
 * say which, those in place are used, and is_whole is false: the checksums decide. */
rn_result rni_h5_notes_open(const char *path, rni_h5_notes *notes);
/* The next line about a complete frame; call from the first on. False at the end. */
bool rni_h5_notes_next(rni_h5_notes *notes, rni_h5_note *note);
void rni_h5_notes_close(rni_h5_notes *notes);

/* Size and change time of the file at path, as they are now. */
void rni_h5_notes_stamp(const char *path, rni_h5_note *note);

/* For writers: lines of the file. */
void rni_h5_notes_put_head(FILE *file, uint64_t generation, uint64_t offset);
void rni_h5_notes_put(FILE *file, uint64_t number, const rni_h5_note *note);
/* Adds a line to the notes at path and syncs it. */
rn_result rni_h5_notes_begin(const char *path, uint64_t number);
rn_result rni_h5_notes_end(const char *path, uint64_t number, const rni_h5_note *note);

/* The end of every message about a file that cannot be repaired. */
#define RNI_H5_REMEDY                                                                               \
    "; restore an intact copy of it and of its .frames, or continue in another folder: runnel run " \
    "CHECKPOINT.rnck --out OTHER"

#define RNI_H5_NOTES      ".frames"
#define RNI_H5_NOTES_NEXT ".frames-next"

#endif
