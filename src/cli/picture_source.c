#include "cli/picture_source.h"
#include "cli/scene_open.h"
#include "session/picture_scene.h"

#include "base/error.h"
#include "output/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum kind {
    KIND_SCENE,
    KIND_CHECKPOINT,
    KIND_FRAME,
    KIND_CLOUD,
    KIND_FOLDER,
    KIND_OTHER
} kind;

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path);
    size_t end_length = strlen(end);
    return length > end_length && strcasecmp(path + length - end_length, end) == 0;
}

/* By content, or by name if the content is damaged. A name that is not a file is a scene, and so is a
 * pipe, of which nothing may be read in advance. */
static kind kind_of(const char *path)
{
    char start[513] = {0};
    struct stat about;
    if (stat(path, &about) != 0) return KIND_SCENE;
    if (S_ISDIR(about.st_mode)) return KIND_FOLDER;
    if (!S_ISREG(about.st_mode)) return KIND_SCENE;
    FILE *file = fopen(path, "rbe");
    if (!file) return KIND_SCENE;
    size_t got = fread(start, 1, sizeof start - 1, file);
    fclose(file);
    if (rni_checkpoint_is(start, got)) return KIND_CHECKPOINT;
    if (ends_with(path, ".pvd") || ends_with(path, ".h5")) return KIND_OTHER;
    if (strncmp(start, "ply", 3) == 0)
        return strstr(start, "comment runnel") ? KIND_FRAME : KIND_CLOUD;
    if (rni_frame_file_is(start, got)) return KIND_FRAME;
    if (ends_with(path, ".xyz") || ends_with(path, ".csv") || ends_with(path, ".npy"))
        return KIND_CLOUD;
    if (rni_checkpoint_is_named(path)) return KIND_CHECKPOINT;
    return ends_with(path, ".vtp") || ends_with(path, ".ply") ? KIND_FRAME : KIND_SCENE;
}

/* --- fluids: scenes and checkpoints --------------------------------------------------------------- */

static rn_result take_fluid(rni_picture_source *source, rni_picture *picture)
{
    rn_result result = rni_picture_take_scene(picture, source->scene, &source->solids);
    if (result != RN_OK) return result;
    /* Density and pressure of a scene at its start, and of a checkpoint, are not stored. */
    result = rn_fluid_update_density(source->fluid);
    return result == RN_OK ? rn_fluid_get_frame(source->fluid, &picture->frame) : result;
}

static rn_result open_checkpoint(const char *path, rni_picture_source *source, rni_picture *picture)
{
    rni_checkpoint checkpoint = {0};
    rn_result result = rni_checkpoint_read(path, &checkpoint);
    if (result == RN_OK)
        result = rni_scene_read(checkpoint.scene, checkpoint.scene_bytes, path, &source->scene, NULL);
    rni_scene_how how = {.threads = picture->threads, .is_dry = true};
    if (result == RN_OK)
        result = rni_scene_build(source->scene, &how, &source->fluid, &source->built);
    if (result == RN_OK)
        result = rn_fluid_read_state(source->fluid, checkpoint.fluid, checkpoint.fluid_bytes);
    rni_checkpoint_release(&checkpoint);
    if (result == RN_OK) return take_fluid(source, picture);
    /* The error of the fluid does not name the file. */
    char reason[600];
    snprintf(reason, sizeof reason, "%s", rn_last_error());
    return source->scene ? rni_fail(result, "%s: %s", path, reason) : result;
}

static int open_scene(const rni_arguments *arguments, rni_picture_source *source, rni_picture *picture)
{
    int code = rni_scene_open(arguments, arguments->operand[0], &source->scene);
    if (code != RNI_EXIT_DONE) return code;
    rni_scene_how how = {.threads = picture->threads};
    rn_result result = rni_scene_build(source->scene, &how, &source->fluid, &source->built);
    if (result == RN_OK) result = take_fluid(source, picture);
    return result == RN_OK ? RNI_EXIT_DONE : rni_give_up(arguments->command, "%s", rn_last_error());
}

/* --- files of particles --------------------------------------------------------------------------- */

/* The walls of a run's frame: from the scene.json that the run left beside it. */
static void take_scene_beside(const char *path, rni_picture_source *source, rni_picture *picture)
{
    char beside[4096];
    struct stat about;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    if (folder > (int)sizeof beside - 16) return;
    snprintf(beside, sizeof beside, "%.*sscene.json", folder, path);
    if (stat(beside, &about) != 0 || rni_scene_load(beside, NULL, 0, &source->scene, NULL) != RN_OK)
        return;
    if (source->scene->def.dim == picture->frame.dim)
        (void)rni_picture_take_scene(picture, source->scene, &source->solids);
}

static void take_name(const char *path, rni_picture_source *source, rni_picture *picture)
{
    const char *slash = strrchr(path, '/');
    snprintf(source->text, sizeof source->text, "%s", slash ? slash + 1 : path);
    picture->title = source->text;
}

/* Without a scene. */
static void find_spacing_of(rn_frame *frame, const float *position)
{
    if (!(frame->spacing > 0)) frame->spacing = rni_picture_find_spacing(position, frame->count);
}

static rn_result open_frame(const char *path, rni_picture_source *source, rni_picture *picture)
{
    rn_result result = rni_frame_read(path, &source->frame);
    if (result != RN_OK) return result;
    picture->frame = source->frame.frame;
    take_scene_beside(path, source, picture);
    if (!picture->title) take_name(path, source, picture);
    find_spacing_of(&picture->frame, source->frame.rows[0]);
    if (picture->frame.count == 0 || rn_frame_get_attribute(&picture->frame, picture->color))
        return RN_OK;
    return rni_fail(RN_ERROR_FILE, "the file has no %s; choose another --color", picture->color);
}

static rn_result open_cloud(const char *path, rni_picture_source *source, rni_picture *picture)
{
    rn_result result = rni_point_file_read(path, &source->cloud);
    if (result != RN_OK) return result;
    const rni_point_file *cloud = &source->cloud;
    source->position = calloc(cloud->count + (size_t)1, 3 * sizeof(float));
    if (!source->position) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for its points", path);
    for (uint64_t i = 0; i < cloud->count; i++)
        for (uint32_t k = 0; k < cloud->dim; k++) {
            size_t at = i * cloud->dim + k;
            source->position[3 * i + k] = cloud->scalar == RN_SCALAR_FLOAT
                                              ? ((const float *)cloud->position)[at]
                                              : (float)((const double *)cloud->position)[at];
        }
    picture->frame.dim = cloud->dim;
    picture->frame.time = (double)NAN;
    picture->frame.count = cloud->count;
    picture->color = NULL;
    find_spacing_of(&picture->frame, source->position);
    rn_attribute position = {
        .name = "position", .unit = "m", .components = 3, .data = source->position};
    result = rn_frame_add_attribute(&picture->frame, &position);
    if (result != RN_OK) return result;
    take_name(path, source, picture);
    return RN_OK;
}

/* --- all of them ---------------------------------------------------------------------------------- */

/* The newest complete checkpoint, from which a run would continue. */
static rn_result open_folder(const rni_command *command, const char *path,
                             rni_picture_source *source, rni_picture *picture)
{
    char paths[4][RNI_PATH_BYTES];
    uint32_t count = rni_checkpoint_list(path, paths, 4);
    if (count == 0)
        return rni_fail(RN_ERROR_FILE, "%s: is a folder without a checkpoint; name a file in it",
                        path);
    const rni_picture asked = *picture;
    rn_result result = open_checkpoint(paths[0], source, picture);
    for (uint32_t k = 1; k < count && result != RN_OK && result != RN_ERROR_MEMORY; k++) {
        fprintf(stderr, "%s: %s; using the previous one\n", command->path, rn_last_error());
        rni_picture_source_release(source);
        *source = (rni_picture_source){0};
        *picture = asked;
        result = open_checkpoint(paths[k], source, picture);
    }
    return result;
}

int rni_picture_source_open(const rni_arguments *arguments, rni_picture_source *source,
                            rni_picture *picture)
{
    const char *path = arguments->operand[0];
    kind k = kind_of(path);
    rn_result result = RN_OK;
    if (k == KIND_SCENE) return open_scene(arguments, source, picture);
    if (arguments->setting_count > 0)
        return rni_misuse(arguments->command,
                          "--set is for scenes; %s is a file of "
                          "particles",
                          path);
    if (k == KIND_CLOUD && rni_arguments_has(arguments, "color"))
        return rni_misuse(arguments->command,
                          "--color: %s has positions only, no attribute to colour by", path);
    switch (k) {
    case KIND_CHECKPOINT: result = open_checkpoint(path, source, picture); break;
    case KIND_FOLDER: result = open_folder(arguments->command, path, source, picture); break;
    case KIND_FRAME: result = open_frame(path, source, picture); break;
    case KIND_CLOUD: result = open_cloud(path, source, picture); break;
    default:
        result = rni_fail(RN_ERROR_FILE,
                          "%s: holds many frames; name one .vtp or .ply, or a checkpoint", path);
    }
    return result == RN_OK ? RNI_EXIT_DONE : rni_give_up(arguments->command, "%s", rn_last_error());
}

void rni_picture_source_release(rni_picture_source *source)
{
    rn_fluid_destroy(source->fluid);
    rni_scene_free(source->scene);
    rni_frame_file_release(&source->frame);
    rni_point_file_release(&source->cloud);
    free(source->solids);
    free(source->position);
}
