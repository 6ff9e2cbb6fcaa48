/* Outlets and open sides remove particles. */
#ifndef RNI_FLUID_OUTLETS_H
#define RNI_FLUID_OUTLETS_H

#include "fluid/sources.h"

/* Gives up what outlets hold. */
void rni_outlets_destroy(rn_fluid *fluid);
rn_result rni_remove_leavers(rn_fluid *fluid, rn_fluid_report *report);

#endif
