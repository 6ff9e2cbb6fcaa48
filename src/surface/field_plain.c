/* The hot loops of the field: plain C, four lanes. */
#define RNI_LANES   4
#define KERNEL_NAME rni_field_kernel_plain
#include "surface/field_kernel.h"
