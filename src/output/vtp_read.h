/* The contents of our own .vtp and .pvd files. Hostile files are fine: every length is checked against the
 * size of the file, and memory use does not grow with it. */
#ifndef RNI_OUTPUT_VTP_READ_H
#define RNI_OUTPUT_VTP_READ_H

#include <runnel/base.h>

#define RNI_VTP_MAX_ARRAYS 32u

typedef struct rni_vtp_array {
    char name[32];
    char type[16]; /* "Float32", "UInt32", "Int32", "Int64" */
    uint32_t components;
    uint64_t rows;
    double low[3], high[3]; /* over the finite ones; low > high when there are none */
    uint64_t not_finite;    /* numbers */
} rni_vtp_array;

typedef struct rni_vtp_info {
    bool has_time;
    double time; /* s */
    uint64_t step;
    uint64_t points, verts;
    uint64_t polys; /* triangles: of solids.vtp, which has no particles; else 0 */
    uint64_t bytes;
    uint32_t array_count;
    rni_vtp_array array[RNI_VTP_MAX_ARRAYS];
} rni_vtp_info;

/* With ranges the whole file is read once, otherwise its header and the lengths of its arrays. */
rn_result rni_vtp_read(const char *path, bool with_ranges, rni_vtp_info *info);

/* The rows of one array as floats, components each, from malloc; *rows is NULL when the file has no
 * such array, or one of other width. */
rn_result rni_vtp_load(const char *path, const char *name, uint32_t components, rni_vtp_info *info,
                       float **rows);
/* The same of the vertices of a file of triangles. */
rn_result rni_vtp_load_vertices(const char *path, const char *name, uint32_t components,
                                rni_vtp_info *info, float **rows);

typedef struct rni_pvd_info {
    uint64_t frames;
    double first, last;     /* s */
    uint64_t missing;       /* files that are named and not there */
    char missing_name[256]; /* the first of them */
    bool is_ascending;      /* every time is later than the one before */
} rni_pvd_info;
rn_result rni_pvd_read(const char *path, rni_pvd_info *info);

#endif
