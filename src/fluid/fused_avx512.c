/* The loops of the fused traversal for AVX-512: four particles times four neighbours. */
#include "fluid/fused.h"

#define RNI_LANES   16
#define KERNEL_NAME rni_fused_avx512
#include "base/lanes.h"

#include "fluid/laws.h"

#include "fluid/fused_kernel.h"
