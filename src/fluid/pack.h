/* Water around solids that its lattice does not fit: slopes, balls, round tanks, posts anywhere.
 *
 * Job:    what is left of a lattice when the particles in solids are gone has gaps up to a spacing
 *         wide at their faces, and water that falls into gaps hammers. The particles near solids are moved until
 *         they lie evenly (Colagrossi, Bouscasse, Antuono, Marrone 2012: all have one pressure and yield to
 *         it), and where there are too many for that, some are taken out.
 * Input:  the candidates of one block. The block's faces count as walls, so free surfaces stay.
 * Output: the same list, moved and shorter. Far from solids nothing changes; blocks that fit their
 *         solids stay as they are. The same bits for any number of threads.
 */
#ifndef RNI_FLUID_PACK_H
#define RNI_FLUID_PACK_H

#include "fluid/lattice.h"
#include "fluid/water.h"

/* After rni_walls_ready(). On failure the list is no longer of use. */
rn_result rni_pack(rn_fluid *fluid, const rni_extent *box, float (*x)[3], uint32_t *count);

/* m: the nearest to a face that packing leaves anyone. */
static inline float rni_pack_clearance(const rn_fluid *fluid)
{
    return 0.3f * fluid->def.spacing;
}

#endif
