/* Life of a radiograph, where source and detector are, and what is in the picture. */
#include "radiograph/parts.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const BODIES[] = {"auto", "none", "adult"};
static const struct {
    const char *name;
    float direction[3], up[3];
} RAYS[] = {{"front", {0, 0, -1}, {0, 1, 0}},
            {"back", {0, 0, 1}, {0, 1, 0}},
            {"left", {-1, 0, 0}, {0, 1, 0}},
            {"right", {1, 0, 0}, {0, 1, 0}},
            {"top", {0, -1, 0}, {0, 0, -1}}};
#define FRAME_DOSE     25.0f /* nGy: of a frame of fluoroscopy with pixels of 1 mm */
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

const char *rni_radiograph_body_name(uint32_t place)
{
    return place < COUNT_OF(BODIES) ? BODIES[place] : NULL;
}

const char *rni_radiograph_rays_name(uint32_t place)
{
    return place < COUNT_OF(RAYS) ? RAYS[place].name : NULL;
}

rni_radiograph_def rni_radiograph_def_default(void)
{
    rni_radiograph_def def = {.kvp = 90,
                              .aluminium_mm = 3,
                              .screen_mm = 0.55f,
                              .dose = -1,
                              .scatter = 0.35f,
                              .scatter_offset = 0.01f,
                              .fluid = "water",
                              .gas = "air",
                              .wall = "plastic",
                              .film_mm = 0.25f,
                              .display = rn_xray_display_default(),
                              .seed = 1};
    def.display.equalize = 0.45f;
    def.display.sharpen = 0.8f;
    def.display.shoulder = 0.3f;
    return def;
}

/* --- life ------------------------------------------------------------------------------------------------ */

static rn_result make_substances(rni_radiograph *r)
{
    const char *const names[RNI_MATERIALS] = {
        [RNI_GAS] = r->def.gas,      [RNI_FLUID] = r->def.fluid,     [RNI_WALL] = r->def.wall,
        [RNI_FAT] = "fat",           [RNI_TISSUE] = "soft-tissue",   [RNI_SPONGIOSA] = "spongiosa",
        [RNI_BONE] = "bone",         [RNI_ALUMINIUM] = "aluminium",  [RNI_COPPER] = "copper",
        [RNI_TUNGSTEN] = "tungsten", [RNI_SCREEN] = "caesium-iodide"};
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < RNI_MATERIALS && result == RN_OK; k++)
        result = rni_substance_make(names[k], &r->substance[k]);
    return result;
}

static rn_result make_beam(rni_radiograph *r)
{
    const rni_radiograph_def *def = &r->def;
    rn_xray_tube tube = rn_xray_tube_default();
    tube.kvp = def->kvp;
    tube.tungsten = r->substance[RNI_TUNGSTEN].attenuation;
    tube.filter_count = 2;
    tube.filter[0] =
        (rn_xray_filter){r->substance[RNI_ALUMINIUM].attenuation, 1e-3f * def->aluminium_mm};
    tube.filter[1] = (rn_xray_filter){r->substance[RNI_COPPER].attenuation, 1e-3f * def->copper_mm};
    rn_result result = rn_xray_make_spectrum(&tube, r->photons);
    if (result != RN_OK) return result;
    rni_air_kerma(r->kerma);
    for (uint32_t e = 0; e < RN_XRAY_ENERGIES; e++)
        r->absorbed[e] = 1 - expf(-1e-3f * def->screen_mm * r->substance[RNI_SCREEN].attenuation[e]);
    return RN_OK;
}

rn_result rni_radiograph_create(const rni_radiograph_def *def, rni_radiograph **out)
{
    *out = NULL;
    rni_radiograph *r = calloc(1, sizeof *r);
    if (!r) return rni_fail(RN_ERROR_MEMORY, "no memory for a radiograph");
    r->def = *def;
    rn_xray_def xray = rn_xray_def_default();
    xray.threads = def->threads;
    rn_result result = make_substances(r);
    if (result == RN_OK) result = make_beam(r);
    if (result == RN_OK) result = rn_xray_create(&xray, &r->xray);
    if (result == RN_OK && def->volume) result = rni_volume_file_read(def->volume, &r->volume);
    if (result == RN_OK) *out = r;
    else rni_radiograph_destroy(r);
    return result;
}

void rni_radiograph_destroy(rni_radiograph *r)
{
    if (!r) return;
    rn_xray_destroy(r->xray);
    rni_body_release(&r->body);
    rni_volume_file_release(&r->volume);
    free(r->film);
    free(r->gray);
    free(r);
}

/* --- source and detector --------------------------------------------------------------------------------- */

static void widen(float low[3], float high[3], const float p[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        low[k] = fminf(low[k], p[k]);
        high[k] = fmaxf(high[k], p[k]);
    }
}

/* Bounds of everything but the body. */
static void find_bounds(const rni_radiograph *r, const rni_radiograph_shot *shot, float low[3],
                        float high[3])
{
    for (uint32_t k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t n = 0; n < shot->object_count; n++) {
        const rn_mesh *mesh = &shot->object[n].mesh;
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            widen(low, high, mesh->vertex + 3 * (size_t)v);
    }
    const rn_xray_particles *p = &shot->particles;
    const size_t stride = p->stride_bytes ? p->stride_bytes / sizeof(float) : 3;
    for (uint32_t i = 0; i < p->count; i++) widen(low, high, p->position + i * stride);
    if (r->volume.value)
        for (uint32_t corner = 0; corner < 8; corner++) {
            float at[3];
            rni_volume_file_corner(&r->volume, corner, at);
            widen(low, high, at);
        }
}

/* Half of the extent of a box along a direction of length 1. */
static float half_extent(const float low[3], const float high[3], const float direction[3])
{
    float sum = 0;
    for (uint32_t k = 0; k < 3; k++) sum += 0.5f * (high[k] - low[k]) * fabsf(direction[k]);
    return sum;
}

static rn_result place_view(rni_radiograph *r, const rni_radiograph_shot *shot, const float low[3],
                            const float high[3])
{
    const rni_radiograph_def *def = &r->def;
    rn_xray_view *v = &r->view;
    *v = rn_xray_view_default();
    v->width = shot->width;
    v->height = shot->height;
    float right[3], deep, wide, tall;
    for (uint32_t k = 0; k < 3; k++) {
        v->direction[k] = RAYS[def->rays].direction[k];
        v->up[k] = RAYS[def->rays].up[k];
        v->center[k] = 0.5f * (low[k] + high[k]);
        if (!isfinite(v->center[k]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "there is nothing in the picture: neither particles, nor solids, nor a "
                            "volume");
    }
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
        right[k] = v->direction[i] * v->up[j] - v->direction[j] * v->up[i];
    }
    deep = half_extent(low, high, v->direction);
    wide = half_extent(low, high, right);
    tall = half_extent(low, high, v->up);
    if (r->has_body) deep = fmaxf(deep + 0.06f, 0.18f);
    const float size = 2000 * fmaxf(deep, fmaxf(wide, tall)); /* mm */
    v->source_object_mm = def->source_object_mm > 0 ? def->source_object_mm : fmaxf(850, 1.6f * size);
    v->source_image_mm = def->source_image_mm > 0 ? def->source_image_mm
                                                  : fmaxf(v->source_object_mm * 1.3f,
                                                          v->source_object_mm + 1150 * deep + 50);
    /* The nearest parts are the largest. Of a body, the collimator leaves open what is examined, and some of what is
     * around it: that fills the picture. */
    const float nearest = fmaxf(v->source_object_mm - 1000 * deep, 0.1f * v->source_object_mm);
    const float times =
        r->has_body ? 2250 * v->source_image_mm / v->source_object_mm
                    : 2120 * v->source_image_mm / nearest; /* mm at the detector per half m */
    const float across = times * fmaxf(wide, 1e-4f), along = times * fmaxf(tall, 1e-4f);
    const float pitch = fmaxf(across / (float)v->width, along / (float)v->height);
    r->display = def->display;
    if (r->has_body && !(def->detector_mm > 0)) {
        r->display.field[0] = fminf(1, across / (pitch * (float)v->width));
        r->display.field[1] = fminf(1, along / (pitch * (float)v->height));
    }
    v->detector_mm[0] = def->detector_mm > 0 ? def->detector_mm : pitch * (float)v->width;
    v->detector_mm[1] = v->detector_mm[0] * (float)v->height / (float)v->width;
    return RN_OK;
}

/* --- what is in the picture ------------------------------------------------------------------------------ */

static bool is_hollow(const rni_radiograph_object *object)
{
    const rn_mesh *mesh = &object->mesh;
    double sum = 0;
    if (object->is_organ) return true;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const float *p[3];
        for (size_t k = 0; k < 3; k++) p[k] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + k];
        for (size_t k = 0; k < 3; k++)
            sum += (double)p[0][k] * ((double)p[1][(k + 1) % 3] * (double)p[2][(k + 2) % 3] -
                                      (double)p[1][(k + 2) % 3] * (double)p[2][(k + 1) % 3]);
    }
    return sum < 0;
}

static rn_result add_film(rni_radiograph *r, const rni_radiograph_object *object, uint32_t gas)
{
    const rn_mesh *mesh = &object->mesh;
    if (!(r->def.film_mm > 0) || (!object->wetness && !r->def.has_film)) return RN_OK;
    if (mesh->vertex_count > r->film_count) {
        float *larger = realloc(r->film, (size_t)mesh->vertex_count * sizeof *larger);
        if (!larger)
            return rni_fail(RN_ERROR_MEMORY, "no memory for a film of %u vertices",
                            mesh->vertex_count);
        r->film = larger;
        r->film_count = mesh->vertex_count;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float wet = object->wetness && !r->def.has_film ? object->wetness[v] : 1;
        r->film[v] = 1e-3f * r->def.film_mm * fmaxf(0, fminf(1, wet));
    }
    return rn_xray_add_film(r->xray, (rn_xray_part){RNI_FLUID, gas}, mesh, r->film, false);
}

static rn_result add_objects(rni_radiograph *r, const rni_radiograph_shot *shot, uint32_t *gas)
{
    rn_result result = RN_OK;
    for (uint32_t n = 0; n < shot->object_count && result == RN_OK; n++) {
        const rn_mesh *mesh = &shot->object[n].mesh;
        if (!is_hollow(&shot->object[n])) {
            result = rn_xray_add_mesh(
                r->xray,
                (rn_xray_part){RNI_WALL, r->has_body ? (uint32_t)RNI_TISSUE : RN_XRAY_NOTHING}, mesh);
            continue;
        }
        if (r->has_body || r->volume.value) {
            *gas = RNI_GAS;
            result = rn_xray_add_mesh(r->xray, (rn_xray_part){RNI_GAS, RNI_TISSUE}, mesh);
        }
        if (result == RN_OK) result = add_film(r, &shot->object[n], *gas);
    }
    return result;
}

static rn_result add_volume(rni_radiograph *r)
{
    rn_xray_volume volume = rn_xray_volume_default();
    rni_volume_file_give(&r->volume, &volume);
    /* CT numbers: -1000 air, -100 fat, 40 soft tissue, 300 spongiosa, 1600 cortical bone, and denser from there on. */
    static const struct {
        float value, density;
        uint32_t material;
    } RAMP[] = {{-1000, 1, RNI_GAS},     {-100, 1, RNI_FAT},  {40, 1, RNI_TISSUE},
                {300, 1, RNI_SPONGIOSA}, {1600, 1, RNI_BONE}, {3000, 1.6f, RNI_BONE}};
    volume.ramp_count = COUNT_OF(RAMP);
    for (uint32_t k = 0; k < COUNT_OF(RAMP); k++) {
        volume.ramp_value[k] = RAMP[k].value;
        volume.ramp_density[k] = RAMP[k].density;
        volume.ramp_material[k] = RAMP[k].material;
    }
    return rn_xray_add_volume(r->xray, &volume);
}

/* Bounds of the hollow meshes; false: there are none. */
static bool find_hollow(const rni_radiograph_shot *shot, float low[3], float high[3])
{
    bool is_found = false;
    for (uint32_t k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t n = 0; n < shot->object_count; n++) {
        const rn_mesh *mesh = &shot->object[n].mesh;
        if (!is_hollow(&shot->object[n])) continue;
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            widen(low, high, mesh->vertex + 3 * (size_t)v);
        is_found = true;
    }
    return is_found;
}

static rn_result fit_body(rni_radiograph *r, const rni_radiograph_shot *shot)
{
    static const float ADULT_LOW[3] = {-0.19f, -0.0015f, -0.11f},
                       ADULT_HIGH[3] = {0.18f, 0.5645f, 0.128f};
    float low[3], high[3];
    r->has_body = false;
    if (r->def.body == RNI_BODY_NONE || r->volume.value) return RN_OK;
    const bool is_there = find_hollow(shot, low, high) && rni_body_suits(low, high);
    if (!is_there && r->def.body != RNI_BODY_ADULT) return RN_OK;
    r->has_body = true;
    return rni_body_fit(&r->body, is_there ? low : ADULT_LOW, is_there ? high : ADULT_HIGH);
}

static rn_result add_all(rni_radiograph *r, const rni_radiograph_shot *shot)
{
    uint32_t gas = RN_XRAY_NOTHING;
    const rni_body_materials body = {RNI_FAT, RNI_TISSUE, RNI_SPONGIOSA, RNI_BONE};
    rn_result result = rn_xray_begin(r->xray, &r->view);
    if (result == RN_OK && r->has_body) result = rni_body_add(&r->body, r->xray, body);
    if (result == RN_OK && r->volume.value) result = add_volume(r);
    if (result == RN_OK) result = add_objects(r, shot, &gas);
    /* Without a wall around it, the fluid takes the place of tissue. */
    if (gas == RN_XRAY_NOTHING && r->has_body) gas = RNI_TISSUE;
    if (result == RN_OK && shot->particles.count > 0)
        result = rn_xray_add_particles(r->xray, (rn_xray_part){RNI_FLUID, gas}, &shot->particles);
    return result;
}

rn_result rni_radiograph_take(rni_radiograph *r, const rni_radiograph_shot *shot,
                              const uint16_t **gray)
{
    float low[3], high[3];
    rn_result result = fit_body(r, shot);
    if (result != RN_OK) return result;
    find_bounds(r, shot, low, high);
    result = place_view(r, shot, low, high);
    if (result == RN_OK) result = add_all(r, shot);
    if (result != RN_OK) return result;
    const size_t pixels = (size_t)shot->width * shot->height;
    if (pixels > r->gray_count) {
        uint16_t *larger = realloc(r->gray, pixels * sizeof *larger);
        if (!larger)
            return rni_fail(RN_ERROR_MEMORY, "no memory for %u x %u pixels", shot->width,
                            shot->height);
        r->gray = larger;
        r->gray_count = pixels;
    }
    rn_xray_beam beam = rn_xray_beam_default();
    beam.photons = r->photons;
    for (uint32_t k = 0; k < RNI_PICTURED; k++) beam.attenuation[k] = r->substance[k].attenuation;
    beam.absorbed = r->absorbed;
    beam.kerma = r->kerma;
    const float pitch = r->view.detector_mm[0] / (float)r->view.width;
    beam.dose = r->def.dose;
    if (beam.dose < 0) beam.dose = fminf(1e12f, FRAME_DOSE * fmaxf(1, 1 / (pitch * pitch)));
    beam.scatter = r->def.scatter;
    beam.scatter_offset = r->def.scatter_offset;
    beam.focus_mm = 0.25f; /* a focal spot of 0.6 mm, enlarged */
    beam.detector_mm = fminf(20, fmaxf(0.12f, 0.45f * pitch));
    beam.seed = r->def.seed;
    r->picture = rn_xray_picture_default();
    result = rn_xray_expose(r->xray, &beam, &r->picture);
    if (result == RN_OK) result = rn_xray_show(r->xray, &r->display, r->gray, &r->shown);
    if (result == RN_OK) *gray = r->gray;
    r->is_taken = result == RN_OK;
    return result;
}
