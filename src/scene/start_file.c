#include "scene/start_file.h"

#include "base/error.h"
#include "fluid/particles.h"
#include "fluid/walls.h"
#include "output/frame_read.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Spacings: water in motion has pairs closer than a start of ours would. */
#define APART 0.3f

rn_result rni_start_file_resolve(rni_scene *scene, const char *scene_path)
{
    char *file = scene->particles_file, path[sizeof scene->particles_file];
    const char *end = strrchr(scene_path, '/');
    if (!*file || *file == '/') return RN_OK;
    char *folder = end ? strndup(scene_path, (size_t)(end - scene_path) + 1) : strdup(".");
    char *whole = folder ? realpath(folder, NULL) : NULL;
    const int length = whole ? snprintf(path, sizeof path, "%s/%s", whole, file) : 0;
    free(folder);
    free(whole);
    if (length <= 0 || length >= (int)sizeof path)
        return rni_fail(RN_ERROR_FILE, "particles.file: the path is longer than %zu bytes",
                        sizeof path - 1);
    memcpy(file, path, (size_t)length + 1);
    return RN_OK;
}

static const float *vectors_of(const rn_frame *frame, const char *name)
{
    for (uint32_t k = 0; k < frame->attribute_count; k++) {
        const rn_attribute *a = &frame->attribute[k];
        if (strcmp(a->name, name) == 0 && a->components == 3 && a->type == RN_ATTRIBUTE_FLOAT &&
            a->derivation == RN_DERIVATION_NONE && (a->stride == 0 || a->stride == sizeof(float[3])))
            return a->data;
    }
    return NULL;
}

static const uint32_t *numbers_of(const rn_frame *frame, const char *name)
{
    for (uint32_t k = 0; k < frame->attribute_count; k++) {
        const rn_attribute *a = &frame->attribute[k];
        if (strcmp(a->name, name) == 0 && a->components == 1 && a->type == RN_ATTRIBUTE_UINT32 &&
            (a->stride == 0 || a->stride == sizeof(uint32_t)))
            return a->data;
    }
    return NULL;
}

/* Neither folders nor devices, which could wait for ever. */
static rn_result check_regular(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    if (S_ISREG(about.st_mode)) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s: is not a file", path);
}

rn_result rni_start_file_add(const rni_scene *scene, rn_fluid *fluid, rn_fluid_added *added)
{
    rni_frame_file file;
    *added = rn_fluid_added_default();
    rn_result result = check_regular(scene->particles_file);
    if (result == RN_OK) result = rni_frame_read(scene->particles_file, &file);
    if (result != RN_OK) return result;
    const rn_frame *frame = &file.frame;
    const float *position = vectors_of(frame, "position");
    if (!position && frame->count > 0)
        result = rni_fail(RN_ERROR_FILE, "%s: has no positions", scene->particles_file);
    else if (frame->dim == 3 && scene->def.dim == 2)
        result = rni_fail(RN_ERROR_FILE, "%s: has particles off the plane of this 2D scene",
                          scene->particles_file);
    else {
        const rni_candidates candidates = {.position = position,
                                           .velocity = vectors_of(frame, "velocity"),
                                           .count = frame->count,
                                           .clearance = 0.99f * fluid->walls->contact,
                                           .apart = APART * fluid->def.spacing,
                                           .phases = numbers_of(frame, "fluid")};
        result = rni_particles_add(fluid, &candidates, added);
    }
    rni_frame_file_release(&file);
    return result;
}
