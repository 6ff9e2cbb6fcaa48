/* Repeatable random numbers: the same seed gives the same sequence on every machine. */
#ifndef RNI_BASE_RANDOM_H
#define RNI_BASE_RANDOM_H

#include <stdint.h>

typedef struct rni_random {
    uint64_t state;
} rni_random;

rni_random rni_random_make(uint64_t seed);
uint64_t rni_random_u64(rni_random *random);
/* Below bound, without bias; bound > 0. */
uint32_t rni_random_below(rni_random *random, uint32_t bound);
/* In [0, 1). */
double rni_random_unit(rni_random *random);
/* In [low, high). */
float rni_random_float(rni_random *random, float low, float high);
/* Mean 0, deviation 1. */
double rni_random_normal(rni_random *random);

#endif
