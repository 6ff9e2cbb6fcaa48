/* Boxes on disk: CSV rows, or the bounding boxes of the triangles of a mesh.
 *
 * Job:    CSV, OBJ, STL (text or binary), PLY and binary glTF -> low and high corners.
 * Input:  a path or bytes in memory; malicious input is safe.
 * CSV:    four numbers per row (2D: low x, low y, high x, high y) or six (3D), or columns named
 *         min_x, max_x, .. (also low_x, xmin, x0, ..); with names also vx, vy, vz, category, mask.
 *         Separated by commas, semicolons, tabs or blanks.
 * Output: floats, each rounded to nearest from the value in the file. Non-finite and inverted boxes
 *         are refused with their line.
 * Errors: RN_ERROR_FILE with file, line (text) or byte (binary), what is wrong, what would be
 *         right.
 * Next:   box_file.c (CSV), triangle_boxes.c (meshes, by mesh_file.h), reader.h. */
#ifndef RNI_FILES_BOX_FILE_H
#define RNI_FILES_BOX_FILE_H

#include "files/reader.h"

#include <runnel/broadphase.h>

typedef struct rni_box_file {
    uint32_t dim; /* 2 or 3 */
    uint32_t count;
    float *low, *high;         /* dim each, packed; malloc'd; never NULL after a read */
    float *velocity;           /* dim each; NULL: none in the file */
    uint32_t *category, *mask; /* NULL: none in the file */
    uint32_t capacity;         /* capacity of the arrays in boxes */
    const char *format;        /* "CSV", "STL binary" ...: static, for messages */
    const char *what;          /* "boxes" or "triangles" */
} rni_box_file;

/* "-" is standard input. On failure *out is zero and needs no release. */
rn_result rni_box_file_read(const char *path, rni_box_file *out);
rn_result rni_box_file_parse(const void *bytes, size_t size, const char *name, rni_box_file *out);
void rni_box_file_release(rni_box_file *boxes); /* zero structs and NULL are fine */

/* Pairs as rows a,b: .csv with that header; .npy: uint32, shape (pairs, 2). "-" writes CSV to
 * standard output. */
rn_result rni_box_pairs_write(const char *path, const rn_pair *pair, uint64_t count);

/* One function per format. The caller passes a zeroed out and releases it on failure. */
rn_result rni_box_csv_parse(const rni_reader *reader, rni_box_file *out);
rn_result rni_box_mesh_parse(const rni_reader *reader, rni_box_file *out);

/* Appends one box; *low and *high point to its corners (dim floats each). */
rn_result rni_box_append(const rni_reader *reader, rni_box_file *out, float **low, float **high);

#endif
