/* Point sets that try to break a neighbour search. */
#ifndef RNI_TESTS_WORLDS_H
#define RNI_TESTS_WORLDS_H

#include <runnel/search.h>

typedef struct world {
    const char *name;
    uint32_t count;
    float radius;
    float (*position)[3]; /* malloc'd; 2D tests take x and y */
} world;

/* Point set number `number`, or false past the last. About `size` points where the kind allows;
 * fewer under a sanitizer (fact.h) unless they are 8192 or more, which are divided among threads.
 * */
bool world_make(uint32_t number, uint32_t size, world *out);
void world_free(world *w);

/* All levels of instruction sets this machine has, plain first; returns how many. */
uint32_t world_cpu_levels(rn_cpu_level levels[3]);

/* True for methods whose inner loops exist for each of them. */
bool world_has_levels(rn_search_method method);

/* Packed positions of a point set as the API takes them. */
rn_points world_points(const world *w);

#endif
