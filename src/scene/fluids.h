/* Several fluids in a scene (docs/several-fluids.md). */
#ifndef RNI_SCENE_FLUIDS_H
#define RNI_SCENE_FLUIDS_H

#include "scene/reading.h"

/* 1 + the number of the fluid of that name; 0 for "": all. */
uint32_t rni_scene_only_fluid(const rni_scene *scene, const char *name);
/* After reading: where one of several fluids is a paste, the solver of the viscosity is the implicit one. */
void rni_scene_fluids_ready(rni_scene *scene);

/* The fluids themselves; and the value "fluid" at this path. */
void rni_scene_check_fluids(rni_reading *reading, const rni_scene *scene);
void rni_scene_check_fluid_name(rni_reading *reading, const rni_scene *scene, const char *name);
/* Number k of the list, whose path this is. */
void rni_scene_check_interface(rni_reading *reading, const rni_scene *scene, uint32_t k);

#endif
