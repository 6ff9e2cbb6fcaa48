/* The closed form of the boundary field for AVX2. */
#define LANES 4
#define NAME  rni_field_add_avx2
#include "mesh/field_sum.h"
