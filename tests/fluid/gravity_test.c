/* Gravity that changes in time, and what it does to a tank. */
#include "fluid/water_test.h"

#include "base/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_gravity(const rn_fluid *fluid, float x, float y)
{
    float g[3];
    rn_fluid_get_gravity(fluid, g);
    if (fabsf(g[0] - x) > 1e-5f || fabsf(g[1] - y) > 1e-5f || g[2] != 0)
        fail_msg("at %g s gravity is %g, %g, %g, not %g, %g", rn_fluid_get_time(fluid),
                 (double)g[0], (double)g[1], (double)g[2], (double)x, (double)y);
}

static void gravity_follows_its_table_and_its_sine(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.1f, 1, 1, 0);
    def.params.time_step = 0.001f;
    def.params.gravity_amplitude[0] = 2;
    def.params.gravity_amplitude[2] = 5; /* there is no z */
    def.params.gravity_frequency = 4;
    def.params.gravity_phase = 90;
    rn_fluid *fluid = water_create(&def);
    const rn_fluid_gravity_stop stops[] = {{0.1, {0, 1, 0}}, {0.2, {0, 3, 0}}, {0.5, {0, -1, 0}}};
    assert_ok(rn_fluid_set_gravity_table(fluid, stops, 3));
    assert_gravity(fluid, 2, -8.81f);
    while (rn_fluid_get_time(fluid) < 0.6) {
        const double t = rn_fluid_get_time(fluid);
        const double table = t <= 0.1   ? 1
                             : t <= 0.2 ? 1 + 20 * (t - 0.1)
                             : t <= 0.5 ? 3 - 4 * (t - 0.2) / 0.3
                                        : -1;
        assert_gravity(fluid, (float)(2 * cos(8 * RNI_PI * t)), (float)(table - 9.81));
        water_steps(fluid, 1);
    }
    assert_ok(rn_fluid_set_gravity_table(fluid, NULL, 0));
    float g[3];
    rn_fluid_get_gravity(fluid, g);
    assert_true(fabsf(g[1] + 9.81f) < 1e-5f);
    rn_fluid_destroy(fluid);
}

static void a_table_that_is_wrong_is_refused(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.1f, 1, 1, 0);
    rn_fluid *fluid = water_create(&def);
    const rn_fluid_gravity_stop back[] = {{1, {0, 1, 0}}, {1, {0, 3, 0}}};
    assert_int_equal(rn_fluid_set_gravity_table(fluid, back, 2), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "ascend"));
    const rn_fluid_gravity_stop bad = {0, {NAN, 0, 0}};
    assert_int_equal(rn_fluid_set_gravity_table(fluid, &bad, 1), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "gravity[0]"));
    def.params.gravity_phase = 1e9f;
    assert_int_equal(rn_fluid_set_params(fluid, &def.params), RN_ERROR_ARGUMENT);
    rn_fluid_destroy(fluid);
}

/* m: where the middle of the mass is along x. */
static double middle_of(const rn_fluid *fluid)
{
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++) sum += (double)p.position[i][0];
    return sum / p.count;
}

/* The largest shift of the mass in each of the first three periods of the shaking. */
static void shake(double frequency, double swing[3])
{
    rn_fluid_def def = water_def(2, 0.025f, 1, 0.8f, 0);
    def.speed_expected = 3;
    def.params.gravity_amplitude[0] = 0.15f;
    def.params.gravity_frequency = (float)frequency;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.4f, 0}, 0);
    for (int k = 0; k < 3; k++) {
        swing[k] = 0;
        while (rn_fluid_get_time(fluid) < (k + 1) / frequency) {
            water_steps(fluid, 1);
            swing[k] = fmax(swing[k], fabs(middle_of(fluid) - 0.5));
        }
    }
    rn_fluid_destroy(fluid);
}

/* Linear waves of a tank 1 m long and 0.4 m deep: omega^2 = pi g tanh(0.4 pi), 0.814 Hz. */
static void a_tank_shaken_at_resonance_sloshes_higher_and_higher(void **state)
{
    (void)state;
    const double own = sqrt(RNI_PI * 9.81 * tanh(0.4 * RNI_PI)) / (2 * RNI_PI);
    double at[3], off[3];
    shake(own, at);
    shake(2.2 * own, off);
    if (!(at[1] > 1.5 * at[0] && at[2] > 1.25 * at[1] && at[2] > 2.5 * off[2]))
        fail_msg("at resonance %.4f, %.4f, %.4f m, off it %.4f, %.4f, %.4f m", at[0], at[1], at[2],
                 off[0], off[1], off[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_follows_its_table_and_its_sine),
        cmocka_unit_test(a_table_that_is_wrong_is_refused),
        cmocka_unit_test(a_tank_shaken_at_resonance_sloshes_higher_and_higher),
    };
    return cmocka_run_group_tests_name("fluid.gravity", tests, NULL, NULL);
}
