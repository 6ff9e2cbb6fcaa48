/* The constants of the pair form of viscosity (passes/viscous.h), from sums over a lattice and over layers. */
#include "base/pi.h"
#include "fluid/viscosity.h"

#include <math.h>

/* Bounds of bend: the weight stays positive, and does not become a shell at the radius. */
#define BEND_LEAST (-0.5)
#define BEND_MOST  6.0

/* How much layers that slide over each other count beside a lattice at rest: most flows are nearer to them. */
#define SLIDING 0.75

static double cube(double x)
{
    return x * x * x;
}

static double weight(double bend, double share)
{
    return share < 1 ? cube(1 - share) * (1 + bend * share) : 0;
}

/* Shear along the axes of a cubic lattice is resisted in proportion to the sum of c x^2 y^2, shear across them to that
 * of c (x^4 - x^2 y^2) / 2: equal where the sum of c (x^4 - 3 x^2 y^2) is 0. */
typedef struct lattice {
    double bend;
    double shear; /* m^4: half the sum of c x^2 y^2 */
} lattice;

static lattice lattice_of(uint32_t dim, double spacing, double h)
{
    const int reach = (int)ceil(h / spacing), reach_z = dim == 3 ? reach : 0;
    double plain = 0, bent = 0, shear = 0, bent_shear = 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                const double x = i * spacing, y = j * spacing, z = k * spacing;
                const double share = sqrt(x * x + y * y + z * z) / h;
                const double c = weight(0, share), mixed = c * x * x * y * y;
                const double part = c * x * x * x * x - 3 * mixed;
                plain += part, bent += part * share;
                shear += 0.5 * mixed, bent_shear += 0.5 * mixed * share;
            }
    double bend = bent != 0 ? -plain / bent : 0;
    if (!(bend >= BEND_LEAST && bend <= BEND_MOST)) { /* the bound that comes nearer */
        const double low = fabs(plain + BEND_LEAST * bent) / (shear + BEND_LEAST * bent_shear);
        const double high = fabs(plain + BEND_MOST * bent) / (shear + BEND_MOST * bent_shear);
        bend = low < high ? BEND_LEAST : BEND_MOST;
    }
    return (lattice){bend, shear + bend * bent_shear};
}

/* m^2: the sum over the particles of a layer at the distance z of c x^2, x along the layer, as an integral: layers of
 * a flow slide over each other. */
static double layer_at(double bend, uint32_t dim, double spacing, double h, double z)
{
    enum { STEPS = 200 };
    if (z >= h) return 0;
    const double step = sqrt(h * h - z * z) / STEPS;
    double sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double x = k * step, c = weight(bend, sqrt(z * z + x * x) / h);
        const double simpson = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        sum += simpson * c * (dim == 3 ? RNI_PI * x * x * x : 2 * x * x);
    }
    return sum / (dim == 3 ? spacing * spacing : spacing);
}

rni_viscous_form rni_viscous_form_of(uint32_t dim, double spacing, double h)
{
    const lattice rest = lattice_of(dim, spacing, h);
    rni_viscous_form form = {.bend = rest.bend};
    double sum = 0;
    for (int n = 1; n * spacing < h; n++) {
        const double z = n * spacing;
        sum += z * z * layer_at(form.bend, dim, spacing, h, z);
    }
    form.scale = 1 / (SLIDING * sum + (1 - SLIDING) * rest.shear);
    return form;
}

double rni_viscous_wall_drag(const rni_viscous_form *form, uint32_t dim, double spacing, double h,
                             double t)
{
    double sum = 0;
    for (int n = 0; t + (n + 0.5) * spacing < h; n++) {
        const double z = t + (n + 0.5) * spacing;
        sum += z * layer_at(form->bend, dim, spacing, h, z);
    }
    return form->scale * sum;
}
