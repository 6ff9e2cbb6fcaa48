/* Exact tests of one triangle in double, shared by all structures: the point of a triangle that is
 * closest to a point (Grahn 2008, section 4.4.3, by regions), and the first point of a segment on a
 * triangle (section 4.4.2).
 *
 * Coordinates are floats, so differences and the components of the normal are exact or correctly
 * rounded in double; slivers therefore have a meaningful normal. A triangle of area 0 is its edges. */
#ifndef RNI_MESH_TRIANGLE_H
#define RNI_MESH_TRIANGLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Where on the triangle a closest point lies: vertex 0 to 2, the edge from vertex k to the next as
 * 3 + k, or the face. */
#define RNI_FEATURE_EDGE 3u
#define RNI_FEATURE_FACE 6u

typedef struct rni_near {
    double distance_sq;
    double point[3];
    double weight[3]; /* barycentric, at least 0, sum 1 */
    uint32_t triangle;
    uint32_t feature;
} rni_near;

static inline double rni_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void rni_cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void rni_sub3(const double a[3], const double b[3], double out[3])
{
    for (int axis = 0; axis < 3; axis++) out[axis] = a[axis] - b[axis];
}

/* The part of the three edges that is closest to the origin; corner and edge are relative to it. */
static inline void rni_nearest_on_edges(const double corner[3][3], const double edge[3][3],
                                        double point[3], rni_near *near)
{
    near->distance_sq = (double)INFINITY;
    near->feature = 0;
    for (int axis = 0; axis < 3; axis++)
        point[axis] = corner[0][axis], near->weight[axis] = axis == 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t next = k == 2 ? 0 : k + 1;
        const double length_sq = rni_dot3(edge[k], edge[k]), along = -rni_dot3(corner[k], edge[k]);
        double q[3], t = 0.0;
        uint32_t feature = k;
        if (along >= length_sq && length_sq > 0.0) t = 1.0, feature = next;
        else if (along > 0.0) t = along / length_sq, feature = RNI_FEATURE_EDGE + k;
        for (int axis = 0; axis < 3; axis++)
            q[axis] = feature == next ? corner[next][axis] : corner[k][axis] + t * edge[k][axis];
        const double distance_sq = rni_dot3(q, q);
        if (!(distance_sq < near->distance_sq)) continue;
        near->distance_sq = distance_sq;
        near->feature = feature;
        for (int axis = 0; axis < 3; axis++) point[axis] = q[axis], near->weight[axis] = 0.0;
        near->weight[k] = 1.0 - t;
        near->weight[next] = t;
    }
}

/* The closest point of the triangle; fills in everything but near->triangle. */
static inline void rni_triangle_nearest(const double triangle[3][3], const double p[3], rni_near *near)
{
    double corner[3][3], edge[3][3], normal[3], area[3], cross[3], q[3];
    for (int k = 0; k < 3; k++) {
        rni_sub3(triangle[k], p, corner[k]);
        rni_sub3(triangle[k == 2 ? 0 : k + 1], triangle[k], edge[k]);
    }
    rni_cross3(edge[0], edge[1], normal);
    for (int k = 0; k < 3; k++) { /* area[k]: twice that of p and the edge opposite of k, times |n| */
        const int from = k == 2 ? 0 : k + 1;
        rni_cross3(corner[from], edge[from], cross);
        area[k] = rni_dot3(normal, cross);
    }
    const double normal_sq = rni_dot3(normal, normal);
    if (normal_sq > 0.0 && area[0] > 0.0 && area[1] > 0.0 && area[2] > 0.0) {
        const double height = rni_dot3(normal, corner[0]), sum = area[0] + area[1] + area[2];
        near->distance_sq = height * height / normal_sq;
        near->feature = RNI_FEATURE_FACE;
        for (int axis = 0; axis < 3; axis++) {
            q[axis] = normal[axis] * (height / normal_sq);
            near->weight[axis] = area[axis] / sum;
        }
    } else {
        rni_nearest_on_edges((const double(*)[3])corner, (const double(*)[3])edge, q, near);
    }
    for (int axis = 0; axis < 3; axis++) near->point[axis] = p[axis] + q[axis];
}

/* The first point of the segment from + t * (to - from), 0 <= t <= 1, on the triangle. */
typedef struct rni_crossing {
    double t;
    double weight[3];
    uint32_t triangle;
} rni_crossing;

/* False: the segment misses the triangle. Two triangles with a common edge decide about it by the
 * same bits, so that no segment passes between them; touching counts. A segment in the plane of the
 * triangle meets it where it enters; a triangle of area 0 is not met. triangle.c. */
bool rni_triangle_cross(const double triangle[3][3], const double from[3], const double to[3],
                        rni_crossing *crossing);

#endif
