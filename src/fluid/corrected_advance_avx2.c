/* The corrected scheme's densities a step later, eight particles at once: AVX2. */
#define RNI_LANES 8
#define NAME      rni_corrected_advance_avx2
#include "fluid/corrected_advance.h"
