#include "base/random.h"

#include <math.h>

rni_random rni_random_make(uint64_t seed)
{
    rni_random random = {seed};
    rni_random_u64(&random);
    return random;
}

/* splitmix64 (Steele, Lea, Flood 2014): one word of state, passes BigCrush. */
uint64_t rni_random_u64(rni_random *random)
{
    uint64_t word = (random->state += 0x9e3779b97f4a7c15u);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

uint32_t rni_random_below(rni_random *random, uint32_t bound)
{
    uint32_t threshold = (uint32_t)-bound % bound;
    for (;;) {
        uint64_t product = (rni_random_u64(random) >> 32) * bound;
        if ((uint32_t)product >= threshold) return (uint32_t)(product >> 32);
    }
}

double rni_random_unit(rni_random *random)
{
    return (double)(rni_random_u64(random) >> 11) * 0x1p-53;
}

float rni_random_float(rni_random *random, float low, float high)
{
    float value = low + (high - low) * ((float)(rni_random_u64(random) >> 40) * 0x1p-24f);
    return value < high ? value : low;
}

double rni_random_normal(rni_random *random)
{
    double radius = sqrt(-2.0 * log(1.0 - rni_random_unit(random)));
    return radius * cos(6.283185307179586 * rni_random_unit(random));
}
