/* The video of a run, one picture a frame, while the run goes on. A video that fails does not end the run: what the
 * run computes is worth more. */
#include "session/run.h"

#include "base/error.h"
#include "render/camera_path.h"
#include "render/film.h"
#include "session/picture_scene.h"
#include "session/shot_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rni_run_film {
    rni_studio *studio;
    rni_shot shot;
    rni_shot_scene made;
    rn_solid *solids;
    rni_film film;
    uint8_t *rgba; /* of the full size, for the poster */
    bool is_open;
    char problem[512]; /* why the video ended; empty: it did not */
};

/* FOLDER/SCENE.EXTENSION, the scene without its folder and extension. */
static void path_of(const rni_run *run, const char *extension, char path[RNI_PATH_BYTES])
{
    char name[80];
    const char *scene = run->options->scene ? run->options->scene : run->scene_name;
    const char *slash = strrchr(scene, '/');
    const char *from = slash ? slash + 1 : scene;
    const char *dot = strrchr(from, '.');
    int length = dot && dot != from ? (int)(dot - from) : (int)strlen(from);
    snprintf(name, sizeof name, "%.*s.%s", length > 64 ? 64 : length, from, extension);
    rni_run_path(run, name, path);
}

static rn_result begin(rni_run *run, struct rni_run_film *f)
{
    const struct rni_run_film_options *o = &run->options->film;
    char path[RNI_PATH_BYTES];
    double every = run->state.output_every;
    if (!(every > 0))
        return rni_fail(RN_ERROR_ARGUMENT, "--render needs frames; give --every, e.g. --every 1/30");
    f->shot = rni_shot_default();
    rni_picture *p = &f->shot.picture;
    p->threads = run->how.threads;
    p->color = "density";
    rn_result result = rni_studio_create(p->threads, &f->studio);
    if (result == RN_OK) result = rni_picture_take_scene(p, run->scene, &f->solids);
    if (result == RN_OK) result = rni_shot_scene_make(&f->made, run->scene);
    if (result != RN_OK) return result;
    p->width = o->width, p->height = o->height;
    rni_film_shrink(o->scale, &p->width, &p->height);
    f->shot.samples = o->samples;
    f->shot.is_film = true;
    f->rgba = malloc((size_t)o->width * o->height * 4);
    if (!f->rgba)
        return rni_fail(RN_ERROR_MEMORY, "no memory for pictures of %u x %u", o->width, o->height);
    path_of(run, "mp4", path);
    rni_film_def def = {.path = path,
                        .width = p->width,
                        .height = p->height,
                        .to_width = o->width,
                        .to_height = o->height,
                        .rate = fmin(240, fmax(1, 1 / every))};
    result = rni_film_open(&f->film, &def);
    f->is_open = result == RN_OK;
    if (f->film.note[0]) rni_run_say(run, "%s", f->film.note);
    return result;
}

rn_result rni_run_film_begin(rni_run *run)
{
    if (!run->options->film.look) return RN_OK;
    run->film = calloc(1, sizeof *run->film);
    if (!run->film) return rni_fail(RN_ERROR_MEMORY, "no memory for a video");
    return begin(run, run->film);
}

/* Particles of the moment, walls of the scene. */
static rn_result draw(const rni_run *run, const rn_frame *frame, rni_shot *shot)
{
    struct rni_run_film *f = run->film;
    shot->picture.frame = *frame;
    rn_result result = rni_shot_scene_take_films(&f->made, run->fluid, run->built.solid);
    if (result != RN_OK) return result;
    rni_shot_scene_lend(&f->made, shot);
    result = rni_camera_hold(&shot->picture);
    if (result != RN_OK) return result;
    return rni_look_draw(run->options->film.look, f->studio, shot, f->rgba);
}

rn_result rni_run_film_add(rni_run *run, const rn_frame *frame)
{
    struct rni_run_film *f = run->film;
    if (!f || !f->is_open) return RN_OK;
    rn_result result = draw(run, frame, &f->shot);
    if (result == RN_OK) result = rni_film_add(&f->film, f->rgba);
    if (result == RN_OK) return RN_OK;
    snprintf(f->problem, sizeof f->problem, "%s", rn_last_error());
    rni_run_say(run, "there will be no video: %s", f->problem);
    rni_film_abandon(&f->film);
    f->is_open = false;
    return RN_OK;
}

static rn_result draw_poster(rni_run *run)
{
    struct rni_run_film *f = run->film;
    char path[RNI_PATH_BYTES];
    rn_frame frame = rn_frame_default();
    rni_shot shot = f->shot;
    shot.picture.width = run->options->film.width;
    shot.picture.height = run->options->film.height;
    shot.samples = 0;
    shot.is_film = false;
    path_of(run, "png", path);
    rn_result result = rn_fluid_get_frame(run->fluid, &frame);
    if (result == RN_OK) result = draw(run, &frame, &shot);
    return result == RN_OK ? rni_png_write(path, f->rgba, shot.picture.width, shot.picture.height)
                           : result;
}

rn_result rni_run_film_end(rni_run *run)
{
    struct rni_run_film *f = run->film;
    char path[RNI_PATH_BYTES];
    if (!f) return RN_OK;
    if (!f->is_open) return rni_fail(RN_ERROR_FILE, "there is no video: %s", f->problem);
    f->is_open = false;
    rn_result result = rni_film_close(&f->film);
    if (result == RN_OK) result = draw_poster(run);
    if (result != RN_OK) return result;
    path_of(run, "mp4", path);
    rni_run_say(run, "%s: %u pictures, %.1f s of video", path, f->film.count,
                f->film.count / f->film.rate);
    return RN_OK;
}

void rni_run_film_close(rni_run *run)
{
    struct rni_run_film *f = run->film;
    if (!f) return;
    if (f->is_open) rni_film_abandon(&f->film);
    rni_shot_scene_release(&f->made);
    rni_studio_destroy(f->studio);
    free(f->solids);
    free(f->rgba);
    free(f);
    run->film = NULL;
}
