/* Names of the fluid's enums as text: the one table that the command, scenes and docs read. */
#include "fluid/gauges.h"
#include "solid/solid.h"

#include <runnel/fluid.h>

#define MAX_NAMES 11

static const char *const names[][MAX_NAMES + 1] = {
    [RN_CHOICE_PRESSURE] = {"tait", "gas"},
    [RN_CHOICE_VISCOSITY] = {"none", "laplacian"},
    [RN_CHOICE_TENSION] = {"none", "akinci", "color-field", "surface-energy"},
    [RN_CHOICE_INTEGRATOR] = {"euler", "symplectic-euler", "leapfrog", "kick-drift"},
    [RN_CHOICE_TRAVERSAL] = {"fused", "lists"},
    [RN_CHOICE_SLIP] = {"free", "none"},
    [RN_CHOICE_BOUND] = {"fixed", "sound", "force", "viscosity", "tension", "max", "retry"},
    [RN_CHOICE_KERNELS] = {"wendland", "spiky", "papers"},
    [RN_CHOICE_CLOCK] = {"sort", "search", "density", "pressure", "normals", "forces", "integrate",
                         "collide", "sources", "report", "boundaries"},
    [RN_CHOICE_SCHEME] = {"wcsph", "corrected"},
    [RN_CHOICE_PRESET] = {"live", "balanced", "accurate", "classic"},
    [RN_CHOICE_SOLVER] = {"explicit", "implicit"},
    [RN_CHOICE_LAW] = {"newtonian", "power-law", "carreau", "bingham"},
    [RN_CHOICE_WALL_LAW] = {"layers", "virtual-particles"},
};

const char *rn_fluid_choice_name(rn_fluid_choice choice, uint32_t value)
{
    if (choice == RN_CHOICE_SOLID) return rni_solid_shape_name(value);
    if (choice == RN_CHOICE_GAUGE) return rni_gauge_kind_name(value);
    if ((uint32_t)choice >= sizeof names / sizeof *names || value >= MAX_NAMES) return NULL;
    return names[choice][value];
}
