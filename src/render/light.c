/* How much light of sky and lamp reaches a surface: occlusion from the camera's depths, shadow from
 * the lamp's. Taps turn from sample to sample, so that the samples of a pixel and of its neighbours
 * see different ones and their mean is smooth. */
#include "render/canvas.h"

#define SKY_TAPS    11u
#define LAMP_TAPS   9u
#define GOLDEN_TURN 2.3999632f /* rad: successive taps never line up */
#define SKY_REACH   0.085f     /* of the scene's size: what is farther hides nothing */
#define LAMP_BLUR   0.0065f    /* of the scene's size: radius of the soft edge of a shadow */

/* 0 to 1, different for all 4 samples of a pixel and the 16 pixels of a 4 x 4 square. */
static float turn_at(uint32_t x, uint32_t y)
{
    static const uint8_t order[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    uint32_t place = order[y / 2 % 4][x / 2 % 4] + 16u * (x % 2 + 2 * (y % 2));
    return (float)place / 64;
}

static rni_vec place_at(const rni_canvas *canvas, uint32_t x, uint32_t y)
{
    const rni_view *view = &canvas->camera;
    rni_ray ray = rni_view_ray(view, (float)x + 0.5f, (float)y + 0.5f);
    return rni_along(ray.origin, ray.direction, canvas->depth[(size_t)y * view->width + x]);
}

/* The sky that the places around leave free. Taps lie on a spiral, as many in each octave of
 * distance: creases between neighbours and the shade under a wave both show. */
static float sky_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal)
{
    const rni_view *view = &canvas->camera;
    float depth = canvas->depth[(size_t)y * view->width + x];
    float reach = SKY_REACH * canvas->size;
    float widest = reach * (view->is_flat ? view->scale : view->scale / depth);
    if (!(widest > 2)) return 1;
    float start = turn_at(x, y);
    float growth = powf(widest / 2, 1.0f / (float)SKY_TAPS);
    float radius = 2 * powf(growth, start);
    float hidden = 0;
    for (uint32_t k = 0; k < SKY_TAPS; k++, radius *= growth) {
        float angle = GOLDEN_TURN * (float)k + 6.2831853f * start;
        float tx = (float)x + 0.5f + radius * cosf(angle);
        float ty = (float)y + 0.5f + radius * sinf(angle);
        if (!(tx >= 0 && ty >= 0 && tx < (float)view->width && ty < (float)view->height)) continue;
        uint32_t sx = (uint32_t)tx;
        uint32_t sy = (uint32_t)ty;
        if (canvas->surface[(size_t)sy * view->width + sx] == RNI_SURFACE_NONE) continue;
        rni_vec to = rni_sub(place_at(canvas, sx, sy), place);
        float length = rni_length(to);
        if (!(length > 0)) continue;
        float rise = rni_dot(to, normal) / length - 0.06f;
        float fade = 1 - rni_clamp(length / reach, 0, 1);
        if (rise > 0) hidden += rise * fade;
    }
    return rni_clamp(1 - 1.9f * hidden / (float)SKY_TAPS, 0, 1);
}

static float lamp_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal)
{
    const rni_view *light = &canvas->light;
    float texel = 1 / light->scale;
    float off = 1.5f * texel + 0.5f * canvas->picture->radius;
    rni_vec p = rni_view_place(light, rni_along(place, normal, off));
    float blur = fmaxf(LAMP_BLUR * canvas->size * light->scale, 1.2f);
    float limit = p.z - 1.5f * texel - 0.5f * blur * texel;
    float start = 6.2831853f * turn_at(x, y);
    uint32_t free_count = 0;
    for (uint32_t k = 0; k < LAMP_TAPS; k++) {
        float radius = blur * sqrtf(((float)k + 0.5f) / (float)LAMP_TAPS);
        float angle = GOLDEN_TURN * (float)k + start;
        float tx = light->middle_x + p.x * light->scale + radius * cosf(angle);
        float ty = light->middle_y - p.y * light->scale + radius * sinf(angle);
        bool is_in = tx >= 0 && ty >= 0 && tx < (float)light->width && ty < (float)light->height;
        if (!is_in || canvas->shadow[(size_t)ty * light->width + (size_t)tx] >= limit) free_count++;
    }
    return (float)free_count / (float)LAMP_TAPS;
}

rni_vec rni_light_at(const rni_canvas *canvas, uint32_t x, uint32_t y, rni_vec place, rni_vec normal)
{
    float sky = sky_at(canvas, x, y, place, normal);
    bool faces = rni_dot(normal, canvas->to_light) > 0;
    return (rni_vec){sky, faces ? lamp_at(canvas, x, y, place, normal) : 0, 0};
}
