/* A chart of benchmark rows: lines over the size of the problem, or bars when there is only one size. */
#ifndef RNI_BENCH_ROW_CHART_H
#define RNI_BENCH_ROW_CHART_H

#include <runnel/base.h>

#include <stdbool.h>

typedef struct rni_chart_row {
    const char *method, *layout;
    uint32_t threads;
    double size, ns; /* number of points or boxes; nanoseconds for each of them */
    bool is_default; /* highlighted */
} rni_chart_row;

typedef struct rni_row_chart {
    const char *title, *subtitle, *x_label, *unit;
    const rni_chart_row *rows;
    uint32_t row_count;
} rni_row_chart;

/* One curve for each method, layout and number of threads; names have only what differs. */
rn_result rni_row_chart_write(const rni_row_chart *chart, const char *path);

#endif
