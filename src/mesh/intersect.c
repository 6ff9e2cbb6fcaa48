#include "mesh/intersect.h"

#include "mesh/exact.h"

/* --- in a plane -------------------------------------------------------------------------------- */

/* Axes in which the triangle has an area, and runs counter-clockwise. */
static void find_axes(const float *const t[3], int *u, int *v)
{
    for (int axis = 0; axis < 3; axis++) {
        *u = axis;
        *v = (axis + 1) % 3;
        const int turn = rni_exact_turn(t[0], t[1], t[2], *u, *v);
        if (turn == 0) continue;
        if (turn < 0) {
            *u = *v;
            *v = axis;
        }
        return;
    }
}

static bool is_between(const float *p, const float *a, const float *b, int u, int v)
{
    const bool is_in_u = a[u] < b[u] ? a[u] <= p[u] && p[u] <= b[u] : b[u] <= p[u] && p[u] <= a[u];
    const bool is_in_v = a[v] < b[v] ? a[v] <= p[v] && p[v] <= b[v] : b[v] <= p[v] && p[v] <= a[v];
    return is_in_u && is_in_v;
}

/* Closed segments p q and a b. */
static bool segments_meet(const float *p, const float *q, const float *a, const float *b, int u, int v)
{
    const int pa = rni_exact_turn(p, q, a, u, v), pb = rni_exact_turn(p, q, b, u, v);
    const int ap = rni_exact_turn(a, b, p, u, v), aq = rni_exact_turn(a, b, q, u, v);
    if (pa * pb < 0 && ap * aq < 0) return true;
    return (pa == 0 && is_between(a, p, q, u, v)) || (pb == 0 && is_between(b, p, q, u, v)) ||
           (ap == 0 && is_between(p, a, b, u, v)) || (aq == 0 && is_between(q, a, b, u, v));
}

/* A segment in the plane of the triangle. */
static bool flat_segment_meets(const float *p, const float *q, const float *const t[3])
{
    int u = 0, v = 1;
    find_axes(t, &u, &v);
    bool is_inside = true;
    for (int k = 0; k < 3; k++) {
        const float *a = t[k], *b = t[(k + 1) % 3];
        is_inside = is_inside && rni_exact_turn(a, b, p, u, v) >= 0;
        if (segments_meet(p, q, a, b, u, v)) return true;
    }
    return is_inside;
}

/* --- in space ---------------------------------------------------------------------------------- */

/* Closed segment, closed triangle. side_p and side_q: of the plane of the triangle. */
static bool segment_meets(const float *p, const float *q, int side_p, int side_q,
                          const float *const t[3])
{
    if (side_p * side_q > 0) return false;
    if (side_p == 0 && side_q == 0) return flat_segment_meets(p, q, t);
    bool has_left = false, has_right = false;
    for (int k = 0; k < 3; k++) {
        const int side = rni_exact_side(p, q, t[k], t[(k + 1) % 3]);
        has_left |= side < 0;
        has_right |= side > 0;
    }
    return !(has_left && has_right);
}

static void find_sides(const float *const t[3], const float *const of[3], int side[3])
{
    for (int k = 0; k < 3; k++) side[k] = rni_exact_side(t[0], t[1], t[2], of[k]);
}

static bool are_apart(const int side[3])
{
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

static bool is_same(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* One shared corner: whatever else is common reaches an edge opposite of it. */
static bool meet_beyond_corner(const float *const a[3], const float *const b[3], int in_a, int in_b)
{
    const int a1 = (in_a + 1) % 3, a2 = (in_a + 2) % 3, b1 = (in_b + 1) % 3, b2 = (in_b + 2) % 3;
    int side[3];
    find_sides(b, a, side);
    if (segment_meets(a[a1], a[a2], side[a1], side[a2], b)) return true;
    find_sides(a, b, side);
    return segment_meets(b[b1], b[b2], side[b1], side[b2], a);
}

/* A shared edge: the triangles overlap if they lie in one plane, on the same side of the edge. */
static bool meet_beyond_edge(const float *const a[3], const float *const b[3], int free_a, int free_b)
{
    const float *p = a[(free_a + 1) % 3], *q = a[(free_a + 2) % 3];
    if (rni_exact_side(p, q, a[free_a], b[free_b]) != 0) return false;
    int u = 0, v = 1;
    find_axes(a, &u, &v);
    return rni_exact_turn(p, q, b[free_b], u, v) > 0;
}

static bool meet_anywhere(const float *const a[3], const float *const b[3])
{
    int side_a[3], side_b[3];
    find_sides(b, a, side_a);
    if (are_apart(side_a)) return false;
    find_sides(a, b, side_b);
    if (are_apart(side_b)) return false;
    for (int k = 0; k < 3; k++) {
        const int n = (k + 1) % 3;
        if (segment_meets(a[k], a[n], side_a[k], side_a[n], b) ||
            segment_meets(b[k], b[n], side_b[k], side_b[n], a))
            return true;
    }
    return false;
}

bool rni_triangles_intersect(const float *const a[3], const float *const b[3])
{
    int shared_count = 0, in_a = 0, in_b = 0, sum_a = 0, sum_b = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!is_same(a[i], b[j])) continue;
            shared_count++;
            in_a = i;
            in_b = j;
            sum_a += i;
            sum_b += j;
        }
    switch (shared_count) {
    case 0: return meet_anywhere(a, b);
    case 1: return meet_beyond_corner(a, b, in_a, in_b);
    case 2: return meet_beyond_edge(a, b, 3 - sum_a, 3 - sum_b);
    default: return false;
    }
}
