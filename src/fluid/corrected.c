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

#include "fluid/corrected.h"
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

/* Of the sound speed: diffusion of density. */
#define DIFFUSION_SIZE 0.6f
/* Relaxation: of sound speed over radius, its rate inside; times that, at the surface, in drops and films. Crowds that
 * splashes make become sound: at 15 a dam break gains energy, and `lab impact` and `lab jet` have twice the noise.
 * Surface tension presses the outermost layer all the time, and its density has to follow: at 2 a drop leaves the wall
 * that it wets (`lab contact-angle`). */
#define RELAXATION         0.02f
#define OUTSIDE            2.0f
#define RELAXATION_TENSION 0.03f
#define OUTSIDE_TENSION    10.0f
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
/* But no more than that of this numerical_viscosity, for which steps are short enough. */
#define WALL_DRAG_MOST 0.5f

/* --- density ---------------------------------------------------------------------------------------- */

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
    const float *sums = rni_plane(f, f->stress, 1);
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
    float *to = rni_plane(f, f->stress, 0), g[3];
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
        arrays.gather[0] = rni_plane(f, f->stress, 0);
    }
    for (uint32_t k = 0; k < RNI_RATES_PLANES; k++) arrays.store[k] = rni_plane(f, f->rates, k);
    arrays.store[RNI_RATES_PLANES] = rni_plane(f, f->stress, 1); /* which is still free */
    rni_records_renew(f);
    rni_pass_run(f, &rni_pass_rates, &arrays);
    rni_for_particles(f, keep_summation, f);
    return RN_OK;
}

/* --- pressure --------------------------------------------------------------------------------------- */

static rni_range_fn advance_of(const rn_fluid *f)
{
#ifdef RNI_X86
    if (f->cpu != RN_CPU_PLAIN) return rni_corrected_advance_avx2;
#endif
    (void)f;
    return rni_corrected_advance_plain;
}

static void corrected_pressure(rn_fluid *f, const rni_evaluation *e)
{
    const rn_fluid_params *p = &f->def.params;
    const rn_fluid_derived *d = &f->derived;
    const float dt = e->since > 0 ? e->since : d->safe_step;
    const float drag = (float)(f->def.dim + 2) * d->numerical_viscosity * 0.25f;
    const bool has_tension = p->tension != RN_TENSION_NONE;
    rni_corrected_loop c = {
        .fluid = f,
        .since = e->since,
        .exponent = p->exponent,
        .bulk = p->bulk * f->def.rest_density * d->sound_speed * f->def.spacing,
        .drag = drag,
        .seed = SHIFT_SEED / d->radius,
        .drag_most =
            drag * rni_higher(WALL_DRAG_MOST / rni_higher(p->numerical_viscosity, 1e-6f), 1.0f),
        .rest = f->def.rest_density,
        .inverse_rest = 1 / f->def.rest_density,
        .stiffness = d->stiffness,
        .least = p->negative_pressure ? -INFINITY : 0.0f,
        .relaxation = p->relaxation * (has_tension ? RELAXATION_TENSION : RELAXATION) *
                      d->sound_speed / d->radius,
        .outside = has_tension ? OUTSIDE_TENSION : OUTSIDE,
        .diffusion = p->diffusion * DIFFUSION_SIZE * d->sound_speed,
        .shift = p->shifting * SHIFT_SIZE * d->radius * d->radius,
        .shift_most = SHIFT_STEP * f->def.spacing / dt,
        .speed_most = SHIFT_SPEED * d->sound_speed,
        .density_low = DENSITY_LOW * f->def.rest_density,
        .density_high = DENSITY_HIGH * f->def.rest_density,
        .is_flat = f->def.dim == 2,
        .is_corrected = p->gradient_correction,
        .has_energy = rni_has_surface_energy(p) && !f->ratio,
    };
    rni_for_particles(f, advance_of(f), &c);
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
    const float *push = f->ratio ? rni_plane(f, f->rates, 0) : rni_plane(f, f->stress, 1) + 3;
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
        .crowding = rni_plane(f, f->rates, 0),
    };
    rni_pass_run(f, &rni_pass_stress,
                 &(rni_pass_arrays){.gather = {rni_plane(f, f->stress, 0), rni_plane(f, f->stress, 1)},
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
