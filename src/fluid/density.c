#include "fluid/attributes.h"
#include "fluid/mesh_walls.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/settle.h"
#include "fluid/stages.h"
#include "fluid/traversal.h"
#include "fluid/walls.h"

#include <string.h>

static void add_walls(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    const float *share = f->walls->share;
    for (uint32_t i = begin; i < end; i++) f->density[i] += f->def.rest_density * share[i];
}

rn_result rni_stage_density(rn_fluid *f)
{
    rn_result result = f->traversal->density(f);
    if (result == RN_OK && !rni_has_bare_walls(&f->def)) rni_for_particles(f, add_walls, f);
    return result;
}

/* --- without a step
 * ------------------------------------------------------------------------------- */

/* Density, pressure and neighbour counts in the order of the cells. */
static rn_result evaluate_density(rn_fluid *f)
{
    const rni_evaluation alone = {.since = 0};
    rn_result result = f->traversal->search(f);
    if (result != RN_OK) return result;
    rni_phases_sorted(f);
    rni_stage_boundaries(f);
    result = f->scheme->density(f);
    if (result == RN_OK) f->scheme->pressure(f, &alone);
    return result;
}

/* One array of 4 bytes per particle back from the order of the cells: order has the index before of
 * each. */
static void unsort(const uint32_t *order, uint32_t count, uint32_t *values, uint32_t *scratch)
{
    memcpy(scratch, values, count * sizeof *values);
    for (uint32_t k = 0; k < count; k++) values[order[k]] = scratch[k];
}

/* The order of a sort shows in the sums of the next step, if that sorts by other cells: so all
 * particles go back to the order before, and previous_density, with which the next step goes on, is
 * not touched. */
rn_result rn_fluid_update_density(rn_fluid *f)
{
    const uint32_t count = f->now.count;
    if (count == 0) return RN_OK;
    const size_t scratch_bytes = 2 * (size_t)count * sizeof(uint32_t);
    rn_result result = rni_settle(f);
    if (result == RN_OK) result = rni_walls_ready(f);
    if (result == RN_OK) result = rni_mesh_walls_ready(f);
    if (result != RN_OK) return result;
    uint32_t *order = rni_memory_take(&f->memory, scratch_bytes);
    if (!order) return RN_ERROR_MEMORY;
    uint32_t *scratch = order + count;
    result = rni_fluid_sort(f, 0, order);
    if (result == RN_OK) {
        result = evaluate_density(f);
        rni_attributes_exchange(f); /* the order before */
        unsort(order, count, (uint32_t *)rni_row_data(f, RNI_ROW_DENSITY), scratch);
        unsort(order, count, (uint32_t *)rni_row_data(f, RNI_ROW_PRESSURE), scratch);
        unsort(order, count, f->neighbor_count, scratch);
        rni_phases_publish(f);
    }
    if (result != RN_OK) rni_particles_reset_density(f);
    rni_memory_give(&f->memory, order, scratch_bytes);
    return result;
}
