#include "fluid/scheme.h"

static const rni_scheme *const schemes[] = {
    [RN_SCHEME_WCSPH] = &rni_scheme_wcsph,
    [RN_SCHEME_CORRECTED] = &rni_scheme_corrected,
};

const rni_scheme *rni_scheme_of(rn_fluid_scheme scheme)
{
    return (uint32_t)scheme < sizeof schemes / sizeof *schemes ? schemes[scheme] : NULL;
}
