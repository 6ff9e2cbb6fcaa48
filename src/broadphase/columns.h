/* Method "layered-columns", the default.
 *
 * Layers: boxes of about one size (a level). Each level cuts space into columns along x: rows of y
 *         times rows of z, at least as wide as its longest edges where that pays, narrower where
 *         many boxes are. A box belongs to the column of its low corner; inside a column boxes are
 *         in ascending low x.
 * Pairs:  a box meets, in a column, the run of boxes whose low x lies between its own low x less the
 *         level's longest edge and its own high x. Whole vectors of a run are tested at once. Within
 *         a level a box looks into later columns, and behind itself in its own: each pair once,
 *         without any memory of pairs. Between two levels one of the two looks into the other.
 * Memory: 28 bytes a box for good, 32 while building; results not counted.
 * Order:  columns_layout.c (levels and rows) -> columns_sort.c -> columns_kernel.h (runs);
 *         columns.c puts them together. The layout depends on the boxes only, not on threads or
 *         instruction sets, so neither does the order of the results. */
#ifndef RNI_BROADPHASE_COLUMNS_H
#define RNI_BROADPHASE_COLUMNS_H

#include "broadphase/query.h"

#define RNI_MAX_LEVELS 24u
/* Up to here one column is the fastest for queries, and good enough for pairs. */
#define RNI_COLUMNS_FEW 384u
/* Floats behind the last column that a vector load may touch. */
#define RNI_COLUMN_SPILL 16u

/* Rows of one axis: equal bins, and the row each of them belongs to. Any rounding is fine as long
 * as a larger coordinate never has a smaller row. */
typedef struct column_axis {
    float low, scale;
    uint32_t bin_count, row_count;
    uint32_t row_at;   /* of bin 0, in rows */
    uint32_t bound_at; /* of row 0, in bounds; one more than rows */
} column_axis;

typedef struct column_level {
    uint32_t box_count;
    uint32_t first_column, column_count;
    float extent[3]; /* longest edges, rounded up */
    column_axis y, z;
} column_level;

/* One level looks into another, or into itself. */
typedef struct column_task {
    uint32_t source, target;
    uint32_t first_piece, share; /* boxes of the source a piece takes */
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
    uint32_t row_count; /* in rows */
    rni_buffer rows;    /* uint16_t: the row of each bin, axis by axis */
    /* float: the least coordinate of each row, found by trying, so that it says just what rows say;
     * infinite at both ends */
    uint32_t bound_count;
    rni_buffer bounds;
    rni_buffer start; /* uint32_t, column_count + 1: the first box of a column */
    /* Column c of n boxes has 7 n floats from 7 * start[c]: low x, high x, low y, high y, low z,
     * high z, and the index (a uint32_t), each n long. */
    rni_buffer blocks;
    rni_buffer column_of; /* uint32_t a box, while sorting */
    rni_buffer *scratch;  /* one a worker, for sorting */
    uint32_t worker_count;
} columns;

/* What the hot loops are compiled for. */
typedef struct column_kernel {
    /* Boxes begin .. end - 1 of the source level (places in the order of the columns). */
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

/* Levels, rows, columns, tasks. */
rn_result rni_columns_lay_out(columns *set, const rni_boxes *boxes);
/* One level of one column: a sweep along x. */
rn_result rni_columns_lay_out_one(columns *set, const rni_boxes *boxes);
/* Boxes into columns, columns into the order of low x. */
rn_result rni_columns_sort(columns *set, const rni_boxes *boxes);
/* NULL, or what is wrong (base/validate.h): each box once, in the column of its low corner, columns in ascending
 * low x. */
const char *rni_validate_columns(const columns *set, uint32_t box_count);

static inline uint32_t rni_row_of(const columns *set, const column_axis *axis, float at)
{
    float t = (at - axis->low) * axis->scale;
    if (!(t > 0.0f)) return 0; /* also what is not a number: no scale, or infinities */
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

/* Never above low - extent. */
static inline float rni_reach_below(float low, float extent)
{
    float at = low - extent;
    /* a float step or two below; infinities and zeros are fine */
    float slack = (at < 0.0f ? -at : at) * 0x1p-23f + 0x1p-149f;
    return at - slack;
}

#endif
