/* Which side the triangles of a wall look to: soup becomes a surface again.
 *
 * The side of a place is told by winding numbers, and what walls give by a flux, which count each triangle by its
 * orientation. Triangles that are turned against their neighbours would be holes in both, and those that are there
 * twice would count twice. Moves of particles know no sides, and need none of this. */
#include "solid/wall_mesh.h"

#include "mesh/topology.h"
#include "mesh/weld.h"

#include <math.h>

/* Of the diagonal: vertices so close are one, as in rn_mesh_repair(). */
#define WELD_TOLERANCE 1e-6

static void turn(rn_wall_mesh *wall, size_t t)
{
    uint32_t *corner = (uint32_t *)wall->triangles.data + 3 * t;
    const uint32_t second = corner[1];
    corner[1] = corner[2], corner[2] = second;
    float *uv = wall->mesh.texture ? (float *)wall->texture.data + 6 * t : NULL;
    for (size_t axis = 2; uv && axis < 4; axis++) {
        const float kept = uv[axis];
        uv[axis] = uv[axis + 2], uv[axis + 2] = kept;
    }
}

/* Whether all triangles are in closed surfaces that have two sides. */
static bool has_no_rim(const rni_topology *topology)
{
    const rni_patch *patches = topology->patches.data;
    for (uint32_t n = 0; n < topology->patch_count; n++)
        if (!patches[n].is_closed || !patches[n].is_orientable) return false;
    return topology->patch_count > 0 && topology->folded_count == 0;
}

static rn_result orient(rn_wall_mesh *wall, rni_crew *crew, const rn_mesh *welded)
{
    rni_topology topology;
    rn_result result = rni_topology_build(&topology, welded, &wall->memory, crew);
    if (result == RN_OK) result = rni_topology_orient(&topology);
    const bool *must_turn = topology.must_turn.data;
    const uint32_t *original = topology.original.data;
    for (size_t t = 0; t < wall->mesh.triangle_count && result == RN_OK; t++) {
        uint32_t *corner = (uint32_t *)wall->triangles.data + 3 * t;
        if (original[t] != t) corner[1] = corner[2] = corner[0]; /* a point of what it repeats */
        else if (must_turn[t]) turn(wall, t);
    }
    if (result == RN_OK) wall->is_closed = has_no_rim(&topology);
    rni_topology_free(&topology);
    return result;
}

rn_result rni_wall_mesh_orient(rn_wall_mesh *wall, rni_crew *crew)
{
    rn_mesh_data *data = NULL;
    double sq = 0;
    uint32_t welded;
    for (int a = 0; a < 3; a++) sq += pow((double)wall->high[a] - (double)wall->low[a], 2);
    rn_result result = rn_mesh_data_create(&wall->memory.allocator, &data);
    if (result == RN_OK)
        result = rn_mesh_data_add_vertices(data, wall->mesh.vertex, wall->mesh.vertex_count);
    if (result == RN_OK)
        result =
            rn_mesh_data_add_triangles(data, wall->mesh.triangle, NULL, wall->mesh.triangle_count);
    if (result == RN_OK)
        result = rni_mesh_weld(data, WELD_TOLERANCE * sqrt(sq), &wall->memory, &welded);
    if (result == RN_OK) {
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        result = orient(wall, crew, &mesh);
    }
    rn_mesh_data_destroy(data);
    return result;
}
