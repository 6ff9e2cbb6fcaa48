/* The generalised winding number; part of hierarchy_kernel.h.
 *
 * Near triangles count by their solid angle (Van Oosterom and Strackee 1983): the argument of a
 * complex number. The numbers are multiplied instead of adding arctangents, and every half turn that
 * a product passes is counted. Far children count by their dipoles. */

typedef struct turning {
    rni_v re, im; /* the product so far */
    rni_v wraps;  /* full turns that the argument of the product has lost */
} turning;

/* Multiplies by re + i im. The argument wraps when two of one half plane meet in the other one. */
INLINE void turn_by(turning *total, rni_v re, rni_v im)
{
    const rni_v zero = rni_v_set(0.0f), one = rni_v_set(1.0f);
    rni_v x = total->re * re - total->im * im, y = total->re * im + total->im * re;
    const rni_v low = rni_v_min(total->im, im), high = rni_v_max(total->im, im);
    const rni_v up = rni_v_where(rni_vm_and(rni_v_within(zero, low), rni_v_less(y, zero)), one);
    const rni_v down = rni_v_where(rni_vm_and(rni_v_less(high, zero), rni_v_within(zero, y)), one);
    total->wraps = total->wraps + up - down;
    const rni_v size = rni_v_max(rni_v_max(x, zero - x), rni_v_max(y, zero - y));
    const rni_vm is_zero = rni_v_within(size, rni_v_set(1e-30f));
    const rni_v scale = rni_v_select(is_zero, one, size);
    total->re = rni_v_select(is_zero, one, x / scale);
    total->im = rni_v_select(is_zero, zero, y / scale);
}

/* The solid angle of a triangle whose plane nearly holds the point, in double: its sign decides
 * whether the point is inside. */
static void exact_turn(const rni_leaf *leaf, uint32_t lane, const float point[3], float *re, float *im)
{
    double corner[3][3], length[3], cross[3];
    rni_leaf_corners(leaf, lane, corner);
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) corner[k][axis] -= (double)point[axis];
        length[k] = sqrt(rni_dot3(corner[k], corner[k]));
    }
    double ab[3], ac[3];
    rni_sub3(corner[1], corner[0], ab);
    rni_sub3(corner[2], corner[0], ac);
    rni_cross3(ab, ac, cross);
    const double volume = rni_dot3(corner[0], cross);
    const double real =
        length[0] * length[1] * length[2] + rni_dot3(corner[0], corner[1]) * length[2] +
        rni_dot3(corner[1], corner[2]) * length[0] + rni_dot3(corner[2], corner[0]) * length[1];
    const double size = fmax(fabs(real), fabs(volume));
    *re = size > 0.0 ? (float)(real / size) : 1.0f;
    *im = size > 0.0 ? (float)(volume / size) : 0.0f;
    if (volume > 0.0 && *im == 0.0f) *im = 1e-30f; /* the sign survives the rounding */
    if (volume < 0.0 && *im == 0.0f) *im = -1e-30f;
}

INLINE void turn_by_leaf(const rni_leaf *leaf, const float point[3], turning *total)
{
    const vector3 p = set3(point);
    for
        EACH_GROUP
        {
            const vector3 a = sub3(load3(leaf->corner[0], l), p),
                          b = sub3(load3(leaf->corner[1], l), p),
                          c = sub3(load3(leaf->corner[2], l), p);
            const rni_v la = rni_v_sqrt(dot3(a, a)), lb = rni_v_sqrt(dot3(b, b)),
                        lc = rni_v_sqrt(dot3(c, c));
            rni_v re = la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb;
            rni_v im = dot3(a, cross3(sub3(b, a), sub3(c, a)));
            /* The sign of im is uncertain, and it matters only in front of or behind the triangle. */
            const rni_v size = la * lb * lc, bend = rni_v_max(im, rni_v_set(0.0f) - im);
            uint32_t unsure = (uint32_t)rni_v_bits(
                rni_vm_and(rni_v_within(bend, size * 1e-4f), rni_v_less(re, size * 1e-3f)));
            const uint32_t left = leaf->count > l ? leaf->count - l : 0;
            unsure &= (1u << (left < 31 ? left : 31)) - 1u;
            if (unsure) {
                float reals[RNI_WIDTH], imags[RNI_WIDTH];
                rni_v_store(reals, re);
                rni_v_store(imags, im);
                for (; unsure; unsure &= unsure - 1) {
                    const uint32_t lane = (uint32_t)__builtin_ctz(unsure);
                    exact_turn(leaf, l + lane, point, &reals[lane], &imags[lane]);
                }
                re = rni_v_load(reals);
                im = rni_v_load(imags);
            }
            turn_by(&total[l / WIDTH], rni_v_first_or(re, left, rni_v_set(1.0f)),
                    rni_v_first_or(im, left, rni_v_set(0.0f)));
        }
}

/* Adds the far children to sum[]; the other ones are returned. */
INLINE uint32_t near_dipoles(const rni_dipoles *d, const vector3 p, rni_v *sum)
{
    uint32_t near = 0;
    for
        EACH_GROUP
        {
            vector3 r = sub3(load3(d->centre, l), p);
            const rni_v r_sq = rni_v_max(dot3(r, r), rni_v_set(1e-36f));
            const rni_vm is_far = rni_v_less(rni_v_load(d->reach_sq + l), r_sq);
            const rni_v length = rni_v_sqrt(r_sq), inverse = rni_v_set(1.0f) / length;
            const vector3 u = {r.x * inverse, r.y * inverse, r.z * inverse};
            const vector3 sx = load3(d->slope, l), sy = load3(d->slope + 3, l),
                          sz = load3(d->slope + 6, l);
            const vector3 su = {dot3(sx, u), dot3(sy, u), dot3(sz, u)};
            const rni_v second = (sx.x + sy.y + sz.z - 3.0f * dot3(su, u)) * inverse;
            const rni_v value = (dot3(load3(d->area, l), u) + second) * inverse * inverse;
            sum[l / WIDTH] = sum[l / WIDTH] + rni_v_where(is_far, value);
            near |= (~(uint32_t)rni_v_bits(is_far) & (uint32_t)((1u << WIDTH) - 1u)) << l;
        }
    return near;
}

/* Multiplies the products of all lanes, in doubles. */
static double total_angle(const float re[RNI_WIDTH], const float im[RNI_WIDTH],
                          const float wraps[RNI_WIDTH])
{
    double x = 1.0, y = 0.0, turns = 0.0;
    for (uint32_t l = 0; l < RNI_WIDTH; l++) {
        const double a = (double)re[l], b = (double)im[l];
        const double next_x = x * a - y * b, next_y = x * b + y * a;
        turns += (double)wraps[l];
        if (y >= 0.0 && b >= 0.0 && next_y < 0.0) turns += 1.0;
        if (y < 0.0 && b < 0.0 && next_y >= 0.0) turns -= 1.0;
        x = next_x;
        y = next_y;
    }
    return 2.0 * (atan2(y, x) + 2.0 * RNI_PI * turns);
}

static double winding(const rni_hierarchy *h, const float point[3])
{
    enum { GROUPS = RNI_WIDTH / RNI_LANES };
    turning total[GROUPS];
    rni_v sum[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        total[g] = (turning){rni_v_set(1.0f), rni_v_set(0.0f), rni_v_set(0.0f)};
        sum[g] = rni_v_set(0.0f);
    }
    const vector3 p = set3(point);
    uint32_t stack[STACK_SIZE], top = 1;
    stack[0] = 0;
    while (top > 0) {
        const uint32_t next = stack[--top];
        if (next & RNI_CHILD_IS_LEAF) {
            turn_by_leaf(&h->leaf[next & ~RNI_CHILD_IS_LEAF], point, total);
            continue;
        }
        for (uint32_t set = near_dipoles(&h->dipole[next], p, sum); set; set &= set - 1)
            stack[top++] = h->node[next].child[__builtin_ctz(set)];
    }
    float re[RNI_WIDTH], im[RNI_WIDTH], wraps[RNI_WIDTH], sums[RNI_WIDTH];
    for
        EACH_GROUP
        {
            rni_v_store(re + l, total[l / WIDTH].re);
            rni_v_store(im + l, total[l / WIDTH].im);
            rni_v_store(wraps + l, total[l / WIDTH].wraps);
            rni_v_store(sums + l, sum[l / WIDTH]);
        }
    double far_angle = 0.0;
    for (uint32_t l = 0; l < RNI_WIDTH; l++) far_angle += (double)sums[l];
    return (total_angle(re, im, wraps) + far_angle) / (4.0 * RNI_PI);
}
