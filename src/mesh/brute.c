/* Structure "brute": every triangle, in double. What the others are compared with. */
#include "base/pi.h"
#include "mesh/query.h"

static void corners_of(const rn_mesh *mesh, uint32_t t, double triangle[3][3])
{
    for (uint32_t k = 0; k < 3; k++) {
        const float *v = mesh->vertex + (size_t)3 * mesh->triangle[(size_t)3 * t + k];
        for (int axis = 0; axis < 3; axis++) triangle[k][axis] = (double)v[axis];
    }
}

static void nearest(const rn_mesh *mesh, uint32_t t, const float point[3], rni_near *near)
{
    const double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
    double triangle[3][3];
    corners_of(mesh, t, triangle);
    rni_triangle_nearest((const double(*)[3])triangle, p, near);
    near->triangle = t;
}

static bool closest(const rn_mesh_query *query, const float point[3], double max_distance,
                    rni_near *near)
{
    *near = (rni_near){.distance_sq = max_distance * max_distance, .triangle = RN_MESH_NONE};
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        rni_near here;
        nearest(&query->mesh, t, point, &here);
        if (here.distance_sq < near->distance_sq ||
            (near->triangle == RN_MESH_NONE && here.distance_sq == near->distance_sq))
            *near = here;
    }
    return near->triangle != RN_MESH_NONE;
}

static void within(const rn_mesh_query *query, const float point[3], double radius,
                   rni_near_fn visit, void *user)
{
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        rni_near here;
        nearest(&query->mesh, t, point, &here);
        if (here.distance_sq <= radius * radius && !visit(user, &here)) return;
    }
}

static bool segment(const rn_mesh_query *query, const float from[3], const float to[3],
                    rni_crossing *crossing)
{
    const double a[3] = {(double)from[0], (double)from[1], (double)from[2]};
    const double b[3] = {(double)to[0], (double)to[1], (double)to[2]};
    *crossing = (rni_crossing){.t = 1.0, .triangle = RN_MESH_NONE};
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        double triangle[3][3];
        rni_crossing here = {.triangle = t};
        corners_of(&query->mesh, t, triangle);
        if (!rni_triangle_cross((const double(*)[3])triangle, a, b, &here)) continue;
        if (crossing->triangle == RN_MESH_NONE || here.t < crossing->t) *crossing = here;
    }
    return crossing->triangle != RN_MESH_NONE;
}

/* The sum of the solid angles (Van Oosterom and Strackee 1983). */
static double winding(const rn_mesh_query *query, const float point[3])
{
    double sum = 0.0;
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        double v[3][3], length[3], ab[3], ac[3], cross[3];
        corners_of(&query->mesh, t, v);
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 3; axis++) v[k][axis] -= (double)point[axis];
            length[k] = sqrt(rni_dot3(v[k], v[k]));
        }
        rni_sub3(v[1], v[0], ab);
        rni_sub3(v[2], v[0], ac);
        rni_cross3(ab, ac, cross);
        const double real = length[0] * length[1] * length[2] + rni_dot3(v[0], v[1]) * length[2] +
                            rni_dot3(v[1], v[2]) * length[0] + rni_dot3(v[2], v[0]) * length[1];
        const double volume = rni_dot3(v[0], cross);
        if (volume != 0.0 || real != 0.0) sum += 2.0 * atan2(volume, real);
    }
    return sum / (4.0 * RNI_PI);
}

const rni_mesh_structure rni_mesh_structure_brute = {
    .info = {RN_MESH_BRUTE, "brute", "every triangle for each query: the reference", "Runnel"},
    .closest = closest,
    .within = within,
    .segment = segment,
    .winding = winding,
};
