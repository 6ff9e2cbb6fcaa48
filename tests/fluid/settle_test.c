/* The pressure with which water starts: at rest, covered, falling, of two fluids; given particles, threads, states. */
#include "fluid/water_test.h"

#include "fluid/phases.h"
#include "fluid/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81
#define DEPTH   0.5f

static const rn_fluid_preset presets[] = {RN_PRESET_LIVE, RN_PRESET_BALANCED, RN_PRESET_ACCURATE};

/* A tank of 1 m filled to DEPTH. */
static rn_fluid *make_tank(rn_fluid_preset preset, uint32_t dim, uint32_t threads)
{
    rn_fluid_def def = water_def_of(preset, dim, dim == 3 ? 0.05f : 0.025f, 1, 1, 0.3f);
    def.threads = threads;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, DEPTH, 0.3f}, 0);
    return fluid;
}

/* Root mean square of p - rho g (DEPTH - y), over rho g DEPTH; away from the surface. */
static double pressure_error(const rn_fluid *fluid)
{
    const rn_fluid_particles p = rn_fluid_get_particles(fluid);
    const double floor = 1000 * GRAVITY * (double)DEPTH;
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        const double depth = (double)DEPTH - (double)p.position[i][1];
        if (depth < 0.3 * (double)DEPTH) continue;
        const double off = ((double)p.pressure[i] - 1000 * GRAVITY * depth) / floor;
        sum += off * off, count++;
    }
    return sqrt(sum / count);
}

static void water_at_rest_starts_and_stays_hydrostatic(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 3; k++) {
            rn_fluid *fluid = make_tank(presets[k], dim, 2);
            const double bound = k == 0 ? 0.15 : 0.05; /* pressure of summed density is noisy */
            for (int step = 0; step < 5; step++) {
                water_run(fluid, 0.04 * step);
                water_steps(fluid, 1);
                assert_below(pressure_error(fluid), bound);
            }
            rn_fluid_destroy(fluid);
        }
}

/* Without it the pressure at the floor is nothing at first, and rings. */
static void without_it_there_is_no_pressure_at_first(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    def.initial_pressure = false;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, DEPTH, 0}, 0);
    water_steps(fluid, 1);
    assert_true(pressure_error(fluid) > 0.5);
    rn_fluid_destroy(fluid);
}

static void falling_water_has_none(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 2, 1);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0.3f, 1, 0.3f}, (float[3]){0.7f, 1.4f, 0.7f}, 0);
    assert_ok(rni_settle(fluid));
    for (uint32_t i = 0; i < fluid->now.count; i++) assert_float_equal(fluid->pressure[i], 0, 1e-3);
    rn_fluid_destroy(fluid);
}

/* The face of a dam that has just been opened is free. */
static void pressure_falls_towards_an_open_face(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 2, 1, 0);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, DEPTH, 0}, 0);
    assert_ok(rni_settle(fluid));
    double at_wall = 0, at_face = 0;
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const float *x = fluid->now.position[i];
        if (x[1] > 0.03f) continue;
        if (x[0] < 0.03f) at_wall = (double)fluid->pressure[i];
        if (x[0] > 0.47f) at_face = (double)fluid->pressure[i];
    }
    const double full = 1000 * GRAVITY * (double)DEPTH;
    assert_true(at_wall > 0.5 * full && at_wall < full);
    assert_true(at_face < 0.25 * full);
    rn_fluid_destroy(fluid);
}

/* Under a lid, beside an open shaft: the pressure is that below the surface in the shaft. */
static void a_covered_vessel_has_the_pressure_of_its_shaft(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    rn_fluid *fluid = water_create(&def);
    rn_solid lid = rn_solid_default();
    lid.shape = RN_SOLID_BOX;
    lid.center[0] = 0.625f, lid.center[1] = 0.5f;
    lid.half[0] = 0.375f, lid.half[1] = 0.25f, lid.half[2] = 1;
    assert_ok(rn_fluid_add_solid(fluid, &lid, NULL));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.25f, 0}, 0);
    water_block(fluid, (float[3]){0, 0.25f, 0}, (float[3]){0.25f, DEPTH, 0}, 0);
    assert_ok(rni_settle(fluid));
    uint32_t seen = 0;
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const float *x = fluid->now.position[i];
        if (x[0] < 0.8f) continue;
        const double exact = 1000 * GRAVITY * ((double)DEPTH - (double)x[1]);
        assert_below(fabs((double)fluid->pressure[i] / exact - 1), 0.05);
        seen++;
    }
    assert_true(seen > 50);
    rn_fluid_destroy(fluid);
}

/* Water that is compressed moves down, but into no solid. */
static void none_moves_into_a_solid(void **state)
{
    (void)state;
    const rn_solid_shape shapes[] = {RN_SOLID_BOX, RN_SOLID_SPHERE, RN_SOLID_CYLINDER};
    for (int k = 0; k < 3; k++) {
        rn_fluid_def def = water_def_of(RN_PRESET_LIVE, 3, 0.04f, 1, 1.2f, 0.4f);
        rn_fluid *fluid = water_create(&def);
        rn_solid solid = rn_solid_default();
        solid.shape = shapes[k];
        for (int a = 0; a < 3; a++)
            solid.center[a] = a < 2 ? 0.47f : 0.2f,
            solid.half[a] = k ? 0.1f : 0.01f + 0.1f * (float)a;
        solid.radius = 0.13f, solid.axis[2] = 1;
        assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 1, 0.4f}, 0.2f);
        assert_ok(rni_settle(fluid));
        assert_true(fluid->is_settled);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        rn_fluid_destroy(fluid);
    }
}

static void two_fluids_weigh_what_they_weigh(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 0.5f, 1, 0);
    def.phase_count = 2;
    def.phases[0] = def.phases[1] = rn_fluid_phase_default();
    def.phases[1].rest_density = 500;
    strcpy(def.phases[0].name, "water"), strcpy(def.phases[1].name, "oil");
    rn_fluid *fluid = water_create(&def);
    for (uint32_t k = 0; k < 2; k++) {
        rn_fluid_block block = rn_fluid_block_default();
        block.low[1] = 0.25f * (float)k, block.high[0] = 0.5f, block.high[1] = 0.25f * (float)(k + 1);
        block.phase = k;
        assert_ok(rn_fluid_add_block(fluid, &block, NULL));
    }
    assert_ok(rni_settle(fluid));
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const double y = (double)fluid->now.position[i][1];
        if (y > 0.2) continue;
        const double exact = GRAVITY * (500 * 0.25 + 1000 * (0.25 - y));
        assert_below(fabs((double)fluid->pressure[i] / exact - 1), 0.05);
    }
    rn_fluid_destroy(fluid);
}

static void particles_that_were_placed_stay(void **state)
{
    (void)state;
    rn_fluid_def def = water_def_of(RN_PRESET_LIVE, 2, 0.05f, 1, 1, 0);
    rn_fluid *fluid = water_create(&def);
    float x[200][3] = {{0}};
    for (uint32_t k = 0; k < 200; k++)
        x[k][0] = 0.025f + 0.05f * (float)(k % 20), x[k][1] = 0.025f + 0.05f * (float)(k / 20);
    assert_ok(rn_fluid_add_particles(fluid, x[0], NULL, 200, NULL));
    assert_ok(rni_settle(fluid));
    for (uint32_t k = 0; k < 200; k++)
        assert_memory_equal(fluid->now.position[k], x[k], sizeof(float[2]));
    rn_fluid_destroy(fluid);
}

/* Full to the lid, and full and periodic: pressure but for a constant; none is below zero. */
static void a_full_vessel_has_pressure_from_the_lid_down(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = water_def(2, 0.025f, 0.5f, 0.5f, 0);
        def.periodic[0] = k == 1;
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 0}, 0);
        assert_ok(rni_settle(fluid));
        for (uint32_t i = 0; i < fluid->now.count; i++) {
            const double exact = 1000 * GRAVITY * (0.5 - (double)fluid->now.position[i][1]);
            assert_below(fabs((double)fluid->pressure[i] - exact), 0.04 * 1000 * GRAVITY * 0.5);
        }
        rn_fluid_destroy(fluid);
    }
}

static bool stretch(void *user, const float x[3], float v[3])
{
    (void)user;
    v[0] = -x[0], v[1] = x[1];
    return x[0] * x[0] + x[1] * x[1] <= 1;
}

static bool turn(void *user, const float x[3], float v[3])
{
    (void)user;
    v[0] = -x[1], v[1] = x[0];
    return x[0] * x[0] + x[1] * x[1] <= 1;
}

static bool meet(void *user, const float x[3], float v[3])
{
    (void)user;
    v[0] = x[0] < 0 ? 2 : -2;
    return fabsf(x[1]) < 0.3f;
}

static rn_fluid *make_flow(rn_fluid_place_fn place)
{
    rn_fluid_def def = water_def(2, 0.04f, 1, 1, 0);
    for (int a = 0; a < 2; a++) def.domain_low[a] = -2, def.domain_high[a] = 2;
    def.params.gravity[1] = 0;
    def.speed_expected = 2;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_block block = rn_fluid_block_default();
    for (int a = 0; a < 2; a++) block.low[a] = -1, block.high[a] = 1;
    block.place = place;
    assert_ok(rn_fluid_add_block(fluid, &block, NULL));
    assert_ok(rni_settle(fluid));
    return fluid;
}

/* Without gravity: a disc whose strain is 1 / s has p = 500 (1 - r^2) Pa; one that turns is pulled outwards by as much. */
static void a_flow_starts_with_its_pressure(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rn_fluid *fluid = make_flow(k ? turn : stretch);
        for (uint32_t i = 0; i < fluid->now.count; i++) {
            const double x = (double)fluid->now.position[i][0], y = (double)fluid->now.position[i][1];
            const double exact = (k ? -500 : 500) * (1 - x * x - y * y);
            assert_below(fabs((double)fluid->pressure[i] - exact), 40);
        }
        rn_fluid_destroy(fluid);
    }
}

/* Two jets that meet need an impact to stop each other, which is no pressure of the start. */
static void jets_that_meet_start_without_pressure(void **state)
{
    (void)state;
    rn_fluid *fluid = make_flow(meet);
    for (uint32_t i = 0; i < fluid->now.count; i++)
        assert_below(fabs((double)fluid->pressure[i]), 1);
    rn_fluid_destroy(fluid);
}

/* Disorder in a closed flow gathers something on the whole, which has no solution: it must not become a pressure. */
static void disordered_vortices_start_calm(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.03125f, 1, 1, 0);
    def.periodic[0] = def.periodic[1] = true;
    def.params.gravity[1] = 0;
    def.speed_expected = 1;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 1, 0}, 0.1f);
    const double wave = 6.283185307;
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const double x = wave * (double)fluid->now.position[i][0],
                     y = wave * (double)fluid->now.position[i][1];
        fluid->now.velocity[i][0] = (float)(-cos(x) * sin(y));
        fluid->now.velocity[i][1] = (float)(sin(x) * cos(y));
    }
    assert_ok(rni_settle(fluid));
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const double x = wave * (double)fluid->now.position[i][0],
                     y = wave * (double)fluid->now.position[i][1];
        const double exact = -250 * (cos(2 * x) + cos(2 * y));
        assert_below(fabs((double)fluid->pressure[i] - exact), 200);
    }
    rn_fluid_destroy(fluid);
}

static void *state_of(const rn_fluid *fluid, size_t *bytes)
{
    *bytes = (size_t)rn_fluid_get_state_bytes(fluid);
    void *saved = malloc(*bytes);
    assert_non_null(saved);
    rn_fluid_write_state(fluid, saved);
    return saved;
}

static void bits_are_those_of_any_thread_count_and_of_a_resumed_run(void **state)
{
    (void)state;
    size_t bytes[3];
    void *saved[3];
    for (uint32_t k = 0; k < 3; k++) {
        rn_fluid *fluid = make_tank(RN_PRESET_LIVE, 3, k == 1 ? 4 : 1);
        if (k == 2) { /* saved before the first step */
            size_t early;
            void *start = state_of(fluid, &early);
            rn_fluid_destroy(fluid);
            fluid = make_tank(RN_PRESET_LIVE, 3, 1);
            assert_ok(rn_fluid_read_state(fluid, start, early));
            free(start);
        }
        water_steps(fluid, 3);
        saved[k] = state_of(fluid, &bytes[k]);
        rn_fluid_destroy(fluid);
    }
    for (uint32_t k = 1; k < 3; k++) {
        assert_int_equal(bytes[k], bytes[0]);
        assert_memory_equal(saved[k], saved[0], bytes[0]);
    }
    for (uint32_t k = 0; k < 3; k++) free(saved[k]);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_at_rest_starts_and_stays_hydrostatic),
        cmocka_unit_test(without_it_there_is_no_pressure_at_first),
        cmocka_unit_test(falling_water_has_none),
        cmocka_unit_test(pressure_falls_towards_an_open_face),
        cmocka_unit_test(a_covered_vessel_has_the_pressure_of_its_shaft),
        cmocka_unit_test(none_moves_into_a_solid),
        cmocka_unit_test(two_fluids_weigh_what_they_weigh),
        cmocka_unit_test(particles_that_were_placed_stay),
        cmocka_unit_test(a_full_vessel_has_pressure_from_the_lid_down),
        cmocka_unit_test(a_flow_starts_with_its_pressure),
        cmocka_unit_test(jets_that_meet_start_without_pressure),
        cmocka_unit_test(disordered_vortices_start_calm),
        cmocka_unit_test(bits_are_those_of_any_thread_count_and_of_a_resumed_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
