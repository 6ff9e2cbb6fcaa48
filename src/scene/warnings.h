/* Warnings about a scene: what is allowed but probably a mistake. `runnel check` prints them. */
#ifndef RNI_SCENE_WARNINGS_H
#define RNI_SCENE_WARNINGS_H

#include "scene/scene.h"

#define RNI_MAX_WARNINGS 32u

typedef struct rni_scene_warnings {
    uint32_t count; /* may be more than are kept */
    char text[RNI_MAX_WARNINGS][320];
    char note[240]; /* a sentence about what may well be meant; "": none */
} rni_scene_warnings;

/* Fills warnings anew. fluid was built from scene. */
void rni_scene_warn(const rni_scene *scene, const rni_scene_built *built, const rn_fluid *fluid,
                    rni_scene_warnings *warnings);
/* Adds one sentence. */
__attribute__((format(printf, 2, 3))) void rni_scene_warnings_add(rni_scene_warnings *warnings,
                                                                  const char *format, ...);

#endif
