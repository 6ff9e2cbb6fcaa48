/* Internals of the method "grid", shared by grid.c (the method), grid_shape.c, grid_sort.c and
 * grid_sparse.c (structure) and the kernels (the hot loops, compiled once per instruction set).
 *
 * Points are sorted by cell, x fastest, so the 27 cells around a point are 9 ranges of memory
 * ("rows of cells"). A full table of cells stores where each cell begins. Where the points are
 * too spread out for a table, only the rows that hold points are kept, in order. Both structures
 * provide the same clusters and ranges to the same kernels. */
#ifndef RNI_SEARCH_GRID_H
#define RNI_SEARCH_GRID_H

#include "search/method.h"

/* Points of one set in cell order, equal cells in ascending index order. Arrays are
 * RNI_ROWS_SPILL longer than the set. */
typedef struct grid_points {
    const float *x, *y, *z;
    const uint32_t *id; /* the caller's index */
    /* by the caller's index; NULL where all points have the radius of the space */
    const float *radii_sq;
} grid_points;

typedef struct grid_range {
    uint32_t begin, end; /* into grid_points */
} grid_range;

/* 9 rows of cells, each in two pieces where a periodic axis wraps. One row may take two more
 * pieces to put the cluster itself first. */
#define GRID_MAX_RANGES 20u

/* The map from positions to cells: trunc((position - low) * scale). Cells are wider than the
 * radius by enough that no rounding can place two neighbours two cells apart. Where few points
 * would share a cell, cells are wider still. */
typedef struct grid_shape {
    float low[3], scale[3];
    uint32_t n[3]; /* cells per axis */
    bool periodic[3];
    bool is_sparse;
    /* outliers outside of the core (the box of the other points) are in its boundary cells */
    bool is_clipped;
    float core_low[3], core_high[3];
} grid_shape;

/* The map from positions to cells of a full table (grid_cells.h). Passed by value in the loops,
 * so that it stays in registers. */
typedef struct cell_map {
    float low[3], scale[3];
    float pad, top[3]; /* top: the last cell of an axis, including the pad */
    uint32_t stride_y, stride_z;
} cell_map;

/* Floats stored for a batch of cluster points in the quick test: four values per vector lane. */
#define GRID_SEEN_FLOATS 64u

/* The candidates of one cluster, as the gather leaves them: padded with distant points to a full
 * vector. */
typedef struct grid_scratch {
    float *x, *y, *z;
    uint32_t *id;
    void *seen; /* quick test: points relative to the middle of the cluster */
    /* quick test: for each vector of candidates and each point of a batch, the mask of near
     * candidates */
    uint16_t *near;
    uint32_t capacity; /* excluding the padding */
} grid_scratch;

/* The middle of a cluster. The rounding error of a squared distance in the quick test is below
 * the margin. A margin of 0 means that the quick test must not be used. */
typedef struct grid_middle {
    float x, y, z, margin;
} grid_middle;

/* Computes the middle of a box, and the margin of quick tests relative to it. Positions relative
 * to the middle are no longer than the radius plus half the diagonal; their squares are at most
 * b = 2 (radius^2 + diagonal^2 / 4). Let e = 2^-24 be the relative error of a rounding. The
 * positions contribute 8 b e to a squared distance, the squares 8, the products 9, the limit 4,
 * the difference to it 3, the shared distance 5: together less than 64 b e. Where squares would
 * leave the range of floats there is no margin. */
static inline grid_middle rni_grid_middle_of(const float low[3], const float high[3], float radius_sq)
{
    const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    const float b = 2.0f * (radius_sq + 0.25f * (x * x + y * y + z * z)), most = 1e30f;
    const bool is_usable = radius_sq > 1e-30f && b < 1e30f && low[0] > -most && high[0] < most &&
                           low[1] > -most && high[1] < most && low[2] > -most && high[2] < most;
    return (grid_middle){0.5f * low[0] + 0.5f * high[0], 0.5f * low[1] + 0.5f * high[1],
                         0.5f * low[2] + 0.5f * high[2], is_usable ? b * 0x1p-18f : 0.0f};
}

/* Points of one cell that are consecutive in the caller's memory, starting at number `begin`. */
typedef struct grid_run {
    uint32_t cell, begin, count;
} grid_run;

/* A row of cells that holds points (sparse only). */
typedef struct grid_row {
    uint32_t y, z;
    uint32_t begin, end; /* its points */
} grid_row;

/* The rows of cells around the row that is traversed (sparse, not periodic). They are looked up
 * once; each remembers how far the traversal has advanced. */
typedef struct grid_walk {
    const grid_row *row; /* the traversed row; NULL before the first */
    /* per layer z - 1, z, z + 1: the first row from y - 1 on; only increases */
    uint32_t reached[3];
    uint32_t count;
    struct {
        uint32_t begin, end, row_end; /* points begin .. end - 1 are around the last cluster */
    } around[9];
} grid_walk;

/* Request to a kernel: which candidates are near points begin .. end - 1? */
typedef struct grid_question {
    const grid_points *points;
    uint32_t begin, end;
    const grid_scratch *scratch;
    uint32_t candidate_count;
    const rni_space *space;
    bool is_folded;     /* a candidate may be nearer through another periodic image */
    grid_middle middle; /* margin 0: no quick test */
    rni_want want;
    rni_leave_out leave_out;
    /* The candidate that is point begin; the following points are the following candidates.
     * UINT32_MAX: not known. */
    uint32_t own_at;
} grid_question;

typedef struct grid_kernel {
    /* Copies the points of the ranges that may be near a box into scratch; returns their number. */
    uint32_t (*gather)(const grid_points *points, const grid_range *ranges, uint32_t range_count,
                       const float low[3], const float high[3], float reach_sq,
                       grid_scratch *scratch);
    /* As gather, with the box of points begin .. end - 1 of own; returns the middle of the box. */
    uint32_t (*gather_cluster)(const grid_points *own, uint32_t begin, uint32_t end,
                               const grid_points *points, const grid_range *ranges,
                               uint32_t range_count, float radius_sq, grid_scratch *scratch,
                               grid_middle *middle);
    /* As gather, without a box. */
    uint32_t (*gather_all)(const grid_points *points, const grid_range *ranges,
                           uint32_t range_count, grid_scratch *scratch);
    /* Writes counts, and the wanted arrays at index and distance_sq (which have RNI_ROWS_SPILL
     * spare entries); returns the number of entries written. Adds the number of points that the
     * quick test left undecided, and that were tested exactly, to *doubtful. */
    uint64_t (*emit)(const grid_question *question, uint32_t *counts, uint32_t *index,
                     float *distance_sq, uint32_t *doubtful);
    void (*bounds)(const grid_points *points, uint32_t begin, uint32_t end, float low[3],
                   float high[3]);
    /* The first of ascending numbers, starting at `at`, that is not below the limit, or the end.
     * Reads up to RNI_ROWS_SPILL past the end. */
    uint32_t (*pass)(const uint32_t *ascending, uint32_t at, uint32_t end, uint32_t limit);
    /* Advances along all rows to the points in columns first .. past - 1. */
    void (*walk)(grid_walk *walk, const uint32_t *column, uint32_t first, uint32_t past);
    /* Computes the cells of points that are stride_bytes apart. */
    void (*cells)(const cell_map *map, const unsigned char *position, size_t stride_bytes,
                  uint32_t count, uint32_t dim, bool is_clipped, uint32_t *out);
    /* Copies the positions of the points id[begin .. end - 1], in that order; ids are below
     * count. */
    void (*take)(const unsigned char *position, size_t stride_bytes, uint32_t count, uint32_t dim,
                 const uint32_t *id, uint32_t begin, uint32_t end, float *x, float *y, float *z);
    /* Finds where the cell changes: the entries of cell[0 .. count - 1] (of points `first` and
     * on) that differ from the previous entry (including cell[-1]), and their points. Returns
     * their number; may write RNI_ROWS_SPILL more. */
    uint32_t (*cut)(const uint32_t *cell, uint32_t count, uint32_t first, uint32_t *run_cell,
                    uint32_t *run_begin);
    /* Writes the numbers of the points of each run to id[place[its cell]] and on, and advances
     * the place. */
    void (*number)(const grid_run *runs, uint32_t run_count, uint32_t *place, uint32_t *id);
} grid_kernel;

extern const grid_kernel rni_grid_kernel_plain;
#ifdef RNI_X86
extern const grid_kernel rni_grid_kernel_avx2;
extern const grid_kernel rni_grid_kernel_avx512;
#endif

/* The map from one axis to columns for widely spread points (sparse only). Columns are cells,
 * counted from the first one that holds a point. Where even that range is too large, only the
 * cells that hold points are kept, and the gaps between them are shortened. */
typedef struct grid_axis {
    double low, scale;
    int64_t first, last; /* cells that hold points */
    bool is_periodic, is_ranked;
    /* cells before the first count as the first, and cells past the last as the last */
    bool is_clipped;
    rni_buffer cells;   /* ranked: int64_t, ascending */
    rni_buffer columns; /* ranked: uint32_t, the column of each */
    uint32_t cell_count;
} grid_axis;

typedef struct grid_set {
    uint32_t count;
    rni_buffer soa; /* x, y, z, id: 4 arrays of count + RNI_ROWS_SPILL */
    grid_points points;
    float *x, *y, *z; /* the same arrays, to write */
    uint32_t *id;

    /* traversed along rows that hold points: sparse sets, and always query points */
    bool is_in_rows;
    /* subtracted from columns and rows: query points may be before the first cell */
    uint32_t pad;
    rni_buffer start; /* full: uint32_t, first point of each cell, one more at the end */

    rni_buffer column; /* sparse: uint32_t, cell along x of each point */
    rni_buffer rows;   /* sparse: grid_row, in order of points */
    rni_buffer row_of; /* sparse: uint32_t, row of each point */
    uint32_t row_count;
} grid_set;

typedef struct grid_worker {
    _Alignas(RNI_ALIGNMENT) rni_buffer buffer[2];
    grid_scratch scratch[2]; /* used alternately */
    grid_walk walk;
    uint32_t exact_clusters; /* clusters to test exactly before the quick test is tried again */
} grid_worker;

typedef struct grid {
    rni_search_env *env;
    const grid_kernel *kernel;
    grid_shape shape;
    grid_axis axes[3];
    grid_set sets[RN_SEARCH_MAX_SETS + 1];
    rni_buffer records, keys; /* scratch for sorting */
    grid_worker workers[RNI_MAX_WORKERS];
} grid;

/* grid_shape.c: chooses g->shape for the union of all sets. */
rn_result rni_grid_choose_shape(grid *g, const rni_cloud *sets, uint32_t set_count);

/* Sizes the arrays of a set for count points. */
rn_result rni_grid_set_need(grid *g, grid_set *set, uint32_t count);

/* grid_sort.c: fills a set by its cells in the full table. */
rn_result rni_grid_sort(grid *g, grid_set *set, const rni_cloud *cloud);
/* NULL, or a description of the error (base/validate.h). Checks that each point occurs once, in
 * the cell of its position, and equal cells are in ascending index order. For a set of a full
 * table. */
const char *rni_validate_grid_set(const grid *g, const grid_set *set);

/* The same for a set in rows of cells (sparse, or query points). Checks that each point occurs once,
 * that rows ascend and follow each other, and that columns ascend within a row. */
const char *rni_validate_grid_rows(const grid_set *set);

/* grid_sparse.c: chooses cells for widely spread points, fills a set, finds ranges. */
rn_result rni_grid_sparse_sort(grid *g, const rni_cloud *clouds, uint32_t cloud_count);
/* Sorts query points, also for a full table: the cost depends on the queries, not on the cells. */
rn_result rni_grid_place(grid *g, const rni_cloud *queries);

#endif
