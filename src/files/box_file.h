/* Boxes on disk: CSV rows, or the triangles of a mesh, each in its own box.
 *
 * Job:    CSV, OBJ, STL (text or binary) and PLY -> low and high corners.
 * Input:  a path or bytes in memory; hostile bytes are fine.
 * CSV:    four numbers a row (2D: low x, low y, high x, high y) or six (3D), or columns named
 *         min_x, max_x, .. (also low_x, xmin, x0, ..); with names also vx, vy, vz, category, mask.
 *         Commas, semicolons, tabs or blanks between them.
 * Output: floats, each the one nearest to what is written. Non-finite and inverted boxes are refused
 *         with their line.
 * Errors: RN_ERROR_FILE with file, line (text) or byte (binary), what is wrong, what would be right.
 * Next:   box_file.c (CSV), triangle_boxes.c (meshes), reader.h. */
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
    uint32_t capacity;         /* boxes there is room for */
    const char *format;        /* "CSV", "STL binary" ...: static, for messages */
    const char *what;          /* "boxes" or "triangles" */
} rni_box_file;

/* "-" is standard input. On failure *out is zero and needs no release. */
rn_result rni_box_file_read(const char *path, rni_box_file *out);
rn_result rni_box_file_parse(const void *bytes, size_t size, const char *name, rni_box_file *out);
void rni_box_file_release(rni_box_file *boxes); /* zero structs and NULL are fine */

/* Pairs as rows a,b: .csv with that header; .npy: uint32, shape (pairs, 2). "-" is CSV to standard
 * output. */
rn_result rni_box_pairs_write(const char *path, const rn_pair *pair, uint64_t count);

/* One function a format; out is zero before, and released by the caller on failure. */
rn_result rni_box_csv_parse(const rni_reader *reader, rni_box_file *out);
rn_result rni_obj_parse(const rni_reader *reader, rni_box_file *out);
rn_result rni_stl_parse(const rni_reader *reader, rni_box_file *out);
rn_result rni_ply_triangles_parse(const rni_reader *reader, rni_box_file *out);
/* Is this a binary STL file, by its length? */
bool rni_stl_is_binary(const unsigned char *bytes, size_t size);

/* Room for one more box, at *low and *high (dim floats). */
rn_result rni_box_append(const rni_reader *reader, rni_box_file *out, float **low, float **high);

#endif
