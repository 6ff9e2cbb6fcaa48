/* Which particles are behind a wall: in double, from the definitions alone, without the functions that
 * the step uses to keep particles in. */
#include "fluid/mesh_walls.h"
#include "solid/wall_mesh.h"

#include <math.h>

/* A mesh of many triangles is asked for its winding number first, by its hierarchy; only where that does not show
 * clearly that a place is in the fluid, all triangles are summed. (Particles are kept out by distances, which
 * know no sides, so the winding number is independent of them.) */
static bool is_in_fluid_for_sure(const rni_solid *solid, const float position[3])
{
    const double x[3] = {(double)position[0], (double)position[1], (double)position[2]};
    return rni_is_mesh(solid) && rni_wall_mesh_is_fluid_for_sure(solid, x);
}

static double wall_distance(const rn_fluid *fluid, const float position[3], bool is_quick)
{
    const rn_fluid_def *def = &fluid->def;
    const rni_walls *walls = fluid->walls;
    double least = HUGE_VAL;
    for (uint32_t a = 0; a < def->dim; a++) {
        if (!def->periodic[a] && !def->open[a][0])
            least = fmin(least, (double)position[a] - (double)def->domain_low[a]);
        if (!def->periodic[a] && !def->open[a][1])
            least = fmin(least, (double)def->domain_high[a] - (double)position[a]);
    }
    for (uint32_t k = 1; k < walls->solid_count; k++)
        if (!walls->slots[k].is_removed &&
            !(is_quick && is_in_fluid_for_sure(&walls->solids[k], position)))
            least = fmin(least, rni_solid_exact_distance(&walls->solids[k].def, def->dim, position));
    return least;
}

double rn_fluid_get_wall_distance(const rn_fluid *fluid, const float position[3])
{
    return wall_distance(fluid, position, false);
}

bool rni_walls_has_escaped(const rn_fluid *fluid, uint32_t i)
{
    return wall_distance(fluid, fluid->now.position[i], true) < -0.01 * (double)fluid->def.spacing;
}

uint32_t rn_fluid_get_escaped_count(const rn_fluid *fluid)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const float *x = fluid->now.position[i], *v = fluid->now.velocity[i];
        bool is_finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]) && isfinite(v[0]) &&
                         isfinite(v[1]) && isfinite(v[2]);
        count += !is_finite || rni_walls_has_escaped(fluid, i);
    }
    return count;
}
