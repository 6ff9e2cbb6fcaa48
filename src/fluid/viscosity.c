#define RNI_LANES 4
#include "base/lanes.h"

#include "base/clock.h"
#include "fluid/loads.h"
#include "fluid/passes.h"
#include "fluid/rheology.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <math.h>

/* Of the velocity: residuals below this are rounding. */
#define ROUNDING 2e-7
/* Pa s: less counts as this, in harmonic means. */
#define LEAST 1e-12f

/* Sums over all particles, (m / s)^2: residual times preconditioned residual or direction times product, residual,
 * change by viscosity, velocity. */
typedef struct solver_sums {
    double dot, residual, change, velocity;
} solver_sums;

typedef struct solver {
    rn_fluid *fluid;
    float *plane[RNI_VISCOUS_PLANES];
    float kick;   /* s: for which the acceleration acts on the velocity */
    float factor; /* of the loop under way */
    bool is_implicit, is_plain, has_walls;
    float numerical; /* Pa s */
    rni_viscous_constants constants;
} solver;

static float *at(const solver *s, uint32_t plane, uint32_t i)
{
    return s->plane[plane] + 4 * (size_t)i;
}

static const rni_vm is_axis = {-1, -1, -1, 0};

/* The sum over the axes, in a fixed order. */
static inline double dot3(rni_v a, rni_v b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2];
}

/* --- sums over all particles ------------------------------------------------------------------------ */

static void note_sums(const solver *s, uint32_t piece, solver_sums sums)
{
    ((solver_sums *)s->fluid->viscous_sums.data)[piece] = sums;
}

static solver_sums add_up(const solver *s)
{
    const solver_sums *of = s->fluid->viscous_sums.data;
    solver_sums all = {0};
    for (uint32_t k = 0; k < rni_piece_count(s->fluid->now.count, RNI_FLUID_PIECE); k++) {
        all.dot += of[k].dot, all.residual += of[k].residual;
        all.change += of[k].change, all.velocity += of[k].velocity;
    }
    return all;
}

static solver_sums sum_over(solver *s, rni_range_fn work)
{
    rni_for_particles(s->fluid, work, s);
    return add_up(s);
}

/* --- start ------------------------------------------------------------------------------------------ */

/* How many times a particle counts because neighbours are missing: at a free surface half of them, beside a free-slip wall
 * too; the layers behind a no-slip wall count as neighbours. */
static float surface_factor(const rn_fluid *f, uint32_t i)
{
    const rni_walls *walls = f->walls;
    float full = (f->summation ? f->summation[i] : f->density[i]) / f->def.rest_density;
    if (!rni_has_bare_walls(&f->def) && walls->share[i] > 0 && !(walls->touch[i].drag > 0))
        full -= walls->share[i];
    full = (full - walls->tables.alone) / (1 - walls->tables.alone);
    return 1 / rni_lower(rni_higher(full, 0.5f), 1.0f);
}

/* Pa s, of the fluid itself. */
static inline float viscosity_of(const rn_fluid *f, bool is_plain, uint32_t i)
{
    return is_plain ? f->def.params.viscosity : f->particle_viscosity[i];
}

/* The first guess: what the accelerations of the step before, viscosity included, make of the velocity. In paste they
 * vary less than those of pressure, which viscosity balances. */
static void guess(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const solver *s = data;
    const rn_fluid *f = s->fluid;
    for (uint32_t i = begin; i < end; i++) {
        const float own = viscosity_of(s->fluid, s->is_plain, i);
        rni_v v = rni_v_where(is_axis, rni_v_load(f->now.velocity[i]));
        rni_v change = rni_v_set(0.0f);
        if (s->is_implicit) {
            const rni_v a = rni_v_where(is_axis, rni_v_load(f->now.acceleration[i]));
            const rni_v before = rni_v_where(is_axis, rni_v_load(f->viscous[i]));
            change = s->kick * (before - a);
            v = v + s->kick * a + change;
        }
        rni_v_store(at(s, RNI_VISCOUS_CHANGE, i), change);
        const float effective = own * surface_factor(f, i);
        v[3] = f->ratio ? 0.5f / rni_higher(effective, LEAST) : sqrtf(effective);
        rni_v_store(at(s, RNI_VISCOUS_DIRECTION, i), v);
        at(s, RNI_VISCOUS_PRODUCT, i)[3] = 0;
    }
}

/* The inverse of a symmetric 3 x 3 block, which is positive definite. */
static void invert_block(float *first, float *second)
{
    const double xx = (double)first[0], yy = (double)first[1], zz = (double)first[2],
                 xy = (double)first[3], xz = (double)second[0], yz = (double)second[1];
    const double lxx = yy * zz - yz * yz, lxy = xz * yz - xy * zz, lxz = xy * yz - xz * yy;
    const double inverse = 1 / (xx * lxx + xy * lxy + xz * lxz);
    first[0] = (float)(inverse * lxx);
    first[1] = (float)(inverse * (xx * zz - xz * xz));
    first[2] = (float)(inverse * (xx * yy - xy * xy));
    first[3] = (float)(inverse * lxy);
    second[0] = (float)(inverse * lxz);
    second[1] = (float)(inverse * (xy * xz - yz * xx));
}

static inline rni_v precondition(const float *first, const float *second, rni_v r)
{
    return (rni_v){first[0] * r[0] + first[3] * r[1] + second[0] * r[2],
                   first[3] * r[0] + first[1] * r[1] + second[1] * r[2],
                   second[0] * r[0] + second[1] * r[1] + first[2] * r[2], 0};
}

/* The wall's part of the matrix, and what it adds to the right side. */
static float wall_part(const solver *s, uint32_t i, rni_v *right)
{
    const rn_fluid *f = s->fluid;
    *right = rni_v_set(0.0f);
    if (!s->has_walls || !(f->walls->share[i] > 0) || !(f->walls->touch[i].drag > 0)) return 0;
    const rni_touch *touch = &f->walls->touch[i];
    const float own = viscosity_of(f, s->is_plain, i);
    const float rate = s->kick * (own + s->numerical * rni_ratio(f, i)) / f->def.rest_density;
    for (uint32_t a = 0; a < f->def.dim; a++) (*right)[a] = rate * touch->drag_velocity[a];
    return rate * touch->drag;
}

/* After the first pass: residual and blocks. */
static void start(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    const rn_fluid *f = s->fluid;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        float *direction = at(s, RNI_VISCOUS_DIRECTION, i), root = direction[3];
        float *first = at(s, RNI_VISCOUS_BLOCK, i), *second = at(s, RNI_VISCOUS_BLOCK_2, i);
        const rni_v v = rni_v_where(is_axis, rni_v_load(direction));
        const rni_v change = rni_v_load(at(s, RNI_VISCOUS_CHANGE, i));
        rni_v right;
        const float wall = wall_part(s, i, &right);
        const rni_v product = rni_v_where(is_axis, rni_v_load(at(s, RNI_VISCOUS_PRODUCT, i)));
        const float inertia = rni_ratio(f, i);
        const rni_v r = right - inertia * change - s->kick * product - wall * v;
        for (int a = 0; a < 3; a++) first[a] = inertia + wall + s->kick * first[a];
        first[3] *= s->kick, second[0] *= s->kick, second[1] *= s->kick;
        invert_block(first, second);
        second[2] = wall;
        rni_v next = precondition(first, second, r);
        sums.dot += dot3(r, next), sums.residual += dot3(r, r);
        sums.change += dot3(change, change), sums.velocity += dot3(v, v);
        rni_v_store(at(s, RNI_VISCOUS_RESIDUAL, i), r);
        next[3] = root;
        rni_v_store(direction, next);
    }
    note_sums(s, piece, sums);
}

/* --- iterations ------------------------------------------------------------------------------------- */

/* The pass has summed the pairs; the rest of the matrix is diagonal. */
static void finish_product(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        float *product = at(s, RNI_VISCOUS_PRODUCT, i);
        const rni_v p = rni_v_where(is_axis, rni_v_load(at(s, RNI_VISCOUS_DIRECTION, i)));
        const float diagonal = rni_ratio(s->fluid, i) + at(s, RNI_VISCOUS_BLOCK_2, i)[2];
        const rni_v q = diagonal * p + s->kick * rni_v_load(product);
        sums.dot += dot3(p, q);
        rni_v_store(product, q);
    }
    note_sums(s, piece, sums);
}

static void advance(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end; i++) {
        float *change = at(s, RNI_VISCOUS_CHANGE, i), *residual = at(s, RNI_VISCOUS_RESIDUAL, i);
        const rni_v p = rni_v_where(is_axis, rni_v_load(at(s, RNI_VISCOUS_DIRECTION, i)));
        const rni_v y = rni_v_load(change) + s->factor * p;
        const rni_v r = rni_v_load(residual) - s->factor * rni_v_load(at(s, RNI_VISCOUS_PRODUCT, i));
        const rni_v z = precondition(at(s, RNI_VISCOUS_BLOCK, i), at(s, RNI_VISCOUS_BLOCK_2, i), r);
        sums.dot += dot3(r, z), sums.residual += dot3(r, r), sums.change += dot3(y, y);
        rni_v_store(change, y);
        rni_v_store(residual, r);
    }
    note_sums(s, piece, sums);
}

static void turn(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const solver *s = data;
    for (uint32_t i = begin; i < end; i++) {
        float *direction = at(s, RNI_VISCOUS_DIRECTION, i), root = direction[3];
        const rni_v r = rni_v_load(at(s, RNI_VISCOUS_RESIDUAL, i));
        const rni_v z = precondition(at(s, RNI_VISCOUS_BLOCK, i), at(s, RNI_VISCOUS_BLOCK_2, i), r);
        rni_v next = z + s->factor * rni_v_where(is_axis, rni_v_load(direction));
        next[3] = root;
        rni_v_store(direction, next);
    }
}

/* The residual over the change by viscosity; 0 where only rounding is left. */
static double share_of(const solver_sums *sums, double velocity)
{
    if (sums->residual <= ROUNDING * ROUNDING * velocity) return 0;
    return sums->change > 0 ? sqrt(sums->residual / sums->change) : HUGE_VAL;
}

static void run_pass(solver *s, const rni_pass *pass)
{
    rni_pass_run(
        s->fluid, pass,
        &(rni_pass_arrays){.gather = {s->plane[RNI_VISCOUS_DIRECTION]},
                           .store = {s->plane[RNI_VISCOUS_PRODUCT], s->plane[RNI_VISCOUS_BLOCK],
                                     s->plane[RNI_VISCOUS_BLOCK_2]},
                           .constants = &s->constants});
}

/* Preconditioned conjugate gradients (Hestenes and Stiefel 1952) from the first guess on. */
static void iterate(solver *s, solver_sums sums)
{
    rn_fluid *f = s->fluid;
    const rn_fluid_params *p = &f->def.params;
    const double velocity = sums.velocity;
    double share = share_of(&sums, velocity);
    uint32_t count = 0;
    /* A negated comparison would go on with numbers that are not finite. */
    for (; share > (double)p->viscosity_tolerance && count < p->viscosity_iterations; count++) {
        run_pass(s, &rni_pass_viscous);
        const double before = sums.dot, curvature = sum_over(s, finish_product).dot;
        if (!(curvature > 0) || !(before > 0)) break;
        s->factor = (float)(before / curvature);
        sums = sum_over(s, advance);
        share = share_of(&sums, velocity);
        s->factor = (float)(sums.dot / before);
        if (share > (double)p->viscosity_tolerance) rni_for_particles(f, turn, s);
    }
    f->viscous_iterations += count;
    if (!(share <= (double)f->viscous_residual)) f->viscous_residual = (float)share;
}

/* v + residual is what the pair forces at v make of the velocity: other than v itself it conserves momentum, whatever the
 * residual is. */
static void add_force(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const solver *s = data;
    const rn_fluid *f = s->fluid;
    const float inverse = 1 / s->kick;
    for (uint32_t i = begin; i < end; i++) {
        const rni_v change = rni_v_load(at(s, RNI_VISCOUS_CHANGE, i)),
                    residual = rni_v_load(at(s, RNI_VISCOUS_RESIDUAL, i));
        rni_v viscous = rni_v_where(is_axis, inverse * (change + rni_inverse_ratio(f, i) * residual));
        if (f->def.dim == 2) viscous[2] = 0;
        const rni_v all = rni_v_load(f->now.acceleration[i]) + viscous;
        rni_v_store(f->viscous[i], all);
        rni_v_store(f->now.acceleration[i], all);
    }
}

rn_result rni_stage_viscosity(rn_fluid *f, float dt)
{
    const rn_fluid_params *p = &f->def.params;
    if (!rni_is_paste(&f->def) || f->now.count == 0) return RN_OK;
    const double began = rni_seconds();
    rn_result result =
        rni_buffer_need(&f->memory, &f->viscous_sums,
                        rni_piece_count(f->now.count, RNI_FLUID_PIECE), sizeof(solver_sums));
    if (result != RN_OK) return result;
    const bool is_half = p->integrator == RN_INTEGRATOR_KICK_DRIFT;
    solver s = {.fluid = f,
                .kick = is_half ? 0.5f * (f->last_dt + dt) : dt,
                .is_implicit = rni_is_implicit(p),
                .is_plain = !rni_has_phases(&f->def) && !rni_has_laws(&f->def),
                .has_walls = !rni_has_bare_walls(&f->def),
                .numerical = f->derived.numerical_viscosity,
                .constants = {.inverse_h_sq = f->laws.viscous_inverse_sq,
                              .part = {f->laws.viscous_part[0], f->laws.viscous_part[1]},
                              .scale = f->laws.viscous_scale}};
    const size_t plane = 4 * ((size_t)f->now.capacity + RNI_FLUID_PADDING);
    for (uint32_t k = 0; k < RNI_VISCOUS_PLANES; k++) s.plane[k] = f->viscous_work[0] + k * plane;
    if (!s.is_plain) rni_stage_rheology(f, s.plane);
    rni_for_particles(f, guess, &s);
    run_pass(&s, &rni_pass_viscous_start);
    const solver_sums sums = sum_over(&s, start);
    if (s.is_implicit) iterate(&s, sums);
    rni_for_particles(f, add_force, &s);
    f->viscous_kick = s.kick;
    rni_loads_sum(f);
    f->viscous_ms += 1e3 * (rni_seconds() - began);
    return RN_OK;
}

float rni_viscous_drag_of(const rn_fluid *f, uint32_t i, float velocity[3])
{
    const rn_fluid_params *p = &f->def.params;
    const float own = viscosity_of(f, !f->particle_viscosity, i);
    const float kick = rni_is_implicit(p) ? f->viscous_kick : 0.0f;
    for (int a = 0; a < 3; a++)
        velocity[a] = f->now.velocity[i][a] + kick * f->now.acceleration[i][a];
    const float numerical = f->derived.numerical_viscosity * rni_ratio(f, i);
    return (own + numerical) / (f->def.rest_density * rni_ratio(f, i));
}
