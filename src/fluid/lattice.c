#include "fluid/lattice.h"

#include "fluid/derive.h"

#include <math.h>

/* How far from the spacing a pitch may be: five layers and more always fit. Where fewer would have
 * to be stretched further, the lattice stays cubic and leaves a gap at both faces. */
#define MOST_STRAIN 0.1
/* Tolerance of counts: 0.4 / 0.1 is four. */
#define TOLERANCE 1e-3

/* --- the box
 * -------------------------------------------------------------------------------------- */

rni_extent rni_extent_make(const rn_fluid_def *def, double spacing, const float low[3],
                           const float high[3])
{
    rni_extent e = {0};
    for (uint32_t a = 0; a < def->dim; a++) {
        e.low[a] = (double)low[a], e.high[a] = (double)high[a];
        bool is_at_low = e.low[a] - (double)def->domain_low[a] < 0.5 * spacing;
        bool is_at_high = (double)def->domain_high[a] - e.high[a] < 0.5 * spacing;
        if (def->periodic[a]) is_at_low = is_at_high = is_at_low && is_at_high;
        e.is_held[a][0] = is_at_low && !def->open[a][0];
        e.is_held[a][1] = is_at_high && !def->open[a][1];
    }
    return e;
}

uint32_t rni_up_axis(const rn_fluid_def *def, uint32_t *side)
{
    const float *g = def->params.gravity;
    uint32_t up = 1;
    for (uint32_t a = 0; a < def->dim; a++)
        if (fabsf(g[a]) > fabsf(g[up])) up = a;
    *side = g[up] > 0 ? 0 : 1;
    return up;
}

/* A face that may move by half a layer: the top before all others. */
static bool find_free_face(const rn_fluid_def *def, const rni_extent *e, uint32_t *axis,
                           uint32_t *side)
{
    uint32_t top, up = rni_up_axis(def, &top);
    for (uint32_t k = 0; k < 2 * def->dim; k++) {
        *axis = (up + k / 2) % def->dim;
        *side = k % 2 ? 1 - top : top;
        if (!e->is_held[*axis][*side]) return true;
    }
    return false;
}

/* --- how dense a lattice is
 * ----------------------------------------------------------------------- */

/* The kernel's sum over an endless lattice, in particles: only ratios of it are used. */
static double lattice_sum(const rn_fluid_def *def, double h, const double pitch[3])
{
    double sum = 0;
    int reach[3] = {0, 0, 0};
    for (uint32_t a = 0; a < def->dim; a++) reach[a] = (int)(h / pitch[a]);
    for (int k = 0; k <= reach[2]; k++)
        for (int j = 0; j <= reach[1]; j++)
            for (int i = 0; i <= reach[0]; i++) {
                double x = i * pitch[0], y = j * pitch[1], z = k * pitch[2];
                double r = sqrt(x * x + y * y + z * z);
                int mirrored = (i ? 2 : 1) * (j ? 2 : 1) * (k ? 2 : 1);
                if (r < h)
                    sum += mirrored *
                           rni_kernel_value(rni_density_kernel(def->kernels), def->dim, h, r);
            }
    return sum;
}

/* Relative to the cubic lattice of the spacing. */
static double relative_density(const rn_fluid_def *def, double spacing, const double pitch[3])
{
    double h = def->radius > 0 ? (double)def->radius : (double)def->radius_ratio * spacing;
    h = fmin(fmax(h, 1.2 * spacing), 4 * spacing); /* scenes ask before the radius is checked */
    const double cubic[3] = {spacing, spacing, spacing};
    return lattice_sum(def, h, pitch) / lattice_sum(def, h, cubic);
}

/* The pitch along one axis that makes up for the strain of the others. To first order that is the
 * one of the same volume; the rest is found by halving. */
static double balance(const rn_fluid_def *def, double spacing, double pitch[3], uint32_t axis)
{
    double even = spacing;
    for (uint32_t a = 0; a < def->dim; a++)
        if (a != axis) even *= spacing / pitch[a];
    double low = 0.9 * even, high = 1.1 * even;
    for (int k = 0; k < 32; k++) {
        pitch[axis] = 0.5 * (low + high);
        if (relative_density(def, spacing, pitch) > 1) low = pitch[axis];
        else high = pitch[axis];
    }
    return pitch[axis];
}

/* --- fitting
 * -------------------------------------------------------------------------------------- */

static void lay_cubic(rni_lattice *l, const rni_extent *e, double spacing, uint32_t a)
{
    double length = e->high[a] - e->low[a];
    l->count[a] = fmax(1, floor(length / spacing + TOLERANCE));
    l->pitch[a] = spacing;
    /* What does not fill a whole spacing is shared by both ends. */
    l->first[a] = e->low[a] + 0.5 * spacing + 0.5 * fmax(0, length - l->count[a] * spacing);
}

/* False: the box is no whole number of spacings long. */
static bool lay_whole(rni_lattice *l, const rni_extent *e, double spacing, uint32_t a)
{
    double length = e->high[a] - e->low[a], count = floor(length / spacing + TOLERANCE);
    if (count < 1 || fabs(length - count * spacing) > TOLERANCE * spacing) return false;
    lay_cubic(l, e, spacing, a);
    return true;
}

static bool can_fit(const rni_extent *e, double spacing, uint32_t a, double count)
{
    return count >= 1 && fabs((e->high[a] - e->low[a]) / (count * spacing) - 1) <= MOST_STRAIN;
}

/* False: so many do not fit without too much strain; nothing is changed. */
static bool lay_fitted(rni_lattice *l, const rni_extent *e, double spacing, uint32_t a, double count)
{
    if (lay_whole(l, e, spacing, a)) return true;
    if (!can_fit(e, spacing, a, count)) return false;
    l->count[a] = count;
    l->pitch[a] = (e->high[a] - e->low[a]) / count;
    l->first[a] = e->low[a] + 0.5 * l->pitch[a];
    return true;
}

static bool is_cubic(const rni_lattice *l, uint32_t dim, double spacing, uint32_t but)
{
    for (uint32_t a = 0; a < dim; a++)
        if (a != but && l->pitch[a] != spacing) return false;
    return true;
}

/* From the held face as many layers as come nearest to the free one. */
static void lay_balanced(const rn_fluid_def *def, rni_lattice *l, const rni_extent *e,
                         double spacing, uint32_t a, uint32_t free_side)
{
    double length = e->high[a] - e->low[a];
    bool is_even = is_cubic(l, def->dim, spacing, a);
    if (is_even && lay_whole(l, e, spacing, a)) return;
    l->pitch[a] = is_even ? spacing : balance(def, spacing, l->pitch, a);
    l->count[a] = fmax(1, floor(length / l->pitch[a] + 0.5));
    l->first[a] =
        free_side ? e->low[a] + 0.5 * l->pitch[a] : e->high[a] - (l->count[a] - 0.5) * l->pitch[a];
}

/* As many as fit, or one more, along each axis as the bits of choice say. An axis along which
 * neither fits stays cubic; false: only the other one does. */
static bool lay_choice(const rn_fluid_def *def, rni_lattice *l, const rni_extent *e, double spacing,
                       uint32_t choice)
{
    for (uint32_t a = 0; a < def->dim; a++) {
        uint32_t more = choice >> a & 1;
        double count = floor((e->high[a] - e->low[a]) / spacing + TOLERANCE);
        if (lay_fitted(l, e, spacing, a, count + more)) continue;
        if (more || can_fit(e, spacing, a, count + 1)) return false;
    }
    return true;
}

/* A box held on all sides: of the counts that fit those that come nearest to rest. */
static void lay_held(const rn_fluid_def *def, rni_lattice *l, const rni_extent *e, double spacing)
{
    const rni_lattice cubic = *l;
    double least = HUGE_VAL;
    for (uint32_t choice = 0; choice < 1u << def->dim; choice++) {
        rni_lattice tried = cubic;
        if (!lay_choice(def, &tried, e, spacing, choice)) continue;
        double miss = fabs(relative_density(def, spacing, tried.pitch) - 1);
        if (miss < least) least = miss, *l = tried;
    }
}

rni_lattice rni_lattice_cubic(uint32_t dim, double spacing, const rni_extent *extent)
{
    rni_lattice l = {.pitch = {spacing, spacing, spacing}, .count = {1, 1, 1}};
    for (uint32_t a = 0; a < dim; a++) lay_cubic(&l, extent, spacing, a);
    return l;
}

rni_lattice rni_lattice_fit(const rn_fluid_def *def, double spacing, const rni_extent *extent)
{
    rni_lattice l = rni_lattice_cubic(def->dim, spacing, extent);
    uint32_t axis, side;
    if (!find_free_face(def, extent, &axis, &side)) {
        lay_held(def, &l, extent, spacing);
        return l;
    }
    for (uint32_t a = 0; a < def->dim; a++)
        if (a != axis)
            lay_fitted(&l, extent, spacing, a,
                       floor((extent->high[a] - extent->low[a]) / spacing + 0.5));
    lay_balanced(def, &l, extent, spacing, axis, side);
    return l;
}

double rni_lattice_count(const rni_lattice *l)
{
    return l->count[0] * l->count[1] * l->count[2];
}
