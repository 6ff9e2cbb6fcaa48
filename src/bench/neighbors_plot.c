#include "bench/neighbors.h"
#include "bench/row_chart.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rn_result rni_bench_plot(const char *path, const rni_bench_row *rows, uint32_t row_count)
{
    rni_chart_row *shown = calloc(row_count + 1, sizeof *shown);
    if (!shown) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the chart", path);
    uint32_t count = 0;
    bool has_layouts = false;
    double radius = 0;
    for (uint32_t r = 0; r < row_count; r++) {
        const rni_bench_row *row = &rows[r];
        if (row->skipped) continue;
        shown[count++] = (rni_chart_row){row->method, row->layout,       row->threads,
                                         row->points, row->ns_per_point, row->is_default};
        has_layouts |= strcmp(row->layout, shown[0].layout) != 0;
        radius = row->radius;
    }
    char subtitle[160] = "no results";
    if (count)
        snprintf(subtitle, sizeof subtitle, "one complete update, radius %g%s%s; lower is better",
                 radius, has_layouts ? "" : ", layout ", has_layouts ? "" : shown[0].layout);
    const rni_row_chart chart = {.title = "Neighbour search: time per point",
                                 .subtitle = subtitle,
                                 .x_label = "points",
                                 .unit = "nanoseconds per point",
                                 .rows = shown,
                                 .row_count = count};
    rn_result result = rni_row_chart_write(&chart, path);
    free(shown);
    return result;
}
