/* Loads: force and torque of the fluid on each solid, of fluids whose definition asks for them.
 *
 * Job:    sums what the walls give to the particles, with the sign changed, by solid.
 * Input:  touches and pressures of the evaluation; velocity changes of the collisions.
 * Output: rn_solid_load of each solid: forces of the last evaluation, and the impulses of the last
 *         collide stage over its time step.
 * Order:  rni_stage_loads() after forces; rni_stage_collide() adds impulses. Sums are in double over
 *         fixed chunks of particles, then over chunks in order: the same bits for any thread count.
 */
#ifndef RNI_FLUID_LOADS_H
#define RNI_FLUID_LOADS_H

#include "fluid/water.h"

/* Sums of one solid: N and N m, or N s and N m s of impulses. */
typedef struct rni_load_sum {
    double force[3], torque[3];
} rni_load_sum;

typedef struct rni_loads {
    rni_load_sum *force;     /* by solid: of the last evaluation */
    rni_load_sum *impulse;   /* by solid: of the last collide stage */
    rni_load_sum *chunk_sum; /* chunk after chunk, one a solid */
    /* By particle (a row of attributes.c), of the forces stage: the factors of push and lift; and the
     * acceleration that the layers of slip faces carry on, m / s^2, as far as they do. */
    float (*given)[5];
    uint32_t solid_count;
    float seconds; /* of the time step that the impulses belong to; 0: there was none */
    rni_buffer sum_buffer;
} rni_loads;

/* Chunks of a sum over all particles: a few, of fixed bounds. */
#define RNI_LOAD_CHUNKS 64u
static inline uint32_t rni_load_chunk(uint32_t count)
{
    const uint32_t even = (count + RNI_LOAD_CHUNKS - 1) / RNI_LOAD_CHUNKS;
    return (even / RNI_FLUID_PIECE + 1) * RNI_FLUID_PIECE;
}

/* The particles begin .. end - 1 of a chunk, and its sums, one a solid, all 0. */
rni_load_sum *rni_load_chunk_begin(const rn_fluid *fluid, uint32_t chunk, uint32_t *begin,
                                   uint32_t *end);

/* Buffers for so many solids; sums start from 0. */
rn_result rni_loads_reserve_solids(rn_fluid *fluid, uint32_t solid_count);
void rni_loads_free(rn_fluid *fluid);

void rni_stage_loads(rn_fluid *fluid);
/* The same, for pastes (viscosity.c), whose drag is known later. */
void rni_loads_sum(rn_fluid *fluid);
/* Adds the chunks up, in order. */
void rni_loads_add_up(const rn_fluid *fluid, uint32_t chunks, rni_load_sum *sums);
/* A force (or impulse) on a solid at x. */
void rni_load_add(rni_load_sum *sum, const float center[3], const float x[3], const double force[3]);
rn_result rni_loads_get(const rn_fluid *fluid, uint32_t solid, rn_solid_load *load);

#endif
