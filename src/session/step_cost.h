/* What a step of a scene costs on this machine: wall-clock time and memory, measured by a few steps. */
#ifndef RNI_SESSION_STEP_COST_H
#define RNI_SESSION_STEP_COST_H

#include "scene/scene.h"

typedef struct rni_step_cost {
    rn_fluid_report report; /* of the last step; zero: nothing was measured */
    double step_s;          /* the shortest, by the wall clock */
} rni_step_cost;

/* Steps for about so many seconds; the first one is a warm-up. */
rn_result rni_step_cost_measure(rn_fluid *fluid, double seconds, rni_step_cost *cost);
/* For a scene whose pipes have yet to pour most of its particles: measures still water of the same
 * spacing in a box of its own, with `most` particles at most, and scales the result up to `particles`.
 * fluid was built from scene. */
rn_result rni_step_cost_estimate(const rni_scene *scene, const rni_scene_how *how,
                                 const rn_fluid *fluid, uint64_t particles, uint32_t most,
                                 rni_step_cost *cost);
/* Memory for so many particles of the scene, from one step of few particles; 0: not known. */
uint64_t rni_step_cost_bytes(const rni_scene *scene, const rni_scene_how *how,
                             const rn_fluid *fluid, uint64_t particles);

#endif
