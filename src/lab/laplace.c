/* The pressure in a drop at rest: Young and Laplace. */
#include "lab/drops.h"

#include <math.h>

#define ALLOWED 0.1 /* error of the pressure */

enum { CASE, RESOLUTION, PARTICLES, PRESSURE, EXACT, ERROR, COLUMN_COUNT };

static const rni_lab_column columns[COLUMN_COUNT] = {
    {"case", "case", true, 0},
    {"radius_spacings", "radius / spacing", false, 0},
    {"particles", "particles", false, 0},
    {"pressure_pa", "pressure Pa", false, 4},
    {"exact_pa", "Laplace Pa", false, 4},
    {"error_percent", "error %", false, 2},
};

static rn_result rest(const rni_lab *lab, void *drop, rni_lab_trace *trace)
{
    return rni_lab_drop_rest(lab, drop, trace);
}

static void fill_row(const void *drop, rni_lab_table *table)
{
    rni_lab_drop_row(drop, table, COLUMN_COUNT - 1);
}

static void conclude(rni_lab *lab, const void *cases, uint32_t count)
{
    const rni_lab_drop_case *drops = cases;
    rni_lab_words list = {0};
    bool is_right = true; /* of the finest of each dimension */
    for (uint32_t k = 0; k < count; k++) {
        if (k + 1 == count || drops[k + 1].dim != drops[k].dim)
            is_right &= fabs(rni_lab_drop_error(&drops[k])) <= ALLOWED;
        rni_lab_drop_words(&drops[k], &list);
    }
    const char *verdict = rni_lab_verdict(is_right, false);
    rni_lab_conclude(lab, verdict,
                     "The claim that the pressure in a drop is that of Young and Laplace within 10 %% %s "
                     "here at the finest resolution: the error is %s, with s for the spacing.",
                     verdict, list.text);
}

static rn_result run(rni_lab *lab)
{
    rni_lab_drop_case full[] = {{.dim = 2, .resolution = 10},
                                {.dim = 2, .resolution = 20},
                                {.dim = 3, .resolution = 10},
                                {.dim = 3, .resolution = 16}};
    rni_lab_drop_case quick[] = {{.dim = 2, .resolution = 10}, {.dim = 2, .resolution = 20}};
    return rni_lab_study_run(
        lab, &(rni_lab_study){columns, COLUMN_COUNT, RNI_LAB_CASES(lab, full, quick),
                              .name = rni_lab_drop_name, .run = rest, .row = fill_row,
                              .conclude = conclude,
                              .chart = {.title = "The pressure in a drop of water at rest",
                                        .x_label = "time, s",
                                        .y_label = "pressure / that of Young and Laplace"}});
}

const rni_lab_experiment rni_lab_laplace = {
    .name = "laplace",
    .summary = "pressure in a drop at rest against Young and Laplace",
    .source = "Young 1805, Laplace 1806",
    .claim = "the pressure in a drop is sigma times the curvature of its surface",
    .run = run,
};
