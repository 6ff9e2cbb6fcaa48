/* Particles are added and removed. */
#ifndef RNI_FLUID_PARTICLES_H
#define RNI_FLUID_PARTICLES_H

#include "fluid/water.h"

/* The id is in the fourth lane of the velocity. */
static inline uint32_t rni_particle_id(const rni_particles *p, uint32_t i)
{
    uint32_t id;
    __builtin_memcpy(&id, &p->velocity[i][3], sizeof id);
    return id;
}

static inline void rni_particle_set_id(rni_particles *p, uint32_t i, uint32_t id)
{
    __builtin_memcpy(&p->velocity[i][3], &id, sizeof id);
}

/* Adds one at the end, at rest density; the capacity must suffice (rni_attributes_reserve()). */
void rni_particle_add(rn_fluid *fluid, uint32_t phase, const float position[3],
                      const float velocity[3]);
/* Removes one: the last takes its place. */
void rni_particle_remove(rn_fluid *fluid, uint32_t i);

/* The densities of the last evaluation again, where the scheme keeps them; rest density elsewhere,
 * as of new particles. */
void rni_particles_reset_density(rn_fluid *fluid);

/* Nearer to each other than this share of the spacing, two particles overlap. */
#define RNI_LEAST_APART 0.7f

bool rni_is_in_domain(const rn_fluid_def *def, const float position[3]);

/* Particles to be added. */
typedef struct rni_candidates {
    const float *position, *velocity; /* x, y, z of each; velocity may be NULL: 0 */
    uint32_t count;
    uint32_t phase;         /* of several fluids: that of all */
    float clearance, apart; /* m */
    const uint32_t *phases; /* of each; NULL: phase */
    float apart_old;        /* m from existing particles; 0: RNI_LEAST_APART */
    bool is_filling;        /* of a block or a ball; else the caller has placed them */
} rni_candidates;

/* Adds particles in order, but those in walls (closer than clearance), those closer than
 * RNI_LEAST_APART to existing particles, and those closer than apart (no more than that) to each
 * other. */
rn_result rni_particles_add(rn_fluid *fluid, const rni_candidates *candidates, rn_fluid_added *added);

#endif
