/* The two ways through the pairs of a step: the same laws, the same results to rounding.
 *
 * Called in this order in every evaluation, after rni_fluid_sort() (but see stay); each fills whole arrays in
 * memory order. What a particle receives depends on the particles and the traversal only, never on
 * threads.
 */
#ifndef RNI_FLUID_TRAVERSAL_H
#define RNI_FLUID_TRAVERSAL_H

#include "fluid/water.h"

typedef struct rni_traversal {
    const char *name;
    rn_result (*create)(rn_fluid *fluid); /* fills fluid->traversal_state */
    void (*destroy)(rn_fluid *fluid);
    /* m: the radius, or further; cells are at least as long along y and z. */
    float (*reach)(const rn_fluid *fluid);
    /* Who is near whom, from position and cells. */
    rn_result (*search)(rn_fluid *fluid);
    /* Whether what the last search found is enough for particles in the same order that have moved by
     * at most `way` since: then neither sort nor search is called for this evaluation. */
    bool (*stay)(rn_fluid *fluid, float way);
    /* density[i]: the sum over the neighbours and i itself, times the constant, without walls;
     * neighbor_count[i]. Reads position. May fail (room for candidates). */
    rn_result (*density)(rn_fluid *fluid);
    /* normal[i] by params.tension (nothing to do for RN_TENSION_NONE). Reads position, velocity, pressure, density
     * (walls added). */
    void (*normals)(rn_fluid *fluid);
    /* normal_room[i] = sum over j and i itself of m_j / rho_j W_poly6 normal[j]. */
    void (*smooth)(rn_fluid *fluid);
    /* acceleration[i]: the pair forces alone; the stages after it add walls, gravity and the user's.
     * Reads position, velocity, density, pressure, normal. */
    void (*forces)(rn_fluid *fluid);
} rni_traversal;

extern const rni_traversal rni_traversal_fused;
extern const rni_traversal rni_traversal_lists;

#endif
