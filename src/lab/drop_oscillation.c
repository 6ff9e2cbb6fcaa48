/* A drop without gravity swings between long and flat: period against Rayleigh. */
#include "lab/drops.h"

#include <math.h>

#define ALLOWED 0.05 /* error of the period */

enum { CASE, RESOLUTION, PARTICLES, PERIOD, EXACT, ERROR, DRIFT, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"radius_spacings", "radius / spacing", false, 0},
    {"particles", "particles", false, 0},
    {"period_s", "period s", false, 4},
    {"exact_s", "Rayleigh s", false, 4},
    {"error_percent", "error %", false, 2},
    {"drift", "of the whole m/s", false, 2},
};

static rn_result swing(const rni_lab *lab, void *drop, rni_lab_trace *trace)
{
    return rni_lab_drop_swing(lab, drop, trace);
}

static void fill_row(const void *drop, rni_lab_table *table)
{
    rni_lab_drop_row(drop, table, COLUMN_COUNT - 1);
}

static void conclude(rni_lab *lab, const void *cases, uint32_t count)
{
    const rni_lab_drop_case *drops = cases;
    rni_lab_words list = {0};
    bool is_right = true;
    double drift = 0;
    for (uint32_t k = 0; k < count; k++) {
        is_right &= fabs(rni_lab_drop_error(&drops[k])) <= ALLOWED;
        drift = fmax(drift, drops[k].drift);
        rni_lab_drop_words(&drops[k], &list);
    }
    const char *verdict = rni_lab_verdict(is_right, false);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a drop of water swings with Rayleigh's period within 5 %% %s here: "
        "the error is %s, with s for the spacing; the centre of mass drifts at %.0e m/s.",
        verdict, list.text, drift);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_drop_case full[] = {{.dim = 2, .resolution = 10, .periods = 2.5},
                                {.dim = 2, .resolution = 20, .periods = 2.5},
                                {.dim = 3, .resolution = 12, .periods = 2},
                                {.dim = 3, .resolution = 16, .periods = 2}};
    rni_lab_drop_case quick[] = {{.dim = 2, .resolution = 10, .periods = 2.5},
                                 {.dim = 2, .resolution = 14, .periods = 2.5}};
    return rni_lab_study_run(
        lab, &(rni_lab_study){columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick),
                              .name = rni_lab_drop_name, .run = swing, .row = fill_row,
                              .conclude = conclude,
                              .chart = {.title = "A drop of water swings by surface tension",
                                        .x_label = "time, s",
                                        .y_label = "elongation"}});
}

const rni_lab_experiment rni_lab_drop_oscillation = {
    .name = "drop-oscillation",
    .summary = "a drop swings with the period of its surface tension",
    .source = "Rayleigh 1879",
    .claim = "the law surface-energy has the tension that its coefficient says",
    .run = run,
};
