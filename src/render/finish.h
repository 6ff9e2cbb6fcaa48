/* What surfaces are made of, and how they reflect: the tables of materials and waters, Fresnel's law. */
#ifndef RNI_RENDER_FINISH_H
#define RNI_RENDER_FINISH_H

#include "render/vector.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum rni_finish_kind {
    RNI_FINISH_DIFFUSE = 0, /* reflects equally in all directions */
    RNI_FINISH_PLASTIC,     /* the same under a clear coat */
    RNI_FINISH_SHEET,       /* thin: part of the light goes straight through */
    RNI_FINISH_WATER        /* refracts */
} rni_finish_kind;

typedef struct rni_finish {
    const char *name;
    const char *about; /* one phrase for help */
    rni_finish_kind kind;
    rni_vec color; /* linear: share of light reflected, of a sheet also of what goes through */
    float index;   /* of refraction, of the coat or the sheet; 0: without */
    float opacity; /* of a sheet: share of the light that it takes like a diffuse surface */
} rni_finish;

/* NULL past the last. */
const rni_finish *rni_finish_at(uint32_t place);
const char *rni_finish_name(uint32_t place);
/* NULL: there is none of this name. */
const rni_finish *rni_finish_find(const char *name);

/* Colour of a wall with a film of this thickness, 0 to 1: pale blue where it is thin, deep blue where it is thick. */
rni_vec rni_film_color(rni_vec dry, float thickness);

/* Clear water absorbs light on its way; through a cloudy fluid one does not see. */
typedef struct rni_water {
    const char *name;
    const char *about;
    rni_vec absorption; /* per metre, for red, green and blue; or */
    bool is_relative;   /* per diagonal of the scene; or */
    bool is_cloudy;
    rni_vec color; /* of a cloudy fluid: share of light reflected */
} rni_water;

const rni_water *rni_water_at(uint32_t place);
const char *rni_water_name(uint32_t place);
/* What a fluid of this material (scene/materials.h) looks like; NULL: as any water. */
const rni_water *rni_water_of_material(const char *material);

typedef enum rni_fresnel {
    RNI_FRESNEL_EXACT = 0, /* for unpolarised light */
    RNI_FRESNEL_GRAHN = 1, /* (1 - cos)^k, Grahn 2008, equation 7.16 */
    RNI_FRESNEL_SCHLICK = 2
} rni_fresnel;

const char *rni_fresnel_name(uint32_t place);

/* Index of refraction of water. */
#define RNI_WATER_INDEX 1.333f

/* Share of light that a smooth surface reflects. cosine: of the angle of incidence, 0 to 1; ratio: index on the
 * side the light comes from over the index beyond. 1 for total reflection. */
float rni_fresnel_share(rni_fresnel law, float cosine, float ratio);

/* Direction of light that is refracted at a surface with this normal, which is against direction (both of
 * length 1); false: total reflection. */
bool rni_refract(rni_vec direction, rni_vec normal, float ratio, rni_vec *refracted);
rni_vec rni_reflect(rni_vec direction, rni_vec normal);

/* What is left of light after a distance (m) in water with this absorption (per m). */
rni_vec rni_absorb(rni_vec absorption, float distance);

static inline rni_vec rni_times(rni_vec a, rni_vec b)
{
    return (rni_vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

#endif
