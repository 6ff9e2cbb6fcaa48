/* Surface tension in N / m: the law `surface-energy`.
 *
 * Idea:   a particle at the surface lacks neighbours, and that costs energy. With the cover c_i, the sum of a
 *         wide kernel k over the neighbours (1 inside, about 0.8 at a flat surface),
 *             E = e V sum over i of psi(c_i),  s = - psi'(c): 1 at the surface, 0 inside, smooth between.
 *         The force is the exact slope of E, a pair force - e V^2 (s_i + s_j) k'(r): linear and angular momentum
 *         are conserved to rounding, and nothing acts inside, so that the fluid has no stiffness in shear.
 * Size:   what lacks at a flat surface of the lattice is worth sigma: e = sigma / (spacing sum of (1 - c)).
 *         `runnel lab laplace` and `runnel lab drop` measure it.
 * Walls:  count as fluid for the cover, which is a contact angle of 90 degrees. Larger angles fill them in
 *         part only (1 + cos), smaller ones draw the fluid by the potential - e cos times the part of the kernel
 *         that is solid: the energy of a wetted wall is - sigma cos (Young).
 * Fluids: of several, each has e sigma_a psi(c), with the cover by all fluids, and an interface the stress of a skin,
 *             Pi = |g| (1 - n n),  g = sum over other fluids b of sigma_ab grad C_b,  n = g / |g|
 *         (the continuum surface stress of Lafaurie et al. 1994), whose divergence is a pair force (Pi_i + Pi_j) grad k:
 *         linear momentum is conserved to rounding, angular momentum is not exactly. Pi has no part along n, so that
 *         the pressure steps by sigma / R and has no peaks. Attraction within each fluid, or repulsion between the
 *         two, opens a gap, which is a free surface for the density and for psi(c): drops then had 1.6 times
 *         the pressure and swung too slowly. sigma_ab is at most sigma_a + sigma_b (Dupre: the work of adhesion is not
 *         negative); at the sum two fluids do not cover each other, and the interface is their two surfaces.
 * Order:  after the boundaries and the summed density; writes fluid->cohesion, which the schemes add. The
 *         corrected scheme leaves this acceleration out of its diffusion, as it does with gravity.
 * Next:   surface_tension.c, passes/cover.h, passes/tension.h.
 */
#ifndef RNI_FLUID_SURFACE_TENSION_H
#define RNI_FLUID_SURFACE_TENSION_H

#include "fluid/water.h"

/* Fills fluid->tension_walls: once, for the spacing and radius of the fluid. */
void rni_surface_tension_prepare(rn_fluid *fluid);
/* Acceleration by surface tension (fluid->cohesion); nothing with other laws. */
void rni_stage_surface_tension(rn_fluid *fluid);

/* J / m^3: e, of a tension of 1 N / m; also where a wall gives a potential. */
double rni_surface_tension_energy(const rn_fluid_def *def, double radius);

static inline bool rni_has_surface_energy(const rn_fluid_params *params)
{
    return params->tension == RN_TENSION_SURFACE_ENERGY;
}

#endif
