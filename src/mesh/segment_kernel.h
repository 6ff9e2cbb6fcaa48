/* The first triangle on a segment; part of hierarchy_kernel.h. */

typedef struct segment_state {
    vector3 from, direction, inverse; /* the same in all lanes */
    double exact_from[3], exact_to[3];
    float length; /* of the direction, rounded up */
    rni_crossing *first;
} segment_state;

/* Where the line enters the boxes of the children; the children that it enters before the end. */
INLINE uint32_t crossed_children(const rni_wide_node *node, const segment_state *state, float end,
                                 float *key)
{
    uint32_t set = 0;
    for
        EACH_GROUP
        {
            const vector3 low = sub3(load3(node->low, l), state->from);
            const vector3 high = sub3(load3(node->high, l), state->from);
            const rni_v ax = low.x * state->inverse.x, bx = high.x * state->inverse.x;
            const rni_v ay = low.y * state->inverse.y, by = high.y * state->inverse.y;
            const rni_v az = low.z * state->inverse.z, bz = high.z * state->inverse.z;
            const rni_v begin = rni_v_max(rni_v_max(rni_v_min(ax, bx), rni_v_min(ay, by)),
                                          rni_v_max(rni_v_min(az, bz), rni_v_set(0.0f)));
            const rni_v last = rni_v_min(rni_v_min(rni_v_max(ax, bx), rni_v_max(ay, by)),
                                         rni_v_min(rni_v_max(az, bz), rni_v_set(end)));
            rni_v_store(key + l, begin);
            set |= (uint32_t)rni_v_bits(rni_v_within(begin * (1.0f - MARGIN), last * (1.0f + MARGIN)))
                   << l;
        }
    return set & ((1u << node->count) - 1u);
}

/* Triangles that the line may pass: the three sides have one sign, up to rounding. */
INLINE uint32_t crossed_triangles(const rni_leaf *leaf, const segment_state *state)
{
    uint32_t set = 0;
    for
        EACH_GROUP
        {
            const vector3 a = sub3(load3(leaf->corner[0], l), state->from);
            const vector3 b = sub3(load3(leaf->corner[1], l), state->from);
            const vector3 c = sub3(load3(leaf->corner[2], l), state->from);
            const rni_v farthest = rni_v_max(rni_v_max(dot3(a, a), dot3(b, b)), dot3(c, c));
            const rni_v margin = farthest * (4.0f * MARGIN * state->length) + 1e-30f;
            const rni_v u = dot3(state->direction, cross3(b, c));
            const rni_v v = dot3(state->direction, cross3(c, a));
            const rni_v w = dot3(state->direction, cross3(a, b));
            const rni_v lowest = rni_v_min(rni_v_min(u, v), w),
                        highest = rni_v_max(rni_v_max(u, v), w);
            set |= (uint32_t)(rni_v_bits(rni_v_within(rni_v_set(0.0f) - margin, lowest)) |
                              rni_v_bits(rni_v_within(highest, margin)))
                   << l;
        }
    return set & ((1u << leaf->count) - 1u);
}

INLINE void segment_in_leaf(const rni_leaf *leaf, segment_state *state)
{
    for (uint32_t set = crossed_triangles(leaf, state); set; set &= set - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(set);
        double triangle[3][3];
        rni_crossing crossing;
        rni_leaf_corners(leaf, lane, triangle);
        crossing.triangle = leaf->triangle[lane];
        if (!rni_triangle_cross((const double(*)[3])triangle, state->exact_from, state->exact_to,
                                &crossing))
            continue;
        if (crossing.t < state->first->t ||
            (crossing.t == state->first->t && crossing.triangle < state->first->triangle))
            *state->first = crossing;
    }
}

/* 1 / d; a line that is nearly parallel to a face is tilted by less than its rounding. */
INLINE rni_v inverse_of(float d)
{
    return rni_v_set(1.0f / (fabsf(d) > 1e-24f ? d : (d < 0.0f ? -1e-24f : 1e-24f)));
}

static bool segment(const rni_hierarchy *h, const float from[3], const float to[3],
                    rni_crossing *crossing)
{
    *crossing = (rni_crossing){.t = 1.0, .triangle = UINT32_MAX};
    segment_state state = {.from = set3(from), .first = crossing};
    float direction[3];
    for (int axis = 0; axis < 3; axis++) {
        state.exact_from[axis] = (double)from[axis];
        state.exact_to[axis] = (double)to[axis];
        direction[axis] = to[axis] - from[axis];
        state.length += fabsf(direction[axis]);
    }
    state.direction = set3(direction);
    state.inverse =
        (vector3){inverse_of(direction[0]), inverse_of(direction[1]), inverse_of(direction[2])};
    stack_entry stack[STACK_SIZE];
    uint32_t top = 1;
    stack[0] = (stack_entry){0.0f, 0};
    while (top > 0) {
        const stack_entry next = stack[--top];
        const float end = rounded_up(crossing->t);
        if (next.key * (1.0f - MARGIN) > end) continue;
        if (next.child & RNI_CHILD_IS_LEAF) {
            segment_in_leaf(&h->leaf[next.child & ~RNI_CHILD_IS_LEAF], &state);
            continue;
        }
        float key[RNI_WIDTH];
        const rni_wide_node *node = &h->node[next.child];
        top = push_nearest_last(stack, top, node, key, crossed_children(node, &state, end, key));
    }
    return crossing->triangle != UINT32_MAX;
}
