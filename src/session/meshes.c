/* The drawn solids of the scene as triangle meshes with poses, for the viewer and for files. */
#include "session/session.h"

#include "base/error.h"
#include "solid/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLE_SEGMENTS 48u
/* In 2D solids are drawn this thick, as a share of the domain's diagonal, to each side. */
#define FLAT_DEPTH 0.02f

/* One block of memory that holds the arrays of a mesh. */
static rn_result draw_solid(const rni_solid *solid, rni_solid_mesh *mesh, rn_triangles *out)
{
    rni_solid_draw(solid, mesh); /* counts */
    size_t vertices = mesh->vertex_count * sizeof *mesh->vertices;
    size_t triangles = mesh->triangle_count * sizeof *mesh->triangles;
    size_t lines = mesh->line_count * sizeof *mesh->lines;
    char *block = malloc(vertices + triangles + lines + 1);
    if (!block) return rni_fail(RN_ERROR_MEMORY, "no memory for the mesh of a solid");
    mesh->vertices = (void *)block;
    mesh->triangles = (void *)(block + vertices);
    mesh->lines = (void *)(block + vertices + triangles);
    rni_solid_draw(solid, mesh);
    *out = (rn_triangles){.name = solid->kind->name,
                          .vertex_count = mesh->vertex_count,
                          .index_count = 3 * mesh->triangle_count,
                          .line_count = mesh->line_count,
                          .stride = sizeof *mesh->vertices,
                          .vertex = mesh->vertices[0],
                          .normal = mesh->vertices[0] + 3,
                          .index = mesh->triangles[0],
                          .line = mesh->lines[0]};
    return RN_OK;
}

/* A solid with bounds is drawn about its own center, and its pose says where it is. One without, such as a
 * plane, is cut to the domain where it is. */
static rn_pose take_pose(rn_solid *def)
{
    rn_pose pose = {.rotation = {0, 0, 0, 1}};
    const rni_solid_kind *kind = rni_solid_kind_at(def->shape);
    if (!kind || !kind->bounds) return pose;
    float length_sq = 0;
    for (uint32_t k = 0; k < 4; k++) length_sq += def->rotation[k] * def->rotation[k];
    memcpy(pose.position, def->center, sizeof pose.position);
    if (length_sq > 0)
        for (uint32_t k = 0; k < 4; k++) pose.rotation[k] = def->rotation[k] / sqrtf(length_sq);
    memset(def->center, 0, sizeof def->center);
    memset(def->rotation, 0, sizeof def->rotation);
    return pose;
}

static rn_result add_solid(rni_session_meshes *m, const rni_scene *scene, rn_solid def)
{
    rni_solid_mesh mesh = {.segments = CIRCLE_SEGMENTS};
    rni_solid placed;
    rni_scene_bounds(scene, mesh.low, mesh.high);
    if (scene->def.dim == 2) {
        float depth = FLAT_DEPTH * hypotf(mesh.high[0] - mesh.low[0], mesh.high[1] - mesh.low[1]);
        mesh.low[2] = -depth, mesh.high[2] = depth;
    }
    m->pose[m->count] = take_pose(&def);
    m->pose[m->count].triangles = m->count;
    rn_result result = rni_solid_place(&def, scene->def.dim, &placed);
    if (result == RN_OK) result = draw_solid(&placed, &mesh, &m->triangles[m->count]);
    if (result == RN_OK) m->count++;
    return result;
}

void rni_session_meshes_free(rni_session_meshes *m)
{
    for (uint32_t k = 0; m->triangles && k < m->count; k++)
        free((void *)(uintptr_t)m->triangles[k].vertex);
    free(m->triangles);
    free(m->pose);
    *m = (rni_session_meshes){0};
}

rn_result rni_session_meshes_make(const rni_scene *scene, rni_session_meshes *m)
{
    *m = (rni_session_meshes){0};
    m->triangles = calloc(scene->solid_count + (size_t)1, sizeof *m->triangles);
    m->pose = calloc(scene->solid_count + (size_t)1, sizeof *m->pose);
    if (!m->triangles || !m->pose) {
        rni_session_meshes_free(m);
        return rni_fail(RN_ERROR_MEMORY, "no memory for the meshes of %u solids", scene->solid_count);
    }
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < scene->solid_count && result == RN_OK; k++)
        if (scene->solids[k].is_drawn && scene->solids[k].is_wall)
            result = add_solid(m, scene, rni_scene_solid_of(&scene->solids[k]));
    if (result != RN_OK) rni_session_meshes_free(m);
    return result;
}

void rni_session_meshes_lend(const rni_session_meshes *meshes, rn_frame *frame)
{
    frame->triangles = meshes->triangles;
    frame->triangles_count = frame->pose_count = meshes->count;
    frame->pose = meshes->pose;
}
