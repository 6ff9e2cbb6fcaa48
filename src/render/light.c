/* How much light of sky and lamp reaches a surface: occlusion from the camera's depths, shadow from
 * the lamp's. Taps are rotated from sample to sample, so that the samples of a pixel and of its neighbours
 * use different ones and their mean is smooth. */
#include "render/canvas.h"

#define GOLDEN_TURN 2.3999632f /* rad: successive taps never line up */
#define SKY_REACH   0.085f     /* of the scene's size: what is farther hides nothing */
#define LAMP_BLUR   0.0065f    /* of the scene's size: radius of the soft edge of a shadow */

void rni_light_prepare(rni_canvas *canvas)
{
    for (uint32_t turn = 0; turn < RNI_TURNS; turn++) {
        float start = (float)turn / (float)RNI_TURNS;
        for (uint32_t k = 0; k < RNI_SKY_TAPS; k++) {
            float angle = GOLDEN_TURN * (float)k + 6.2831853f * start;
            /* Many near and few far: creases between neighbours and the shade under a wave both
             * show. */
            float part = powf(((float)k + start) / (float)RNI_SKY_TAPS, 2.4f);
            canvas->sky_tap[turn][k] = (rni_vec){cosf(angle), -sinf(angle), part};
        }
        for (uint32_t k = 0; k < RNI_LAMP_TAPS; k++) {
            float angle = GOLDEN_TURN * (float)k + 6.2831853f * start;
            float radius = sqrtf(((float)k + 0.5f) / (float)RNI_LAMP_TAPS);
            canvas->lamp_tap[turn][k] = (rni_vec){radius * cosf(angle), radius * sinf(angle), 0};
        }
    }
}

/* Different for all 4 samples of a pixel and the 16 pixels of a 4 x 4 square. */
static uint32_t turn_at(uint32_t x, uint32_t y)
{
    static const uint8_t order[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return order[y / 2 % 4][x / 2 % 4] + 16u * (x % 2 + 2 * (y % 2));
}

/* A sample's place along right, up and forward from the view's origin. */
static rni_vec sample_place(const rni_view *view, uint32_t x, uint32_t y, float depth)
{
    float step = (view->is_flat ? 1 : depth) * view->step;
    return (rni_vec){((float)x + 0.5f - view->middle_x) * step,
                     (view->middle_y - (float)y - 0.5f) * step, depth};
}

static rni_vec turned(const rni_view *view, rni_vec n)
{
    return (rni_vec){rni_dot(n, view->right), rni_dot(n, view->up), rni_dot(n, view->forward)};
}

/* The part of the sky that nearby surfaces do not occlude. */
static float sky_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec normal)
{
    const rni_view *view = &canvas->camera;
    float depth = canvas->depth[(size_t)y * view->width + x];
    float reach = SKY_REACH * canvas->size;
    float widest = reach * (view->is_flat ? view->scale : view->scale / depth) - 1.5f;
    if (!(widest > 1)) return 1;
    rni_vec here = sample_place(view, x, y, depth);
    rni_vec n = turned(view, normal);
    const rni_vec *tap = canvas->sky_tap[turn_at(x, y)];
    float hidden = 0;
    for (uint32_t k = 0; k < RNI_SKY_TAPS; k++) {
        float radius = 1.5f + widest * tap[k].z;
        float tx = (float)x + 0.5f + radius * tap[k].x;
        float ty = (float)y + 0.5f + radius * tap[k].y;
        if (!(tx >= 0 && ty >= 0 && tx < (float)view->width && ty < (float)view->height)) continue;
        uint32_t sx = (uint32_t)tx;
        uint32_t sy = (uint32_t)ty;
        float there = canvas->depth[(size_t)sy * view->width + sx];
        if (there == RNI_DEPTH_FAR) continue;
        rni_vec to = rni_sub(sample_place(view, sx, sy, there), here);
        float rise = rni_dot(to, n);
        if (!(rise > 0)) continue;
        float length = rni_length(to);
        rise = rise / length - 0.06f;
        if (rise > 0 && length < reach) hidden += rise * (1 - length / reach);
    }
    return rni_clamp(1 - 1.9f * hidden / (float)RNI_SKY_TAPS, 0, 1);
}

static float lamp_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal)
{
    const rni_view *light = &canvas->light;
    float texel = light->step;
    float off = 1.5f * texel + 0.5f * canvas->picture->radius;
    rni_vec p = rni_view_place(light, rni_along(place, normal, off));
    float blur = fmaxf(LAMP_BLUR * canvas->size * light->scale, 1.2f);
    float limit = p.z - 1.5f * texel - 0.5f * blur * texel;
    float px = light->middle_x + p.x * light->scale;
    float py = light->middle_y - p.y * light->scale;
    float width = (float)light->width - blur;
    float height = (float)light->height - blur;
    if (!(px >= blur && py >= blur && px < width && py < height))
        return 1; /* outside the picture */
    const rni_vec *tap = canvas->lamp_tap[turn_at(x, y)];
    uint32_t free_count = 0;
    for (uint32_t k = 0; k < RNI_LAMP_TAPS; k++) {
        uint32_t tx = (uint32_t)(px + blur * tap[k].x);
        uint32_t ty = (uint32_t)(py + blur * tap[k].y);
        free_count += canvas->shadow[(size_t)ty * light->width + tx] >= limit;
    }
    return (float)free_count / (float)RNI_LAMP_TAPS;
}

/* The floor far from everything is unoccluded. */
static bool is_far(const rni_canvas *canvas, rni_vec place)
{
    float reach = SKY_REACH * canvas->size;
    const rni_box *d = &canvas->domain;
    return place.x < d->low.x - reach || place.x > d->high.x + reach ||
           place.z < d->low.z - reach || place.z > d->high.z + reach;
}

rni_vec rni_light_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal)
{
    float sky = is_far(canvas, place) ? 1 : sky_at(canvas, x, y, normal);
    bool faces = rni_dot(normal, canvas->to_light) > 0;
    return (rni_vec){sky, faces ? lamp_at(canvas, x, y, place, normal) : 0, 0};
}
