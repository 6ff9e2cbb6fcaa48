/* Volumes of numbers, such as CT, on disk.
 *
 * Job:    MetaImage (.mha, .mhd with its data beside it) and NRRD (.nrrd, .nhdr) -> floats and their place in the world.
 *         Data raw or packed by gzip (if zlib was there when Runnel was built).
 * Input:  malicious input is safe: counts are checked against the bytes that follow before memory is reserved.
 * Rules:  places in files are millimetres to the patient's left, back and head (LPS; RAS is turned), in Runnel metres
 *         to the left, up to the head, and to the front.
 * Errors: RN_ERROR_FILE with file, line, what is wrong, what would be right.
 * Next:   volume_file.c (data), volume_meta.c, volume_nrrd.c (headers). */
#ifndef RNI_FILES_VOLUME_FILE_H
#define RNI_FILES_VOLUME_FILE_H

#include "files/reader.h"
#include "files/stored.h"

#include <runnel/xray.h>

#define RNI_VOLUME_SIDE_MAX 65536u

/* Zero is empty. */
typedef struct rni_volume_file {
    uint32_t count[3];
    float *value;     /* x fastest; from malloc */
    float origin[3];  /* m: middle of the first voxel */
    float axis[3][3]; /* m: from a voxel to the next along each axis */
} rni_volume_file;

rn_result rni_volume_file_read(const char *path, rni_volume_file *volume);
/* name: of the file, for messages, its extension and the folder of a data file. On failure *volume is empty. */
rn_result rni_volume_file_parse(const void *bytes, size_t size, const char *name,
                                rni_volume_file *volume);
void rni_volume_file_release(rni_volume_file *volume); /* zero is fine */

/* A corner of the outer voxels, by three bits. */
void rni_volume_file_corner(const rni_volume_file *volume, uint32_t corner, float at[3]);
/* Lends the values; the ramp is the caller's. */
void rni_volume_file_give(const rni_volume_file *volume, rn_xray_volume *to);

/* --- for the readers of headers -------------------------------------------------------------------------- */

typedef struct rni_volume_header {
    const rni_reader *input;
    uint32_t count[3];
    bool has_count, has_type;
    rni_stored type;
    bool is_big_endian, is_packed;
    double origin[3], axis[3][3]; /* mm, in the file's own axes */
    bool is_ras;                  /* x to the right, y to the front */
    rni_text data_file;           /* empty: the data follows in this file */
    size_t data_at;               /* byte where it begins */
    bool ends_at_end; /* the data are the last bytes of the file, whatever comes before */
} rni_volume_header;

rn_result rni_volume_meta_read(rni_volume_header *header);
rn_result rni_volume_nrrd_read(rni_volume_header *header);
/* A failure at a line. */
rn_result rni_volume_fail(const rni_volume_header *header, uint64_t line, const char *wrong);
/* count finite numbers and nothing else; letters of `apart` separate them as blanks do. */
bool rni_volume_numbers(const rni_volume_header *header, rni_text text, const char *apart,
                        double *to, uint32_t count);
/* Three sides. */
bool rni_volume_counts(const rni_volume_header *header, rni_text text, uint32_t count[3]);

#endif
