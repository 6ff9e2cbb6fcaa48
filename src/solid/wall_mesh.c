#include "solid/wall_mesh.h"

#include "base/error.h"
#include "base/output.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

_Static_assert(offsetof(rn_wall_mesh, memory) == 0, "rni_memory_begin");

rn_wall_mesh_def rn_wall_mesh_def_default(void)
{
    return (rn_wall_mesh_def){.struct_bytes = sizeof(rn_wall_mesh_def)};
}

/* --- made ------------------------------------------------------------------------------------------ */

static rn_result copy_mesh(rn_wall_mesh *wall, const rn_mesh *mesh)
{
    rn_result result = rni_buffer_need(&wall->memory, &wall->vertices,
                                       3 * (uint64_t)mesh->vertex_count + 1, sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(&wall->memory, &wall->triangles,
                                 3 * (uint64_t)mesh->triangle_count + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    if (mesh->texture) {
        result = rni_buffer_need(&wall->memory, &wall->texture,
                                 6 * (uint64_t)mesh->triangle_count + 1, sizeof(float));
        if (result != RN_OK) return result;
        memcpy(wall->texture.data, mesh->texture, 6 * sizeof(float) * mesh->triangle_count);
    }
    memcpy(wall->vertices.data, mesh->vertex, 3 * sizeof(float) * mesh->vertex_count);
    memcpy(wall->triangles.data, mesh->triangle, 3 * sizeof(uint32_t) * mesh->triangle_count);
    wall->mesh = rn_mesh_default();
    wall->mesh.vertex_count = mesh->vertex_count;
    wall->mesh.triangle_count = mesh->triangle_count;
    wall->mesh.vertex = wall->vertices.data;
    wall->mesh.triangle = wall->triangles.data;
    wall->mesh.texture = mesh->texture ? wall->texture.data : NULL;
    return RN_OK;
}

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t k = 0; k < bytes; k++) hash = (hash ^ at[k]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/* Bounds and hash. */
static void measure(rn_wall_mesh *wall)
{
    const rn_mesh *mesh = &wall->mesh;
    for (int a = 0; a < 3; a++) wall->low[a] = INFINITY, wall->high[a] = -INFINITY;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        for (size_t k = 0; k < 3; k++) {
            const float *corner = mesh->vertex + 3 * (size_t)mesh->triangle[3 * t + k];
            float sq = 0;
            for (int a = 0; a < 3; a++) {
                wall->low[a] = rni_lower(wall->low[a], corner[a]);
                wall->high[a] = rni_higher(wall->high[a], corner[a]);
                sq += corner[a] * corner[a];
            }
            wall->reach = rni_higher(wall->reach, sqrtf(sq));
        }
    }
    wall->hash =
        hash_bytes(0xcbf29ce484222325u, mesh->vertex, 3 * sizeof(float) * mesh->vertex_count);
    wall->hash = hash_bytes(wall->hash, mesh->triangle, 3 * sizeof(uint32_t) * mesh->triangle_count);
    const uint8_t kind = (uint8_t)(wall->is_sheet + 2 * wall->is_two_sided);
    wall->hash = hash_bytes(wall->hash, &kind, 1);
}

/* By tetrahedra with the first vertex, so that a far origin costs no digits. */
static double find_volume(const rn_mesh *mesh)
{
    const float *origin = mesh->vertex;
    double volume = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double v[3][3], normal[3];
        for (size_t k = 0; k < 3; k++)
            for (size_t a = 0; a < 3; a++)
                v[k][a] = (double)mesh->vertex[3 * (size_t)mesh->triangle[3 * t + k] + a] -
                          (double)origin[a];
        rni_cross3(v[1], v[2], normal);
        volume += rni_dot3(v[0], normal) / 6;
    }
    return volume;
}

static rn_result build(rn_wall_mesh *wall, const rn_wall_mesh_def *def, const rn_mesh *mesh)
{
    rni_crew *crew = NULL;
    rn_result result = copy_mesh(wall, mesh);
    if (result != RN_OK) return result;
    measure(wall);
    result = rni_crew_create(&wall->memory, def->threads, &def->tasks, &crew);
    if (result == RN_OK && !wall->is_sheet) result = rni_wall_mesh_orient(wall, crew);
    wall->volume = find_volume(&wall->mesh);
    if (result == RN_OK) result = rni_wall_mesh_find_normals(wall);
    if (result == RN_OK)
        result = rni_hierarchy_build(&wall->hierarchy, &wall->memory, crew, RN_CPU_AUTO,
                                     &wall->mesh, RN_SPLIT_SURFACE_AREA);
    if (result == RN_OK) result = rni_hierarchy_add_dipoles(&wall->hierarchy);
    rni_crew_destroy(crew);
    return result;
}

rn_result rn_wall_mesh_create(const rn_wall_mesh_def *given, const rn_mesh *mesh, rn_wall_mesh **out)
{
    const rn_wall_mesh_def def = given ? *given : rn_wall_mesh_def_default();
    void *object = NULL;
    *out = NULL;
    if (def.struct_bytes != sizeof def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the definition of the wall mesh has struct_bytes %u instead of %zu; start from "
                        "rn_wall_mesh_def_default()",
                        def.struct_bytes, sizeof def);
    rn_result result = rni_mesh_check(mesh);
    if (result != RN_OK) return result;
    if (mesh->triangle_count == 0)
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: it has no triangles, and so it is no wall");
    result = rni_memory_begin(&def.allocator, sizeof(rn_wall_mesh), &object);
    if (result != RN_OK) return result;
    rn_wall_mesh *wall = object;
    atomic_init(&wall->users, 1);
    wall->is_two_sided = def.is_two_sided;
    wall->is_sheet = def.is_sheet || def.is_two_sided;
    result = build(wall, &def, mesh);
    if (result == RN_OK) *out = wall;
    else rn_wall_mesh_destroy(wall);
    return result;
}

const rn_wall_mesh *rni_wall_mesh_keep(const rn_wall_mesh *mesh)
{
    rn_wall_mesh *counted = (rn_wall_mesh *)(uintptr_t)mesh; /* only its count changes */
    atomic_fetch_add(&counted->users, 1);
    return mesh;
}

void rn_wall_mesh_destroy(rn_wall_mesh *wall)
{
    if (!wall || atomic_fetch_sub(&wall->users, 1) > 1) return;
    rni_hierarchy_free(&wall->hierarchy);
    rni_buffer_free(&wall->memory, &wall->vertices);
    rni_buffer_free(&wall->memory, &wall->triangles);
    rni_buffer_free(&wall->memory, &wall->texture);
    rni_buffer_free(&wall->memory, &wall->normals);
    rni_memory_end(&wall->memory, sizeof *wall);
}

rn_wall_mesh_info rn_wall_mesh_info_default(void)
{
    return (rn_wall_mesh_info){.struct_bytes = sizeof(rn_wall_mesh_info)};
}

rn_result rn_wall_mesh_get_info(const rn_wall_mesh *wall, rn_wall_mesh_info *out)
{
    rn_result result =
        rni_output_check(out, RNI_OUTPUT_BYTES(rn_wall_mesh_info, hash), "rn_wall_mesh_info");
    if (result != RN_OK) return result;
    rn_wall_mesh_info info = rn_wall_mesh_info_default();
    info.vertex_count = wall->mesh.vertex_count;
    info.triangle_count = wall->mesh.triangle_count;
    memcpy(info.low, wall->low, sizeof info.low);
    memcpy(info.high, wall->high, sizeof info.high);
    info.volume = wall->volume;
    info.hash = wall->hash;
    rni_output_write(out, &info, sizeof info);
    return RN_OK;
}

/* --- asked ----------------------------------------------------------------------------------------- */

void rni_wall_mesh_enter(const rni_solid *s, const double x[3], double own[3])
{
    const double scale = (double)s->def.scale;
    const double d[3] = {x[0] - (double)s->center[0], x[1] - (double)s->center[1],
                         x[2] - (double)s->center[2]};
    for (int a = 0; a < 3; a++)
        own[a] = ((double)s->frame[a][0] * d[0] + (double)s->frame[a][1] * d[1] +
                  (double)s->frame[a][2] * d[2]) /
                 scale;
}

void rni_wall_mesh_leave(const rni_solid *s, const double own[3], double x[3])
{
    const double scale = (double)s->def.scale;
    for (int a = 0; a < 3; a++)
        x[a] = (double)s->center[a] +
               scale * ((double)s->frame[0][a] * own[0] + (double)s->frame[1][a] * own[1] +
                        (double)s->frame[2][a] * own[2]);
}

/* The hierarchy takes floats: the place that it is asked about, and how far that is from own. */
static double round_place(const double own[3], float place[3])
{
    double sq = 0;
    for (int a = 0; a < 3; a++) {
        place[a] = (float)own[a];
        sq += (own[a] - (double)place[a]) * (own[a] - (double)place[a]);
    }
    return sqrt(sq);
}

bool rni_wall_mesh_closest_of(const rni_solid *s, const rni_hierarchy *hierarchy, const double x[3],
                              double max_distance, rni_wall_near *near)
{
    const double scale = (double)s->def.scale;
    double own[3], sq = 0;
    float place[3];
    rni_near found;
    rni_wall_mesh_enter(s, x, own);
    const double off = round_place(own, place);
    if (!rni_hierarchy_closest(hierarchy, place, max_distance / scale + off, &found)) return false;
    /* Of the place itself; another triangle may be nearer by twice the rounding. */
    for (int a = 0; a < 3; a++) sq += (own[a] - found.point[a]) * (own[a] - found.point[a]);
    near->distance = scale * fmax(fmin(sqrt(sq), sqrt(found.distance_sq) - off), 0);
    near->triangle = found.triangle;
    memcpy(near->weight, found.weight, sizeof near->weight);
    rni_wall_mesh_leave(s, found.point, near->point);
    return near->distance <= max_distance;
}

bool rni_wall_mesh_closest(const rni_solid *s, const double x[3], double max_distance,
                           rni_wall_near *near)
{
    return rni_wall_mesh_closest_of(s, &s->def.mesh->hierarchy, x, max_distance, near);
}

/* How far the winding number is above the one that parts inside and outside. Behind an open sheet the number
 * is positive, in front negative. */
static double winding_above(const rni_solid *s, const double x[3])
{
    const rn_wall_mesh *wall = s->def.mesh;
    double own[3];
    float place[3];
    rni_wall_mesh_enter(s, x, own);
    round_place(own, place);
    return rni_hierarchy_winding(&wall->hierarchy, place) - (wall->is_sheet ? 0 : 0.5);
}

bool rni_wall_mesh_is_solid(const rni_solid *s, const double x[3])
{
    return !s->def.mesh->is_two_sided && (winding_above(s, x) > 0) != s->is_hollow;
}

bool rni_wall_mesh_is_fluid_for_sure(const rni_solid *s, const double x[3])
{
    const double above = s->def.mesh->is_two_sided ? -1 : winding_above(s, x);
    return (s->is_hollow ? above : -above) > 0.2;
}
