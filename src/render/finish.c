#include "render/finish.h"

#include <string.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static const rni_finish materials[] = {
    {"plastic", "white plastic with a clear coat", RNI_FINISH_PLASTIC, {0.66f, 0.65f, 0.63f}, 1.5f, 0},
    {"red", "red plastic", RNI_FINISH_PLASTIC, {0.72f, 0.16f, 0.09f}, 1.5f, 0},
    {"yellow", "yellow plastic", RNI_FINISH_PLASTIC, {0.83f, 0.56f, 0.10f}, 1.5f, 0},
    {"teal", "teal plastic", RNI_FINISH_PLASTIC, {0.07f, 0.40f, 0.40f}, 1.5f, 0},
    {"earth", "dry, sandy earth", RNI_FINISH_DIFFUSE, {0.36f, 0.27f, 0.17f}, 0, 0},
    {"stone", "matt grey stone", RNI_FINISH_DIFFUSE, {0.42f, 0.41f, 0.40f}, 0, 0},
    {"glass", "a thin sheet of clear glass", RNI_FINISH_SHEET, {0.975f, 0.99f, 0.983f}, 1.5f, 0},
    {"tissue", "a thin, translucent membrane", RNI_FINISH_SHEET, {0.94f, 0.72f, 0.66f}, 1.38f, 0.15f},
    {"rim", "the polished edge of a sheet of glass", RNI_FINISH_PLASTIC, {0.42f, 0.62f, 0.56f}, 1.5f, 0},
    {"clay", "matt terracotta", RNI_FINISH_DIFFUSE, {0.62f, 0.34f, 0.22f}, 0, 0},
    {"dry", "a pale wall that no fluid has touched", RNI_FINISH_DIFFUSE, {0.72f, 0.66f, 0.58f}, 0, 0},
    {"film", "the blue of a thick film", RNI_FINISH_DIFFUSE, {0.03f, 0.14f, 0.36f}, 0, 0},
};

#define CLEAR(red, green, blue)       \
    {red, green, blue}, false, false, \
    {                                 \
        0, 0, 0                       \
    }
#define CLOUDY(red, green, blue) \
    {0, 0, 0}, false, true,      \
    {                            \
        red, green, blue         \
    }

static const rni_water waters[] = {
    {"tinted",
     "a little blue dye, as much as the size of the scene needs",
     {5.6f, 1.5f, 0.6f},
     true,
     false,
     {0, 0, 0}},
    {"pure", "pure water (Pope and Fry 1997)", CLEAR(0.340f, 0.0565f, 0.0092f)},
    {"sea", "clear sea water", CLEAR(0.38f, 0.075f, 0.035f)},
    {"coast", "green coastal water", CLEAR(0.62f, 0.24f, 0.42f)},
    {"river", "brown river water", CLEAR(1.1f, 1.7f, 3.2f)},
    {"tea", "as brown as tea", CLEAR(4.0f, 13.0f, 38.0f)},
    {"honey", "golden honey", CLEAR(7.0f, 26.0f, 110.0f)},
    {"oil", "yellow oil", CLEAR(1.5f, 4.0f, 45.0f)},
    {"barium", "white as a barium suspension; cloudy", CLOUDY(0.83f, 0.82f, 0.78f)},
    {"blood", "dark red; cloudy", CLOUDY(0.30f, 0.012f, 0.010f)},
    {"ketchup", "tomato red; cloudy", CLOUDY(0.48f, 0.045f, 0.015f)},
};

/* Beginnings of the names of materials. */
static const char *const of_material[][2] = {
    {"barium-", "barium"}, {"honey", "honey"}, {"olive-oil", "oil"},   {"motor-oil", "oil"},
    {"castor-oil", "oil"}, {"blood", "blood"}, {"ketchup", "ketchup"}, {"sea-water", "sea"}};

const rni_finish *rni_finish_at(uint32_t place)
{
    return place < COUNT_OF(materials) ? &materials[place] : NULL;
}

const char *rni_finish_name(uint32_t place)
{
    return place < COUNT_OF(materials) ? materials[place].name : NULL;
}

const rni_finish *rni_finish_find(const char *name)
{
    for (uint32_t k = 0; k < COUNT_OF(materials); k++)
        if (strcmp(materials[k].name, name) == 0) return &materials[k];
    return NULL;
}

rni_vec rni_film_color(rni_vec dry, float thickness)
{
    static const rni_vec thin = {0.25f, 0.55f, 0.72f};
    rni_vec wet = rni_vec_mix(thin, rni_finish_find("film")->color, rni_smooth(0, 1, thickness));
    return rni_vec_mix(dry, wet, rni_smooth(0.01f, 0.12f, thickness));
}

const rni_water *rni_water_at(uint32_t place)
{
    return place < COUNT_OF(waters) ? &waters[place] : NULL;
}

const char *rni_water_name(uint32_t place)
{
    return place < COUNT_OF(waters) ? waters[place].name : NULL;
}

const rni_water *rni_water_of_material(const char *material)
{
    for (uint32_t k = 0; k < COUNT_OF(of_material); k++) {
        if (strncmp(material, of_material[k][0], strlen(of_material[k][0])) != 0) continue;
        for (uint32_t w = 0; w < COUNT_OF(waters); w++)
            if (strcmp(waters[w].name, of_material[k][1]) == 0) return &waters[w];
    }
    return NULL;
}

/* --- light at a surface ------------------------------------------------------------------------------- */

/* The exponent of Grahn's approximation, which the thesis leaves open: close to the exact law for water. */
#define GRAHN_EXPONENT 4.0f

const char *rni_fresnel_name(uint32_t place)
{
    static const char *const names[] = {"exact", "grahn", "schlick"};
    return place < COUNT_OF(names) ? names[place] : NULL;
}

static float exact_share(float cosine, float ratio, float beyond)
{
    float along = (ratio * cosine - beyond) / (ratio * cosine + beyond);
    float across = (cosine - ratio * beyond) / (cosine + ratio * beyond);
    return 0.5f * (along * along + across * across);
}

float rni_fresnel_share(rni_fresnel law, float cosine, float ratio)
{
    float sine_sq = ratio * ratio * (1 - cosine * cosine);
    if (sine_sq >= 1) return 1;
    float beyond = sqrtf(1 - sine_sq);
    if (law == RNI_FRESNEL_EXACT) return exact_share(cosine, ratio, beyond);
    /* Both approximations count the angle on the side of the lower index. */
    float open = 1 - (ratio > 1 ? beyond : cosine);
    if (law == RNI_FRESNEL_GRAHN) return powf(open, GRAHN_EXPONENT);
    float straight = (ratio - 1) / (ratio + 1);
    straight *= straight;
    return straight + (1 - straight) * open * open * open * open * open;
}

bool rni_refract(rni_vec direction, rni_vec normal, float ratio, rni_vec *refracted)
{
    float cosine = -rni_dot(direction, normal);
    float sine_sq = ratio * ratio * (1 - cosine * cosine);
    if (sine_sq >= 1) return false;
    *refracted =
        rni_unit(rni_along(rni_scale(direction, ratio), normal, ratio * cosine - sqrtf(1 - sine_sq)));
    return true;
}

rni_vec rni_reflect(rni_vec direction, rni_vec normal)
{
    return rni_along(direction, normal, -2 * rni_dot(direction, normal));
}

rni_vec rni_absorb(rni_vec absorption, float distance)
{
    return (rni_vec){expf(-absorption.x * distance), expf(-absorption.y * distance),
                     expf(-absorption.z * distance)};
}
