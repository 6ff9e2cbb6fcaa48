/* Surface tension as an energy of the cover (surface_tension.h): the acceleration
 *     - pull sum over j (s_i + s_j) f(r) d,  f = - k'(r) / (2 r),
 * with number 8 for s, which is 1 at the surface and 0 inside. Central and antisymmetric: linear and angular
 * momentum are conserved. Stores accelerations as records.
 *
 * Of several fluids, number 8 is s times the tension of the free surface, number 9 the fluid, and 10 to 15 are xx, yy, zz,
 * xy, xz, yz of the stress of the interface, Pi: (Pi_i + Pi_j) d instead of (s_i + s_j) d conserves linear momentum. pull is
 * that of 1 N / m and of the densest fluid. */
enum { tension_has_kernels = false, tension_has_slope = false };
#define tension_option rni_of_phases
#define tension_pack   NULL

RNI_INLINE rni_gathers tension_gathers(const rni_variant v)
{
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {v.option ? 4 : 1, v.option ? 4 : 0}};
}

typedef struct tension_sums {
    rni_v x, y, z;
} tension_sums;

RNI_INLINE rni_v tension_of_both(const rni_pair *p, const uint32_t k)
{
    return rni_of_i(p, k) + rni_of_j(p, k);
}

RNI_INLINE void tension_stress(const rni_pair *p, const rni_v slope, tension_sums *s)
{
    const rni_v x = slope * p->d.x, y = slope * p->d.y, z = slope * p->d.z;
    const rni_v xy = tension_of_both(p, 13), xz = tension_of_both(p, 14), yz = tension_of_both(p, 15);
    s->x = s->x + tension_of_both(p, 10) * x + xy * y + xz * z;
    s->y = s->y + xy * x + tension_of_both(p, 11) * y + yz * z;
    s->z = s->z + xz * x + yz * y + tension_of_both(p, 12) * z;
}

RNI_INLINE void tension_law(const rni_pair *p, const rni_variant v, tension_sums *s)
{
    const rni_tension_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v t = rni_v_max(rni_law_support(p->c, d), rni_v_set(0.0f));
    rni_v at_surface = rni_of_i(p, 8) + rni_of_j(p, 8);
    const rni_v slope = (t * t) * (k->wide_slope + k->narrow_slope * t);
    if (v.option) {
        for (uint32_t n = 0; n < k->pair_count; n++)
            at_surface =
                at_surface * (1.0f - (1.0f - k->pair[n].is_joined) *
                                         cover_is_pair(&k->pair[n], rni_of_i(p, 9), rni_of_j(p, 9)));
        tension_stress(p, slope, s);
    }
    const rni_v w = slope * at_surface;
    s->x = s->x + w * d.x, s->y = s->y + w * d.y, s->z = s->z + w * d.z;
}

RNI_INLINE void tension_store(const rni_pair *p, const rni_variant v, const tension_sums *s)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    rni_put(p, 0, -k->pull * rni_q_sums(s->x, s->y, s->z, rni_v_set(0.0f)));
}
