/* The kernels: integral one, slope and Laplacian as numbers say. */
#include "fact.h"

#include "base/pi.h"
#include "fluid/kernels.h"

#include <math.h>
#include <stdio.h>

static const double reach[] = {0.5, 1.0, 2.5};

/* Of f(r) over the ball (disc) of radius h. */
static double integrate(rni_kernel kernel, uint32_t dim, double h)
{
    enum { STEPS = 20000 };
    double sum = 0;
    for (int k = 0; k < STEPS; k++) {
        double r = (k + 0.5) * h / STEPS;
        double shell = dim == 3 ? 4 * RNI_PI * r * r : 2 * RNI_PI * r;
        sum += shell * rni_kernel_value(kernel, dim, h, r) * h / STEPS;
    }
    return sum;
}

static void every_kernel_has_integral_one(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < RNI_KERNEL_COUNT; kernel++)
        for (uint32_t dim = 2; dim <= 3; dim++)
            for (int k = 0; k < 3; k++) {
                double sum = integrate((rni_kernel)kernel, dim, reach[k]);
                if (fabs(sum - 1) > 1e-5)
                    fail_msg("kernel %d, %uD, h = %g: integral %.8f", kernel, dim, reach[k], sum);
            }
}

static void every_slope_is_the_numeric_one(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < RNI_KERNEL_COUNT; kernel++)
        for (uint32_t dim = 2; dim <= 3; dim++)
            for (double q = 0.05; q < 1; q += 0.0637) {
                double h = 1.7, r = q * h, e = 1e-6;
                double numeric = (rni_kernel_value((rni_kernel)kernel, dim, h, r + e) -
                                  rni_kernel_value((rni_kernel)kernel, dim, h, r - e)) /
                                 (2 * e);
                double slope = rni_kernel_slope((rni_kernel)kernel, dim, h, r);
                if (fabs(slope - numeric) > 1e-6 * (1 + fabs(numeric)))
                    fail_msg("kernel %d, %uD, q = %g: slope %.9g, numeric %.9g", kernel, dim, q,
                             slope, numeric);
            }
}

/* W'' + (dim - 1) / r W'. */
static void laplacians_are_the_numeric_ones(void **state)
{
    (void)state;
    const rni_kernel kernels[] = {RNI_KERNEL_POLY6, RNI_KERNEL_VISCOSITY};
    for (int k = 0; k < 2; k++)
        for (uint32_t dim = 2; dim <= 3; dim++)
            for (double q = 0.1; q < 0.99; q += 0.0637) {
                double h = 1.7, r = q * h, e = 1e-5;
                double second = (rni_kernel_slope(kernels[k], dim, h, r + e) -
                                 rni_kernel_slope(kernels[k], dim, h, r - e)) /
                                (2 * e);
                double numeric = second + (dim - 1) / r * rni_kernel_slope(kernels[k], dim, h, r);
                double laplacian = rni_kernel_laplacian(kernels[k], dim, h, r);
                if (fabs(laplacian - numeric) > 1e-5 * (1 + fabs(numeric)))
                    fail_msg("kernel %d, %uD, q = %g: Laplacian %.9g, numeric %.9g", kernels[k],
                             dim, q, laplacian, numeric);
            }
}

static void kernels_end_at_the_radius(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < RNI_KERNEL_COUNT; kernel++)
        for (uint32_t dim = 2; dim <= 3; dim++) {
            assert_true(rni_kernel_value((rni_kernel)kernel, dim, 1, 1) == 0);
            assert_true(rni_kernel_value((rni_kernel)kernel, dim, 1, 1.5) == 0);
            assert_true(fabs(rni_kernel_value((rni_kernel)kernel, dim, 1, 0.9999)) < 1e-3);
        }
}

/* Wichert et al. 2021, eq. 14, corrected: attracts (positive) in the outer half, repels very near, without a jump. */
static void cohesion_attracts_outside_and_repels_inside(void **state)
{
    (void)state;
    double h = 1.3;
    assert_true(rni_cohesion_spline(3, h, 0.75 * h) > 0);
    assert_true(rni_cohesion_spline(3, h, 0.1 * h) < 0);
    double inner = rni_cohesion_spline(3, h, 0.5 * h * (1 - 1e-9));
    double outer = rni_cohesion_spline(3, h, 0.5 * h * (1 + 1e-9));
    assert_true(fabs(inner - outer) < 1e-6 * fabs(outer));
    assert_true(rni_cohesion_spline(3, h, h) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_has_integral_one),
        cmocka_unit_test(every_slope_is_the_numeric_one),
        cmocka_unit_test(laplacians_are_the_numeric_ones),
        cmocka_unit_test(kernels_end_at_the_radius),
        cmocka_unit_test(cohesion_attracts_outside_and_repels_inside),
    };
    return cmocka_run_group_tests_name("fluid.kernels", tests, NULL, NULL);
}
