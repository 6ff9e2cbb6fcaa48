/* Life of an rn_screen, its camera, and the stages in order. */
#include "surface/screen.h"
#include "surface/surface.h"

#include "base/clock.h"
#include "base/output.h"
#include "base/pi.h"

#include <math.h>

rn_screen_def rn_screen_def_default(void)
{
    return (rn_screen_def){.struct_bytes = sizeof(rn_screen_def),
                           .cell = 4,
                           .radius = 1,
                           .depth_gap = 4,
                           .depth_smoothing = 3,
                           .silhouette_smoothing = 2};
}

rn_camera rn_camera_default(void)
{
    return (rn_camera){.struct_bytes = sizeof(rn_camera),
                       .width = 1280,
                       .height = 720,
                       .eye = {0, 0, 1},
                       .up = {0, 1, 0},
                       .fov = 40,
                       .near_distance = 0.001f};
}

rn_screen_mesh rn_screen_mesh_default(void)
{
    return (rn_screen_mesh){.struct_bytes = sizeof(rn_screen_mesh), .mesh = rn_mesh_default()};
}

static rn_result check_def(const rn_screen_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "def.struct_bytes is %u instead of %zu; begin with rn_screen_def_default(), and with the "
            "header of the library that is loaded",
            def->struct_bytes, sizeof *def);
    if (def->cell < 1 || def->cell > 64)
        return rni_fail(RN_ERROR_ARGUMENT, "cell is %u pixels; it must be from 1 to 64", def->cell);
    if (!(def->radius >= 0.1f && def->radius <= 10))
        return rni_fail(RN_ERROR_ARGUMENT, "radius is %g spacings; it must be from 0.1 to 10",
                        (double)def->radius);
    if (!(def->depth_gap >= 2) || !isfinite(def->depth_gap))
        return rni_fail(RN_ERROR_ARGUMENT, "depth_gap is %g radii; it must be at least 2",
                        (double)def->depth_gap);
    if (def->depth_smoothing > 32 || def->silhouette_smoothing > 32)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "depth_smoothing is %u and silhouette_smoothing %u; at most 32",
                        def->depth_smoothing, def->silhouette_smoothing);
    return RN_OK;
}

_Static_assert(offsetof(rn_screen, memory) == 0, "rni_memory_begin");

rn_result rn_screen_create(const rn_screen_def *def, rn_screen **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "screen must not be NULL");
    *out = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_screen), &object);
    if (result != RN_OK) return result;
    rn_screen *s = object;
    s->def = *def;
    result = rni_crew_create(&s->memory, def->threads, &def->tasks, &s->crew);
    if (result != RN_OK) {
        rn_screen_destroy(s);
        return result;
    }
    *out = s;
    return RN_OK;
}

void rn_screen_destroy(rn_screen *s)
{
    if (!s) return;
    rni_memory *memory = &s->memory;
    rni_crew_destroy(s->crew);
    rni_buffer *const buffers[] = {&s->disc,
                                   &s->band_start,
                                   &s->band,
                                   &s->depth,
                                   &s->smooth,
                                   &s->smooth_scratch,
                                   &s->cut[0],
                                   &s->cut[1],
                                   &s->node_vertex,
                                   &s->cut_vertex[0][0],
                                   &s->cut_vertex[0][1],
                                   &s->cut_vertex[1][0],
                                   &s->cut_vertex[1][1],
                                   &s->row_vertices,
                                   &s->row_triangles,
                                   &s->place,
                                   &s->place_scratch,
                                   &s->link,
                                   &s->vertex,
                                   &s->normal,
                                   &s->triangle,
                                   &s->failed,
                                   &s->order,
                                   &s->far_depth,
                                   &s->apart[0],
                                   &s->apart[1]};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_memory_end(memory, sizeof *s);
}

/* --- camera ------------------------------------------------------------------------------------------ */

static bool normalise(float v[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0) || !isfinite(length)) return false;
    for (uint32_t k = 0; k < 3; k++) v[k] /= length;
    return true;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static rn_result check_camera(const rn_camera *camera)
{
    if (camera->struct_bytes != sizeof *camera)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "camera.struct_bytes is %u instead of %zu; begin with rn_camera_default()",
                        camera->struct_bytes, sizeof *camera);
    if (camera->width < 8 || camera->height < 8 || camera->width > 16384 || camera->height > 16384)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the picture has %u x %u pixels; each side from 8 to 16384", camera->width,
                        camera->height);
    if (!(camera->fov >= 1 && camera->fov <= 150))
        return rni_fail(RN_ERROR_ARGUMENT, "fov is %g degrees; it must be from 1 to 150",
                        (double)camera->fov);
    if (!(camera->near_distance > 0) || !isfinite(camera->near_distance))
        return rni_fail(RN_ERROR_ARGUMENT, "near_distance is %g m; it must be positive",
                        (double)camera->near_distance);
    return RN_OK;
}

static rn_result place_camera(rn_screen *s)
{
    const rn_camera *camera = &s->camera;
    rn_result result = check_camera(camera);
    if (result != RN_OK) return result;
    for (uint32_t k = 0; k < 3; k++) s->ahead[k] = camera->target[k] - camera->eye[k];
    if (!normalise(s->ahead))
        return rni_fail(RN_ERROR_ARGUMENT, "the camera's eye and target are at the same place");
    cross(s->ahead, camera->up, s->right);
    if (!normalise(s->right))
        return rni_fail(RN_ERROR_ARGUMENT, "the camera looks along its up vector; choose another");
    cross(s->right, s->ahead, s->up);
    float cell = (float)s->def.cell;
    s->columns = camera->width / s->def.cell + 1;
    s->rows = camera->height / s->def.cell + 1;
    s->middle[0] = 0.5f * (float)camera->width / cell;
    s->middle[1] = 0.5f * (float)camera->height / cell;
    s->scale = s->middle[1] / tanf(camera->fov * (float)(RNI_PI / 360));
    s->radius = s->def.radius * s->points.spacing;
    s->gap = s->def.depth_gap * s->radius;
    return RN_OK;
}

/* --- build ------------------------------------------------------------------------------------------- */

static float lap(double *since)
{
    double now = rni_seconds();
    float ms = (float)(1e3 * (now - *since));
    *since = now;
    return ms;
}

rn_result rn_screen_build(rn_screen *s, const rn_camera *camera, const rn_surface_points *points,
                          rn_screen_mesh *found)
{
    if (!s || !camera || !points || !found)
        return rni_fail(RN_ERROR_ARGUMENT, "screen, camera, points and found must not be NULL");
    rn_result result =
        rni_output_check(found, RNI_OUTPUT_BYTES(rn_screen_mesh, mesh_ms), "rn_screen_mesh");
    if (result == RN_OK) result = rni_surface_check_points(points);
    if (result != RN_OK) return result;
    s->camera = *camera;
    s->points = *points;
    result = place_camera(s);
    if (result != RN_OK) return result;
    rn_screen_mesh full = rn_screen_mesh_default();
    double since = rni_seconds();
    result = rni_screen_project(s);
    full.project_ms = lap(&since);
    if (result == RN_OK) result = rni_screen_find_depth(s);
    full.depth_ms = lap(&since);
    if (result == RN_OK) result = rni_screen_make_mesh(s);
    full.mesh_ms = lap(&since);
    if (result != RN_OK) return result;
    full.mesh.vertex_count = s->vertex_count;
    full.mesh.triangle_count = s->triangle_count;
    full.mesh.vertex = s->vertex.data;
    full.mesh.triangle = s->triangle.data;
    full.normal = s->normal.data;
    full.node_count[0] = s->columns;
    full.node_count[1] = s->rows;
    full.depth = s->depth.data;
    rni_output_write(found, &full, sizeof full);
    return RN_OK;
}
