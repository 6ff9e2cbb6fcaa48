#include "fluid/kernels.h"

#include "base/pi.h"

#include <math.h>

/* Whole exponents, faster than pow(): the wall tables are made of millions of these. */
static double power(double x, int exponent)
{
    double result = 1;
    for (int k = 0; k < exponent; k++) result *= x;
    return result;
}

static double cubic_constant(uint32_t dim, double h)
{
    return dim == 3 ? 8.0 / (RNI_PI * h * h * h) : 40.0 / (7.0 * RNI_PI * h * h);
}

static double wendland_constant(uint32_t dim, double h)
{
    return dim == 3 ? 21.0 / (2.0 * RNI_PI * h * h * h) : 7.0 / (RNI_PI * h * h);
}

double rni_kernel_value(rni_kernel kernel, uint32_t dim, double h, double r)
{
    if (r >= h) return 0;
    double q = r / h;
    double t = 1 - q;
    switch (kernel) {
    case RNI_KERNEL_POLY6:
        return (dim == 3 ? 315.0 / (64.0 * RNI_PI * h * h * h) : 4.0 / (RNI_PI * h * h)) *
               power(1 - q * q, 3);
    case RNI_KERNEL_SPIKY:
        return (dim == 3 ? 15.0 / (RNI_PI * h * h * h) : 10.0 / (RNI_PI * h * h)) * t * t * t;
    case RNI_KERNEL_VISCOSITY:
        /* Grows without bound towards r = 0 (3D as 1 / r, 2D as a logarithm); only its Laplacian is
         * used. */
        if (dim == 3)
            return 15.0 / (2.0 * RNI_PI * h * h * h) * (-0.5 * q * q * q + q * q + 0.5 / q - 1);
        return 40.0 / (RNI_PI * h * h) * (q * q / 4 - q * q * q / 9 - log(q) / 6 - 5.0 / 36);
    case RNI_KERNEL_CUBIC:
        if (q < 0.5) return cubic_constant(dim, h) * (6 * (q * q * q - q * q) + 1);
        return cubic_constant(dim, h) * 2 * t * t * t;
    case RNI_KERNEL_WENDLAND: return wendland_constant(dim, h) * t * t * t * t * (1 + 4 * q);
    case RNI_KERNEL_COUNT: break;
    }
    return 0;
}

double rni_kernel_slope(rni_kernel kernel, uint32_t dim, double h, double r)
{
    if (r >= h) return 0;
    double q = r / h;
    double t = 1 - q;
    switch (kernel) {
    case RNI_KERNEL_POLY6:
        return (dim == 3 ? -945.0 / (32.0 * RNI_PI * h * h * h * h) : -24.0 / (RNI_PI * h * h * h)) *
               q * power(1 - q * q, 2);
    case RNI_KERNEL_SPIKY:
        return (dim == 3 ? -45.0 / (RNI_PI * h * h * h * h) : -30.0 / (RNI_PI * h * h * h)) * t * t;
    case RNI_KERNEL_VISCOSITY:
        if (dim == 3)
            return 15.0 / (2.0 * RNI_PI * h * h * h * h) * (-1.5 * q * q + 2 * q - 0.5 / (q * q));
        return 40.0 / (RNI_PI * h * h * h) * (q / 2 - q * q / 3 - 1 / (6 * q));
    case RNI_KERNEL_CUBIC:
        if (q < 0.5) return cubic_constant(dim, h) / h * 6 * (3 * q * q - 2 * q);
        return -cubic_constant(dim, h) / h * 6 * t * t;
    case RNI_KERNEL_WENDLAND: return -wendland_constant(dim, h) / h * 20 * q * t * t * t;
    case RNI_KERNEL_COUNT: break;
    }
    return 0;
}

double rni_kernel_laplacian(rni_kernel kernel, uint32_t dim, double h, double r)
{
    if (r >= h) return 0;
    if (kernel == RNI_KERNEL_VISCOSITY)
        return (dim == 3 ? 45.0 / (RNI_PI * power(h, 6)) : 40.0 / (RNI_PI * power(h, 5))) * (h - r);
    double t = h * h - r * r;
    if (dim == 3) return -945.0 / (32.0 * RNI_PI * power(h, 9)) * t * (3 * h * h - 7 * r * r);
    return -24.0 / (RNI_PI * power(h, 8)) * t * (2 * h * h - 6 * r * r);
}

double rni_cohesion_spline(uint32_t dim, double h, double r)
{
    if (r >= h || r <= 0) return 0;
    double constant = dim == 3 ? 32.0 / (RNI_PI * power(h, 9)) : 32.0 / (RNI_PI * power(h, 8));
    double spline = power(h - r, 3) * power(r, 3);
    return constant * (2 * r > h ? spline : 2 * spline - power(h, 6) / 64);
}
