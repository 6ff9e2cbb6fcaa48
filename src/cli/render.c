/* runnel render: a scene, a frame or a run to a picture or a video. */
#include "cli/render.h"
#include "cli/outputs.h"
#include "cli/picture_options.h"
#include "cli/scene_open.h"
#include "cli/signals.h"
#include "cli/xray_options.h"
#include "files/mesh_file.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "FILE", "output: .png, .mp4 or .webm; - is a PNG on standard output",
     "render.png", "a file, e.g. --out water.mp4", 0, 0, NULL},
    {"look", RNI_OPTION_CHOICE, "NAME", "how the fluid is drawn", "water",
     "a look, e.g. --look clay", 0, 0, rni_look_name},
    {"at", RNI_OPTION_TEXT, "T|A:B",
     "moment of a picture in simulated seconds (default: the start of a scene, the last frame of a "
     "folder), or those from A to B of a video (default: all)",
     NULL, "seconds, e.g. --at 0.5 or --at 0:2", 0, 0, NULL},
    {"samples", RNI_OPTION_COUNT, "N", "rays through a pixel (default: as the look has it)", NULL,
     "a whole number, e.g. --samples 64", 1, RNI_SAMPLES_MAX, NULL},
    RNI_OPTIONS_OF_A_PICTURE,
    {"orbit", RNI_OPTION_NUMBER, "DEGREES", "turn of the camera around the scene during a video",
     NULL, "degrees, e.g. --orbit 90", -36000, 36000, NULL},
    {"camera", RNI_OPTION_FILE, "JSON", "keyframes of the camera during a video", NULL,
     "a file, e.g. --camera keys.json", 0, 0, NULL},
    {"rate", RNI_OPTION_NUMBER, "N", "pictures per second of a video", "30",
     "1 to 240, e.g. --rate 25", 1, 240, NULL},
    RNI_OPTION_SCALE,
    {"seconds", RNI_OPTION_NUMBER, "S", "length of a video of a single frame", "5",
     "seconds, e.g. --seconds 8", 0.01, 3600, NULL},
    {"water", RNI_OPTION_CHOICE, "NAME",
     "what the fluid looks like (default: as the scene's material, otherwise tinted)", NULL,
     "a water, e.g. --water pure", 0, 0, rni_water_name},
    {"fresnel", RNI_OPTION_CHOICE, "LAW", "share of light that the water reflects", "exact",
     "a law, e.g. --fresnel grahn", 0, 0, rni_fresnel_name},
    {"foam", RNI_OPTION_NUMBER, "AMOUNT", "how much foam fast water has in look water; 0: none",
     "1", "0 to 10, e.g. --foam 0", 0, 10, NULL},
    {"noisy", RNI_OPTION_FLAG, NULL, "do not filter the noise of few samples", NULL, NULL, 0, 0, NULL},
    {"threads", RNI_OPTION_COUNT, "N",
     "number of threads; 0: one per processor; does not change the picture", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"progress", RNI_OPTION_CHOICE, "HOW", "progress on stderr", "auto",
     "a way, e.g. --progress none", 0, 0, rni_choice_progress},
    RNI_OPTIONS_OF_XRAY,
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {0}};

/* --at T or --at A:B. */
static int take_time(const rni_arguments *a, rni_render *r)
{
    double end[2];
    const char *text = rni_arguments_text(a, "at");
    if (!text) return RNI_EXIT_DONE;
    bool is_range = strchr(text, ':') != NULL;
    bool is_read = rni_read_numbers(text, ':', is_range ? 2 : 1, end);
    if (is_read && is_range) is_read = end[0] < end[1];
    if (!is_read || end[0] < 0 || end[is_range] > 1e6)
        return rni_misuse(
            a->command, "--at %s: should be seconds, e.g. --at 0.5, or --at 0:2 for a video", text);
    if (is_range && !r->is_video)
        return rni_misuse(a->command, "--at %s: is for videos; give one moment, or --out with .mp4",
                          text);
    if (!is_range && r->is_video)
        return rni_misuse(a->command, "--at %s: a video needs two moments, e.g. --at 0:2", text);
    r->has_at = !is_range;
    r->has_range = is_range;
    r->at = r->from = end[0];
    r->to = end[is_range];
    return RNI_EXIT_DONE;
}

static int take_path(const rni_arguments *a, rni_render *r)
{
    const char *keys = rni_arguments_text(a, "camera");
    r->path.orbit = (float)rni_arguments_number(a, "orbit");
    if (!r->is_video && (keys || rni_arguments_has(a, "orbit")))
        return rni_misuse(a->command,
                          "--orbit and --camera move the camera of a video; a picture has --eye "
                          "and --target");
    if (keys && rni_render_read_keys(keys, &r->path) != RN_OK)
        return rni_give_up(a->command, "%s", rn_last_error());
    return RNI_EXIT_DONE;
}

/* Whether the name is that of a mesh, which alone can be an X-rayed organ; .ply may be particles. */
static bool is_mesh_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcasecmp(dot, ".obj") == 0 || strcasecmp(dot, ".stl") == 0 ||
                   strcasecmp(dot, ".glb") == 0);
}

/* Options of a look that is not drawn are a mistake. */
static int refuse_xray(const rni_arguments *a, const rni_look *look)
{
    for (const rni_option *o = a->command->options; o->name; o++)
        if (strncmp(o->help, "xray: ", 6) == 0 && rni_arguments_has(a, o->name))
            return rni_misuse(a->command, "--%s is for --look xray, not for --look %s", o->name,
                              look->name);
    return RNI_EXIT_DONE;
}

static int take_raw(const rni_arguments *a, rni_render *r)
{
    r->shot.raw = rni_arguments_text(a, "raw");
    if (!r->shot.raw) return RNI_EXIT_DONE;
    if (r->is_video) return rni_misuse(a->command, "--raw is for stills of --look xray");
    const char *point = strrchr(r->shot.raw, '.');
    if (point && strcasecmp(point, ".npy") == 0) return RNI_EXIT_DONE;
    return rni_misuse(a->command, "--raw %s: the name should end with .npy", r->shot.raw);
}

/* Options of the look xray, and the organ. */
static int take_xray(const rni_arguments *a, rni_render *r)
{
    if (strcmp(r->look->name, "xray") != 0) return refuse_xray(a, r->look);
    int code = rni_take_xray(a, &r->xray);
    if (code == RNI_EXIT_DONE) code = take_raw(a, r);
    if (code != RNI_EXIT_DONE) return code;
    r->shot.xray = &r->xray;
    if (rni_arguments_has(a, "volume") && rni_arguments_has(a, "body"))
        return rni_misuse(a->command, "--volume takes the place of --body; give one of them");
    const char *path = rni_arguments_text(a, "organ");
    r->is_organ_only = is_mesh_name(a->operand[0]);
    if (r->is_organ_only && path)
        return rni_misuse(a->command, "%s is the organ; --organ is for scenes and frames",
                          a->operand[0]);
    if (r->is_organ_only) path = a->operand[0];
    if (!path) return RNI_EXIT_DONE;
    if (rn_mesh_data_create(NULL, &r->organ) != RN_OK ||
        rni_mesh_file_read(path, r->organ, NULL) != RN_OK)
        return rni_give_up(a->command, "%s", rn_last_error());
    r->organ_mesh = rn_mesh_data_get_mesh(r->organ);
    r->shot.organ = &r->organ_mesh;
    return RNI_EXIT_DONE;
}

/* Everything that can be checked before a file is opened. */
static int take_style(const rni_arguments *a, rni_render *r)
{
    rni_picture *p = &r->shot.picture;
    rni_film_kind kind;
    r->out = rni_arguments_text(a, "out");
    if (!rni_film_kind_of(r->out, &kind))
        return rni_misuse(a->command, "--out %s: the name should end with .png, .mp4 or .webm",
                          r->out);
    r->is_video = kind != RNI_FILM_PNG;
    r->look = rni_look_at(rni_arguments_choice(a, "look"));
    r->rate = rni_arguments_number(a, "rate");
    r->seconds = rni_arguments_number(a, "seconds");
    r->shot.samples = rni_arguments_count(a, "samples");
    r->shot.water = rni_water_at(rni_arguments_choice(a, "water"));
    r->shot.has_water = rni_arguments_has(a, "water");
    r->shot.fresnel = (rni_fresnel)rni_arguments_choice(a, "fresnel");
    r->shot.foam = (float)rni_arguments_number(a, "foam");
    r->shot.is_noisy = rni_arguments_has(a, "noisy");
    p->color = rni_picture_color_name(rni_arguments_choice(a, "color"));
    p->walls = (rni_picture_walls)rni_arguments_choice(a, "walls");
    p->threads = rni_arguments_count(a, "threads");
    int code = rni_take_size(a, p);
    r->to_width = p->width, r->to_height = p->height;
    if (code == RNI_EXIT_DONE && r->is_video)
        rni_film_shrink(rni_arguments_number(a, "scale"), &p->width, &p->height);
    if (code == RNI_EXIT_DONE) code = rni_take_range(a, p);
    if (code == RNI_EXIT_DONE) code = rni_take_camera(a, &r->camera);
    if (code == RNI_EXIT_DONE) code = take_time(a, r);
    if (code == RNI_EXIT_DONE) code = take_path(a, r);
    if (code == RNI_EXIT_DONE) code = take_xray(a, r);
    rni_output out[2] = {{"--out", r->out}, {"--raw", r->shot.raw}};
    return code == RNI_EXIT_DONE
               ? rni_outputs_check(a->command, a->operand[0], out, r->shot.raw ? 2 : 1)
               : code;
}

static void print_summary(const rni_render *r, double seconds)
{
    char text[32];
    bool is_dash = strcmp(r->out, "-") == 0;
    FILE *to = is_dash ? stderr : stdout;
    fprintf(to, "%s: %u x %u, look %s", is_dash ? "standard output" : r->out, r->to_width,
            r->to_height, r->look ? r->look->name : "");
    if (r->is_video) fprintf(to, ", %u pictures, %.2f s of video", r->drawn, r->drawn / r->rate);
    fprintf(to, ", %s", rni_duration(seconds, text));
    if (r->skipped > 0) fprintf(to, "; %u frames skipped", r->skipped);
    fputc('\n', to);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int draw(rni_render *r)
{
    const rni_command *command = r->arguments->command;
    const rni_picture *p = &r->shot.picture;
    r->rgba = malloc((size_t)p->width * p->height * 4);
    if (!r->rgba) return rni_give_up(command, "no memory for %u x %u pixels", p->width, p->height);
    if (rni_studio_create(p->threads, &r->studio) != RN_OK)
        return rni_give_up(command, "%s", rn_last_error());
    rni_signals_watch();
    rni_meter_kind progress = (rni_meter_kind)rni_arguments_choice(r->arguments, "progress");
    r->meter = rni_meter_begin(progress, 0);
    int code = is_folder(r->arguments->operand[0]) ? rni_render_folder(r) : rni_render_single(r);
    rni_meter_place place = {.share = 1, .step = r->drawn};
    rni_meter_end(&r->meter, &place);
    if (code == RNI_EXIT_DONE && rni_film_close(&r->film) != RN_OK)
        code = rni_give_up(command, "%s", rn_last_error());
    return code;
}

static int run(const rni_arguments *arguments)
{
    rni_render *r = calloc(1, sizeof *r);
    if (!r) return rni_give_up(arguments->command, "no memory");
    double begin = rni_seconds();
    r->arguments = arguments;
    r->shot = rni_shot_default();
    int code = take_style(arguments, r);
    if (code == RNI_EXIT_DONE) code = draw(r);
    if (code == RNI_EXIT_DONE) print_summary(r, rni_seconds() - begin);
    if (r->film.width > 0) rni_film_abandon(&r->film);
    rni_studio_destroy(r->studio);
    rn_mesh_data_destroy(r->organ);
    rni_shot_scene_release(&r->made);
    rni_picture_source_release(&r->source);
    free(r->rgba);
    free(r);
    return code;
}

const rni_command rni_command_render = {
    .name = "render",
    .path = "runnel render",
    .summary =
        "renders the fluid as water, clay, particles, surfels or trails, into a picture or a video",
    .usage = "SCENE|FRAME|DIR [options]",
    .about =
        "SCENE is a built-in scene or a JSON file: it is simulated until the moment of the picture, or\n"
        "during the video. FRAME is a frame of a run (.vtp, .ply), a checkpoint (.rnck) or a point\n"
        "cloud; a video of it shows it from a camera that moves. DIR is the folder of a run: one of\n"
        "its frames becomes a picture, all of them become a video. Walls and camera are those of\n"
        "scene.json in the same folder. Frames that cannot be drawn are named and left out. Videos\n"
        "need the program ffmpeg; without it they become numbered PNG files.",
    .examples = "runnel render drop --size 640x360 --samples 4 --out drop.png\n"
                "runnel render dam-break --at 0.3 --out dam.png\n"
                "runnel render dam --out dam.mp4 --orbit 60",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "SCENE",
    .operand_at = rni_choice_scene,
    .options = options,
    .run = run,
};
