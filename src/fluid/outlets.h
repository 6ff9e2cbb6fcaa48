/* Outlets and open sides remove particles. */
#ifndef RNI_FLUID_OUTLETS_H
#define RNI_FLUID_OUTLETS_H

#include "fluid/sources.h"

rn_result rni_remove_leavers(rn_fluid *fluid, rn_fluid_report *report);

#endif
