/* The closed form: what a triangle gives to the boundary field at some points, for any number of lanes.
 *
 * Lengths in multiples of the reach. x: the point; z = (corner - x) . n; for the edge from corner k to k + 1
 * with the direction e: a = (x - corner) . (n x e), the distance of the foot of x from the edge's line,
 * positive on the triangle's side; s1, s2: the ends along the edge, from the foot; d^2 = a^2 + z^2. The edge is
 * clipped to the reach, s^2 <= 1 - d^2, because u vanishes beyond. With r^2 = d^2 + s^2 and theta the angle
 * about the foot:
 *     T   = integral of dtheta       = atan2(a (s2 - s1), a^2 + s1 s2)
 *     S   = integral of z / r dtheta = atan2(a z (s2 r1 - s1 r2), a^2 r1 r2 + z^2 s1 s2)
 *     K_m = integral of r^m ds,  K_-1 = ln((r1 + r2 + s2 - s1) / (r1 + r2 - s2 + s1)),  K_0 = s2 - s1,
 *           K_m = ([s r^m] + m d^2 K_m-2) / (m + 1)
 *     J_k = integral of r^k dtheta,  J_0 = T,  J_1 = z S + a K_-1,  J_k = z^2 J_k-2 + a K_k-2
 *     2 pi flux      += c_0 S + z sum_{k >= 1} c_k J_k-1 - sgn(z) u(|z|) T_all
 *     2 pi gradient  -= n [sum_{k >= 1} k c_k J_k-1 - u'(|z|) T_all]
 * T_all is T of the edge that is not clipped. z = 0 counts as the fluid's side. An edge line through the foot
 * gives nothing whatever the sign of a, so points above an edge need no special case.
 *
 * Include with LANES (2 or 4) and NAME defined. No contraction: the same bits for any lanes. */
#include "mesh/field.h"
#include "mesh/field_lanes.h"

/* One triangle and its points, in multiples of the reach. */
typedef struct place {
    lanes z, z_sq;
    lanes law, slope;         /* sgn(z) u(|z|), u'(|z|) */
    lanes cover, cover_slope; /* the same of the second law */
} place;

/* What an edge or a triangle adds: flux and, along the normal, gradient, of both laws. */
typedef struct share {
    lanes flux, slope, cover, cover_slope;
} share;

/* u(|z|) with the sign of z, and u'(|z|). */
INLINE void law_at(const rni_field_law *law, place *p)
{
    const lanes zero = all(0), rest = larger(all(1) - size(p->z), zero);
    lanes u = zero, du = zero, c = zero, dc = zero;
    for (uint32_t k = RNI_FIELD_DEGREE + 1; k-- > 0;) {
        du = du * rest + u;
        u = u * rest + all(law->power[k]);
        dc = dc * rest + c;
        c = c * rest + all(law->cover_power[k]);
    }
    p->law = pick(p->z > zero, u, -u);
    p->slope = -du;
    p->cover = pick(p->z > zero, c, -c);
    p->cover_slope = -dc;
}

/* One edge: adds 2 pi times what it gives. */
INLINE void add_edge(const rni_field_law *law, const place *p, lanes a, lanes s1, lanes s2, share *sum)
{
    const lanes zero = all(0);
    const lanes d_sq = a * a + p->z_sq, most = root(larger(all(1) - d_sq, zero));
    const lanes t_all = angle_of(a * (s2 - s1), a * a + s1 * s2);
    const masks is_clipped = (size(s1) > most) | (size(s2) > most);
    s1 = smaller(larger(s1, -most), most);
    s2 = smaller(larger(s2, -most), most);
    const lanes length = s2 - s1;
    lanes t = t_all;
    if (is_any(is_clipped)) t = pick(is_clipped, angle_of(a * length, a * a + s1 * s2), t_all);
    const lanes r1 = root(d_sq + s1 * s1), r2 = root(d_sq + s2 * s2), r_sum = r1 + r2;
    const lanes solid = angle_of(a * p->z * (s2 * r1 - s1 * r2), a * a * r1 * r2 + p->z_sq * s1 * s2);
    const lanes under = larger(r_sum - length, all(1e-30)), over = larger(r_sum + length, all(1e-30));
    lanes k_odd = logarithm(over, under), k_even = length; /* K_-1, K_0 */
    lanes j_even = t, j_odd = p->z * solid + a * k_odd;    /* J_0, J_1 */
    lanes power1 = all(1), power2 = all(1);                /* r1^m, r2^m */
    lanes value = zero, slope = zero, cover = zero, cover_slope = zero;
    for (uint32_t k = 1; k <= RNI_FIELD_DEGREE; k++) { /* here j_even, j_odd: J_k-1, J_k */
        value += all(law->monomial[k]) * j_even;
        slope += all((double)k * law->monomial[k]) * j_even;
        cover += all(law->cover_monomial[k]) * j_even;
        cover_slope += all((double)k * law->cover_monomial[k]) * j_even;
        const lanes j_next = p->z_sq * j_even + a * k_even; /* J_k+1 */
        j_even = j_odd, j_odd = j_next;
        power1 *= r1, power2 *= r2;
        const double m = (double)k;
        const lanes k_next =
            (s2 * power2 - s1 * power1 + all(m) * d_sq * k_odd) * all(1 / (m + 1)); /* K_k */
        k_odd = k_even, k_even = k_next;
    }
    sum->flux += all(law->monomial[0]) * solid + p->z * value - p->law * t_all;
    sum->slope += slope - p->slope * t_all;
    sum->cover += all(law->cover_monomial[0]) * solid + p->z * cover - p->cover * t_all;
    sum->cover_slope += cover_slope - p->cover_slope * t_all;
}

/* The nearest point of an edge: x - it, in the plane, is a inward and -s along the edge. */
typedef struct nearest {
    lanes distance_sq, inward[3];
} nearest;

INLINE void meet_edge(lanes a, lanes s1, lanes s2, const double inward[3], const double edge[3],
                      nearest *n)
{
    const lanes zero = all(0), s = smaller(larger(zero, s1), s2), distance_sq = a * a + s * s;
    const masks is_nearer = distance_sq < n->distance_sq;
    n->distance_sq = pick(is_nearer, distance_sq, n->distance_sq);
    for (int c = 0; c < 3; c++)
        n->inward[c] = pick(is_nearer, a * all(inward[c]) - s * all(edge[c]), n->inward[c]);
}

/* Lanes first .. first + LANES - 1 of a batch. */
INLINE void add_triangle(const rni_field_law *law, const rni_field_triangle *t,
                         const rni_field_points *points, uint32_t first, rni_field_sums *sums)
{
    const lanes zero = all(0), inverse = all(1 / law->reach), infinite = all((double)INFINITY);
    lanes to[3][3], a[3], s1[3], s2[3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            to[k][c] = (all(t->corner[k][c]) - load(&points->x[c][first])) * inverse;
    place p;
    p.z = to[0][0] * all(t->normal[0]) + to[0][1] * all(t->normal[1]) + to[0][2] * all(t->normal[2]);
    p.z_sq = p.z * p.z;
    nearest n = {infinite, {zero, zero, zero}};
    masks is_over = p.z == p.z;
    for (int k = 0; k < 3; k++) {
        const double *e = t->edge[k], *in = t->inward[k];
        const lanes *from = to[k], *end = to[(k + 1) % 3];
        a[k] = -(from[0] * all(in[0]) + from[1] * all(in[1]) + from[2] * all(in[2]));
        s1[k] = from[0] * all(e[0]) + from[1] * all(e[1]) + from[2] * all(e[2]);
        s2[k] = end[0] * all(e[0]) + end[1] * all(e[1]) + end[2] * all(e[2]);
        meet_edge(a[k], s1[k], s2[k], in, e, &n);
        is_over &= a[k] >= zero;
    }
    const lanes distance_sq = p.z_sq + where(~is_over, n.distance_sq);
    const lanes reach_sq = all(law->reach * law->reach), before_sq = load(&sums->distance_sq[first]);
    const masks is_nearest = distance_sq * reach_sq < before_sq, is_near = distance_sq < all(1);
    store(&sums->distance_sq[first], pick(is_nearest, distance_sq * reach_sq, before_sq));
    if (is_any(is_nearest))
        for (int c = 0; c < 3; c++) {
            const lanes away =
                (where(~is_over, n.inward[c]) - p.z * all(t->normal[c])) * all(law->reach);
            store(&sums->nearest[c][first], pick(is_nearest, away, load(&sums->nearest[c][first])));
        }
    if (!is_any(is_near)) return;
    share sum = {zero, zero, zero, zero};
    law_at(law, &p);
    for (int k = 0; k < 3; k++) add_edge(law, &p, a[k], s1[k], s2[k], &sum);
    const lanes part = all(0.5 / RNI_PI);
    const lanes flux = where(is_near, sum.flux * part), weight = size(flux);
    const lanes slope = where(is_near, sum.slope * -part * inverse);
    const lanes cover_slope = where(is_near, sum.cover_slope * -part * inverse);
    const double *m = t->normal;
    const double product[6] = {m[0] * m[0], m[1] * m[1], m[2] * m[2],
                               m[0] * m[1], m[0] * m[2], m[1] * m[2]};
    store(&sums->flux[first], load(&sums->flux[first]) + flux);
    store(&sums->cover[first], load(&sums->cover[first]) + where(is_near, sum.cover * part));
    for (int c = 0; c < 3; c++) {
        double *g = &sums->gradient[c][first], *of_cover = &sums->cover_gradient[c][first];
        store(g, load(g) + slope * all(m[c]));
        store(of_cover, load(of_cover) + cover_slope * all(m[c]));
    }
    for (int k = 0; k < 6; k++) {
        double *to_sum = &sums->spread[k][first];
        store(to_sum, load(to_sum) + weight * all(product[k]));
    }
}

void NAME(const rni_field_law *law, const rni_field_triangle *triangles, uint32_t count,
          const rni_field_points *points, rni_field_sums *sums)
{
    for (uint32_t first = 0; first < RNI_FIELD_BATCH; first += LANES)
        for (uint32_t k = 0; k < count; k++) add_triangle(law, &triangles[k], points, first, sums);
}
