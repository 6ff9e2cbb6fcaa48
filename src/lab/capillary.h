/* What the experiments with surface tension in N / m share. */
#ifndef RNI_LAB_CAPILLARY_H
#define RNI_LAB_CAPILLARY_H

#include "lab/water.h"

#define RNI_LAB_TENSION 0.0728 /* N / m, of water */
#define RNI_LAB_DENSITY 1000.0 /* kg / m^3 */
/* N / m, of oil against air and against water: near those of alkanes. */
#define RNI_LAB_OIL_TENSION       0.025
#define RNI_LAB_INTERFACE_TENSION 0.05

/* Water without gravity and with the law surface-energy in a domain from the origin. */
rn_fluid_def rni_lab_capillary_def(const rni_lab *lab, uint32_t dim, double spacing,
                                   const double size[3]);

/* A lattice of particles in an ellipsoid (2D: an ellipse) around the center. */
typedef struct rni_lab_ellipsoid {
    double center[3], half[3]; /* m */
    uint32_t phase;            /* of several fluids */
    double around;             /* m; not 0: what is outside it, in a ball of this radius */
} rni_lab_ellipsoid;
rn_result rni_lab_ellipsoid_add(rn_fluid *fluid, uint32_t dim, double spacing,
                                const rni_lab_ellipsoid *shape);
/* s: the period of a damped oscillation about any mean, by least squares over a trace; `guess` may be wrong by a
 * third. NaN if the trace is too short. */
double rni_lab_fit_period(const rni_lab_trace *trace, double guess);

#endif
