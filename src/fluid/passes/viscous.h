/* Viscous forces between pairs, for fluids with implicit viscosity or a viscosity law (viscosity.c). With d = x_i - x_j,
 * u = u_i - u_j and s the root of a particle's viscosity:
 *     viscous = s_i sum s_j w(r) (u . d) d,   w(r) = t^2 (a + b t^3),  t = 1 - r^2 / h^2 with h up to 2.1 (2D) or 2.25 spacings
 * The force acts along d and is the same for both, so linear and angular momentum are conserved; a rigid rotation
 * (u . d = 0) feels nothing. The form is that of Monaghan and Gingold 1983 and Weiler et al. 2018 with another weight:
 * theirs, - W' / r^3, resists shear along the axes of a lattice a quarter less than shear across them. a and b make
 * the two equal (viscosity_form.c). This pass runs in each iteration, and c needs no root.
 * Of several fluids the viscosity of a pair is the harmonic mean of the two instead of the geometric one: so the
 * stress is right across an interface. 11 is then a half over the viscosity, and s_i s_j is 1 over the sum of the two.
 * Numbers 8 to 10 are u, 11 is s. viscous_start also stores the diagonal of the sum of s_j w d d^T: what multiplies u_i. */
enum { viscous_has_kernels = false, viscous_has_slope = false };
#define viscous_option rni_of_phases
#define viscous_pack   NULL

RNI_INLINE rni_gathers viscous_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {4}};
}

typedef struct viscous_sums {
    rni_v x, y, z;
} viscous_sums;

/* s_j w(r); of several fluids s_i s_j w(r) */
RNI_INLINE rni_v viscous_weight(const rni_pair *p, const rni_variant v)
{
    const rni_viscous_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
    const rni_v t = rni_v_max(1.0f - r_sq * k->inverse_h_sq, rni_v_set(0.0f)), t_sq = t * t;
    const rni_v weight = t_sq * (k->part[0] + k->part[1] * (t_sq * t));
    if (v.option) return weight * rni_v_rcp(rni_of_i(p, 11) + rni_of_j(p, 11));
    return weight * rni_of_j(p, 11);
}

RNI_INLINE void viscous_law(const rni_pair *p, const rni_variant v, viscous_sums *s)
{
    const rni_v3 d = p->d;
    const rni_v approach = (rni_of_i(p, 8) - rni_of_j(p, 8)) * d.x +
                           (rni_of_i(p, 9) - rni_of_j(p, 9)) * d.y +
                           (rni_of_i(p, 10) - rni_of_j(p, 10)) * d.z;
    const rni_v along = viscous_weight(p, v) * approach;
    s->x = s->x + along * d.x;
    s->y = s->y + along * d.y;
    s->z = s->z + along * d.z;
}

RNI_INLINE rni_q viscous_scale(const rni_pair *p, const rni_variant v)
{
    const rni_viscous_constants *k = rni_constants(p);
    if (v.option) return rni_q_set(k->scale, k->scale, k->scale, k->scale);
    return k->scale * rni_q_spread(rni_record_of_i(p, 8), 3);
}

RNI_INLINE void viscous_store(const rni_pair *p, const rni_variant v, const viscous_sums *s)
{
    rni_put(p, 0, viscous_scale(p, v) * rni_q_sums(s->x, s->y, s->z, rni_v_set(0.0f)));
}

enum { viscous_start_has_kernels = false, viscous_start_has_slope = false };
#define viscous_start_option  rni_of_phases
#define viscous_start_pack    NULL
#define viscous_start_gathers viscous_gathers

typedef struct viscous_start_sums {
    viscous_sums force;
    rni_v xx, yy, zz;
} viscous_start_sums;

RNI_INLINE void viscous_start_law(const rni_pair *p, const rni_variant v, viscous_start_sums *s)
{
    const rni_v3 d = p->d;
    const rni_v weight = viscous_weight(p, v);
    viscous_law(p, v, &s->force);
    s->xx = s->xx + (weight * d.x) * d.x;
    s->yy = s->yy + (weight * d.y) * d.y;
    s->zz = s->zz + (weight * d.z) * d.z;
}

RNI_INLINE void viscous_start_store(const rni_pair *p, const rni_variant v,
                                    const viscous_start_sums *s)
{
    viscous_store(p, v, &s->force);
    rni_put(p, 1, viscous_scale(p, v) * rni_q_sums(s->xx, s->yy, s->zz, rni_v_set(0.0f)));
}
