/* What the corrected scheme (corrected.c) knows of the surroundings of a particle, in one pass. With
 * w_j = - m / rho_j W' / r > 0, d = x_i - x_j and v = v_i - v_j:
 *     S = sum w d            where particles crowd: 0 on a lattice
 *     M = sum w d (x) d      second moments: 1 on a lattice
 *     A = sum w v (x) d      the gradient of the velocity, before its correction by M
 *     D = sum w r (rho_j - rho_i + k . d)    diffusion of density, without its hydrostatic part
 * Number 7 is rho - k . x, but rho where k is added pair by pair: with periodic axes, of several fluids, and with surface
 * energy. For the last two k is the mean of both particles, numbers 8 to 10.
 * Stores 16 numbers as four arrays of records: S, D; Mxx, Myy, Mzz, Mxy; Mxz, Myz, Axx, Ayy; Azz, Axy + Ayx,
 * Axz + Azx, Ayz + Azy. And in a fifth the kernel's sum, times laws.density the density, and the count, as density.h. */
enum { rates_has_kernels = true, rates_has_slope = true };
#define rates_pack NULL

static inline bool rates_option(const rn_fluid *fluid)
{
    return rni_of_phases(fluid) || fluid->def.params.tension == RN_TENSION_SURFACE_ENERGY;
}

RNI_INLINE rni_gathers rates_gathers(const rni_variant v)
{
    return (rni_gathers){.body = RNI_GATHER_MOTION, .width = {v.option ? 4 : 0}};
}

typedef struct rates_sums {
    rni_v sx, sy, sz, diffusion;
    rni_v xx, yy, zz, xy, xz, yz;
    rni_v axx, ayy, azz, axy, axz, ayz;
    rni_v density, neighbors;
} rates_sums;

RNI_INLINE void rates_law(const rni_pair *p, const rni_variant v, rates_sums *s)
{
    const rni_rates_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v w = p->near.slope * rni_of_j(p, 3);
    const rni_v wx = w * d.x, wy = w * d.y, wz = w * d.z;
    const rni_v vx = rni_of_i(p, 4) - rni_of_j(p, 4), vy = rni_of_i(p, 5) - rni_of_j(p, 5),
                vz = rni_of_i(p, 6) - rni_of_j(p, 6);
    rni_v step = rni_of_j(p, 7) - rni_of_i(p, 7);
    if (v.option)
        step = step + 0.5f * ((rni_of_i(p, 8) + rni_of_j(p, 8)) * d.x +
                              (rni_of_i(p, 9) + rni_of_j(p, 9)) * d.y +
                              (rni_of_i(p, 10) + rni_of_j(p, 10)) * d.z);
    else if (v.is_periodic)
        step = step + k->hydrostatic[0] * d.x + k->hydrostatic[1] * d.y + k->hydrostatic[2] * d.z;
    const rni_v q = p->near.support;
    s->density = s->density + (v.kernels == RN_KERNELS_WENDLAND
                                   ? (q * p->near.slope) * (2.0f * p->c->h + 4.0f * p->near.twice_r)
                                   : q * q * q);
    s->neighbors = rni_v_add_where(p->near.is_near, s->neighbors, rni_v_set(1.0f));
    s->diffusion = s->diffusion + (w * p->near.twice_r) * step;
    s->sx = s->sx + wx, s->sy = s->sy + wy, s->sz = s->sz + wz;
    s->xx = s->xx + wx * d.x, s->yy = s->yy + wy * d.y, s->zz = s->zz + wz * d.z;
    s->xy = s->xy + wx * d.y, s->xz = s->xz + wx * d.z, s->yz = s->yz + wy * d.z;
    s->axx = s->axx + vx * wx, s->ayy = s->ayy + vy * wy, s->azz = s->azz + vz * wz;
    s->axy = s->axy + vx * wy + vy * wx;
    s->axz = s->axz + vx * wz + vz * wx;
    s->ayz = s->ayz + vy * wz + vz * wy;
}

RNI_INLINE void rates_store(const rni_pair *p, const rni_variant v, const rates_sums *s)
{
    (void)v;
    const float scale = p->c->pressure;
    const rni_q first = rni_q_set(scale, scale, scale, 0.5f * scale);
    rni_put(p, 0, first * rni_q_sums(s->sx, s->sy, s->sz, s->diffusion));
    rni_put(p, 1, scale * rni_q_sums(s->xx, s->yy, s->zz, s->xy));
    rni_put(p, 2, scale * rni_q_sums(s->xz, s->yz, s->axx, s->ayy));
    rni_put(p, 3, scale * rni_q_sums(s->azz, s->axy, s->axz, s->ayz));
    const rni_v zero = rni_v_set(0.0f);
    rni_put(p, 4, rni_q_sums(s->density, s->neighbors, zero, zero));
}
