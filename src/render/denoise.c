/* The filter that takes the noise of few samples away (Dammertz et al. 2010): weighted means over ever wider
 * neighbourhoods, in which pixels of another surface, colour or brightness count little. */
#include "render/stage.h"

#define ROUNDS 4u

typedef struct job {
    const rni_stage *stage;
    const rni_vec *from;
    rni_vec *to;
    const rni_guide *guide;
    const rni_vec *albedo;
    uint32_t width, height, step;
    float tolerance; /* of brightness */
} job;

static float bright(rni_vec c)
{
    return 0.3f * c.x + 0.5f * c.y + 0.2f * c.z;
}

/* Brightness as the eye sees it: differences in the shade count as much as in the light. */
static float seen(rni_vec c)
{
    return sqrtf(fmaxf(0, bright(c)));
}

static float weight_of(const job *j, size_t here, size_t there)
{
    const rni_guide *a = &j->guide[here], *b = &j->guide[there];
    float facing = rni_dot(a->normal, b->normal);
    bool is_sky = a->distance <= 0 || b->distance <= 0;
    if (is_sky) return a->distance <= 0 && b->distance <= 0 ? 1 : 0;
    if (facing < 0.5f) return 0;
    facing *= facing;
    facing *= facing;
    facing *= facing;
    float gap = fabsf(a->distance - b->distance) / (0.004f * (float)j->step * a->distance + 1e-12f);
    rni_vec tint = rni_sub(j->albedo[here], j->albedo[there]);
    float other = (seen(j->from[here]) - seen(j->from[there])) / j->tolerance;
    return facing * expf(-gap - 40 * rni_dot(tint, tint) - other * other);
}

static rni_vec filter_pixel(const job *j, uint32_t x, uint32_t y)
{
    static const float kernel[3] = {0.375f, 0.25f, 0.0625f};
    size_t here = (size_t)y * j->width + x;
    rni_vec sum = {0, 0, 0};
    float total = 0;
    for (int32_t dy = -2; dy <= 2; dy++) {
        int64_t row = (int64_t)y + (int64_t)dy * j->step;
        if (row < 0 || row >= j->height) continue;
        for (int32_t dx = -2; dx <= 2; dx++) {
            int64_t column = (int64_t)x + (int64_t)dx * j->step;
            if (column < 0 || column >= j->width) continue;
            size_t there = (size_t)row * j->width + (size_t)column;
            float weight = kernel[dx < 0 ? -dx : dx] * kernel[dy < 0 ? -dy : dy];
            if (there != here) weight *= weight_of(j, here, there);
            sum = rni_along(sum, j->from[there], weight);
            total += weight;
        }
    }
    return rni_scale(sum, 1 / total);
}

static void filter_row(void *data, uint32_t y, uint32_t worker)
{
    (void)worker;
    const job *j = data;
    for (uint32_t x = 0; x < j->width; x++) j->to[(size_t)y * j->width + x] = filter_pixel(j, x, y);
}

static rni_vec divide(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x / fmaxf(b.x, 0.02f), a.y / fmaxf(b.y, 0.02f), a.z / fmaxf(b.z, 0.02f)};
}

static rni_vec multiply(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x * fmaxf(b.x, 0.02f), a.y * fmaxf(b.y, 0.02f), a.z * fmaxf(b.z, 0.02f)};
}

void rni_denoise(rni_stage *stage)
{
    rni_studio *studio = stage->studio;
    const rni_picture *p = &stage->shot->picture;
    size_t pixels = (size_t)p->width * p->height;
    rni_vec *light = studio->light.data, *other = studio->light_two.data;
    const rni_vec *albedo = studio->albedo.data;
    job j = {.stage = stage,
             .guide = studio->guide.data,
             .albedo = albedo,
             .width = p->width,
             .height = p->height};
    for (size_t k = 0; k < pixels; k++) light[k] = divide(light[k], albedo[k]);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        j.from = light, j.to = other;
        j.step = 1u << round;
        j.tolerance = 0.55f / sqrtf((float)stage->shot->samples) / (float)(1u << round) + 0.01f;
        rni_crew_pieces(studio->crew, p->height, filter_row, &j);
        rni_vec *swap = light;
        light = other;
        other = swap;
    }
    rni_vec *to = studio->light.data;
    for (size_t k = 0; k < pixels; k++) to[k] = multiply(light[k], albedo[k]);
}
