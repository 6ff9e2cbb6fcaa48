#include "lab/lab.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rni_lab_path(const rni_lab *lab, const char *part, const char *extension, char path[4096])
{
    snprintf(path, 4096, "%s/%s%s%s.%s", lab->folder, lab->experiment->name, part ? "-" : "",
             part ? part : "", extension);
}

rn_result rni_lab_plot(const rni_lab *lab, const char *part, const rni_chart *chart)
{
    char path[4096];
    rni_lab_path(lab, part, "svg", path);
    return rni_chart_write_lines(chart, path);
}

rn_result rni_lab_plot_columns(const rni_lab *lab, const char *part, rni_chart chart,
                               const rni_lab_curves *curves)
{
    const rni_lab_table *table = &lab->table;
    size_t row_count = table->row_count;
    double *numbers = calloc((curves->count + 1) * row_count + 1, sizeof *numbers);
    rni_chart_series *series = calloc(curves->count + 1, sizeof *series);
    rn_result result = RN_OK;
    if (!numbers || !series) {
        result = rni_fail(RN_ERROR_MEMORY, "no memory for the plot");
        goto done;
    }
    for (uint32_t r = 0; r < row_count; r++) numbers[r] = rni_lab_table_at(table, r, curves->x);
    for (uint32_t k = 0; k < curves->count; k++) {
        double *y = numbers + (k + 1) * row_count;
        bool is_measured = false;
        for (uint32_t r = 0; r < row_count; r++) {
            y[r] = rni_lab_table_at(table, r, curves->y[k]);
            is_measured |= !isnan(y[r]);
        }
        if (is_measured)
            series[chart.series_count++] =
                (rni_chart_series){curves->names[k], numbers, y, table->row_count};
    }
    chart.series = series;
    result = rni_lab_plot(lab, part, &chart);
done:
    free(series);
    free(numbers);
    return result;
}

static const char *group_of(const rni_lab_table *table, uint32_t row, uint32_t group)
{
    return table->values[(size_t)row * table->column_count + group].text;
}

static bool is_first_of_group(const rni_lab_table *table, uint32_t row, uint32_t group)
{
    for (uint32_t r = 0; r < row; r++)
        if (strcmp(group_of(table, r, group), group_of(table, row, group)) == 0) return false;
    return true;
}

/* The group of row first as a series, its numbers in x and y. */
static rni_chart_series gather_group(const rni_lab_table *table, uint32_t first, uint32_t group,
                                     const uint32_t columns[2], double *x, double *y)
{
    rni_chart_series series = {group_of(table, first, group), x, y, 0};
    for (uint32_t r = first; r < table->row_count; r++) {
        if (strcmp(group_of(table, r, group), series.name) != 0) continue;
        x[series.count] = rni_lab_table_at(table, r, columns[0]);
        y[series.count++] = rni_lab_table_at(table, r, columns[1]);
    }
    return series;
}

rn_result rni_lab_plot_groups(const rni_lab *lab, const char *part, rni_chart chart, uint32_t group,
                              uint32_t x, uint32_t y)
{
    const rni_lab_table *table = &lab->table;
    size_t row_count = table->row_count;
    double *numbers = calloc(row_count * 2 + 1, sizeof *numbers);
    rni_chart_series *series = calloc(row_count + 1, sizeof *series);
    rn_result result = RN_OK;
    if (!numbers || !series) {
        result = rni_fail(RN_ERROR_MEMORY, "no memory for the plot");
        goto done;
    }
    size_t used = 0;
    for (uint32_t r = 0; r < row_count; r++) {
        if (!is_first_of_group(table, r, group)) continue;
        series[chart.series_count] = gather_group(table, r, group, (uint32_t[]){x, y},
                                                  numbers + used, numbers + row_count + used);
        used += series[chart.series_count++].count;
    }
    chart.series = series;
    result = rni_lab_plot(lab, part, &chart);
done:
    free(series);
    free(numbers);
    return result;
}
