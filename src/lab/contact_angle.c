/* A drop on a flat wall without gravity: its contact angle against the one that is set. */
#include "lab/capillary.h"
#include "lab/study.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdio.h>

#define RADIUS    0.002 /* m, of the half ball at the start */
#define VISCOSITY 0.1   /* Pa s: it comes to rest soon */
#define ALLOWED   10.0  /* degrees */

enum { CASE, RESOLUTION, ANGLE, MEASURED, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"radius_spacings", "radius / spacing", false, 0},
    {"angle", "set degrees", false, 0},
    {"measured", "measured degrees", false, 3},
    {"error", "error degrees", false, 2},
};

typedef struct drop {
    uint32_t dim, resolution;
    double angle, measured;
} drop;

/* m: height of the centre of mass of a cap (2D: a segment) of this volume. */
static double cap_height(uint32_t dim, double volume, double angle)
{
    const double c = cos(angle), s = sin(angle), height = 1 - c; /* of the radius 1 */
    if (dim == 2) {
        const double area = angle - s * c;
        return sqrt(volume / area) * (2 * s * s * s / (3 * area) - c);
    }
    const double own = RNI_PI * height * height * (3 - height) / 3;
    return cbrt(volume / own) * (3 * pow(2 - height, 2) / (4 * (3 - height)) - c);
}

/* Degrees: of the cap with the same volume and centre of mass. The height grows with the angle. */
static double angle_of(const rn_fluid *fluid, uint32_t dim, double spacing)
{
    const double volume = rn_fluid_get_arrays(fluid).count * pow(spacing, dim);
    const double y = rni_lab_water_center(fluid, 1);
    double low = 1, high = 179;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        if (cap_height(dim, volume, middle * RNI_PI / 180) < y) low = middle;
        else high = middle;
    }
    return 0.5 * (low + high);
}

typedef struct settling {
    const drop *drop;
    rni_lab_trace *trace;
    double spacing, end; /* m, s */
    rni_lab_mean mean;
} settling;

static rn_result note_angle(void *user, const rn_fluid *fluid, double time)
{
    settling *s = user;
    const double angle = angle_of(fluid, s->drop->dim, s->spacing);
    if (time > 0.75 * s->end) s->mean.sum += angle, s->mean.count++;
    return rni_lab_trace_add(s->trace, time, angle);
}

static rn_result settle(const rni_lab *lab, void *one, rni_lab_trace *trace)
{
    drop *d = one;
    const double spacing = RADIUS / d->resolution, wide = 6 * RADIUS;
    const double end = 8 * sqrt(RNI_LAB_DENSITY * pow(RADIUS, 3) / RNI_LAB_TENSION);
    rn_fluid_def def =
        rni_lab_capillary_def(lab, d->dim, spacing, (double[]){wide, 4 * RADIUS, wide});
    def.params.contact_angle = (float)d->angle;
    def.params.viscosity = (float)VISCOSITY;
    const rni_lab_ellipsoid half = {.center = {wide / 2, 0, wide / 2},
                                    .half = {RADIUS, RADIUS, RADIUS}};
    rn_fluid *fluid = NULL;
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK) result = rni_lab_ellipsoid_add(fluid, d->dim, spacing, &half);
    settling s = {d, trace, spacing, end, {0, 0}};
    if (result == RN_OK)
        result = rni_lab_sample(fluid, &(rni_lab_sampling){end, end / 100, note_angle, &s});
    d->measured = rni_lab_mean_of(&s.mean);
    rn_fluid_destroy(fluid);
    return result;
}

static void name(const void *one, char text[64])
{
    const drop *d = one;
    snprintf(text, 64, "%uD, %g degrees", d->dim, d->angle);
}

static void fill_row(const void *one, rni_lab_table *table)
{
    const drop *d = one;
    const double numbers[] = {d->resolution, d->angle, d->measured, d->measured - d->angle};
    rni_lab_table_text(table, d->dim == 3 ? "3D" : "2D");
    rni_lab_table_numbers(table, numbers, COLUMN_COUNT - 1);
}

static void conclude(rni_lab *lab, const void *cases, uint32_t count)
{
    const drop *drops = cases;
    double worst = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double error = fabs(drops[k].measured - drops[k].angle);
        if (!(error <= worst)) worst = error; /* also NaN */
    }
    const char *verdict = rni_lab_verdict(worst <= ALLOWED, false);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a drop on a wall has the contact angle of the wall within 10 degrees %s "
        "here: the largest error of %u cases is %.1f degrees.",
        verdict, count, worst);
}

static rn_result run(rni_lab *lab)
{
    drop full[] = {{2, 12, 30, 0}, {2, 12, 90, 0}, {2, 12, 150, 0},
                   {3, 8, 30, 0},  {3, 8, 90, 0},  {3, 8, 150, 0}};
    drop quick[] = {{2, 12, 60, 0}, {2, 12, 120, 0}};
    return rni_lab_study_run(
        lab, &(rni_lab_study){columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick), .name = name,
                              .run = settle, .row = fill_row, .conclude = conclude,
                              .chart = {.title = "The contact angle of a drop on a wall",
                                        .x_label = "time, s",
                                        .y_label = "contact angle, degrees"}});
}

const rni_lab_experiment rni_lab_contact_angle = {
    .name = "contact-angle",
    .summary = "contact angle of a drop on a wall against the one that is set",
    .source = "Young 1805",
    .claim = "a drop meets a wall at its contact angle",
    .run = run,
};
