#include "fluid/kernels.h"
#include "fluid/walls.h"

#include <math.h>

#define PI 3.14159265358979323846

/* What a layer at distance z gives, integrated along the layer. */
typedef struct layer {
    double share, push, normal, drag;
} layer;

static layer integrate_layer(uint32_t dim, double h, double z)
{
    enum { STEPS = 200 };
    layer sum = {0, 0, 0, 0};
    if (z >= h) return sum;
    double end = sqrt(h * h - z * z);
    double step = end / STEPS;
    for (int k = 0; k <= STEPS; k++) {
        double s = k * step;
        double r = sqrt(z * z + s * s);
        double weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        weight *= dim == 3 ? 2 * PI * s : 2;
        sum.share += weight * rni_kernel_value(RNI_KERNEL_POLY6, dim, h, r);
        sum.drag += weight * rni_kernel_laplacian(RNI_KERNEL_VISCOSITY, dim, h, r);
        if (r <= 0) continue;
        sum.push -= weight * z / r * rni_kernel_slope(RNI_KERNEL_SPIKY, dim, h, r);
        sum.normal -= weight * z / r * rni_kernel_slope(RNI_KERNEL_POLY6, dim, h, r);
    }
    return sum;
}

void rni_wall_tables_make(const rn_fluid_def *def, const rn_fluid_derived *d, rni_wall_tables *tables)
{
    double h = (double)d->radius, spacing = (double)def->spacing;
    double step = h / RNI_WALL_TABLE;
    tables->inverse_step = (float)(1 / step);
    double missing = 0;
    for (uint32_t k = 0; k < RNI_WALL_TABLE + 2; k++) {
        double t = k * step;
        double share = 0, push = 0, push_z = 0, normal = 0, drag = 0;
        for (double z = t + spacing / 2; z < h; z += spacing) {
            layer l = integrate_layer(def->dim, h, z);
            share += l.share * spacing;
            push += l.push * spacing;
            push_z += l.push * spacing * z;
            normal += l.normal * spacing;
            drag += l.drag * spacing * z;
        }
        share *= (double)d->density_factor;
        /* On the face itself half of everything is wall, which the layers say to within 2 %. */
        if (k == 0) missing = 0.5 - share;
        double near = fmax(0, 1 - 2 * t / spacing);
        tables->share[k] = (float)(share + missing * near * near);
        tables->push[k] = (float)(push * (double)d->gradient_factor);
        tables->push_z[k] = (float)(push_z * (double)d->gradient_factor);
        tables->normal[k] = (float)normal;
        tables->drag[k] = (float)(drag * (double)d->laplacian_factor);
    }
}
