/* Method "layered-columns", the default.
 *
 * Layers: a level holds boxes of similar size. Each level cuts space into columns along x: rows in
 *         y times rows in z. Columns are at least as wide as the longest edges of the level where
 *         that pays, and narrower where boxes are dense. A box belongs to the column of its low
 *         corner; the boxes of a column are sorted by low x.
 * Pairs:  a box is tested, in each column, against the run of boxes whose low x is between its own
 *         low x minus the level's longest edge and its own high x. A run is tested in whole
 *         vectors. Within a level a box is tested against later columns and against the boxes after
 *         it in its own column, so each pair is found once without a set of known pairs. Between
 *         two levels, the boxes of one level are tested against the other.
 * Memory: 28 bytes per box permanently, 32 while building; results not included.
 * Order:  columns_layout.c (levels and rows) -> columns_sort.c -> columns_kernel.h (runs);
 *         columns.c combines them. The layout depends on the boxes only, so the order of the
 *         results does not depend on threads or instruction sets. */
#ifndef RNI_BROADPHASE_COLUMNS_H
#define RNI_BROADPHASE_COLUMNS_H

#include "broadphase/query.h"

#define RNI_MAX_LEVELS 24u
/* Up to this count one column is the fastest for queries and good enough for pairs. */
#define RNI_COLUMNS_FEW 384u
/* Padding in floats after the last column, which vector loads may read. */
#define RNI_COLUMN_SPILL 16u

/* Rows of one axis: equal bins, and the row of each bin. Rounding does not matter as long as a
 * larger coordinate never maps to a smaller row. */
typedef struct column_axis {
    float low, scale;
    uint32_t bin_count, row_count;
    uint32_t row_at;   /* index of bin 0 in rows */
    uint32_t bound_at; /* index of row 0 in bounds; one entry more than rows */
} column_axis;

typedef struct column_level {
    uint32_t box_count;
    uint32_t first_column, column_count;
    float extent[3]; /* longest edges, rounded up */
    column_axis y, z;
} column_level;

/* A search of one level in another level, or in itself. */
typedef struct column_task {
    uint32_t source, target;
    uint32_t first_piece, share; /* source boxes per piece */
} column_task;

typedef struct columns {
    rni_box_env *env;
    const struct column_kernel *kernel;
    uint32_t dim, count;
    uint32_t level_count, column_count;
    column_level levels[RNI_MAX_LEVELS];
    uint8_t level_of_class[RNI_SIZE_CLASSES];
    uint32_t task_count, piece_count;
    column_task tasks[RNI_MAX_LEVELS * RNI_MAX_LEVELS];
    uint32_t row_count; /* entries in rows */
    rni_buffer rows;    /* uint16_t: the row of each bin, axis by axis */
    /* float: the smallest coordinate of each row, found by bisection so that it agrees exactly with
     * rows; infinite at both ends */
    uint32_t bound_count;
    rni_buffer bounds;
    rni_buffer start; /* uint32_t, column_count + 1: index of the first box of each column */
    /* Column c of n boxes has 7 n floats from 7 * start[c]: low x, high x, low y, high y, low z,
     * high z, and the index (a uint32_t), each n long. */
    rni_buffer blocks;
    rni_buffer column_of; /* uint32_t per box, while sorting */
    rni_buffer *scratch;  /* one per worker, for sorting */
    uint32_t worker_count;
} columns;

/* The hot loops, compiled once per instruction set. */
typedef struct column_kernel {
    /* Boxes begin .. end - 1 of the source level (positions in column order). */
    rn_result (*pairs)(const columns *set, const column_task *task, uint32_t begin, uint32_t end,
                       rni_pair_sink *sink);
    rn_result (*query)(const columns *set, const rni_queries *queries, uint32_t first,
                       uint32_t count, rni_hit_sink *sink);
} column_kernel;

extern const column_kernel rni_column_kernel_plain;
extern const column_kernel rni_column_kernel_avx2;
extern const column_kernel rni_column_kernel_avx512;

rn_result rni_columns_open(columns *set, rni_box_env *env);
void rni_columns_close(columns *set);

/* Chooses levels, rows, columns and tasks. */
rn_result rni_columns_lay_out(columns *set, const rni_boxes *boxes);
/* One level with one column: a sweep along x. */
rn_result rni_columns_lay_out_one(columns *set, const rni_boxes *boxes);
/* Sorts boxes into columns, and each column by low x. */
rn_result rni_columns_sort(columns *set, const rni_boxes *boxes);
/* NULL, or the violated rule (base/validate.h): each box once, in the column of its low corner,
 * columns in ascending low x. */
const char *rni_validate_columns(const columns *set, uint32_t box_count);

static inline uint32_t rni_row_of(const columns *set, const column_axis *axis, float at)
{
    float t = (at - axis->low) * axis->scale;
    if (!(t > 0.0f)) return 0; /* also catches NaN: zero scale or infinities */
    uint32_t last = axis->bin_count - 1;
    uint32_t bin = t < (float)last ? (uint32_t)t : last;
    return ((const uint16_t *)set->rows.data)[axis->row_at + bin];
}

static inline uint32_t rni_column_of(const columns *set, const column_level *level,
                                     const float low[3])
{
    uint32_t y = rni_row_of(set, &level->y, low[1]);
    uint32_t z = level->z.row_count > 1 ? rni_row_of(set, &level->z, low[2]) : 0;
    return level->first_column + y * level->z.row_count + z;
}

/* Lower bound of low - extent. */
static inline float rni_reach_below(float low, float extent)
{
    float at = low - extent;
    /* one or two float steps below; infinities and zeros are fine */
    float slack = (at < 0.0f ? -at : at) * 0x1p-23f + 0x1p-149f;
    return at - slack;
}

#endif
