#include "render/stage.h"

/* Brightest that one sample may be. */
#define LIGHT_MAX 12.0f

typedef struct job {
    rni_stage *stage;
    rni_sample_fn take;
} job;

rn_result rni_pixels_need(rni_stage *stage)
{
    rni_studio *studio = stage->studio;
    rni_memory *memory = &studio->memory;
    uint64_t pixels = (uint64_t)stage->shot->picture.width * stage->shot->picture.height;
    rn_result result = rni_buffer_need(memory, &studio->light, pixels, sizeof(rni_vec));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &studio->light_two, pixels, sizeof(rni_vec));
    if (result == RN_OK) result = rni_buffer_need(memory, &studio->albedo, pixels, sizeof(rni_vec));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &studio->guide, pixels, sizeof(rni_guide));
    return result;
}

static void add_sample(rni_sample *sum, const rni_sample *one)
{
    rni_vec light = one->light;
    float bright = fmaxf(light.x, fmaxf(light.y, light.z));
    if (bright > LIGHT_MAX) light = rni_scale(light, LIGHT_MAX / bright);
    sum->light = rni_add(sum->light, light);
    sum->albedo = rni_add(sum->albedo, one->albedo);
    sum->guide.normal = rni_add(sum->guide.normal, one->guide.normal);
    sum->guide.distance += one->guide.distance;
    sum->met_water = sum->met_water || one->met_water;
}

static float part_of(float a)
{
    return a - floorf(a);
}

void rni_pixel_sample(const rni_stage *stage, rni_sample_fn take, uint32_t x, uint32_t y,
                      rni_sample *mean)
{
    size_t pixel = (size_t)y * stage->shot->picture.width + x;
    rni_sample sum = {.guide = {{0, 0, 0}, 0}}, one;
    for (uint32_t s = 0; s < stage->shot->samples; s++) {
        rni_dice dice = {.pixel = (uint32_t)pixel, .sample = s};
        /* The same places in every pixel, the middle first: edges are even. The steps are not those of the dice: a
         * place would always come with the same part of the sun, and the edges of shadows would be ragged. */
        float u = (float)x + part_of(0.5f + (float)s * 0.41421356f);
        float v = (float)y + part_of(0.5f + (float)s * 0.73205081f);
        float side = (float)RNI_SAMPLES_PER_SIDE;
        rni_ray ray = rni_view_ray(&stage->canvas.camera, u * side, v * side);
        ray.direction = rni_unit(ray.direction);
        take(stage, ray, dice, &one);
        add_sample(&sum, &one);
    }
    float each = 1 / (float)stage->shot->samples;
    mean->light = rni_scale(sum.light, each);
    mean->albedo = rni_scale(sum.albedo, each);
    mean->guide = (rni_guide){rni_scale(sum.guide.normal, each), sum.guide.distance * each};
    mean->met_water = sum.met_water;
}

void rni_pixel_put(const rni_stage *stage, uint32_t x, uint32_t y, const rni_sample *mean)
{
    const rni_studio *studio = stage->studio;
    size_t pixel = (size_t)y * stage->shot->picture.width + x;
    ((rni_vec *)studio->light.data)[pixel] = mean->light;
    ((rni_vec *)studio->albedo.data)[pixel] = mean->albedo;
    ((rni_guide *)studio->guide.data)[pixel] = mean->guide;
}

static void take_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t x = 0; x < j->stage->shot->picture.width; x++) {
        rni_sample mean;
        rni_pixel_sample(j->stage, j->take, x, y, &mean);
        rni_pixel_put(j->stage, x, y, &mean);
    }
}

rn_result rni_pixels_sample(rni_stage *stage, rni_sample_fn take)
{
    const rni_picture *picture = &stage->shot->picture;
    rn_result result = rni_pixels_need(stage);
    if (result != RN_OK) return result;
    job j = {.stage = stage, .take = take};
    rni_crew_pieces(stage->studio->crew, picture->height, take_row, &j);
    return RN_OK;
}

rn_result rni_pixels_draw(rni_stage *stage, rni_sample_fn take, uint8_t *rgba)
{
    rn_result result =
        rni_plate_is_of(stage) ? rni_plate_sample(stage, take) : rni_pixels_sample(stage, take);
    if (result != RN_OK) return result;
    if (!stage->shot->is_noisy) result = rni_denoise(stage);
    if (result == RN_OK) rni_tone_map(stage, rgba);
    return result;
}
