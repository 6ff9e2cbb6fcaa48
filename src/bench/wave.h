/* A breaking wave made of points, for the demo of neighbour search.
 *
 * Job:    fills a wave with a curling lip, its pool and its spray with a jittered lattice.
 * Input:  the wanted number of points. Output: about as many, packed x y z, in random order.
 * Unit:   one spacing of the lattice, so that radius 2 gives 27 to 33 neighbours inside the water.
 */
#ifndef RNI_BENCH_WAVE_H
#define RNI_BENCH_WAVE_H

#include <runnel/base.h>

typedef struct rni_wave {
    float *position; /* malloc'd */
    uint32_t count;
    float size[3]; /* the box around it starts at the origin */
    float lens[3]; /* a point inside the lip, for the lens of the picture */
} rni_wave;

/* RN_ERROR_MEMORY on failure, with nothing to release. */
rn_result rni_wave_make(uint32_t wanted, rni_wave *wave);
void rni_wave_release(rni_wave *wave);

#endif
