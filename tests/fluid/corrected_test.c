/* The corrected scheme: what its sums are exactly, on lattices and on disordered particles; and what it does not
 * go with. */
#include "fluid/water_test.h"

#include "fluid/stages.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

#define SPACING 0.05f
/* Particles a side of a block, and how many layers from its border count as inside. */
#define SIDE  14u
#define INNER 5u

enum { MOST = SIDE * SIDE * SIDE };

/* Positions and velocities of a block: x = F X with X on a lattice, moved by jitter; v = G x. */
typedef struct block {
    uint32_t dim;
    float deformation[3][3], rate[3][3], velocity[3];
    float jitter; /* of the spacing */
    bool is_periodic;
} block;

static const float unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static float position[MOST][3], velocity[MOST][3];
static bool is_inner[MOST]; /* by id: particles are added in this order */

/* From -0.5 to 0.5, the same at every call with this number. */
static float noise(uint32_t number)
{
    number = number * 2654435761u ^ 0x9e3779b9u;
    number ^= number >> 15;
    number *= 2246822519u;
    number ^= number >> 13;
    return (float)(number >> 8) / 16777216.0f - 0.5f;
}

static uint32_t place(const block *b)
{
    const uint32_t count = b->dim == 3 ? MOST : SIDE * SIDE;
    const float middle = 0.5f * (float)SIDE * SPACING, center = b->is_periodic ? middle : 2.0f;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        float from[3] = {0, 0, 0};
        is_inner[i] = true;
        for (uint32_t a = 0; a < b->dim; a++) {
            from[a] = ((float)index[a] + 0.5f + b->jitter * noise(3 * i + a)) * SPACING - middle;
            is_inner[i] = is_inner[i] && index[a] >= INNER && index[a] < SIDE - INNER;
        }
        for (uint32_t a = 0; a < 3; a++) {
            float x = 0;
            for (uint32_t k = 0; k < 3; k++) x += b->deformation[a][k] * from[k];
            position[i][a] = a < b->dim ? center + x : 0.0f;
        }
        for (uint32_t a = 0; a < 3; a++) {
            velocity[i][a] = b->velocity[a];
            for (uint32_t k = 0; k < b->dim; k++)
                velocity[i][a] += b->rate[a][k] * (position[i][k] - center);
        }
    }
    return count;
}

/* Without what changes densities beside the divergence. */
static rn_fluid_def def_of(const block *b)
{
    const float size = b->is_periodic ? (float)SIDE * SPACING : 4.0f;
    rn_fluid_def def = water_def(b->dim, SPACING, size, size, size);
    for (uint32_t a = 0; a < b->dim; a++) def.periodic[a] = b->is_periodic;
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 1;
    def.params.diffusion = def.params.relaxation = 0;
    return def;
}

static rn_fluid *make(const block *b, const rn_fluid_def *def)
{
    const uint32_t count = place(b);
    rn_fluid *f = water_create(def);
    assert_ok(rn_fluid_add_particles(f, &position[0][0], &velocity[0][0], count, NULL));
    assert_ok(rni_walls_ready(f));
    return f;
}

static void evaluate(rn_fluid *f, float since)
{
    const rni_evaluation e = {.since = since};
    assert_ok(rni_evaluate(f, &e));
}

/* --- divergence ------------------------------------------------------------------------------------ */

/* 1 / s: v = G x has the divergence trace(G). */
static const float rate[3][3] = {{3, -2, 1}, {4, -1.5f, 2}, {-1, 3, 2.5f}};

static void uniform_strain_has_its_exact_divergence(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        block b = {.dim = k % 2 ? 2 : 3, .jitter = k & 2 ? 0.3f : 0, .is_periodic = k >= 4};
        memcpy(b.deformation, unit, sizeof unit);
        memcpy(b.rate, rate, sizeof rate);
        const rn_fluid_def def = def_of(&b);
        rn_fluid *f = make(&b, &def);
        const double since = 1.0 / 256, trace = b.dim == 3 ? 4.0 : 1.5;
        evaluate(f, (float)since);
        const rn_fluid_particles p = rn_fluid_get_particles(f);
        uint32_t seen = 0;
        for (uint32_t i = 0; i < p.count; i++) {
            if (!is_inner[p.id[i]]) continue;
            const double divergence = (1 - (double)p.density[i] / 1000) / since;
            if (fabs(divergence - trace) > 2e-4 * trace)
                fail_msg("case %d: divergence %.6f instead of %g", k, divergence, trace);
            seen++;
        }
        assert_true(seen >= 16);
        rn_fluid_destroy(f);
    }
}

/* --- shear ----------------------------------------------------------------------------------------- */

/* The mean stress around particle i is half the sum of w (T_i + T_j) d (x) d: on a uniform lattice the
 * product of T = p L and the moments M. The largest deviation from p, as a share of it. */
static float anisotropy(const rn_fluid *f, uint32_t i)
{
    const size_t records = (size_t)f->now.capacity + RNI_FLUID_PADDING;
    const float *m1 = f->rates[records + i], *m2 = f->rates[2 * records + i];
    const float *t1 = f->stress[i], *t2 = f->stress[records + i];
    const bool is_flat = f->def.dim == 2;
    const float m[3][3] = {
        {m1[0], m1[3], m2[0]}, {m1[3], m1[1], m2[1]}, {m2[0], m2[1], is_flat ? 1.0f : m1[2]}};
    const float t[3][3] = {{t1[0], t1[3], t2[0]}, {t1[3], t1[1], t2[1]}, {t2[0], t2[1], t1[2]}};
    float most = 0;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) {
            float sum = 0;
            for (int k = 0; k < 3; k++) sum += t[a][k] * m[k][c];
            most = fmaxf(most, fabsf(sum / f->pressure[i] - unit[a][c]));
        }
    return most;
}

/* Compressed water: 2 % denser than at rest. */
static float worst_anisotropy(const block *b, bool is_corrected)
{
    rn_fluid_def def = def_of(b);
    def.params.gradient_correction = is_corrected;
    rn_fluid *f = make(b, &def);
    for (uint32_t i = 0; i < f->now.count; i++) f->density[i] = f->previous_density[i] = 1020;
    evaluate(f, 1e-4f);
    const rn_fluid_particles p = rn_fluid_get_particles(f);
    float most = 0;
    for (uint32_t i = 0; i < p.count; i++)
        if (is_inner[p.id[i]]) most = fmaxf(most, anisotropy(f, i));
    rn_fluid_destroy(f);
    return most;
}

/* A cubic lattice, stretched along x as much as it shrinks along y; and sheared: both keep its volume. */
static void a_sheared_lattice_carries_no_shear(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        block b = {.dim = k % 2 ? 2 : 3};
        memcpy(b.deformation, unit, sizeof unit);
        if (k < 2) b.deformation[0][0] = 1.1f, b.deformation[1][1] = 1 / 1.1f;
        else b.deformation[0][1] = 0.1f;
        const float corrected = worst_anisotropy(&b, true), plain = worst_anisotropy(&b, false);
        if (corrected > 2e-5f || plain < 0.01f)
            fail_msg("case %d: shear is %g of the pressure, %g without the correction", k,
                     (double)corrected, (double)plain);
    }
}

/* Sheared by a tenth, step by step: the pressure is what it was. */
static void isochoric_shear_changes_no_pressure(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        block b = {.dim = k % 2 ? 2 : 3, .jitter = k & 4 ? 0.2f : 0};
        memcpy(b.deformation, unit, sizeof unit);
        if (k & 2) b.rate[0][0] = 1, b.rate[1][1] = -1;
        else b.rate[0][1] = 1;
        const rn_fluid_def def = def_of(&b);
        rn_fluid *f = make(&b, &def);
        for (uint32_t i = 0; i < f->now.count; i++) f->density[i] = f->previous_density[i] = 1020;
        for (int step = 0; step < 20; step++) {
            evaluate(f, 0.005f);
            for (uint32_t i = 0; i < f->now.count; i++)
                for (uint32_t a = 0; a < b.dim; a++) {
                    float *x = &f->now.position[i][a];
                    *x += 0.005f * f->now.velocity[i][a];
                }
            for (uint32_t i = 0; i < f->now.count; i++)
                for (uint32_t a = 0; a < b.dim; a++) {
                    float v = 0;
                    for (uint32_t c = 0; c < b.dim; c++)
                        v += b.rate[a][c] * (f->now.position[i][c] - 2.0f);
                    f->now.velocity[i][a] = v;
                }
        }
        const rn_fluid_particles p = rn_fluid_get_particles(f);
        for (uint32_t i = 0; i < p.count; i++)
            if (is_inner[p.id[i]] && fabsf(p.density[i] / 1020 - 1) > 1e-5f)
                fail_msg("case %d: density %g became %g", k, 1020.0, (double)p.density[i]);
        rn_fluid_destroy(f);
    }
}

/* --- forces and shifts ----------------------------------------------------------------------------- */

static void pair_forces_sum_to_zero(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        block b = {.dim = k % 2 ? 2 : 3, .jitter = 0.5f, .is_periodic = k >= 2};
        memcpy(b.deformation, unit, sizeof unit);
        if (!b.is_periodic) memcpy(b.rate, rate, sizeof rate);
        const rn_fluid_def def = def_of(&b);
        rn_fluid *f = make(&b, &def);
        for (uint32_t i = 0; i < f->now.count; i++)
            f->density[i] = f->previous_density[i] = 1000 + 20 * noise(i);
        evaluate(f, 1e-4f);
        double sum[3] = {0, 0, 0}, size = 0;
        for (uint32_t i = 0; i < f->now.count; i++)
            for (int a = 0; a < 3; a++) {
                sum[a] += (double)f->now.acceleration[i][a];
                size += fabs((double)f->now.acceleration[i][a]);
            }
        for (int a = 0; a < 3; a++)
            if (!(size > 0) || fabs(sum[a]) > 1e-6 * size)
                fail_msg("case %d: forces sum to %g of %g along axis %d", k, sum[a], size, a);
        rn_fluid_destroy(f);
    }
}

/* Disordered, but nothing is strained: particles stay among the same neighbours. */
static void uniform_flow_causes_no_shift(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        block b = {.dim = k ? 2 : 3, .jitter = 0.3f, .velocity = {2, -1, k ? 0.0f : 0.5f}};
        memcpy(b.deformation, unit, sizeof unit);
        const rn_fluid_def def = def_of(&b);
        rn_fluid *f = make(&b, &def);
        evaluate(f, 1e-3f);
        for (uint32_t i = 0; i < f->now.count; i++)
            for (int a = 0; a < 3; a++) assert_true(f->shift[i][a] == 0);
        for (uint32_t i = 0; i < f->now.count; i++) f->now.velocity[i][0] *= 1 + 0.1f * noise(i);
        evaluate(f, 1e-3f);
        uint32_t shifted = 0;
        for (uint32_t i = 0; i < f->now.count; i++) shifted += f->shift[i][0] != 0;
        assert_true(shifted > 0);
        rn_fluid_destroy(f);
    }
}

/* --- equation of state ----------------------------------------------------------------------------- */

static void pressure_follows_from_any_exponent(void **state)
{
    (void)state;
    const float exponents[] = {1, 4.5f, 7};
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        block b = {.dim = 2};
        memcpy(b.deformation, unit, sizeof unit);
        memcpy(b.rate, rate, sizeof rate);
        rn_fluid_def def = def_of(&b);
        def.params.exponent = exponents[k];
        rn_fluid *f = make(&b, &def);
        evaluate(f, 0.005f);
        const double stiffness = (double)rni_fluid_derived_of(f).stiffness;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const double s = (double)f->density[i] / 1000;
            const double wanted = stiffness * (pow(s, (double)exponents[k]) - 1);
            /* tension fades at the surface and beside walls */
            const bool is_tension = wanted < 0 && f->pressure[i] <= 0;
            if (is_tension ? (double)f->pressure[i] < wanted - 1e-6 * stiffness
                           : fabs((double)f->pressure[i] - wanted) > 1e-6 * stiffness)
                fail_msg("exponent %g, density %g: %g Pa instead of %g", (double)exponents[k],
                         1000 * s, (double)f->pressure[i], wanted);
        }
        rn_fluid_destroy(f);
    }
}

/* --- what is refused ------------------------------------------------------------------------------- */

typedef struct refusal {
    const char *word;
    rn_fluid_integrator integrator;
    rn_fluid_pressure pressure;
    rn_fluid_kernels kernels;
    bool bare_walls;
} refusal;

static const refusal refusals[] = {
    {"euler", RN_INTEGRATOR_EULER, RN_PRESSURE_TAIT, RN_KERNELS_WENDLAND, false},
    {"leapfrog", RN_INTEGRATOR_LEAPFROG, RN_PRESSURE_TAIT, RN_KERNELS_WENDLAND, false},
    {"gas", RN_INTEGRATOR_KICK_DRIFT, RN_PRESSURE_GAS, RN_KERNELS_WENDLAND, false},
    {"papers", RN_INTEGRATOR_KICK_DRIFT, RN_PRESSURE_TAIT, RN_KERNELS_PAPERS, false},
    {"bare walls", RN_INTEGRATOR_KICK_DRIFT, RN_PRESSURE_TAIT, RN_KERNELS_WENDLAND, true},
};

static void what_does_not_go_with_the_scheme_is_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const refusal *r = &refusals[k];
        rn_fluid_def def = water_def(2, SPACING, 1, 1, 0);
        rn_fluid *fluid = water_create(&def), *refused = NULL;
        rn_fluid_params params = def.params;
        def.params.integrator = params.integrator = r->integrator;
        def.params.pressure = params.pressure = r->pressure;
        def.kernels = r->kernels, def.bare_walls = r->bare_walls;
        assert_int_equal(rn_fluid_create(&def, &refused), RN_ERROR_ARGUMENT);
        assert_null(refused);
        assert_non_null(strstr(rn_last_error(), r->word));
        assert_non_null(strstr(rn_last_error(), "scheme corrected"));
        if (k < 3) {
            assert_int_equal(rn_fluid_set_params(fluid, &params), RN_ERROR_ARGUMENT);
            assert_non_null(strstr(rn_last_error(), r->word));
            assert_int_equal(rn_fluid_get_params(fluid).integrator, RN_INTEGRATOR_SYMPLECTIC_EULER);
        }
        def.scheme = RN_SCHEME_WCSPH;
        assert_ok(rn_fluid_create(&def, &refused));
        rn_fluid_destroy(refused);
        rn_fluid_destroy(fluid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_strain_has_its_exact_divergence),
        cmocka_unit_test(a_sheared_lattice_carries_no_shear),
        cmocka_unit_test(isochoric_shear_changes_no_pressure),
        cmocka_unit_test(pair_forces_sum_to_zero),
        cmocka_unit_test(uniform_flow_causes_no_shift),
        cmocka_unit_test(pressure_follows_from_any_exponent),
        cmocka_unit_test(what_does_not_go_with_the_scheme_is_refused),
    };
    return cmocka_run_group_tests_name("fluid.corrected", tests, NULL, NULL);
}
