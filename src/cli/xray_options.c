#include "cli/xray_options.h"
#include "cli/picture_options.h"

#include <string.h>

static int take_filter(const rni_arguments *a, rni_radiograph_def *def)
{
    double mm[2] = {0, 0};
    const char *text = rni_arguments_text(a, "filter");
    if (!rni_read_numbers(text, ',', strchr(text, ',') ? 2 : 1, mm) ||
        !(mm[0] >= 0 && mm[0] <= 50) || !(mm[1] >= 0 && mm[1] <= 10))
        return rni_misuse(a->command,
                          "--filter %s: should be 0 to 50 mm of aluminium and 0 to 10 mm of copper, "
                          "e.g. --filter 2.5,0.1",
                          text);
    def->aluminium_mm = (float)mm[0];
    def->copper_mm = (float)mm[1];
    return RNI_EXIT_DONE;
}

static int take_distance(const rni_arguments *a, rni_radiograph_def *def)
{
    double mm[2];
    const char *text = rni_arguments_text(a, "distance");
    if (!text) return RNI_EXIT_DONE;
    if (!rni_read_numbers(text, ',', 2, mm) || !(mm[0] > mm[1] && mm[1] > 0 && mm[0] < 1e7))
        return rni_misuse(a->command,
                          "--distance %s: should be two lengths in mm, the detector farther away than "
                          "the object, e.g. --distance 1100,850",
                          text);
    def->source_image_mm = (float)mm[0];
    def->source_object_mm = (float)mm[1];
    return RNI_EXIT_DONE;
}

static int take_window(const rni_arguments *a, rni_radiograph_def *def)
{
    double end[2];
    const char *text = rni_arguments_text(a, "window");
    if (!text) return RNI_EXIT_DONE;
    if (!rni_read_numbers(text, ':', 2, end) || !(end[0] < end[1] && end[0] > -100 && end[1] < 100))
        return rni_misuse(a->command,
                          "--window %s: should be two densities, -ln of the share that passes, e.g. "
                          "--window 2:6",
                          text);
    def->display.window = (float)(end[1] - end[0]);
    def->display.level = (float)(0.5 * (end[0] + end[1]));
    return RNI_EXIT_DONE;
}

int rni_take_xray(const rni_arguments *a, rni_radiograph_def *def)
{
    *def = rni_radiograph_def_default();
    def->kvp = (float)rni_arguments_number(a, "kvp");
    if (rni_arguments_has(a, "dose")) def->dose = (float)rni_arguments_number(a, "dose");
    def->scatter = (float)rni_arguments_number(a, "scatter");
    def->detector_mm = (float)rni_arguments_number(a, "detector");
    def->rays = rni_arguments_choice(a, "rays");
    if (rni_arguments_has(a, "fluid")) def->fluid = rni_arguments_text(a, "fluid");
    def->wall = rni_arguments_text(a, "solid");
    def->has_film = rni_arguments_has(a, "film");
    if (def->has_film) def->film_mm = (float)rni_arguments_number(a, "film");
    def->body = (rni_radiograph_body)rni_arguments_choice(a, "body");
    def->volume = rni_arguments_text(a, "volume");
    def->display.is_dark_dense = rni_arguments_has(a, "dark");
    def->display.is_round = rni_arguments_has(a, "round");
    int code = take_filter(a, def);
    if (code == RNI_EXIT_DONE) code = take_distance(a, def);
    return code == RNI_EXIT_DONE ? take_window(a, def) : code;
}
