/* Point sets for benchmarks, tests and demos: the same arguments give the same points on every run.
 *
 * lattice   cubic (2D: square) lattice of spacing 1, every coordinate moved by up to 0.1 in
 *           either direction, free surface, random memory order; when count is not a cube, the first points in
 *           lattice order
 * sorted    the same points along a Z-curve: as in a simulation that sorts its particles
 * random5   uniform in a cube so large that a point far from its faces has 5 neighbours on
 *           average; random memory order
 * clusters  64 Gaussian clouds of very different sizes and densities in a large, nearly empty box,
 *           and 5 % of all points anywhere; about 30 neighbours on average from some 10,000 points
 *           on; random memory order
 */
#ifndef RNI_BENCH_LAYOUTS_H
#define RNI_BENCH_LAYOUTS_H

#include <runnel/base.h>

typedef enum rni_layout {
    RNI_LAYOUT_LATTICE = 0,
    RNI_LAYOUT_SORTED = 1,
    RNI_LAYOUT_RANDOM5 = 2,
    RNI_LAYOUT_CLUSTERS = 3
} rni_layout;

/* By place in the enum; NULL past the end. */
const char *rni_layout_name(uint32_t place);

/* dim is 2 or 3; position holds count * dim floats. radius matters for random5 and clusters only.
 */
void rni_layout_fill(rni_layout layout, uint32_t dim, uint32_t count, float radius, float *position);

/* Random order of count records of dim floats. */
void rni_layout_shuffle(float *position, uint32_t dim, uint32_t count, uint64_t seed);

#endif
