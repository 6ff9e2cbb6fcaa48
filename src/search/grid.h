/* Inside of the method "grid": shared by grid.c (the method), grid_shape.c, grid_sort.c and
 * grid_sparse.c (structure) and the kernels (the hot loops, once for each instruction set).
 *
 * Points lie sorted by cell, cells x first, so the 27 cells around a point are 9 ranges of memory
 * ("rows of cells"). A full table of cells says where each begins; where the points are too far
 * apart for a table, only the rows that hold points are kept, in order. Both give the same
 * clusters and ranges to the same kernels. */
#ifndef RNI_SEARCH_GRID_H
#define RNI_SEARCH_GRID_H

#include "search/method.h"

/* Points of one set in cell order, equal cells in ascending index. Arrays run RNI_ROWS_SPILL
 * past the end. */
typedef struct grid_points {
    const float *x, *y, *z;
    const uint32_t *id;    /* the caller's index */
    const float *radii_sq; /* by that index; NULL where all have the radius of the space */
} grid_points;

typedef struct grid_range {
    uint32_t begin, end; /* into grid_points */
} grid_range;

/* 9 rows of cells, each in two pieces where a periodic axis wraps; one in two more pieces to have the
 * cluster itself first. */
#define GRID_MAX_RANGES 20u

/* How positions become cells: trunc((position - low) * scale). Cells are so much wider than the
 * radius that no rounding can put two neighbours two cells apart; where few points would share one,
 * they are wider still. */
typedef struct grid_shape {
    float low[3], scale[3];
    uint32_t n[3]; /* cells an axis */
    bool periodic[3];
    bool is_sparse;
    bool is_clipped; /* strays outside of the core, the box of the others, lie in the cells of its edge */
    float core_low[3], core_high[3];
} grid_shape;

/* From positions to cells of a full table (grid_cells.h); by value in the loops, so that it stays in
 * registers. */
typedef struct cell_map {
    float low[3], scale[3];
    float pad, top[3]; /* top: the last cell of an axis, with the pad */
    uint32_t stride_y, stride_z;
} cell_map;

/* Numbers kept of some points of the cluster for the quick test: four of each of a vector. */
#define GRID_SEEN_FLOATS 64u

/* The candidates of one cluster, as the gather leaves them: padded with far-away points to a
 * full vector. */
typedef struct grid_scratch {
    float *x, *y, *z;
    uint32_t *id;
    void *seen;     /* quick test: points as seen from the middle of the cluster */
    uint16_t *near; /* quick test: for each vector of candidates and each of some points, who is near */
    uint32_t capacity; /* without the padding */
} grid_scratch;

/* The middle of a cluster. Quick tests round to squares of distances that are wrong by less than
 * the margin, or not to be used at all where it is 0. */
typedef struct grid_middle {
    float x, y, z, margin;
} grid_middle;

/* The middle of a box, and the margin of quick tests from there. Places seen from it are no further than the radius and
 * half the diagonal, squared no more than b = 2 (radius^2 + diagonal^2 / 4). With e = 2^-24 the share a rounding
 * may take: the places themselves bring 8 b e into a squared distance, the squares 8, the products 9, the
 * limit 4, the difference to it 3, the shared distance 5: together less than 64 b e. Where squares would leave
 * the range of floats there is no margin. */
static inline grid_middle rni_grid_middle_of(const float low[3], const float high[3], float radius_sq)
{
    const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    const float b = 2.0f * (radius_sq + 0.25f * (x * x + y * y + z * z)), most = 1e30f;
    const bool is_usable = radius_sq > 1e-30f && b < 1e30f && low[0] > -most && high[0] < most &&
                           low[1] > -most && high[1] < most && low[2] > -most && high[2] < most;
    return (grid_middle){0.5f * low[0] + 0.5f * high[0], 0.5f * low[1] + 0.5f * high[1],
                         0.5f * low[2] + 0.5f * high[2], is_usable ? b * 0x1p-18f : 0.0f};
}

/* Points of one cell that follow each other in the caller's memory, from number `begin` on. */
typedef struct grid_run {
    uint32_t cell, begin, count;
} grid_run;

/* A row of cells that holds points (sparse only). */
typedef struct grid_row {
    uint32_t y, z;
    uint32_t begin, end; /* its points */
} grid_row;

/* The rows of cells around one that is walked (sparse, nothing periodic): looked up once, and how far they have
 * been passed by. */
typedef struct grid_walk {
    const grid_row *row; /* the walked one; NULL before the first */
    uint32_t reached[3]; /* in the layers z - 1, z, z + 1: the first row from y - 1 on; they only go up */
    uint32_t count;
    struct {
        uint32_t begin, end, row_end; /* points from begin to end are around the last cluster */
    } around[9];
} grid_walk;

/* Who of the candidates is near points begin .. end - 1? */
typedef struct grid_question {
    const grid_points *points;
    uint32_t begin, end;
    const grid_scratch *scratch;
    uint32_t candidate_count;
    const rni_space *space;
    bool is_folded;     /* a candidate may be nearer by another image */
    grid_middle middle; /* margin 0: no quick test */
    rni_want want;
    rni_leave_out leave_out;
    uint32_t own_at; /* the candidate that is point begin, the next one being the next and so on; UINT32_MAX: not known */
} grid_question;

typedef struct grid_kernel {
    /* Copies the points of the ranges that may be near a box into scratch; returns how many. */
    uint32_t (*gather)(const grid_points *points, const grid_range *ranges, uint32_t range_count,
                       const float low[3], const float high[3], float reach_sq,
                       grid_scratch *scratch);
    /* The same with the box of points begin .. end - 1 of own, whose middle it returns. */
    uint32_t (*gather_cluster)(const grid_points *own, uint32_t begin, uint32_t end,
                               const grid_points *points, const grid_range *ranges,
                               uint32_t range_count, float radius_sq, grid_scratch *scratch,
                               grid_middle *middle);
    /* The same without the box. */
    uint32_t (*gather_all)(const grid_points *points, const grid_range *ranges,
                           uint32_t range_count, grid_scratch *scratch);
    /* Writes counts, and what is wanted at index and distance_sq (with room for RNI_ROWS_SPILL more); returns the
     * entries written. Points that the quick test could not decide, and the exact one had to, are added to *doubtful. */
    uint64_t (*emit)(const grid_question *question, uint32_t *counts, uint32_t *index,
                     float *distance_sq, uint32_t *doubtful);
    void (*bounds)(const grid_points *points, uint32_t begin, uint32_t end, float low[3],
                   float high[3]);
    /* The first of ascending numbers from `at` on, or the end, that is not below the limit. Reads up to
     * RNI_ROWS_SPILL behind the end. */
    uint32_t (*pass)(const uint32_t *ascending, uint32_t at, uint32_t end, uint32_t limit);
    /* Moves on along all rows: to the points in columns first .. past - 1. */
    void (*walk)(grid_walk *walk, const uint32_t *column, uint32_t first, uint32_t past);
    /* The cells of points stride_bytes apart. */
    void (*cells)(const cell_map *map, const unsigned char *position, size_t stride_bytes,
                  uint32_t count, uint32_t dim, bool is_clipped, uint32_t *out);
    /* Positions of points, in the order of their numbers id[begin .. end - 1], below count. */
    void (*take)(const unsigned char *position, size_t stride_bytes, uint32_t count, uint32_t dim,
                 const uint32_t *id, uint32_t begin, uint32_t end, float *x, float *y, float *z);
    /* Where cells change: of cell[0 .. count - 1], which belong to points `first` and on, those that differ
     * from the one before (cell[-1] too), and their points. Returns how many; may write RNI_ROWS_SPILL more. */
    uint32_t (*cut)(const uint32_t *cell, uint32_t count, uint32_t first, uint32_t *run_cell,
                    uint32_t *run_begin);
    /* The numbers of the points of runs, each run to id[place[its cell]] and on, which moves on. */
    void (*number)(const grid_run *runs, uint32_t run_count, uint32_t *place, uint32_t *id);
} grid_kernel;

extern const grid_kernel rni_grid_kernel_plain;
#ifdef RNI_X86
extern const grid_kernel rni_grid_kernel_avx2;
extern const grid_kernel rni_grid_kernel_avx512;
#endif

/* How one axis becomes columns when points are far apart (sparse only): cells, counted from the
 * first one that holds a point, or, where even that does not fit, only the cells that hold points,
 * with the gaps between them shortened. */
typedef struct grid_axis {
    double low, scale;
    int64_t first, last; /* cells that hold points */
    bool is_periodic, is_ranked;
    bool is_clipped;  /* cells before the first count as the first, and past the last as the last */
    rni_buffer cells; /* ranked: int64_t, ascending */
    rni_buffer columns; /* ranked: uint32_t, the column of each */
    uint32_t cell_count;
} grid_axis;

typedef struct grid_set {
    uint32_t count;
    rni_buffer soa; /* x, y, z, id: 4 arrays of count + RNI_ROWS_SPILL */
    grid_points points;
    float *x, *y, *z; /* the same arrays, to write */
    uint32_t *id;

    bool is_in_rows;  /* walked along rows that hold points: sparse sets, and query points always */
    uint32_t pad;     /* taken off columns and rows: query points may lie before the first cell */
    rni_buffer start; /* full: uint32_t, first point of each cell, one more at the end */

    rni_buffer column; /* sparse: uint32_t, cell along x of each point */
    rni_buffer rows;   /* sparse: grid_row, in order of points */
    rni_buffer row_of; /* sparse: uint32_t, row of each point */
    uint32_t row_count;
} grid_set;

typedef struct grid_worker {
    _Alignas(RNI_ALIGNMENT) rni_buffer buffer[2];
    grid_scratch scratch[2]; /* taken in turn */
    grid_walk walk;
    uint32_t exact_clusters; /* to come, before the quick test is tried again */
} grid_worker;

typedef struct grid {
    rni_search_env *env;
    const grid_kernel *kernel;
    grid_shape shape;
    grid_axis axes[3];
    grid_set sets[RN_SEARCH_MAX_SETS + 1];
    rni_buffer records, keys; /* room for sorting */
    grid_worker workers[RNI_MAX_WORKERS];
} grid;

/* grid_shape.c: chooses g->shape for the union of all sets. */
rn_result rni_grid_choose_shape(grid *g, const rni_cloud *sets, uint32_t set_count);

/* Sizes the arrays of a set for count points. */
rn_result rni_grid_set_room(grid *g, grid_set *set, uint32_t count);

/* grid_sort.c: fills a set by its cells in the full table. */
rn_result rni_grid_sort(grid *g, grid_set *set, const rni_cloud *cloud);
/* NULL, or what is wrong (base/validate.h): each point once, in the cell of its position, equal cells in
 * ascending index. For a set of a full table. */
const char *rni_validate_grid_set(const grid *g, const grid_set *set);

/* grid_sparse.c: chooses cells for points that are far apart, fills a set, finds ranges. */
rn_result rni_grid_sparse_sort(grid *g, const rni_cloud *clouds, uint32_t cloud_count);
/* Query points, for a full table too: only the queries are sorted, however many cells there are. */
rn_result rni_grid_place(grid *g, const rni_cloud *queries);

#endif
