/* Method "grid", full table: from positions to cells. */
#ifndef RNI_SEARCH_GRID_CELLS_H
#define RNI_SEARCH_GRID_CELLS_H

#include "search/grid.h"

#define INLINE static inline __attribute__((always_inline))

/* Only query points and outliers are outside. The shape is chosen such that all other points of
 * a set are inside, except for rounding at the upper face of periodic axes. Query points need
 * the pad unless there are outliers. */
INLINE uint32_t axis_cell(const cell_map *map, float position, int axis, bool is_clipped)
{
    float cell = (position - map->low[axis]) * map->scale[axis];
    if (is_clipped) {
        cell += map->pad;
        cell = cell > 0.0f ? cell : 0.0f;
        cell = cell < map->top[axis] ? cell : map->top[axis];
    }
    return (uint32_t)(int32_t)cell;
}

INLINE uint32_t cell_of(const cell_map *map, const float p[3], bool is_clipped)
{
    return axis_cell(map, p[0], 0, is_clipped) + axis_cell(map, p[1], 1, is_clipped) * map->stride_y +
           axis_cell(map, p[2], 2, is_clipped) * map->stride_z;
}

static inline cell_map cell_map_of(const grid_shape *shape, uint32_t pad)
{
    cell_map map = {.pad = (float)pad, .stride_y = shape->n[0], .stride_z = shape->n[0] * shape->n[1]};
    for (int axis = 0; axis < 3; axis++) {
        map.low[axis] = shape->low[axis];
        map.scale[axis] = shape->scale[axis];
        map.top[axis] = (float)(shape->n[axis] + 2 * pad - 1);
    }
    return map;
}

static inline uint32_t shape_cell_count(const grid_shape *shape)
{
    return shape->n[0] * shape->n[1] * shape->n[2]; /* below 2^31, see choose_shape */
}

/* The last cell that begins at or before a point: the cell that holds it. */
static inline uint32_t cell_of_point(const uint32_t *start, uint32_t cell_count, uint32_t point)
{
    uint32_t low = 0, high = cell_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (start[middle] <= point) low = middle;
        else high = middle;
    }
    return low;
}

#endif
