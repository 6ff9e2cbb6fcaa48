#include "cli/surface_frames.h"
#include "cli/picture_source.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);
    size_t end_length = strlen(end);
    return length > end_length && strcasecmp(name + length - end_length, end) == 0;
}

static rn_result add_name(rni_surface_frames *frames, const char *name)
{
    char **list = realloc(frames->name, (frames->count + (size_t)1) * sizeof *list);
    if (list) frames->name = list;
    char *copy = list ? strdup(name) : NULL;
    if (!copy) return rni_fail(RN_ERROR_MEMORY, "no memory for the names of the frames");
    frames->name[frames->count++] = copy;
    return RN_OK;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static rn_result list_frames(rni_surface_frames *frames, const char *end)
{
    DIR *folder = opendir(frames->folder);
    if (!folder) return rni_fail(RN_ERROR_FILE, "%s: %s", frames->folder, strerror(errno));
    rn_result result = RN_OK;
    for (struct dirent *entry; (entry = readdir(folder)) && result == RN_OK;)
        if (strncmp(entry->d_name, "particles", 9) == 0 && ends_with(entry->d_name, end))
            result = add_name(frames, entry->d_name);
    closedir(folder);
    if (frames->count > 0) qsort(frames->name, frames->count, sizeof *frames->name, compare);
    return result;
}

static rn_result open_folder(const char *path, rni_surface_frames *frames)
{
    snprintf(frames->folder, sizeof frames->folder, "%s", path);
    for (size_t n = strlen(frames->folder); n > 1 && frames->folder[n - 1] == '/'; n--)
        frames->folder[n - 1] = 0;
    frames->is_folder = true;
    rn_result result = list_frames(frames, ".vtp");
    if (result == RN_OK && frames->count == 0) result = list_frames(frames, ".ply");
    if (result == RN_OK && frames->count == 0)
        result = rni_fail(RN_ERROR_FILE,
                          "%s: there are no frames (particles*.vtp or particles*.ply) in this folder; "
                          "runnel run writes them",
                          path);
    return result;
}

static rn_result open_file(const char *path, rni_surface_frames *frames)
{
    const char *slash = strrchr(path, '/');
    snprintf(frames->folder, sizeof frames->folder, "%.*s",
             slash ? slash == path ? 1 : (int)(slash - path) : 1, slash ? path : ".");
    return add_name(frames, slash ? slash + 1 : path);
}

/* A scene that cannot be read is no obstacle: the surface then has no walls. */
static rn_result take_scene(rni_surface_frames *frames, bool has_walls)
{
    char path[4200];
    struct stat about;
    rni_scene *scene = NULL;
    snprintf(path, sizeof path, "%s/scene.json", frames->folder);
    if (stat(path, &about) != 0 || rni_scene_load(path, NULL, 0, &scene, NULL) != RN_OK)
        return RN_OK;
    frames->spacing = (float)rni_scene_derive(scene).spacing;
    rn_result result =
        has_walls && scene->def.dim == 3 ? rni_scene_walls_make(scene, &frames->walls) : RN_OK;
    rni_scene_free(scene);
    return result;
}

rn_result rni_surface_frames_open(const char *path, bool has_walls, rni_surface_frames *frames)
{
    struct stat about;
    *frames = (rni_surface_frames){0};
    if (strlen(path) >= sizeof frames->folder)
        return rni_fail(RN_ERROR_ARGUMENT, "the path is longer than %zu bytes",
                        sizeof frames->folder);
    if (stat(path, &about) != 0) return rni_fail(RN_ERROR_FILE, "%s: %s", path, strerror(errno));
    rn_result result = S_ISDIR(about.st_mode) ? open_folder(path, frames) : open_file(path, frames);
    return result == RN_OK ? take_scene(frames, has_walls) : result;
}

void rni_surface_frames_release(rni_surface_frames *frames)
{
    for (uint32_t n = 0; n < frames->count; n++) free(frames->name[n]);
    free(frames->name);
    rni_scene_walls_release(&frames->walls);
    *frames = (rni_surface_frames){0};
}

rn_result rni_surface_frames_read(rni_surface_frames *frames, uint32_t n, rni_frame_file *file,
                                  rn_surface_points *points)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", frames->folder, frames->name[n]);
    rn_result result = rni_frame_read(path, file);
    if (result != RN_OK) return result;
    const rn_frame *frame = &file->frame;
    if (frame->count == 0) return rni_fail(RN_ERROR_FILE, "%s: the frame has no particles", path);
    if (frame->dim == 2)
        return rni_fail(RN_ERROR_FILE, "%s: the frame is 2D; surfaces are those of 3D fluids", path);
    *points = rn_surface_points_default();
    points->position = file->rows[0];
    points->count = frame->count;
    points->spacing = frames->spacing > 0  ? frames->spacing
                      : frame->spacing > 0 ? frame->spacing
                                           : rni_picture_find_spacing(file->rows[0], frame->count);
    if (frames->walls.solids) rni_scene_walls_give(&frames->walls, points);
    return RN_OK;
}
