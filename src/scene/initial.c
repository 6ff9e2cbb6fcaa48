#include "scene/initial.h"

#include "fluid/lattice.h"

#include <math.h>
#include <string.h>

bool rni_initial_read(const rni_scene *scene, const rni_scene_block *block, rni_initial *initial,
                      const char **key, rni_formula_error *error)
{
    uint32_t side;
    memset(initial, 0, sizeof *initial);
    initial->dim = scene->def.dim;
    initial->level = block->level;
    initial->up = rni_up_axis(&scene->def, &side);
    initial->is_up_low = side == 0;
    initial->has_surface = *block->surface != 0;
    initial->has_velocity = *block->velocity_field != 0;
    *key = "surface";
    if (initial->has_surface && !rni_formulas_read(block->surface, 1, &initial->surface, error))
        return false;
    *key = "velocity_field";
    return !initial->has_velocity ||
           rni_formulas_read(block->velocity_field, initial->dim, initial->velocity, error);
}

bool rni_initial_place(void *user, const float position[3], float velocity[3])
{
    rni_initial *initial = user;
    const double x = (double)position[0], y = (double)position[1], z = (double)position[2];
    bool is_finite = true, is_wanted = true;
    if (initial->region && !rni_region_has(initial->region, initial->level, position)) return false;
    if (initial->has_surface) {
        const double height = rni_formula_at(&initial->surface, x, y, z);
        const double own = (double)position[initial->up];
        is_finite = isfinite(height);
        is_wanted = initial->is_up_low ? own >= height : own <= height;
    }
    for (uint32_t a = 0; a < initial->dim && initial->has_velocity; a++) {
        const double more = rni_formula_at(&initial->velocity[a], x, y, z);
        is_finite = is_finite && fabs(more) <= 1e9;
        if (is_finite) velocity[a] += (float)more;
    }
    if (!is_finite && !initial->is_bad) {
        initial->is_bad = true;
        memcpy(initial->bad_place, position, sizeof initial->bad_place);
    }
    return is_finite && is_wanted;
}
