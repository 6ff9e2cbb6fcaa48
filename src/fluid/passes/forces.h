/* Pair forces: pressure (Wichert et al. 2021, eq. 9), viscosity (eq. 10) and, with Akinci's tension, cohesion,
 * curvature and the correction factor (eq. 13 to 17). Stores accelerations as records; the fourth number is 0. */
enum { forces_has_kernels = true, forces_has_slope = false };

/* Whether there is Akinci's tension. */
static inline bool forces_option(const rn_fluid *fluid)
{
    return fluid->def.params.tension == RN_TENSION_AKINCI;
}

RNI_INLINE rni_gathers forces_gathers(const rni_variant v)
{
    return (rni_gathers){
        .body = RNI_GATHER_MOTION, .width = {v.option ? 4 : 0}, .is_packed = v.option};
}

/* Numbers 8 to 11: curvature n, rho / twice_rest_density. */
static inline void forces_pack(const rn_fluid *fluid, uint32_t begin, uint32_t end, rni_record *to)
{
    const float curvature = fluid->laws.curvature, share = 1.0f / fluid->laws.twice_rest_density;
    for (uint32_t i = begin; i < end; i++) {
        for (uint32_t a = 0; a < 3; a++) to[i][a] = curvature * fluid->normal[i][a];
        to[i][3] = share * fluid->density[i];
    }
}

/* With D for the factor of drag and B for that of curvature, the sums over j of
 *     D (v_j - v_i) / rho_j and B (n_j - n_i)
 * are taken apart: sums over j of D v_j / rho_j, D / rho_j, B n_j, B; what is i's is subtracted in the end. */
typedef struct forces_sums {
    rni_v x, y, z, bend;
    rni_v vx, vy, vz, drag;
} forces_sums;

/* What one neighbour does, as factors of the differences between the two: the acceleration of i is
 *     along (x_i - x_j) + drag (v_j - v_i) / rho_i - bend (n_i - n_j)
 * with drag still to be multiplied by c->viscosity / rho_j and bend by c->curvature. */
typedef struct forces_factors {
    rni_v along, drag, bend;
} forces_factors;

/* Twice the distance is what a root costs least in; the coefficients contain the powers of two, which
 * changes no bit. r_sq includes c->tiny. pressure: c->pressure (p_i / rho_i^2 + p_j / rho_j^2).
 * density (Akinci only): (rho_i + rho_j) / c->twice_rest_density. Pairs outside the radius give 0. */
RNI_INLINE forces_factors forces_of_pair(const rni_coefficients *c, rni_v r_sq, rni_v pressure,
                                         rni_v density, const rni_variant v)
{
    forces_factors factors;
    rni_vm is_near = rni_v_within(r_sq, rni_v_set(c->h_sq));
    rni_v inverse_r;
    rni_v r = rni_v_twice_root(r_sq, &inverse_r); /* r, 1 / r and q: twice those of the equations */
    rni_v q = rni_v_where(is_near, 2.0f * c->h - r);
    /* What is known early is multiplied early: the sums wait for the longest chain here. */
    rni_v along = v.kernels == RN_KERNELS_WENDLAND ? (pressure * q) * (q * q)
                                                   : (pressure * inverse_r) * (q * q);
    factors.drag = q;
    factors.bend = rni_v_set(0.0f);
    if (v.option) {
        rni_v factor = rni_v_where(is_near, rni_v_rcp(density));
        rni_v cohesion = (c->cohesion * factor) * inverse_r, qr = q * r;
        /* inside of half the radius 2 (qr)^3 - core, outside (qr)^3 */
        rni_vm is_core = rni_v_less(r, rni_v_set(c->h));
        along = rni_v_add_product(is_core, along, cohesion, rni_v_set(c->cohesion_core));
        cohesion = rni_v_add_where(is_core, cohesion, cohesion);
        along = along - (cohesion * qr) * (qr * qr);
        factors.bend = factor;
    }
    factors.along = along;
    return factors;
}

RNI_INLINE void forces_law(const rni_pair *p, const rni_variant v, forces_sums *sums)
{
    const rni_coefficients *c = p->c;
    const rni_v3 d = p->d;
    const rni_v r_sq = d.x * d.x + c->tiny + d.y * d.y + d.z * d.z;
    rni_v density = rni_v_set(0.0f);
    if (v.option) density = rni_of_i(p, 11) + rni_of_j(p, 11);
    const rni_v pressure = rni_of_i(p, 7) + rni_of_j(p, 7);
    const forces_factors factors = forces_of_pair(c, r_sq, pressure, density, v);
    if (v.option) {
        sums->bend = sums->bend + factors.bend;
        sums->x = sums->x + factors.bend * rni_of_j(p, 8);
        sums->y = sums->y + factors.bend * rni_of_j(p, 9);
        sums->z = sums->z + factors.bend * rni_of_j(p, 10);
    }
    sums->drag = sums->drag + factors.drag * rni_of_j(p, 3);
    sums->vx = sums->vx + factors.drag * rni_of_j(p, 4);
    sums->vy = sums->vy + factors.drag * rni_of_j(p, 5);
    sums->vz = sums->vz + factors.drag * rni_of_j(p, 6);
    sums->x = sums->x + factors.along * d.x;
    sums->y = sums->y + factors.along * d.y;
    sums->z = sums->z + factors.along * d.z;
}

RNI_INLINE void forces_store(const rni_pair *p, const rni_variant v, const forces_sums *sums)
{
    rni_q sum = rni_q_sums(sums->x, sums->y, sums->z, sums->bend);
    rni_q viscous = rni_q_sums(sums->vx, sums->vy, sums->vz, sums->drag);
    const rni_q bend = rni_q_spread(sum, 3);
    viscous = rni_of_i(p, 3) * viscous - rni_q_spread(viscous, 3) * rni_record_of_i(p, 4);
    sum = sum + p->c->viscosity * viscous;
    if (v.option) sum = sum - bend * rni_record_of_i(p, 8);
    rni_put(p, 0, rni_q_set(1, 1, 1, 0) * sum);
}
