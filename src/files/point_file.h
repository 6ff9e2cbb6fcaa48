/* Point clouds and neighbour lists on disk.
 *
 * Job:    PLY, XYZ, CSV and NPY -> packed positions; positions and neighbour lists -> files.
 * Input:  a path or bytes in memory; the content decides the format, the extension only where the
 *         content is ambiguous. Malicious input is safe: counts in a header are checked against the
 *         bytes that follow.
 * Output: positions in file order. float32 files stay float; all other types become double, and so
 *         does every number in text. NaN and infinity pass through: the search refuses them with
 *         their index.
 * Errors: RN_ERROR_FILE with file, line (text) or byte (binary), what is wrong and what would be
 *         right; RN_ERROR_LIMIT above 2^32 - 2 points; RN_ERROR_ARGUMENT for an unknown extension.
 * Next:   reader.h (shared by the formats), ply.c, npy.c, text_points.c; out_file.h for writing. */
#ifndef RNI_FILES_POINT_FILE_H
#define RNI_FILES_POINT_FILE_H

#include <runnel/search.h>

#define RNI_POINT_COUNT_MAX 0xfffffffeu

typedef struct rni_point_file {
    uint32_t dim;       /* 2 or 3 */
    uint32_t count;     /* at most RNI_POINT_COUNT_MAX; 0 when a valid header says so */
    rn_scalar scalar;   /* of position */
    void *position;     /* dim scalars per point, packed; malloc'd; never NULL after a read */
    const char *format; /* "PLY ascii", "NPY" ...: static, for messages */
} rni_point_file;

/* Reads a whole file; "-" is standard input. On failure *out is zero and needs no release. */
rn_result rni_point_file_read(const char *path, rni_point_file *out);

/* The same from memory. name is the file name in messages, and its extension helps to distinguish
 * text formats; NULL is allowed. */
rn_result rni_point_file_parse(const void *bytes, size_t size, const char *name, rni_point_file *out);

/* Frees the positions and zeroes the struct; zero structs and NULL are allowed. */
void rni_point_file_release(rni_point_file *cloud);

/* Writers. A file appears complete or not at all: it is written as PATH.tmp-PID and then renamed.
 * Devices, pipes and symbolic links are written in place. "-" writes CSV to standard output. */

/* .ply (binary), .xyz, .csv, .npy; text has 9 digits for float and 17 for double, so that values
 * are restored exactly. */
rn_result rni_points_write(const char *path, const rni_point_file *cloud);

/* A row i,j for each entry of each list. .csv with the header i,j; .npy: uint32, shape (entries,
 * 2). */
rn_result rni_pairs_write(const char *path, const rn_neighbors *n);

/* One row per point. .csv: point,count,neighbors, the neighbours separated by spaces. .npy: PATH
 * holds all lists one after another (uint32), and STEM_start.npy in the same folder holds the start
 * of each list (uint64, one entry more than points). */
rn_result rni_lists_write(const char *path, const rn_neighbors *n);

/* The same for the k nearest, nearest first. .csv has one more column, distances: one per
 * neighbour, separated by spaces, 9 digits. */
rn_result rni_nearest_write(const char *path, const rn_nearest *nearest);

/* STEM_start.npy, the second file of lists in .npy; malloc'd, NULL if out of memory. path has an
 * extension. */
char *rni_lists_start_path(const char *path);

#endif
