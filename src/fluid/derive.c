#include "fluid/derive.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/kernels.h"
#include "fluid/phases.h"
#include "fluid/rheology.h"
#include "fluid/scheme.h"
#include "fluid/virtual_walls.h"
#include "fluid/viscosity.h"

#include <math.h>

static const char axis_name[3] = {'x', 'y', 'z'};

/* --- what is refused
 * ------------------------------------------------------------------------------ */

typedef struct range {
    const char *name;
    float value, low, high;
} range;

static rn_result check_ranges(const range *ranges, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const range *r = &ranges[k];
        if (!(r->value >= r->low && r->value <= r->high))
            return rni_fail(RN_ERROR_ARGUMENT, "%s is %g; it must be from %g to %g", r->name,
                            (double)r->value, (double)r->low, (double)r->high);
    }
    return RN_OK;
}

rn_result rni_fluid_check_params(const rn_fluid_params *p)
{
    const range ranges[] = {
        {"stiffness", p->stiffness, 0, 1e15f},
        {"exponent", p->exponent, 1, 14},
        {"viscosity", p->viscosity, 0, 1e9f},
        {"numerical_viscosity", p->numerical_viscosity, 0, 10},
        {"viscosity_tolerance", p->viscosity_tolerance, 1e-6f, 0.1f},
        {"viscosity_iterations", (float)p->viscosity_iterations, 1, 10000},
        {"flow_index", p->flow_index, 0.05f, 3},
        {"viscosity_infinite", p->viscosity_infinite, 0, 1e9f},
        {"shear_time", p->shear_time, 0, 1e6f},
        {"yield_stress", p->yield_stress, 0, 1e9f},
        {"yield_growth", p->yield_growth, 1e-3f, 1e6f},
        {"viscosity_min", p->viscosity_min, 0, 1e9f},
        {"viscosity_max", p->viscosity_max, 0, 1e9f},
        {"sound_ratio", p->sound_ratio, 1, 1000},
        {"diffusion", p->diffusion, 0, 10},
        {"relaxation", p->relaxation, 0, 10},
        {"shifting", p->shifting, 0, 10},
        {"bulk", p->bulk, 0, 1},
        {"impact", p->impact, 0, 10},
        {"cohesion", p->cohesion, 0, 1e12f},
        {"curvature", p->curvature, 0, 1e12f},
        {"surface_tension", p->surface_tension, 0, 1e9f},
        {"contact_angle", p->contact_angle, 0, 180},
        {"color_threshold", p->color_threshold, 0, 1e12f},
        {"gravity[0]", p->gravity[0], -1e6f, 1e6f},
        {"gravity[1]", p->gravity[1], -1e6f, 1e6f},
        {"gravity[2]", p->gravity[2], -1e6f, 1e6f},
        {"gravity_ramp", p->gravity_ramp, 0, 1e6f},
        {"gravity_amplitude[0]", p->gravity_amplitude[0], -1e6f, 1e6f},
        {"gravity_amplitude[1]", p->gravity_amplitude[1], -1e6f, 1e6f},
        {"gravity_amplitude[2]", p->gravity_amplitude[2], -1e6f, 1e6f},
        {"gravity_frequency", p->gravity_frequency, 0, 1e6f},
        {"gravity_phase", p->gravity_phase, -3600, 3600},
        {"time_step", p->time_step, 0, 1e6f},
        {"time_step_max", p->time_step_max, 0, 1e6f},
        {"courant", p->courant, 0.05f, 4},
        {"speed_share", p->speed_share, 0, 1},
        {"force_factor", p->force_factor, 0.05f, 1},
        {"bounce", p->bounce, 0, 1},
    };
    rn_result result = check_ranges(ranges, sizeof ranges / sizeof *ranges);
    if (result != RN_OK) return result;
    const struct {
        const char *name;
        rn_fluid_choice choice;
        uint32_t value;
    } choices[] = {{"pressure", RN_CHOICE_PRESSURE, p->pressure},
                   {"viscosity_model", RN_CHOICE_VISCOSITY, p->viscosity_model},
                   {"viscosity_solver", RN_CHOICE_SOLVER, p->viscosity_solver},
                   {"viscosity_law", RN_CHOICE_LAW, p->viscosity_law},
                   {"tension", RN_CHOICE_TENSION, p->tension},
                   {"integrator", RN_CHOICE_INTEGRATOR, p->integrator}};
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++)
        if (!rn_fluid_choice_name(choices[k].choice, choices[k].value))
            return rni_fail(RN_ERROR_ARGUMENT, "%s is %u; there is no such choice", choices[k].name,
                            choices[k].value);
    return rni_rheology_check(p);
}

/* What the corrected scheme has no form of. */
static rn_result check_corrected(const rn_fluid_def *def)
{
    const rn_fluid_params *p = &def->params;
    if (p->integrator == RN_INTEGRATOR_EULER || p->integrator == RN_INTEGRATOR_LEAPFROG)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "integrator %s does not go with scheme corrected, which advances the density "
                        "once a step; take symplectic-euler or kick-drift, or scheme wcsph",
                        rn_fluid_choice_name(RN_CHOICE_INTEGRATOR, p->integrator));
    if (p->pressure != RN_PRESSURE_TAIT)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pressure %s does not go with scheme corrected; take tait (exponent 1 is as "
                        "linear), or scheme wcsph",
                        rn_fluid_choice_name(RN_CHOICE_PRESSURE, p->pressure));
    if (def->kernels == RN_KERNELS_PAPERS)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "kernels papers do not go with scheme corrected, which needs one kernel for "
                        "density and gradients; take wendland or spiky, or scheme wcsph");
    if (def->wall_law == RN_WALL_LAW_VIRTUAL_PARTICLES)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "wall law virtual-particles does not go with scheme corrected, whose gradients need "
            "the density behind a wall; take scheme wcsph (presets live, classic)");
    if (def->bare_walls)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "bare walls (walls.bare in a scene) do not go with scheme corrected, whose "
                        "gradients need what is behind a wall; take scheme wcsph");
    return RN_OK;
}

rn_result rni_fluid_check_scheme(const rn_fluid_def *def)
{
    const rn_result result = rni_virtual_walls_check(def);
    if (result != RN_OK) return result;
    return def->scheme == RN_SCHEME_CORRECTED ? check_corrected(def) : RN_OK;
}

static rn_result check_domain(const rn_fluid_def *def)
{
    uint32_t dim = def->dim == 2 ? 2 : 3;
    for (uint32_t a = 0; a < dim; a++) {
        float low = def->domain_low[a], high = def->domain_high[a];
        if (!isfinite(low) || !isfinite(high) || fabsf(low) > 1e12f || fabsf(high) > 1e12f)
            return rni_fail(RN_ERROR_ARGUMENT, "the domain along %c is %g to %g; it must be finite",
                            axis_name[a], (double)low, (double)high);
        float least = 2 * def->spacing;
        double length = (double)high - (double)low,
               rounding = rni_rounding_of((double)low, (double)high);
        if (!(length + rounding >= (double)least))
            return rni_fail(
                RN_ERROR_ARGUMENT,
                "the domain along %c is %g to %g m; it must be at least two spacings (%g m)",
                axis_name[a], (double)low, (double)high, (double)least);
        float largest = fmaxf(fabsf(low), fabsf(high));
        if (largest > 1e5f * def->spacing)
            return rni_fail(RN_ERROR_LIMIT,
                            "the domain reaches to %g m along %c, more than 100,000 spacings of %g m; "
                            "float positions would be too coarse there. Move the domain towards the "
                            "origin, or take a larger spacing",
                            (double)largest, axis_name[a], (double)def->spacing);
        float radius = rni_fluid_radius(def);
        if (def->periodic[a] && length + rounding < 3 * (double)radius)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "the period along %c is %g m; it must be at least three radii (%g m)",
                            axis_name[a], (double)(high - low), (double)(3 * radius));
        if (def->periodic[a] && (def->open[a][0] || def->open[a][1]))
            return rni_fail(RN_ERROR_ARGUMENT, "the domain along %c is periodic and open; take one",
                            axis_name[a]);
    }
    return RN_OK;
}

rn_result rni_fluid_check_def(const rn_fluid_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the definition has struct_bytes %u instead of %zu; start "
                        "from rn_fluid_def_default()",
                        def->struct_bytes, sizeof *def);
    if (def->dim != 2 && def->dim != 3)
        return rni_fail(RN_ERROR_ARGUMENT, "dim is %u; it must be 2 or 3", def->dim);
    const range ranges[] = {
        {"spacing", def->spacing, 1e-6f, 1e6f},
        {"rest_density", def->rest_density, 1e-6f, 1e9f},
        {"speed_expected", def->speed_expected, 0, 1e6f},
    };
    rn_result result = check_ranges(ranges, sizeof ranges / sizeof *ranges);
    if (result != RN_OK) return result;
    if (def->radius != 0 &&
        !(def->radius >= 1.199999f * def->spacing && def->radius <= 4.000001f * def->spacing))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "radius is %g; it must be 0 (derived) or from 1.2 to 4 spacings: %g to %g m",
                        (double)def->radius, (double)(1.2f * def->spacing),
                        (double)(4.0f * def->spacing));
    if (!(def->radius_ratio >= 1.2f && def->radius_ratio <= 4))
        return rni_fail(RN_ERROR_ARGUMENT, "radius_ratio is %g; it must be from 1.2 to 4 spacings",
                        (double)def->radius_ratio);
    if (def->max_particles < 1 || def->max_particles > 1u << 30)
        return rni_fail(RN_ERROR_ARGUMENT, "max_particles is %u; it must be from 1 to 1,073,741,824",
                        def->max_particles);
    if (!rn_fluid_choice_name(RN_CHOICE_SCHEME, def->scheme))
        return rni_fail(RN_ERROR_ARGUMENT, "scheme is %u; there is no such choice", def->scheme);
    if (!rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, def->traversal))
        return rni_fail(RN_ERROR_ARGUMENT, "traversal is %u; there is no such choice",
                        def->traversal);
    bool is_known =
        def->search == RN_SEARCH_DEFAULT; /* also where the traversal does not ask for one */
    for (uint32_t k = 0; rn_search_get_method_info(k); k++)
        is_known = is_known || rn_search_get_method_info(k)->method == def->search;
    if (!is_known)
        return rni_fail(RN_ERROR_ARGUMENT, "search is %u; there is no such method", def->search);
    if (!rn_fluid_choice_name(RN_CHOICE_KERNELS, def->kernels))
        return rni_fail(RN_ERROR_ARGUMENT, "kernels is %u; there is no such choice", def->kernels);
    if (!rn_fluid_choice_name(RN_CHOICE_SLIP, def->domain_slip))
        return rni_fail(RN_ERROR_ARGUMENT, "domain_slip is %u; there is no such choice",
                        def->domain_slip);
    result = check_domain(def);
    if (result == RN_OK) result = rni_fluid_check_params(&def->params);
    if (result == RN_OK) result = rni_phases_check(def);
    return result == RN_OK ? rni_fluid_check_scheme(def) : result;
}

/* --- what is derived
 * ------------------------------------------------------------------------------ */

rni_kernel rni_density_kernel(rn_fluid_kernels kernels)
{
    if (kernels == RN_KERNELS_PAPERS) return RNI_KERNEL_POLY6;
    return kernels == RN_KERNELS_SPIKY ? RNI_KERNEL_SPIKY : RNI_KERNEL_WENDLAND;
}

rni_kernel rni_pressure_kernel(rn_fluid_kernels kernels)
{
    return kernels == RN_KERNELS_WENDLAND ? RNI_KERNEL_WENDLAND : RNI_KERNEL_SPIKY;
}

/* Sums over the cubic lattice at rest, which the continuous integrals make 1. */
typedef struct lattice_sums {
    double density, gradient, laplacian;
    uint32_t neighbors;
} lattice_sums;

static lattice_sums sum_lattice(rn_fluid_kernels kernels, uint32_t dim, double spacing, double h)
{
    lattice_sums sums = {0, 0, 0, 0};
    int reach = (int)ceil(h / spacing);
    double volume = dim == 3 ? spacing * spacing * spacing : spacing * spacing;
    int reach_z = dim == 3 ? reach : 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double r = spacing * sqrt((double)(i * i + j * j + k * k));
                if (r > h) continue;
                sums.density += volume * rni_kernel_value(rni_density_kernel(kernels), dim, h, r);
                sums.gradient -=
                    volume * r / dim * rni_kernel_slope(rni_pressure_kernel(kernels), dim, h, r);
                sums.laplacian += volume * r * r / (2.0 * dim) *
                                  rni_kernel_laplacian(RNI_KERNEL_VISCOSITY, dim, h, r);
                sums.neighbors += i || j || k;
            }
    return sums;
}

/* The kernel's sum over the lattice of these axes, scaled to one particle in spacing^dim. */
static double sum_packing(rn_fluid_kernels kernels, uint32_t dim, double spacing, double h,
                          double cell, const double axes[3][3])
{
    const int reach = 2 * (int)ceil(h / spacing), reach_z = dim == 3 ? reach : 0;
    const double side = spacing / pow(cell, 1.0 / dim);
    double sum = 0;
    for (int k = -reach_z; k <= reach_z; k++)
        for (int j = -reach; j <= reach; j++)
            for (int i = -reach; i <= reach; i++) {
                double sq = 0;
                for (int a = 0; a < 3; a++) {
                    const double x = i * axes[0][a] + j * axes[1][a] + k * axes[2][a];
                    sq += x * x;
                }
                const double r = side * sqrt(sq);
                if (r <= h) sum += rni_kernel_value(rni_density_kernel(kernels), dim, h, r);
            }
    return pow(spacing, dim) * sum;
}

/* What the kernel sums up to over the cubic lattice, over what it sums up to in packings in which fluid comes to
 * rest: hexagonal in 2D, face- and body-centred in 3D. 1.003 and 1.004 at h = 2.3 spacings. */
static double packing_factor(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    static const double HEXAGONAL[3][3] = {{1, 0, 0}, {0.5, 0.8660254037844386, 0}, {0, 0, 1}},
                        FACES[3][3] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
                        BODY[3][3] = {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};
    const double spacing = (double)def->spacing, h = (double)d->radius;
    const double cubic = 1 / (double)d->density_factor;
    if (def->dim == 2)
        return cubic / sum_packing(def->kernels, 2, spacing, h, HEXAGONAL[1][1], HEXAGONAL);
    return 2 * cubic /
           (sum_packing(def->kernels, 3, spacing, h, 2, FACES) +
            sum_packing(def->kernels, 3, spacing, h, 4, BODY));
}

float rni_fluid_radius(const rn_fluid_def *def)
{
    return def->radius > 0 ? def->radius : def->radius_ratio * def->spacing;
}

/* Cohesion acts like a pressure of about 0.03 gamma rho^2 h, curvature like rho gamma h, the colour field
 * and the surface energy like 2 sigma / spacing. */
double rni_fluid_tension_speed(const rn_fluid_def *def)
{
    const rn_fluid_params *p = &def->params;
    const double h = (double)rni_fluid_radius(def), rho = (double)def->rest_density;
    double pull = 0;
    if (p->tension == RN_TENSION_AKINCI)
        pull = 0.1 * (double)p->cohesion * rho * h + 2 * (double)p->curvature * h;
    if (p->tension == RN_TENSION_COLOR_FIELD)
        pull = 2 * (double)p->surface_tension / (rho * (double)def->spacing);
    if (p->tension == RN_TENSION_SURFACE_ENERGY)
        pull = 2 * (double)rni_phases_tension(def) / (rho * (double)def->spacing);
    return sqrt(pull);
}

/* While there is no water: Torricelli's speed for the height of the domain along gravity. */
static float derive_speed(const rn_fluid_def *def)
{
    const float *g = def->params.gravity;
    double height = 0, pull = 0, size = 0;
    for (uint32_t a = 0; a < def->dim; a++) {
        double length = (double)def->domain_high[a] - (double)def->domain_low[a];
        if (length > size) size = length;
        pull += (double)g[a] * (double)g[a];
        if (!def->periodic[a]) height += fabs((double)g[a]) * length;
    }
    const double speed = fmax(sqrt(2 * height), rni_fluid_tension_speed(def));
    if (height > 0) return (float)speed;
    size = fmax(size, speed);
    /* Without gravity (or with periods along it): a size a second. */
    return (float)fmax(size, sqrt(2 * sqrt(pull) * size));
}

/* Of the stiffest spring that cohesion and curvature can make, from their slopes: s of a swing / 2
 * pi. */
static float tension_time(const rn_fluid_def *def, float h)
{
    const rn_fluid_params *p = &def->params;
    float spring = 0;
    if (p->tension == RN_TENSION_AKINCI)
        spring = 12 * p->cohesion * def->rest_density / h + 40 * p->curvature / h;
    if (p->tension == RN_TENSION_COLOR_FIELD)
        spring = 200 * p->surface_tension / (def->rest_density * h * h * h);
    if (p->tension == RN_TENSION_SURFACE_ENERGY)
        spring = 100 * rni_phases_tension(def) / (def->rest_density * h * h * h);
    if (rni_has_phases(def)) spring /= rni_phases_lightest(def);
    return spring > 0 ? 1 / sqrtf(spring) : INFINITY;
}

/* m: the length that bounds a step. */
static float step_length(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    const float spacings = rni_scheme_of(def->scheme)->step_spacings;
    if (!(spacings > 0)) return d->radius;
    return spacings * def->spacing / fmaxf(1, 0.7f * def->params.diffusion); /* explicit, too */
}

/* m / s: of the lightest fluid. */
static float fastest_sound(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    return rni_has_phases(def) ? d->sound_speed / sqrtf(rni_phases_lightest(def)) : d->sound_speed;
}

/* Twice the sum of the Laplacian's weights is its largest eigenvalue; explicit diffusion is stable
 * to 2 / eigenvalue = 0.07 h^2 / nu on the lattice: 1 here is h^2 / nu. */
static float viscous_time(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    const float h = step_length(def, d);
    const float viscosity = rni_explicit_viscosity(def, d);
    return viscosity > 0 ? h * h * def->rest_density / viscosity : INFINITY;
}

/* A longer fixed step heats any flow. Dam breaks are stable to 0.7 of h / c and boil at 0.9;
 * explicit Euler takes a quarter of that, except with bare walls, where it may diverge as
 * published. */
static float longest_step(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    const bool is_euler = def->params.integrator == RN_INTEGRATOR_EULER && !def->bare_walls;
    const bool is_by_spacing = rni_scheme_of(def->scheme)->step_spacings > 0;
    const float h = step_length(def, d), most = is_euler ? 0.2f : is_by_spacing ? 0.45f : 0.8f;
    const float sound = most * h / fastest_sound(def, d);
    return fminf(fminf(sound, 0.07f * viscous_time(def, d)), 2 * tension_time(def, h));
}

rn_fluid_derived rni_fluid_derive(const rn_fluid_def *def)
{
    const rn_fluid_params *p = &def->params;
    rn_fluid_derived d = rn_fluid_derived_default();
    d.radius = rni_fluid_radius(def);
    double spacing = (double)def->spacing, h = (double)d.radius;
    d.mass = (float)((double)def->rest_density *
                     (def->dim == 3 ? spacing * spacing * spacing : spacing * spacing));
    /* Slightly more than the radius, so that all neighbours at exactly 2 spacings are counted. */
    lattice_sums sums = sum_lattice(def->kernels, def->dim, spacing, h * (1 + 1e-9));
    d.neighbor_count = sums.neighbors;
    d.density_factor = def->bare_walls ? 1.0f : (float)(1 / sums.density);
    d.gradient_factor = def->bare_walls ? 1.0f : (float)(1 / sums.gradient);
    d.laplacian_factor = def->bare_walls ? 1.0f : (float)(1 / sums.laplacian);
    d.speed_expected = def->speed_expected > 0 ? def->speed_expected : derive_speed(def);
    const float sound = p->sound_ratio * d.speed_expected;
    if (p->pressure == RN_PRESSURE_TAIT) {
        d.stiffness =
            p->stiffness > 0 ? p->stiffness : def->rest_density * sound * sound / p->exponent;
        d.sound_speed = sqrtf(d.stiffness * p->exponent / def->rest_density);
    } else {
        d.stiffness = p->stiffness > 0 ? p->stiffness : sound * sound;
        d.sound_speed = sqrtf(d.stiffness);
    }
    float viscosity = p->viscosity_model == RN_VISCOSITY_NONE ? 0
                      : rni_has_phases(def)                   ? rni_phases_viscosity(def)
                                                              : rni_rheology_most(p);
    /* Monaghan 2005: nu = alpha c h / (2 (dim + 2)) with h half of our radius. */
    if (p->viscosity_model != RN_VISCOSITY_NONE)
        d.numerical_viscosity = def->rest_density * p->numerical_viscosity * d.sound_speed *
                                d.radius / (4.0f * (float)(def->dim + 2));
    d.viscosity = viscosity + d.numerical_viscosity;
    d.safe_step = rni_scheme_of(def->scheme)->safe_step(def, &d, d.speed_expected, 0).seconds;
    d.longest_step = longest_step(def, &d);
    d.time_step = p->time_step > 0 ? p->time_step : d.safe_step;
    return d;
}

/* A fixed step in more substeps than this is refused. */
#define MOST_PARTS 1024

rn_result rni_fluid_check_step(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    const float given = def->params.time_step;
    if (!(given > d->longest_step && given > MOST_PARTS * d->safe_step)) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "time_step is %g s, more than %d times the safe %.3g s; set 0 for the largest safe "
                    "step, or that value",
                    (double)given, MOST_PARTS, (double)d->safe_step);
}

rni_coefficients rni_fluid_fold(const rn_fluid_def *def, const rn_fluid_derived *d)
{
    const rn_fluid_params *p = &def->params;
    bool is_3d = def->dim == 3;
    double h = (double)d->radius, m = (double)d->mass;
    double h5 = pow(h, 5), h6 = pow(h, 6), h8 = pow(h, 8), h9 = pow(h, 9);
    /* The laws' polynomials (laws.h) at r = 0, and at h / 2 where the slope is 0 at r = 0. */
    rn_fluid_kernels k = def->kernels;
    double density_at_0 = k == RN_KERNELS_PAPERS  ? h6
                          : k == RN_KERNELS_SPIKY ? 8 * h * h * h
                                                  : 32 * h5;
    double density = rni_kernel_value(rni_density_kernel(k), def->dim, h, 0) / density_at_0;
    double pressure = k == RN_KERNELS_WENDLAND
                          ? -rni_kernel_slope(RNI_KERNEL_WENDLAND, def->dim, h, h / 2) / pow(h / 2, 4)
                          : -rni_kernel_slope(RNI_KERNEL_SPIKY, def->dim, h, 0) / (h * h);
    const rni_viscous_form viscous = rni_viscous_form_of(def->dim, (double)def->spacing, h);
    double gradient = is_3d ? 945.0 / (32.0 * RNI_PI * h9) : 24.0 / (RNI_PI * h8);
    rni_coefficients c = {
        .h = d->radius,
        .h_sq = d->radius * d->radius,
        .density = (float)((double)d->density_factor * m * density),
        .packing = def->bare_walls ? 1.0f : (float)packing_factor(def, d),
        .pressure = (float)((double)d->gradient_factor * m * pressure / 8),
        .viscosity = (float)((double)d->laplacian_factor * (double)rni_scheme_viscosity(def, d) *
                             m * (is_3d ? 22.5 / (RNI_PI * h6) : 20.0 / (RNI_PI * h5))),
        .normal = (float)(gradient * m * (p->tension == RN_TENSION_COLOR_FIELD ? 1 : h)),
        .color = (float)(gradient * m),
        .color_h_sq = (is_3d ? 3.0f : 2.0f) * (d->radius * d->radius),
        .color_r_sq = is_3d ? 7.0f : 6.0f,
        .cohesion = (float)((double)p->cohesion * m * 0.25 / (RNI_PI * (is_3d ? h9 : h8))),
        .cohesion_core = (float)h6,
        .curvature = p->curvature,
        .viscous_inverse_sq = (float)(1 / (viscous.radius * viscous.radius)),
        .viscous_part = {(float)viscous.part[0], (float)viscous.part[1]},
        .viscous_scale = (float)(viscous.scale / (double)def->rest_density),
        .twice_rest_density = 2 * def->rest_density,
        .tiny = (float)(1e-12 * h * h),
    };
    for (uint32_t a = 0; a < def->dim; a++) {
        if (!def->periodic[a]) continue;
        c.period[a] = def->domain_high[a] - def->domain_low[a];
        c.inverse_period[a] = 1 / c.period[a];
    }
    return c;
}

/* --- the time step
 * -------------------------------------------------------------------------------- */

/* s to cross a distance. */
static float crossing_time(float distance, float speed, float acceleration)
{
    const float end =
        sqrtf(speed * speed + 4 * distance * acceleration); /* as is_stable() of retry.c counts */
    return speed + end > 0 ? 2 * distance / (speed + end) : INFINITY;
}

rni_safe_step rni_fluid_safe_step(const rn_fluid_def *def, const rn_fluid_derived *d,
                                  float speed_max, float acceleration_max)
{
    const rn_fluid_params *p = &def->params;
    float h = step_length(def, d);
    /* Fluid at rest and dam breaks are stable to 0.6 and beyond; explicit Euler gains energy at any
     * step, but little at a quarter of it. */
    float part = p->integrator == RN_INTEGRATOR_EULER ? 0.1f : 0.4f;
    rni_safe_step step = {part * h / (fastest_sound(def, d) + p->speed_share * speed_max),
                          RN_BOUND_SOUND};
    float force = acceleration_max > 0 ? p->force_factor * sqrtf(h / acceleration_max) : INFINITY;
    if (force < step.seconds) step = (rni_safe_step){force, RN_BOUND_FORCE};
    /* In the order of operations that the golden bits have. */
    const float viscosity = rni_explicit_viscosity(def, d);
    float drag = viscosity > 0 ? 0.04f * h * h * def->rest_density / viscosity : INFINITY;
    if (drag < step.seconds) step = (rni_safe_step){drag, RN_BOUND_VISCOSITY};
    const float tension = 0.5f * tension_time(def, h); /* a power of two: no bit is lost */
    if (tension < step.seconds) step = (rni_safe_step){tension, RN_BOUND_TENSION};
    step.seconds *= p->courant;
    const float crossing =
        crossing_time(0.99f * RNI_MOST_CROSSED * d->radius, speed_max, acceleration_max);
    if (crossing < step.seconds) step = (rni_safe_step){crossing, RN_BOUND_FORCE};
    if (p->time_step_max > 0 && p->time_step_max < step.seconds)
        step = (rni_safe_step){p->time_step_max, RN_BOUND_MAX};
    return step;
}
