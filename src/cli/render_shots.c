/* The moments that runnel render draws: of a folder of frames, of a scene that it simulates, or one. */
#include "cli/picture_options.h"
#include "cli/render.h"
#include "cli/signals.h"
#include "cli/surface_frames.h"
#include "scene/materials.h"
#include "session/picture_scene.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Later pictures of a video show the same. */
static void keep_scene(rni_render *r, const rni_picture *picture)
{
    rni_picture *mine = &r->shot.picture;
    mine->has_scene = picture->has_scene;
    memcpy(mine->scene_low, picture->scene_low, sizeof mine->scene_low);
    memcpy(mine->scene_high, picture->scene_high, sizeof mine->scene_high);
}

/* Draws a shot and adds it to the film, which opens with the first. place, count: of this picture in the film;
 * count 0: unknown. */
static rn_result draw(rni_render *r, const rni_shot *base, uint32_t place, uint32_t count)
{
    rni_shot shot = *base;
    const rni_picture *p = &shot.picture;
    double share = count > 1 ? (double)place / (double)count : 0;
    if (!r->is_video && !r->look->write && p->frame.count == 0)
        return rni_fail(RN_ERROR_FILE,
                        "there are no particles in %s at this moment; choose another by --at",
                        r->arguments->operand[0]);
    rn_result result = r->is_video ? rni_camera_hold(&shot.picture) : RN_OK;
    if (result == RN_OK) keep_scene(r, p);
    if (result == RN_OK)
        result = rni_camera_path_place(&r->path, (double)place / r->rate, share, &shot.picture);
    shot.is_film = r->is_video && r->path.orbit == 0 && r->path.key_count == 0;
    if (result == RN_OK) result = rni_look_draw(r->look, r->studio, &shot, r->rgba);
    if (result != RN_OK) return result;
    if (!r->is_video && r->look->write) {
        result = r->look->write(r->studio, &shot, r->out);
        r->drawn += result == RN_OK;
        return result;
    }
    if (r->drawn == 0) {
        rni_film_def def = {.path = r->out,
                            .width = p->width,
                            .height = p->height,
                            .to_width = r->to_width,
                            .to_height = r->to_height,
                            .rate = r->rate,
                            .is_single = !r->is_video};
        result = rni_film_open(&r->film, &def);
        if (result == RN_OK && r->film.note[0])
            fprintf(stderr, "%s: %s\n", r->arguments->command->path, r->film.note);
    }
    if (result == RN_OK) result = rni_film_add(&r->film, r->rgba);
    r->drawn += result == RN_OK;
    return result;
}

static void move_meter(rni_render *r, double share, const rn_frame *frame)
{
    rni_meter_place place = {
        .share = share, .time = frame->time, .step = r->drawn, .particles = frame->count};
    rni_meter_move(&r->meter, &place);
}

static int give_up(const rni_render *r)
{
    return rni_give_up(r->arguments->command, "%s", rn_last_error());
}

/* The suspension of the scene is that of its radiographs. */
static void use_barium(rni_render *r)
{
    const rni_scene *scene = r->source.scene;
    const rni_material *material = scene ? rni_material_at(scene->material) : NULL;
    if (material && strncmp(material->name, "barium-", 7) == 0 &&
        !rni_arguments_has(r->arguments, "fluid"))
        r->xray.fluid = material->name;
}

static int end_by_signal(const rni_render *r)
{
    return rni_give_up(r->arguments->command, "ended by %s after %u pictures",
                       rni_signals_name(rni_signals_caught()), r->drawn);
}

/* The look trails is of films, which only meshes with a trail have. */
static int check_films(const rni_render *r)
{
    if (strcmp(r->look->name, "trails") != 0) return RNI_EXIT_DONE;
    if (r->source.scene && rni_shot_scene_has_films(r->source.scene)) return RNI_EXIT_DONE;
    return rni_give_up(r->arguments->command,
                       "--look trails needs a scene with a mesh that has a trail, e.g. colon, or "
                       "--set solids.0.trail=0.0002; %s has none",
                       r->arguments->operand[0]);
}

/* --- a scene that is simulated, and single frames ------------------------------------------------------- */

/* Steps until the fluid has reached the time. */
static rn_result advance_to(rni_render *r, double time, uint32_t *event_next, double from, double to)
{
    rn_fluid *fluid = r->source.fluid;
    rn_frame about = rn_frame_default();
    while (rn_fluid_get_time(fluid) < time * (1 - 1e-6) && !rni_signals_caught()) {
        rn_result result = rni_scene_advance(r->source.scene, fluid, event_next);
        if (result == RN_OK) result = rn_fluid_step(fluid, NULL);
        if (result != RN_OK) return result;
        about.time = rn_fluid_get_time(fluid);
        about.count = rn_fluid_get_arrays(fluid).count;
        move_meter(r, fmin(1, (about.time - from) / fmax(to - from, 1e-9)), &about);
    }
    return RN_OK;
}

/* The present state of the fluid. Densities of a start have been computed. */
static rn_result take_fluid(rni_render *r)
{
    rn_frame *frame = &r->shot.picture.frame;
    rn_result result = rn_fluid_get_frame(r->source.fluid, frame);
    if (result == RN_OK)
        result = rni_shot_scene_take_films(&r->made, r->source.fluid, r->source.built.solid);
    if (result == RN_OK) rni_shot_scene_lend(&r->made, &r->shot);
    return result;
}

static int simulate(rni_render *r)
{
    uint32_t event_next = 0;
    double end = r->has_range ? r->to : r->source.scene->run_time;
    double from = r->has_range ? r->from : r->has_at ? r->at : 0;
    uint32_t count = r->is_video ? (uint32_t)fmax(1, floor((end - from) * r->rate + 1e-6) + 1) : 1;
    double last = from + (count - 1) / r->rate;
    for (uint32_t k = 0; k < count; k++) {
        rn_result result = advance_to(r, from + k / r->rate, &event_next, 0, last);
        if (rni_signals_caught()) return end_by_signal(r);
        if (result == RN_OK) result = take_fluid(r);
        if (result == RN_OK) result = draw(r, &r->shot, k, count);
        if (result != RN_OK) return give_up(r);
        move_meter(r, last > 0 ? fmin(1, r->shot.picture.frame.time / last) : 1,
                   &r->shot.picture.frame);
    }
    return RNI_EXIT_DONE;
}

/* One frame: a still, or a video in which only the camera moves. */
static int show_still(rni_render *r)
{
    uint32_t count = r->is_video ? (uint32_t)fmax(1, floor(r->seconds * r->rate + 0.5)) : 1;
    for (uint32_t k = 0; k < count; k++) {
        if (rni_signals_caught()) return end_by_signal(r);
        if (draw(r, &r->shot, k, count) != RN_OK) return give_up(r);
        move_meter(r, (k + 1.0) / count, &r->shot.picture.frame);
    }
    return RNI_EXIT_DONE;
}

int rni_render_single(rni_render *r)
{
    const rni_command *command = r->arguments->command;
    if (r->is_organ_only) return show_still(r);
    int code = rni_picture_source_open(r->arguments, &r->source, &r->shot.picture);
    if (code != RNI_EXIT_DONE) return code;
    const rni_scene *scene = r->source.scene;
    if (scene && rni_shot_scene_make(&r->made, scene) != RN_OK) return give_up(r);
    code = check_films(r);
    if (code != RNI_EXIT_DONE) return code;
    if (scene && r->source.fluid &&
        rni_shot_scene_take_films(&r->made, r->source.fluid, r->source.built.solid) != RN_OK)
        return give_up(r);
    rni_shot_scene_lend(&r->made, &r->shot);
    use_barium(r);
    code = rni_use_camera(r->arguments, &r->shot.picture, &r->camera);
    if (code != RNI_EXIT_DONE) return code;
    /* A checkpoint has a fluid, too, but begins later. */
    bool is_start = r->source.fluid && rn_fluid_get_step_count(r->source.fluid) == 0;
    if (is_start && (r->has_at || r->is_video)) return simulate(r);
    if (r->has_at || r->has_range)
        return rni_misuse(command, "--at is for scenes and folders; %s is one moment",
                          r->arguments->operand[0]);
    return show_still(r);
}

/* --- a folder of frames --------------------------------------------------------------------------------- */

/* What the scene says, and the particles of a frame. */
static void use_frame(rni_render *r, const rn_frame *frame, const float *position, rni_shot *shot)
{
    const rn_frame *scene = &r->shot.picture.frame;
    *shot = r->shot;
    rn_frame *to = &shot->picture.frame;
    *to = *frame;
    if (r->source.scene && scene->dim == frame->dim) {
        to->spacing = scene->spacing;
        memcpy(to->domain_low, scene->domain_low, sizeof to->domain_low);
        memcpy(to->domain_high, scene->domain_high, sizeof to->domain_high);
        rni_shot_scene_lend(&r->made, shot);
    }
    if (!(to->spacing > 0)) to->spacing = rni_picture_find_spacing(position, frame->count);
}

static rn_result open_scene(rni_render *r, const char *folder)
{
    char path[4200];
    struct stat about;
    snprintf(path, sizeof path, "%s/scene.json", folder);
    if (stat(path, &about) != 0 || rni_scene_load(path, NULL, 0, &r->source.scene, NULL) != RN_OK)
        return RN_OK;
    rn_result result = rni_picture_take_scene(&r->shot.picture, r->source.scene, &r->source.solids);
    return result == RN_OK ? rni_shot_scene_make(&r->made, r->source.scene) : result;
}

/* The films of frame n, for the looks that show them: films_N beside particles_N. */
static rn_result read_films(rni_render *r, const rni_surface_frames *frames, uint32_t n)
{
    char path[4400];
    const char *number = strrchr(frames->name[n], '_');
    struct stat about;
    if (!number || !r->made.scene || !rni_shot_scene_has_films(r->made.scene)) return RN_OK;
    snprintf(path, sizeof path, "%s/films%.*s.vtp", frames->folder, (int)strcspn(number, "."),
             number);
    bool is_needed = strcmp(r->look->name, "trails") == 0;
    if (!is_needed && stat(path, &about) != 0) return RN_OK;
    return rni_shot_scene_read_films(&r->made, path);
}

/* Reads frame n and draws it, if its time is wanted. */
static rn_result draw_frame(rni_render *r, const rni_surface_frames *frames, uint32_t n)
{
    char path[4400];
    rni_frame_file file = {0};
    rni_shot shot;
    snprintf(path, sizeof path, "%s/%s", frames->folder, frames->name[n]);
    rn_result result = rni_frame_read(path, &file);
    if (result != RN_OK) return result;
    result = read_films(r, frames, n);
    if (result != RN_OK) {
        rni_frame_file_release(&file);
        return result;
    }
    use_frame(r, &file.frame, file.rows[0], &shot);
    bool is_wanted =
        !r->has_range || (file.frame.time >= r->from - 1e-9 && file.frame.time <= r->to + 1e-9);
    if (is_wanted && file.frame.count == 0) {
        result = rni_fail(RN_ERROR_FILE, "%s: the frame has no particles", path);
    } else if (is_wanted) {
        result = draw(r, &shot, r->drawn, frames->count);
        move_meter(r, (n + 1.0) / frames->count, &file.frame);
    }
    rni_frame_file_release(&file);
    return result;
}

/* Reads a frame for its time only. */
static bool read_time(const rni_surface_frames *frames, uint32_t n, double *time)
{
    char path[4400];
    rni_frame_file file = {0};
    snprintf(path, sizeof path, "%s/%s", frames->folder, frames->name[n]);
    if (rni_frame_read(path, &file) != RN_OK) return false;
    *time = file.frame.time;
    rni_frame_file_release(&file);
    return true;
}

static void skip(rni_render *r)
{
    fprintf(stderr, "%s: %s; skipped\n", r->arguments->command->path, rn_last_error());
    r->skipped++;
}

/* The last frame that can be read, or the one closest to --at. */
static uint32_t find_frame(rni_render *r, const rni_surface_frames *frames)
{
    uint32_t found = frames->count - 1;
    double least = (double)INFINITY, time;
    if (!r->has_at) {
        for (; found > 0 && !read_time(frames, found, &time); found--) skip(r);
        return found;
    }
    for (uint32_t n = 0; n < frames->count; n++) {
        if (!read_time(frames, n, &time)) continue;
        double from = fabs(time - r->at);
        if (from > least) break;
        least = from;
        found = n;
    }
    return found;
}

/* Frames that cannot be drawn are named and left out; a film that cannot be written is the end. */
static int draw_all(rni_render *r, const rni_surface_frames *frames)
{
    const rni_command *command = r->arguments->command;
    uint32_t first = 0, end = frames->count;
    if (!r->is_video) {
        first = find_frame(r, frames);
        end = first + 1;
    }
    for (uint32_t n = first; n < end; n++) {
        if (rni_signals_caught()) return end_by_signal(r);
        uint32_t drawn = r->drawn;
        rn_result result = draw_frame(r, frames, n);
        if (result == RN_OK) continue;
        if (!r->is_video || result == RN_ERROR_MEMORY ||
            (r->film.width > 0 && drawn != r->film.count))
            return give_up(r);
        skip(r);
    }
    if (r->drawn == 0)
        return rni_give_up(command, "none of the %u frames could be drawn", frames->count);
    return RNI_EXIT_DONE;
}

int rni_render_folder(rni_render *r)
{
    rni_surface_frames frames;
    int code = RNI_EXIT_DONE;
    rn_result result = rni_surface_frames_open(r->arguments->operand[0], false, &frames);
    if (result == RN_OK) result = open_scene(r, frames.folder);
    if (result != RN_OK) code = give_up(r);
    use_barium(r);
    if (code == RNI_EXIT_DONE) code = check_films(r);
    if (code == RNI_EXIT_DONE) code = rni_use_camera(r->arguments, &r->shot.picture, &r->camera);
    if (code == RNI_EXIT_DONE) code = draw_all(r, &frames);
    rni_surface_frames_release(&frames);
    return code;
}
