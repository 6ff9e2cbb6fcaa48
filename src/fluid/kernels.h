/* Smoothing kernels in double, for constants that are derived once and for the tests. The pair laws use polynomials
 * of their own, with constants folded from these (laws.h). All kernels are 0 from r = h on.
 *
 * r: distance, m; h: support radius, m; dim: 2 or 3. The slope is dW/dr: the gradient is slope * (x_i - x_j) / r.
 */
#ifndef RNI_FLUID_KERNELS_H
#define RNI_FLUID_KERNELS_H

#include <stdint.h>

typedef enum rni_kernel {
    RNI_KERNEL_POLY6 = 0,     /* Wichert et al. 2021 eq. 1 */
    RNI_KERNEL_SPIKY = 1,     /* eq. 3 is its gradient */
    RNI_KERNEL_VISCOSITY = 2, /* eq. 4 is its Laplacian */
    RNI_KERNEL_CUBIC = 3,     /* cubic spline, its knot at h / 2 */
    RNI_KERNEL_WENDLAND = 4,  /* Wendland C2 */
    RNI_KERNEL_COUNT = 5
} rni_kernel;

double rni_kernel_value(rni_kernel kernel, uint32_t dim, double h, double r);
double rni_kernel_slope(rni_kernel kernel, uint32_t dim, double h, double r);
/* Of poly6 and the viscosity kernel, whose Laplacians the papers use. */
double rni_kernel_laplacian(rni_kernel kernel, uint32_t dim, double h, double r);
/* Akinci's cohesion spline (Wichert et al. 2021 eq. 14, corrected); not a kernel, its integral is
 * not 1. */
double rni_cohesion_spline(uint32_t dim, double h, double r);

#endif
