/* The passes of iterated_passes.h, expanded for RNI_LANES: compiled once for each traversal and instruction set. */
#if RNI_LANES == 1
#include "fluid/pass_lists.h"
#else
#include "fluid/fused_pass.h"
#endif

#include "fluid/iterated_passes.h"

ITERATED_PASSES(RNI_PASS_EXPAND)

#if RNI_LANES == 1
ITERATED_PASSES(RNI_PASS_DEFINE)
#endif
