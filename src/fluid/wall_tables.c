/* What a wall contributes to a particle at a distance, as tables over that distance. */
#include "base/pi.h"
#include "fluid/derive.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <math.h>

/* The contribution of a layer at distance z, integrated along the layer. */
typedef struct layer {
    double share, push, tangent, normal, drag;
    double slope; /* of the pressure's kernel over the distance: what viscosity by Morris et al. has */
} layer;

static layer integrate_layer(rn_fluid_kernels kernels, uint32_t dim, double h, double z)
{
    enum { STEPS = 200 };
    layer sum = {0, 0, 0, 0, 0, 0};
    if (z >= h) return sum;
    double end = sqrt(h * h - z * z);
    double step = end / STEPS;
    for (int k = 0; k <= STEPS; k++) {
        double s = k * step;
        double r = sqrt(z * z + s * s);
        double weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        weight *= dim == 3 ? 2 * RNI_PI * s : 2;
        sum.share += weight * rni_kernel_value(rni_density_kernel(kernels), dim, h, r);
        sum.drag += weight * rni_kernel_laplacian(RNI_KERNEL_VISCOSITY, dim, h, r);
        if (r <= 0) continue;
        sum.slope -= weight / r * rni_kernel_slope(rni_pressure_kernel(kernels), dim, h, r);
        sum.push -= weight * z / r * rni_kernel_slope(rni_pressure_kernel(kernels), dim, h, r);
        /* Along one of the face's own axes: in 3D half the square of the distance along the face. */
        sum.tangent -= weight * (dim == 3 ? s * s / 2 : s * s) / r *
                       rni_kernel_slope(rni_pressure_kernel(kernels), dim, h, r);
        sum.normal -= weight * z / r * rni_kernel_slope(RNI_KERNEL_POLY6, dim, h, r);
    }
    return sum;
}

/* Apparent distance of the first layer behind the wall from a particle at t, and its slope. Layers
 * mirror those of the water: at lattice positions (half a spacing from the wall, and so on) the
 * distance is t + spacing / 2, and it grows twice as fast as t, because the mirror image moves too. This
 * makes the push of the wall the slope of an energy, and keeps a lattice beside a wall at rest. (Fixed
 * layers with the pressure of the particle, the usual form, heat the water.) */
double rni_image_distance(double t, double spacing, double *slope)
{
    if (t <= 0.5 * spacing) {
        *slope = 2;
        return 2 * t;
    }
    double phase = 2 * RNI_PI * (t / spacing - 0.5);
    *slope = 1 + cos(phase);
    return t + 0.5 * spacing + spacing / (2 * RNI_PI) * sin(phase);
}

/* Which part of the half space behind a face is behind another face, too, that is at right angles to it: the
 * normal distribution over the distance, whose width is such that beside an edge of a lattice, half a
 * spacing from both faces, the product is the sum over the particles that the solid stands for. (The kernel's own
 * share of a half space is wider: around convex edges water felt too little, and solids displaced too
 * much.) The distribution has no preferred axes, so curved and slanting faces follow from it: see
 * rni_wall_curved_part(), and the law of meshes. */
static void fill_cover(rni_wall_tables *tables, double spacing, double step)
{
    const double target = (double)rni_wall_share_at(tables, (float)(0.5 * spacing));
    double low = 0.1, high = 2; /* spacings */
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (0.5 * erfc(0.5 / (middle * sqrt(2.0))) < target) low = middle;
        else high = middle;
    }
    const double width = low * spacing;
    tables->width = (float)width;
    for (uint32_t k = 0; k < RNI_WALL_TABLE + 2; k++) {
        const double t = k * step / width;
        tables->cover[k] = (float)(0.5 * erfc(t / sqrt(2.0)));
        tables->cover_slope[k] = (float)(exp(-0.5 * t * t) / (sqrt(2 * RNI_PI) * width));
    }
}

void rni_wall_tables_make(const rn_fluid_def *def, const rn_fluid_derived *d, rni_wall_tables *tables)
{
    double h = (double)d->radius, spacing = (double)def->spacing;
    double step = h / RNI_WALL_TABLE;
    tables->inverse_step = (float)(1 / step);
    const bool is_morris = def->scheme == RN_SCHEME_CORRECTED, is_paste = rni_is_paste(def);
    const rni_viscous_form form = rni_viscous_form_of(def->dim, spacing, h);
    for (uint32_t k = 0; k < RNI_WALL_TABLE + 2; k++) {
        double t = k * step, slope;
        double share = 0, push = 0, lift = 0, tangent = 0, normal = 0, drag = 0, crowd = 0;
        double first = rni_image_distance(t, spacing, &slope);
        int layers = (int)(h / spacing) + 2;
        for (int n = 0; n < layers; n++) {
            double z = first + n * spacing;
            layer l = integrate_layer(def->kernels, def->dim, h, z);
            share += l.share * spacing;
            push += l.push * spacing * slope;
            crowd += l.push * spacing;
            lift += l.push * spacing * z;
            tangent += l.tangent * spacing;
            normal += l.normal * spacing;
        }
        for (int n = 0; n < layers; n++) {
            double z = t + (n + 0.5) * spacing;
            const layer l = integrate_layer(def->kernels, def->dim, h, z);
            drag += spacing * z * (is_morris ? 2 * l.slope : l.drag);
        }
        const double of_gradient = (double)d->gradient_factor;
        const double values[RNI_WALL_VALUES] = {
            [RNI_WALL_SHARE] = share * (double)d->density_factor,
            [RNI_WALL_PUSH] = push * of_gradient,
            [RNI_WALL_LIFT] = lift * of_gradient,
            [RNI_WALL_TANGENT] = tangent * of_gradient,
            [RNI_WALL_NORMAL] = normal,
            [RNI_WALL_CROWD] = crowd * of_gradient,
            [RNI_WALL_DRAG] = is_paste
                                  ? rni_viscous_wall_drag(&form, def->dim, spacing, t)
                                  : drag * (is_morris ? of_gradient : (double)d->laplacian_factor),
        };
        for (uint32_t n = 0; n < RNI_WALL_VALUES; n++) tables->values[k][n] = (float)values[n];
    }
    fill_cover(tables, spacing, step);
    tables->alone = (float)(rni_kernel_value(rni_density_kernel(def->kernels), def->dim, h, 0) *
                            pow(spacing, def->dim) * (double)d->density_factor);
    tables->beside = 1 - tables->values[(uint32_t)(0.5 * spacing / step + 0.5)][RNI_WALL_SHARE];
}
