#include "mesh/data.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

rn_result rn_mesh_data_create(const rn_allocator *allocator, rn_mesh_data **data)
{
    static const rn_allocator standard = {0};
    void *object;
    rn_result result =
        rni_memory_begin(allocator ? allocator : &standard, sizeof(rn_mesh_data), &object);
    *data = object;
    return result;
}

void rn_mesh_data_destroy(rn_mesh_data *data)
{
    if (!data) return;
    rni_buffer_free(&data->memory, &data->vertex);
    rni_buffer_free(&data->memory, &data->triangle);
    rni_buffer_free(&data->memory, &data->texture);
    rni_memory_end(&data->memory, sizeof *data);
}

rn_mesh rn_mesh_data_get_mesh(const rn_mesh_data *data)
{
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex_count = data->vertex_count;
    mesh.triangle_count = data->triangle_count;
    mesh.vertex = rni_data_vertex(data);
    mesh.triangle = rni_data_triangle(data);
    mesh.texture = rni_data_texture(data);
    return mesh;
}

static rn_result check_counts(const rn_mesh_data *data, uint64_t vertices, uint64_t triangles)
{
    (void)data;
    if (vertices >= UINT32_MAX)
        return rni_fail(RN_ERROR_LIMIT, "mesh: %llu vertices are too many; the most are 2^32 - 2",
                        (unsigned long long)vertices);
    if (triangles > RN_MESH_MAX_TRIANGLES)
        return rni_fail(RN_ERROR_LIMIT, "mesh: %llu triangles are too many; the most are %u",
                        (unsigned long long)triangles, RN_MESH_MAX_TRIANGLES);
    return RN_OK;
}

rn_result rn_mesh_data_reserve(rn_mesh_data *data, uint32_t vertex_count, uint32_t triangle_count)
{
    rn_result result = check_counts(data, vertex_count, triangle_count);
    if (result == RN_OK && vertex_count)
        result = rni_buffer_grow(&data->memory, &data->vertex, vertex_count, 3 * sizeof(float));
    if (result == RN_OK && triangle_count)
        result =
            rni_buffer_grow(&data->memory, &data->triangle, triangle_count, 3 * sizeof(uint32_t));
    if (result == RN_OK && triangle_count && data->has_texture)
        result = rni_buffer_grow(&data->memory, &data->texture, triangle_count, 6 * sizeof(float));
    return result;
}

rn_result rn_mesh_data_add_vertices(rn_mesh_data *data, const float *vertex, uint32_t count)
{
    if (count == 0) return RN_OK;
    uint64_t total = (uint64_t)data->vertex_count + count;
    for (uint64_t k = 0; k < (uint64_t)count * 3; k++) {
        if (isfinite(vertex[k])) continue;
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: %c of vertex %llu is %g; it must be finite",
                        "xyz"[k % 3], (unsigned long long)(data->vertex_count + k / 3),
                        (double)vertex[k]);
    }
    rn_result result = check_counts(data, total, data->triangle_count);
    if (result == RN_OK)
        result = rni_buffer_grow(&data->memory, &data->vertex, total, 3 * sizeof(float));
    if (result != RN_OK) return result;
    memcpy(rni_data_vertex(data) + (size_t)data->vertex_count * 3, vertex,
           (size_t)count * 3 * sizeof(float));
    data->vertex_count = (uint32_t)total;
    return RN_OK;
}

rn_result rni_mesh_data_vertex(rn_mesh_data *data, double x, double y, double z, uint32_t *number)
{
    const float at[3] = {(float)x, (float)y, (float)z};
    *number = data->vertex_count;
    return rn_mesh_data_add_vertices(data, at, 1);
}

/* Earlier triangles get texture coordinates 0. */
static rn_result begin_texture(rn_mesh_data *data, uint64_t total)
{
    rn_result result = rni_buffer_grow(&data->memory, &data->texture, total, 6 * sizeof(float));
    if (result != RN_OK) return result;
    if (!data->has_texture && data->triangle_count)
        memset(data->texture.data, 0, (size_t)data->triangle_count * 6 * sizeof(float));
    data->has_texture = true;
    return RN_OK;
}

static rn_result check_new_triangles(const rn_mesh_data *data, const uint32_t *triangle,
                                     const float *texture, uint32_t count)
{
    for (uint64_t k = 0; k < (uint64_t)count * 3; k++)
        if (triangle[k] >= data->vertex_count)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "mesh: corner %u of triangle %llu is vertex %u; there are %u, from 0",
                            (unsigned)(k % 3), (unsigned long long)(data->triangle_count + k / 3),
                            triangle[k], data->vertex_count);
    for (uint64_t k = 0; texture && k < (uint64_t)count * 6; k++)
        if (!isfinite(texture[k]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "mesh: texture coordinate %c of triangle %llu is %g; it must be finite",
                            "uv"[k % 2], (unsigned long long)(data->triangle_count + k / 6),
                            (double)texture[k]);
    return RN_OK;
}

rn_result rn_mesh_data_add_triangles(rn_mesh_data *data, const uint32_t *triangle,
                                     const float *texture, uint32_t count)
{
    if (count == 0) return RN_OK;
    uint64_t total = (uint64_t)data->triangle_count + count;
    rn_result result = check_new_triangles(data, triangle, texture, count);
    if (result == RN_OK) result = check_counts(data, data->vertex_count, total);
    if (result == RN_OK)
        result = rni_buffer_grow(&data->memory, &data->triangle, total, 3 * sizeof(uint32_t));
    if (result == RN_OK && (texture || data->has_texture)) result = begin_texture(data, total);
    if (result != RN_OK) return result;
    size_t first = data->triangle_count;
    memcpy(rni_data_triangle(data) + first * 3, triangle, (size_t)count * 3 * sizeof(uint32_t));
    if (texture)
        memcpy(rni_data_texture(data) + first * 6, texture, (size_t)count * 6 * sizeof(float));
    else if (data->has_texture)
        memset(rni_data_texture(data) + first * 6, 0, (size_t)count * 6 * sizeof(float));
    data->triangle_count = (uint32_t)total;
    return RN_OK;
}

rn_result rn_mesh_data_add_mesh(rn_mesh_data *data, const rn_mesh *mesh)
{
    rn_result result = rn_mesh_check(mesh);
    uint32_t before = data->vertex_count, first = data->triangle_count;
    if (result == RN_OK) result = rn_mesh_data_add_vertices(data, mesh->vertex, mesh->vertex_count);
    if (result != RN_OK) return result;
    result = rn_mesh_data_add_triangles(data, mesh->triangle, mesh->texture, mesh->triangle_count);
    if (result != RN_OK) {
        data->vertex_count = before;
        return result;
    }
    uint32_t *corner = rni_data_triangle(data);
    for (size_t k = (size_t)first * 3; before && k < (size_t)data->triangle_count * 3; k++)
        corner[k] += before;
    return RN_OK;
}

void rn_mesh_data_clear(rn_mesh_data *data)
{
    data->vertex_count = data->triangle_count = 0;
    data->has_texture = false;
}
