/* Where the particles of a block start.
 *
 * Job:    a box -> a lattice that fills it: half a pitch from each face, so that walls, periods and
 *         neighbouring blocks continue it, and as dense as the cubic lattice of the spacing, so
 *         that the fluid starts at rest density. With gaps at walls, or one per cent too little
 *         density, the whole block would fall and hit floor and edges.
 * Input:  the definition (domain, gravity, kernels), the spacing, the box.
 * Output: rni_lattice. Nothing is allocated; the same input gives the same bits.
 */
#ifndef RNI_FLUID_LATTICE_H
#define RNI_FLUID_LATTICE_H

#include <runnel/fluid.h>

/* A box of fluid, and which of its faces ([axis][0 low, 1 high]) are fixed by walls, periods or
 * other fluid. */
typedef struct rni_extent {
    double low[3], high[3]; /* m */
    bool is_held[3][2];
} rni_extent;

typedef struct rni_lattice {
    double first[3]; /* m: the place of the first particle */
    double pitch[3]; /* m from one to the next */
    double count[3]; /* whole numbers, at least 1; 1 along the third axis in 2D */
} rni_lattice;

/* The box, with the faces that the domain fixes. */
rni_extent rni_extent_make(const rn_fluid_def *def, double spacing, const float low[3],
                           const float high[3]);
/* The axis against gravity (y without one) and its upper side, 0 or 1. */
uint32_t rni_up_axis(const rn_fluid_def *def, uint32_t *side);
/* def->spacing is not read. */
rni_lattice rni_lattice_fit(const rn_fluid_def *def, double spacing, const rni_extent *extent);
/* Cubic, in the middle of the box. */
rni_lattice rni_lattice_cubic(uint32_t dim, double spacing, const rni_extent *extent);
double rni_lattice_count(const rni_lattice *lattice);

#endif
