/* A dynamic set of pairs, for methods that keep overlaps from step to step. Pairs are in insertion
 * order; when one is removed, the last pair takes its position. */
#ifndef RNI_BROADPHASE_PAIR_SET_H
#define RNI_BROADPHASE_PAIR_SET_H

#include "broadphase/method.h"

typedef struct rni_pair_set {
    rni_memory *memory;
    rni_buffer pairs;   /* rn_pair */
    rni_buffer slots;   /* uint32_t: index in pairs + 1; 0: free. Open addressing */
    uint32_t slot_bits; /* 2^slot_bits slots; 0: none yet */
    uint32_t count;
    uint64_t limit_bytes; /* upper bound of the memory held */
} rni_pair_set;

void rni_pair_set_clear(rni_pair_set *set); /* keeps its memory */
void rni_pair_set_free(rni_pair_set *set);
/* No effect if the pair is already in the set. */
rn_result rni_pair_set_add(rni_pair_set *set, uint32_t i, uint32_t j);
/* No effect if the pair is not in the set. */
void rni_pair_set_remove(rni_pair_set *set, uint32_t i, uint32_t j);
/* NULL, or the violated rule (base/validate.h). */
const char *rni_validate_pair_set(const rni_pair_set *set);

#endif
