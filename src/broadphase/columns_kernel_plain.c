/* The hot loops of "layered-columns" in plain C: one lane. */
#include "broadphase/columns.h"

#define RNI_LANES   1
#define KERNEL_NAME rni_column_kernel_plain
#include "base/lanes.h"

#include "broadphase/columns_kernel.h"
