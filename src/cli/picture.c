/* runnel picture: particles to a PNG. */
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/picture_options.h"
#include "cli/picture_source.h"
#include "cli/scene_open.h"

#include "base/clock.h"
#include "base/parallel.h"

#include <runnel/base.h>

#include <string.h>

static const rni_option options[] = {
    {"out", RNI_OPTION_FILE, "PNG", "output file; - is standard output", "picture.png",
     "a file, e.g. --out water.png", 0, 0, NULL},
    RNI_OPTIONS_OF_A_PICTURE,
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

/* Everything that can be checked before a file is opened. */
static int take_style(const rni_arguments *arguments, rni_picture *picture, rni_picture_camera *camera)
{
    picture->color = rni_picture_color_name(rni_arguments_choice(arguments, "color"));
    picture->walls = (rni_picture_walls)rni_arguments_choice(arguments, "walls");
    picture->background = (rni_picture_background)rni_arguments_choice(arguments, "background");
    picture->threads = rni_arguments_count(arguments, "threads");
    picture->is_bare = rni_arguments_has(arguments, "bare");
    int code = rni_take_size(arguments, picture);
    if (code == RNI_EXIT_DONE) code = rni_take_range(arguments, picture);
    if (code == RNI_EXIT_DONE) code = rni_take_camera(arguments, camera);
    rni_output out = {"--out", rni_arguments_text(arguments, "out")};
    if (code == RNI_EXIT_DONE)
        code = rni_outputs_check(arguments->command, arguments->operand[0], &out, 1);
    return code;
}

static int run(const rni_arguments *arguments)
{
    rni_picture picture = rni_picture_default();
    rni_picture_camera camera = {.fov = 0};
    rni_picture_source source = {0};
    const char *path = rni_arguments_text(arguments, "out");
    int code = take_style(arguments, &picture, &camera);
    if (code == RNI_EXIT_DONE) code = rni_picture_source_open(arguments, &source, &picture);
    if (code == RNI_EXIT_DONE) code = rni_use_camera(arguments, &picture, &camera);
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
