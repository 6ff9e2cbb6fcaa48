/* The hot loops of the hierarchy, written once. A file that includes this header has chosen its lanes
 * (base/lanes.h, 1 or 8) and defined KERNEL_NAME, the name of the rni_hierarchy_kernel.
 *
 * Closest points, spheres and segments: floats find candidates, with margins that exceed their
 * rounding; doubles (triangle.h) decide. Differences of floats are rounded once, the normal of a
 * triangle comes from doubles, and whether a point is above a triangle is tested edge by edge; so the
 * error of a float distance is a few roundings of the distance to the farthest corner, for slivers
 * too. Winding numbers are sums of floats in the same order for any number of lanes. */

#define WIDTH      ((uint32_t)RNI_LANES)
#define INLINE     static inline __attribute__((always_inline))
#define EACH_GROUP (uint32_t l = 0; l < RNI_WIDTH; l += WIDTH)

/* Relative error of a float distance, rounded up generously; and its absolute error where squares
 * underflow. */
#define MARGIN 4e-6f
#define TINY   1e-18f

typedef struct vector3 {
    rni_v x, y, z;
} vector3;

INLINE vector3 load3(const float (*p)[RNI_WIDTH], uint32_t l)
{
    return (vector3){rni_v_load(p[0] + l), rni_v_load(p[1] + l), rni_v_load(p[2] + l)};
}

INLINE vector3 set3(const float p[3])
{
    return (vector3){rni_v_set(p[0]), rni_v_set(p[1]), rni_v_set(p[2])};
}

INLINE vector3 sub3(vector3 a, vector3 b)
{
    return (vector3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE rni_v dot3(vector3 a, vector3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The same with unspecified rounding: for candidates, which are decided elsewhere. */
INLINE rni_v quick_dot3(vector3 a, vector3 b)
{
    return rni_v_madd(rni_v_madd(a.x * b.x, a.y, b.y), a.z, b.z);
}

INLINE vector3 cross3(vector3 a, vector3 b)
{
    return (vector3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* --- nodes -------------------------------------------------------------------------------------- */

typedef struct stack_entry {
    float key; /* distance squared, or the place on a segment */
    uint32_t child;
} stack_entry;

/* Seven children of each node on one path, which is at most 11 nodes long (hierarchy_build.c). */
#define STACK_SIZE 128u

/* Adds the children of a set, the one with the smallest key last. The others stay unsorted: sorting
 * costs more than the few visits that it saves. (Lowering the bound by the farthest corners of the
 * boxes was tried too; it saves no visits.) */
INLINE uint32_t push_nearest_last(stack_entry *stack, uint32_t top, const rni_wide_node *node,
                                  const float key[RNI_WIDTH], uint32_t set)
{
    if (!set) return top;
    uint32_t best = (uint32_t)__builtin_ctz(set);
    for (set &= set - 1; set; set &= set - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(set);
        const bool is_nearer = key[lane] < key[best];
        const uint32_t put = is_nearer ? best : lane;
        best = is_nearer ? lane : best;
        stack[top++] = (stack_entry){key[put], node->child[put]};
    }
    stack[top++] = (stack_entry){key[best], node->child[best]};
    return top;
}

/* The two that come next, on their way into the cache while the first is tested. */
INLINE void prefetch_next(const rni_hierarchy *h, const stack_entry *stack, uint32_t top)
{
    for (uint32_t k = 1; k <= 2 && k <= top; k++) {
        const uint32_t child = stack[top - k].child, at = child & ~RNI_CHILD_IS_LEAF;
        const bool is_leaf = (child & RNI_CHILD_IS_LEAF) != 0;
        const char *line = is_leaf ? (const char *)&h->leaf[at] : (const char *)&h->node[at];
        for (uint32_t b = 0; b < 256; b += 64) __builtin_prefetch(line + b);
        if (!is_leaf) continue;
        for (uint32_t b = 256; b < 448; b += 64) __builtin_prefetch(line + b);
    }
}

/* Squares of the distances to the boxes of the children; the children within the bound. */
INLINE uint32_t near_children(const rni_wide_node *node, const vector3 p, float bound_sq, float *key)
{
    uint32_t set = 0;
    const rni_v zero = rni_v_set(0.0f), bound = rni_v_set(bound_sq);
    for
        EACH_GROUP
        {
            const vector3 low = sub3(load3(node->low, l), p), high = sub3(p, load3(node->high, l));
            const rni_v x = rni_v_max(rni_v_max(low.x, high.x), zero);
            const rni_v y = rni_v_max(rni_v_max(low.y, high.y), zero);
            const rni_v z = rni_v_max(rni_v_max(low.z, high.z), zero);
            const rni_v sq = rni_v_madd(rni_v_madd(x * x, y, y), z, z);
            rni_v_store(key + l, sq);
            set |= (uint32_t)rni_v_bits(rni_v_within(sq, bound)) << l;
        }
    return set & ((1u << node->count) - 1u);
}

/* --- distances to triangles --------------------------------------------------------------------- */

/* Square of the distance to the edge that starts at the origin - to, with corner = -to. */
INLINE rni_v edge_distance_sq(vector3 to, vector3 edge)
{
    const rni_v length_sq = rni_v_max(quick_dot3(edge, edge), rni_v_set(1e-36f));
    rni_v t = quick_dot3(to, edge) / length_sq;
    t = rni_v_min(rni_v_max(t, rni_v_set(0.0f)), rni_v_set(1.0f));
    const vector3 rest = {to.x - t * edge.x, to.y - t * edge.y, to.z - t * edge.z};
    return quick_dot3(rest, rest);
}

INLINE rni_v triangle_distance_sq(const rni_leaf *leaf, uint32_t l, const vector3 p)
{
    const vector3 a = load3(leaf->corner[0], l), b = load3(leaf->corner[1], l),
                  c = load3(leaf->corner[2], l), n = load3(leaf->normal, l);
    const vector3 ab = sub3(b, a), bc = sub3(c, b), ac = sub3(c, a);
    const vector3 ap = sub3(p, a), bp = sub3(p, b);
    const rni_v height = quick_dot3(n, ap);
    /* Inside of all edges, seen along the normal: n . (edge x to) = edge . (to x n) > 0; never for a
     * normal of 0. */
    const vector3 from_a = cross3(ap, n), from_b = cross3(bp, n);
    const rni_v inside = rni_v_min(rni_v_min(quick_dot3(ab, from_a), quick_dot3(bc, from_b)),
                                   rni_v_set(0.0f) - quick_dot3(ac, from_a));
    const rni_v edges = rni_v_min(rni_v_min(edge_distance_sq(ap, ab), edge_distance_sq(bp, bc)),
                                  edge_distance_sq(ap, ac));
    return rni_v_select(rni_v_less(rni_v_set(0.0f), inside), height * height, edges);
}

/* Distances of the triangles of a leaf; returns the lowest. */
INLINE float leaf_distances(const rni_leaf *leaf, const vector3 p, float *distance_sq)
{
    rni_v lowest = rni_v_set(INFINITY);
    for
        EACH_GROUP
        {
            const rni_v sq = triangle_distance_sq(leaf, l, p);
            rni_v_store(distance_sq + l, sq);
            lowest = rni_v_min(lowest, sq);
        }
    return rni_v_first(rni_v_lowest(lowest));
}

/* The lanes whose number is at most limit. */
INLINE uint32_t lanes_within(const float *number, float limit)
{
    uint32_t set = 0;
    for
        EACH_GROUP
    set |= (uint32_t)rni_v_bits(rni_v_within(rni_v_load(number + l), rni_v_set(limit))) << l;
    return set;
}

/* Squares of float distances up to this one may belong to true distances up to bound. */
INLINE float widened_sq(float bound, float reach)
{
    const float wide = (bound + MARGIN * (bound + reach) + TINY) * (1.0f + MARGIN);
    return wide * wide * (1.0f + MARGIN);
}

/* At most about 1e15, which is farther than any two points of a mesh and a query. */
INLINE float rounded_up(double distance)
{
    return (distance < 1e15 ? (float)distance : 1e15f) * (1.0f + 3e-7f) + 1e-37f;
}

/* --- closest point ------------------------------------------------------------------------------ */

#define MAX_CANDIDATES 24u

typedef struct closest_state {
    double point[3];
    float bound_sq; /* square of a distance within which the closest point is */
    uint32_t count;
    uint32_t slot[MAX_CANDIDATES]; /* 8 * leaf + lane */
    float distance_sq[MAX_CANDIDATES];
    rni_near *best;
} closest_state;

/* Decides all candidates exactly. Few are left: those of older leaves are out of the bound now. */
static void settle(const rni_hierarchy *h, closest_state *state)
{
    const float limit = sqrtf(state->bound_sq);
    for (uint32_t k = 0; k < state->count; k++) {
        const rni_leaf *leaf = &h->leaf[state->slot[k] / RNI_WIDTH];
        if (state->distance_sq[k] > widened_sq(limit, leaf->reach)) continue;
        const uint32_t lane = state->slot[k] % RNI_WIDTH;
        double triangle[3][3];
        rni_near near;
        rni_leaf_corners(leaf, lane, triangle);
        rni_triangle_nearest((const double(*)[3])triangle, state->point, &near);
        near.triangle = leaf->triangle[lane];
        if (near.distance_sq > state->best->distance_sq ||
            (near.distance_sq == state->best->distance_sq && near.triangle >= state->best->triangle))
            continue;
        *state->best = near;
        const float bound = rounded_up(sqrt(near.distance_sq));
        if (bound * bound < state->bound_sq) state->bound_sq = bound * bound;
    }
    state->count = 0;
}

INLINE void closest_in_leaf(const rni_hierarchy *h, uint32_t at, const vector3 p, closest_state *state)
{
    const rni_leaf *leaf = &h->leaf[at];
    float distance_sq[RNI_WIDTH];
    const float lowest = leaf_distances(leaf, p, distance_sq);
    float bound = sqrtf(state->bound_sq) * (1.0f + MARGIN);
    const float nearest = sqrtf(lowest), top = nearest + MARGIN * (nearest + leaf->reach) + TINY;
    if (top < bound) {
        bound = top;
        state->bound_sq = top * top * (1.0f + MARGIN);
    }
    uint32_t set = lanes_within(distance_sq, widened_sq(bound, leaf->reach));
    for (set &= (1u << leaf->count) - 1u; set; set &= set - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(set);
        if (state->count == MAX_CANDIDATES) settle(h, state);
        state->slot[state->count] = at * RNI_WIDTH + lane;
        state->distance_sq[state->count++] = distance_sq[lane];
    }
}

static bool closest(const rni_hierarchy *h, const float point[3], double max_distance, rni_near *near)
{
    const vector3 p = set3(point);
    closest_state state = {.point = {(double)point[0], (double)point[1], (double)point[2]},
                           .bound_sq = rounded_up(max_distance) * rounded_up(max_distance),
                           .best = near};
    *near = (rni_near){.distance_sq = max_distance * max_distance, .triangle = UINT32_MAX};
    stack_entry stack[STACK_SIZE];
    uint32_t top = 1;
    stack[0] = (stack_entry){0.0f, 0};
    while (top > 0) {
        const stack_entry next = stack[--top];
        /* MARGIN exceeds the rounding of the squared distance to a box. */
        if (next.key * (1.0f - MARGIN) > state.bound_sq) continue;
        if (next.child & RNI_CHILD_IS_LEAF) {
            closest_in_leaf(h, next.child & ~RNI_CHILD_IS_LEAF, p, &state);
            continue;
        }
        float key[RNI_WIDTH];
        const rni_wide_node *node = &h->node[next.child];
        const float bound_sq = state.bound_sq * (1.0f + MARGIN);
        top = push_nearest_last(stack, top, node, key, near_children(node, p, bound_sq, key));
        prefetch_next(h, stack, top);
    }
    settle(h, &state);
    return near->triangle != UINT32_MAX;
}

/* --- within a radius ---------------------------------------------------------------------------- */

INLINE bool within_leaf(const rni_leaf *leaf, const vector3 p, const double point[3], double radius,
                        rni_near_fn visit, void *user)
{
    float distance_sq[RNI_WIDTH];
    const float limit = widened_sq(rounded_up(radius), leaf->reach);
    if (leaf_distances(leaf, p, distance_sq) > limit) return true;
    uint32_t set = lanes_within(distance_sq, limit) & ((1u << leaf->count) - 1u);
    for (; set; set &= set - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(set);
        double triangle[3][3];
        rni_near near;
        rni_leaf_corners(leaf, lane, triangle);
        rni_triangle_nearest((const double(*)[3])triangle, point, &near);
        near.triangle = leaf->triangle[lane];
        if (near.distance_sq <= radius * radius && !visit(user, &near)) return false;
    }
    return true;
}

static void within(const rni_hierarchy *h, const float point[3], double radius, rni_near_fn visit,
                   void *user)
{
    const vector3 p = set3(point);
    const double exact[3] = {(double)point[0], (double)point[1], (double)point[2]};
    const float bound = rounded_up(radius), bound_sq = bound * bound * (1.0f + MARGIN);
    uint32_t stack[STACK_SIZE], top = 1;
    stack[0] = 0;
    while (top > 0) {
        const uint32_t next = stack[--top];
        if (next & RNI_CHILD_IS_LEAF) {
            if (!within_leaf(&h->leaf[next & ~RNI_CHILD_IS_LEAF], p, exact, radius, visit, user))
                return;
            continue;
        }
        float key[RNI_WIDTH];
        const rni_wide_node *node = &h->node[next];
        for (uint32_t set = near_children(node, p, bound_sq, key); set; set &= set - 1)
            stack[top++] = node->child[__builtin_ctz(set)];
    }
}

#include "mesh/segment_kernel.h"
#include "mesh/winding_kernel.h"

const rni_hierarchy_kernel KERNEL_NAME = {closest, within, segment, winding};
