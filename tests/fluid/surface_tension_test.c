/* Surface tension by an energy of the surface: pairs against sums in double, momentum, walls, bits, states, and what is
 * refused. The physics is in the labs drop-oscillation, laplace, contact-angle and capillary-wave. */
#include "fluid/water_test.h"

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

static void momentum_is_conserved_to_rounding(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_ACCURATE, RN_PRESET_CLASSIC};
    for (uint32_t k = 0; k < 6; k++) {
        const rn_fluid_def def = drop_def(presets[k % 3], 2 + k / 3);
        rn_fluid *f = make_drop(&def, 0.015f, 0.2f);
        water_steps(f, 40);
        double linear[3] = {0}, speed = 0, turning[3] = {0}, pull = 0;
        for (uint32_t i = 0; i < f->now.count; i++) {
            const float *x = f->now.position[i], *v = f->now.velocity[i], *p = f->cohesion[i];
            for (int a = 0; a < 3; a++) {
                const int b = (a + 1) % 3, c = (a + 2) % 3;
                linear[a] += (double)v[a], speed += fabs((double)v[a]);
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

static rn_fluid *make_splash(rn_fluid_preset preset, rn_fluid_traversal traversal, uint32_t threads)
{
    rn_fluid_def def = drop_def(preset, 3);
    def.traversal = traversal, def.threads = threads;
    def.params.gravity[1] = -9.81f;
    def.params.contact_angle = 60;
    return make_drop(&def, 0.0065f, 0.1f);
}

static void any_thread_count_gives_the_same_bits(void **state)
{
    (void)state;
    const rn_fluid_preset presets[] = {RN_PRESET_BALANCED, RN_PRESET_CLASSIC};
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t first = 0;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            rn_fluid *f = make_splash(presets[k % 2],
                                      k < 2 ? RN_TRAVERSAL_FUSED : RN_TRAVERSAL_LISTS, threads);
            water_steps(f, 20);
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
    rn_fluid *whole = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 2);
    rn_fluid *second = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 1);
    water_steps(whole, 15);
    const uint64_t bytes = rn_fluid_get_state_bytes(whole);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    rn_fluid_write_state(whole, saved);
    assert_ok(rn_fluid_read_state(second, saved, bytes));
    water_steps(whole, 15), water_steps(second, 15);
    assert_true(rn_fluid_get_state_hash(whole) == rn_fluid_get_state_hash(second));
    free(saved);
    rn_fluid_destroy(whole);
    rn_fluid_destroy(second);
}

/* The same accelerations, particle by particle, after one evaluation. */
static void both_traversals_agree(void **state)
{
    (void)state;
    rn_fluid *a = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_FUSED, 1);
    rn_fluid *b = make_splash(RN_PRESET_BALANCED, RN_TRAVERSAL_LISTS, 1);
    water_steps(a, 1), water_steps(b, 1);
    double most = 0, worst = 0;
    assert_int_equal(a->now.count, b->now.count);
    for (uint32_t i = 0; i < a->now.count; i++)
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs((double)a->cohesion[i][k]));
            worst = fmax(worst, fabs((double)(a->cohesion[i][k] - b->cohesion[i][k])));
        }
    if (!(most > 0 && worst < 1e-4 * most))
        fail_msg("accelerations differ by %g of %g", worst, most);
    rn_fluid_destroy(a);
    rn_fluid_destroy(b);
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
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
