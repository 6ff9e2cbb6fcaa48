/* What the rate of strain follows from (rheology.c). With w = (1 - r^2 / h^2)^2, h as in passes/viscous.h, d = x_i - x_j and v = v_i - v_j:
 *     M = sum w d (x) d      second moments
 *     A = sum w v (x) d      the gradient of the velocity is A M^-1: exact where the velocity is linear
 * Numbers 8 to 10 are v. Stores Mxx, Myy, Mzz, Mxy; Mxz, Myz, Axx, Ayy; Azz, Axy, Ayx, Axz; Azx, Ayz, Azy, 0; both
 * are divided by the square of the radius. */
enum { strain_has_kernels = false, strain_has_slope = false };
#define strain_option rni_no_option
#define strain_pack   NULL

RNI_INLINE rni_gathers strain_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_POSITION, .width = {4}};
}

typedef struct strain_sums {
    rni_v xx, yy, zz, xy, xz, yz;
    rni_v axx, ayy, azz, axy, ayx, axz, azx, ayz, azy;
} strain_sums;

RNI_INLINE void strain_law(const rni_pair *p, const rni_variant v, strain_sums *s)
{
    (void)v;
    const rni_viscous_constants *k = rni_constants(p);
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + d.y * d.y + d.z * d.z;
    const rni_v t = rni_v_max(1.0f - r_sq * k->inverse_h_sq, rni_v_set(0.0f)), t_sq = t * t;
    const rni_v w = t_sq;
    const rni_v x = w * d.x, y = w * d.y, z = w * d.z;
    const rni_v vx = rni_of_i(p, 8) - rni_of_j(p, 8), vy = rni_of_i(p, 9) - rni_of_j(p, 9),
                vz = rni_of_i(p, 10) - rni_of_j(p, 10);
    s->xx = s->xx + x * d.x, s->yy = s->yy + y * d.y, s->zz = s->zz + z * d.z;
    s->xy = s->xy + x * d.y, s->xz = s->xz + x * d.z, s->yz = s->yz + y * d.z;
    s->axx = s->axx + vx * x, s->ayy = s->ayy + vy * y, s->azz = s->azz + vz * z;
    s->axy = s->axy + vx * y, s->ayx = s->ayx + vy * x, s->axz = s->axz + vx * z;
    s->azx = s->azx + vz * x, s->ayz = s->ayz + vy * z, s->azy = s->azy + vz * y;
}

RNI_INLINE void strain_store(const rni_pair *p, const rni_variant v, const strain_sums *s)
{
    (void)v;
    const float scale = 1.0f / p->c->h_sq;
    rni_put(p, 0, scale * rni_q_sums(s->xx, s->yy, s->zz, s->xy));
    rni_put(p, 1, scale * rni_q_sums(s->xz, s->yz, s->axx, s->ayy));
    rni_put(p, 2, scale * rni_q_sums(s->azz, s->axy, s->ayx, s->axz));
    rni_put(p, 3, scale * rni_q_sums(s->azx, s->ayz, s->azy, rni_v_set(0.0f)));
}
