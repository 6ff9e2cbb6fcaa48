/* The hot loops of the field: plain C. */
#define KERNEL_NAME rni_field_kernel_plain
#include "surface/field_kernel.h"
