/* All passes of the library, in the order of a step. A pass is a file in passes/, its include and its line
 * here; docs/adding-a-pair-law.md shows the way. */
#ifndef RNI_FLUID_PASSES_H
#define RNI_FLUID_PASSES_H

#include "fluid/pass.h"

#define RNI_PASSES(X) \
    X(density)        \
    X(normals)        \
    X(smooth)         \
    X(forces)         \
    X(rates)          \
    X(stress)         \
    X(cohesion)       \
    X(cover)          \
    X(tension)        \
    X(strain)         \
    X(viscous)        \
    X(viscous_start)

RNI_PASSES(RNI_PASS_DECLARE)

/* What callers give to rni_pass_rates (passes/rates.h) and rni_pass_stress (passes/stress.h). */
#define RNI_RATES_PLANES 4u
typedef struct rni_rates_constants {
    float hydrostatic[3]; /* kg / m^4: rest_density g / sound_speed^2; of periodic fluids */
} rni_rates_constants;

/* Powers of two smaller than in the equations, because r is computed twice too long. */
typedef struct rni_stress_constants {
    float viscous;         /* 2 times the physical viscosity, Pa s */
    float impact;          /* rest_density times the factor of u; / 4 */
    float impact_most;     /* rest_density sound_speed; / 2 */
    const float *crowding; /* records: S of rates.h first; not of several fluids */
} rni_stress_constants;

/* Of rni_pass_viscous, rni_pass_viscous_start (passes/viscous.h) and rni_pass_strain (passes/strain.h). */
typedef struct rni_viscous_constants {
    float inverse_h_sq; /* 1 / m^2: 1 over the radius squared of the weight */
    float part[2];      /* of the weight: rni_viscous_form (viscosity.h) */
    float scale;        /* m / kg: of the sum; makes an acceleration of it */
} rni_viscous_constants;

/* Two fluids whose interface has a tension. */
#define RNI_TENSION_PAIRS (RN_FLUID_MAX_PHASES * (RN_FLUID_MAX_PHASES - 1) / 2)
typedef struct rni_tension_pair {
    float a, b;      /* their numbers */
    float tension;   /* N / m; 0 without adhesion: then it is that of the two surfaces */
    float is_joined; /* 0 without adhesion, else 1 */
} rni_tension_pair;

/* Of rni_pass_cover (passes/cover.h) and rni_pass_tension (passes/tension.h). */
typedef struct rni_tension_constants {
    float wide, narrow;             /* k = t^3 (wide + narrow t) */
    float wide_slope, narrow_slope; /* 2 f = t^2 (wide_slope + narrow_slope t) = - k' / r */
    float cover;                    /* 1 over the sum of k on the lattice */
    float pull;                     /* m^2 / s^2: the same, times e over the rest density */
    float gradient;                 /* 1 over the integral of k, times the volume of a particle */
    bool has_many;                  /* more than four fluids */
    uint32_t pair_count;
    rni_tension_pair pair[RNI_TENSION_PAIRS];
} rni_tension_constants;

#endif

#if defined(RNI_PASS_EXPAND) && !defined(RNI_FLUID_PASSES_EXPANDED)
#define RNI_FLUID_PASSES_EXPANDED
#include "fluid/passes/density.h"
#include "fluid/passes/forces.h"
/* after forces.h, whose Akinci tension it has */
#include "fluid/passes/cohesion.h"
#include "fluid/passes/cover.h"
#include "fluid/passes/normals.h"
#include "fluid/passes/rates.h"
#include "fluid/passes/smooth.h"
#include "fluid/passes/strain.h"
#include "fluid/passes/stress.h"
#include "fluid/passes/tension.h"
#include "fluid/passes/viscous.h"

RNI_PASSES(RNI_PASS_EXPAND)
#endif
