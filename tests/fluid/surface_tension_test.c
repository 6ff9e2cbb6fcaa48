/* Surface tension by an energy of the surface: pairs against sums in double, momentum, walls, bits, states, and what is
 * refused; of one fluid and of several. The physics is in the labs drop-oscillation, laplace, contact-angle, capillary-wave
 * and interface-tension. */
#include "fluid/water_test.h"

#include "fluid/phases.h"
#include "fluid/surface_tension.h"
#include "fluid/traversal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_fluid_def drop_def(rn_fluid_preset preset, uint32_t dim)
{
    rn_fluid_def def = water_def_of(preset, dim, 0.001f, 0.03f, 0.03f, 0.03f);
    for (int a = 0; a < 3; a++) def.params.gravity[a] = 0;
    def.params.tension = RN_TENSION_SURFACE_ENERGY;
    return def;
}

/* A ball in the middle, or at a height; without jitter it is a lattice. */
static rn_fluid *make_drop(const rn_fluid_def *def, float height, float jitter)
{
    rn_fluid *f = water_create(def);
    rn_fluid_ball ball = rn_fluid_ball_default();
    for (uint32_t a = 0; a < def->dim; a++) ball.center[a] = 0.015f;
    ball.center[1] = height;
    ball.radius = 0.006f, ball.jitter = jitter;
    assert_ok(rn_fluid_add_ball(f, &ball, NULL));
    return f;
}

/* Fluids whose densities and tensions differ, each of which has a tension against all others. */
static void set_phases(rn_fluid_def *def, uint32_t count)
{
    def->phase_count = count;
    for (uint32_t k = 0; k < count; k++) {
        rn_fluid_phase *phase = &def->phases[k];
        *phase = rn_fluid_phase_default();
        phase->name[0] = (char)('a' + k);
        phase->rest_density = 1000 - 100 * (float)k;
        phase->surface_tension = 0.07f - 0.005f * (float)k;
        for (uint32_t j = 0; j < k; j++) phase->interface_tension[j] = 0.02f + 0.002f * (float)j;
    }
}

/* A drop with smaller ones of the other fluids in it, some of which reach its surface. */
static rn_fluid *make_mixture(const rn_fluid_def *def, float height, float jitter)
{
    rn_fluid *f = make_drop(def, height, jitter);
    for (uint32_t k = 1; k < def->phase_count; k++) {
        const float angle = 6.2832f * (float)k / (float)def->phase_count;
        rn_fluid_ball ball = rn_fluid_ball_default();
        ball.center[0] = 0.015f + 0.0042f * cosf(angle);
        ball.center[1] = height + 0.0042f * sinf(angle);
        if (def->dim == 3) ball.center[2] = 0.015f;
        ball.radius = 0.0018f, ball.phase = k;
        assert_ok(rn_fluid_add_ball(f, &ball, NULL));
    }
    return f;
}

static void momentum_is_conserved_to_rounding(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_ACCURATE, RN_PRESET_CLASSIC};
    const uint32_t phases[] = {0, 2, 5};
    for (uint32_t k = 0; k < 18; k++) {
        rn_fluid_def def = drop_def(presets[k % 3], 2 + k / 3 % 2);
        set_phases(&def, phases[k / 6]);
        rn_fluid *f = make_mixture(&def, 0.015f, 0.2f);
        water_steps(f, k < 6 ? 40 : 10);
        double linear[3] = {0}, speed = 0, turning[3] = {0}, pull = 0;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const float *x = f->now.position[i], *v = f->now.velocity[i], *p = f->cohesion[i];
            const double mass = (double)rni_ratio(f, i);
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                linear[a] += mass * (double)v[a], speed += mass * fabs((double)v[a]);
                turning[a] +=
                    ((double)x[b] - 0.015) * (double)p[c] - ((double)x[c] - 0.015) * (double)p[b];
                pull += 0.006 * fabs((double)p[a]);
            }
        }
        assert_true(speed > 0 && pull > 0);
        for (int a = 0; a < 3; a++) {
            if (fabs(linear[a]) > 1e-5 * speed)
                fail_msg("momentum %g of %g (case %u)", linear[a], speed, k);
            if (fabs(turning[a]) > 1e-3 * pull)
                fail_msg("torque of the tension %g of %g (case %u)", turning[a], pull, k);
        }
        rn_fluid_destroy(f);
    }
}

/* Deep inside there is no force; at the surface it points inwards. */
static void only_the_surface_is_pulled(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        const rn_fluid_def def = drop_def(RN_PRESET_BALANCED, dim);
        rn_fluid *f = make_drop(&def, 0.015f, 0);
        water_steps(f, 1);
        uint32_t inside = 0, outside = 0;
        for (uint32_t i = 0; i < f->now.count; i++) {
            double r_sq = 0, along = 0, size = 0;
            for (uint32_t a = 0; a < dim; a++) {
                const double d = (double)f->now.position[i][a] - 0.015;
                r_sq += d * d, along += d * (double)f->cohesion[i][a];
                size += fabs((double)f->cohesion[i][a]);
            }
            if (r_sq < 0.0015 * 0.0015) inside++, assert_true(size < 1e-3);
            if (r_sq > 0.0055 * 0.0055) outside++, assert_true(along < 0);
        }
        assert_true(inside > 0 && outside > 0);
        rn_fluid_destroy(f);
    }
}

/* The acceleration by tension of the particle that was added as number n. */
static const float *pull_of(const rn_fluid *f, uint32_t n)
{
    for (uint32_t i = 0; i < f->now.count; i++) {
        uint32_t id;
        memcpy(&id, &f->now.velocity[i][3], sizeof id);
        if (id == n) return f->cohesion[i];
    }
    fail_msg("there is no particle %u", n);
    return NULL;
}

/* The first `count` particles of two fluids are pulled in the same way. */
static void assert_same_pull(const rn_fluid *a, const rn_fluid *b, uint32_t count)
{
    double most = 0, worst = 0;
    for (uint32_t n = 0; n < count; n++)
        for (int k = 0; k < 3; k++) {
            const double own = (double)pull_of(a, n)[k];
            most = fmax(most, fabs(own));
            worst = fmax(worst, fabs(own - (double)pull_of(b, n)[k]));
        }
    if (!(most > 0 && worst < 1e-4 * most)) fail_msg("the pull differs by %g of %g", worst, most);
}

/* An interface without tension is none: two fluids of one tension have one surface. */
static void fluids_that_mix_are_pulled_as_one(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = drop_def(RN_PRESET_BALANCED, dim), two = def;
        two.phase_count = 2;
        for (uint32_t k = 0; k < 2; k++) {
            two.phases[k] = rn_fluid_phase_default();
            two.phases[k].name[0] = (char)('a' + k);
        }
        rn_fluid *one = make_drop(&def, 0.015f, 0.1f), *both = make_mixture(&two, 0.015f, 0.1f);
        water_steps(one, 1), water_steps(both, 1);
        assert_same_pull(one, both, one->now.count);
        rn_fluid_destroy(one);
        rn_fluid_destroy(both);
    }
}

/* The other limit: fluids without adhesion, whose interface has both tensions, do not feel each other. */
static void fluids_without_adhesion_are_pulled_as_if_alone(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = drop_def(RN_PRESET_BALANCED, dim), two = def;
        set_phases(&two, 2);
        two.phases[0].rest_density = two.phases[1].rest_density = 1000;
        two.phases[0].surface_tension = def.params.surface_tension;
        two.phases[1].interface_tension[0] =
            two.phases[0].surface_tension + two.phases[1].surface_tension;
        rn_fluid *alone = make_drop(&def, 0.01f, 0), *beside = make_drop(&two, 0.01f, 0);
        const uint32_t count = alone->now.count;
        rn_fluid_block block = rn_fluid_block_default();
        block.low[0] = 0.008f, block.high[0] = 0.022f;
        block.low[1] = 0.017f, block.high[1] = 0.022f;
        if (dim == 3) block.low[2] = 0.008f, block.high[2] = 0.022f;
        block.phase = 1;
        assert_ok(rn_fluid_add_block(beside, &block, NULL));
        water_steps(alone, 1), water_steps(beside, 1);
        assert_same_pull(alone, beside, count);
        rn_fluid_destroy(alone);
        rn_fluid_destroy(beside);
    }
}

/* A block of oil in water, twice as long as high: the ratio of its second moments, 4 at the start, after a while. */
static double roundness_of(float tension)
{
    rn_fluid_def def = drop_def(RN_PRESET_BALANCED, 2);
    set_phases(&def, 2);
    def.phases[1].interface_tension[0] = tension;
    def.phases[0].viscosity = def.phases[1].viscosity = 0.02f;
    rn_fluid *f = water_create(&def);
    rn_fluid_block block = rn_fluid_block_default();
    block.high[0] = 0.03f, block.high[1] = 0.02f;
    assert_ok(rn_fluid_add_block(f, &block, NULL));
    block.low[0] = 0.009f, block.high[0] = 0.021f;
    block.low[1] = 0.007f, block.high[1] = 0.013f;
    block.phase = 1;
    assert_ok(rn_fluid_add_block(f, &block, NULL));
    water_run(f, 0.08);
    double count = 0, mean[2] = {0, 0}, moment[2] = {0, 0};
    for (uint32_t i = 0; i < f->now.count; i++)
        for (int a = 0; a < 2 && f->fluid_number[i] == 1; a++) {
            const double x = (double)f->now.position[i][a];
            count += 0.5, mean[a] += x, moment[a] += x * x;
        }
    for (int a = 0; a < 2; a++) moment[a] = moment[a] / count - pow(mean[a] / count, 2);
    rn_fluid_destroy(f);
    return moment[0] / moment[1];
}

static void interface_tension_makes_a_block_of_oil_round(void **state)
{
    (void)state;
    const double loose = roundness_of(0), tense = roundness_of(0.04f);
    if (!(loose > 3 && tense < 1.5)) fail_msg("ratios of moments: %g and %g", loose, tense);
}

static rn_fluid *make_splash(rn_fluid_preset preset, rn_fluid_traversal traversal, uint32_t threads,
                             uint32_t phases)
{
    rn_fluid_def def = drop_def(preset, 3);
    set_phases(&def, phases);
    def.traversal = traversal, def.threads = threads;
    def.params.gravity[1] = -9.81f;
    def.params.contact_angle = 60;
    return make_mixture(&def, 0.0065f, 0.1f);
}

static void any_thread_count_gives_the_same_bits(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC};
    for (uint32_t k = 0; k < 8; k++) {
        uint64_t first = 0;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            rn_fluid *f = make_splash(presets[k % 2],
                                      k / 2 % 2 == 0 ? RN_TRAVERSAL_FUSED : RN_TRAVERSAL_LISTS,
                                      threads, k < 4 ? 0 : 3);
            water_steps(f, k < 4 ? 20 : 8);
            const uint64_t hash = rn_fluid_get_state_hash(f);
            if (threads == 1) first = hash;
            assert_true(hash == first);
            rn_fluid_destroy(f);
        }
    }
}

static void a_state_read_back_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (uint32_t phases = 0; phases <= 2; phases += 2) {
        rn_fluid *whole = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 2, phases);
        rn_fluid *second = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 1, phases);
        water_steps(whole, 15);
        water_copy_state(whole, second);
        water_steps(whole, 15), water_steps(second, 15);
        assert_true(rn_fluid_get_state_hash(whole) == rn_fluid_get_state_hash(second));
        rn_fluid_destroy(whole);
        rn_fluid_destroy(second);
    }
}

/* The same accelerations, particle by particle, after one evaluation. */
static void both_traversals_agree(void **state)
{
    (void)state;
    const uint32_t phases[] = {0, 2, 8};
    for (uint32_t k = 0; k < 3; k++) {
        rn_fluid *a = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 1, phases[k]);
        rn_fluid *b = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_LISTS, 1, phases[k]);
        water_steps(a, 1), water_steps(b, 1);
        assert_int_equal(a->now.count, b->now.count);
        assert_same_pull(a, b, a->now.count);
        rn_fluid_destroy(a);
        rn_fluid_destroy(b);
    }
}

/* m: height of the centre of mass of half a disc on a wall, after a while. */
static double height_at(float angle, bool is_of_solid)
{
    rn_fluid_def def = drop_def(RN_PRESET_BALANCED, 2);
    def.params.contact_angle = is_of_solid ? 90 : angle;
    def.params.viscosity = 0.1f;
    def.domain_low[1] = -0.01f;
    rn_fluid *f = water_create(&def);
    rn_solid floor = rn_solid_default();
    floor.contact_angle = is_of_solid ? angle : 0;
    assert_ok(rn_fluid_add_solid(f, &floor, NULL));
    water_block(f, (float[3]){0.009f, 0, 0}, (float[3]){0.021f, 0.006f, 0}, 0);
    water_run(f, 0.1);
    double sum = 0;
    for (uint32_t i = 0; i < f->now.count; i++) sum += (double)f->now.position[i][1] / f->now.count;
    rn_fluid_destroy(f);
    return sum;
}

static void a_small_contact_angle_spreads_a_drop(void **state)
{
    (void)state;
    const double wets = height_at(30, false), beads = height_at(150, false);
    if (!(wets < 0.85 * beads)) fail_msg("heights %g and %g", wets, beads);
    const double own = height_at(30, true); /* of the floor alone */
    if (!(own < 0.85 * beads)) fail_msg("heights %g and %g", own, beads);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    rn_fluid_def def = drop_def(RN_PRESET_BALANCED, 2);
    rn_fluid *f = NULL;
    def.params.surface_tension = -1;
    assert_int_equal(rn_fluid_create(&def, &f), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "surface_tension is -1"));
    def = drop_def(RN_PRESET_BALANCED, 2);
    def.params.contact_angle = 181;
    assert_int_equal(rn_fluid_create(&def, &f), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "contact_angle is 181"));
    def.params.contact_angle = 90;
    f = water_create(&def);
    rn_solid solid = rn_solid_default();
    solid.contact_angle = (float)NAN;
    assert_int_equal(rn_fluid_add_solid(f, &solid, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "contact_angle"));
    rn_fluid_destroy(f);
}

static void refuse_phases(const rn_fluid_def *def, const char *words)
{
    rn_fluid *f = NULL;
    assert_int_equal(rn_fluid_create(def, &f), RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), words)) fail_msg("'%s' lacks '%s'", rn_last_error(), words);
}

static void nonsense_about_interfaces_is_refused(void **state)
{
    (void)state;
    rn_fluid_def sound = drop_def(RN_PRESET_BALANCED, 2);
    set_phases(&sound, 2);
    rn_fluid_def def = sound;
    def.phases[1].interface_tension[0] = -0.01f;
    refuse_phases(&def, "fluid b: interface_tension with a is -0.01 N/m; it must not be negative");
    def.phases[1].interface_tension[0] = (float)NAN;
    refuse_phases(&def, "must not be negative");
    def = sound;
    def.phases[0].interface_tension[1] = 0.01f;
    refuse_phases(&def, "give it to one of them, or the same to both");
    def = sound;
    def.phases[0].interface_tension[0] = 0.01f;
    refuse_phases(&def, "that is the fluid itself");
    def = sound;
    def.phases[1].interface_tension[0] = 0.2f;
    refuse_phases(&def, "at most the sum of their surface tensions, 0.135 N/m");
    rn_fluid *f = water_create(&sound);
    rn_fluid_phase phase;
    assert_ok(rn_fluid_get_phase(f, 1, &phase));
    phase.interface_tension[0] = 0.2f;
    assert_int_equal(rn_fluid_set_phase(f, 1, &phase), RN_ERROR_ARGUMENT);
    phase.interface_tension[0] = 0.05f;
    assert_ok(rn_fluid_set_phase(f, 1, &phase));
    rn_fluid_destroy(f);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_conserved_to_rounding),
        cmocka_unit_test(only_the_surface_is_pulled),
        cmocka_unit_test(any_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_state_read_back_goes_on_bit_for_bit),
        cmocka_unit_test(both_traversals_agree),
        cmocka_unit_test(a_small_contact_angle_spreads_a_drop),
        cmocka_unit_test(fluids_that_mix_are_pulled_as_one),
        cmocka_unit_test(fluids_without_adhesion_are_pulled_as_if_alone),
        cmocka_unit_test(interface_tension_makes_a_block_of_oil_round),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(nonsense_about_interfaces_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
