/* Materials: fluids with published numbers, by name. */
#ifndef RNI_SCENE_MATERIALS_H
#define RNI_SCENE_MATERIALS_H

#include "scene/scene.h"

typedef struct rni_material {
    const char *name;       /* as in fluid.material */
    const char *title;      /* with the temperature */
    float density;          /* kg / m^3 */
    rn_fluid_law law;       /* of the viscosity; its values as in rn_fluid_params: */
    float viscosity;        /* Pa s, or Pa s^flow_index */
    float flow_index;       /* 1 where the law has none */
    float infinite;         /* Pa s */
    float shear_time;       /* s */
    float yield_stress;     /* Pa */
    float tension;          /* N / m against air; 0: no number is given */
    const char *sources[3]; /* of density, viscosity, tension ("" without a number) */
} rni_material;

/* % w/v: the largest concentration of a suspension; more is a paste that no longer flows. */
#define RNI_MATERIAL_MOST 250.0f

/* By place; the first ("none") has no numbers. NULL past the last. */
const rni_material *rni_material_at(uint32_t place);
/* Whether the implicit solver suits it: a paste, or a viscosity that is not constant. */
bool rni_material_is_paste(const rni_material *material);
/* Whether a material has this surface tension (N / m). */
bool rni_material_has_tension(uint32_t place, float tension);

/* The same at a concentration (% w/v; 0: as in the table), which only suspensions have. */
rni_material rni_material_of(uint32_t place, float concentration);
/* Density and viscosity follow from the concentration; in the table those of 60 % w/v. */
bool rni_material_is_suspension(const rni_material *material);
/* Whether the implicit solver suits one of several fluids. */
bool rni_phase_is_paste(const rn_fluid_phase *phase);

/* Another material: values that are those of the present one (or of no material) become those of the new
 * one. */
void rni_scene_set_material(rni_scene *scene, uint32_t material, float concentration);
/* The same for one of several fluids, an rni_scene_fluid, whose material was another before. */
void rni_fluid_follow(void *item, const void *before);

#endif
