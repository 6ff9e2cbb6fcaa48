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

/* What a step costs here, by the wall clock. */
typedef struct rni_measured {
    rn_fluid_report report; /* of the last step; zero: nothing was measured */
    double step_s;          /* the shortest */
} rni_measured;
/* Steps for about so many seconds; the first warms up. */
rn_result rni_measure_steps(rn_fluid *fluid, double seconds, rni_measured *measured);
/* As much water as the pipes of scene, whose fluid this is, will have poured, still, in a box of
 * its own; when that is more than
 * `most` particles, the cost of so many, in proportion. */
rn_result rni_measure_stand_in(const rni_scene *scene, const rni_scene_how *how,
                               const rn_fluid *fluid, uint64_t particles, uint32_t most,
                               rni_measured *measured);

#endif
