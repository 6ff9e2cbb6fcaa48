/* A mesh that owns its arrays: the inside of rn_mesh_data, for the modules that change meshes in place. */
#ifndef RNI_MESH_DATA_H
#define RNI_MESH_DATA_H

#include <runnel/mesh.h>

#include "base/memory.h"

struct rn_mesh_data {
    rni_memory memory;
    rni_buffer vertex;   /* float, three each */
    rni_buffer triangle; /* uint32_t, three each */
    rni_buffer texture;  /* float, six a triangle; only with has_texture */
    uint32_t vertex_count, triangle_count;
    bool has_texture;
};

static inline float *rni_data_vertex(const rn_mesh_data *data)
{
    return data->vertex.data;
}

static inline uint32_t *rni_data_triangle(const rn_mesh_data *data)
{
    return data->triangle.data;
}

/* NULL: there are none. */
static inline float *rni_data_texture(const rn_mesh_data *data)
{
    return data->has_texture ? data->texture.data : NULL;
}

/* One vertex; RN_OK and its number, or a failure. */
rn_result rni_mesh_data_vertex(rn_mesh_data *data, double x, double y, double z, uint32_t *number);

#endif
