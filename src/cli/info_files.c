#include "cli/info.h"

#include "base/error.h"
#include "files/csv.h"
#include "files/out_file.h"
#include "files/point_file.h"
#include "output/checkpoint.h"
#include "output/h5_notes.h"
#include "output/series.h"
#include "output/vtp_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

rn_result rni_info_vtp(rni_info *info)
{
    rni_vtp_info vtp;
    rn_result result = rni_vtp_read(info->path, true, &vtp);
    if (result != RN_OK) return result;
    rni_info_text(info, "kind",
                  vtp.polys ? "VTK triangles of solids (.vtp)" : "VTK particles (.vtp)");
    if (vtp.polys) rni_info_whole(info, "triangles", vtp.polys);
    else rni_info_whole(info, "particles", vtp.points);
    if (vtp.has_time) rni_info_number(info, "time", vtp.time, "s");
    if (!vtp.polys) rni_info_whole(info, "step", vtp.step);
    uint64_t not_finite = 0;
    for (uint32_t k = 0; k < vtp.array_count; k++) {
        const rni_vtp_array *a = &vtp.array[k];
        not_finite += a->not_finite;
        bool is_cells = strcmp(a->name, "connectivity") == 0 || strcmp(a->name, "offsets") == 0;
        if (!is_cells && a->rows > 0) rni_info_range(info, a->name, a->low, a->high, a->components);
    }
    if (not_finite) rni_info_whole(info, "not_finite", not_finite);
    return RN_OK;
}

rn_result rni_info_pvd(rni_info *info)
{
    rni_pvd_info pvd;
    rn_result result = rni_pvd_read(info->path, &pvd);
    if (result != RN_OK) return result;
    rni_info_text(info, "kind", "list of VTK frames (.pvd)");
    rni_info_whole(info, "frames", pvd.frames);
    if (pvd.frames) {
        rni_info_number(info, "first", pvd.first, "s");
        rni_info_number(info, "last", pvd.last, "s");
    }
    if (!pvd.is_ascending) rni_info_text(info, "order", "times do not ascend");
    rni_info_whole(info, "missing_files", pvd.missing);
    if (pvd.missing) rni_info_text(info, "first_missing", pvd.missing_name);
    return RN_OK;
}

/* The number of frames in the notes at path, if that file exists. */
static void show_h5_frames(rni_info *info, const char *path)
{
    char line[512];
    uint64_t frames = 0;
    FILE *notes = fopen(path, "re");
    if (!notes) return;
    while (fgets(line, sizeof line, notes)) frames += strncmp(line, "frame ", 6) == 0;
    fclose(notes);
    rni_info_whole(info, "frames", frames);
}

rn_result rni_info_h5_notes(rni_info *info)
{
    rni_info_text(info, "kind", "frames of an HDF5 file, for --resume");
    show_h5_frames(info, info->path);
    return RN_OK;
}

rn_result rni_info_h5(rni_info *info)
{
    char path[RNI_PATH_BYTES];
    rni_info_text(info, "kind", "HDF5");
    if (snprintf(path, sizeof path, "%s" RNI_H5_NOTES, info->path) < (int)sizeof path)
        show_h5_frames(info, path);
    rni_info_text(info, "see", "h5dump -n FILE lists the contents, h5dump -H FILE the types");
    return RN_OK;
}

/* comment time 0.5 in the header of a PLY of ours. */
static void show_ply_comments(rni_info *info)
{
    const char *start = (const char *)info->start;
    const char *end = strstr(start, "end_header");
    const char *time = strstr(start, "\ncomment time ");
    const char *step = strstr(start, "\ncomment step ");
    double seconds;
    unsigned long long number;
    if (end && time && time < end && sscanf(time + 14, "%lf", &seconds) == 1 && isfinite(seconds))
        rni_info_number(info, "time", seconds, "s");
    if (end && step && step < end && sscanf(step + 14, "%llu", &number) == 1)
        rni_info_whole(info, "step", number);
}

rn_result rni_info_points(rni_info *info)
{
    rni_point_file cloud;
    rn_result result = rni_point_file_read(info->path, &cloud);
    if (result != RN_OK) {
        char reason[400];
        if (rni_out_kind_of(info->path) != RNI_OUT_UNKNOWN) return result;
        snprintf(reason, sizeof reason, "%s", rn_last_error());
        return rni_fail(result, "%s: is not a file that Runnel can read; as a point file: %s",
                        info->path, reason);
    }
    double low[3] = {0}, high[3] = {0};
    uint64_t not_finite = 0;
    bool has_any = false;
    for (uint32_t i = 0; i < cloud.count; i++) {
        double p[3] = {0};
        bool is_finite = true;
        for (uint32_t axis = 0; axis < cloud.dim; axis++) {
            size_t at = (size_t)i * cloud.dim + axis;
            p[axis] = cloud.scalar == RN_SCALAR_FLOAT ? (double)((const float *)cloud.position)[at]
                                                      : ((const double *)cloud.position)[at];
            is_finite = is_finite && isfinite(p[axis]);
        }
        not_finite += !is_finite;
        for (uint32_t axis = 0; is_finite && axis < cloud.dim; axis++) {
            if (!has_any || p[axis] < low[axis]) low[axis] = p[axis];
            if (!has_any || p[axis] > high[axis]) high[axis] = p[axis];
        }
        has_any = has_any || is_finite;
    }
    rni_info_text(info, "kind", cloud.format);
    rni_info_whole(info, "particles", cloud.count);
    if (strncmp(cloud.format, "PLY", 3) == 0) show_ply_comments(info);
    if (has_any) rni_info_range(info, "position", low, high, cloud.dim);
    if (not_finite) rni_info_whole(info, "not_finite", not_finite);
    rni_point_file_release(&cloud);
    return RN_OK;
}

rn_result rni_info_checkpoint(rni_info *info)
{
    rni_checkpoint c;
    char formats[64] = "";
    rn_result result = rni_checkpoint_read(info->path, &c);
    if (result != RN_OK) return result;
    const rni_run_state *run = &c.run;
    const char *traversal = run->traversal <= UINT32_MAX
                                ? rn_fluid_choice_name(RN_CHOICE_TRAVERSAL, (uint32_t)run->traversal)
                                : NULL;
    for (uint32_t k = 0; k < RNI_FORMAT_COUNT; k++)
        if (run->formats >> k & 1) {
            size_t used = strlen(formats);
            snprintf(formats + used, sizeof formats - used, "%s%s", used ? "," : "",
                     rni_format_name(k));
        }
    rni_info_text(info, "kind", "checkpoint");
    rni_info_text(info, "written_by", c.version);
    rni_info_whole(info, "step", run->step);
    rni_info_number(info, "time", run->time, "s");
    rni_info_hash(info, "state_hash", run->state_hash);
    rni_info_whole(info, "fluid_bytes", c.fluid_bytes);
    rni_info_whole(info, "scene_bytes", c.scene_bytes);
    rni_info_whole(info, "frames", run->frame_count);
    rni_info_text(info, "formats", formats[0] ? formats : "none");
    rni_info_text(info, "traversal", traversal ? traversal : "unknown");
    rni_info_text(info, "cpu",
                  run->cpu <= RN_CPU_AVX512 ? rn_cpu_level_name((rn_cpu_level)run->cpu) : "unknown");
    rni_info_number(info, "wall", run->wall_s, "s");
    rni_checkpoint_release(&c);
    return RN_OK;
}

/* gauges.csv. */
rn_result rni_info_gauges(rni_info *info)
{
    rni_csv csv;
    double time, first = 0, last = 0;
    uint64_t rows = 0;
    rn_result result = rni_csv_open(info->path, &csv);
    if (result != RN_OK) return result;
    while (rni_csv_next(&csv, &result)) {
        result = rni_csv_number(&csv, 0, &time);
        if (result != RN_OK) break;
        if (rows++ == 0) first = time;
        last = time;
    }
    if (result == RN_OK) {
        rni_info_text(info, "kind", "samples of gauges (CSV)");
        rni_info_whole(info, "rows", rows);
        if (rows)
            rni_info_number(info, "first", first, "s"), rni_info_number(info, "last", last, "s");
        for (uint32_t k = 1; k < csv.column_count; k++) {
            char key[32];
            snprintf(key, sizeof key, "column.%u", k);
            rni_info_text(info, key, csv.title[k]);
        }
        rni_info_text(info, "see", "runnel plot FILE -o CHART.svg draws it");
    }
    rni_csv_close(&csv);
    return result;
}

rn_result rni_info_png(rni_info *info)
{
    const unsigned char *at = info->start + 16;
    if (info->start_bytes < 24) return rni_fail(RN_ERROR_FILE, "%s: is cut off", info->path);
    rni_info_text(info, "kind", "picture (PNG)");
    for (unsigned k = 0; k < 2; k++, at += 4)
        rni_info_whole(info, k ? "height" : "width",
                       (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3]);
    return RN_OK;
}
