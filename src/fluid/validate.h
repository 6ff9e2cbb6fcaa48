/* Validators: what must hold after each stage of a step, checked in debug builds.
 *
 * Job:    each function returns NULL, or a sentence about what does not hold. Some check all
 *         particles, those that compare with brute force a few, other ones at every call.
 * Use:    RNI_VALIDATE(rni_validate_sort(fluid)) stops the program in builds without NDEBUG (preset
 *         dev) and is nothing in others. step.c has one behind each stage.
 * Limits: a step that fails (retry.c) may leave numbers that are not finite; what follows from such
 *         numbers is not checked.
 */
#ifndef RNI_FLUID_VALIDATE_H
#define RNI_FLUID_VALIDATE_H

#include "fluid/water.h"

#include <assert.h>

#ifdef NDEBUG
#define RNI_VALIDATE(check) ((void)0)
#elif defined(__GLIBC__)
#define RNI_VALIDATE(check)                                                            \
    do {                                                                               \
        const char *problem_ = (check);                                                \
        if (problem_) __assert_fail(problem_, __FILE__, (unsigned)__LINE__, __func__); \
    } while (0)
#else
#define RNI_VALIDATE(check) assert(!(check))
#endif

/* Every particle is in the range of its cell, and cells follow each other. */
const char *rni_validate_sort(const rn_fluid *fluid);
/* The counts of a few particles equal brute force. After the density: the fused traversal finds the
 * neighbours there. */
const char *rni_validate_neighbors(const rn_fluid *fluid);
/* Shares are finite and in [0, 1); what walls add is finite. */
/* What walls add to particle i. */
const char *rni_validate_touch(const rn_fluid *fluid, uint32_t i);
const char *rni_validate_boundaries(const rn_fluid *fluid);
/* The same, and density is positive and finite where positions are finite. */
const char *rni_validate_density(const rn_fluid *fluid);
const char *rni_validate_pressure(const rn_fluid *fluid);
/* The accelerations by pairs alone (before walls and gravity are added) sum to zero. */
const char *rni_validate_pair_forces(const rn_fluid *fluid);
const char *rni_validate_forces(const rn_fluid *fluid);
/* No particle has moved further than its speed allows. */
const char *rni_validate_integrate(const rn_fluid *fluid);
/* A few particles: none is behind a wall, by a distance that the step does not use. */
const char *rni_validate_collide(const rn_fluid *fluid);
/* Between two steps: everything that is saved is finite, ids are below next_id, particles are in
 * the domain. */
const char *rni_validate_state(const rn_fluid *fluid);

#endif
