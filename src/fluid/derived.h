/* The derived numbers of a fluid as a value, for code that wants one of them in an expression. */
#ifndef RNI_FLUID_DERIVED_H
#define RNI_FLUID_DERIVED_H

#include <runnel/fluid.h>

static inline rn_fluid_derived rni_fluid_derived_of(const rn_fluid *fluid)
{
    rn_fluid_derived derived = rn_fluid_derived_default();
    (void)rn_fluid_get_derived(fluid, &derived); /* refuses nothing but a wrong struct_bytes */
    return derived;
}

#endif
