/* The hot loops of "grid" in plain C: one lane. */
#include "search/grid_cells.h"

#define RNI_LANES   1
#define KERNEL_NAME rni_grid_kernel_plain
#include "base/lanes.h"

#include "search/grid_kernel.h"
