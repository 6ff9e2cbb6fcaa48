/* Sets of boxes for benchmarks, tests and experiments: the same arguments give the same boxes on
 * every run. In all of them density d is the volume of all spheres inside the boxes over the volume
 * of the space (2D: discs, area).
 *
 * equal     boxes of edge 1 around spheres of radius 0.5, uniform in a cube
 * mixed     edges from 1/32 to 32, as many of each size class, uniform in a cube
 * clusters  edge 1, 64 Gaussian clouds of very different sizes with a mean density of about d, in a
 *           large, nearly empty cube, and 5 % of the boxes anywhere
 * sparse    as equal, at a thousandth of d
 */
#ifndef RNI_BENCH_BOX_LAYOUTS_H
#define RNI_BENCH_BOX_LAYOUTS_H

#include <runnel/base.h>

typedef enum rni_box_layout {
    RNI_BOXES_EQUAL = 0,
    RNI_BOXES_MIXED = 1,
    RNI_BOXES_CLUSTERS = 2,
    RNI_BOXES_SPARSE = 3
} rni_box_layout;

/* By place in the enum; NULL past the end. */
const char *rni_box_layout_name(uint32_t place);

/* low and high hold count * dim floats each; dim is 2 or 3. */
void rni_box_layout_fill(rni_box_layout layout, uint32_t dim, uint32_t count, double density,
                         float *low, float *high);

/* The scene of figure 4 in Pouchol et al. 2009: boxes in a square (cube) of side 2^13, 10 % of them of
 * an average edge of 2^10, 25 % of 2^6, the rest of 2^3; edges are within half of the average. */
void rni_box_scene_fill(uint32_t dim, uint32_t count, uint64_t seed, float *low, float *high);

/* Moving points in that square: from anywhere, by up to 2^4 along each axis. */
void rni_segment_scene_fill(uint32_t dim, uint32_t count, uint64_t seed, float *from, float *to);

#endif
