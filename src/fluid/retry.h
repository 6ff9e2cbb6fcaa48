/* Steps that fail are repeated with smaller substeps, from the state at their start.
 *
 * Job:    keeps the state, takes a step in as many substeps as needed, brings the state back when
 *         that fails.
 * Order:  keep; advance; restore after any failure; end. Particles and counts of sources are kept.
 */
#ifndef RNI_FLUID_RETRY_H
#define RNI_FLUID_RETRY_H

#include "fluid/water.h"

/* What a step begins with, beside the arrays. */
typedef struct rni_step_start {
    double time;
    float last_dt;
    bool has_previous_density;
} rni_step_start;

rni_step_start rni_retry_keep(rn_fluid *fluid);
void rni_retry_restore(rn_fluid *fluid, const rni_step_start *start);
void rni_retry_end(rn_fluid *fluid);

/* Evaluates and moves by one step, or in substeps; fills time_step, safe_step, bound, retries and
 * flags. */
rn_result rni_retry_advance(rn_fluid *fluid, const rni_step_start *start, rn_fluid_report *report);
/* Fails when an operator has left something that is not finite. */
rn_result rni_retry_check_operators(rn_fluid *fluid);

#endif
