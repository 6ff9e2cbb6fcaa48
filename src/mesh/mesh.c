/* The empty mesh, and the check of a caller's mesh. */
#include <runnel/mesh.h>

#include "base/error.h"

#include <math.h>

rn_mesh rn_mesh_default(void)
{
    return (rn_mesh){.struct_bytes = sizeof(rn_mesh)};
}

static rn_result check_corners(const rn_mesh *mesh)
{
    for (uint64_t k = 0; k < (uint64_t)mesh->triangle_count * 3; k++) {
        if (mesh->triangle[k] < mesh->vertex_count) continue;
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh: corner %u of triangle %u is vertex %u; there are %u, from 0",
                        (unsigned)(k % 3), (unsigned)(k / 3), mesh->triangle[k], mesh->vertex_count);
    }
    return RN_OK;
}

static rn_result check_numbers(const rn_mesh *mesh)
{
    for (uint64_t k = 0; k < (uint64_t)mesh->vertex_count * 3; k++) {
        if (isfinite(mesh->vertex[k])) continue;
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: %c of vertex %u is %g; it must be finite",
                        "xyz"[k % 3], (unsigned)(k / 3), (double)mesh -> vertex[k]);
    }
    for (uint64_t k = 0; mesh->texture && k < (uint64_t)mesh->triangle_count * 6; k++) {
        if (isfinite(mesh->texture[k])) continue;
        return rni_fail(RN_ERROR_ARGUMENT,
                        "mesh: texture coordinate %c of triangle %u is %g; it must be finite",
                        "uv"[k % 2], (unsigned)(k / 6), (double)mesh -> texture[k]);
    }
    return RN_OK;
}

rn_result rn_mesh_check(const rn_mesh *mesh)
{
    if (!mesh || mesh->struct_bytes != sizeof *mesh)
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: start from rn_mesh_default()");
    if ((mesh->vertex_count && !mesh->vertex) || (mesh->triangle_count && !mesh->triangle))
        return rni_fail(RN_ERROR_ARGUMENT, "mesh: %s is NULL, but its count is %u",
                        mesh->vertex_count && !mesh->vertex ? "vertex" : "triangle",
                        mesh->vertex_count && !mesh->vertex ? mesh->vertex_count
                                                            : mesh->triangle_count);
    if (mesh->triangle_count > RN_MESH_MAX_TRIANGLES)
        return rni_fail(RN_ERROR_LIMIT, "mesh: %u triangles are too many; the most are %u",
                        mesh->triangle_count, RN_MESH_MAX_TRIANGLES);
    rn_result result = check_corners(mesh);
    return result == RN_OK ? check_numbers(mesh) : result;
}
