#include "lab/capillary.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdlib.h>

rn_fluid_def rni_lab_capillary_def(const rni_lab *lab, uint32_t dim, double spacing,
                                   const double size[3])
{
    rn_fluid_def def = rni_lab_water_def(lab, dim, spacing, size);
    for (int a = 0; a < 3; a++) def.params.gravity[a] = 0;
    def.params.tension = RN_TENSION_SURFACE_ENERGY;
    def.params.surface_tension = (float)RNI_LAB_TENSION;
    return def;
}

/* --- drops ------------------------------------------------------------------------------------------ */

static bool is_in(const rni_lab_ellipsoid *e, uint32_t dim, const double x[3])
{
    double sum = 0;
    for (uint32_t a = 0; a < dim && a < 3; a++) sum += pow((x[a] - e->center[a]) / e->half[a], 2);
    return sum <= 1 && x[1] > e->floor;
}

rn_result rni_lab_ellipsoid_add(rn_fluid *fluid, uint32_t dim, double spacing,
                                const rni_lab_ellipsoid *e)
{
    const double longest = fmax(e->half[0], fmax(e->half[1], e->half[2]));
    const int reach = (int)ceil(longest / spacing), reach_z = dim == 3 ? reach : 0;
    const size_t most = (size_t)(8 * reach) * (size_t)reach * (size_t)(dim == 3 ? reach : 1);
    float *at = malloc(most * 3 * sizeof *at);
    if (!at) return rni_fail(RN_ERROR_MEMORY, "no memory for %zu particles", most);
    uint32_t count = 0;
    for (int k = -reach_z; k < (dim == 3 ? reach_z : 1); k++)
        for (int j = -reach; j < reach; j++)
            for (int i = -reach; i < reach; i++) {
                const double half = dim == 3 ? 0.5 : 0;
                const double x[3] = {e->center[0] + (i + 0.5) * spacing,
                                     e->center[1] + (j + 0.5) * spacing,
                                     dim == 3 ? e->center[2] + (k + half) * spacing : 0};
                if (!is_in(e, dim, x)) continue;
                for (int a = 0; a < 3; a++) at[3 * (size_t)count + (size_t)a] = (float)x[a];
                count++;
            }
    rn_result result = rn_fluid_add_particles(fluid, at, NULL, count, NULL);
    free(at);
    return result;
}

double rni_lab_ball_radius(const rn_fluid *fluid, uint32_t dim, double spacing)
{
    const double volume = rn_fluid_get_arrays(fluid).count * pow(spacing, dim);
    return dim == 3 ? cbrt(3 * volume / (4 * RNI_PI)) : sqrt(volume / RNI_PI);
}

/* --- the period of an oscillation ------------------------------------------------------------------- */

/* What is left of the trace beside the best exp(-decay t) (a cos + b sin) + c: by normal equations. */
static double remainder_of(const rni_lab_trace *trace, double number, double decay)
{
    double m[3][4] = {{0}}, yy = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const double t = trace->x[i], fade = exp(-decay * t), y = trace->y[i];
        const double row[4] = {fade * cos(number * t), fade * sin(number * t), 1, y};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) m[r][c] += row[r] * row[c];
        yy += y * y;
    }
    double right[3] = {m[0][3], m[1][3], m[2][3]}, found = 0;
    for (int p = 0; p < 3; p++) { /* the matrix is positive: no pivots are needed */
        for (int r = p + 1; r < 3; r++) {
            const double part = m[r][p] / m[p][p];
            for (int c = p; c < 4; c++) m[r][c] -= part * m[p][c];
        }
    }
    double solution[3];
    for (int r = 2; r >= 0; r--) {
        double sum = m[r][3];
        for (int c = r + 1; c < 3; c++) sum -= m[r][c] * solution[c];
        solution[r] = sum / m[r][r];
        found += solution[r] * right[r];
    }
    return yy - found;
}

double rni_lab_fit_period(const rni_lab_trace *trace, double guess)
{
    enum { STEPS = 320, DECAYS = 24 };
    double best = HUGE_VAL, period = (double)NAN;
    if (trace->count < 8 || trace->x[trace->count - 1] < 0.75 * guess) return period;
    for (int k = 0; k <= STEPS; k++)
        for (int d = 0; d < DECAYS; d++) {
            const double tried = guess * (0.7 + 0.7 * k / STEPS);
            const double left = remainder_of(trace, 2 * RNI_PI / tried, 0.1 * d / guess);
            if (left < best) best = left, period = tried;
        }
    return period;
}
