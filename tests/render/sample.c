#include "sample.h"

#include <math.h>
#include <string.h>

void sample_put(rni_picture *picture, const char *name, uint32_t components, const float *data)
{
    rn_frame *frame = &picture->frame;
    uint32_t k = 0;
    while (k < frame->attribute_count && strcmp(frame->attribute[k].name, name) != 0) k++;
    if (k == frame->attribute_count) frame->attribute_count++;
    frame->attribute[k] =
        (rn_attribute){.name = name, .unit = "1", .components = components, .data = data};
}

rni_picture sample_front(const float *position, uint32_t count, float radius)
{
    rni_picture p = rni_picture_default();
    p.width = 200;
    p.height = 160;
    p.is_bare = true;
    p.threads = 1;
    p.radius = radius;
    sample_put(&p, "position", 3, position);
    p.frame.count = count;
    p.camera.has_eye = p.camera.has_target = true;
    p.camera.eye[2] = 10;
    p.camera.fov = 2 * atanf(0.4f) * 57.29578f; /* 8 m high at 10 m */
    return p;
}

uint8_t *sample_render(const rni_picture *picture)
{
    uint8_t *rgba = malloc((size_t)picture->width * picture->height * 4);
    assert_non_null(rgba);
    if (rni_picture_render(picture, rgba) != RN_OK) fail_msg("%s", rn_last_error());
    return rgba;
}

int sample_contrast(const uint8_t *a, const uint8_t *b)
{
    int most = 0;
    for (int c = 0; c < 3; c++)
        if (abs(a[c] - b[c]) > most) most = abs(a[c] - b[c]);
    return most;
}

uint32_t sample_differing(const rni_picture *size, const uint8_t *a, const uint8_t *b, int contrast)
{
    uint32_t count = 0;
    for (size_t k = 0; k < (size_t)size->width * size->height; k++)
        count += sample_contrast(a + 4 * k, b + 4 * k) > contrast;
    return count;
}

int sample_blue(const rni_picture *picture, const uint8_t *rgba, uint32_t x, uint32_t y)
{
    const uint8_t *at = rgba + ((size_t)y * picture->width + x) * 4;
    return at[2] - at[0];
}
