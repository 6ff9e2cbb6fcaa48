/* Weakly compressible SPH with corrected gradients: for flows that have to be right.
 *
 * Density follows the divergence of the velocity (continuity) instead of the positions, so pressure is
 * smooth; gradients are corrected by the second moments of the neighbourhood, so a lattice of particles
 * carries no shear and a linear velocity has its exact divergence. What that needs to stay well:
 *     diffusion     of density, without its hydrostatic part (Fourtakas et al. 2019): removes noise
 *     relaxation    of density towards the sum over the kernel: volume is kept
 *     shifting      along the gradient of concentration (Lind et al. 2012), by the rate of strain: no strings,
 *                   nothing at rest
 *     bulk          viscosity against compression: absorbs sound, which is numerical here; not part of the pressure
 *                   that users see
 *     impact        limited Riemann dissipation (Zhang et al. 2017): only where particles approach
 * Divergence and pressure force use the same corrected gradient: together they conserve energy.
 *
 * Order: density finds the neighbours, sums the kernel (summation) and the surroundings (passes/rates.h);
 * pressure advances the density by the time since the evaluation before, and has T = p L; forces runs
 * passes/stress.h. Near a free surface the correction fades, and relaxation and shifting stop. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/loads.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/stages.h"
#include "fluid/surface_tension.h"
#include "fluid/traversal.h"
#include "fluid/validate.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

/* Determinant of the moments below which the correction fades towards none. */
#define CORRECTED_LEAST 0.7f
/* Third of the trace (2D: half): 1 inside, 0.5 on a flat surface. Between these, what acts inside only
 * fades. */
#define INSIDE_LEAST 0.90f
#define INSIDE_FULL  0.97f
/* Below these a particle is a drop by itself: nothing holds its pressure. */
#define ALONE_LEAST 0.25f
#define ALONE_MOST  0.45f
/* Of the sound speed: diffusion of density. */
#define DIFFUSION_SIZE 0.6f
/* Of sound speed over radius: rate of relaxation. */
#define RELAXATION 0.03f
/* Times that, at the surface, in drops and films. */
#define OUTSIDE 10.0f
/* Shifting: times rate of strain and radius squared; and no more than these shares of the spacing a step, and
 * of the sound speed. */
#define SHIFT_SIZE  16.0f
#define SHIFT_STEP  0.1f
#define SHIFT_SPEED 0.1f
/* What is added to the direction of shifting, in radii of 1: another one for each particle. A lattice has none by itself however
 * far it is stretched, and would carry on as a lattice until it breaks all at once. */
#define SHIFT_SEED 0.01f
/* Of the rest density: an integrated density stays between these. */
#define DENSITY_LOW  0.5f
#define DENSITY_HIGH 2.0f
/* Numerical viscosity beside walls, where layers of particles meet layers that only mirror them: so many times
 * the share of the walls more. */
#define WALL_DRAG 30.0f
/* But no more than that of this numerical_viscosity, for which steps are short enough. */
#define WALL_DRAG_MOST 0.5f

/* --- density ---------------------------------------------------------------------------------------- */

/* Plane k of an array of records: records of all particles, one plane after the other. */
static float *plane(const rn_fluid *f, rni_record *first, uint32_t k)
{
    return first[(size_t)k * ((size_t)f->now.capacity + RNI_FLUID_PADDING)];
}

static void restore_density(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    memcpy(f->density + begin, f->previous_density + begin, (end - begin) * sizeof(float));
}

/* The sum over neighbours and walls, and the count of neighbours: i itself was counted. */
static void keep_summation(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    const float *sums = plane(f, f->stress, 1);
    const float of_walls = rni_has_bare_walls(&f->def) ? 0 : f->def.rest_density;
    for (uint32_t i = begin; i < end; i++) {
        f->summation[i] = f->laws.density * sums[4 * (size_t)i];
        f->neighbor_count[i] = (uint32_t)sums[4 * (size_t)i + 1] - 1;
    }
    for (uint32_t i = begin; of_walls > 0 && i < end; i++)
        f->summation[i] += of_walls * f->walls->share[i];
}

/* The gradient of the density that the acceleration of each fluid and of its surface tension keeps up, for rates.h. It
 * lies where the stress comes to lie. */
static void gather_pull(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    const bool has_energy = rni_has_surface_energy(&f->def.params);
    const float sound = f->derived.sound_speed, steep = f->def.rest_density / (sound * sound);
    float *to = plane(f, f->stress, 0), g[3];
    rni_fluid_gravity(f, g);
    for (uint32_t i = begin; i < end; i++) {
        const float ratio = rni_ratio(f, i);
        for (int a = 0; a < 3; a++)
            to[4 * (size_t)i + (size_t)a] =
                steep * (ratio * g[a] + (has_energy ? f->cohesion[i][a] : 0.0f));
        to[4 * (size_t)i + 3] = 0;
    }
}

/* Whether k is that of the particles instead of one for all. */
static bool has_own_pull(const rn_fluid *f)
{
    return f->ratio || rni_has_surface_energy(&f->def.params);
}

/* k of rates.h, for all particles. */
static void hydrostatic(const rn_fluid *f, float k[3])
{
    const float sound = f->derived.sound_speed;
    rni_fluid_gravity(f, k);
    for (int a = 0; a < 3; a++) k[a] *= f->def.rest_density / (sound * sound);
}

void rni_corrected_steepness(const rn_fluid *f, float k[3])
{
    const bool *periodic = f->def.periodic;
    if (has_own_pull(f) || periodic[0] || periodic[1] || periodic[2]) k[0] = k[1] = k[2] = 0;
    else hydrostatic(f, k);
}

static rn_result corrected_density(rn_fluid *f)
{
    rn_result result = f->traversal->find(f);
    if (result != RN_OK) return result;
    rni_for_particles(f, restore_density, f);
    rni_rates_constants constants;
    hydrostatic(f, constants.hydrostatic);
    rni_pass_arrays arrays = {.constants = &constants};
    rni_stage_surface_tension(f);
    if (has_own_pull(f)) {
        rni_for_particles(f, gather_pull, f);
        arrays.gather[0] = plane(f, f->stress, 0);
    }
    for (uint32_t k = 0; k < RNI_RATES_PLANES; k++) arrays.store[k] = plane(f, f->rates, k);
    arrays.store[RNI_RATES_PLANES] = plane(f, f->stress, 1); /* which is still free */
    rni_records_renew(f);
    rni_pass_run(f, &rni_pass_rates, &arrays);
    rni_for_particles(f, keep_summation, f);
    return RN_OK;
}

/* --- pressure --------------------------------------------------------------------------------------- */

/* Numbers of rates.h in the order in which they are stored, of four particles. */
enum {
    SX,
    SY,
    SZ,
    DIFFUSION,
    XX,
    YY,
    ZZ,
    XY,
    XZ,
    YZ,
    AXX,
    AYY,
    AZZ,
    AXY, /* with Ayx */
    AXZ, /* with Azx */
    AYZ, /* with Azy */
};

typedef float numbers[4 * RNI_RATES_PLANES][4];

/* What walls add: the layers behind a face close in when the particle approaches it, and carry on the
 * moments across the face. */
typedef struct wall_part {
    float along[6][4];  /* of the moments: along the faces */
    float closing[4];   /* 1 / s: minus the divergence that the faces add, before the correction */
    float normal[3][4]; /* of all faces together; 0: there are none */
    float full[4];      /* how much of the layers there is: they mirror the fluid */
    float sum[4]; /* the same, 1 away from walls: how much of an excess of the sum is crowding */
} wall_part;

typedef struct corrected_loop {
    rn_fluid *fluid;
    float since, drag, drag_most, exponent, bulk, seed;
    rni_v rest, inverse_rest, stiffness, sound, least, relaxation, diffusion, shift, shift_most,
        speed_most;
    bool is_flat, is_corrected, has_energy;
} corrected_loop;

static void add_walls(const rn_fluid *f, uint32_t i, uint32_t lane, numbers n, wall_part *part)
{
    const rni_moments *of_walls = &f->walls->moments[i];
    const float *v = f->now.velocity[i], *m = of_walls->moment, *push = f->walls->touch[i].push;
    const float full = rni_lower(3 * rni_walls_fullness(f, i), 1.0f);
    n[XX][lane] += full * m[0], n[YY][lane] += full * m[1], n[ZZ][lane] += full * m[2];
    n[XY][lane] += full * m[3], n[XZ][lane] += full * m[4], n[YZ][lane] += full * m[5];
    for (int a = 0; a < 3; a++) n[SX + a][lane] += full * of_walls->crowd[a];
    for (int k = 0; k < 6; k++) part->along[k][lane] = full * of_walls->along[k];
    part->closing[lane] = full * (rni_solid_dot(of_walls->closing, v) - of_walls->closing_velocity);
    const float size = sqrtf(rni_solid_dot(push, push));
    part->full[lane] = part->sum[lane] = full;
    for (int a = 0; size > 0 && a < 3; a++) part->normal[a][lane] = push[a] / size;
}

static inline rni_v clamp(rni_v x, float low, float high)
{
    return rni_v_min(rni_v_max(x, rni_v_set(low)), rni_v_set(high));
}

typedef struct symmetric {
    rni_v xx, yy, zz, xy, xz, yz;
} symmetric;

/* The correction: the inverse of the moments where there are enough neighbours, fading to 1. */
static symmetric correction(const symmetric *m)
{
    symmetric l = {.xx = m->yy * m->zz - m->yz * m->yz,
                   .yy = m->xx * m->zz - m->xz * m->xz,
                   .zz = m->xx * m->yy - m->xy * m->xy,
                   .xy = m->xz * m->yz - m->xy * m->zz,
                   .xz = m->xy * m->yz - m->xz * m->yy,
                   .yz = m->xy * m->xz - m->yz * m->xx};
    const rni_v det = m->xx * l.xx + m->xy * l.xy + m->xz * l.xz;
    const rni_v part = clamp(det * (1.0f / CORRECTED_LEAST), 0, 1);
    const rni_v scale = part / rni_v_max(det, rni_v_set(1e-2f)), rest = 1.0f - part;
    l.xx = scale * l.xx + rest, l.yy = scale * l.yy + rest, l.zz = scale * l.zz + rest;
    l.xy = scale * l.xy, l.xz = scale * l.xz, l.yz = scale * l.yz;
    return l;
}

/* The moments without what walls add along their faces. */
static symmetric moments_of_fluid(const symmetric *m, const wall_part *part)
{
    return (symmetric){m->xx - rni_v_load(part->along[0]), m->yy - rni_v_load(part->along[1]),
                       m->zz - rni_v_load(part->along[2]), m->xy - rni_v_load(part->along[3]),
                       m->xz - rni_v_load(part->along[4]), m->yz - rni_v_load(part->along[5])};
}

/* n . L n along the normals of the walls. */
static rni_v along_normal(const symmetric *l, const wall_part *part)
{
    const rni_v x = rni_v_load(part->normal[0]), y = rni_v_load(part->normal[1]),
                z = rni_v_load(part->normal[2]);
    return l->xx * x * x + l->yy * y * y + l->zz * z * z +
           2.0f * (l->xy * x * y + l->xz * x * z + l->yz * y * z);
}

static rni_v root(rni_v x)
{
    rni_v r;
    for (uint32_t k = 0; k < 4; k++) r[k] = sqrtf(x[k]);
    return r;
}

/* Pa: Tait, of the density over that at rest. */
static inline rni_v state_equation(const corrected_loop *c, rni_v s)
{
    const rni_v s2 = s * s;
    rni_v power = s2 * s2 * s2 * s;
    if (c->exponent != 7.0f)
        for (uint32_t k = 0; k < 4; k++) power[k] = powf(s[k], c->exponent);
    return rni_v_max(c->stiffness * (power - 1.0f), c->least);
}

/* The rate of strain, 1 / s: its Frobenius norm, by the symmetric part of A. */
static rni_v strain(numbers n, const symmetric *l)
{
    const rni_v xx = rni_v_load(n[AXX]), yy = rni_v_load(n[AYY]), zz = rni_v_load(n[AZZ]);
    const rni_v xy = 0.5f * rni_v_load(n[AXY]), xz = 0.5f * rni_v_load(n[AXZ]),
                yz = 0.5f * rni_v_load(n[AYZ]);
    const rni_v gxx = xx * l->xx + xy * l->xy + xz * l->xz;
    const rni_v gyy = xy * l->xy + yy * l->yy + yz * l->yz;
    const rni_v gzz = xz * l->xz + yz * l->yz + zz * l->zz;
    const rni_v gxy = (xx + yy) * l->xy + xy * (l->xx + l->yy) + xz * l->yz + yz * l->xz;
    const rni_v gxz = (xx + zz) * l->xz + xz * (l->xx + l->zz) + xy * l->yz + yz * l->xy;
    const rni_v gyz = (yy + zz) * l->yz + yz * (l->yy + l->zz) + xy * l->xz + xz * l->xy;
    return root(gxx * gxx + gyy * gyy + gzz * gzz + 0.5f * (gxy * gxy + gxz * gxz + gyz * gyz));
}

/* From -1 to 1, from 10 bits of the id's hash. */
static inline float seed_of(uint32_t hash, int axis)
{
    return (float)(hash >> (2 + 10 * axis) & 1023u) * (2.0f / 1023) - 1;
}

static void store_shift(const corrected_loop *c, uint32_t i, uint32_t count, numbers n, rni_v speed)
{
    rni_v s[3] = {rni_v_load(n[SX]), rni_v_load(n[SY]), rni_v_load(n[SZ])};
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t hash = (rni_particle_id(&c->fluid->now, i + k) + 1) * 2654435761u;
        for (int a = 0; a < (c->is_flat ? 2 : 3); a++) s[a][k] += c->seed * seed_of(hash, a);
    }
    for (int a = 0; a < 3; a++) s[a] = speed * s[a];
    const rni_v length = root(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const rni_v most = rni_v_min(c->shift_most, c->speed_most);
    const rni_v scale = rni_v_min(rni_v_set(1.0f), most / rni_v_max(length, 1e-6f * most));
    for (int a = 0; a < 3; a++) s[a] = scale * s[a];
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) c->fluid->shift[i + k][a] = s[a][k];
}

/* The pressure less that of bulk viscosity, which makes no tension: it would pull particles off a lid. With surface
 * tension of one fluid it does, away from walls, and follows the rate of the density instead of the divergence: its mean is 0
 * in a drop at rest. Cut off at 0, or of a divergence that relaxation balances, it was a pressure that is
 * not shown: 30 % of that of Young and Laplace. Of several fluids it made interfaces swing 1 to 3 % slower. */
static inline float with_bulk(const corrected_loop *c, float pressure, float bulk, float tension)
{
    const float all = pressure - bulk, least = rni_lower(pressure, 0.0f);
    return rni_higher(all, c->has_energy ? least + tension * rni_lower(all - least, 0.0f) : least);
}

/* Four particles from i on; count of them exist. */
static void advance_four(const corrected_loop *c, uint32_t i, uint32_t count)
{
    const rn_fluid *f = c->fluid;
    numbers n;
    for (uint32_t k = 0; k < RNI_RATES_PLANES; k++) {
        const float *r = plane(f, f->rates, k) + 4 * (size_t)i;
        rni_v_transpose(r, r + 4, r + 8, r + 12, n[4 * k]);
    }
    wall_part part = {.sum = {1, 1, 1, 1}};
    bool has_walls = false;
    for (uint32_t k = 0; k < count; k++)
        if (f->walls->share[i + k] > 0) add_walls(f, i + k, k, n, &part), has_walls = true;
    symmetric m = {rni_v_load(n[XX]), rni_v_load(n[YY]), rni_v_load(n[ZZ]),
                   rni_v_load(n[XY]), rni_v_load(n[XZ]), rni_v_load(n[YZ])};
    const rni_v one = rni_v_set(1.0f), zero = rni_v_set(0.0f);
    const rni_v trace = m.xx + m.yy + m.zz; /* flat: zz is 0 */
    if (c->is_flat) m.zz = one;
    symmetric l = {one, one, one, zero, zero, zero};
    if (c->is_corrected) l = correction(&m);
    symmetric lv = l; /* of the velocity, for which the layers behind a wall know nothing along it */
    if (c->is_corrected && has_walls) {
        const symmetric of_fluid = moments_of_fluid(&m, &part);
        lv = correction(&of_fluid);
    }
    const rni_v share = trace * (c->is_flat ? 0.5f : 1.0f / 3.0f);
    const rni_v inside = clamp((share - INSIDE_LEAST) * (1.0f / (INSIDE_FULL - INSIDE_LEAST)), 0, 1);
    const rni_v alone = clamp((ALONE_MOST - share) * (1.0f / (ALONE_MOST - ALONE_LEAST)), 0, 1);
    const rni_v normal = along_normal(&l, &part);
    const rni_v divergence = lv.xx * rni_v_load(n[AXX]) + lv.yy * rni_v_load(n[AYY]) +
                             lv.zz * rni_v_load(n[AZZ]) + lv.xy * rni_v_load(n[AXY]) +
                             lv.xz * rni_v_load(n[AXZ]) + lv.yz * rni_v_load(n[AYZ]) +
                             normal * rni_v_load(part.closing);
    const rni_v rho = rni_v_load(f->density + i), sum = rni_v_load(f->summation + i);
    /* Drops and films are not drawn out: there the density comes back to that at rest, or to the sum where
     * particles crowd. A particle alone does not keep the pressure of the impact that threw it off, either. */
    const rni_v crowd = rni_v_load(part.sum) * rni_v_max(sum - c->rest, zero);
    const rni_v off = c->rest + crowd - rho;
    const rni_v lacking = rni_v_max(off, zero) + alone * rni_v_min(off, zero);
    const rni_v rate = c->diffusion * rni_v_load(n[DIFFUSION]) - rho * divergence +
                       c->relaxation * (inside * (sum - rho) + OUTSIDE * (1.0f - inside) * lacking);
    const rni_v next =
        clamp(rho + c->since * rate, DENSITY_LOW * c->rest[0], DENSITY_HIGH * c->rest[0]);
    const rni_v yielding = c->has_energy ? zero - rate / rho : divergence;
    const rni_v state = state_equation(c, next * c->inverse_rest);
    /* No tension there, nor beside walls, which do not hold the fluid. */
    const rni_v tension = rni_v_where(rni_v_load(part.full) <= zero, inside);
    const rni_v pressure = rni_v_max(state, zero) + tension * rni_v_min(state, zero);
    if (f->shift) store_shift(c, i, count, n, c->shift * inside * strain(n, &lv));
    float *t0 = plane(f, f->stress, 0) + 4 * (size_t)i, *t1 = plane(f, f->stress, 1) + 4 * (size_t)i;
    for (uint32_t k = 0; k < count; k++) {
        const float ratio = rni_ratio(f, i + k);
        const float p =
            with_bulk(c, pressure[k], c->bulk * ratio * inside[k] * yielding[k], tension[k]);
        f->density[i + k] = next[k];
        f->pressure[i + k] = pressure[k];
        t0[4 * k] = p * l.xx[k], t0[4 * k + 1] = p * l.yy[k], t0[4 * k + 2] = p * l.zz[k];
        t0[4 * k + 3] = p * l.xy[k];
        t1[4 * k] = p * l.xz[k], t1[4 * k + 1] = p * l.yz[k];
        t1[4 * k + 2] = rni_lower(c->drag * (1 + WALL_DRAG * f->walls->share[i + k]), c->drag_most);
        const float push = rni_higher(p, 0.0f) * normal[k] * part.full[k]; /* walls do not hold */
        t1[4 * k + 3] = f->ratio ? ratio : push;
        if (f->ratio) plane(f, f->rates, 0)[4 * (size_t)(i + k)] = push;
    }
}

static void advance(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const corrected_loop *c = data;
    for (uint32_t i = begin; i < end; i += 4) advance_four(c, i, end - i < 4 ? end - i : 4);
}

static void corrected_pressure(rn_fluid *f, const rni_evaluation *e)
{
    const rn_fluid_params *p = &f->def.params;
    const rn_fluid_derived *d = &f->derived;
    const float dt = e->since > 0 ? e->since : d->safe_step;
    const float drag = (float)(f->def.dim + 2) * d->numerical_viscosity * 0.25f;
    corrected_loop c = {
        .fluid = f,
        .since = e->since,
        .exponent = p->exponent,
        .bulk = p->bulk * f->def.rest_density * d->sound_speed * f->def.spacing,
        .drag = drag,
        .seed = SHIFT_SEED / d->radius,
        .drag_most =
            drag * rni_higher(WALL_DRAG_MOST / rni_higher(p->numerical_viscosity, 1e-6f), 1.0f),
        .rest = rni_v_set(f->def.rest_density),
        .inverse_rest = rni_v_set(1 / f->def.rest_density),
        .stiffness = rni_v_set(d->stiffness),
        .least = rni_v_set(p->negative_pressure ? -INFINITY : 0.0f),
        .relaxation = rni_v_set(p->relaxation * RELAXATION * d->sound_speed / d->radius),
        .diffusion = rni_v_set(p->diffusion * DIFFUSION_SIZE * d->sound_speed),
        .shift = rni_v_set(p->shifting * SHIFT_SIZE * d->radius * d->radius),
        .shift_most = rni_v_set(SHIFT_STEP * f->def.spacing / dt),
        .speed_most = rni_v_set(SHIFT_SPEED * d->sound_speed),
        .is_flat = f->def.dim == 2,
        .is_corrected = p->gradient_correction,
        .has_energy = rni_has_surface_energy(p) && !f->ratio,
    };
    rni_for_particles(f, advance, &c);
}

/* --- forces ----------------------------------------------------------------------------------------- */

/* Walls push with the particle's own pressure, as far as its neighbourhood is that of fluid; suction needs a
 * full one. */
static void add_fields(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    const bool has_walls = !rni_has_bare_walls(&f->def);
    const rni_wall_force wall = rni_wall_force_of(f);
    const rni_v everywhere = {wall.gravity[0], wall.gravity[1], wall.gravity[2], 0};
    const float *push = f->ratio ? plane(f, f->rates, 0) : plane(f, f->stress, 1) + 3;
    const bool has_cohesion = f->cohesion && f->def.params.tension != RN_TENSION_NONE &&
                              f->def.params.tension != RN_TENSION_COLOR_FIELD;
    for (uint32_t i = begin; i < end; i++) {
        float *a = f->now.acceleration[i];
        if (has_walls && f->walls->share[i] > 0) {
            const float scale = push[4 * (size_t)i] / f->density[i] * rni_inverse_ratio(f, i);
            rni_wall_push_add(&wall, i, scale, a);
            const float carried = rni_wall_carry(f, i, a);
            for (int k = 0; f->walls->loads.given && k < 3; k++) /* for loads.c */
                f->walls->loads.given[i][2 + k] = carried * a[k];
            rni_wall_drag_add(&wall, i, a);
        }
        rni_tension_add(f, i, a);
        if (has_cohesion)
            rni_v_store(a, rni_v_load(a) + rni_inverse_ratio(f, i) * rni_v_load(f->cohesion[i]));
        rni_v_store(a, rni_v_load(a) + everywhere);
        if (f->def.dim == 2) a[2] = 0;
    }
    memcpy(f->previous_density + begin, f->density + begin, (end - begin) * sizeof(float));
}

static void corrected_forces(rn_fluid *f)
{
    rni_forces_begin(f);
    const rn_fluid_derived *d = &f->derived;
    const float rest = f->def.rest_density;
    const rni_stress_constants constants = {
        .viscous = 2 * (rni_scheme_viscosity(&f->def, d) - d->numerical_viscosity),
        .impact = rest * f->def.params.impact * 0.25f,
        .impact_most = rest * d->sound_speed * 0.5f,
        .crowding = plane(f, f->rates, 0),
    };
    rni_pass_run(f, &rni_pass_stress,
                 &(rni_pass_arrays){.gather = {plane(f, f->stress, 0), plane(f, f->stress, 1)},
                                    .store = {f->now.acceleration[0]},
                                    .constants = &constants});
    RNI_VALIDATE(rni_validate_pair_forces(f));
    if (f->def.params.tension == RN_TENSION_AKINCI)
        rni_pass_run(f, &rni_pass_cohesion, &(rni_pass_arrays){.store = {f->cohesion[0]}});
    rni_phases_scale(f);
    rni_for_particles(f, add_fields, f);
    rni_stage_loads(f);
    f->has_previous_density = true;
}

const rni_scheme rni_scheme_corrected = {
    .name = "corrected",
    .rows = RNI_ROW_BIT(RNI_ROW_PREVIOUS_DENSITY) | RNI_ROW_BIT(RNI_ROW_SUMMATION) |
            RNI_ROW_BIT(RNI_ROW_RATES) | RNI_ROW_BIT(RNI_ROW_STRESS) | RNI_ROW_BIT(RNI_ROW_SHIFT) |
            RNI_ROW_BIT(RNI_ROW_WALL_MOMENTS),
    .has_plain_bodies = true,
    .keeps_density = true,
    .density_low = DENSITY_LOW,
    .density_high = DENSITY_HIGH,
    .step_spacings = 1.75f,
    .density = corrected_density,
    .pressure = corrected_pressure,
    .forces = corrected_forces,
    .safe_step = rni_fluid_safe_step,
    .elastic_energy = rni_wcsph_elastic_energy,
};
