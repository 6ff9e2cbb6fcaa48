/* What the files of pipes share: pipes.c (the caller's functions), pipe_mouth.c (where the particles
 * of a stream start), pipe_flow.c (adding them during a step). */
#ifndef RNI_FLUID_PIPES_H
#define RNI_FLUID_PIPES_H

#include "fluid/sources.h"

/* pipes.c: the pipe with this id; NULL when there is none. */
rni_pipe *rni_pipe_of(const rn_fluid *fluid, rn_fluid_id id);

/* pipe_mouth.c: from the definition of a pipe to its frame and lattice. Refuses a mouth from which
 * nothing can come. */
rn_result rni_pipe_shape(const rn_fluid *fluid, rni_pipe *pipe);
/* Goes through the columns: starts all zero. */
typedef struct rni_pipe_walk {
    uint32_t n;
    int64_t cursor;
} rni_pipe_walk;
/* The next column; false past the last. */
bool rni_pipe_place_next(const rn_fluid *fluid, rni_pipe *pipe, rni_pipe_walk *walk,
                         rni_pipe_place *place);
/* Folds x into the period, if there is one; false: x is past an open side. */
bool rni_fold_in(const rn_fluid *fluid, float x[3]);

/* pipe_flow.c: adds the particles that the stream of one pipe has brought in this step. */
rn_result rni_pipe_pour(rn_fluid *fluid, rni_pipe *pipe, rn_fluid_report *report);

#endif
