#include "fluid/gait.h"
#include "fluid/stages.h"
#include "fluid/walls.h"

static void add_walls(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const float *share = f->walls->share;
    for (uint32_t i = begin; i < end; i++) f->density[i] += f->def.rest_density * share[i];
}

rn_result rni_stage_density(rn_fluid *f)
{
    rni_walls_feel(f);
    rn_result result = f->gait->density(f);
    if (result == RN_OK && !f->def.bare_walls) rni_fluid_for_each(f, add_walls);
    return result;
}
