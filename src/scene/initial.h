/* The start of blocks by formulas: the free surface and the velocity field. */
#ifndef RNI_SCENE_INITIAL_H
#define RNI_SCENE_INITIAL_H

#include "base/formula.h"
#include "scene/regions.h"

/* The formulas of a block, read, and the region that it fills. */
typedef struct rni_initial {
    rni_region *region; /* borrowed; NULL: all of the box */
    float level;
    rni_formula surface, velocity[3];
    bool has_surface, has_velocity;
    uint32_t dim, up; /* up: the axis of the height */
    bool is_up_low;   /* gravity points to the high side of that axis */
    bool is_bad;      /* a formula was not finite, at bad_place */
    float bad_place[3];
} rni_initial;

/* False: *error says what is wrong, in "surface" or "velocity_field" (*key). */
bool rni_initial_read(const rni_scene *scene, const rni_scene_block *block, rni_initial *initial,
                      const char **key, rni_formula_error *error);
/* Of a rn_fluid_block; user is an rni_initial. */
bool rni_initial_place(void *user, const float position[3], float velocity[3]);

#endif
