/* The Verlet skin: keeps candidates within radius + skin, and filters them by the exact test at
 * each update, until some point has moved so far that a pair could be missing. */
#ifndef RNI_SEARCH_SKIN_H
#define RNI_SEARCH_SKIN_H

#include "search/lists.h"

typedef struct rni_skin {
    bool is_valid;
    double base[3]; /* of the positions below */
    uint32_t counts[RN_SEARCH_MAX_SETS];
    /* float[3] per point: position when the candidates were found */
    rni_buffer built[RN_SEARCH_MAX_SETS];
    rni_buffer present[RN_SEARCH_MAX_SETS]; /* float[3] per point: current position */
    rni_lists candidates[RN_SEARCH_MAX_SETS][RN_SEARCH_MAX_SETS];
} rni_skin;

/* Reads the current positions. *still_good: the candidates include all pairs within the radius. */
rn_result rni_skin_take(rni_skin *skin, rni_search_env *env, const rni_cloud *clouds,
                        uint32_t set_count, const double base[3], float radius, bool *still_good);

/* The current positions become the reference positions of the candidates. */
void rni_skin_rebuilt(rni_skin *skin, uint32_t set_count);

/* Lists (or counts) of one set in another: the candidates that are near now. */
rn_result rni_skin_filter(rni_skin *skin, rni_search_env *env, uint32_t set, uint32_t searched,
                          const rni_space *space, rn_lists lists, rni_lists *out);

void rni_skin_free(rni_memory *memory, rni_skin *skin);

#endif
