/* A set of pairs that come and go: for methods that keep overlaps from step to step. The order is
 * that of coming; when one goes, the last one takes its place. */
#ifndef RNI_BROADPHASE_PAIR_SET_H
#define RNI_BROADPHASE_PAIR_SET_H

#include "broadphase/method.h"

typedef struct rni_pair_set {
    rni_memory *memory;
    rni_buffer pairs;   /* rn_pair */
    rni_buffer slots;   /* uint32_t: place in pairs + 1; 0: free. Open addressing */
    uint32_t slot_bits; /* 2^slot_bits slots; 0: none yet */
    uint32_t count;
    uint64_t limit_bytes; /* all that may be held of memory */
} rni_pair_set;

void rni_pair_set_clear(rni_pair_set *set); /* keeps its memory */
void rni_pair_set_free(rni_pair_set *set);
/* Nothing happens when the pair is there already. */
rn_result rni_pair_set_add(rni_pair_set *set, uint32_t i, uint32_t j);
/* Nothing happens when it is not. */
void rni_pair_set_remove(rni_pair_set *set, uint32_t i, uint32_t j);
/* NULL, or what is wrong (base/validate.h). */
const char *rni_validate_pair_set(const rni_pair_set *set);

#endif
