/* What `runnel check` finds out about a scene. */
#ifndef RNI_CLI_CHECK_H
#define RNI_CLI_CHECK_H

#include "scene/scene.h"

#define RNI_MAX_WARNINGS 32u

typedef struct rni_scene_warnings {
    uint32_t count; /* may be more than are kept */
    char text[RNI_MAX_WARNINGS][240];
} rni_scene_warnings;

/* What is allowed and yet unlikely to be meant. fluid was built from scene. */
void rni_scene_warn(const rni_scene *scene, const rni_scene_built *built, const rn_fluid *fluid,
                    rni_scene_warnings *warnings);

#endif
