/* Sets of boxes that try to break a broad phase. */
#ifndef RNI_TESTS_SCENES_H
#define RNI_TESTS_SCENES_H

#include <runnel/broadphase.h>

typedef struct scene {
    const char *name;
    uint32_t count;
    float (*low)[3], (*high)[3]; /* malloc'd; 2D tests take x and y */
    float (*velocity)[3];        /* malloc'd, or NULL */
    float time_step;
} scene;

/* Scene number `number`, or false past the last. About `size` boxes where the kind allows. */
bool scene_make(uint32_t number, uint32_t size, scene *out);
void scene_free(scene *s);

/* The scene a step later: boxes move a little and change their size. */
void scene_step(scene *s, uint64_t seed);

/* As the API expects it. */
rn_boxes scene_boxes(const scene *s);

/* Scenes in which nearly all possible pairs overlap: larger ones are left out. */
bool scene_is_crowded(const scene *s);

/* All instruction set levels of this machine, plain first; returns their number. */
uint32_t scene_cpu_levels(rn_cpu_level levels[3]);

/* True for methods with separate hot loops per instruction set. */
bool scene_has_levels(rn_broadphase_method method);

/* Queries of one kind around the boxes of a scene; free with scene_queries_free. */
rn_queries scene_queries(const scene *s, rn_query_kind kind, uint32_t count, uint64_t seed);
void scene_queries_free(rn_queries *queries);

#endif
