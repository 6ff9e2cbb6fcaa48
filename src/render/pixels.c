#include "render/stage.h"

/* Brightest that one sample may be. */
#define LIGHT_MAX 12.0f

typedef struct job {
    rni_stage *stage;
    rni_sample_fn take;
} job;

static rn_result need_pixels(rni_studio *studio, uint64_t pixels)
{
    rni_memory *memory = &studio->memory;
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
}

static void take_pixel(const job *j, uint32_t x, uint32_t y)
{
    const rni_stage *stage = j->stage;
    const rni_studio *studio = stage->studio;
    size_t pixel = (size_t)y * stage->shot->picture.width + x;
    rni_sample sum = {.guide = {{0, 0, 0}, 0}}, one;
    for (uint32_t s = 0; s < stage->shot->samples; s++) {
        rni_dice dice = {.pixel = (uint32_t)pixel, .sample = s};
        float u = (float)x + rni_dice_roll(&dice), v = (float)y + rni_dice_roll(&dice);
        float side = (float)RNI_SAMPLES_PER_SIDE;
        rni_ray ray = rni_view_ray(&stage->canvas.camera, u * side, v * side);
        ray.direction = rni_unit(ray.direction);
        j->take(stage, ray, dice, &one);
        add_sample(&sum, &one);
    }
    float each = 1 / (float)stage->shot->samples;
    ((rni_vec *)studio->light.data)[pixel] = rni_scale(sum.light, each);
    ((rni_vec *)studio->albedo.data)[pixel] = rni_scale(sum.albedo, each);
    ((rni_guide *)studio->guide.data)[pixel] =
        (rni_guide){rni_scale(sum.guide.normal, each), sum.guide.distance * each};
}

static void take_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t x = 0; x < j->stage->shot->picture.width; x++) take_pixel(j, x, y);
}

rn_result rni_pixels_sample(rni_stage *stage, rni_sample_fn take)
{
    const rni_picture *picture = &stage->shot->picture;
    rn_result result = need_pixels(stage->studio, (uint64_t)picture->width * picture->height);
    if (result != RN_OK) return result;
    job j = {.stage = stage, .take = take};
    rni_crew_pieces(stage->studio->crew, picture->height, take_row, &j);
    return RN_OK;
}

rn_result rni_pixels_draw(rni_stage *stage, rni_sample_fn take, uint8_t *rgba)
{
    rn_result result = rni_pixels_sample(stage, take);
    if (result != RN_OK) return result;
    if (!stage->shot->is_noisy) rni_denoise(stage);
    rni_tone_map(stage, rgba);
    return RN_OK;
}
