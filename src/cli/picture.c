/* runnel picture: particles to a PNG. */
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/picture_source.h"
#include "cli/scene_open.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <runnel/base.h>

#include <string.h>

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "PNG", "output file; - is standard output", "picture.png",
     "a file, e.g. --out water.png", 0, 0, NULL},
    {"size", RNI_OPTION_TEXT, "WxH", "width and height of the picture in pixels", "1280x720",
     "two numbers, e.g. --size 1920x1080", 0, 0, NULL},
    {"color", RNI_OPTION_CHOICE, "WHAT",
     "attribute that sets the colour of the particles; of several fluids: fluid", "density",
     "a quantity, e.g. --color speed", 0, 0, rni_picture_color_name},
    {"range", RNI_OPTION_TEXT, "A:B",
     "values that get the first and the last colour of the colour bar; values beyond get the "
     "same colours (default: from the particles, without the highest 2 %)",
     NULL, "two numbers, e.g. --range 990:1010", 0, 0, NULL},
    {"eye", RNI_OPTION_TEXT, "X,Y,Z",
     "position of the camera in metres (default: the whole domain is visible)", NULL,
     "a place, e.g. --eye 2,1.5,4", 0, 0, NULL},
    {"target", RNI_OPTION_TEXT, "X,Y,Z", "point that the camera looks at", NULL,
     "a place, e.g. --target 0.5,0.2,0.5", 0, 0, NULL},
    {"fov", RNI_OPTION_NUMBER, "DEGREES", "vertical field of view", NULL,
     "1 to 150 degrees, e.g. --fov 30", 1, 150, NULL},
    {"walls", RNI_OPTION_CHOICE, "HOW",
     "how walls and solids are drawn; solid: opaque, but like glass where they hide the fluid",
     "solid", "a way, e.g. --walls glass", 0, 0, rni_picture_walls_name},
    {"background", RNI_OPTION_CHOICE, "TONE", "background colour", "light",
     "a tone, e.g. --background dark", 0, 0, rni_picture_background_name},
    {"bare", RNI_OPTION_FLAG, NULL,
     "leave out title, caption and colour "
     "bar",
     NULL, NULL, 0, 0, NULL},
    {"threads", RNI_OPTION_COUNT, "N",
     "number of threads; 0: one per processor; does not change the picture", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    RNI_OPTION_SET,
    RNI_OPTION_PRESET,
    {0}};

/* Exactly count numbers with a separator between them. */
static bool read_numbers(const char *text, char separator, uint32_t count, double *number)
{
    for (uint32_t k = 0; k < count; k++) {
        const char *end = k + 1 < count ? strchr(text, separator) : text + strlen(text);
        if (!end || !rni_number_read(text, (size_t)(end - text), &number[k])) return false;
        text = end + 1;
    }
    return true;
}

static int take_size(const rni_arguments *arguments, rni_picture *picture)
{
    double side[2];
    const char *text = rni_arguments_text(arguments, "size");
    double low = RNI_PICTURE_SIDE_MIN;
    double high = RNI_PICTURE_SIDE_MAX;
    bool is_read = read_numbers(text, 'x', 2, side);
    for (uint32_t k = 0; k < 2 && is_read; k++)
        is_read = side[k] >= low && side[k] <= high && side[k] == (double)(uint32_t)side[k];
    if (!is_read)
        return rni_misuse(arguments->command,
                          "--size %s: should be two whole numbers from %g to %g, e.g. --size "
                          "1920x1080",
                          text, low, high);
    picture->width = (uint32_t)side[0];
    picture->height = (uint32_t)side[1];
    return RNI_EXIT_DONE;
}

static int take_place(const rni_arguments *arguments, const char *name, bool *has, float place[3])
{
    double number[3];
    const char *text = rni_arguments_text(arguments, name);
    if (!text) return RNI_EXIT_DONE;
    bool is_read = read_numbers(text, ',', 3, number);
    for (uint32_t k = 0; k < 3 && is_read; k++) is_read = number[k] > -1e6 && number[k] < 1e6;
    if (!is_read)
        return rni_misuse(arguments->command,
                          "--%s %s: should be three numbers within a million metres, e.g. --%s "
                          "2,1.5,4",
                          name, text, name);
    for (uint32_t k = 0; k < 3; k++) place[k] = (float)number[k];
    *has = true;
    return RNI_EXIT_DONE;
}

static int take_range(const rni_arguments *arguments, rni_picture *picture)
{
    double end[2];
    const char *text = rni_arguments_text(arguments, "range");
    if (!text) return RNI_EXIT_DONE;
    if (!read_numbers(text, ':', 2, end) || !(end[0] < end[1]) || end[0] < -1e12 || end[1] > 1e12)
        return rni_misuse(arguments->command,
                          "--range %s: should be two numbers, the lower first, e.g. --range "
                          "990:1010",
                          text);
    picture->has_range = true;
    picture->range[0] = (float)end[0];
    picture->range[1] = (float)end[1];
    return RNI_EXIT_DONE;
}

/* Everything that can be checked before a file is opened. */
static int take_style(const rni_arguments *arguments, rni_picture *picture, rni_picture_camera *camera)
{
    picture->color = rni_picture_color_name(rni_arguments_choice(arguments, "color"));
    picture->walls = (rni_picture_walls)rni_arguments_choice(arguments, "walls");
    picture->background = (rni_picture_background)rni_arguments_choice(arguments, "background");
    picture->threads = rni_arguments_count(arguments, "threads");
    picture->is_bare = rni_arguments_has(arguments, "bare");
    camera->fov = (float)rni_arguments_number(arguments, "fov");
    int code = take_size(arguments, picture);
    if (code == RNI_EXIT_DONE) code = take_range(arguments, picture);
    if (code == RNI_EXIT_DONE) code = take_place(arguments, "eye", &camera->has_eye, camera->eye);
    if (code == RNI_EXIT_DONE)
        code = take_place(arguments, "target", &camera->has_target, camera->target);
    rni_output out = {"--out", rni_arguments_text(arguments, "out")};
    if (code == RNI_EXIT_DONE)
        code = rni_outputs_check(arguments->command, arguments->operand[0], &out, 1);
    return code;
}

/* The user's camera over that of the scene. */
static int take_camera(const rni_arguments *arguments, rni_picture *picture,
                       const rni_picture_camera *camera)
{
    if (picture->frame.dim == 2 && (camera->has_eye || camera->has_target || camera->fov > 0))
        return rni_misuse(arguments->command,
                          "--eye, --target and --fov are for 3D; %s is 2D and seen from the front",
                          arguments->operand[0]);
    if (camera->has_eye) {
        picture->camera.has_eye = true;
        memcpy(picture->camera.eye, camera->eye, sizeof camera->eye);
    }
    if (camera->has_target) {
        picture->camera.has_target = true;
        memcpy(picture->camera.target, camera->target, sizeof camera->target);
    }
    if (camera->fov > 0) picture->camera.fov = camera->fov;
    return RNI_EXIT_DONE;
}

static int run(const rni_arguments *arguments)
{
    rni_picture picture = rni_picture_default();
    rni_picture_camera camera = {.fov = 0};
    rni_picture_source source = {0};
    const char *path = rni_arguments_text(arguments, "out");
    int code = take_style(arguments, &picture, &camera);
    if (code == RNI_EXIT_DONE) code = rni_picture_source_open(arguments, &source, &picture);
    if (code == RNI_EXIT_DONE) code = take_camera(arguments, &picture, &camera);
    if (!rni_arguments_has(arguments, "color") && picture.fluid_count > 0 &&
        rn_frame_get_attribute(&picture.frame, "fluid"))
        picture.color = "fluid";
    double begin = rni_seconds();
    if (code == RNI_EXIT_DONE && rni_picture_write(&picture, path) != RN_OK)
        code = rni_give_up(arguments->command, "%s", rn_last_error());
    if (code == RNI_EXIT_DONE)
        fprintf(strcmp(path, "-") == 0 ? stderr : stdout, "%s: %u x %u, %s particles, %.2f s\n",
                strcmp(path, "-") == 0 ? "standard output" : path, picture.width, picture.height,
                rni_group(picture.frame.count).text, rni_seconds() - begin);
    rni_picture_source_release(&source);
    return code;
}

const rni_command rni_command_picture = {
    .name = "picture",
    .path = "runnel picture",
    .summary = "renders particles as shaded spheres, with walls and a colour bar, into a PNG file",
    .usage = "FILE|SCENE [options]",
    .about =
        "FILE is the folder of a run (its newest checkpoint is drawn), a checkpoint (.rnck), a frame\n"
        "of a run (.vtp, .ply), or any point cloud (PLY, XYZ, CSV, NPY). A frame is drawn with the\n"
        "walls and solids of scene.json, if that file is in the same folder. SCENE is a built-in\n"
        "scene or a JSON file, which is drawn in its initial state.",
    .examples = "runnel picture dam-break --out start.png\n"
                "runnel picture dam-break --color pressure --background dark --size 640x360",
    .operand_min = 1,
    .operand_max = 1,
    .operand_name = "FILE",
    .operand_at = NULL,
    .options = options,
    .run = run,
};
