/* The table of procedural shapes, their parameters, and what is done to every shape. */
#include "mesh/maker.h"

#include "base/error.h"
#include "base/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const rni_maker *const MAKERS[] = {
    &rni_maker_colon, &rni_maker_landscape, &rni_maker_channel, &rni_maker_pipe, &rni_maker_venturi,
    &rni_maker_bowl,  &rni_maker_jug,       &rni_maker_trough,  &rni_maker_box,  &rni_maker_sphere,
    &rni_maker_torso, &rni_maker_spine,     &rni_maker_pelvis};
#define MAKER_COUNT (sizeof MAKERS / sizeof *MAKERS)

const rn_mesh_maker_info *rn_mesh_get_maker_info(uint32_t place)
{
    return place < MAKER_COUNT ? &MAKERS[place]->info : NULL;
}

rn_mesh_make_def rn_mesh_make_def_default(void)
{
    return (rn_mesh_make_def){.struct_bytes = sizeof(rn_mesh_make_def), .seed = 1};
}

/* --- names and parameters ---------------------------------------------------------------------- */

static rn_result find_maker(const char *name, const rni_maker **maker)
{
    char names[256] = "";
    for (size_t k = 0; k < MAKER_COUNT; k++) {
        *maker = MAKERS[k];
        if (name && strcmp(MAKERS[k]->info.name, name) == 0) return RN_OK;
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", MAKERS[k]->info.name);
    }
    return rni_fail(RN_ERROR_ARGUMENT, "there is no shape '%.40s'; the shapes are %s",
                    name ? name : "", names);
}

static rn_result refuse_parameter(const rn_mesh_maker_info *info, const char *name, size_t length)
{
    char names[256] = "";
    for (uint32_t k = 0; k < info->parameter_count; k++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 info->parameter[k].name);
    }
    return rni_fail(RN_ERROR_ARGUMENT, "%s has no parameter '%.*s'; its parameters are %s",
                    info->name, (int)(length < 40 ? length : 40), name, names);
}

/* "name=value". */
static rn_result read_setting(rni_making *making, const char *setting)
{
    const rn_mesh_maker_info *info = &making->maker->info;
    const size_t length = strcspn(setting, "=");
    uint32_t k = 0;
    while (k < info->parameter_count && (strncmp(info->parameter[k].name, setting, length) != 0 ||
                                         info->parameter[k].name[length]))
        k++;
    if (k == info->parameter_count) return refuse_parameter(info, setting, length);
    const rn_mesh_parameter *p = &info->parameter[k];
    rni_formula formula;
    rni_formula_error error;
    const bool is_number =
        setting[length] && rni_formulas_read(setting + length + 1, 1, &formula, &error);
    const double value = is_number ? rni_formula_at(&formula, 0, 0, 0) : (double)NAN;
    if (!(value >= p->low && value <= p->high))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s: '%.60s' is no value of %s; it must be a number from %g to %g (%s)",
                        info->name, setting, p->name, p->low, p->high, p->help);
    making->value[k] = value;
    return RN_OK;
}

static rn_result read_def(const rn_mesh_make_def *def, rni_making *making)
{
    if (!def || def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: start from rn_mesh_make_def_default()");
    rn_result result = find_maker(def->name, &making->maker);
    if (result != RN_OK) return result;
    const rn_mesh_maker_info *info = &making->maker->info;
    for (uint32_t k = 0; k < info->parameter_count; k++)
        making->value[k] = info->parameter[k].standard;
    for (uint32_t k = 0; k < def->setting_count && result == RN_OK; k++)
        result = read_setting(making, def->setting[k]);
    making->triangles = def->triangles ? def->triangles : info->standard_triangles;
    making->seed = def->seed;
    if (result == RN_OK && making->triangles < info->least_triangles)
        result = rni_fail(RN_ERROR_ARGUMENT, "%s: %u triangles are too few; it needs at least %u",
                          info->name, making->triangles, info->least_triangles);
    if (result == RN_OK && making->triangles > RN_MESH_MAX_TRIANGLES)
        result = rni_fail(RN_ERROR_LIMIT, "%s: %u triangles are too many; the most are %u",
                          info->name, making->triangles, RN_MESH_MAX_TRIANGLES);
    return result;
}

/* --- every shape ------------------------------------------------------------------------------- */

rn_result rni_quad_add(rn_mesh_data *data, const uint32_t corner[4], const float rectangle[4])
{
    const float u = rectangle[0], v = rectangle[1], u1 = u + rectangle[2], v1 = v + rectangle[3];
    const uint32_t two[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
    const float uv[12] = {u, v, u1, v, u1, v1, u, v, u1, v1, u, v1};
    return rn_mesh_data_add_triangles(data, two, uv, 2);
}

static double volume_of(const rn_mesh_data *data)
{
    const uint32_t *corner = rni_data_triangle(data);
    const float *vertex = rni_data_vertex(data);
    double sum = 0;
    for (size_t t = 0; t < data->triangle_count; t++) {
        double p[3][3];
        for (size_t k = 0; k < 9; k++)
            p[k / 3][k % 3] =
                (double)vertex[3 * (size_t)corner[3 * t + k / 3] + k % 3] - (double)vertex[k % 3];
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum;
}

/* Makers keep one orientation throughout; here it becomes outwards (for tubes open at the ends too). */
static void turn_outwards(rn_mesh_data *data)
{
    if (volume_of(data) >= 0) return;
    for (size_t t = 0; t < data->triangle_count; t++) {
        uint32_t *c = rni_data_triangle(data) + 3 * t, corner = c[1];
        c[1] = c[2];
        c[2] = corner;
        for (size_t axis = 0; axis < 2 && data->has_texture; axis++) {
            float *uv = rni_data_texture(data) + 6 * t + 2 + axis, kept = uv[0];
            uv[0] = uv[2];
            uv[2] = kept;
        }
    }
}

rn_result rn_mesh_make(const rn_mesh_make_def *def, rn_mesh_data **data)
{
    rni_making making = {0};
    *data = NULL;
    rn_result result = read_def(def, &making);
    if (result == RN_OK) result = rn_mesh_data_create(&def->allocator, &making.mesh);
    if (result != RN_OK) return result;
    result = making.maker->make(&making);
    if (result == RN_OK) result = rni_mesh_refine(making.mesh, making.triangles);
    if (result != RN_OK) {
        rn_mesh_data_destroy(making.mesh);
        return result;
    }
    if (making.maker->finish) making.maker->finish(&making);
    if (!making.maker->keeps_orientation) turn_outwards(making.mesh);
    *data = making.mesh;
    return RN_OK;
}
