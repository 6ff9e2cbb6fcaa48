/* Facts about a scene before it runs: particles, time step, cost, warnings. `runnel check` prints
 * them. */
#ifndef RNI_SESSION_EXPLAIN_H
#define RNI_SESSION_EXPLAIN_H

#include "scene/warnings.h"
#include "session/step_cost.h"

typedef struct rni_explained_pipe {
    double flow; /* m^3/s (2D: m^2/s) with a factor of 1, through the part of the mouth that walls leave open */
    uint32_t layer, open; /* particles of a layer: all, and those that are not inside a wall */
} rni_explained_pipe;

typedef struct rni_explanation {
    rni_scene_built built;
    rn_fluid_derived derived;
    rni_scene_warnings warnings;
    uint64_t wanted;       /* particles of blocks, balls and pipes, without a limit */
    uint64_t particles;    /* the same, fluid.max_particles at most */
    bool is_endless;       /* a pipe without end: particles is an estimate */
    double steps, seconds; /* until the end, simulated */
    rni_step_cost cost;    /* step_s is 0 when no step was measured */
    uint64_t bytes;        /* memory with all particles; 0: not known */
    rni_explained_pipe pipe[RNI_SCENE_MAX_PIPES];
} rni_explanation;

/* Whether its times close the pipe for good. */
bool rni_scene_pipe_ends(const rni_scene_pipe *pipe);
/* About how many particles pipe k of a built scene without a limit of its own pours until a time, s. */
double rni_scene_pipe_poured(const rni_scene *scene, const rn_fluid *fluid,
                             const rni_scene_built *built, uint32_t k, double end);

/* Builds the scene and, when is_measured, takes steps for about half a second. */
rn_result rni_scene_explain(const rni_scene *scene, const rni_scene_how *how, bool is_measured,
                            rni_explanation *explanation);

#endif
