/* Walls that are triangle meshes: their boundary fields, and the moves that never pass a triangle.
 *
 * Job:    gives a mesh that is added its boundary field for the tables of this fluid, shared by all solids of
 *         the same mesh, scale and side; moves particles past meshes.
 * How:    free balls. The distance to the nearest triangle proves that a ball around the particle holds none;
 *         the particle goes no farther than that, less HARD; then it asks again. Near a triangle it slides. This
 *         needs no orientation and no closed mesh, and holds for any speed.
 * Order:  rni_mesh_walls_attach() when a solid is placed, rni_mesh_walls_ready() before boundaries are
 *         evaluated: that takes time, which a fluid that is only checked need not wait for; rni_mesh_walls_move() from a place that no mesh
 *         holds; the collide stage and moving solids call it.
 */
#ifndef RNI_FLUID_MESH_WALLS_H
#define RNI_FLUID_MESH_WALLS_H

#include "fluid/loads.h"
#include "fluid/walls.h"

static inline bool rni_is_mesh(const rni_solid *solid)
{
    return solid->kind->has_mesh;
}

/* Keeps the mesh of a placed solid, and gives the solid its field, if there is one. */
rn_result rni_mesh_walls_attach(rn_fluid *fluid, rni_solid *solid);
/* Builds the fields that are missing. */
rn_result rni_mesh_walls_ready(rn_fluid *fluid);
void rni_mesh_walls_free(rn_fluid *fluid);

/* Moves a particle from `from` towards x as far as meshes let it; x becomes where it arrives, and v loses what goes
 * into a wall. impulses: by solid, per mass; NULL: not wanted. Returns whether it met a mesh. */
bool rni_mesh_walls_move(const rn_fluid *fluid, const float from[3], float x[4], float v[4],
                         rni_load_sum *impulses);

/* Particles near a mesh that has moved from `before` to `now`: each keeps its side. Refused, none has moved. */
rn_result rni_mesh_walls_clear_path(rn_fluid *fluid, const rni_solid *before, const rni_solid *now);

#endif
