#include "bench/boxes.h"
#include "bench/row_chart.h"

#include "base/error.h"

#include <stdlib.h>

rn_result rni_box_plot(const char *path, const rni_box_row *rows, uint32_t row_count)
{
    rni_chart_row *shown = calloc(row_count + 1, sizeof *shown);
    if (!shown) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the chart", path);
    uint32_t count = 0;
    bool is_queries = false;
    for (uint32_t r = 0; r < row_count; r++) {
        const rni_box_row *row = &rows[r];
        if (row->skipped) continue;
        is_queries = row->queries > 0;
        uint32_t each = row->queries ? row->queries : row->boxes;
        shown[count++] = (rni_chart_row){row->method,
                                         row->layout,
                                         row->threads,
                                         row->boxes,
                                         row->ms * 1e6 / (each ? each : 1),
                                         row->is_default};
    }
    const rni_row_chart chart = {
        .title = is_queries ? "Queries against boxes: time per query"
                            : "Overlapping boxes: time per box",
        .subtitle = is_queries ? "all queries of a batch; lower is better"
                               : "one complete step, all pairs in a list; lower is better",
        .x_label = "boxes",
        .unit = is_queries ? "nanoseconds per query" : "nanoseconds per box",
        .rows = shown,
        .row_count = count};
    rn_result result = rni_row_chart_write(&chart, path);
    free(shown);
    return result;
}
