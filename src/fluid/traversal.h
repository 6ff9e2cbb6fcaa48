/* The two traversals of the pairs of an evaluation: the same passes, the same results to rounding.
 *
 * Job:    fused.c consumes neighbours as it finds them and packs four at a time for the lanes of each
 *         instruction set; lists.c takes neighbour lists from any search method, one pair at a time.
 * Order:  in every evaluation, after rni_fluid_sort(): search (unless can_reuse), density, then any
 *         passes (rni_pass_run). What a particle receives depends on the particles and the traversal only,
 *         never on threads.
 * Next:   pass.h (what a pass is), lists.c, fused.h.
 */
#ifndef RNI_FLUID_TRAVERSAL_H
#define RNI_FLUID_TRAVERSAL_H

#include "fluid/pass.h"

typedef struct rni_traversal {
    rn_result (*create)(rn_fluid *fluid); /* fills fluid->traversal_state */
    void (*destroy)(rn_fluid *fluid);
    /* m: the radius or more; cells are at least as long along y and z. */
    float (*reach)(const rn_fluid *fluid);
    /* Prepares for the neighbours of all particles, from position and cells. */
    rn_result (*search)(rn_fluid *fluid);
    /* Whether the last search is enough for particles in the same order, each of which has moved by at most
     * `displacement` (m) since: then neither sort nor search is called for this evaluation. */
    bool (*can_reuse)(rn_fluid *fluid, float displacement);
    /* The density pass (passes/density.h), while the fused traversal finds the neighbours. Reads position. Fails
     * without memory for candidates and lists. */
    rn_result (*density)(rn_fluid *fluid);
    /* The same without the density, for schemes that sum it in a pass of their own. */
    rn_result (*find)(rn_fluid *fluid);
    /* For rni_pass_run(): which of a pass's loops runs, and how many particles a piece of it has. */
    rni_pass_loop (*loop)(const rn_fluid *fluid);
    uint32_t piece_size;
    /* What is wrong with the lists of the last density, as a sentence; NULL: nothing. Reads all of them: for debug
     * builds and tests. */
    const char *(*check)(const rn_fluid *fluid);
} rni_traversal;

extern const rni_traversal rni_traversal_fused;
extern const rni_traversal rni_traversal_lists;

#endif
