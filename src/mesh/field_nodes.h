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
#include "mesh/field_builder.h"
#include "mesh/field_lanes.h"

/* Of a vector of nodes: their steps along x and y. */
typedef struct steps {
    lanes x, y;
} steps;

/* Lengths of a triangle at some nodes. */
typedef struct place {
    lanes z, z_sq, a[3], s1[3], s2[3];
} place;

/* What an edge or a triangle adds: flux and, along the normal, gradient, of both laws. */
typedef struct share {
    lanes flux, slope, cover, cover_slope;
} share;

INLINE lanes length_at(const rni_ready_length *l, number plane, const steps *at)
{
    return all(l->first + plane * l->step[2]) + (at->x * all(l->step[0]) + at->y * all(l->step[1]));
}

INLINE void add_edge(const rni_node_law *law, const place *p, int k, share *sum)
{
    const lanes zero = all(0), a = p->a[k];
    const lanes d_sq = a * a + p->z_sq, most = root(larger(all(1) - d_sq, zero));
    const lanes s1 = smaller(larger(p->s1[k], -most), most),
                s2 = smaller(larger(p->s2[k], -most), most);
    const lanes length = s2 - s1;
    if (!is_any(length > zero)) return;
    const lanes t = angle_of(a * length, a * a + s1 * s2);
    const lanes r1 = root(d_sq + s1 * s1), r2 = root(d_sq + s2 * s2), r_sum = r1 + r2;
    const lanes solid = angle_of(a * p->z * (s2 * r1 - s1 * r2), a * a * r1 * r2 + p->z_sq * s1 * s2);
    const lanes under = larger(r_sum - length, all(1e-30)), over = larger(r_sum + length, all(1e-30));
    lanes k_odd = logarithm(over / under), k_even = length; /* K_-1, K_0 */
    lanes j_even = t, j_odd = p->z * solid + a * k_odd;     /* J_0, J_1 */
    lanes power1 = s1, power2 = s2;                         /* s r^m */
    lanes value = zero, slope = zero, cover = zero, cover_slope = zero;
    for (uint32_t n = 1; n <= RNI_FIELD_DEGREE; n++) { /* here j_even, j_odd: J_n-1, J_n */
        value += all(law->monomial[n]) * j_even;
        slope += all(law->slope[n]) * j_even;
        cover += all(law->cover[n]) * j_even;
        cover_slope += all(law->cover_slope[n]) * j_even;
        if (n == RNI_FIELD_DEGREE) break;
        const lanes j_next = p->z_sq * j_even + a * k_even; /* J_n+1 */
        j_even = j_odd, j_odd = j_next;
        power1 *= r1, power2 *= r2;
        const lanes k_next =
            ((power2 - power1) + all((number)n) * d_sq * k_odd) * all(1.0 / (n + 1)); /* K_n */
        k_odd = k_even, k_even = k_next;
    }
    sum->flux += all(law->monomial[0]) * solid + p->z * value;
    sum->slope += slope;
    sum->cover += all(law->cover[0]) * solid + p->z * cover;
    sum->cover_slope += cover_slope;
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
    share sum = {zero, zero, zero, zero};
    for (int k = 0; k < 3; k++) add_edge(law, &p, k, &sum);
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
        const uint32_t bit = 1u << first / RNI_FIELD_PLANE;
        for (uint32_t k = 0; k < count; k++)
            if (triangles[k].planes & bit) add_triangle(law, &triangles[k], &at, first, sums);
    }
}
