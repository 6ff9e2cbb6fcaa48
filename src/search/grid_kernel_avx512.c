/* The hot loops of "grid" for AVX-512: 16 lanes. */
#include "search/grid_cells.h"

#define RNI_LANES   16
#define KERNEL_NAME rni_grid_kernel_avx512
#include "base/lanes.h"

#include "search/grid_kernel.h"
