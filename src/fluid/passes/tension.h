/* Surface tension as an energy of the cover (surface_tension.h): the acceleration
 *     - pull sum over j (s_i + s_j) f(r) d,  f = - k'(r) / (2 r),
 * with number 8 for s, which is 1 at the surface and 0 inside. Central and antisymmetric: linear and angular
 * momentum are conserved. Stores accelerations as records.
 *
 * Of several fluids, number 8 is s times what the free surface costs, number 9 s' times what the interface costs, which
 * acts between particles of the same fluid only, and number 10 the fluid; pull is that of 1 N / m and of the densest
 * fluid. */
enum { tension_has_kernels = false };
#define tension_option rni_of_phases
#define tension_pack   NULL

RNI_INLINE rni_gathers tension_gathers(const rni_variant v)
{
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {v.option ? 4 : 1}};
}

typedef struct tension_sums {
    rni_v x, y, z;
} tension_sums;

RNI_INLINE void tension_law(const rni_pair *p, const rni_variant v, tension_sums *s)
{
    const rni_tension_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v t = rni_v_max(rni_law_support(p->c, d), rni_v_set(0.0f));
    rni_v at_surface = rni_of_i(p, 8) + rni_of_j(p, 8);
    if (v.option)
        at_surface = at_surface + rni_law_is_same(rni_of_i(p, 10), rni_of_j(p, 10)) *
                                      (rni_of_i(p, 9) + rni_of_j(p, 9));
    const rni_v w = (t * t) * at_surface * (k->wide_slope + k->narrow_slope * t);
    s->x = s->x + w * d.x, s->y = s->y + w * d.y, s->z = s->z + w * d.z;
}

RNI_INLINE void tension_store(const rni_pair *p, const rni_variant v, const tension_sums *s)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    rni_put(p, 0, -k->pull * rni_q_sums(s->x, s->y, s->z, rni_v_set(0.0f)));
}
