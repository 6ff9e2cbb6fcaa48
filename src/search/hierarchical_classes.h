/* Nested classes of cells (Pouchol et al. 2009): class 0 is the finest, and a cell of class k + 1
 * holds two cells of class k along each axis. The key of a cell is the sum of the hashes of the
 * cells that contain it, from the coarsest class down (eq. 4).
 *
 * In:     cells of the finest class, as numbered by hash_cells.h.
 * Out:    rni_hier_open_path (listing 1): the slot of a cell, created with all coarser cells.
 *         rni_hier_descend (listings 2, 3): the slots that hold the points of a cell and of the
 *         cells around it. */
#ifndef RNI_SEARCH_HIERARCHICAL_CLASSES_H
#define RNI_SEARCH_HIERARCHICAL_CLASSES_H

#include "search/hash_cells.h"
#include "search/hierarchical_table.h"

#define HIER_MAX_CLASSES 8
#define HIER_CLASS_STEP  0x9e3779b97f4a7c15u /* added to the key once per class */

static inline uint64_t rni_hier_times(int32_t cell, uint64_t prime)
{
    return (uint64_t)(int64_t)cell * prime;
}

/* Equation 3, without the modulo, which the table applies. */
static inline uint64_t rni_hier_hash(int32_t x, int32_t y, int32_t z)
{
    return rni_hier_times(x, RNI_PRIME_X) ^ rni_hier_times(y, RNI_PRIME_Y) ^
           rni_hier_times(z, RNI_PRIME_Z);
}

typedef struct hier_classes {
    int top; /* the coarsest class */
    hier_table table;
} hier_classes;

/* The path of the last cell, so that the next cell only computes the differences. */
typedef struct hier_path {
    int bottom; /* classes top .. bottom are done; bottom > top: none */
    int32_t cell[3];
    uint64_t key[HIER_MAX_CLASSES];
    uint32_t slot[HIER_MAX_CLASSES];
} hier_path;

static inline hier_path rni_hier_path_begin(const hier_classes *classes)
{
    return (hier_path){.bottom = classes->top + 1};
}

/* The slot of the cell of class `class` that contains a finest cell; sets the flags of the
 * coarser cells. */
rn_result rni_hier_open_path(rni_memory *memory, hier_classes *classes, const int32_t cell[3],
                             int class, hier_path *path);

/* Slots without duplicates. */
typedef struct hier_descent {
    uint32_t slots[27];
    uint32_t count;
    uint64_t seen; /* a bit for each slot modulo 64 */
    uint64_t visited_count, early_end_count;
} hier_descent;

/* Finds the slots that hold the points of a cell and of the cells around it. */
void rni_hier_descend(const rni_hash_cells *cells, uint32_t dim, const hier_classes *classes,
                      const int32_t cell[3], hier_descent *d);

/* Whether b is a or one of the 26 cells around it. */
static inline bool rni_hier_near_cell(const rni_hash_cells *cells, const int32_t a[3],
                                      const int32_t b[3])
{
    for (int axis = 0; axis < 3; axis++) {
        uint32_t d = (uint32_t)a[axis] - (uint32_t)b[axis], last = (uint32_t)cells->wrap[axis] - 1;
        if (d + 1 <= 2) continue;
        if (cells->wrap[axis] == 0 || (d != last && 0 - d != last)) return false;
    }
    return true;
}

#endif
