/* The hot loops of the hierarchy in plain C: one lane. */
#include "base/pi.h"
#include "mesh/hierarchy.h"

#define RNI_LANES   1
#define KERNEL_NAME rni_hierarchy_kernel_plain
#include "base/lanes.h"

#include "mesh/hierarchy_kernel.h"
