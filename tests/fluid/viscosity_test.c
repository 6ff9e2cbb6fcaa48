/* Implicit viscosity and viscosity laws: the pair form against sums in double, momentum, walls, bits, states, and what is
 * refused. The physics is in the labs poiseuille, couette, paste-disc, spreading and channel-flow. */
#include "fluid/water_test.h"

#include "fluid/passes.h"
#include "fluid/rheology.h"
#include "fluid/traversal.h"
#include "fluid/viscosity.h"
#include "slowness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(got, wanted, tolerance)                              \
    do {                                                                 \
        const double got_ = (double)(got), wanted_ = (double)(wanted);   \
        if (!(fabs(got_ - wanted_) <= (double)(tolerance)))              \
            fail_msg("%s is %.9g instead of %.9g", #got, got_, wanted_); \
    } while (0)

static rn_fluid_def paste_def(rn_fluid_preset preset, uint32_t dim, float viscosity)
{
    rn_fluid_def def = water_def_of(preset, dim, 0.05f, 1, 1, 1);
    def.params.viscosity = viscosity;
    def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
    return def;
}

/* A ball in the middle of the domain with a velocity that varies; it touches no wall. */
static rn_fluid *make_ball(const rn_fluid_def *def)
{
    rn_fluid *fluid = water_create(def);
    rn_fluid_ball ball = rn_fluid_ball_default();
    for (uint32_t a = 0; a < def->dim; a++) ball.center[a] = 0.5f;
    ball.radius = 0.3f, ball.jitter = 0.1f;
    assert_ok(rn_fluid_add_ball(fluid, &ball, NULL));
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const float *x = fluid->now.position[i];
        fluid->now.velocity[i][0] = 0.2f - x[1] + 0.3f * sinf(9 * x[0]);
        fluid->now.velocity[i][1] = 0.1f + 0.5f * x[0] + 0.3f * cosf(11 * x[1]);
        if (def->dim == 3) fluid->now.velocity[i][2] = 0.4f * sinf(8 * x[0] + 5 * x[1]);
    }
    return fluid;
}

typedef struct momentum {
    double linear[3], angular[3], scale; /* scale: of both, the sum of the sizes */
} momentum;

static momentum momentum_of(const rn_fluid *f)
{
    momentum m = {0};
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i], *v = f->now.velocity[i];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            m.linear[a] += (double)v[a];
            m.angular[a] += ((double)x[b] - 0.5) * (double)v[c] - ((double)x[c] - 0.5) * (double)v[b];
            m.scale += fabs((double)v[a]);
        }
    }
    return m;
}

/* --- the pair form ---------------------------------------------------------------------------------- */

static double weight_of(const rn_fluid *f, double r)
{
    const double t = fmax(1 - r * r * (double)f->laws.viscous_inverse_sq, 0);
    return t * t * ((double)f->laws.viscous_part[0] + (double)f->laws.viscous_part[1] * t * t * t);
}

static void compare_pass(rn_fluid *f)
{
    const uint32_t n = f->now.count;
    const size_t plane = 4 * ((size_t)f->now.capacity + RNI_FLUID_PADDING);
    float *in = f->viscous_work[0], *out = in + plane;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(in + 4 * (size_t)i, f->now.velocity[i], 3 * sizeof(float));
        in[4 * (size_t)i + 3] = 1 + 0.5f * sinf((float)i);
    }
    const rni_viscous_constants constants = {f->laws.viscous_inverse_sq,
                                             {f->laws.viscous_part[0], f->laws.viscous_part[1]},
                                             f->laws.viscous_scale};
    rni_pass_run(
        f, &rni_pass_viscous_start,
        &(rni_pass_arrays){.gather = {in}, .store = {out, out + plane}, .constants = &constants});
    rni_pass_run(
        f, &rni_pass_viscous,
        &(rni_pass_arrays){.gather = {in}, .store = {out + 2 * plane}, .constants = &constants});
    for (uint32_t i = 0; i < n; i += 37) {
        double force[3] = {0}, diagonal[3] = {0}, size = 0;
        const float *ui = in + 4 * (size_t)i;
        for (uint32_t j = 0; j < n; j++) {
            const float *uj = in + 4 * (size_t)j;
            double d[3], dot = 0, r_sq = 0;
            for (int a = 0; a < 3; a++) {
                d[a] = (double)f->now.position[i][a] - (double)f->now.position[j][a];
                r_sq += d[a] * d[a], dot += ((double)ui[a] - (double)uj[a]) * d[a];
            }
            const double c = weight_of(f, sqrt(r_sq)) * (double)f->laws.viscous_scale *
                             (double)ui[3] * (double)uj[3];
            for (int a = 0; a < 3; a++) force[a] += c * dot * d[a], size += fabs(c * dot * d[a]);
            for (int a = 0; a < 3; a++) diagonal[a] += c * d[a] * d[a];
        }
        for (int a = 0; a < 3; a++) {
            assert_near(out[4 * (size_t)i + (size_t)a], force[a], 1e-5 * size);
            assert_near(out[2 * plane + 4 * (size_t)i + (size_t)a], force[a], 1e-5 * size);
        }
        for (int a = 0; a < 3; a++)
            assert_near(out[plane + 4 * (size_t)i + (size_t)a], diagonal[a],
                        1e-5 * (diagonal[0] + diagonal[1] + diagonal[2]));
    }
}

static void the_pair_form_is_that_of_the_equation_in_all_loops(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int k = -1; k <= (int)rn_cpu_best(); k++) {
            rn_fluid_def def = paste_def(RN_PRESET_BALANCED, dim, 10);
            if (k >= 0 && k < (int)FACT_LEAST_CPU) continue;
            def.traversal = k < 0 ? RN_TRAVERSAL_LISTS : RN_TRAVERSAL_FUSED;
            def.cpu = k < 0 ? RN_CPU_PLAIN : (rn_cpu_level)k;
            rn_fluid *f = make_ball(&def);
            assert_ok(rni_fluid_sort(f, 0, NULL));
            assert_ok(f->traversal->search(f));
            assert_ok(f->traversal->density(f));
            compare_pass(f);
            rn_fluid_destroy(f);
        }
}

/* Sums over a lattice: shear along and across its axes is resisted as the viscosity says. */
static void the_weight_is_isotropic_on_a_lattice(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (double ratio = 2; ratio < 3; ratio += 0.1) {
            const rni_viscous_form form = rni_viscous_form_of(dim, 1, ratio);
            double along = 0, across = 0;
            for (int k = dim == 3 ? -3 : 0; k <= (dim == 3 ? 3 : 0); k++)
                for (int j = -3; j <= 3; j++)
                    for (int i = -3; i <= 3; i++) {
                        const double share_sq = (i * i + j * j + k * k) / pow(form.radius, 2);
                        const double t = fmax(1 - share_sq, 0);
                        const double c = t * t * (form.part[0] + form.part[1] * t * t * t);
                        along += 0.5 * form.scale * c * i * i * j * j;
                        across += 0.25 * form.scale * c * (i * i * i * i - i * i * j * j);
                    }
            assert_true(form.radius <= ratio);
            assert_near(along, across, 1e-9);
            assert_near(along, 1, 0.015); /* 1 is between a lattice and layers that slide */
        }
}

/* --- momentum --------------------------------------------------------------------------------------- */

static void linear_and_angular_momentum_are_conserved(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (float viscosity = 0.01f; viscosity < 2000; viscosity *= 100) {
            rn_fluid_def def = paste_def(RN_PRESET_CLASSIC, dim, viscosity);
            memset(def.params.gravity, 0, sizeof def.params.gravity);
            def.params.numerical_viscosity = 0;
            def.params.viscosity_tolerance = 0.1f; /* whatever is left unbalanced */
            rn_fluid *f = make_ball(&def);
            const momentum before = momentum_of(f);
            water_steps(f, 5);
            const momentum after = momentum_of(f);
            for (int a = 0; a < 3; a++) {
                assert_near(after.linear[a], before.linear[a], 1e-6 * before.scale);
                assert_near(after.angular[a], before.angular[a], 1e-6 * before.scale);
            }
            rn_fluid_destroy(f);
        }
}

/* The velocities of a ball that turns, after one step; from malloc. */
static float *turn(float viscosity, uint32_t *count)
{
    rn_fluid_def def = paste_def(RN_PRESET_BALANCED, 3, viscosity);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.params.time_step = 1e-3f;
    rn_fluid *f = make_ball(&def);
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i];
        f->now.velocity[i][0] = 0.3f - (x[1] - 0.5f);
        f->now.velocity[i][1] = x[0] - 0.5f;
        f->now.velocity[i][2] = 0.1f;
    }
    water_steps(f, 1);
    float *velocity = malloc(3 * (size_t)f->now.count * sizeof *velocity);
    assert_non_null(velocity);
    for (uint32_t i = 0; i < f->now.count; i++)
        memcpy(velocity + 3 * (size_t)i, f->now.velocity[i], 3 * sizeof *velocity);
    *count = f->now.count;
    rn_fluid_destroy(f);
    return velocity;
}

static void a_rigid_motion_feels_no_viscosity(void **state)
{
    (void)state;
    uint32_t count;
    float *paste = turn(1000, &count), *water = turn(0.001f, &count);
    /* Shear of 1 / s would change velocities by about 1 m / s. What is left smooths the pressure of the jitter. */
    for (uint32_t i = 0; i < 3 * count; i++) assert_near(paste[i], water[i], 5e-3);
    free(paste), free(water);
}

/* --- the solver ------------------------------------------------------------------------------------- */

static void viscosity_does_not_bound_the_time_step(void **state)
{
    (void)state;
    rn_fluid_def def = paste_def(RN_PRESET_BALANCED, 3, 0.001f);
    rn_fluid *water = make_ball(&def);
    const float step = rni_fluid_derived_of(water).safe_step;
    rn_fluid_destroy(water);
    for (float viscosity = 0.001f; viscosity < 2000; viscosity *= 10) {
        def.params.viscosity = viscosity;
        rn_fluid *f = make_ball(&def);
        assert_true(rni_fluid_derived_of(f).safe_step == step);
        const rn_fluid_report report = water_steps(f, 20);
        assert_int_not_equal(report.bound, RN_BOUND_VISCOSITY);
        assert_int_equal(report.flags & (RN_FLAG_UNSOLVED | RN_FLAG_RETRIED), 0);
        assert_true(report.viscosity_residual <= def.params.viscosity_tolerance);
        assert_true(report.viscosity_iterations < 100);
        rn_fluid_destroy(f);
    }
}

/* Too few iterations are reported. */
static void an_unsolved_step_has_its_flag(void **state)
{
    (void)state;
    rn_fluid_def def = paste_def(RN_PRESET_BALANCED, 3, 1000);
    def.params.viscosity_iterations = 1;
    def.params.viscosity_tolerance = 1e-6f;
    rn_fluid *f = make_ball(&def);
    const rn_fluid_report report = water_steps(f, 1);
    assert_int_equal(report.flags & RN_FLAG_UNSOLVED, RN_FLAG_UNSOLVED);
    assert_int_equal(report.viscosity_iterations, 1);
    assert_true(report.viscosity_residual > 1e-6f && isfinite(report.viscosity_residual));
    rn_fluid_destroy(f);
}

/* m / s: a layer 0.2 m deep, after a second of a pull along the floor. */
static double slide(rn_slip slip, rn_fluid_solver solver, float *force)
{
    rn_fluid_def def = water_def(2, 0.02f, 0.4f, 0.4f, 0);
    def.periodic[0] = true;
    def.domain_slip = slip;
    def.params.gravity[0] = 1;
    def.params.viscosity = 100, def.params.viscosity_solver = solver;
    def.measure_loads = true;
    rn_fluid *f = water_create(&def);
    water_block(f, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.2f, 0}, 0);
    water_run(f, 1);
    double mean = 0;
    for (uint32_t i = 0; i < f->now.count; i++)
        mean += (double)f->now.velocity[i][0] / f->now.count;
    rn_solid_load load = rn_solid_load_default();
    assert_ok(rn_fluid_get_domain_load(f, &load));
    *force = (float)load.force[0];
    rn_fluid_destroy(f);
    return mean;
}

static void no_slip_walls_hold_paste_and_free_ones_do_not(void **state)
{
    (void)state;
    float force;
    /* A film: g h^2 / (3 nu) in the mean; the floor carries its weight. */
    assert_near(slide(RN_SLIP_NONE, RN_SOLVER_IMPLICIT, &force), 0.04 / 0.3, 0.006);
    assert_near(force, 0.4 * 0.2 * 1000, 2);
    assert_near(slide(RN_SLIP_FREE, RN_SOLVER_IMPLICIT, &force), 1, 0.01);
    assert_near(force, 0, 0.1);
}

/* --- bits ------------------------------------------------------------------------------------------- */

typedef struct how {
    rn_fluid_preset preset;
    rn_fluid_traversal traversal;
    rn_cpu_level cpu;
    uint32_t threads;
    rn_fluid_law law;
} how;

static rn_fluid *make_splash(const how *h)
{
    rn_fluid_def def = paste_def(h->preset, 3, 20);
    def.traversal = h->traversal, def.cpu = h->cpu, def.threads = h->threads;
    def.domain_slip = RN_SLIP_NONE;
    def.params.viscosity_law = h->law;
    def.params.flow_index = h->law == RN_LAW_NEWTONIAN ? 1.0f : 0.5f;
    if (h->law == RN_LAW_BINGHAM) def.params.yield_stress = 50;
    if (h->law == RN_LAW_CARREAU) def.params.shear_time = 0.1f;
    rn_fluid *f = water_create(&def);
    water_block(f, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.6f, 1}, 0.1f);
    return f;
}

static uint64_t hash_of(const how *h, uint32_t steps)
{
    rn_fluid *f = make_splash(h);
    water_steps(f, steps);
    const uint64_t hash = rn_fluid_get_state_hash(f);
    rn_fluid_destroy(f);
    return hash;
}

static void any_thread_count_gives_the_same_bits(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC};
    for (int k = 0; k < 4; k++) {
        how h = {presets[k % 2], k < 2 ? RN_TRAVERSAL_FUSED : RN_TRAVERSAL_LISTS, RN_CPU_AUTO, 1,
                 k % 2 ? RN_LAW_BINGHAM : RN_LAW_NEWTONIAN};
        const uint64_t one = hash_of(&h, 10);
        for (h.threads = 2; h.threads <= 3; h.threads++) assert_true(hash_of(&h, 10) == one);
    }
}

static void a_state_read_back_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (rn_fluid_law law = RN_LAW_NEWTONIAN; law <= RN_LAW_BINGHAM; law++) {
        const how h = {RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, RN_CPU_AUTO, 2, law};
        rn_fluid *whole = make_splash(&h), *second = make_splash(&h);
        water_steps(whole, 6);
        water_copy_state(whole, second);
        water_steps(whole, 6), water_steps(second, 6);
        assert_true(rn_fluid_get_state_hash(whole) == rn_fluid_get_state_hash(second));
        rn_fluid_destroy(whole), rn_fluid_destroy(second);
    }
}

static double speed_of(const how *h)
{
    rn_fluid *f = make_splash(h);
    const rn_fluid_report report = water_steps(f, 20);
    rn_fluid_destroy(f);
    return sqrt(report.kinetic);
}

static void traversals_and_instruction_sets_agree(void **state)
{
    (void)state;
    const how lists = {RN_PRESET_BALANCED, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 2, RN_LAW_CARREAU};
    const double wanted = speed_of(&lists);
    for (rn_cpu_level cpu = FACT_LEAST_CPU; cpu <= rn_cpu_best(); cpu++) {
        const how fused = {RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, cpu, 2, RN_LAW_CARREAU};
        assert_near(speed_of(&fused), wanted, 1e-3 * wanted);
    }
}

/* Parameters may change while the paste flows: from water to paste and back. */
static void the_solver_may_change_between_steps(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 1);
    def.domain_slip = RN_SLIP_NONE;
    rn_fluid *f = make_ball(&def);
    water_steps(f, 3);
    rn_fluid_params params = rn_fluid_get_params(f);
    params.viscosity = 50, params.viscosity_solver = RN_SOLVER_IMPLICIT;
    assert_ok(rn_fluid_set_params(f, &params));
    assert_true(water_steps(f, 3).viscosity_iterations > 0);
    params.viscosity_law = RN_LAW_POWER, params.flow_index = 0.4f;
    assert_ok(rn_fluid_set_params(f, &params));
    water_steps(f, 3);
    params = def.params;
    assert_ok(rn_fluid_set_params(f, &params));
    assert_int_equal(water_steps(f, 3).viscosity_iterations, 0);
    rn_fluid_destroy(f);
}

/* --- laws ------------------------------------------------------------------------------------------- */

static void laws_have_their_values(void **state)
{
    (void)state;
    rn_fluid_params p = rn_fluid_def_default().params;
    p.viscosity = 10, p.flow_index = 0.5f, p.viscosity_law = RN_LAW_POWER;
    assert_near(rni_rheology_at(&p, 4), 5, 1e-5);
    assert_near(rni_rheology_at(&p, 0), 1000, 0); /* viscosity_max */
    p.viscosity_min = 0.5f;
    assert_near(rni_rheology_at(&p, 1e6f), 0.5, 0);
    p = rn_fluid_def_default().params;
    p.viscosity_law = RN_LAW_CARREAU; /* Cho and Kensey 1991 */
    p.viscosity = 0.056f, p.viscosity_infinite = 0.00345f, p.shear_time = 3.313f,
    p.flow_index = 0.3568f;
    assert_near(rni_rheology_at(&p, 0), 0.056, 1e-7);
    assert_near(rni_rheology_at(&p, 1), 0.00345 + 0.05255 * pow(1 + 3.313 * 3.313, -0.3216), 1e-6);
    assert_near(rni_rheology_at(&p, 1e6f), 0.00345, 1e-5);
    p = rn_fluid_def_default().params;
    p.viscosity_law = RN_LAW_BINGHAM, p.viscosity = 2, p.yield_stress = 30;
    assert_near(rni_rheology_at(&p, 10), 5, 1e-5); /* stress: 30 Pa and 2 Pa s times 10 / s */
    p.yield_growth = 10;
    assert_near(rni_rheology_at(&p, 0), 302, 1e-2); /* regularised */
}

/* The rate of shear of a linear flow is exact, also at the surface. */
static void the_viscosity_of_a_linear_flow_is_exact(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = paste_def(dim == 2 ? RN_PRESET_CLASSIC : RN_PRESET_BALANCED, dim, 10);
        memset(def.params.gravity, 0, sizeof def.params.gravity);
        def.params.viscosity_law = RN_LAW_POWER, def.params.flow_index = 0.5f;
        rn_fluid *f = make_ball(&def);
        for (uint32_t i = 0; i < f->now.count; i++) {
            const float *x = f->now.position[i];
            f->now.velocity[i][0] =
                4 * x[1] - x[0]; /* shear, rotation, and compression, which is no shear */
            f->now.velocity[i][1] = -x[1];
            f->now.velocity[i][2] = dim == 3 ? -x[2] : 0;
        }
        water_steps(f, 1);
        rn_fluid_span viscosity;
        assert_ok(rn_fluid_get_attribute(f, "viscosity", &viscosity));
        for (uint32_t i = 0; i < viscosity.count; i++)
            assert_near(((const float *)viscosity.data)[i], 5, 0.01);
        rn_fluid_destroy(f);
    }
}

/* Beside a no-slip wall as well, whose layers count: not the rate further in. */
static void the_viscosity_beside_a_wall_is_that_of_the_wall(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = paste_def(RN_PRESET_BALANCED, dim, 10);
        memset(def.params.gravity, 0, sizeof def.params.gravity);
        def.params.viscosity_law = RN_LAW_POWER, def.params.flow_index = 0.5f;
        def.domain_slip = RN_SLIP_NONE, def.periodic[0] = true, def.periodic[2] = dim == 3;
        rn_fluid *f = water_create(&def);
        water_block(f, (float[3]){0, 0, 0}, (float[3]){1, 0.5f, 1}, 0);
        for (uint32_t i = 0; i < f->now.count; i++) {
            const float y = f->now.position[i][1];
            f->now.velocity[i][0] = 4 * y - 2 * y * y; /* at y = 0: 4 / s */
        }
        water_steps(f, 1);
        rn_fluid_span viscosity;
        assert_ok(rn_fluid_get_attribute(f, "viscosity", &viscosity));
        for (uint32_t i = 0; i < viscosity.count; i++) {
            const double y = (double)f->now.position[i][1];
            if (y < 0.05) /* the first layer; without the wall it is 1.3 % more */
                assert_near(((const float *)viscosity.data)[i], 10 / sqrt(4 - 4 * y), 0.03);
        }
        rn_fluid_destroy(f);
    }
}

typedef struct refusal {
    rn_fluid_params params;
    const char *words;
} refusal;

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    const rn_fluid_params usual = rn_fluid_def_default().params;
    refusal r[9];
    for (int k = 0; k < 9; k++) r[k].params = usual;
    r[0].params.viscosity_law = RN_LAW_BINGHAM, r[0].params.yield_stress = 5;
    r[0].params.viscosity_min = 2, r[0].params.viscosity_max = 1, r[0].words = "exchange them";
    r[1].params.viscosity_law = RN_LAW_BINGHAM, r[1].words = "yield_stress is 0";
    r[2].params.viscosity_law = RN_LAW_BINGHAM, r[2].params.yield_stress = 5;
    r[2].params.viscosity = 0, r[2].words = "viscosity is 0";
    r[3].params.viscosity_law = RN_LAW_CARREAU, r[3].words = "shear_time is 0";
    r[4].params.viscosity_law = RN_LAW_POWER, r[4].words = "flow_index is 1";
    r[5].params.viscosity_law = (rn_fluid_law)7, r[5].words = "viscosity_law is 7";
    r[6].params.viscosity_solver = RN_SOLVER_IMPLICIT, r[6].words = "integrator leapfrog";
    r[6].params.integrator = RN_INTEGRATOR_LEAPFROG;
    r[7].params.yield_stress = -1, r[7].words = "yield_stress is -1";
    r[8].params.viscosity_law = RN_LAW_POWER, r[8].params.flow_index = 0.5f;
    r[8].params.viscosity_model = RN_VISCOSITY_NONE, r[8].words = "viscosity_model is none";
    for (int k = 0; k < 9; k++) {
        rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 2, 0.05f, 1, 1, 0);
        def.params = r[k].params;
        rn_fluid *f = NULL;
        assert_int_equal(rn_fluid_create(&def, &f), RN_ERROR_ARGUMENT);
        if (!strstr(rn_last_error(), r[k].words))
            fail_msg("'%s' instead of '%s'", rn_last_error(), r[k].words);
    }
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pair_form_is_that_of_the_equation_in_all_loops),
        cmocka_unit_test(the_weight_is_isotropic_on_a_lattice),
        cmocka_unit_test(linear_and_angular_momentum_are_conserved),
        cmocka_unit_test(a_rigid_motion_feels_no_viscosity),
        cmocka_unit_test(viscosity_does_not_bound_the_time_step),
        cmocka_unit_test(an_unsolved_step_has_its_flag),
        cmocka_unit_test(no_slip_walls_hold_paste_and_free_ones_do_not),
        cmocka_unit_test(any_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_state_read_back_goes_on_bit_for_bit),
        cmocka_unit_test(traversals_and_instruction_sets_agree),
        cmocka_unit_test(the_solver_may_change_between_steps),
        cmocka_unit_test(laws_have_their_values),
        cmocka_unit_test(the_viscosity_of_a_linear_flow_is_exact),
        cmocka_unit_test(the_viscosity_beside_a_wall_is_that_of_the_wall),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
