#include "mesh/triangle.h"

/* Segment and triangle in one plane: clips the segment by the three edges, all seen along the axis
 * in which the normal is largest. */
static bool cross_in_plane(const double triangle[3][3], const double normal[3],
                           const double from[3], const double to[3], rni_crossing *crossing)
{
    int drop = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    if (fabs(normal[2]) > fabs(normal[drop])) drop = 2;
    const int u = (drop + 1) % 3, v = (drop + 2) % 3;
    const double sign = normal[drop] > 0.0 ? 1.0 : -1.0;
    double begin = 0.0, end = 1.0, area[3], at[3];
    for (int k = 0; k < 3; k++) {
        const double *a = triangle[k], *b = triangle[k == 2 ? 0 : k + 1];
        const double eu = b[u] - a[u], ev = b[v] - a[v];
        const double f = sign * (eu * (from[v] - a[v]) - ev * (from[u] - a[u]));
        const double g = sign * (eu * (to[v] - a[v]) - ev * (to[u] - a[u]));
        if (f < 0.0 && g < 0.0) return false;
        if (f < 0.0) begin = fmax(begin, f / (f - g));
        else if (g < 0.0) end = fmin(end, f / (f - g));
    }
    if (begin > end) return false;
    for (int axis = 0; axis < 3; axis++) at[axis] = from[axis] + begin * (to[axis] - from[axis]);
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double *a = triangle[(k + 1) % 3], *b = triangle[(k + 2) % 3];
        area[k] = fmax(0.0, sign * ((b[u] - a[u]) * (at[v] - a[v]) - (b[v] - a[v]) * (at[u] - a[u])));
        sum += area[k];
    }
    crossing->t = begin;
    for (int k = 0; k < 3; k++)
        crossing->weight[k] = sum > 0.0 ? area[k] / sum : (k == 0 ? 1.0 : 0.0);
    return true;
}

bool rni_triangle_cross(const double triangle[3][3], const double from[3], const double to[3],
                        rni_crossing *crossing)
{
    double corner[3][3], direction[3], cross[3], side[3], ab[3], ac[3], normal[3];
    rni_sub3(to, from, direction);
    for (int k = 0; k < 3; k++) rni_sub3(triangle[k], from, corner[k]);
    rni_sub3(triangle[1], triangle[0], ab);
    rni_sub3(triangle[2], triangle[0], ac);
    rni_cross3(ab, ac, normal);
    if (rni_dot3(normal, normal) == 0.0) return false;
    const double from_height = -rni_dot3(normal, corner[0]);
    double to_corner[3];
    rni_sub3(triangle[0], to, to_corner);
    const double to_height = -rni_dot3(normal, to_corner);
    if (from_height == 0.0 && to_height == 0.0)
        return cross_in_plane(triangle, normal, from, to, crossing);
    if ((from_height > 0.0 && to_height > 0.0) || (from_height < 0.0 && to_height < 0.0))
        return false;
    /* side[k]: on which side of the edge opposite of k the line passes. The edge in the other
     * direction, as the neighbour has it, gives the same bits with the other sign. */
    for (int k = 0; k < 3; k++) {
        rni_cross3(corner[(k + 1) % 3], corner[(k + 2) % 3], cross);
        side[k] = rni_dot3(direction, cross);
    }
    const bool is_left = side[0] >= 0.0 && side[1] >= 0.0 && side[2] >= 0.0;
    const bool is_right = side[0] <= 0.0 && side[1] <= 0.0 && side[2] <= 0.0;
    const double sum = side[0] + side[1] + side[2];
    if (!(is_left || is_right)) return false;
    crossing->t = fmin(1.0, fmax(0.0, from_height / (from_height - to_height)));
    for (int k = 0; k < 3; k++)
        crossing->weight[k] = sum != 0.0 ? side[k] / sum : (k == 0 ? 1.0 : 0.0);
    return true;
}
