#include "solid/mesh.h"
#include "solid/kinds.h"

#include <math.h>
#include <string.h>

uint32_t rni_mesh_vertex(rni_solid_mesh *mesh, const float position[3], const float normal[3])
{
    if (mesh->vertices) {
        memcpy(mesh->vertices[mesh->vertex_count], position, 3 * sizeof(float));
        memcpy(mesh->vertices[mesh->vertex_count] + 3, normal, 3 * sizeof(float));
    }
    return mesh->vertex_count++;
}

void rni_mesh_triangle(rni_solid_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corner[3] = {a, b, c};
    if (mesh->triangles) memcpy(mesh->triangles[mesh->triangle_count], corner, sizeof corner);
    mesh->triangle_count++;
}

void rni_mesh_line(rni_solid_mesh *mesh, const float from[3], const float to[3])
{
    if (mesh->lines) {
        memcpy(mesh->lines[mesh->line_count], from, 3 * sizeof(float));
        memcpy(mesh->lines[mesh->line_count] + 3, to, 3 * sizeof(float));
    }
    mesh->line_count++;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void rni_mesh_across(const float axis[3], float u[3], float v[3])
{
    const float helper[3] = {fabsf(axis[0]) < 0.8f ? 1.0f : 0.0f,
                             fabsf(axis[0]) < 0.8f ? 0.0f : 1.0f, 0};
    cross(helper, axis, u);
    const float length = sqrtf(rni_solid_dot(u, u));
    for (int a = 0; a < 3; a++) u[a] /= length;
    cross(axis, u, v);
}

/* The point at an angle around the axis, r away from it and z along it. */
static void around(const float u[3], const float v[3], const float axis[3], double angle, float r,
                   float z, float out[3])
{
    const float c = (float)cos(angle) * r, s = (float)sin(angle) * r;
    for (int a = 0; a < 3; a++) out[a] = u[a] * c + v[a] * s + axis[a] * z;
}

void rni_mesh_revolve(rni_solid_mesh *mesh, const float center[3], const float axis[3],
                      const rni_mesh_ring *rings, uint32_t count)
{
    float u[3], v[3], position[3], normal[3];
    const uint32_t first = mesh->vertex_count, across = mesh->segments + 1;
    rni_mesh_across(axis, u, v);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t s = 0; s < across; s++) {
            const double angle = 2 * RNI_PI * (s % mesh->segments) / mesh->segments;
            around(u, v, axis, angle, rings[k].r, rings[k].z, position);
            around(u, v, axis, angle, rings[k].nr, rings[k].nz, normal);
            for (int a = 0; a < 3; a++) position[a] += center[a];
            rni_mesh_vertex(mesh, position, normal);
        }
    for (uint32_t k = 0; k + 1 < count; k++)
        for (uint32_t s = 0; s < mesh->segments; s++) {
            const uint32_t a = first + k * across + s, d = a + across;
            if (rings[k].r > 0) rni_mesh_triangle(mesh, a, a + 1, d + 1);
            if (rings[k + 1].r > 0) rni_mesh_triangle(mesh, a, d + 1, d);
        }
}

void rni_mesh_circle(rni_solid_mesh *mesh, const float center[3], const float axis[3], float z,
                     float radius)
{
    float u[3], v[3], from[3], to[3];
    rni_mesh_across(axis, u, v);
    for (uint32_t s = 0; s < mesh->segments; s++) {
        around(u, v, axis, 2 * RNI_PI * s / mesh->segments, radius, z, from);
        around(u, v, axis, 2 * RNI_PI * ((s + 1) % mesh->segments) / mesh->segments, radius, z, to);
        for (int a = 0; a < 3; a++) from[a] += center[a], to[a] += center[a];
        rni_mesh_line(mesh, from, to);
    }
}

void rni_mesh_cylinder(rni_solid_mesh *mesh, const float center[3], const float axis[3],
                       float radius, float half)
{
    const rni_mesh_ring low[2] = {{0, -half, 0, -1}, {radius, -half, 0, -1}};
    const rni_mesh_ring side[2] = {{radius, -half, 1, 0}, {radius, half, 1, 0}};
    const rni_mesh_ring high[2] = {{radius, half, 0, 1}, {0, half, 0, 1}};
    rni_mesh_revolve(mesh, center, axis, low, 2);
    rni_mesh_revolve(mesh, center, axis, side, 2);
    rni_mesh_revolve(mesh, center, axis, high, 2);
    rni_mesh_circle(mesh, center, axis, -half, radius);
    rni_mesh_circle(mesh, center, axis, half, radius);
}

void rni_mesh_disc(rni_solid_mesh *mesh, const float center[3], float radius)
{
    const float axis[3] = {0, 0, 1};
    const float middle[3] = {center[0], center[1], 0.5f * (mesh->low[2] + mesh->high[2])};
    rni_mesh_cylinder(mesh, middle, axis, radius, 0.5f * (mesh->high[2] - mesh->low[2]));
}

void rni_solid_draw(const rni_solid *solid, rni_solid_mesh *mesh)
{
    mesh->vertex_count = mesh->triangle_count = mesh->line_count = 0;
    solid->kind->draw(solid, mesh);
    if (!solid->is_hollow) return;
    for (uint32_t k = 0; mesh->vertices && k < mesh->vertex_count; k++)
        for (int a = 3; a < 6; a++) mesh->vertices[k][a] = -mesh->vertices[k][a];
    for (uint32_t t = 0; mesh->triangles && t < mesh->triangle_count; t++) {
        const uint32_t second = mesh->triangles[t][1];
        mesh->triangles[t][1] = mesh->triangles[t][2];
        mesh->triangles[t][2] = second;
    }
}
