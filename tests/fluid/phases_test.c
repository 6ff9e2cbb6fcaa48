/* Several fluids: density across an interface, momentum, rest, viscosity, bits, states, counts, and what is refused. The
 * physics is in the labs rayleigh-taylor, lock-exchange and oil-and-water. */
#include "fluid/water_test.h"

#include "fluid/phases.h"

#include <runnel/gauge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define assert_near(got, wanted, tolerance)                              \
    do {                                                                 \
        const double got_ = (double)(got), wanted_ = (double)(wanted);   \
        if (!(fabs(got_ - wanted_) <= (double)(tolerance)))              \
            fail_msg("%s is %.9g instead of %.9g", #got, got_, wanted_); \
    } while (0)

/* Water and a lighter fluid. */
static rn_fluid_def two_def(rn_fluid_preset preset, uint32_t dim, float spacing, float ratio)
{
    rn_fluid_def def = water_def_of(preset, dim, spacing, 1, 1, 0.5f);
    def.phase_count = 2;
    def.phases[0] = def.phases[1] = rn_fluid_phase_default();
    snprintf(def.phases[0].name, RN_PHASE_NAME, "water");
    snprintf(def.phases[1].name, RN_PHASE_NAME, "oil");
    def.phases[1].rest_density = 1000 / ratio;
    return def;
}

static void add_layer(rn_fluid *f, uint32_t phase, float low, float high)
{
    rn_fluid_block block = rn_fluid_block_default();
    memcpy(block.high, f->def.domain_high, sizeof block.high);
    block.low[1] = low, block.high[1] = high, block.phase = phase;
    assert_ok(rn_fluid_add_block(f, &block, NULL));
}

static rn_fluid *make_layers(const rn_fluid_def *def, float middle, float top)
{
    rn_fluid *f = water_create(def);
    add_layer(f, 0, 0, middle);
    add_layer(f, 1, middle, top);
    return f;
}

static uint32_t phase_of(const rn_fluid *f, uint32_t i)
{
    rn_fluid_span span;
    assert_ok(rn_fluid_get_attribute(f, "fluid", &span));
    return ((const uint32_t *)span.data)[i];
}

static void densities_are_right_beside_an_interface(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC};
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = two_def(presets[k], 3, 0.05f, 10);
        def.initial_pressure = false; /* which compresses them */
        rn_fluid *f = make_layers(&def, 0.5f, 1);
        assert_ok(rn_fluid_update_density(f));
        const rn_fluid_particles p = rn_fluid_get_particles(f);
        for (uint32_t i = 0; i < p.count; i++)
            assert_near(p.density[i], phase_of(f, i) ? 100 : 1000, phase_of(f, i) ? 0.5 : 5);
        rn_fluid_destroy(f);
    }
}

/* kg m / s over m / s: all forces are between particles. */
static void momentum(const rn_fluid *f, double sum[3], double *scale)
{
    sum[0] = sum[1] = sum[2] = *scale = 0;
    for (uint32_t i = 0; i < f->now.count; i++)
        for (int a = 0; a < 3; a++) {
            sum[a] += (double)(rni_ratio(f, i) * f->now.velocity[i][a]);
            *scale += fabs((double)(rni_ratio(f, i) * f->now.velocity[i][a]));
        }
}

static void momentum_is_conserved_to_rounding(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        rn_fluid_def def =
            two_def(k & 1 ? RN_PRESET_CLASSIC : RN_PRESET_BALANCED, 2 + k / 2, 0.06f, 8);
        for (uint32_t a = 0; a < 3; a++) def.params.gravity[a] = 0, def.periodic[a] = true;
        def.phases[1].viscosity = 0.5f;
        def.params.viscosity_solver = k / 2 ? RN_SOLVER_IMPLICIT : RN_SOLVER_EXPLICIT;
        rn_fluid *f = make_layers(&def, 0.5f, 1);
        for (uint32_t i = 0; i < f->now.count; i++)
            for (uint32_t a = 0; a < def.dim; a++)
                f->now.velocity[i][a] = sinf(7 * f->now.position[i][(a + 1) % def.dim] + (float)a);
        double before[3], after[3], scale;
        momentum(f, before, &scale);
        water_steps(f, 40);
        momentum(f, after, &scale);
        for (int a = 0; a < 3; a++) assert_near(after[a], before[a], 2e-6 * scale);
        rn_fluid_destroy(f);
    }
}

static void layers_stay_at_rest_and_apart(void **state)
{
    (void)state;
    const float ratios[] = {1.1f, 10};
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = two_def(RN_PRESET_BALANCED, 2, 0.05f, ratios[k]);
        rn_fluid *f = make_layers(&def, 0.4f, 0.8f);
        const rn_fluid_report report = water_run(f, 3);
        uint32_t wrong = 0;
        double error = 0;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const double y = (double)f->now.position[i][1], light = 1000 / (double)ratios[k];
            wrong += phase_of(f, i) == 0 ? y > 0.45 : y < 0.35;
            error += fabs((double)f->pressure[i] - 9.81 * (phase_of(f, i) == 0
                                                               ? 0.4 * light + 1000 * (0.4 - y)
                                                               : light * (0.8 - y)));
        }
        assert_int_equal(wrong, 0);
        assert_true(error / f->now.count < 0.03 * 9.81 * 1000 * 0.8);
        /* Less than the water of a single fluid has in this preset. */
        assert_true(sqrt(2 * report.kinetic / (0.4 * 1000)) < 0.06);
        rn_fluid_destroy(f);
    }
}

/* Two layers between no-slip walls, driven along them: Bird, Stewart and Lightfoot 2002, section 2.5. */
static void the_shear_stress_is_continuous_across_an_interface(void **state)
{
    (void)state;
    rn_fluid_def def = two_def(RN_PRESET_BALANCED, 2, 0.04f, 1);
    def.periodic[0] = true, def.domain_slip = RN_SLIP_NONE;
    def.params.viscosity_solver = RN_SOLVER_IMPLICIT;
    def.params.gravity[0] = 0.5f, def.params.gravity[1] = 0;
    def.phases[0].viscosity = 500, def.phases[1].viscosity = 100;
    rn_fluid *f = make_layers(&def, 0.5f, 1);
    water_run(f, 3);
    const double g = 1000 * 0.5, b = 0.5, mu[2] = {500, 100};
    double worst = 0, fastest = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const double y = (double)f->now.position[i][1] - b, mu_i = mu[phase_of(f, i)];
        const double s = (mu[0] - mu[1]) / (mu[0] + mu[1]);
        const double exact =
            g * b * b / (2 * mu_i) * (2 * mu_i / (mu[0] + mu[1]) + s * (y / b) - y * y / (b * b));
        worst = fmax(worst, fabs((double)f->now.velocity[i][0] - exact));
        fastest = fmax(fastest, exact);
    }
    if (!(worst < 0.05 * fastest)) fail_msg("velocities differ by %g of %g m/s", worst, fastest);
    rn_fluid_destroy(f);
}

static void any_thread_count_and_a_state_give_the_same_bits(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC, RN_PRESET_LIVE};
    for (int k = 0; k < 3; k++) {
        uint64_t hash[3];
        for (uint32_t threads = 1; threads <= 3; threads++) {
            rn_fluid_def def = two_def(presets[k], 3, 0.05f, 3);
            def.threads = threads == 3 ? 1 : threads;
            def.phases[1].viscosity_law = RN_LAW_POWER, def.phases[1].flow_index = 0.5f;
            rn_fluid *f = make_layers(&def, 0.3f, 0.7f);
            rn_fluid_pipe pipe = rn_fluid_pipe_default();
            pipe.center[1] = 0.9f, pipe.center[2] = 0.25f, pipe.radius = 0.08f, pipe.phase = 1;
            pipe.speed = 2;
            assert_ok(rn_fluid_add_pipe(f, &pipe, NULL));
            water_steps(f, 30);
            if (threads == 3) { /* goes on in another fluid */
                rn_fluid *other = water_create(&def);
                assert_ok(rn_fluid_add_pipe(other, &pipe, NULL));
                water_copy_state(f, other);
                rn_fluid_destroy(f);
                f = other;
            }
            water_steps(f, 30);
            rn_phase_report oil = rn_phase_report_default();
            assert_ok(rn_fluid_get_phase_report(f, 1, &oil));
            assert_true(oil.came > 0);
            assert_int_equal(oil.particles, f->now.count - 20 * 6 * 10);
            hash[threads - 1] = rn_fluid_get_state_hash(f);
            rn_fluid_destroy(f);
        }
        assert_int_equal(hash[1], hash[0]);
        assert_int_equal(hash[2], hash[0]);
    }
}

static void traversals_agree(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC};
    for (int k = 0; k < 2; k++) {
        rn_fluid *f[2];
        for (uint32_t t = 0; t < 2; t++) {
            rn_fluid_def def = two_def(presets[k], 3, 0.05f, 5);
            def.traversal = (rn_fluid_traversal)t;
            f[t] = make_layers(&def, 0.3f, 0.7f);
            water_steps(f[t], 10);
        }
        const uint32_t count = f[0]->now.count;
        float(*v)[3] = calloc(count, sizeof *v);
        double worst = 0;
        for (uint32_t t = 0; t < 2; t++) {
            const rn_fluid_particles p = rn_fluid_get_particles(f[t]);
            for (uint32_t i = 0; i < count; i++)
                for (int a = 0; a < 3; a++) {
                    if (t == 0) v[p.id[i]][a] = p.velocity[i][a];
                    else worst = fmax(worst, fabs((double)(v[p.id[i]][a] - p.velocity[i][a])));
                }
        }
        free(v);
        if (!(worst < 3e-4)) fail_msg("velocities differ by %g m/s", worst); /* of 0.1 */
        rn_fluid_destroy(f[0]);
        rn_fluid_destroy(f[1]);
    }
}

static void one_phase_is_a_single_fluid_bit_for_bit(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 0.5f);
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; k++) {
        def.phase_count = k;
        def.phases[0] = rn_fluid_phase_default();
        snprintf(def.phases[0].name, RN_PHASE_NAME, "oil");
        def.phases[0].rest_density = 900, def.phases[0].viscosity = 0.1f;
        if (k == 0) def.rest_density = 900, def.params.viscosity = 0.1f;
        else def.rest_density = 1000, def.params.viscosity = 0.001f;
        rn_fluid *f = water_create(&def);
        water_block(f, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.6f, 0.5f}, 0);
        water_steps(f, 20);
        hash[k] = rn_fluid_get_state_hash(f);
        rn_fluid_destroy(f);
    }
    assert_int_equal(hash[1], hash[0]);
}

static void outlets_and_gauges_count_their_own_fluid(void **state)
{
    (void)state;
    rn_fluid_def def = two_def(RN_PRESET_BALANCED, 2, 0.05f, 2);
    rn_fluid *f = make_layers(&def, 0.4f, 0.8f);
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    rn_fluid_id id[2];
    gauge.kind = RN_GAUGE_VOLUME, gauge.high[0] = gauge.high[1] = 1;
    for (uint32_t k = 0; k < 2; k++) {
        gauge.phase = 1 + k;
        assert_ok(rn_fluid_add_gauge(f, &gauge, &id[k]));
    }
    water_steps(f, 1);
    rn_gauge_reading reading = rn_gauge_reading_default();
    for (uint32_t k = 0; k < 2; k++) {
        assert_ok(rn_fluid_get_gauge(f, id[k], &reading));
        assert_near(reading.value[0], 0.4, 1e-6);
    }
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    outlet.high[0] = outlet.high[1] = 1, outlet.phase = 2;
    assert_ok(rn_fluid_add_outlet(f, &outlet, NULL));
    const uint32_t before = f->now.count;
    water_steps(f, 1);
    rn_phase_report report[2] = {rn_phase_report_default(), rn_phase_report_default()};
    for (uint32_t k = 0; k < 2; k++) assert_ok(rn_fluid_get_phase_report(f, k, &report[k]));
    assert_int_equal(report[0].particles, before / 2);
    assert_int_equal(report[0].left, 0);
    assert_int_equal(report[1].particles, 0);
    assert_int_equal(report[1].left, before / 2);
    assert_near(report[0].mass, 400, 1e-3);
    rn_fluid_destroy(f);
}

static void a_phase_may_change_between_steps(void **state)
{
    (void)state;
    rn_fluid_def def = two_def(RN_PRESET_BALANCED, 2, 0.05f, 2);
    rn_fluid *f = make_layers(&def, 0.4f, 0.8f);
    water_steps(f, 20);
    rn_fluid_phase oil;
    assert_ok(rn_fluid_get_phase(f, 1, &oil));
    oil.rest_density = 2000; /* now the denser one */
    assert_ok(rn_fluid_set_phase(f, 1, &oil));
    assert_ok(rn_fluid_update_density(f));
    const rn_fluid_particles p = rn_fluid_get_particles(f);
    for (uint32_t i = 0; i < p.count; i++)
        assert_near(p.density[i], phase_of(f, i) ? 2000 : 1000, 60);
    rn_fluid_params params = rn_fluid_get_params(f);
    params.gravity[0] = 0.5f; /* a heavy layer on a light one rests until something disturbs it */
    assert_ok(rn_fluid_set_params(f, &params));
    water_run(f, 2.5); /* it sinks */
    rn_phase_report report[2] = {rn_phase_report_default(), rn_phase_report_default()};
    for (uint32_t k = 0; k < 2; k++) assert_ok(rn_fluid_get_phase_report(f, k, &report[k]));
    assert_true(report[1].center[1] < report[0].center[1]);
    oil.rest_density = -1;
    assert_int_equal(rn_fluid_set_phase(f, 1, &oil), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_fluid_set_phase(f, 2, &oil), RN_ERROR_ARGUMENT);
    rn_fluid_destroy(f);
}

static void refuse(const rn_fluid_def *def, const char *words)
{
    rn_fluid *f = NULL;
    assert_int_equal(rn_fluid_create(def, &f), RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), words)) fail_msg("'%s' instead of '%s'", rn_last_error(), words);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    const rn_fluid_def right = two_def(RN_PRESET_BALANCED, 2, 0.05f, 2);
    rn_fluid_def def = right;
    def.phases[1].rest_density = 1;
    refuse(&def, "fluid water has 1000 times the density of fluid oil");
    def = right, def.phases[1].rest_density = -5;
    refuse(&def, "fluid oil: rest_density is -5");
    def = right, def.phases[1].viscosity = -1;
    refuse(&def, "fluid oil: viscosity is -1");
    def = right, def.phases[1].viscosity_law = RN_LAW_BINGHAM;
    refuse(&def, "fluid oil: yield_stress is 0");
    def = right, def.phases[1].color[2] = 2;
    refuse(&def, "fluid oil: color[2] is 2");
    def = right, def.phases[1].name[0] = 0;
    refuse(&def, "phases[1]: name must have");
    def = right, memcpy(def.phases[1].name, "water", 6);
    refuse(&def, "both have the name water");
    def = right, def.phase_count = 9;
    refuse(&def, "phase_count is 9");
    def = right, def.scheme = RN_SCHEME_WCSPH, def.params.integrator = RN_INTEGRATOR_LEAPFROG;
    refuse(&def, "leapfrog does not go with several fluids");
    def = right, def.scheme = RN_SCHEME_WCSPH, def.params.pressure = RN_PRESSURE_GAS;
    refuse(&def, "pressure gas does not go with several fluids");
    rn_fluid *f = make_layers(&right, 0.4f, 0.8f);
    rn_fluid_ball ball = rn_fluid_ball_default();
    ball.radius = 0.1f, ball.phase = 2;
    assert_int_equal(rn_fluid_add_ball(f, &ball, NULL), RN_ERROR_ARGUMENT);
    assert_string_equal(rn_last_error(), "ball: there is no fluid number 2; the numbers are 0 to 1");
    rn_fluid_destroy(f);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_are_right_beside_an_interface),
        cmocka_unit_test(momentum_is_conserved_to_rounding),
        cmocka_unit_test(layers_stay_at_rest_and_apart),
        cmocka_unit_test(the_shear_stress_is_continuous_across_an_interface),
        cmocka_unit_test(any_thread_count_and_a_state_give_the_same_bits),
        cmocka_unit_test(traversals_agree),
        cmocka_unit_test(one_phase_is_a_single_fluid_bit_for_bit),
        cmocka_unit_test(outlets_and_gauges_count_their_own_fluid),
        cmocka_unit_test(a_phase_may_change_between_steps),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
