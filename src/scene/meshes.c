#include "scene/meshes.h"

#include "base/error.h"
#include "files/mesh_file.h"
#include "scene/regions.h"
#include "solid/solid.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_KEPT  64u
#define MOST_WORDS 32u

/* What a mesh came from. */
typedef struct source {
    char file[sizeof((rni_scene_solid *)0)->file];
    char make[sizeof((rni_scene_solid *)0)->make];
    bool is_sheet, is_two_sided;
    int64_t size, seconds, nanoseconds; /* of the file */
    uint64_t inode;
} source;

static struct {
    pthread_mutex_t lock;
    source from[MOST_KEPT];
    rn_wall_mesh *mesh[MOST_KEPT];
    uint32_t count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static rn_result source_of(const rni_scene_solid *solid, source *from)
{
    struct stat about;
    memset(from, 0, sizeof *from); /* compared as bytes */
    if (*solid->file && *solid->make)
        return rni_fail(RN_ERROR_FILE, "a mesh has a file or a shape to make, not both; remove one");
    if (!*solid->file && !*solid->make)
        return rni_fail(RN_ERROR_FILE,
                        "is missing; a mesh needs \"file\": \"bowl.stl\" or \"make\": \"box\"");
    snprintf(from->file, sizeof from->file, "%s", solid->file);
    snprintf(from->make, sizeof from->make, "%s", solid->make);
    from->is_sheet = solid->is_sheet;
    from->is_two_sided = solid->is_two_sided;
    if (!*solid->file) return RN_OK;
    if (stat(solid->file, &about) != 0)
        return rni_fail(RN_ERROR_FILE, "%s: cannot be opened: %s", solid->file, strerror(errno));
    if (!S_ISREG(about.st_mode)) return rni_fail(RN_ERROR_FILE, "%s: is not a file", solid->file);
    from->size = (int64_t)about.st_size;
    from->inode = (uint64_t)about.st_ino;
    from->seconds = (int64_t)about.st_mtim.tv_sec;
    from->nanoseconds = (int64_t)about.st_mtim.tv_nsec;
    return RN_OK;
}

/* "box width=1 height=2": the shape, then its settings. */
static rn_result make_shape(const char *text, rn_mesh_data **data)
{
    char words[sizeof((rni_scene_solid *)0)->make], *rest = words;
    const char *settings[MOST_WORDS];
    rn_mesh_make_def def = rn_mesh_make_def_default();
    snprintf(words, sizeof words, "%s", text);
    def.setting = settings;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        if (!def.name) def.name = word;
        else if (strncmp(word, "triangles=", 10) == 0)
            def.triangles = (uint32_t)strtoul(word + 10, NULL, 10);
        else if (strncmp(word, "seed=", 5) == 0) def.seed = strtoull(word + 5, NULL, 10);
        else if (def.setting_count < MOST_WORDS) settings[def.setting_count++] = word;
    }
    if (!def.name) return rni_fail(RN_ERROR_FILE, "names no shape; e.g. \"box\"");
    return rn_mesh_make(&def, data);
}

static rn_result load(const source *from, rn_wall_mesh **wall)
{
    rn_mesh_data *data = NULL;
    rn_result result;
    if (*from->file) {
        result = rn_mesh_data_create(NULL, &data);
        if (result == RN_OK) result = rni_mesh_file_read(from->file, data, NULL);
    } else {
        result = make_shape(from->make, &data);
    }
    rn_wall_mesh_def def = rn_wall_mesh_def_default();
    def.is_sheet = from->is_sheet;
    def.is_two_sided = from->is_two_sided;
    if (result == RN_OK) {
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        result = rn_wall_mesh_create(&def, &mesh, wall);
    }
    rn_mesh_data_destroy(data);
    return result;
}

/* The oldest gives way. */
static void keep(const source *from, rn_wall_mesh *mesh)
{
    if (kept.count == MOST_KEPT) {
        rn_wall_mesh_destroy(kept.mesh[0]);
        kept.count--;
        memmove(kept.from, kept.from + 1, kept.count * sizeof *kept.from);
        memmove(kept.mesh, kept.mesh + 1, kept.count * sizeof(rn_wall_mesh *));
    }
    kept.from[kept.count] = *from;
    kept.mesh[kept.count++] = mesh;
}

rn_result rni_scene_mesh_get(const rni_scene_solid *solid, const rn_wall_mesh **mesh)
{
    source from;
    rn_wall_mesh *made = NULL;
    *mesh = NULL;
    rn_result result = source_of(solid, &from);
    if (result != RN_OK) return result;
    pthread_mutex_lock(&kept.lock);
    for (uint32_t k = 0; k < kept.count && !*mesh; k++)
        if (memcmp(&kept.from[k], &from, sizeof from) == 0) *mesh = kept.mesh[k];
    if (!*mesh) {
        result = load(&from, &made);
        if (result == RN_OK) keep(&from, made);
        *mesh = made;
    }
    pthread_mutex_unlock(&kept.lock);
    return result;
}

void rni_scene_meshes_clear(void)
{
    pthread_mutex_lock(&kept.lock);
    for (uint32_t k = 0; k < kept.count; k++) rn_wall_mesh_destroy(kept.mesh[k]);
    kept.count = 0;
    pthread_mutex_unlock(&kept.lock);
    rni_regions_clear();
}

static void write_hash(const rn_wall_mesh *mesh, char *text, size_t bytes)
{
    rn_wall_mesh_info info = rn_wall_mesh_info_default();
    rn_wall_mesh_get_info(mesh, &info);
    snprintf(text, bytes, "%016" PRIx64, info.hash);
}

rn_result rni_scene_mesh_check_hash(const rni_scene_solid *solid, const rn_wall_mesh *mesh)
{
    char found[sizeof solid->hash];
    write_hash(mesh, found, sizeof found);
    if (!*solid->hash || strcmp(found, solid->hash) == 0) return RN_OK;
    return rni_fail(RN_ERROR_FILE,
                    "%s: the triangles have the hash %s, but this scene was made with %s: the mesh has "
                    "changed since. Restore it, or remove the hash to start anew",
                    *solid->file ? solid->file : solid->make, found, solid->hash);
}

static rn_result resolve(rni_scene_solid *solid, const char *scene_path)
{
    char path[sizeof solid->file];
    const char *end = strrchr(scene_path, '/');
    if (!*solid->file || *solid->file == '/') return RN_OK;
    char *folder = end ? strndup(scene_path, (size_t)(end - scene_path) + 1) : strdup(".");
    char *whole = folder ? realpath(folder, NULL) : NULL;
    const int length = whole ? snprintf(path, sizeof path, "%s/%s", whole, solid->file) : 0;
    free(folder);
    free(whole);
    if (length <= 0) return RN_OK; /* a scene without a folder: as it is */
    if (length >= (int)sizeof path)
        return rni_fail(RN_ERROR_FILE, "the path of the mesh %s is longer than %zu bytes",
                        solid->file, sizeof path - 1);
    memcpy(solid->file, path, (size_t)length + 1);
    return RN_OK;
}

rn_result rni_scene_meshes_resolve(rni_scene *scene, const char *scene_path)
{
    for (uint32_t k = 0; k < scene->solid_count; k++) {
        rni_scene_solid *solid = &scene->solids[k];
        const rni_solid_kind *kind = rni_solid_kind_at(solid->shape);
        const rn_wall_mesh *mesh = NULL;
        if (!kind || !kind->has_mesh) continue;
        const rn_result result = resolve(solid, scene_path);
        if (result != RN_OK) return result;
        if (!*solid->hash && rni_scene_mesh_get(solid, &mesh) == RN_OK)
            write_hash(mesh, solid->hash, sizeof solid->hash);
    }
    return RN_OK;
}
