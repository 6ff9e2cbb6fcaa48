/* The list of solids near a particle. Include base/lanes.h with RNI_LANES 4 first. */
#ifndef RNI_FLUID_NEAR_CELLS_H
#define RNI_FLUID_NEAR_CELLS_H

#include "fluid/walls.h"

static inline uint32_t rni_near_cell(const rni_walls *walls, rni_v x)
{
    const rni_v last = rni_v_load(walls->cell_last);
    rni_v place = (x - rni_v_load(walls->cell_low)) * rni_v_load(walls->cell_inverse);
    place = rni_v_max(place, rni_v_set(0.0f)); /* 0 also where x is NaN */
    const rni_vm c = __builtin_convertvector(rni_v_select(place < last, place, last), rni_vm);
    return ((uint32_t)c[2] * walls->cells[1] + (uint32_t)c[1]) * walls->cells[0] + (uint32_t)c[0];
}

/* The list of a cell; returns where it begins. */
static inline const uint32_t *rni_near_list(const rni_walls *walls, uint32_t cell, uint32_t *count)
{
    const uint32_t *start = walls->list_start + cell;
    *count = start[1] - start[0];
    return walls->list + start[0];
}

#endif
