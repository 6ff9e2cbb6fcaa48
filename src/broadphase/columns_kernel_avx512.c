/* The hot loops of "layered-columns" for AVX-512: 16 lanes. */
#include "broadphase/columns.h"

#define RNI_LANES   16
#define KERNEL_NAME rni_column_kernel_avx512
#include "base/lanes.h"

#include "broadphase/columns_kernel.h"
