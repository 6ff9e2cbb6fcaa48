/* The hot loops of the hierarchy for AVX2: eight lanes. */
#include "base/pi.h"
#include "mesh/hierarchy.h"

#define RNI_LANES   8
#define KERNEL_NAME rni_hierarchy_kernel_avx2
#include "base/lanes.h"

#include "mesh/hierarchy_kernel.h"
