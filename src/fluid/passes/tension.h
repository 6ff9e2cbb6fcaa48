/* Surface tension as an energy of the cover (surface_tension.h): the acceleration
 *     - pull sum over j (s_i + s_j) f(r) d,  f = - k'(r) / (2 r),
 * with number 8 for s, which is 1 at the surface and 0 inside. Central and antisymmetric: linear and angular
 * momentum are conserved. A coefficient of its own for each fluid goes into s. Stores accelerations as
 * records. */
enum { tension_has_kernels = false };
#define tension_option rni_no_option
#define tension_pack   NULL

RNI_INLINE rni_gathers tension_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {1}};
}

typedef struct tension_sums {
    rni_v x, y, z;
} tension_sums;

RNI_INLINE void tension_law(const rni_pair *p, const rni_variant v, tension_sums *s)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v t = rni_v_max(rni_law_support(p->c, d), rni_v_set(0.0f));
    const rni_v at_surface = rni_of_i(p, 8) + rni_of_j(p, 8);
    const rni_v w = (t * t) * at_surface * (k->wide_slope + k->narrow_slope * t);
    s->x = s->x + w * d.x, s->y = s->y + w * d.y, s->z = s->z + w * d.z;
}

RNI_INLINE void tension_store(const rni_pair *p, const rni_variant v, const tension_sums *s)
{
    (void)v;
    const rni_tension_constants *k = rni_constants(p);
    rni_put(p, 0, -k->pull * rni_q_sums(s->x, s->y, s->z, rni_v_set(0.0f)));
}
