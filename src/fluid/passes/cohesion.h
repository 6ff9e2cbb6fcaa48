/* Akinci's surface tension alone (Wichert et al. 2021, eq. 13 to 17), for schemes whose pair forces do not have
 * it: cohesion, curvature and the correction factor. Stores accelerations as records. */
enum { cohesion_has_kernels = false, cohesion_has_slope = false };
#define cohesion_option rni_no_option
#define cohesion_pack   forces_pack

RNI_INLINE rni_gathers cohesion_gathers(const rni_variant v)
{
    (void)v;
    return (rni_gathers){.body = RNI_GATHER_PLACE, .width = {4}, .is_packed = true};
}

typedef struct cohesion_sums {
    rni_v x, y, z, bend;
} cohesion_sums;

RNI_INLINE void cohesion_law(const rni_pair *p, const rni_variant v, cohesion_sums *s)
{
    (void)v;
    const rni_coefficients *c = p->c;
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + c->tiny + d.y * d.y + d.z * d.z;
    const rni_v density = rni_of_i(p, 11) + rni_of_j(p, 11);
    const rni_variant tension = {RN_KERNELS_WENDLAND, true, false};
    const forces_factors f = forces_of_pair(c, r_sq, rni_v_set(0.0f), density, tension);
    s->bend = s->bend + f.bend;
    s->x = s->x + f.bend * rni_of_j(p, 8) + f.along * d.x;
    s->y = s->y + f.bend * rni_of_j(p, 9) + f.along * d.y;
    s->z = s->z + f.bend * rni_of_j(p, 10) + f.along * d.z;
}

RNI_INLINE void cohesion_store(const rni_pair *p, const rni_variant v, const cohesion_sums *s)
{
    (void)v;
    const rni_q sum = rni_q_sums(s->x, s->y, s->z, s->bend);
    rni_put(p, 0, rni_q_set(1, 1, 1, 0) * (sum - rni_q_spread(sum, 3) * rni_record_of_i(p, 8)));
}
