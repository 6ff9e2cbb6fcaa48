/* The loops of the fused traversal for AVX-512: four particles times four neighbours. */
#define RNI_LANES 16
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

#include "fluid/fused_find.h"
