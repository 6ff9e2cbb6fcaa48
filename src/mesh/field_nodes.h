/* The closed form of field_sum.h for the nodes of a block: what a field is built with.
 *
 * Lengths in multiples of the reach, from the first node of the block. A triangle is made ready once a block; at a
 * node every length of it is a sum of steps. (In float it is twice as fast, but the monomials of the law cancel
 * each other near the reach: distances are off by 2e-4 there.) Each plane of 4 x 4 nodes is
 * RNI_FIELD_PLANE / LANES vectors. The angles about the foot that are not clipped sum up to 2 pi where the foot
 * is in the triangle, else to 0.
 *
 * Include with LANES (2, 4 or 8) and NAME defined. */
/* Of the series of arc tangent and logarithm: to 1e-11. */
#define LAST_TERM 13
#define FUSE
#include "mesh/field_builder.h"
#include "mesh/field_lanes.h"

/* Of a vector of nodes: their steps along x and y. */
typedef struct steps {
    lanes x, y;
} steps;

/* Lengths of a triangle at some nodes; r: from the corners, not more than 1. */
typedef struct place {
    lanes z, z_sq, a[3], s1[3], s2[3], r[3];
} place;

/* What the edges add: the solid angle, and the sums J_0, J_1, ... of field.h's law. */
typedef struct edge_sums {
    lanes solid, j[RNI_FIELD_DEGREE];
} edge_sums;

/* What a triangle adds: flux and, along the normal, gradient, of both laws. */
typedef struct share {
    lanes flux, slope, cover, cover_slope;
} share;

INLINE lanes length_at(const rni_ready_length *l, number plane, const steps *at)
{
    return all(l->first + plane * l->step[2]) + (at->x * all(l->step[0]) + at->y * all(l->step[1]));
}

/* Edge k; is_clipped: some of its ends are beyond the reach, and the part of it within counts. */
INLINE void add_edge(const place *p, int k, bool is_clipped, edge_sums *sum)
{
    const lanes a = p->a[k], d_sq = a * a + p->z_sq, r1 = p->r[k], r2 = p->r[(k + 1) % 3];
    lanes s1 = p->s1[k], s2 = p->s2[k];
    if (is_clipped) {
        const lanes most = root(larger(all(1) - d_sq, all(0)));
        s1 = pick(r1 < all(1), s1, smaller(larger(s1, -most), most));
        s2 = pick(r2 < all(1), s2, smaller(larger(s2, -most), most));
    }
    const lanes length = s2 - s1;
    if (is_clipped && !is_any(length > all(0))) return;
    const lanes r_sum = r1 + r2;
    fraction fractions[3];
    lanes quotient[3];
    const angle flat = begin_angle(a * length, a * a + s1 * s2, &fractions[0]);
    const angle of_solid = begin_angle(a * p->z * (s2 * r1 - s1 * r2),
                                       a * a * r1 * r2 + p->z_sq * s1 * s2, &fractions[1]);
    const lanes exponent = begin_logarithm(larger(r_sum + length, all(1e-30)),
                                           larger(r_sum - length, all(1e-30)), &fractions[2]);
    divide_three(fractions, quotient);
    const lanes solid = end_angle(&of_solid, quotient[1]);
    lanes k_odd = end_logarithm(exponent, quotient[2]), k_even = length; /* K_-1, K_0 */
    lanes j_even = end_angle(&flat, quotient[0]);
    lanes j_odd = p->z * solid + a * k_odd; /* J_0, J_1 */
    lanes power1 = s1, power2 = s2;         /* s r^m */
    sum->solid += solid;
    for (uint32_t n = 1; n <= RNI_FIELD_DEGREE; n++) { /* here j_even, j_odd: J_n-1, J_n */
        sum->j[n - 1] += j_even;
        if (n == RNI_FIELD_DEGREE) break;
        const lanes j_next = product_sum(p->z_sq, j_even, a * k_even); /* J_n+1 */
        j_even = j_odd, j_odd = j_next;
        power1 *= r1, power2 *= r2;
        const lanes k_next = product_sum(all((number)n) * d_sq, k_odd, power2 - power1) *
                             all(1.0 / (n + 1)); /* K_n */
        k_odd = k_even, k_even = k_next;
    }
}

/* All edges, under both laws. */
INLINE share add_edges(const rni_node_law *law, const place *p)
{
    const lanes one = all(1), zero = all(0);
    const bool is_clipped = is_any(larger(larger(p->r[0], p->r[1]), p->r[2]) >= one);
    edge_sums sum;
    memset(&sum, 0, sizeof sum);
    for (int k = 0; k < 3; k++) add_edge(p, k, is_clipped, &sum);
    share s = {zero, zero, zero, zero};
    for (uint32_t n = RNI_FIELD_DEGREE; n >= 1; n--) {
        s.flux = product_sum(all(law->monomial[n]), sum.j[n - 1], s.flux);
        s.slope = product_sum(all(law->slope[n]), sum.j[n - 1], s.slope);
        s.cover = product_sum(all(law->cover[n]), sum.j[n - 1], s.cover);
        s.cover_slope = product_sum(all(law->cover_slope[n]), sum.j[n - 1], s.cover_slope);
    }
    s.flux = all(law->monomial[0]) * sum.solid + p->z * s.flux;
    s.cover = all(law->cover[0]) * sum.solid + p->z * s.cover;
    return s;
}

/* Where the foot is in the triangle: less the law at the height, all around. */
INLINE void add_foot(const rni_node_law *law, const place *p, masks is_over, share *sum)
{
    const lanes zero = all(0), rest = larger(all(1) - size(p->z), zero);
    lanes u = zero, du = zero, c = zero, dc = zero;
    for (uint32_t k = RNI_FIELD_DEGREE + 1; k-- > 0;) {
        du = du * rest + u;
        u = u * rest + all(law->power[k]);
        dc = dc * rest + c;
        c = c * rest + all(law->cover_power[k]);
    }
    const lanes around = where(is_over, all(2 * RNI_PI));
    sum->flux -= pick(p->z > zero, u, -u) * around;
    sum->slope += du * around;
    sum->cover -= pick(p->z > zero, c, -c) * around;
    sum->cover_slope += dc * around;
}

/* The square of the distance from the triangle. Where it is the nearest so far, `to` becomes the way from there. */
INLINE lanes meet_triangle(const rni_ready_triangle *t, const place *p, masks is_over,
                           number *to[3], lanes before_sq)
{
    const lanes zero = all(0);
    lanes least = all((double)INFINITY), s[3], inward[3] = {zero, zero, zero};
    masks is_nearer[3];
    for (int k = 0; k < 3; k++) {
        s[k] = smaller(larger(zero, p->s1[k]), p->s2[k]);
        const lanes sq = p->a[k] * p->a[k] + s[k] * s[k];
        is_nearer[k] = sq < least;
        least = pick(is_nearer[k], sq, least);
    }
    const lanes distance_sq = p->z_sq + where(~is_over, least);
    const masks is_nearest = distance_sq < before_sq;
    if (!is_any(is_nearest)) return distance_sq;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            inward[c] = pick(is_nearer[k],
                             p->a[k] * all(t->inward[k][c]) - s[k] * all(t->edge[k][c]), inward[c]);
    for (int c = 0; c < 3; c++) {
        const lanes away = where(~is_over, inward[c]) - p->z * all(t->normal[c]);
        store(to[c], pick(is_nearest, away, load(to[c])));
    }
    return distance_sq;
}

INLINE void add_sums(const rni_ready_triangle *t, const share *sum, masks is_near,
                     rni_node_sums *sums, uint32_t first)
{
    const lanes part = where(is_near, all(0.5 / RNI_PI));
    const lanes flux = sum->flux * part, weight = size(flux);
    const lanes slope = sum->slope * -part, cover_slope = sum->cover_slope * -part;
    store(&sums->flux[first], load(&sums->flux[first]) + flux);
    store(&sums->cover[first], load(&sums->cover[first]) + sum->cover * part);
    for (int c = 0; c < 3; c++) {
        number *g = &sums->gradient[c][first], *of_cover = &sums->cover_gradient[c][first];
        store(g, load(g) + slope * all(t->normal[c]));
        store(of_cover, load(of_cover) + cover_slope * all(t->normal[c]));
    }
    for (int k = 0; k < 6; k++) {
        number *to = &sums->spread[k][first];
        store(to, load(to) + weight * all(t->product[k]));
    }
}

/* Nodes first .. first + LANES - 1 of a block. */
INLINE void add_triangle(const rni_node_law *law, const rni_ready_triangle *t, const steps *at,
                         uint32_t first, rni_node_sums *sums)
{
    const uint32_t plane_number = first / RNI_FIELD_PLANE;
    const number plane = (number)plane_number;
    const lanes zero = all(0);
    place p;
    masks is_over = at->x == at->x;
    p.z = length_at(&t->z, plane, at);
    p.z_sq = p.z * p.z;
    for (int k = 0; k < 3; k++) {
        p.a[k] = length_at(&t->a[k], plane, at) + zero; /* no -0 */
        p.s1[k] = length_at(&t->s[k], plane, at);
        p.s2[k] = p.s1[k] + all(t->length[k]);
        is_over &= p.a[k] >= zero;
    }
    number *to[3] = {&sums->nearest[0][first], &sums->nearest[1][first], &sums->nearest[2][first]};
    const lanes before_sq = load(&sums->distance_sq[first]);
    const lanes distance_sq = meet_triangle(t, &p, is_over, to, before_sq);
    store(&sums->distance_sq[first], smaller(distance_sq, before_sq));
    const masks is_near = distance_sq < all(1);
    if (!is_any(is_near)) return;
    for (int k = 0; k < 3; k++)
        p.r[k] = smaller(root(p.z_sq + p.a[k] * p.a[k] + p.s1[k] * p.s1[k]), all(1));
    share sum = add_edges(law, &p);
    if (is_any(is_over)) add_foot(law, &p, is_over, &sum);
    add_sums(t, &sum, is_near, sums, first);
}

void NAME(const rni_node_law *law, const rni_ready_triangle *triangles, uint32_t count,
          rni_node_sums *sums)
{
    for (uint32_t first = 0; first < RNI_FIELD_OWN; first += LANES) {
        number x[LANES], y[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            x[l] = (number)((first + l) % RNI_FIELD_CELLS);
            y[l] = (number)((first + l) / RNI_FIELD_CELLS % RNI_FIELD_CELLS);
        }
        const steps at = {load(x), load(y)};
        const uint32_t bit = 1u << first / RNI_FIELD_HALF;
        for (uint32_t k = 0; k < count; k++)
            if (triangles[k].halves & bit) add_triangle(law, &triangles[k], &at, first, sums);
    }
}
