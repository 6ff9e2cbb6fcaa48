/* A vessel that a lattice does not fit is filled by volume.
 *
 * Job:    a lattice keeps the cells whose centre is in the vessel. In wedges, where the surface meets a slope, and in
 *         small round vessels these are too few: their volumes do not add up to that of the vessel. The cells that have
 *         most of their volume inside, though not their centre, are added until they do.
 * Input:  which cells of the lattice have a particle, and the function that knows the vessel.
 * Output: more particles, each in the middle of what its cell has inside; packing (pack.h) makes room for them.
 */
#ifndef RNI_FLUID_TOP_UP_H
#define RNI_FLUID_TOP_UP_H

#include "fluid/lattice.h"
#include "fluid/water.h"

typedef struct rni_vessel {
    const rni_lattice *lattice;
    const uint8_t *is_full; /* by cell, x fastest: it has a particle */
    rn_fluid_place_fn place;
    void *user;
    float velocity[3]; /* m / s: of new particles, before place changes it */
} rni_vessel;

/* Moves the lattice along the axis of gravity until it ends at the top of the block, if its lowest layer is outside of
 * the vessel: then nothing else says where layers are. */
void rni_align_with_level(const rn_fluid *fluid, const rni_vessel *vessel, const rni_extent *box,
                          rni_lattice *lattice);
/* Adds particles behind the first *used of x and v, which have memory for all cells. */
rn_result rni_top_up(rn_fluid *fluid, const rni_vessel *vessel, float (*x)[3], float (*v)[3],
                     uint32_t *used);

#endif
