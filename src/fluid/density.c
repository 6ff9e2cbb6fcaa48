#include "fluid/stages.h"
#include "fluid/traversal.h"
#include "fluid/walls.h"

#include <string.h>

static void add_walls(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const float *share = f->walls->share;
    for (uint32_t i = begin; i < end; i++) f->density[i] += f->def.rest_density * share[i];
}

rn_result rni_stage_density(rn_fluid *f)
{
    rni_stage_boundaries(f);
    rn_result result = f->traversal->density(f);
    if (result == RN_OK && !f->def.bare_walls) rni_fluid_for_each(f, add_walls);
    return result;
}

/* --- without a step ------------------------------------------------------------------------------- */

/* The place of a particle before the sort comes along where the density of the last evaluation is, which waits in
 * the room for a retry. */
static void mark(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        f->kept_density[i] = f->now.acceleration[i][3];
        memcpy(&f->now.acceleration[i][3], &i, sizeof i);
    }
}

/* What was found in the order of the sort goes to the room of the sort, ... */
static void gather(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    for (uint32_t k = begin; k < end; k++) {
        f->now.position[k][0] = f->density[k];
        f->now.position[k][1] = f->pressure[k];
        memcpy(&f->now.position[k][2], &f->neighbor_count[k], sizeof f->neighbor_count[k]);
    }
}

/* ... and from there to the places before. */
static void scatter(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t i;
        memcpy(&i, &f->other.acceleration[k][3], sizeof i);
        f->density[i] = f->other.position[k][0];
        f->pressure[i] = f->other.position[k][1];
        memcpy(&f->neighbor_count[i], &f->other.position[k][2], sizeof f->neighbor_count[i]);
        f->now.acceleration[i][3] = f->kept_density[i];
    }
}

/* The order of a sort shows in the sums of the next step, if that sorts by other cells: so everyone goes
 * back. */
rn_result rn_fluid_update_density(rn_fluid *f)
{
    if (f->now.count == 0) return RN_OK;
    rn_result result = rni_walls_ready(f);
    if (result != RN_OK) return result;
    const rni_particles before = f->now;
    rni_fluid_for_each(f, mark);
    result = rni_fluid_sort(f, true); /* the forces carry the marks */
    bool is_sorted = result == RN_OK;
    if (result == RN_OK) result = f->traversal->search(f);
    if (result == RN_OK) result = rni_stage_density(f);
    if (result == RN_OK) rni_stage_pressure(f, 0);
    if (result == RN_OK) rni_fluid_for_each(f, gather);
    if (is_sorted) {
        f->other = f->now;
        f->now = before;
    }
    if (result == RN_OK) rni_fluid_for_each(f, scatter);
    for (uint32_t i = 0; i < f->now.count && result != RN_OK; i++)
        f->now.acceleration[i][3] = f->kept_density[i];
    f->is_density_ahead = true;
    return result;
}
