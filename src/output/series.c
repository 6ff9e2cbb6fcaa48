#include "output/series.h"
#include "output/h5.h"
#include "output/vtp_read.h"

#include "base/error.h"
#include "files/out_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEM   "particles"
#define DIGITS 6
#define SOLIDS "solids.vtp"

static const char *const NAMES[RNI_FORMAT_COUNT] = {"vtp", "ply", "h5"};

const char *rni_format_name(uint32_t format)
{
    return format < RNI_FORMAT_COUNT ? NAMES[format] : NULL;
}

static bool has(const rni_series *series, rni_format format)
{
    return series->formats >> format & 1;
}

/* The path of a series is short enough for the names in it. */
static void frame_path(const rni_series *series, uint64_t frame, rni_format format,
                       char path[RNI_PATH_BYTES])
{
    snprintf(path, RNI_PATH_BYTES, "%s/" STEM "_%0*llu.%s", series->folder, DIGITS,
             (unsigned long long)frame, NAMES[format]);
}

static void list_path(const rni_series *series, const char *ending, char path[RNI_PATH_BYTES])
{
    snprintf(path, RNI_PATH_BYTES, "%s/" STEM ".%s", series->folder, ending);
}

/* --- the list of VTK files ------------------------------------------------------------------------ */

static void put_pvd_head(rni_out_file *out)
{
    rni_out_file_text(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                           "  <Collection>\n");
}

/* The frame is the last line of its entry: add_to_pvd() copies up to there. */
static void put_pvd_entry(rni_out_file *out, const rni_series *series, uint64_t frame, double time)
{
    if (series->has_solids)
        rni_out_file_print(
            out, "    <DataSet timestep=\"%.17g\" group=\"\" part=\"1\" file=\"" SOLIDS "\"/>\n",
            time);
    rni_out_file_print(out,
                       "    <DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"" STEM
                       "_%0*llu.vtp\"/>\n",
                       time, DIGITS, (unsigned long long)frame);
}

static rn_result close_pvd(rni_out_file *out)
{
    rni_out_file_text(out, "  </Collection>\n</VTKFile>\n");
    return rni_out_file_close(out);
}

/* The list so far is copied line by line: memory does not grow with the run. */
static rn_result add_to_pvd(const rni_series *series, double time)
{
    char path[RNI_PATH_BYTES], line[512];
    rni_out_file out;
    list_path(series, "pvd", path);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    put_pvd_head(&out);
    uint64_t copied = 0, listed = series->frame_count - series->missing_count;
    FILE *old = fopen(path, "re");
    while (old && copied < listed && fgets(line, sizeof line, old))
        if (strstr(line, "<DataSet ")) {
            rni_out_file_text(&out, line);
            copied += strstr(line, " file=\"" STEM "_") != NULL;
        }
    if (old) fclose(old);
    if (copied != listed) {
        rni_out_file_abandon(&out);
        return rni_fail(RN_ERROR_FILE,
                        "%s: was changed by another program: %llu of %llu frames are in it", path,
                        (unsigned long long)copied, (unsigned long long)listed);
    }
    put_pvd_entry(&out, series, series->frame_count, time);
    return close_pvd(&out);
}

/* particles_DIGITS.vtp or .ply. */
static bool frame_of(const char *name, uint64_t *frame)
{
    size_t stem = sizeof STEM "_" - 1;
    if (strncmp(name, STEM "_", stem) != 0) return false;
    size_t length = strspn(name + stem, "0123456789");
    const char *ending = name + stem + length;
    if (length < DIGITS || length > 20) return false;
    *frame = strtoull(name + stem, NULL, 10);
    return strcmp(ending, ".vtp") == 0 || strcmp(ending, ".ply") == 0;
}

/* One more than the last frame in the folder has. */
static uint64_t frames_in(const char *folder)
{
    uint64_t end = 0, frame;
    DIR *open = opendir(folder);
    struct dirent *entry;
    while (open && (entry = readdir(open)) != NULL)
        if (frame_of(entry->d_name, &frame) && frame < UINT64_MAX && frame + 1 > end)
            end = frame + 1;
    if (open) closedir(open);
    return end;
}

/* Rebuilds the list from the files that it names. */
static rn_result rebuild_pvd(rni_series *series)
{
    char path[RNI_PATH_BYTES], name[RNI_PATH_BYTES];
    rni_out_file out;
    list_path(series, "pvd", path);
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    put_pvd_head(&out);
    uint64_t there = frames_in(series->folder);
    if (there < series->frame_count) {
        series->missing_count = series->frame_count - there;
        rni_fail(RN_ERROR_FILE, "%s: frames from %llu on are not there", series->folder,
                 (unsigned long long)there);
    } else {
        there = series->frame_count;
    }
    for (uint64_t frame = 0; frame < there; frame++) {
        rni_vtp_info info;
        frame_path(series, frame, RNI_FORMAT_VTP, name);
        if (rni_vtp_read(name, false, &info) == RN_OK)
            put_pvd_entry(&out, series, frame, info.time);
        else series->missing_count++;
    }
    return close_pvd(&out);
}

/* --- a series --------------------------------------------------------------------------------------- */

static rn_result set_folder(rni_series *series, const char *folder, uint64_t formats)
{
    *series = (rni_series){.formats = formats};
    if (strlen(folder) >= sizeof series->folder)
        return rni_fail(RN_ERROR_FILE, "%s: the path is too long", folder);
    memcpy(series->folder, folder, strlen(folder) + 1);
    char path[RNI_PATH_BYTES];
    snprintf(path, sizeof path, "%s/" SOLIDS, series->folder);
    series->has_solids = access(path, R_OK) == 0;
    return RN_OK;
}

rn_result rni_series_put_solids(rni_series *series, const rn_frame *frame)
{
    char path[RNI_PATH_BYTES];
    if (!has(series, RNI_FORMAT_VTP) || frame->pose_count == 0) return RN_OK;
    snprintf(path, sizeof path, "%s/" SOLIDS, series->folder);
    rn_result result = rni_vtp_write_solids(path, frame);
    series->has_solids = result == RN_OK;
    return result;
}

rn_result rni_series_begin(rni_series *series, const char *folder, uint64_t formats)
{
    char path[RNI_PATH_BYTES];
    rn_result result = set_folder(series, folder, formats);
    if (result != RN_OK) return result;
    rni_series_remove(folder, 0);
    series->has_solids = false;
    list_path(series, "h5", path);
    return has(series, RNI_FORMAT_H5) ? rni_h5_create(path) : RN_OK;
}

rn_result rni_series_resume(rni_series *series, const char *folder, uint64_t formats,
                            uint64_t frame_count)
{
    char path[RNI_PATH_BYTES];
    if (frame_count == 0) return rni_series_begin(series, folder, formats);
    rn_result result = set_folder(series, folder, formats);
    series->frame_count = frame_count;
    list_path(series, "h5", path);
    if (result == RN_OK && has(series, RNI_FORMAT_H5)) result = rni_h5_rewind(path, frame_count);
    if (result == RN_OK && has(series, RNI_FORMAT_VTP)) result = rebuild_pvd(series);
    if (result == RN_OK) rni_series_remove(folder, frame_count);
    return result;
}

bool rni_series_has(const char *folder, uint64_t formats, uint64_t frame, uint64_t step)
{
    char path[RNI_PATH_BYTES];
    rni_series series;
    if (set_folder(&series, folder, formats) != RN_OK) return false;
    frame_path(&series, frame, RNI_FORMAT_PLY, path);
    if (has(&series, RNI_FORMAT_PLY) && access(path, R_OK) != 0) return false;
    rni_vtp_info info;
    frame_path(&series, frame, RNI_FORMAT_VTP, path);
    return !has(&series, RNI_FORMAT_VTP) ||
           (rni_vtp_read(path, false, &info) == RN_OK && info.step == step);
}

rn_result rni_series_add(rni_series *series, const rn_frame *frame)
{
    char path[RNI_PATH_BYTES];
    rn_result result = RN_OK;
    if (has(series, RNI_FORMAT_PLY)) {
        frame_path(series, series->frame_count, RNI_FORMAT_PLY, path);
        result = rni_ply_frame_write(path, frame);
    }
    if (result == RN_OK && has(series, RNI_FORMAT_H5)) {
        list_path(series, "h5", path);
        result = rni_h5_append(path, series->frame_count, frame);
    }
    if (result == RN_OK && has(series, RNI_FORMAT_VTP)) {
        frame_path(series, series->frame_count, RNI_FORMAT_VTP, path);
        result = rni_vtp_write(path, frame);
        if (result == RN_OK) result = add_to_pvd(series, frame->time);
    }
    if (result == RN_OK) series->frame_count++;
    return result;
}

rn_result rni_series_put_table(const rni_series *series, const rni_h5_table *table)
{
    char path[RNI_PATH_BYTES];
    list_path(series, "h5", path);
    return has(series, RNI_FORMAT_H5) ? rni_h5_put_table(path, table) : RN_OK;
}

bool rni_series_is_of_run(const char *name)
{
    static const char *const NAMES_OF_RUN[] = {
        "scene.json", "report.json", "gauges.csv",      SOLIDS,
        STEM ".pvd",  STEM ".h5",    STEM ".h5.frames", STEM ".h5.frames-next",
    };
    uint64_t frame;
    for (unsigned k = 0; k < sizeof NAMES_OF_RUN / sizeof *NAMES_OF_RUN; k++)
        if (strcmp(name, NAMES_OF_RUN[k]) == 0) return true;
    return frame_of(name, &frame) || rni_checkpoint_is_of_run(name);
}

/* --- removing ----------------------------------------------------------------------------------------- */

/* A file of a run with .tmp-PID appended: its writer was killed. */
static bool is_left_over(const char *name)
{
    const char *mark = strstr(name, ".tmp-");
    if (!mark || !mark[5] || mark[5 + strspn(mark + 5, "0123456789")]) return false;
    return strncmp(name, STEM, sizeof STEM - 1) == 0 || strncmp(name, "checkpoint_", 11) == 0 ||
           strncmp(name, SOLIDS, sizeof SOLIDS - 1) == 0 || strncmp(name, "report.json", 11) == 0 ||
           strncmp(name, "scene.json", 10) == 0 || strncmp(name, "picture.png", 11) == 0;
}

void rni_series_remove(const char *folder, uint64_t from_frame)
{
    char path[RNI_PATH_BYTES];
    DIR *open = opendir(folder);
    if (!open) return;
    struct dirent *entry;
    while ((entry = readdir(open)) != NULL) {
        uint64_t frame;
        const char *name = entry->d_name;
        bool is_late = frame_of(name, &frame) && frame >= from_frame;
        bool is_list =
            from_frame == 0 && (strcmp(name, STEM ".pvd") == 0 || strcmp(name, SOLIDS) == 0);
        if (!is_late && !is_list && !is_left_over(name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path) unlink(path);
    }
    closedir(open);
    if (from_frame == 0 && snprintf(path, sizeof path, "%s/" STEM ".h5", folder) < (int)sizeof path)
        rni_h5_remove(path);
}
