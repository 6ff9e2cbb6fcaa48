/* Light to bytes: exposure, a curve that bends highlights softly into white, sRGB. */
#include "render/stage.h"

#define EXPOSURE 1.0f

/* The usual rational fit of a film's response: dark tones gain contrast, bright ones bend. */
static float curve(float x)
{
    x = fmaxf(x, 0) * EXPOSURE;
    return rni_clamp(x * (2.51f * 0.62f * x + 0.03f) / (x * (2.43f * 0.62f * x + 0.59f) + 0.14f), 0,
                     1);
}

typedef struct job {
    const rni_stage *stage;
    uint8_t *rgba;
    uint8_t table[4096];
} job;

static void map_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    const rni_vec *light = j->stage->studio->light.data;
    uint32_t width = j->stage->shot->picture.width;
    for (uint32_t x = 0; x < width; x++) {
        size_t pixel = (size_t)y * width + x;
        float c[3] = {curve(light[pixel].x), curve(light[pixel].y), curve(light[pixel].z)};
        for (uint32_t k = 0; k < 3; k++)
            j->rgba[4 * pixel + k] = j->table[(uint32_t)(sqrtf(c[k]) * 4095 + 0.5f)];
        j->rgba[4 * pixel + 3] = 255;
    }
}

void rni_tone_map(rni_stage *stage, uint8_t *rgba)
{
    job j = {.stage = stage, .rgba = rgba};
    rni_color_srgb_table(j.table);
    rni_crew_pieces(stage->studio->crew, stage->shot->picture.height, map_row, &j);
}
