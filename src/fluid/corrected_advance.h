/* What the corrected scheme (corrected.c) makes of the sums of passes/rates.h: density a step later, pressure, stress
 * and shifting of RNI_LANES particles at once, with the same bits for any number of lanes. Included by
 * corrected_advance_plain.c and corrected_advance_avx2.c, which define RNI_LANES and NAME. */
#include "base/lanes.h"

#include "fluid/corrected.h"
#include "fluid/particles.h"
#include "fluid/passes.h"
#include "fluid/phases.h"
#include "fluid/stages.h"
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
/* Numerical viscosity beside walls, where layers of particles meet layers that only mirror them: so many times
 * the share of the walls more. */
#define WALL_DRAG 30.0f
/* Numbers of rates.h in the order in which they are stored, of RNI_LANES particles. */
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

typedef float numbers[4 * RNI_RATES_PLANES][RNI_LANES];

/* What walls add: the layers behind a face close in when the particle approaches it, and carry on the
 * moments across the face. */
typedef struct wall_part {
    float along[6][RNI_LANES]; /* of the moments: along the faces */
    float closing[RNI_LANES]; /* 1 / s: minus the divergence that the faces add, before the correction */
    float normal[3][RNI_LANES]; /* of all faces together; 0: there are none */
    float full[RNI_LANES];      /* how much of the layers there is: they mirror the fluid */
    float sum[RNI_LANES]; /* the same, 1 away from walls: how much of an excess of the sum is crowding */
} wall_part;

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
    for (uint32_t k = 0; k < RNI_LANES; k++) r[k] = sqrtf(x[k]);
    return r;
}

/* Pa: Tait, of the density over that at rest. */
static inline rni_v state_equation(const rni_corrected_loop *c, rni_v s)
{
    const rni_v s2 = s * s;
    rni_v power = s2 * s2 * s2 * s;
    if (c->exponent != 7.0f)
        for (uint32_t k = 0; k < RNI_LANES; k++) power[k] = powf(s[k], c->exponent);
    return rni_v_max(c->stiffness * (power - 1.0f), rni_v_set(c->least));
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

static void store_shift(const rni_corrected_loop *c, uint32_t i, uint32_t count, numbers n,
                        rni_v speed)
{
    rni_v s[3] = {rni_v_load(n[SX]), rni_v_load(n[SY]), rni_v_load(n[SZ])};
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t hash = (rni_particle_id(&c->fluid->now, i + k) + 1) * 2654435761u;
        for (int a = 0; a < (c->is_flat ? 2 : 3); a++) s[a][k] += c->seed * seed_of(hash, a);
    }
    for (int a = 0; a < 3; a++) s[a] = speed * s[a];
    const rni_v length = root(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    const rni_v most = rni_v_set(rni_lower(c->shift_most, c->speed_most));
    const rni_v scale = rni_v_min(rni_v_set(1.0f), most / rni_v_max(length, 1e-6f * most));
    for (int a = 0; a < 3; a++) s[a] = scale * s[a];
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) c->fluid->shift[i + k][a] = s[a][k];
}

/* The pressure less that of bulk viscosity, which makes no tension: it would pull particles off a lid. With surface
 * tension of one fluid it does, away from walls, and follows the rate of the density instead of the divergence: its mean is 0
 * in a drop at rest. Cut off at 0, or of a divergence that relaxation balances, it was a pressure that is
 * not shown: 30 % of that of Young and Laplace. Of several fluids it made interfaces swing 1 to 3 % slower. */
static inline rni_v with_bulk(const rni_corrected_loop *c, rni_v pressure, rni_v bulk, rni_v tension)
{
    const rni_v zero = rni_v_set(0.0f), all = pressure - bulk;
    rni_v least = rni_v_min(pressure, zero);
    if (c->has_energy) least = least + tension * rni_v_min(all - least, zero);
    return rni_v_max(all, least);
}

static void store_some(float *to, rni_v v, uint32_t count)
{
    float all[RNI_LANES];
    rni_v_store(all, v);
    memcpy(to, all, count * sizeof *to);
}

/* Records of four numbers from four vectors. */
static void store_records(rni_v a, rni_v b, rni_v c, rni_v d, uint32_t count, float *to)
{
    float in[4][RNI_LANES], out[4 * RNI_LANES];
    rni_v_store(in[0], a), rni_v_store(in[1], b), rni_v_store(in[2], c), rni_v_store(in[3], d);
    for (uint32_t k = 0; k < RNI_LANES; k += 4)
        rni_v_transpose(in[0] + k, in[1] + k, in[2] + k, in[3] + k, out + 4 * (size_t)k);
    memcpy(to, out, 4 * (size_t)count * sizeof *to);
}

/* Vectors of the 4 RNI_RATES_PLANES numbers from records. */
static void load_records(const rn_fluid *f, uint32_t i, numbers n)
{
    for (uint32_t k = 0; k < RNI_RATES_PLANES; k++)
        for (uint32_t half = 0; half < RNI_LANES; half += 4) {
            const float *r = rni_plane(f, f->rates, k) + 4 * (size_t)(i + half);
            float four[16];
            rni_v_transpose(r, r + 4, r + 8, r + 12, four);
            for (uint32_t m = 0; m < 4; m++)
                memcpy(n[4 * k + m] + half, four + 4 * m, 4 * sizeof *four);
        }
}

/* RNI_LANES particles from i on; count of them exist. */
static void advance_lanes(const rni_corrected_loop *c, uint32_t i, uint32_t count)
{
    const rn_fluid *f = c->fluid;
    numbers n;
    load_records(f, i, n);
    wall_part part = {0};
    for (uint32_t k = 0; k < RNI_LANES; k++) part.sum[k] = 1;
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
    const rni_v rho = rni_v_load(f->density + i);
    const rni_v sum = f->laws.packing * rni_v_load(f->summation + i);
    /* Drops and films are not drawn out: there the density comes back to that at rest, or to the sum where
     * particles crowd. A particle alone does not keep the pressure of the impact that threw it off, either. */
    const rni_v crowd = rni_v_load(part.sum) * rni_v_max(sum - c->rest, zero);
    const rni_v off = c->rest + crowd - rho;
    const rni_v lacking = rni_v_max(off, zero) + alone * rni_v_min(off, zero);
    const rni_v rate =
        c->diffusion * rni_v_load(n[DIFFUSION]) - rho * divergence +
        c->relaxation * (inside * (sum - rho) + c->outside * (1.0f - inside) * lacking);
    const rni_v next = clamp(rho + c->since * rate, c->density_low, c->density_high);
    rni_v yielding = divergence;
    if (c->has_energy) yielding = zero - rate / rho;
    const rni_v state = state_equation(c, next * c->inverse_rest);
    /* No tension there, nor beside walls, which do not hold the fluid. */
    const rni_v tension = rni_v_where(rni_v_within(rni_v_load(part.full), zero), inside);
    const rni_v pressure = rni_v_max(state, zero) + tension * rni_v_min(state, zero);
    if (f->shift) store_shift(c, i, count, n, c->shift * inside * strain(n, &lv));
    const rni_v ratio = f->ratio ? rni_v_load(f->ratio + i) : one;
    const rni_v p = with_bulk(c, pressure, c->bulk * ratio * inside * yielding, tension);
    const rni_v drag = c->drag * (1.0f + WALL_DRAG * rni_v_load(f->walls->share + i));
    const rni_v push = rni_v_max(p, zero) * normal * rni_v_load(part.full); /* walls do not hold */
    store_some(f->density + i, next, count);
    store_some(f->pressure + i, pressure, count);
    store_records(p * l.xx, p * l.yy, p * l.zz, p * l.xy, count,
                  rni_plane(f, f->stress, 0) + 4 * (size_t)i);
    store_records(p * l.xz, p * l.yz, rni_v_min(drag, rni_v_set(c->drag_most)),
                  f->ratio ? ratio : push, count, rni_plane(f, f->stress, 1) + 4 * (size_t)i);
    for (uint32_t k = 0; f->ratio && k < count; k++)
        rni_plane(f, f->rates, 0)[4 * (size_t)(i + k)] = push[k];
}

void NAME(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rni_corrected_loop *c = data;
    for (uint32_t i = begin; i < end; i += RNI_LANES)
        advance_lanes(c, i, end - i < RNI_LANES ? end - i : RNI_LANES);
}
