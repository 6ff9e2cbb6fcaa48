/* The loops of the fused traversal for any machine: one particle times four neighbours. Root and quotient
 * are exact and nothing is contracted, so the bits are the same on all machines. */
#include "fluid/fused.h"

#define RNI_LANES   4
#define KERNEL_NAME rni_fused_plain
#include "base/lanes.h"

#include "fluid/laws.h"

#include "fluid/fused_kernel.h"
