// Embree beside Runnel: rtcPointQuery over a triangle mesh; Embree finds the triangles within a radius,
// its callback computes the closest point of each and shrinks the radius, as in Embree's own tutorial.
// Segments by rtcIntersect1 in robust mode.
#include "mesh_peer.h"

#include <embree3/rtcore.h>

namespace
{

struct V {
    float x, y, z;
};
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator*(float s, V a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// By regions.
V closest_on(V p, V a, V b, V c)
{
    const V ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp);
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d1 <= 0 && d2 <= 0) return a;
    if (d3 >= 0 && d4 <= d3) return b;
    if (d6 >= 0 && d5 <= d6) return c;
    const float vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + (d1 / (d1 - d3)) * ab;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + (d2 / (d2 - d6)) * ac;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return b + ((d4 - d3) / (d4 - d3 + d5 - d6)) * (c - b);
    const float scale = 1.0f / (va + vb + vc);
    return a + (vb * scale) * ab + (vc * scale) * ac;
}

struct Asking {
    const peer::Input *input;
    V best;
    unsigned int triangle;
};

bool near_triangle(RTCPointQueryFunctionArguments *arguments)
{
    Asking &asking = *static_cast<Asking *>(arguments->userPtr);
    const uint32_t *corner = &asking.input->triangle[arguments->primID * 3ul];
    const float *vertex = asking.input->vertex.data();
    V v[3];
    for (int k = 0; k < 3; k++) std::memcpy(&v[k], vertex + 3ul * corner[k], sizeof v[k]);
    const V p = {arguments->query->x, arguments->query->y, arguments->query->z};
    const V q = closest_on(p, v[0], v[1], v[2]);
    const float distance = std::sqrt(dot(q - p, q - p));
    if (distance >= arguments->query->radius) return false;
    arguments->query->radius = distance;
    asking.best = q;
    asking.triangle = arguments->primID;
    return true;
}

double ask(RTCScene scene, const peer::Input &input, uint64_t i, float radius)
{
    RTCPointQuery query{};
    query.x = input.from[3 * i];
    query.y = input.from[3 * i + 1];
    query.z = input.from[3 * i + 2];
    query.radius = radius;
    Asking asking = {&input, {0, 0, 0}, RTC_INVALID_GEOMETRY_ID};
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    rtcPointQuery(scene, &query, &context, near_triangle, &asking);
    return asking.triangle == RTC_INVALID_GEOMETRY_ID ? 0.0 : static_cast<double>(query.radius);
}

double shoot(RTCScene scene, const peer::Input &input, uint64_t i)
{
    RTCRayHit ray{};
    const float *from = &input.from[3 * i], *to = &input.to[3 * i];
    ray.ray.org_x = from[0];
    ray.ray.org_y = from[1];
    ray.ray.org_z = from[2];
    ray.ray.dir_x = to[0] - from[0];
    ray.ray.dir_y = to[1] - from[1];
    ray.ray.dir_z = to[2] - from[2];
    ray.ray.tfar = 1.0f;
    ray.ray.mask = 0xffffffffu;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene, &context, &ray);
    return static_cast<double>(ray.ray.tfar);
}

} // namespace

int main()
{
    peer::Input input;
    if (!peer::read_input(input)) return peer::refuse("embree-mesh");
    const peer::Header &h = input.header;
    input.vertex.resize(input.vertex.size() + 4); // Embree reads 16 bytes from each vertex
    RTCDevice device = rtcNewDevice("threads=1");
    peer::Answer answer;
    double begin = peer::now(), mean;
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_HIGH); // the fastest queries
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               input.vertex.data(), 0, 12, h.vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               input.triangle.data(), 0, 12, h.triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    answer.build_ms = 1e3 * (peer::now() - begin);
    answer.closest_ns = peer::measure(
        h, [&](uint64_t i) { return ask(scene, input, i, INFINITY); }, &answer.distance);
    answer.near_ns = peer::measure(
        h, [&](uint64_t i) { return ask(scene, input, i, static_cast<float>(h.near)); }, &mean);
    answer.segment_ns = peer::measure(h, [&](uint64_t i) { return shoot(scene, input, i); }, &mean);
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return peer::print("embree-mesh", answer);
}
