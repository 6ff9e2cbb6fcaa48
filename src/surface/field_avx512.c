/* The hot loops of the field: AVX-512. */
#define RNI_LANES   16
#define KERNEL_NAME rni_field_kernel_avx512
#include "surface/field_kernel.h"
