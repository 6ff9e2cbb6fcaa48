/* Pair forces of the corrected scheme (corrected.c): with w and d as in rates.h and T = p L the pressure with
 * the correction of the gradient, the acceleration is
 *     1 / rho_i sum w [ (T_i + T_j) d + pi d - 2 mu v ],
 *     pi = - drag (v . d) / r^2 + rest_density u min(impact u, sound_speed),  u = max(0, - v . d / r).
 * mu is the physical viscosity (Morris et al. 1997). drag is 2 (dim + 2) times the numerical one (Monaghan and
 * Gingold 1983), which damps sound and conserves angular momentum. The last term resists impacts (the limited
 * Riemann dissipation of Zhang et al. 2017). Numbers 8 to 11 are Txx, Tyy, Tzz, Txy; 12 and 13 Txz, Tyz;
 * 14 half of drag / 4: near walls it is more. Stores accelerations as records.
 *
 * The sum of w d, which T_i is multiplied by, is S of rates.h.
 *
 * Of several fluids (phases.h) number 15 is a particle's density over that of the densest, q. The pressure of a pair is
 * that of the interface between the two, 2 (q_j T_i + q_i T_j) / (q_i + q_j): its gradient over the density is
 * continuous there (Hu and Adams 2006). pi is multiplied by the harmonic mean of q, so that a light particle is not
 * stopped by what a dense one needs. */
enum { stress_has_kernels = true, stress_has_slope = true };
#define stress_option rni_of_phases
#define stress_pack   NULL

RNI_INLINE rni_gathers stress_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_MOTION, .width = {4, 4}};
}

typedef struct stress_sums {
    rni_v x, y, z;
    rni_v sx, sy, sz;
} stress_sums;

RNI_INLINE void stress_law(const rni_pair *p, const rni_variant v, stress_sums *s)
{
    const rni_stress_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v w = p->near.slope * rni_of_j(p, 3), inverse_r = p->near.twice_inverse_r;
    const rni_v vx = rni_of_i(p, 4) - rni_of_j(p, 4), vy = rni_of_i(p, 5) - rni_of_j(p, 5),
                vz = rni_of_i(p, 6) - rni_of_j(p, 6);
    const rni_v receding = (vx * d.x + vy * d.y + vz * d.z) * inverse_r; /* twice */
    const rni_v u = rni_v_min(receding, rni_v_set(0.0f));                /* -u */
    rni_v pi = u * rni_v_max(k->impact * u, rni_v_set(-k->impact_most)) -
               (rni_of_i(p, 14) + rni_of_j(p, 14)) * (receding * inverse_r);
    const rni_v xy = rni_of_j(p, 11), xz = rni_of_j(p, 12), yz = rni_of_j(p, 13);
    const rni_v wx = w * d.x, wy = w * d.y, wz = w * d.z;
    if (v.option) {
        const rni_v qi = rni_of_i(p, 15), qj = rni_of_j(p, 15);
        const rni_v of_j = (2.0f * qi) * rni_v_rcp(qi + qj), of_i = 2.0f - of_j;
        pi = pi * (of_j * qj);
        const rni_v jx = of_j * wx, jy = of_j * wy, jz = of_j * wz;
        s->x = s->x + rni_of_j(p, 8) * jx + xy * jy + xz * jz + pi * wx;
        s->y = s->y + xy * jx + rni_of_j(p, 9) * jy + yz * jz + pi * wy;
        s->z = s->z + xz * jx + yz * jy + rni_of_j(p, 10) * jz + pi * wz;
        s->sx = s->sx + of_i * wx, s->sy = s->sy + of_i * wy, s->sz = s->sz + of_i * wz;
        return;
    }
    const rni_v viscous = k->viscous * w;
    s->x = s->x + (rni_of_j(p, 8) + pi) * wx + xy * wy + xz * wz - viscous * vx;
    s->y = s->y + xy * wx + (rni_of_j(p, 9) + pi) * wy + yz * wz - viscous * vy;
    s->z = s->z + xz * wx + yz * wy + (rni_of_j(p, 10) + pi) * wz - viscous * vz;
}

RNI_INLINE void stress_store(const rni_pair *p, const rni_variant v, const stress_sums *s)
{
    const rni_stress_constants *k = rni_constants(p);
    const rni_v zero = rni_v_set(0.0f);
    const float scale = p->c->pressure;
    const rni_q of_j = scale * rni_q_sums(s->x, s->y, s->z, zero);
    rni_q sum;
    if (v.option) sum = scale * rni_q_sums(s->sx, s->sy, s->sz, zero);
    else sum = rni_kept_of_i(p, k->crowding);
    const rni_q diagonal = rni_record_of_i(p, 8), mixed = rni_record_of_i(p, 12);
    const rni_q x = rni_q_spread(sum, 0), y = rni_q_spread(sum, 1), z = rni_q_spread(sum, 2);
    const rni_q xy = rni_q_spread(diagonal, 3), xz = rni_q_spread(mixed, 0),
                yz = rni_q_spread(mixed, 1);
    const rni_q along_x = rni_q_set(1, 0, 0, 0), along_y = rni_q_set(0, 1, 0, 0),
                along_z = rni_q_set(0, 0, 1, 0);
    const rni_q of_i = rni_q_set(1, 1, 1, 0) * diagonal * sum + along_x * (xy * y + xz * z) +
                       along_y * (xy * x + yz * z) + along_z * (xz * x + yz * y);
    rni_put(p, 0, rni_of_i(p, 3) * (of_i + of_j));
}
