#include "cli/picture_options.h"

#include <string.h>

bool rni_read_numbers(const char *text, char separator, uint32_t count, double *number)
{
    for (uint32_t k = 0; k < count; k++) {
        const char *end = k + 1 < count ? strchr(text, separator) : text + strlen(text);
        if (!end || !rni_number_read(text, (size_t)(end - text), &number[k])) return false;
        text = end + 1;
    }
    return true;
}

int rni_take_size(const rni_arguments *arguments, rni_picture *picture)
{
    double side[2];
    const char *text = rni_arguments_text(arguments, "size");
    double low = RNI_PICTURE_SIDE_MIN;
    double high = RNI_PICTURE_SIDE_MAX;
    bool is_read = rni_read_numbers(text, 'x', 2, side);
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
    bool is_read = rni_read_numbers(text, ',', 3, number);
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

int rni_take_range(const rni_arguments *arguments, rni_picture *picture)
{
    double end[2];
    const char *text = rni_arguments_text(arguments, "range");
    if (!text) return RNI_EXIT_DONE;
    if (!rni_read_numbers(text, ':', 2, end) || !(end[0] < end[1]) || end[0] < -1e12 || end[1] > 1e12)
        return rni_misuse(arguments->command,
                          "--range %s: should be two numbers, the lower first, e.g. --range "
                          "990:1010",
                          text);
    picture->has_range = true;
    picture->range[0] = (float)end[0];
    picture->range[1] = (float)end[1];
    return RNI_EXIT_DONE;
}

int rni_take_camera(const rni_arguments *arguments, rni_picture_camera *camera)
{
    camera->fov = (float)rni_arguments_number(arguments, "fov");
    int code = take_place(arguments, "eye", &camera->has_eye, camera->eye);
    if (code == RNI_EXIT_DONE)
        code = take_place(arguments, "target", &camera->has_target, camera->target);
    return code;
}

int rni_use_camera(const rni_arguments *arguments, rni_picture *picture,
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
