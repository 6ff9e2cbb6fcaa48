/* The loops of the fused traversal for any machine: one particle times four neighbours. Root and quotient
 * are exact and nothing is contracted, so the bits are the same on all machines. */
#define RNI_LANES 4
#include "fluid/fused_pass.h"

#include "fluid/passes.h"

#include "fluid/fused_find.h"
