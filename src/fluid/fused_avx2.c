/* The loops of the fused traversal for AVX2: two particles times four neighbours. */
#define RNI_LANES 8
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

#include "fluid/fused_find.h"
