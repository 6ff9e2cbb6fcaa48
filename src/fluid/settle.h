/* The start: water has the pressure of its weight before it first moves.
 *
 * Idea:   without it, water that is placed at rest density falls into itself until pressure has built up, and rings:
 *         floor pressure swings between nothing and twice the right one, for seconds with soft sound. The pressure at
 *         the instant of release is that of an incompressible fluid: div (grad p / rho - g) is what its flow would gather by
 *         itself, with p = 0 at free surfaces and no flow through walls. It is hydrostatic in a tank, smaller beside the open face of a dam, zero
 *         in a falling drop; connected and covered vessels need no case of their own.
 * How:    solved on nodes one spacing apart by conjugate gradients, sums in a fixed order. Particles of blocks and
 *         balls move down by what the column below is compressed; density follows where the scheme keeps it. Particles
 *         that the caller has placed do not move.
 * Order:  once, before the first step; nothing after that. */
#ifndef RNI_FLUID_SETTLE_H
#define RNI_FLUID_SETTLE_H

#include "fluid/water.h"

/* Does nothing after the first step, when it was done before, or without rn_fluid_def.initial_pressure. */
rn_result rni_settle(rn_fluid *fluid);

#endif
