#include "fluid/rheology.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/passes.h"
#include "fluid/phases.h"
#include "fluid/walls.h"

#include <math.h>

/* 1 / s: laws are asked for no slower shear; powers of 0 are not finite. */
#define RATE_LEAST 1e-9f
/* Spacings: velocities of walls are not spread over less than this. */
#define NEAREST 0.25
/* Determinant of the moments, over the cube (2D: square) of their mean, below which neighbours say nothing about the
 * gradient across them: particles in a row. */
#define FLAT 1e-3f

/* --- laws ------------------------------------------------------------------------------------------- */

/* Papanastasiou 1987: the stress grows over the rates below 1 / yield_growth instead of at once. */
static float yield_part(const rn_fluid_params *p, float rate)
{
    const float growth = p->yield_growth, steep = growth * rate;
    if (steep < 1e-3f) return p->yield_stress * growth * (1 - 0.5f * steep);
    return p->yield_stress * -expm1f(-steep) / rate;
}

static float law_at(const rn_fluid_params *p, float rate)
{
    const float power = p->flow_index - 1, time = p->shear_time * rate;
    switch (p->viscosity_law) {
    case RN_LAW_POWER: return p->viscosity * powf(rate, power);
    case RN_LAW_CARREAU:
        return p->viscosity_infinite +
               (p->viscosity - p->viscosity_infinite) * powf(1 + time * time, 0.5f * power);
    case RN_LAW_BINGHAM:
        return p->viscosity * (power == 0 ? 1.0f : powf(rate, power)) + yield_part(p, rate);
    case RN_LAW_NEWTONIAN: break;
    }
    return p->viscosity;
}

float rni_rheology_at(const rn_fluid_params *p, float rate)
{
    if (p->viscosity_law == RN_LAW_NEWTONIAN) return p->viscosity;
    const float viscosity = law_at(p, fmaxf(rate, RATE_LEAST));
    return fminf(fmaxf(viscosity, p->viscosity_min), p->viscosity_max);
}

float rni_rheology_most(const rn_fluid_params *p)
{
    if (p->viscosity_law == RN_LAW_NEWTONIAN) return p->viscosity;
    if (p->flow_index > 1) return p->viscosity_max; /* at high rates */
    return rni_rheology_at(p, 0);
}

/* --- what is refused -------------------------------------------------------------------------------- */

static rn_result check_law(const rn_fluid_params *p)
{
    if (!(p->viscosity > 0))
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "viscosity is 0, but viscosity_law %s multiplies it; set viscosity (of a yield stress: the plastic "
            "viscosity), or viscosity_law newtonian",
            rn_fluid_choice_name(RN_CHOICE_LAW, p->viscosity_law));
    if (!(p->viscosity_min <= p->viscosity_max))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "viscosity_min is %g Pa s, above viscosity_max, %g Pa s; exchange them",
                        (double)p->viscosity_min, (double)p->viscosity_max);
    if (p->viscosity_law == RN_LAW_CARREAU && !(p->shear_time > 0))
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "shear_time is 0, and the carreau law would be newtonian; set the time (s) whose inverse is "
            "the rate at which the fluid thins, or viscosity_law newtonian");
    if (p->viscosity_law == RN_LAW_BINGHAM && !(p->yield_stress > 0))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "yield_stress is 0; the bingham law needs one (Pa), or take viscosity_law %s",
                        p->flow_index == 1 ? "newtonian" : "power-law");
    if (p->viscosity_law == RN_LAW_POWER && p->flow_index == 1)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "flow_index is 1, and the power law would be newtonian; set flow_index (below 1: the fluid thins), "
            "or viscosity_law newtonian");
    return RN_OK;
}

rn_result rni_rheology_check(const rn_fluid_params *p)
{
    const bool is_plain = p->viscosity_law == RN_LAW_NEWTONIAN;
    if (p->viscosity_model == RN_VISCOSITY_NONE && !is_plain)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "viscosity_law is %s, but viscosity_model is none; set viscosity_model laplacian",
            rn_fluid_choice_name(RN_CHOICE_LAW, p->viscosity_law));
    const bool is_paste = !is_plain || p->viscosity_solver == RN_SOLVER_IMPLICIT;
    if (is_paste && p->viscosity_model != RN_VISCOSITY_NONE && p->integrator == RN_INTEGRATOR_LEAPFROG)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "integrator leapfrog does not go with %s, which acts once a step; take symplectic-euler or "
            "kick-drift",
            is_plain ? "viscosity_solver implicit" : "a viscosity law");
    return is_plain ? RN_OK : check_law(p);
}

/* --- walls ------------------------------------------------------------------------------------------ */

/* Sums over the particles of a layer at the distance z, as integrals: of the weight of passes/strain.h, and of the same
 * times x^2 with x along the layer. */
static double layer_moment(uint32_t dim, double spacing, double radius, double z, bool is_second)
{
    enum { STEPS = 200 };
    if (z >= radius) return 0;
    const double step = sqrt(radius * radius - z * z) / STEPS;
    double sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double x = k * step, t = 1 - (x * x + z * z) / (radius * radius);
        const double simpson = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * step / 3;
        const double circle = dim == 3 ? (is_second ? RNI_PI * x : 2 * RNI_PI * x) : 2;
        sum += simpson * circle * t * t * (is_second ? x * x : 1);
    }
    return sum / (dim == 3 ? spacing * spacing : spacing);
}

/* The layers behind a wall at the distance t: their velocities make that of the face equal to the velocity of the
 * wall, as with drag (viscosity_form.c). */
static void layers_at(const rn_fluid *f, double t, rni_shear_walls *walls, uint32_t k)
{
    const uint32_t dim = f->def.dim;
    const double spacing = (double)f->def.spacing, h_sq = (double)f->laws.h_sq;
    const double radius = 1 / sqrt((double)f->laws.viscous_inverse_sq);
    double across = 0, along = 0;
    for (int n = 0; t + (n + 0.5) * spacing < radius; n++) {
        const double z = t + (n + 0.5) * spacing;
        across += z * z * layer_moment(dim, spacing, radius, z, false) / h_sq;
        along += layer_moment(dim, spacing, radius, z, true) / h_sq;
    }
    walls->across[k] = (float)across;
    walls->along[k] = (float)along;
    walls->shear[k] = (float)(across / fmax(t, NEAREST * spacing));
}

/* The walls' normals, which fall with the distance, tell how near they are. */
void rni_rheology_prepare(rn_fluid *f)
{
    rni_shear_walls *walls = &f->shear_walls;
    const rni_wall_tables *tables = &f->walls->tables;
    const float most = tables->values[0][RNI_WALL_NORMAL];
    walls->inverse_normal = most > 0 ? 1 / most : 0;
    uint32_t row = RNI_WALL_TABLE;
    for (uint32_t k = 0; k <= RNI_TENSION_TABLE; k++) {
        const float wanted = most * (float)k / RNI_TENSION_TABLE;
        while (row > 0 && tables->values[row][RNI_WALL_NORMAL] < wanted) row--;
        layers_at(f, row * (double)f->laws.h / RNI_WALL_TABLE, walls, k);
    }
    walls->across[RNI_TENSION_TABLE + 1] = walls->across[RNI_TENSION_TABLE];
    walls->along[RNI_TENSION_TABLE + 1] = walls->along[RNI_TENSION_TABLE];
    walls->shear[RNI_TENSION_TABLE + 1] = walls->shear[RNI_TENSION_TABLE];
}

/* Adds no-slip walls to the moments xx, yy, zz, xy, xz, yz and to the sums of velocities over distances. Without, the
 * rate beside a wall would be that of the fluid further in: too low where the flow thins. */
static void add_walls(const rn_fluid *f, uint32_t i, float moments[6], float a[3][3])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    if (rni_has_bare_walls(&f->def) || !(f->walls->share[i] > 0)) return;
    const rni_shear_walls *walls = &f->shear_walls;
    const rni_touch *touch = &f->walls->touch[i];
    const float length = sqrtf(rni_solid_dot(touch->normal, touch->normal));
    if (!(length > 0) || !(touch->drag > 0)) return;
    const float place = rni_lower(length * walls->inverse_normal, 1.0f) * RNI_TENSION_TABLE;
    const float along = rni_table_at(walls->along, place);
    const float more = rni_table_at(walls->across, place) - along;
    const float shear = rni_table_at(walls->shear, place);
    float n[3];
    for (int k = 0; k < 3; k++) n[k] = touch->normal[k] / length;
    for (int k = 0; k < 6; k++)
        moments[k] += more * n[row[k]] * n[column[k]] + (row[k] == column[k] ? along : 0.0f);
    for (int k = 0; k < 3; k++) {
        const float u = f->now.velocity[i][k] - touch->drag_velocity[k] / touch->drag;
        for (int b = 0; b < 3; b++) a[k][b] += shear * u * n[b];
    }
}

/* --- the rate of shear ------------------------------------------------------------------------------ */

typedef struct tensor {
    float of[3][3];
} tensor;

/* The inverse of the moments, 0 where the neighbours are too few; flat: in 2D. */
static tensor inverse_of(const float m[6], bool is_flat)
{
    const float xx = m[0], yy = m[1], zz = is_flat ? 1.0f : m[2], xy = m[3], xz = m[4], yz = m[5];
    tensor l = {{{yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy},
                 {0, xx * zz - xz * xz, xy * xz - yz * xx},
                 {0, 0, xx * yy - xy * xy}}};
    const float det = xx * l.of[0][0] + xy * l.of[0][1] + xz * l.of[0][2];
    const float mean = is_flat ? 0.5f * (xx + yy) : (xx + yy + zz) / 3;
    const float least = FLAT * mean * mean * (is_flat ? 1.0f : mean);
    const float scale = det > least && det > 0 ? 1 / det : 0.0f;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++) l.of[a][b] *= scale, l.of[b][a] = l.of[a][b];
    return l;
}

/* 1 / s: root of 2 e : e, e the deviatoric part of the rate of strain. */
static float shear_rate(const rn_fluid *f, uint32_t p, const float *const r[4])
{
    const bool is_flat = f->def.dim == 2;
    float moments[6] = {r[0][0], r[0][1], r[0][2], r[0][3], r[1][0], r[1][1]};
    float a[3][3] = {
        {r[1][2], r[2][1], r[2][3]}, {r[2][2], r[1][3], r[3][1]}, {r[3][0], r[3][2], r[2][0]}};
    add_walls(f, p, moments, a);
    const tensor l = inverse_of(moments, is_flat);
    tensor g;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g.of[i][j] = a[i][0] * l.of[0][j] + a[i][1] * l.of[1][j] + a[i][2] * l.of[2][j];
    const int dim = is_flat ? 2 : 3;
    float trace = 0, sum = 0;
    for (int i = 0; i < dim; i++) trace += g.of[i][i];
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            const float e = 0.5f * (g.of[i][j] + g.of[j][i]) - (i == j ? trace / (float)dim : 0.0f);
            sum += e * e;
        }
    return sqrtf(2 * sum);
}

typedef struct rheology_loop {
    rn_fluid *fluid;
    float *const *work;
} rheology_loop;

static void apply_law(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rheology_loop *loop = data;
    const rn_fluid *f = loop->fluid;
    for (uint32_t i = begin; i < end; i++) {
        const size_t at = 4 * (size_t)i;
        const float *const sums[4] = {loop->work[0] + at, loop->work[1] + at, loop->work[2] + at,
                                      loop->work[3] + at};
        const rn_fluid_params *law =
            f->fluid_number ? &f->phase[f->fluid_number[i]].law : &f->def.params;
        f->particle_viscosity[i] = rni_rheology_at(law, shear_rate(f, i, sums));
    }
}

/* Of several fluids without laws. */
static void note_viscosity(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    (void)piece;
    const rn_fluid *f = data;
    for (uint32_t i = begin; i < end; i++)
        f->particle_viscosity[i] = f->phase[f->fluid_number[i]].law.viscosity;
}

void rni_stage_rheology(rn_fluid *f, float *const work[4])
{
    if (!rni_has_laws(&f->def)) {
        rni_for_particles(f, note_viscosity, f);
        return;
    }
    const rni_viscous_constants constants = {.inverse_h_sq = f->laws.viscous_inverse_sq};
    rni_pass_run(f, &rni_pass_strain,
                 &(rni_pass_arrays){.gather = {f->now.velocity[0]},
                                    .store = {work[0], work[1], work[2], work[3]},
                                    .constants = &constants});
    rheology_loop loop = {f, work};
    rni_for_particles(f, apply_law, &loop);
}
