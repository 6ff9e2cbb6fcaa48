/* All passes of the library, in the order of a step. A pass is a file in passes/, its include and its line
 * here; docs/adding-a-pair-law.md shows the way. */
#ifndef RNI_FLUID_PASSES_H
#define RNI_FLUID_PASSES_H

#include "fluid/pass.h"

#define RNI_PASSES(X) \
    X(density)        \
    X(normals)        \
    X(smooth)         \
    X(forces)

RNI_PASSES(RNI_PASS_DECLARE)

#endif

#if defined(RNI_PASS_EXPAND) && !defined(RNI_FLUID_PASSES_EXPANDED)
#define RNI_FLUID_PASSES_EXPANDED
#include "fluid/passes/density.h"
#include "fluid/passes/forces.h"
#include "fluid/passes/normals.h"
#include "fluid/passes/smooth.h"

RNI_PASSES(RNI_PASS_EXPAND)
#endif
