/* The hot loops of the field: AVX2. */
#define RNI_LANES   8
#define KERNEL_NAME rni_field_kernel_avx2
#include "surface/field_kernel.h"
