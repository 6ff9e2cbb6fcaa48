/* The user's functions in the step (Grahn 2008, 7.1), and the neighbours that they may ask for. */
#ifndef RNI_FLUID_OPERATORS_H
#define RNI_FLUID_OPERATORS_H

#include "fluid/water.h"

rn_result rni_operators_create(rn_fluid *fluid);
void rni_operators_destroy(rn_fluid *fluid);

#endif
