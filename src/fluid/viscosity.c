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

/* A record whose fourth number, another quantity, is 0 instead. */
static inline rni_v axes_of(const float *record)
{
    return rni_v_where(is_axis, rni_v_load(record));
}

static inline void put_axes(float *record, rni_v v, float fourth)
{
    v[3] = fourth;
    rni_v_store(record, v);
}

/* --- sums over all particles ------------------------------------------------------------------------ */

/* The same of a few particles, of which four are summed at a time, in floats: in double they would take longer than
 * all the rest of these loops. */
#define SUMMED_PARTICLES 16u
typedef struct few_sums {
    rni_v dot, residual, change, velocity;
} few_sums;

static inline double sum_of(rni_v v)
{
    return (double)v[0] + (double)v[1] + ((double)v[2] + (double)v[3]);
}

static inline void add_few(solver_sums *to, const few_sums *few)
{
    to->dot += sum_of(few->dot), to->residual += sum_of(few->residual);
    to->change += sum_of(few->change), to->velocity += sum_of(few->velocity);
}

static inline uint32_t end_of_few(uint32_t begin, uint32_t end)
{
    return end - begin < SUMMED_PARTICLES ? end : begin + SUMMED_PARTICLES;
}

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

/* The share of its neighbours that a particle has, at least a half: of four particles from i on, count of them exist. At a
 * free surface about half of them are missing, and beside a free-slip wall too; the layers behind a no-slip wall count
 * as neighbours. A particle counts with its viscosity over this share. */
static rni_v shares_of_neighbors(const rn_fluid *f, uint32_t i, uint32_t count)
{
    const rni_walls *walls = f->walls;
    const float alone = walls->tables.alone, scale = 1 / (1 - alone);
    rni_v full =
        rni_v_load((f->summation ? f->summation : f->density) + i) * (1 / f->def.rest_density);
    for (uint32_t k = 0; k < count && !rni_has_bare_walls(&f->def); k++)
        if (walls->share[i + k] > 0 && !(walls->touch[i + k].drag > 0))
            full[k] -= walls->share[i + k];
    full = scale * (full - alone);
    return rni_v_min(rni_v_max(full, rni_v_set(0.5f)), rni_v_set(1.0f));
}

/* Pa s, of the fluid itself. */
static inline float viscosity_of(const rn_fluid *f, bool is_plain, uint32_t i)
{
    return is_plain ? f->def.params.viscosity : f->particle_viscosity[i];
}

/* What the pass gathers beside the velocities of four particles: the root of their viscosity, or for several fluids a half
 * over it. */
static rni_v roots_of_viscosity(const solver *s, uint32_t i, uint32_t count)
{
    const rn_fluid *f = s->fluid;
    const rni_v share = shares_of_neighbors(f, i, count);
    rni_v own = rni_v_set(f->def.params.viscosity);
    if (!s->is_plain) own = rni_v_load(f->particle_viscosity + i);
    if (f->ratio) return 0.5f * share / rni_v_max(own, rni_v_set(LEAST) * share);
    rni_v root = own / share;
    for (uint32_t k = 0; k < 4; k++) root[k] = sqrtf(root[k]);
    return root;
}

/* The first guess: what the accelerations of the step before, viscosity included, make of the velocity. In paste they
 * vary less than those of pressure, which viscosity balances. */
static void guess_one(const solver *s, uint32_t i, float root)
{
    const rn_fluid *f = s->fluid;
    rni_v v = axes_of(f->now.velocity[i]), change = rni_v_set(0.0f);
    if (s->is_implicit) {
        const rni_v before = s->kick * axes_of(f->viscous[i]);
        change = before - s->kick * axes_of(f->now.acceleration[i]);
        v = v + before;
    }
    rni_v_store(at(s, RNI_VISCOUS_CHANGE, i), change);
    put_axes(at(s, RNI_VISCOUS_DIRECTION, i), v, root);
}

static void guess(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const solver *s = data;
    for (uint32_t i = begin; i < end; i += 4) {
        const uint32_t count = end - i < 4 ? end - i : 4;
        const rni_v root = roots_of_viscosity(s, i, count);
        for (uint32_t k = 0; k < count; k++) guess_one(s, i + k, root[k]);
    }
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

/* After the first pass, which has left the diagonal of the pairs where the residual comes to lie. */
static inline void start_one(const solver *s, uint32_t i, few_sums *few)
{
    float *direction = at(s, RNI_VISCOUS_DIRECTION, i), *residual = at(s, RNI_VISCOUS_RESIDUAL, i);
    float *of_change = at(s, RNI_VISCOUS_CHANGE, i);
    const rni_v v = axes_of(direction), change = axes_of(of_change);
    rni_v right;
    const float wall = wall_part(s, i, &right), inertia = rni_ratio(s->fluid, i);
    const rni_v r =
        right - inertia * change - s->kick * axes_of(at(s, RNI_VISCOUS_PRODUCT, i)) - wall * v;
    const float largest = rni_higher(rni_higher(residual[0], residual[1]), residual[2]);
    const float inverse = 1 / (inertia + wall + s->kick * largest);
    const rni_v next = inverse * r;
    few->dot += r * next, few->residual += r * r;
    few->change += change * change, few->velocity += v * v;
    of_change[3] = inertia + wall;
    put_axes(residual, r, inverse);
    put_axes(direction, next, direction[3]);
}

static void start(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end;) {
        few_sums few = {0};
        for (const uint32_t stop = end_of_few(i, end); i < stop; i++) start_one(s, i, &few);
        add_few(&sums, &few);
    }
    note_sums(s, piece, sums);
}

/* --- iterations ------------------------------------------------------------------------------------- */

/* The pass has summed the pairs; the rest of the matrix is diagonal. p is the direction. */
static inline rni_v product_of(const solver *s, uint32_t i, rni_v p)
{
    const float diagonal = at(s, RNI_VISCOUS_CHANGE, i)[3];
    return diagonal * p + s->kick * axes_of(at(s, RNI_VISCOUS_PRODUCT, i));
}

static void measure_product(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end;) {
        few_sums few = {0};
        for (const uint32_t stop = end_of_few(i, end); i < stop; i++) {
            const rni_v p = axes_of(at(s, RNI_VISCOUS_DIRECTION, i));
            few.dot += p * product_of(s, i, p);
        }
        add_few(&sums, &few);
    }
    note_sums(s, piece, sums);
}

static inline void advance_one(const solver *s, uint32_t i, few_sums *few)
{
    float *of_change = at(s, RNI_VISCOUS_CHANGE, i), *residual = at(s, RNI_VISCOUS_RESIDUAL, i);
    const rni_v p = axes_of(at(s, RNI_VISCOUS_DIRECTION, i));
    const rni_v change = axes_of(of_change) + s->factor * p;
    const rni_v r = axes_of(residual) - s->factor * product_of(s, i, p);
    few->dot += residual[3] * r * r, few->residual += r * r;
    few->change += change * change;
    put_axes(of_change, change, of_change[3]);
    put_axes(residual, r, residual[3]);
}

static void advance(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const solver *s = data;
    solver_sums sums = {0};
    for (uint32_t i = begin; i < end;) {
        few_sums few = {0};
        for (const uint32_t stop = end_of_few(i, end); i < stop; i++) advance_one(s, i, &few);
        add_few(&sums, &few);
    }
    note_sums(s, piece, sums);
}

static void turn(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const solver *s = data;
    for (uint32_t i = begin; i < end; i++) {
        float *direction = at(s, RNI_VISCOUS_DIRECTION, i);
        const float *residual = at(s, RNI_VISCOUS_RESIDUAL, i);
        const rni_v next = residual[3] * axes_of(residual) + s->factor * axes_of(direction);
        put_axes(direction, next, direction[3]);
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
                           .store = {s->plane[RNI_VISCOUS_PRODUCT], s->plane[RNI_VISCOUS_RESIDUAL]},
                           .constants = &s->constants});
}

/* Conjugate gradients (Hestenes and Stiefel 1952) from the first guess on, preconditioned by the largest number on the
 * diagonal of each particle: with the inverses of 3 x 3 blocks instead, iterations are 2 to 6 % fewer, and cost more. */
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
        const double before = sums.dot, curvature = sum_over(s, measure_product).dot;
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
        const rni_v change = axes_of(at(s, RNI_VISCOUS_CHANGE, i)),
                    residual = axes_of(at(s, RNI_VISCOUS_RESIDUAL, i));
        rni_v viscous = inverse * (change + rni_inverse_ratio(f, i) * residual);
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
