/* Point clouds and neighbour lists on disk.
 *
 * Job:    PLY, XYZ, CSV and NPY -> packed positions; positions and neighbour lists -> files.
 * Input:  a path or bytes in memory; the content decides the format, the extension only where the
 *         content leaves it open. Hostile bytes are fine: a header is believed only as far as the
 *         bytes behind it reach.
 * Output: positions in the order of the file; float32 files stay float, all others become double,
 *         and so does every number that is written as text. NaN and infinity pass through: the
 *         search refuses them with their index.
 * Errors: RN_ERROR_FILE with file, line (text) or byte (binary), what is wrong and what would be
 *         right; RN_ERROR_LIMIT above 2^32 - 2 points; RN_ERROR_ARGUMENT for an unknown extension.
 * Next:   reader.h (what the formats share), ply.c, npy.c, text_points.c; out_file.h for writing.
 */
#ifndef RNI_FILES_POINT_FILE_H
#define RNI_FILES_POINT_FILE_H

#include <runnel/search.h>

#define RNI_POINT_COUNT_MAX 0xfffffffeu

typedef struct rni_point_file {
    uint32_t dim;       /* 2 or 3 */
    uint32_t count;     /* at most RNI_POINT_COUNT_MAX; 0 when a valid header says so */
    rn_scalar scalar;   /* of position */
    void *position;     /* dim scalars a point, packed; malloc'd; never NULL after a read */
    const char *format; /* "PLY ascii", "NPY" ...: static, for messages */
} rni_point_file;

/* Reads a whole file; "-" is standard input. On failure *out is zero and needs no release. */
rn_result rni_point_file_read(const char *path, rni_point_file *out);

/* The same from memory. name stands for the file in messages, its extension helps to tell text
 * formats apart; NULL is fine. */
rn_result rni_point_file_parse(const void *bytes, size_t size, const char *name, rni_point_file *out);

/* Frees the positions and zeroes the struct; zero structs and NULL are fine. */
void rni_point_file_release(rni_point_file *cloud);

/* Writers. A file appears whole or not at all: it is written beside as PATH.tmp-PID and renamed.
 * Devices, pipes and symbolic links are written in place. "-" is standard output, as CSV. */

/* .ply (binary), .xyz, .csv, .npy; text has 9 digits for float and 17 for double, so that values
 * come back. */
rn_result rni_points_write(const char *path, const rni_point_file *cloud);

/* A row i,j for each entry of each list. .csv with the header i,j; .npy: uint32, shape (entries,
 * 2). */
rn_result rni_pairs_write(const char *path, const rn_neighbors *n);

/* A row for each point. .csv: point,count,neighbors, the neighbours separated by spaces. .npy: PATH
 * holds all lists one after another (uint32), and STEM_start.npy beside it where each begins
 * (uint64, one more than points). */
rn_result rni_lists_write(const char *path, const rn_neighbors *n);

/* The same for the k nearest, nearest first. .csv has one more column, distances: one for each
 * neighbour, separated by spaces, 9 digits. */
rn_result rni_nearest_write(const char *path, const rn_nearest *nearest);

/* STEM_start.npy, the second file of lists in .npy; from malloc, NULL without memory. path has an
 * extension. */
char *rni_lists_start_path(const char *path);

#endif
