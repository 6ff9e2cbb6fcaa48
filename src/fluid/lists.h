/* The list traversal's neighbours, for its loops (pass_lists.h). */
#ifndef RNI_FLUID_LISTS_H
#define RNI_FLUID_LISTS_H

#include "fluid/pass.h"

typedef struct rni_lists_state {
    rni_records records;
    rn_search *search;
    rn_neighbors lists; /* in ascending order, without i itself */
    /* With thin walls (thin_walls.h): the lists without those that a wall hides; NULL: without thin walls. */
    rn_list *seen;
    rni_buffer seen_buffer, index_buffer;
} rni_lists_state;

static inline rn_list rni_list_of(const rn_fluid *fluid, uint32_t i)
{
    const rni_lists_state *state = fluid->traversal_state;
    if (state->seen) return state->seen[i];
    rn_list list = rn_neighbors_get_list(&state->lists, i);
    return list.index ? list : (rn_list){0};
}

#endif
