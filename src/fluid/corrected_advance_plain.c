/* The corrected scheme's densities a step later, four particles at once: any processor. */
#define RNI_LANES 4
#define NAME      rni_corrected_advance_plain
#include "fluid/corrected_advance.h"
