#include "radiograph/body.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds of the standard colon, for which the body is made at scale 1. */
#define COLON_HEIGHT 0.566f
static const float COLON_MIDDLE[3] = {-0.005f, 0.2815f, 0.009f};
#define FAT_LUMPS 420u
#define OWN_PLACE 0.03f /* m: patients differ by this much; a colon farther away was moved */

static const struct {
    const char *name;
    uint32_t triangles;
} PARTS[RNI_BODY_PARTS] = {{"torso", 6000}, {"spine", 60000}, {"pelvis", 60000}};

bool rni_body_suits(const float low[3], const float high[3])
{
    const float height = high[1] - low[1];
    return height > 0.25f && height < 1 && high[0] - low[0] > 0.4f * height &&
           high[2] - low[2] < height;
}

void rni_body_release(rni_body *body)
{
    for (uint32_t k = 0; k < RNI_BODY_PARTS; k++) rn_mesh_data_destroy(body->mesh[k]);
    free(body->thickness);
    free(body->fat);
    memset(body, 0, sizeof *body);
}

/* Takes the steps of the grid away on which bones are made: Laplacian smoothing forwards, then backwards, which keeps the
 * volume (Taubin 1995). sum: four floats a vertex. */
static void smooth(const rn_mesh *mesh, float *vertex, float *sum)
{
    static const float STEP[] = {0.5f, -0.52f, 0.5f, -0.52f, 0.5f, -0.52f};
    for (size_t round = 0; round < sizeof STEP / sizeof *STEP; round++) {
        for (size_t n = 0; n < 4 * (size_t)mesh->vertex_count; n++) sum[n] = 0;
        for (size_t c = 0; c < 3 * (size_t)mesh->triangle_count; c++) {
            float *to = sum + 4 * (size_t)mesh->triangle[c];
            const float *next = vertex + 3 * (size_t)mesh->triangle[c % 3 == 2 ? c - 2 : c + 1];
            for (size_t axis = 0; axis < 3; axis++) to[axis] += next[axis];
            to[3] += 1;
        }
        for (size_t n = 0; n < 3 * (size_t)mesh->vertex_count; n++) {
            const float *mean = sum + 4 * (n / 3);
            if (mean[3] > 0) vertex[n] += STEP[round] * (mean[n % 3] / mean[3] - vertex[n]);
        }
    }
}

/* A part of the body at its place: the mesh as made, smoothed and moved. */
static rn_result make_part(uint32_t part, const char *const settings[2], const float moved[3],
                           rn_mesh_data **out)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *made = NULL;
    def.name = PARTS[part].name;
    def.triangles = PARTS[part].triangles;
    def.setting = settings;
    def.setting_count = 2;
    rn_result result = rn_mesh_make(&def, &made);
    if (result != RN_OK) return result;
    rn_mesh mesh = rn_mesh_data_get_mesh(made);
    float *vertex = malloc((size_t)mesh.vertex_count * 7 * sizeof *vertex);
    if (vertex) {
        memcpy(vertex, mesh.vertex, (size_t)mesh.vertex_count * 3 * sizeof *vertex);
        smooth(&mesh, vertex, vertex + 3 * (size_t)mesh.vertex_count);
        for (size_t k = 0; k < 3 * (size_t)mesh.vertex_count; k++) vertex[k] += moved[k % 3];
        mesh.vertex = vertex;
        mesh.texture = NULL;
        result = rn_mesh_data_create(NULL, out);
        if (result == RN_OK) result = rn_mesh_data_add_mesh(*out, &mesh);
    } else {
        result = rni_fail(RN_ERROR_MEMORY, "no memory for the %s", PARTS[part].name);
    }
    free(vertex);
    rn_mesh_data_destroy(made);
    return result;
}

/* Fat between the organs: lumps in an ellipsoid around the colon, which make the picture uneven as real ones are. */
static rn_result place_fat(rni_body *body, const float moved[3], float scale)
{
    static const float MIDDLE[3] = {0, 0.30f, 0.0f}, HALF[3] = {0.165f, 0.27f, 0.095f};
    rni_random random = rni_random_make(20);
    body->fat = malloc(FAT_LUMPS * 3 * sizeof *body->fat);
    if (!body->fat) return rni_fail(RN_ERROR_MEMORY, "no memory for the body");
    while (body->fat_count < FAT_LUMPS) {
        float p[3], sum = 0;
        for (uint32_t k = 0; k < 3; k++) {
            p[k] = rni_random_float(&random, -1, 1);
            sum += p[k] * p[k];
        }
        if (sum > 1) continue;
        for (uint32_t k = 0; k < 3; k++)
            body->fat[3 * (size_t)body->fat_count + k] =
                scale * (MIDDLE[k] + HALF[k] * p[k]) + moved[k];
        body->fat_count++;
    }
    body->lump = 0.019f * scale;
    return RN_OK;
}

rn_result rni_body_fit(rni_body *body, const float low[3], const float high[3])
{
    if (body->mesh[0] && memcmp(low, body->low, sizeof body->low) == 0 &&
        memcmp(high, body->high, sizeof body->high) == 0)
        return RN_OK;
    rni_body_release(body);
    const float scale = (high[1] - low[1]) / COLON_HEIGHT;
    float moved[3];
    for (uint32_t k = 0; k < 3; k++) {
        moved[k] = 0.5f * (low[k] + high[k]) - scale * COLON_MIDDLE[k];
        if (fabsf(moved[k]) < OWN_PLACE * scale) moved[k] = 0;
    }
    /* As wide as the colon needs. */
    const float side = fmaxf(high[0] - moved[0], moved[0] - low[0]) / scale + 0.018f;
    char size[2][48];
    snprintf(size[0], sizeof size[0], "scale=%.6f", (double)scale);
    snprintf(size[1], sizeof size[1], "width=%.6f", fmin(2, fmax(1, (double)side / 0.204)));
    const char *const settings[2] = {size[0], size[1]};
    rn_result result = RN_OK;
    uint32_t most = 0;
    for (uint32_t k = 0; k < RNI_BODY_PARTS && result == RN_OK; k++) {
        result = make_part(k, settings, moved, &body->mesh[k]);
        if (result == RN_OK && rn_mesh_data_get_mesh(body->mesh[k]).vertex_count > most)
            most = rn_mesh_data_get_mesh(body->mesh[k]).vertex_count;
    }
    if (result == RN_OK) result = place_fat(body, moved, scale);
    if (result == RN_OK) {
        body->thickness = malloc((1 + (size_t)most) * sizeof *body->thickness);
        if (!body->thickness) result = rni_fail(RN_ERROR_MEMORY, "no memory for the body");
    }
    if (result != RN_OK) {
        rni_body_release(body);
        return result;
    }
    body->skin = 0.016f * scale;
    body->cortex = 0.0014f * scale;
    memcpy(body->low, low, sizeof body->low);
    memcpy(body->high, high, sizeof body->high);
    return RN_OK;
}

/* A mesh of one material with a shell of another. */
static rn_result add_shelled(const rni_body *body, rn_xray *xray, uint32_t part, rn_xray_part core,
                             uint32_t shell, float thickness)
{
    const rn_mesh mesh = rn_mesh_data_get_mesh(body->mesh[part]);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) body->thickness[v] = thickness;
    rn_result result = rn_xray_add_mesh(xray, core, &mesh);
    if (result != RN_OK) return result;
    return rn_xray_add_film(xray, (rn_xray_part){shell, core.material}, &mesh, body->thickness,
                            false);
}

rn_result rni_body_add(const rni_body *body, rn_xray *xray, rni_body_materials m)
{
    const rn_xray_part torso = {m.tissue, RN_XRAY_NOTHING}, bone = {m.spongiosa, m.tissue};
    rn_result result = add_shelled(body, xray, RNI_BODY_TORSO, torso, m.fat, body->skin);
    rn_xray_particles fat = rn_xray_particles_default();
    fat.position = body->fat;
    fat.count = body->fat_count;
    fat.spacing = body->lump;
    fat.radius = 1.4f;
    if (result == RN_OK)
        result = rn_xray_add_particles(xray, (rn_xray_part){m.fat, m.tissue}, &fat);
    if (result == RN_OK)
        result = add_shelled(body, xray, RNI_BODY_SPINE, bone, m.bone, body->cortex);
    if (result == RN_OK)
        result = add_shelled(body, xray, RNI_BODY_PELVIS, bone, m.bone, body->cortex);
    return result;
}
