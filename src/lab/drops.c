#include "lab/drops.h"

#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define RADIUS  RNI_LAB_DROP_RADIUS
#define STRETCH 1.1 /* of the first shape along x */
#define INSIDE  0.6 /* of the radius: where the pressure is taken */
/* The water around, in a ball that is free: in a closed box the pressure would be anything. Where its pressure is
 * taken: away from the interface, and from the surface of that ball, which is felt eight spacings deep. */
#define AROUND  2.5
#define OUTSIDE 1.35
#define FAR     1.6

/* --- making one ------------------------------------------------------------------------------------- */

static double side_of(const rni_lab_drop_case *d)
{
    return (d->ratio > 0 ? 2.5 * AROUND : 3) * RADIUS;
}

static rn_fluid_def drop_def(const rni_lab *lab, const rni_lab_drop_case *d)
{
    const double side = side_of(d);
    rn_fluid_def def =
        rni_lab_capillary_def(lab, d->dim, RADIUS / d->resolution, (double[]){side, side, side});
    if (!(d->ratio > 0)) return def;
    rni_lab_two_fluids(&def, d->ratio);
    def.phases[1].surface_tension = (float)RNI_LAB_OIL_TENSION;
    def.phases[1].interface_tension[0] = (float)RNI_LAB_INTERFACE_TENSION;
    return def;
}

/* A drop that is `stretch` times as long along x. On failure *fluid is NULL. */
static rn_result make(const rni_lab *lab, rni_lab_drop_case *d, double stretch, rn_fluid **fluid)
{
    const double middle = side_of(d) / 2, spacing = RADIUS / d->resolution,
                 across = d->dim == 3 ? 1 / sqrt(stretch) : 1 / stretch;
    const rn_fluid_def def = drop_def(lab, d);
    rni_lab_ellipsoid shape = {{middle, middle, middle},
                               {stretch * RADIUS, across * RADIUS, across * RADIUS},
                               .phase = d->ratio > 0};
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rni_lab_ellipsoid_add(*fluid, d->dim, spacing, &shape);
    if (result == RN_OK) d->particles = rn_fluid_get_arrays(*fluid).count;
    shape.phase = 0, shape.around = AROUND * RADIUS;
    if (result == RN_OK && d->ratio > 0)
        result = rni_lab_ellipsoid_add(*fluid, d->dim, spacing, &shape);
    if (result == RN_OK) return RN_OK;
    rn_fluid_destroy(*fluid);
    *fluid = NULL;
    return result;
}

/* m: of the ball (2D: the disc) that has the volume of the drop. */
static double radius_of(const rni_lab_drop_case *d)
{
    const double volume = d->particles * pow(RADIUS / d->resolution, d->dim);
    return d->dim == 3 ? cbrt(3 * volume / (4 * RNI_PI)) : sqrt(volume / RNI_PI);
}

/* The fluid that a particle is of: 0 where there is one. */
static const uint32_t *numbers_of(const rn_fluid *fluid)
{
    rn_fluid_span span;
    return rn_fluid_get_attribute(fluid, "fluid", &span) == RN_OK ? span.data : NULL;
}

typedef struct watching {
    rni_lab_drop_case *drop;
    rni_lab_trace *trace;
    double middle, end; /* m, s */
    rni_lab_mean mean;
} watching;

/* --- swings ----------------------------------------------------------------------------------------- */

/* How long the drop is, as a share: differences of second moments; and the speed of the whole. */
static double elongation(const rn_fluid *fluid, rni_lab_drop_case *d)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    const uint32_t *number = numbers_of(fluid);
    double center[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, speed[3] = {0, 0, 0};
    for (uint32_t i = 0; i < p.count; i++)
        for (uint32_t a = 0; a < 3 && a < d->dim && (!number || number[i] == 1); a++) {
            center[a] += (double)p.position[i][a] / d->particles;
            speed[a] += (double)p.velocity[i][a] / d->particles;
        }
    for (uint32_t i = 0; i < p.count; i++)
        for (uint32_t a = 0; a < 3 && a < d->dim && (!number || number[i] == 1); a++)
            moment[a] += pow((double)p.position[i][a] - center[a], 2);
    const double across = d->dim == 3 ? 0.5 * (moment[1] + moment[2]) : moment[1];
    d->drift = sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
    return (moment[0] - across) / (moment[0] + across);
}

static rn_result note_elongation(void *user, const rn_fluid *fluid, double time)
{
    watching *w = user;
    return rni_lab_trace_add(w->trace, time, elongation(fluid, w->drop));
}

/* Lamb 1932, articles 275 and 276, the second mode: omega^2 = 24 sigma / ((3 rho + 2 rho around) R^3), in 2D
 * 6 sigma / ((rho + rho around) R^3). */
static double exact_period(const rni_lab_drop_case *d)
{
    const double oil = d->ratio > 0 ? RNI_LAB_DENSITY / d->ratio : RNI_LAB_DENSITY;
    const double around = d->ratio > 0 ? RNI_LAB_DENSITY : 0;
    const double tension = d->ratio > 0 ? RNI_LAB_INTERFACE_TENSION : RNI_LAB_TENSION;
    const double inertia = (d->dim == 3 ? (3 * oil + 2 * around) / 24 : (oil + around) / 6);
    return 2 * RNI_PI * sqrt(inertia * pow(radius_of(d), 3) / tension);
}

rn_result rni_lab_drop_swing(const rni_lab *lab, rni_lab_drop_case *d, rni_lab_trace *trace)
{
    rn_fluid *fluid = NULL;
    rn_result result = make(lab, d, STRETCH, &fluid);
    if (result != RN_OK) return result;
    d->exact = exact_period(d);
    watching w = {d, trace, 0, 0, {0, 0}};
    result = rni_lab_sample(
        fluid, &(rni_lab_sampling){d->periods * d->exact, d->exact / 60, note_elongation, &w});
    d->found = rni_lab_fit_period(trace, d->exact);
    rn_fluid_destroy(fluid);
    return result;
}

/* --- at rest ---------------------------------------------------------------------------------------- */

/* Pa: mean over the particles inside, less that over those outside. */
static double pressure_jump(const rn_fluid *fluid, double middle, uint32_t dim)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    rni_lab_mean inside = {0, 0}, outside = {0, 0};
    for (uint32_t i = 0; i < p.count; i++) {
        double way_sq = 0;
        for (uint32_t a = 0; a < dim; a++) way_sq += pow((double)p.position[i][a] - middle, 2);
        rni_lab_mean *mean = way_sq <= pow(INSIDE * RADIUS, 2) ? &inside
                             : way_sq >= pow(OUTSIDE * RADIUS, 2) && way_sq <= pow(FAR * RADIUS, 2)
                                 ? &outside
                                 : NULL;
        if (mean) mean->sum += (double)p.pressure[i], mean->count++;
    }
    return rni_lab_mean_of(&inside) - (outside.count > 0 ? rni_lab_mean_of(&outside) : 0);
}

static rn_result note_pressure(void *user, const rn_fluid *fluid, double time)
{
    watching *w = user;
    const double pressure = pressure_jump(fluid, w->middle, w->drop->dim);
    if (time > 0.5 * w->end) w->mean.sum += pressure, w->mean.count++;
    return rni_lab_trace_add(w->trace, time, pressure / w->drop->exact);
}

/* The mean of the second half of two capillary times sqrt(rho R^3 / sigma). */
rn_result rni_lab_drop_rest(const rni_lab *lab, rni_lab_drop_case *d, rni_lab_trace *trace)
{
    const double tension = d->ratio > 0 ? RNI_LAB_INTERFACE_TENSION : RNI_LAB_TENSION;
    rn_fluid *fluid = NULL;
    rn_result result = make(lab, d, 1, &fluid);
    if (result != RN_OK) return result;
    d->exact = (d->dim - 1) * tension / radius_of(d);
    const double end = 2 * sqrt(RNI_LAB_DENSITY * pow(RADIUS, 3) / tension);
    watching w = {d, trace, side_of(d) / 2, end, {0, 0}};
    result = rni_lab_sample(fluid, &(rni_lab_sampling){end, end / 200, note_pressure, &w});
    d->found = rni_lab_mean_of(&w.mean);
    rn_fluid_destroy(fluid);
    return result;
}

/* --- results ---------------------------------------------------------------------------------------- */

double rni_lab_drop_error(const rni_lab_drop_case *d)
{
    return d->found / d->exact - 1;
}

void rni_lab_drop_name(const void *drop, char name[64])
{
    const rni_lab_drop_case *d = drop;
    snprintf(name, 64, "%uD, R = %u spacings", d->dim, d->resolution);
}

void rni_lab_drop_row(const void *drop, rni_lab_table *table, uint32_t number_count)
{
    const rni_lab_drop_case *d = drop;
    const double numbers[] = {
        d->resolution, d->particles, d->found, d->exact, 100 * rni_lab_drop_error(d), d->drift};
    rni_lab_table_text(table, d->dim == 3 ? "3D" : "2D");
    rni_lab_table_numbers(table, numbers, number_count);
}

void rni_lab_drop_words(const rni_lab_drop_case *d, rni_lab_words *words)
{
    rni_lab_words_add(words, "%+.1f %% (%uD, R = %u s)", 100 * rni_lab_drop_error(d), d->dim,
                      d->resolution);
}
