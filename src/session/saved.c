/* Save and load, inside the one folder that was given at the start. Names were checked where the
 * message was read: they have no separator and do not begin with a dot. */
#include "session/session.h"

#include "base/error.h"
#include "files/out_file.h"
#include "fluid/derived.h"
#include "output/series.h"
#include "session/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rn_result path_of(const rni_session *s, const char *name, const char *ending,
                         char path[RNI_PATH_BYTES])
{
    rn_result result = rni_view_name_check(name);
    if (result != RN_OK) return result;
    int length = snprintf(path, RNI_PATH_BYTES, "%s/%s%s", s->folder, name, ending);
    return length < (int)RNI_PATH_BYTES ? RN_OK : rni_fail(RN_ERROR_ARGUMENT, "the path is too long");
}

/* A link could lead out of the folder, and a pipe never ends. */
static rn_result check_place(const char *path, const char *name)
{
    struct stat about;
    if (lstat(path, &about) != 0 || S_ISREG(about.st_mode)) return RN_OK;
    return rni_fail(RN_ERROR_FILE,
                    "%s is not a plain file of the folder; choose another "
                    "name",
                    name);
}

/* Files of a run are not replaced. */
static rn_result check_owner(const rni_session *s, const char *path, const char *name)
{
    char lock[RNI_PATH_BYTES];
    int length = snprintf(lock, sizeof lock, "%s/" RNI_RUN_LOCK, s->folder);
    bool is_of_run = length < (int)sizeof lock && access(lock, F_OK) == 0 &&
                     access(path, F_OK) == 0 && rni_series_is_of_run(strrchr(path, '/') + 1);
    if (!is_of_run) return RN_OK;
    return rni_fail(RN_ERROR_FILE, "%s is a file of the run in %s; choose another name", name,
                    s->folder);
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

/* The scene from which the present state continues: its values include past events, and quantities that
 * were derived when the fluid was built are written out, since they would not follow from those values. */
static char *write_present_scene(const rni_session *s)
{
    rni_scene scene = s->now; /* lists are borrowed */
    scene.events = scene.event_count > s->event_next ? scene.events + s->event_next : NULL;
    scene.event_count -= s->event_next < scene.event_count ? s->event_next : scene.event_count;
    scene.def.speed_expected = rni_fluid_derived_of(s->fluid).speed_expected;
    scene.def.spacing = (float)s->built.derived.spacing;
    scene.particles = 0;
    return rni_scene_write(&scene);
}

/* A scene that ends by steps has no interval: 0, never. */
static double interval(double every)
{
    return every > 0 ? fmax(every, RNI_EVERY_MIN) : 0;
}

/* As of a run that begins here: intervals of frames and checkpoints are those of the scene. */
static rni_run_state run_state_of(const rni_session *s)
{
    const rn_fluid_report *r = &s->report;
    double time = rn_fluid_get_time(s->fluid);
    rni_run_state run = {.step = rn_fluid_get_step_count(s->fluid),
                         .time = time,
                         .state_hash = rn_fluid_get_state_hash(s->fluid),
                         .output_every = interval(s->scene->run_every),
                         .checkpoint_every = interval(s->scene->run_time / 10),
                         .formats = 1u << RNI_FORMAT_VTP,
                         .traversal = s->how.traversal,
                         .search = s->how.search,
                         .cpu = s->how.cpu ? s->how.cpu : rn_cpu_best(),
                         .density_max = (double)r->density_max,
                         .speed_max = (double)r->speed_max,
                         .step_last = (double)r->time_step,
                         .density_mean = (double)r->density_mean,
                         .kinetic = r->kinetic,
                         .potential = r->potential,
                         .elastic = r->elastic,
                         .neighbors_mean = r->neighbors_mean,
                         .came = r->came_all,
                         .left = r->left_all,
                         .bytes = r->bytes};
    run.output_next = run.output_every > 0 ? rni_next_due(time, run.output_every) : 1;
    run.checkpoint_next = run.checkpoint_every > 0 ? rni_next_due(time, run.checkpoint_every) : 1;
    return run;
}

static rn_result save_water(const rni_session *s, const char *path, const char *text)
{
    uint64_t bytes = rn_fluid_get_state_bytes(s->fluid);
    void *state = malloc(bytes);
    if (!state) return rni_fail(RN_ERROR_MEMORY, "no memory for a checkpoint");
    rn_fluid_write_state(s->fluid, state);
    rni_run_state run = run_state_of(s);
    rn_result result = rni_checkpoint_write(path, &run, text, state, bytes);
    free(state);
    return result;
}

/* The stream at the mouse is not part of the scene: it is removed while saving. */
static rn_result save_checkpoint(rni_session *s, const char *path, const char *text)
{
    if (s->has_stream) rn_fluid_remove_pipe(s->fluid, s->stream_id);
    rn_result result = save_water(s, path, text);
    if (s->has_stream)
        s->has_stream = rn_fluid_add_pipe(s->fluid, &s->stream, &s->stream_id) == RN_OK;
    return result;
}

rn_result rni_session_save(rni_session *s, const rni_view_order *o)
{
    char path[RNI_PATH_BYTES];
    rn_result result = path_of(s, o->name, o->is_scene ? ".json" : ".rnck", path);
    if (result == RN_OK) result = check_place(path, o->name);
    if (result == RN_OK) result = check_owner(s, path, o->name);
    if (result != RN_OK) return result;
    if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
        return rni_fail(RN_ERROR_FILE, "%s cannot be made: %s", s->folder, strerror(errno));
    if (!o->replaces && access(path, F_OK) == 0)
        return rni_fail(RN_ERROR_FILE, "%s exists already; choose another name, or replace it",
                        o->name);
    /* A scene begins where this one began; a checkpoint continues with the present state. */
    char *text = o->is_scene ? rni_scene_write(s->scene) : write_present_scene(s);
    if (!text) return rni_fail(RN_ERROR_MEMORY, "no memory for the scene");
    result = o->is_scene ? save_scene(path, text) : save_checkpoint(s, path, text);
    free(text);
    return result;
}

/* --- load -------------------------------------------------------------------------------------------- */

/* The report of the step that the checkpoint was saved after, as far as the checkpoint has it; what it has not
 * is that of the measurement: the next steps from here. */
static rn_fluid_report report_of(const rni_session *s, const rni_run_state *run)
{
    rn_fluid_report r = s->measured;
    if (r.step == 0) {
        r.density_max = (float)run->density_max;
        r.speed_max = (float)run->speed_max;
    }
    r.time = run->time;
    r.step = run->step;
    r.particles = rn_fluid_get_arrays(s->fluid).count;
    r.time_step = (float)run->step_last;
    r.density_mean = (float)run->density_mean;
    r.kinetic = run->kinetic;
    r.potential = run->potential;
    r.elastic = run->elastic;
    r.neighbors_mean = run->neighbors_mean;
    r.came_all = run->came;
    r.left_all = run->left;
    r.came = r.left = 0;
    r.flags = 0;
    return r;
}

/* On failure *scene is still the caller's to free. */
static rn_result revive(rni_session *s, const rni_checkpoint *c, const char *name,
                        rni_scene **scene, rni_problems *problems)
{
    rn_fluid *fluid = NULL;
    rni_scene_built built;
    rni_scene_how how = s->how;
    how.is_dry = true;
    rn_result result = rni_scene_read(c->scene, c->scene_bytes, "scene", scene, problems);
    if (result == RN_OK) result = rni_scene_check(*scene, "scene", problems);
    if (result == RN_OK) result = rni_scene_build(*scene, &how, &fluid, &built);
    if (result == RN_OK) result = rn_fluid_read_state(fluid, c->fluid, c->fluid_bytes);
    if (result == RN_OK && rn_fluid_get_state_hash(fluid) != c->run.state_hash)
        result = rni_fail(RN_ERROR_FILE, "the state does not match its header");
    if (result != RN_OK) {
        rn_fluid_destroy(fluid);
        return result;
    }
    rni_session_put(s, *scene, fluid, &built, name);
    s->loaded_count = rn_fluid_get_particles(fluid).count;
    rni_session_measure(s);
    s->report = report_of(s, &c->run);
    /* The saved values include past events. */
    double time = rn_fluid_get_time(fluid);
    while (s->event_next < s->scene->event_count && s->scene->events[s->event_next].time <= time)
        s->event_next++;
    return RN_OK;
}

rn_result rni_session_revive(rni_session *s, const char *path, const char *name,
                             rni_problems *problems)
{
    rni_checkpoint checkpoint;
    rni_scene *scene = NULL;
    rn_result result = rni_checkpoint_read(path, &checkpoint);
    if (result == RN_OK) result = revive(s, &checkpoint, name, &scene, problems);
    if (result != RN_OK) rni_scene_free(scene);
    rni_checkpoint_release(&checkpoint);
    return result;
}

rn_result rni_session_load(rni_session *s, const char *name, rni_problems *problems)
{
    char path[RNI_PATH_BYTES];
    size_t length = strlen(name);
    bool is_scene = length > 5 && strcmp(name + length - 5, ".json") == 0;
    rni_scene *scene = NULL;
    rn_result result = path_of(s, name, "", path);
    if (result == RN_OK) result = check_place(path, name);
    if (result != RN_OK) return result;
    if (rni_checkpoint_is_named(name)) return rni_session_revive(s, path, name, problems);
    if (is_scene) {
        result = rni_scene_load_as(RNI_SESSION_PRESET, path, NULL, 0, &scene, problems);
        if (result == RN_OK) result = rni_session_take(s, scene, name);
    } else {
        result = rni_fail(RN_ERROR_ARGUMENT,
                          "%s is neither a checkpoint (.rnck) nor a scene (.json)", name);
    }
    if (result != RN_OK) rni_scene_free(scene);
    return result;
}
