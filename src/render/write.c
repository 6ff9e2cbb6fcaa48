/* From particles to a file. */
#include "render/picture.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

void rni_picture_values(rni_picture_color color, const rn_fluid_particles *particles, double time,
                        float *value)
{
    for (uint32_t i = 0; i < particles->count; i++) {
        const float *v = particles->velocity[i];
        switch (color) {
        case RNI_COLOR_BY_DENSITY: value[i] = particles->density[i]; break;
        case RNI_COLOR_BY_SPEED: value[i] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); break;
        case RNI_COLOR_BY_PRESSURE: value[i] = particles->pressure[i]; break;
        case RNI_COLOR_BY_AGE: value[i] = (float)(time - (double)particles->birth[i]); break;
        }
    }
}

rn_result rni_picture_write(const rni_picture *picture, const char *path)
{
    size_t bytes = (size_t)picture->width * picture->height * 4;
    uint8_t *rgba = malloc(bytes ? bytes : 1);
    if (!rgba)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for %u x %u pixels", path, picture->width,
                        picture->height);
    rn_result result = rni_picture_render(picture, rgba);
    if (result == RN_OK) result = rni_png_write(path, rgba, picture->width, picture->height);
    free(rgba);
    return result;
}

rn_result rni_picture_write_particles(const rni_picture *picture, const rn_fluid_particles *particles,
                                      double time, const char *path)
{
    rni_picture full = *picture;
    float *value = malloc((particles->count + (size_t)1) * sizeof *value);
    if (!value)
        return rni_fail(RN_ERROR_MEMORY, "%s: no memory for the colours of %u particles", path,
                        particles->count);
    rni_picture_values(picture->color, particles, time, value);
    full.count = particles->count;
    full.position = particles->position ? particles->position[0] : NULL;
    full.position_stride = sizeof *particles->position;
    full.value = value;
    full.value_stride = 0;
    full.has_time = true;
    full.time = time;
    rn_result result = rni_picture_write(&full, path);
    free(value);
    return result;
}
