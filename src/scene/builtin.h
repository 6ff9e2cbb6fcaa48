/* scenes/ as the build put them into the program (cmake/embed_scenes.cmake). */
#ifndef RNI_SCENE_BUILTIN_H
#define RNI_SCENE_BUILTIN_H

#include "scene/scene.h"

extern const rni_scene_builtin rni_scene_builtins[];
extern const uint32_t rni_scene_builtin_count;

#endif
