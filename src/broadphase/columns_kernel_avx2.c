/* The hot loops of "layered-columns" for AVX2: 8 lanes. */
#include "broadphase/columns.h"

#define RNI_LANES   8
#define KERNEL_NAME rni_column_kernel_avx2
#include "base/lanes.h"

#include "broadphase/columns_kernel.h"
