/* Blocks around solids that the lattice does not fit: slopes, balls, round tanks, posts.
 *
 * Job:    a lattice without the particles inside solids has gaps up to a spacing wide at their
 *         faces, and fluid that falls into gaps causes impacts. Particles near solids are moved
 *         until they are evenly spaced (Colagrossi, Bouscasse, Antuono, Marrone 2012: all have the
 *         same pressure and follow its gradient), and where there are too many, some are removed.
 * Input:  the candidates of one block. The faces of the block act as walls, which keeps free
 *         surfaces in place.
 * Output: the same list, moved and shorter. Far from solids nothing changes; blocks that fit their
 *         solids stay as they are. The same bits for any number of threads.
 */
#ifndef RNI_FLUID_PACK_H
#define RNI_FLUID_PACK_H

#include "fluid/lattice.h"
#include "fluid/water.h"

/* After rni_walls_ready(). is_vessel: there are as many as the volume is worth (top_up.h). On failure the list is
 * undefined. */
rn_result rni_pack(rn_fluid *fluid, const rni_extent *box, bool is_vessel, float (*x)[3],
                   uint32_t *count);

/* m: packed particles keep at least this distance from faces. */
static inline float rni_pack_clearance(const rn_fluid *fluid)
{
    return 0.3f * fluid->def.spacing;
}

#endif
