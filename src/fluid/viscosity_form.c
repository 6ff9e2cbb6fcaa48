/* The constants of the pair form of viscosity (passes/viscous.h), from sums over a lattice and over layers. */
#include "base/pi.h"
#include "fluid/viscosity.h"

#include <math.h>

/* Spacings: the radius of the weight is not larger. There the mixture of choose_weight() resists shear as much on a
 * lattice as in disorder, between layers that slide over each other, and in channels that have flowed for long (2D: 1.00,
 * 0.98, 0.99, 1.00 times; 3D: 1.00, 1.00, 1.00). With 2.2 spacings it would be 2 % more in such channels in 2D. */
#define RADIUS_MOST_2D 2.1
#define RADIUS_MOST_3D 2.25

/* How much layers that slide over each other count beside a lattice at rest. */
#define SLIDING 0.25

/* w of passes/viscous.h at a distance in radii. */
static double weight(const double part[2], double share)
{
    const double t = fmax(1 - share * share, 0);
    return t * t * (part[0] + part[1] * t * t * t);
}

/* Shear along the axes of a cubic lattice is resisted in proportion to the sum of c x^2 y^2, shear across them to that
 * of c (x^4 - x^2 y^2) / 2: equal where the sum of c (x^4 - 3 x^2 y^2) is 0. */
typedef struct lattice {
    double uneven; /* m^4: that sum */
    double shear;  /* m^4: half the sum of c x^2 y^2 */
} lattice;

static lattice lattice_of(uint32_t dim, double spacing, double h, const double part[2])
{
    const int reach = (int)ceil(h / spacing), reach_z = dim == 3 ? reach : 0;
    lattice sum = {0};
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                const double x = i * spacing, y = j * spacing, z = k * spacing;
                const double c = weight(part, sqrt(x * x + y * y + z * z) / h);
                sum.uneven += c * (x * x * x * x - 3 * x * x * y * y);
                sum.shear += 0.5 * c * x * x * y * y;
            }
    return sum;
}

/* Both parts, so that the lattice resists shear evenly: a wide weight resists it less across the axes, a narrow one
 * more. Where both err to the same side, the part that errs less. */
static void choose_weight(uint32_t dim, double spacing, double h, double part[2])
{
    const lattice wide = lattice_of(dim, spacing, h, (const double[2]){1, 0});
    const lattice narrow = lattice_of(dim, spacing, h, (const double[2]){0, 1});
    if (wide.uneven * narrow.uneven < 0) {
        part[0] = fabs(narrow.uneven) / (fabs(narrow.uneven) + fabs(wide.uneven));
        part[1] = 1 - part[0];
        return;
    }
    const bool is_wide = fabs(wide.uneven) / wide.shear < fabs(narrow.uneven) / narrow.shear;
    part[0] = is_wide, part[1] = !is_wide;
}

/* m^2: the sum over the particles of a layer at the distance z of c x^2, x along the layer, as an integral: layers of
 * a flow slide over each other. */
static double layer_at(const double part[2], uint32_t dim, double spacing, double h, double z)
{
    enum { STEPS = 200 };
    if (z >= h) return 0;
    const double step = sqrt(h * h - z * z) / STEPS;
    double sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double x = k * step, c = weight(part, sqrt(z * z + x * x) / h);
        const double simpson = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        sum += simpson * c * (dim == 3 ? RNI_PI * x * x * x : 2 * x * x);
    }
    return sum / (dim == 3 ? spacing * spacing : spacing);
}

rni_viscous_form rni_viscous_form_of(uint32_t dim, double spacing, double h)
{
    const double most = spacing * (dim == 3 ? RADIUS_MOST_3D : RADIUS_MOST_2D);
    rni_viscous_form form = {.radius = fmin(h, most)};
    choose_weight(dim, spacing, form.radius, form.part);
    double sliding = 0;
    for (int n = 1; n * spacing < form.radius; n++) {
        const double z = n * spacing;
        sliding += z * z * layer_at(form.part, dim, spacing, form.radius, z);
    }
    const double rest = lattice_of(dim, spacing, form.radius, form.part).shear;
    form.scale = 1 / (SLIDING * sliding + (1 - SLIDING) * rest);
    return form;
}

double rni_viscous_wall_drag(const rni_viscous_form *form, uint32_t dim, double spacing, double t)
{
    const double h = form->radius;
    double sum = 0;
    for (int n = 0; t + (n + 0.5) * spacing < h; n++) {
        const double z = t + (n + 0.5) * spacing;
        sum += z * layer_at(form->part, dim, spacing, h, z);
    }
    return form->scale * sum;
}
