/* The loops of the fused traversal for AVX2: two particles times four neighbours. */
#include "fluid/fused.h"

#define RNI_LANES   8
#define KERNEL_NAME rni_fused_avx2
#include "base/lanes.h"

#include "fluid/laws.h"

#include "fluid/fused_kernel.h"
