/* The cell numbering and the cell hash of the two hash methods (hash.c, hierarchical_hash.c).
 * Cells are counted from the origin, or from the low face of a periodic axis, by floor(), also
 * below zero. (The second customary prime is not prime: 19349663 = 41 * 471943. This is
 * harmless.) */
#ifndef RNI_SEARCH_HASH_CELLS_H
#define RNI_SEARCH_HASH_CELLS_H

#include "search/method.h"

#include <math.h>

#define RNI_PRIME_X 73856093u
#define RNI_PRIME_Y 19349663u
#define RNI_PRIME_Z 83492791u

#define RNI_MAX_CELL 0x3fffffff /* cells are 32-bit integers with a margin for their neighbours */

typedef struct rni_hash_cells {
    double low[3], scale[3];
    int32_t wrap[3]; /* number of cells of a periodic axis, otherwise 0 */
} rni_hash_cells;

/* Chooses cells at least this wide along each axis; a periodic axis gets as many cells as fit. */
rni_hash_cells rni_hash_cells_choose(const rni_space *space, const double width[3]);

/* Refuses points that are farther from the origin than RNI_MAX_CELL cells. */
rn_result rni_hash_cells_check(const rni_hash_cells *cells, uint32_t dim, const rni_cloud *cloud,
                               const char *method);

/* The number of buckets for this many points: def.hash_table_length, or a power of two. */
uint32_t rni_hash_table_length(const rn_search_def *def, uint64_t count);

/* Queries may be anywhere: cells beyond the limit are clamped, because there are no points near
 * them. */
static inline void rni_hash_cell_at(const rni_hash_cells *cells, const float position[3],
                                    int32_t cell[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double at = floor(((double)position[axis] - cells->low[axis]) * cells->scale[axis]);
        if (cells->wrap[axis]) {
            at = at < 0.0 ? 0.0 : at >= cells->wrap[axis] ? cells->wrap[axis] - 1 : at;
        } else if (fabs(at) > RNI_MAX_CELL) {
            at = at < 0.0 ? -RNI_MAX_CELL - 10 : RNI_MAX_CELL + 10;
        }
        cell[axis] = (int32_t)at;
    }
}

static inline bool rni_same_cell(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Lists that a method has built pair by pair during its build, by row in its own order. */
typedef struct rni_kept_lists {
    const uint64_t *start; /* row k has list[start[k]] .. list[start[k + 1] - 1] */
    const uint32_t *list;  /* rows */
    const uint32_t *order; /* the caller's index of each row */
    const unsigned char *position;
    size_t stride_bytes; /* between the positions of consecutive rows */
} rni_kept_lists;

/* Returns row `row` in the form of find(). */
rn_result rni_kept_row(const rni_kept_lists *kept, const rni_space *space, const rni_find *find,
                       uint32_t row, uint32_t *found, rni_rows *rows);

#endif
