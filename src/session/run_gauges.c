/* gauges.csv: a row for each step at which a gauge was sampled.
 *
 * Times and values have as many digits as bring them back. A run that continues therefore cuts the file
 * at the time of its checkpoint, reads the rows before, and has the statistics of a run that was not
 * interrupted: nothing about gauges is in the checkpoint. */
#include "session/run.h"

#include "base/error.h"
#include "files/csv.h"
#include "fluid/gauges.h"
#include "scene/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Titles of all columns, in order. */
static void write_titles(FILE *file, const rni_scene *scene)
{
    const rn_gauge_column *column;
    fputs("time [s]", file);
    for (uint32_t k = 0; k < scene->gauge_count; k++) {
        const rn_fluid_gauge gauge = rni_scene_gauge_of(scene, &scene->gauges[k]);
        for (uint32_t c = 0; (column = rn_gauge_get_column(&gauge, scene->def.dim, c)); c++)
            fprintf(file, ",%s", rni_scene_gauge_title(scene, k, column).text);
    }
    fputc('\n', file);
}

static rn_result fail_write(const char *path)
{
    return rni_fail(RN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}

static rn_result open_file(rni_run *run, const char *mode)
{
    char path[RNI_PATH_BYTES];
    rni_run_path(run, RNI_GAUGE_FILE, path);
    run->gauge_file = fopen(path, mode);
    return run->gauge_file ? RN_OK : fail_write(path);
}

rn_result rni_run_gauges_begin(rni_run *run)
{
    if (run->scene->gauge_count == 0) return RN_OK;
    rn_result result = open_file(run, "we");
    if (result != RN_OK) return result;
    write_titles(run->gauge_file, run->scene);
    return rni_run_gauges_sync(run);
}

/* --- rows --- */

static void write_values(rni_run *run, uint32_t k, uint64_t step, bool *is_any)
{
    rn_gauge_reading reading = rn_gauge_reading_default();
    if (rn_fluid_get_gauge(run->fluid, run->built.gauge[k], &reading) != RN_OK) return;
    const bool is_new = reading.sample_count > 0 && reading.step == step;
    if (is_new && !*is_any) {
        rni_number_write(run->gauge_file, rn_fluid_get_time(run->fluid), false);
        for (uint32_t before = 0; before < k; before++) {
            rn_gauge_reading other = rn_gauge_reading_default();
            (void)rn_fluid_get_gauge(run->fluid, run->built.gauge[before], &other);
            for (uint32_t c = 0; c < other.value_count; c++) fputc(',', run->gauge_file);
        }
        *is_any = true;
    }
    for (uint32_t c = 0; c < reading.value_count && *is_any; c++) {
        fputc(',', run->gauge_file);
        if (is_new && isfinite(reading.value[c]))
            rni_number_write(run->gauge_file, reading.value[c], true);
    }
}

rn_result rni_run_gauges_step(rni_run *run)
{
    bool is_any = false;
    if (!run->gauge_file) return RN_OK;
    for (uint32_t k = 0; k < run->scene->gauge_count; k++)
        write_values(run, k, rn_fluid_get_step_count(run->fluid), &is_any);
    if (is_any) fputc('\n', run->gauge_file);
    if (!ferror(run->gauge_file)) return RN_OK;
    char path[RNI_PATH_BYTES];
    rni_run_path(run, RNI_GAUGE_FILE, path);
    return fail_write(path);
}

rn_result rni_run_gauges_sync(rni_run *run)
{
    if (!run->gauge_file) return RN_OK;
    const bool is_good =
        fflush(run->gauge_file) == 0 && (fsync(fileno(run->gauge_file)) == 0 || errno == EINVAL);
    if (is_good) return RN_OK;
    char path[RNI_PATH_BYTES];
    rni_run_path(run, RNI_GAUGE_FILE, path);
    return fail_write(path);
}

void rni_run_gauges_close(rni_run *run)
{
    if (run->gauge_file) fclose(run->gauge_file);
    run->gauge_file = NULL;
}

/* --- a run that continues --- */

/* One row into the statistics of the gauges. */
static rn_result replay_row(rni_run *run, const rni_csv *csv, double time)
{
    rn_result result = RN_OK;
    uint32_t at = 1;
    for (uint32_t k = 0; k < run->scene->gauge_count && result == RN_OK; k++) {
        const rn_fluid_gauge gauge = rni_scene_gauge_of(run->scene, &run->scene->gauges[k]);
        double values[RN_GAUGE_MAX_VALUES];
        bool is_any = false;
        for (uint32_t c = 0; rn_gauge_get_column(&gauge, run->scene->def.dim, c); c++, at++) {
            if (result == RN_OK) result = rni_csv_number(csv, at, &values[c]);
            is_any = is_any || *csv->cell[at];
        }
        if (result == RN_OK && is_any)
            result = rni_gauge_replay(run->fluid, run->built.gauge[k], time, values);
    }
    return result;
}

/* The rows up to the time of the checkpoint; *end: where they end in the file. */
static rn_result replay(rni_run *run, rni_csv *csv, uint64_t *end)
{
    rn_result result = RN_OK;
    double time;
    *end = csv->end;
    while (rni_csv_next(csv, &result)) {
        if (csv->is_cut) break;
        result = rni_csv_number(csv, 0, &time);
        if (result != RN_OK || !(time <= run->state.time)) break;
        result = replay_row(run, csv, time);
        if (result != RN_OK) break;
        *end = csv->end;
    }
    return result;
}

/* Whether the file has the titles of this scene. */
static bool has_titles(const rni_run *run, const rni_csv *csv)
{
    const rn_gauge_column *column;
    const rni_scene *scene = run->scene;
    uint32_t at = 1;
    for (uint32_t k = 0; k < scene->gauge_count; k++) {
        const rn_fluid_gauge gauge = rni_scene_gauge_of(scene, &scene->gauges[k]);
        for (uint32_t c = 0; (column = rn_gauge_get_column(&gauge, scene->def.dim, c)); c++, at++)
            if (at >= csv->column_count ||
                strcmp(csv->title[at], rni_scene_gauge_title(scene, k, column).text) != 0)
                return false;
    }
    return at == csv->column_count;
}

rn_result rni_run_gauges_resume(rni_run *run)
{
    char path[RNI_PATH_BYTES];
    rni_csv csv;
    uint64_t end = 0;
    if (run->scene->gauge_count == 0) return RN_OK;
    rni_run_path(run, RNI_GAUGE_FILE, path);
    rn_result result = rni_csv_open(path, &csv);
    if (result == RN_OK) {
        if (!has_titles(run, &csv))
            result = rni_fail(RN_ERROR_FILE, "%s: has other columns than the scene has gauges", path);
        if (result == RN_OK) result = replay(run, &csv, &end);
        rni_csv_close(&csv);
    }
    if (result != RN_OK) {
        if (run->state.step > 0)
            rni_run_say(run, "%s; %s begins anew, without the samples so far", rn_last_error(),
                        RNI_GAUGE_FILE);
        rni_gauges_clear(run->fluid);
        return rni_run_gauges_begin(run);
    }
    if (truncate(path, (off_t)end) != 0) return fail_write(path);
    return open_file(run, "ae");
}
