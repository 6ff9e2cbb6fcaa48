/* Save and load, inside the one folder that was given at the start. Names were checked where the
 * message was read: they have no separator and do not begin with a point. */
#include "cli/view.h"

#include "base/error.h"
#include "files/out_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rn_result path_of(const rni_world *w, const char *name, const char *ending,
                         char path[RNI_PATH_BYTES])
{
    rn_result result = rni_view_name_check(name);
    if (result != RN_OK) return result;
    int length = snprintf(path, RNI_PATH_BYTES, "%s/%s%s", w->folder, name, ending);
    return length < (int)RNI_PATH_BYTES ? RN_OK : rni_fail(RN_ERROR_ARGUMENT, "the path is too long");
}

/* --- save -------------------------------------------------------------------------------------------- */

static rn_result save_scene(const char *path, const char *text)
{
    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    rni_out_file_text(&out, text);
    return rni_out_file_close(&out);
}

static rn_result save_checkpoint(const rni_world *w, const char *path, const char *text)
{
    uint64_t bytes = rn_fluid_state_bytes(w->fluid);
    void *state = malloc(bytes);
    if (!state) return rni_fail(RN_ERROR_MEMORY, "no memory for a checkpoint");
    rn_fluid_state_write(w->fluid, state);
    rni_run_state run = {.step = rn_fluid_step_count(w->fluid),
                         .time = rn_fluid_time(w->fluid),
                         .state_hash = rn_fluid_state_hash(w->fluid),
                         .output_next = 1,
                         .checkpoint_next = 1,
                         .gait = w->how.gait,
                         .search = w->how.search,
                         .cpu = w->how.cpu ? w->how.cpu : rn_cpu_best(),
                         .bytes = w->report.bytes};
    rn_result result = rni_checkpoint_write(path, &run, text, state, bytes);
    free(state);
    return result;
}

rn_result rni_world_save(rni_world *w, const rni_view_order *o)
{
    char path[RNI_PATH_BYTES];
    rn_result result = path_of(w, o->name, o->is_scene ? ".json" : ".rnck", path);
    if (result != RN_OK) return result;
    if (mkdir(w->folder, 0777) != 0 && errno != EEXIST)
        return rni_fail(RN_ERROR_FILE, "%s cannot be made: %s", w->folder, strerror(errno));
    if (!o->replaces && access(path, F_OK) == 0)
        return rni_fail(RN_ERROR_FILE, "there is a %s already; choose another name, or replace it",
                        o->name);
    /* A scene begins where this one began; a checkpoint goes on with what is now. */
    char *text = rni_scene_write(o->is_scene ? w->scene : &w->now);
    if (!text) return rni_fail(RN_ERROR_MEMORY, "no memory for the scene");
    result = o->is_scene ? save_scene(path, text) : save_checkpoint(w, path, text);
    free(text);
    return result;
}

/* --- load -------------------------------------------------------------------------------------------- */

/* A pipe that was there once, at the first place outside the solids. */
static rn_result add_gone_pipe(const rni_scene *scene, rn_fluid *fluid)
{
    rn_fluid_id id;
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    pipe.radius = 2 * rn_fluid_derived_of(fluid).radius;
    for (uint32_t k = 0; k < 343; k++) {
        const uint32_t place[3] = {k % 7, k / 7 % 7, k / 49};
        for (uint32_t a = 0; a < 3 && a < scene->def.dim; a++) {
            float low = scene->def.domain_low[a], high = scene->def.domain_high[a];
            pipe.center[a] = low + (high - low) * ((float)place[a] + 0.5f) / 7;
        }
        if (rn_fluid_add_pipe(fluid, &pipe, &id) == RN_OK) return rn_fluid_remove_pipe(fluid, id);
    }
    return rni_fail(RN_ERROR_FILE, "%s", rn_last_error());
}

/* The state may know one more pipe: the stream at the mouse. */
static rn_result read_state(const rni_scene *scene, rn_fluid *fluid, const rni_checkpoint *c)
{
    if (rn_fluid_state_read(fluid, c->fluid, c->fluid_bytes) == RN_OK) return RN_OK;
    rn_result result = add_gone_pipe(scene, fluid);
    return result == RN_OK ? rn_fluid_state_read(fluid, c->fluid, c->fluid_bytes) : result;
}

/* On failure *scene is still the caller's to free. */
static rn_result revive(rni_world *w, const rni_checkpoint *c, const char *name, rni_scene **scene,
                        rni_problems *problems)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rni_scene_how how = w->how;
    how.is_dry = true;
    rn_result result = rni_scene_read(c->scene, c->scene_bytes, "scene", scene, problems);
    if (result == RN_OK) result = rni_scene_check(*scene, "scene", problems);
    if (result == RN_OK) result = rni_scene_build(*scene, &how, &fluid, &built);
    if (result == RN_OK) result = read_state(*scene, fluid, c);
    if (result == RN_OK && rn_fluid_state_hash(fluid) != c->run.state_hash)
        result = rni_fail(RN_ERROR_FILE, "the water in it is not what it says");
    if (result != RN_OK) {
        rn_fluid_destroy(fluid);
        return result;
    }
    rni_world_put(w, *scene, fluid, &built, name);
    w->loaded_count = rn_fluid_particles_of(fluid).count;
    rni_world_measure(w);
    /* What events did is in the values that were saved. */
    double time = rn_fluid_time(fluid);
    while (w->event_next < w->scene->event_count && w->scene->events[w->event_next].time <= time)
        w->event_next++;
    return RN_OK;
}

rn_result rni_world_load(rni_world *w, const char *name, rni_problems *problems)
{
    char path[RNI_PATH_BYTES];
    size_t length = strlen(name);
    bool is_checkpoint = length > 5 && strcmp(name + length - 5, ".rnck") == 0;
    bool is_scene = length > 5 && strcmp(name + length - 5, ".json") == 0;
    rni_scene *scene = NULL;
    rn_result result = path_of(w, name, "", path);
    if (result != RN_OK) return result;
    if (is_scene) {
        result = rni_scene_load(path, NULL, 0, &scene, problems);
        if (result == RN_OK) result = rni_world_take(w, scene, name);
    } else if (is_checkpoint) {
        rni_checkpoint checkpoint;
        result = rni_checkpoint_read(path, &checkpoint);
        if (result == RN_OK) result = revive(w, &checkpoint, name, &scene, problems);
        rni_checkpoint_release(&checkpoint);
    } else {
        result = rni_fail(RN_ERROR_ARGUMENT,
                          "%s is neither a checkpoint (.rnck) nor a scene (.json)", name);
    }
    if (result != RN_OK) rni_scene_free(scene);
    return result;
}
