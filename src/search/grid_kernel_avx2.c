/* The hot loops of "grid" for AVX2: 8 lanes. */
#include "search/grid_cells.h"

#define RNI_LANES   8
#define KERNEL_NAME rni_grid_kernel_avx2
#include "base/lanes.h"

#include "search/grid_kernel.h"
