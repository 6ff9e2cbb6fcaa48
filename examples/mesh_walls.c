/* Queries on a triangle mesh: which points are inside a box of twelve triangles, how far they are from
 * its walls, and a point that never gets out, however fast it moves. */
#include <runnel/mesh_query.h>

#include <math.h>
#include <stdio.h>

static const float vertex[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
/* Counter-clockwise as seen from outside. */
static const uint32_t triangle[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                         {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                         {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static int fail(rn_mesh_query *query)
{
    fprintf(stderr, "%s\n", rn_last_error());
    rn_mesh_query_destroy(query);
    return 1;
}

int main(void)
{
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex = vertex[0];
    mesh.vertex_count = 8;
    mesh.triangle = triangle[0];
    mesh.triangle_count = 12;
    const rn_mesh_query_def def = rn_mesh_query_def_default();
    rn_mesh_query *query = NULL;
    if (rn_mesh_query_create(&def, &mesh, &query) != RN_OK) return fail(query);

    const float place[2][3] = {{0.5f, 0.5f, 0.9f}, {1.5f, 0.5f, 0.5f}};
    const rn_mesh_points points = {.position = place[0], .count = 2};
    rn_mesh_closest closest[2];
    float distance[2];
    bool is_inside[2];
    if (rn_mesh_query_closest(query, &points, INFINITY, closest) != RN_OK ||
        rn_mesh_query_distance(query, &points, distance) != RN_OK ||
        rn_mesh_query_inside(query, &points, is_inside) != RN_OK)
        return fail(query);
    for (int i = 0; i < 2; i++)
        printf("point %d is %s, %.2f m from triangle %u\n", i, is_inside[i] ? "inside" : "outside",
               (double)fabsf(distance[i]), closest[i].triangle);

    /* A particle that is thrown around at 20 m a step. */
    rn_mesh_move_def move = rn_mesh_move_def_default();
    move.hard = 0.001f;
    move.soft = 0.002f;
    float at[3] = {0.5f, 0.5f, 0.5f};
    uint32_t touch_count = 0;
    for (int step = 0; step < 1000; step++) {
        const float angle = 0.7f * (float)step;
        const float to[3] = {at[0] + 20.0f * cosf(angle), at[1] + 20.0f * sinf(angle), at[2] - 1.0f};
        const rn_mesh_points from = {.position = at, .count = 1}, end = {.position = to, .count = 1};
        float moved[3];
        uint32_t touches;
        if (rn_mesh_query_move(query, &move, &from, &end, moved, NULL, &touches) != RN_OK)
            return fail(query);
        for (int axis = 0; axis < 3; axis++) at[axis] = moved[axis];
        touch_count += touches;
    }
    const rn_mesh_points end = {.position = at, .count = 1};
    bool is_still_inside = false;
    if (rn_mesh_query_inside(query, &end, &is_still_inside) != RN_OK) return fail(query);
    printf("after 1000 moves the particle is %s; %u of them touched the walls\n",
           is_still_inside ? "inside" : "outside", touch_count);
    rn_mesh_query_destroy(query);
    return is_inside[0] && !is_inside[1] && is_still_inside ? 0 : 1;
}
