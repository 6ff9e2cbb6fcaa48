#include "render/tracer.h"

#include "base/error.h"

#include <stdlib.h>

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

/* Embree gives a geometry the lowest free number: 0, 1, 2, ... in the order of adding. */
struct rni_tracer {
    RTCDevice device;
    RTCScene scene;
    uint32_t count, capacity; /* of geometries */
    uint32_t *object;         /* by geometry */
};

static rn_result fail_embree(const rni_tracer *tracer, const char *what)
{
    enum RTCError error = rtcGetDeviceError(tracer->device);
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return rni_fail(RN_ERROR_MEMORY, "no memory for %s", what);
    return rni_fail(RN_ERROR_LIMIT, "Embree could not take %s (error %d)", what, (int)error);
}

rn_result rni_tracer_create(rni_tracer **tracer)
{
    *tracer = NULL;
    rni_tracer *t = calloc(1, sizeof *t);
    if (!t) return rni_fail(RN_ERROR_MEMORY, "no memory for the ray tracer");
    t->device = rtcNewDevice("threads=1,set_affinity=0");
    if (!t->device) {
        free(t);
        return rni_fail(RN_ERROR_MEMORY, "Embree does not start on this machine (error %d)",
                        (int)rtcGetDeviceError(NULL));
    }
    rni_tracer_clear(t);
    if (!t->scene) {
        rni_tracer_destroy(t);
        return rni_fail(RN_ERROR_MEMORY, "no memory for the ray tracer");
    }
    *tracer = t;
    return RN_OK;
}

void rni_tracer_destroy(rni_tracer *tracer)
{
    if (!tracer) return;
    if (tracer->scene) rtcReleaseScene(tracer->scene);
    if (tracer->device) rtcReleaseDevice(tracer->device);
    free(tracer->object);
    free(tracer);
}

void rni_tracer_clear(rni_tracer *tracer)
{
    if (tracer->scene) rtcReleaseScene(tracer->scene);
    tracer->scene = rtcNewScene(tracer->device);
    if (tracer->scene) rtcSetSceneFlags(tracer->scene, RTC_SCENE_FLAG_ROBUST);
    tracer->count = 0;
}

/* --- geometry ----------------------------------------------------------------------------------------- */

static bool need_objects(rni_tracer *tracer)
{
    if (tracer->count < tracer->capacity) return true;
    uint32_t capacity = tracer->capacity ? 2 * tracer->capacity : 16;
    uint32_t *list = realloc(tracer->object, capacity * sizeof *list);
    if (!list) return false;
    tracer->object = list;
    tracer->capacity = capacity;
    return true;
}

/* Takes over the geometry. */
static void attach(rni_tracer *tracer, RTCGeometry geometry, uint32_t object)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scene, geometry, tracer->count);
    rtcReleaseGeometry(geometry);
    tracer->object[tracer->count++] = object;
}

rni_vec rni_pose_turn(const rn_pose *pose, rni_vec v)
{
    const float *q = pose->rotation;
    rni_vec axis = {q[0], q[1], q[2]};
    rni_vec twice = rni_scale(rni_cross(axis, v), 2);
    return rni_add(rni_along(v, twice, q[3]), rni_cross(axis, twice));
}

rni_vec rni_pose_place(const rn_pose *pose, rni_vec point)
{
    return rni_add(rni_pose_turn(pose, point), rni_vec_of(pose->position));
}

rn_result rni_tracer_add_mesh(rni_tracer *tracer, const rn_triangles *mesh, const rn_pose *pose,
                              uint32_t object)
{
    if (mesh->index_count < 3) return RN_OK;
    if (!need_objects(tracer)) return rni_fail(RN_ERROR_MEMORY, "no memory for a mesh");
    size_t stride = mesh->stride ? mesh->stride : 3 * sizeof(float);
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertex = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), mesh->vertex_count);
    uint32_t *index = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              3 * sizeof(uint32_t), mesh->index_count / 3);
    if (!vertex || !index) {
        rtcReleaseGeometry(geometry);
        return fail_embree(tracer, "a mesh");
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const char *at = (const char *)mesh->vertex + i * stride;
        rni_vec p = rni_vec_of((const float *)(const void *)at);
        if (pose) p = rni_pose_place(pose, p);
        vertex[3 * (size_t)i] = p.x;
        vertex[3 * (size_t)i + 1] = p.y;
        vertex[3 * (size_t)i + 2] = p.z;
    }
    for (uint32_t k = 0; k < mesh->index_count; k++) index[k] = mesh->index[k];
    attach(tracer, geometry, object);
    return RN_OK;
}

rn_result rni_tracer_add_spheres(rni_tracer *tracer, const float (*sphere)[4], uint32_t count,
                                 uint32_t object)
{
    if (count == 0) return RN_OK;
    if (!need_objects(tracer)) return rni_fail(RN_ERROR_MEMORY, "no memory for spheres");
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float(*vertex)[4] = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0,
                                                RTC_FORMAT_FLOAT4, 4 * sizeof(float), count);
    if (!vertex) {
        rtcReleaseGeometry(geometry);
        return fail_embree(tracer, "spheres");
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 4; k++) vertex[i][k] = sphere[i][k];
    attach(tracer, geometry, object);
    return RN_OK;
}

rn_result rni_tracer_commit(rni_tracer *tracer)
{
    rtcCommitScene(tracer->scene);
    enum RTCError error = rtcGetDeviceError(tracer->device);
    if (error == RTC_ERROR_NONE) return RN_OK;
    if (error == RTC_ERROR_OUT_OF_MEMORY)
        return rni_fail(RN_ERROR_MEMORY, "no memory for the hierarchy of the ray tracer");
    return rni_fail(RN_ERROR_LIMIT, "Embree could not build its hierarchy (error %d)", (int)error);
}

/* --- rays ---------------------------------------------------------------------------------------------- */

bool rni_tracer_hit_at(const rni_tracer *tracer, rni_ray ray, float near, float far,
                       rni_tracer_hit *hit)
{
    struct RTCRayHit r = {.ray = {.org_x = ray.origin.x,
                                  .org_y = ray.origin.y,
                                  .org_z = ray.origin.z,
                                  .tnear = near,
                                  .dir_x = ray.direction.x,
                                  .dir_y = ray.direction.y,
                                  .dir_z = ray.direction.z,
                                  .tfar = far,
                                  .mask = UINT32_MAX},
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
    rtcIntersect1(tracer->scene, &r, NULL);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(tracer->scene, &context, &r);
#endif
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    *hit = (rni_tracer_hit){.distance = r.ray.tfar,
                            .normal = rni_unit((rni_vec){r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z}),
                            .object = tracer->object[r.hit.geomID],
                            .triangle = r.hit.primID,
                            .u = r.hit.u,
                            .v = r.hit.v};
    return true;
}
