/* Gauges against what is known exactly: still water, uniform flow, free fall, the report. */
#include "fluid/derived.h"
#include "fluid/water_test.h"
#include "slowness.h"

#include <runnel/gauge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rn_fluid_gauge gauge_of(rn_gauge_kind kind, float x, float y, float z)
{
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    gauge.kind = kind;
    gauge.center[0] = x, gauge.center[1] = y, gauge.center[2] = z;
    return gauge;
}

static rn_fluid_id add(rn_fluid *fluid, const rn_fluid_gauge *gauge)
{
    rn_fluid_id id = {0, 0};
    assert_ok(rn_fluid_add_gauge(fluid, gauge, &id));
    return id;
}

static rn_gauge_reading read_gauge(const rn_fluid *fluid, rn_fluid_id id)
{
    rn_gauge_reading reading = rn_gauge_reading_default();
    assert_ok(rn_fluid_get_gauge(fluid, id, &reading));
    return reading;
}

static void assert_near(double value, double wanted, double slack, const char *what)
{
    if (!(fabs(value - wanted) <= slack))
        fail_msg("%s: %.9g instead of %.9g within %g", what, value, wanted, slack);
}

/* --- still water ------------------------------------------------------------------------------ */

/* Calm water 0.3 m deep, at rest. */
static rn_fluid *make_pool(uint32_t dim, uint32_t threads)
{
    rn_fluid_def def = water_def(dim, dim == 2 ? 0.01f : 0.02f, 0.4f, 0.5f, 0.2f);
    def.threads = threads;
    def.measure_loads = true;
    def.params.gravity_ramp = 0.3f;
    def.params.numerical_viscosity = 0.3f;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.3f, 0.2f}, 0);
    return fluid;
}

/* The pressure at the floor, in the middle, and of sensors in the floor and in a side. */
static void pressure_is_hydrostatic_inside_and_at_walls(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        if (FACT_IS_LEFT_OUT(dim + 1, 2)) continue;
        rn_fluid *fluid = make_pool(dim, 0);
        const float depth[5] = {0.3f, 0.15f, 0.1f, 0.3f, 0.2f};
        rn_fluid_id id[5];
        rn_fluid_gauge gauge[5];
        for (int k = 0; k < 3; k++)
            gauge[k] = gauge_of(RN_GAUGE_PRESSURE, 0.17f, 0.3f - depth[k], 0.09f);
        gauge[3] = gauge_of(RN_GAUGE_PRESSURE, 0.21f, 0, 0.1f); /* a sensor in the floor */
        gauge[3].direction[1] = 1, gauge[3].radius = 0.05f;
        gauge[4] = gauge_of(RN_GAUGE_PRESSURE, 0.4f, 0.1f, 0.1f); /* in a side */
        gauge[4].direction[0] = -2, gauge[4].radius = 0.03f;
        water_run(fluid, 0.8);
        for (int k = 0; k < 5; k++) id[k] = add(fluid, &gauge[k]);
        water_run(fluid, 1.2);
        const rn_gauge_reading bottom = read_gauge(fluid, id[0]);
        const double full = 1000 * 9.81 * 0.3;
        for (int k = 0; k < 5; k++) {
            char what[64];
            const double wanted = 1000 * 9.81 * (double)depth[k];
            const rn_gauge_reading r = read_gauge(fluid, id[k]);
            snprintf(what, sizeof what, "%uD, gauge %d, mean pressure", dim, k);
            assert_near(r.mean[0], wanted, 0.03 * full, what);
            assert_true(r.min[0] <= r.mean[0] && r.mean[0] <= r.max[0]);
            assert_true(r.value[0] >= r.min[0] && r.value[0] <= r.max[0]);
        }
        assert_true(bottom.sample_count > 10);
        assert_int_equal(bottom.step, rn_fluid_get_step_count(fluid));
        rn_fluid_destroy(fluid);
    }
}

/* The line through the pressures of the particles, over their height. */
static double line_at(const rn_fluid *fluid, double height)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double n = 0, y = 0, yy = 0, q = 0, yq = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        const double at = (double)p.position[i][1], pressure = (double)p.pressure[i];
        if (at > 0.25) continue; /* the surface is another matter */
        n++, y += at, yy += at * at, q += pressure, yq += at * pressure;
    }
    const double slope = (n * yq - y * q) / (n * yy - y * y);
    return q / n + slope * (height - y / n);
}

/* Whatever the water does: inside, in the floor and in a side the gauge has what the particles have. */
static void pressure_is_that_of_the_particles_inside_and_at_walls(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        if (FACT_IS_LEFT_OUT(dim, 2)) continue;
        rn_fluid *fluid = make_pool(dim, 0);
        rn_fluid_gauge gauge[4] = {gauge_of(RN_GAUGE_PRESSURE, 0.17f, 0.13f, 0.09f),
                                   gauge_of(RN_GAUGE_PRESSURE, 0.2f, 0, 0.1f),
                                   gauge_of(RN_GAUGE_PRESSURE, 0.2f, 0, 0.1f),
                                   gauge_of(RN_GAUGE_PRESSURE, 0, 0.1f, 0.1f)};
        gauge[2].direction[1] = 1, gauge[2].radius = 0.08f;
        gauge[3].direction[0] = 1, gauge[3].radius = 0.06f;
        rn_fluid_id id[4];
        for (int k = 0; k < 4; k++) id[k] = add(fluid, &gauge[k]);
        water_run(fluid, 0.9);
        const double bottom = line_at(fluid, 0);
        for (int k = 0; k < 4; k++) {
            char what[64];
            snprintf(what, sizeof what, "%uD, gauge %d", dim, k);
            assert_near(read_gauge(fluid, id[k]).value[0],
                        line_at(fluid, (double)gauge[k].center[1]), 0.03 * bottom, what);
        }
        rn_fluid_destroy(fluid);
    }
}

static void pressure_is_zero_where_there_is_no_water(void **state)
{
    (void)state;
    rn_fluid *fluid = make_pool(2, 1);
    rn_fluid_gauge air = gauge_of(RN_GAUGE_PRESSURE, 0.2f, 0.45f, 0);
    rn_fluid_gauge wind = gauge_of(RN_GAUGE_VELOCITY, 0.2f, 0.45f, 0);
    rn_fluid_id a = add(fluid, &air), w = add(fluid, &wind);
    water_steps(fluid, 5);
    assert_true(read_gauge(fluid, a).value[0] == 0);
    assert_true(read_gauge(fluid, w).value[0] == 0 && read_gauge(fluid, w).value[1] == 0);
    rn_fluid_destroy(fluid);
}

/* --- levels ----------------------------------------------------------------------------------- */

/* A level on a lattice that has not moved yet: anywhere in the tank, at walls and in corners, and for
 * wide columns. */
static void level_of_still_water_is_exact_to_a_tenth_of_a_spacing(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        const float spacing = dim == 2 ? 0.01f : 0.02f;
        rn_fluid_def def = water_def(dim, spacing, 0.4f, 0.5f, 0.4f);
        def.params.gravity_ramp = 1;
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.3f, 0.4f}, 0);
        enum { COUNT = 40 };
        rn_fluid_id id[COUNT];
        for (uint32_t k = 0; k < COUNT; k++) {
            /* from the side to the middle, in steps that no lattice has; the feet at any height */
            const float x = 0.2f * (float)k / (COUNT - 1), z = k % 2 ? x : 0.2f;
            rn_fluid_gauge level = gauge_of(RN_GAUGE_LEVEL, x, 0.0037f * (float)(k % 7), z);
            level.radius = k % 3 == 2 ? 3.3f * spacing : 0;
            id[k] = add(fluid, &level);
        }
        water_steps(fluid, 1);
        for (uint32_t k = 0; k < COUNT; k++) {
            char what[64];
            snprintf(what, sizeof what, "%uD, level %u", dim, k);
            assert_near(read_gauge(fluid, id[k]).value[0], 0.3 - 0.0037 * (k % 7),
                        0.1 * (double)spacing, what);
        }
        rn_fluid_destroy(fluid);
    }
}

static void level_stays_when_the_pool_has_settled(void **state)
{
    (void)state;
    rn_fluid *fluid = make_pool(2, 0);
    rn_fluid_gauge level = gauge_of(RN_GAUGE_LEVEL, 0.13f, 0, 0);
    rn_fluid_id id = add(fluid, &level);
    water_run(fluid, 0.8);
    assert_ok(rn_fluid_reset_gauge(fluid, id));
    water_run(fluid, 1.4);
    const rn_gauge_reading r = read_gauge(fluid, id);
    /* the water is compressed by up to one per cent */
    assert_near(r.mean[0], 0.3, 0.4 * 0.01, "mean level");
    assert_near(r.max[0] - r.min[0], 0, 0.2 * 0.01, "range of the level");
    rn_fluid_destroy(fluid);
}

/* Water below and above a plate, with air between them: two surfaces, and a third value that is not
 * there. Water that fills the space up to the plate ends at the plate. */
static void level_counts_the_surfaces_under_a_plate(void **state)
{
    (void)state;
    for (int is_full = 0; is_full < 2; is_full++) {
        rn_fluid_def def = water_def(2, 0.01f, 0.4f, 0.6f, 0);
        def.params.gravity_ramp = 1;
        rn_fluid *fluid = water_create(&def);
        rn_solid plate = rn_solid_default();
        plate.shape = RN_SOLID_BOX;
        memcpy(plate.center, (float[3]){0.2f, 0.315f, 0}, sizeof plate.center);
        memcpy(plate.half, (float[3]){0.3f, 0.015f, 1}, sizeof plate.half);
        assert_ok(rn_fluid_add_solid(fluid, &plate, NULL));
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, is_full ? 0.3f : 0.2f, 0}, 0);
        water_block(fluid, (float[3]){0, 0.33f, 0}, (float[3]){0.4f, 0.43f, 0}, 0);
        rn_fluid_gauge level = gauge_of(RN_GAUGE_LEVEL, 0.2f, 0, 0);
        level.surface_count = 3;
        rn_fluid_id id = add(fluid, &level);
        water_steps(fluid, 1);
        const rn_gauge_reading r = read_gauge(fluid, id);
        assert_int_equal(r.value_count, 3);
        assert_near(r.value[0], 0.43, 0.001, "upper surface");
        assert_near(r.value[1], is_full ? 0.3 : 0.2, 0.001, "lower surface");
        assert_true(isnan(r.value[2]) && isnan(r.min[2]) && isnan(r.mean[2]));
        rn_fluid_destroy(fluid);
    }
}

static void level_of_a_dry_column_is_zero(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.01f, 0.4f, 0.3f, 0);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.1f, 0.1f, 0}, 0);
    rn_fluid_gauge level = gauge_of(RN_GAUGE_LEVEL, 0.3f, 0, 0);
    rn_fluid_id id = add(fluid, &level);
    water_steps(fluid, 1);
    assert_true(read_gauge(fluid, id).value[0] == 0);
    rn_fluid_destroy(fluid);
}

/* --- flow ------------------------------------------------------------------------------------- */

/* A periodic flow without forces: discharge is speed times section, also near the seam, and whatever
 * part of the way from layer to layer the particles have gone. */
static void discharge_of_uniform_flow_is_exact(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = water_def(dim, 0.02f, 0.4f, 0.2f, 0.2f);
        def.periodic[0] = true;
        memset(def.params.gravity, 0, sizeof def.params.gravity);
        def.speed_expected = 2;
        rn_fluid *fluid = water_create(&def);
        rn_fluid_block block = rn_fluid_block_default();
        memcpy(block.high, (float[3]){0.4f, 0.2f, 0.2f}, sizeof block.high);
        block.velocity[0] = 1.5f;
        assert_ok(rn_fluid_add_block(fluid, &block, NULL));
        rn_fluid_gauge part = rn_fluid_gauge_default();
        part.kind = RN_GAUGE_DISCHARGE;
        memcpy(part.high, (float[3]){0.01f, 0.2f, 0.2f}, sizeof part.high);
        part.low[0] = 0.01f;
        rn_fluid_id seam = add(fluid, &part);
        part.low[0] = part.high[0] = 0.237f;
        part.direction[0] = -1;
        part.low[1] = 0.1f; /* between two layers */
        rn_fluid_id back = add(fluid, &part);
        rn_fluid_gauge disc = gauge_of(RN_GAUGE_DISCHARGE, 0.15f, 0.1f, 0.1f);
        disc.direction[0] = 2, disc.radius = dim == 2 ? 0.06f : 0.0801f;
        rn_fluid_id round_id = add(fluid, &disc);
        rn_fluid_gauge speed = gauge_of(RN_GAUGE_VELOCITY, 0.01f, 0.1f, 0.1f);
        rn_fluid_id speed_id = add(fluid, &speed);
        water_run(fluid, 0.1);
        const double area = dim == 2 ? 0.2 : 0.04, q = 1.5 * area;
        const rn_gauge_reading r = read_gauge(fluid, seam), b = read_gauge(fluid, back);
        assert_near(r.min[0], q, 0.01 * q, "least discharge");
        assert_near(r.max[0], q, 0.01 * q, "greatest discharge");
        assert_near(b.mean[0], -q / 2, 0.005 * q, "half of it, backwards");
        const double round_q = 1.5 * (dim == 2 ? 0.12 : 3.14159265 * 0.0801 * 0.0801);
        assert_near(read_gauge(fluid, round_id).mean[0], round_q, 0.05 * round_q, "of a disc");
        assert_near(read_gauge(fluid, speed_id).mean[0], 1.5, 0.01, "speed");
        assert_near(read_gauge(fluid, speed_id).mean[1], 0, 0.01, "speed across");
        rn_fluid_destroy(fluid);
    }
}

/* --- sums ------------------------------------------------------------------------------------- */

static void volume_force_and_energy_are_those_of_the_fluid(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid *fluid = make_pool(dim, 0);
        rn_fluid_gauge gauge = rn_fluid_gauge_default();
        gauge.kind = RN_GAUGE_VOLUME;
        memcpy(gauge.low, (float[3]){-1, -1, -1}, sizeof gauge.low);
        memcpy(gauge.high, (float[3]){0.2f, 1, 1}, sizeof gauge.high);
        rn_fluid_id volume = add(fluid, &gauge);
        gauge = rn_fluid_gauge_default();
        gauge.kind = RN_GAUGE_FORCE;
        rn_fluid_id force = add(fluid, &gauge);
        gauge.kind = RN_GAUGE_ENERGY;
        rn_fluid_id energy = add(fluid, &gauge);
        const rn_fluid_report report = water_steps(fluid, 40);
        const double half = dim == 2 ? 0.06 : 0.012;
        assert_near(read_gauge(fluid, volume).value[0], half, 0.02 * half, "volume");
        rn_solid_load load = rn_solid_load_default();
        assert_ok(rn_fluid_get_domain_load(fluid, &load));
        const rn_gauge_reading f = read_gauge(fluid, force), e = read_gauge(fluid, energy);
        assert_int_equal(f.value_count, dim == 2 ? 3 : 6);
        assert_true(f.value[1] == (double)(float)load.force[1]);
        assert_true(f.value[dim == 2 ? 2 : 5] == (double)(float)load.torque[2]);
        assert_true(e.value[0] == (double)(float)report.kinetic);
        assert_true(e.value[1] == (double)(float)report.potential);
        assert_true(e.value[2] == (double)(float)report.elastic);
        assert_near(e.value[3], report.kinetic + report.potential + report.elastic,
                    1e-6 * fabs(e.value[3]), "sum of energies");
        rn_fluid_destroy(fluid);
    }
}

static void force_on_a_removed_solid_is_no_number(void **state)
{
    (void)state;
    rn_fluid *fluid = make_pool(2, 1);
    rn_solid ball = rn_solid_default();
    ball.shape = RN_SOLID_SPHERE;
    memcpy(ball.center, (float[3]){0.2f, 0.44f, 0}, sizeof ball.center);
    ball.radius = 0.04f;
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    gauge.kind = RN_GAUGE_FORCE;
    gauge.solid_count = 1;
    assert_ok(rn_fluid_add_solid(fluid, &ball, &gauge.solid[0]));
    rn_fluid_id id = add(fluid, &gauge);
    water_steps(fluid, 2);
    assert_true(read_gauge(fluid, id).value[0] == 0);
    assert_ok(rn_fluid_remove_solid(fluid, gauge.solid[0]));
    water_steps(fluid, 1);
    assert_true(isnan(read_gauge(fluid, id).value[0]));
    assert_int_equal(read_gauge(fluid, id).sample_count, 3);
    assert_true(read_gauge(fluid, id).min[0] == 0); /* of the samples before */
    rn_fluid_destroy(fluid);
}

/* --- sampling --------------------------------------------------------------------------------- */

static void rate_gives_samples_on_a_grid_of_times(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.02f, 0.4f, 0.4f, 0);
    def.params.time_step = 0.0001f;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.2f, 0.2f, 0}, 0);
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    gauge.kind = RN_GAUGE_ENERGY;
    rn_fluid_id every = add(fluid, &gauge);
    gauge.rate = 1000;
    rn_fluid_id rated = add(fluid, &gauge);
    water_steps(fluid, 9);
    assert_int_equal(read_gauge(fluid, rated).sample_count, 0);
    water_steps(fluid, 1);
    assert_int_equal(read_gauge(fluid, rated).sample_count, 1);
    assert_int_equal(read_gauge(fluid, rated).step, 10);
    water_steps(fluid, 995);
    assert_int_equal(read_gauge(fluid, rated).sample_count, 100);
    assert_int_equal(read_gauge(fluid, every).sample_count, 1005);
    assert_near(read_gauge(fluid, rated).time, 0.1, 1e-6, "time of the last sample");
    rn_fluid_destroy(fluid);
}

/* The mean is one over time: of a quantity that grows evenly, half of the ends' sum. */
static void mean_is_the_integral_over_time(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.02f, 0.4f, 4, 0);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0.1f, 3, 0}, (float[3]){0.3f, 3.2f, 0}, 0);
    rn_fluid_gauge gauge = rn_fluid_gauge_default();
    gauge.kind = RN_GAUGE_ENERGY;
    rn_fluid_id id = add(fluid, &gauge);
    double first_time = 0, last = 0, last_time = 0, integral = 0;
    for (int k = 0; k < 60; k++) {
        water_steps(fluid, 1);
        const rn_gauge_reading r = read_gauge(fluid, id);
        if (k == 0) first_time = r.time;
        else integral += 0.5 * (r.value[0] + last) * (r.time - last_time);
        last = r.value[0], last_time = r.time;
    }
    const rn_gauge_reading r = read_gauge(fluid, id);
    assert_near(r.mean[0], integral / (last_time - first_time), 1e-9 * r.max[0], "mean");
    assert_ok(rn_fluid_reset_gauge(fluid, id));
    assert_int_equal(read_gauge(fluid, id).sample_count, 0);
    assert_true(read_gauge(fluid, id).value[0] == 0);
    rn_fluid_destroy(fluid);
}

/* A dam break with one gauge of each kind: the same bits for any thread count, the flow unchanged,
 * and nothing is allocated after the first steps. */
typedef struct counter {
    uint64_t allocations;
    uint64_t failing; /* the allocation that fails; 0: none */
} counter;

static void *count_take(void *user, size_t bytes, size_t alignment)
{
    counter *c = user;
    if (++c->allocations == c->failing) return NULL;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void count_give(void *user, void *block, size_t bytes)
{
    (void)user, (void)bytes;
    free(block);
}

static rn_fluid *make_dam(uint32_t threads, counter *count)
{
    rn_fluid_def def = water_def(3, 0.03f, 0.9f, 0.6f, 0.3f);
    def.threads = threads;
    def.measure_loads = true;
    def.periodic[2] = true;
    def.allocator = (rn_allocator){count, count_take, count_give};
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.3f, 0.45f, 0.3f}, 0.1f);
    return fluid;
}

static uint32_t add_all(rn_fluid *fluid, rn_fluid_id id[7])
{
    for (uint32_t k = 0; k < 7; k++) {
        rn_fluid_gauge gauge = gauge_of((rn_gauge_kind)k, 0.2f, 0.05f, 0.29f);
        memcpy(gauge.low, (float[3]){0.2f, 0, 0}, sizeof gauge.low);
        memcpy(gauge.high, (float[3]){k == RN_GAUGE_VOLUME ? 0.5f : 0.2f, 0.6f, 0.3f},
               sizeof gauge.high);
        id[k] = add(fluid, &gauge);
    }
    return 7;
}

static void gauges_are_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    counter counts[2] = {{0, 0}, {0, 0}}, none = {0, 0};
    rn_fluid *fluids[2] = {make_dam(1, &counts[0]), make_dam(3, &counts[1])};
    rn_fluid *plain = make_dam(2, &none);
    rn_fluid_id id[2][7];
    uint64_t warm[2] = {0, 0};
    for (int k = 0; k < 2; k++) add_all(fluids[k], id[k]);
    for (int step = 0; step < (FACT_SLOWNESS > 1 ? 50 : 120); step++) {
        water_steps(plain, 1);
        for (int k = 0; k < 2; k++) {
            water_steps(fluids[k], 1);
            if (step == 20) warm[k] = counts[k].allocations;
        }
        for (int g = 0; g < 7; g++) {
            const rn_gauge_reading a = read_gauge(fluids[0], id[0][g]);
            const rn_gauge_reading b = read_gauge(fluids[1], id[1][g]);
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("step %d, %s: %.17g and %.17g", step,
                         rn_fluid_choice_name(RN_CHOICE_GAUGE, (uint32_t)g), a.value[0], b.value[0]);
        }
    }
    assert_int_equal(warm[0], counts[0].allocations);
    assert_int_equal(warm[1], counts[1].allocations);
    assert_true(rn_fluid_get_state_hash(plain) == rn_fluid_get_state_hash(fluids[0]));
    rn_fluid_destroy(plain);
    for (int k = 0; k < 2; k++) rn_fluid_destroy(fluids[k]);
}

/* The n-th allocation fails, until none does: refused, nothing leaks, and the fluid goes on. */
static void gauges_survive_any_failed_allocation(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 7; kind++) {
        rn_result result = RN_ERROR_MEMORY;
        for (uint64_t n = 1; result != RN_OK; n++) {
            counter count = {0, 0};
            rn_fluid *fluid = make_dam(1, &count);
            rn_fluid_gauge gauge = gauge_of((rn_gauge_kind)kind, 0.2f, 0.05f, 0.29f);
            memcpy(gauge.low, (float[3]){0.2f, 0, 0}, sizeof gauge.low);
            memcpy(gauge.high, (float[3]){kind == RN_GAUGE_VOLUME ? 0.5f : 0.2f, 0.6f, 0.3f},
                   sizeof gauge.high);
            count.failing = count.allocations + n;
            result = rn_fluid_add_gauge(fluid, &gauge, NULL);
            count.failing = 0;
            assert_true(result == RN_OK || result == RN_ERROR_MEMORY);
            assert_true(n < 20);
            water_steps(fluid, 1);
            rn_fluid_destroy(fluid);
        }
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static void assert_refused(rn_fluid *fluid, const rn_fluid_gauge *gauge, const char *sentence)
{
    rn_fluid_id id = {7, 7};
    if (rn_fluid_add_gauge(fluid, gauge, &id) == RN_OK) fail_msg("not refused: %s", sentence);
    if (!strstr(rn_last_error(), sentence)) fail_msg("'%s' lacks '%s'", rn_last_error(), sentence);
    assert_int_equal(id.index, 7);
}

static void wrong_gauges_are_refused_with_a_sentence(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_gauge g = gauge_of(RN_GAUGE_PRESSURE, 1.5f, 0.5f, 0.5f);
    assert_refused(fluid, &g, "x of center is 1.5 m, outside the domain: 0 to 1 m");
    g = gauge_of(RN_GAUGE_PRESSURE, 0.5f, 0.5f, NAN);
    assert_refused(fluid, &g, "must be finite");
    g = gauge_of(RN_GAUGE_PRESSURE, 0.5f, 0.5f, 0.5f);
    g.radius = 0.1f;
    assert_refused(fluid, &g, "a disc needs a direction");
    g.direction[0] = 1, g.center[1] = 0.05f;
    assert_refused(fluid, &g, "the disc reaches from -0.05 to 0.15 m along y");
    g = gauge_of(RN_GAUGE_VELOCITY, 0.5f, 0.5f, 0.5f);
    g.rate = -1;
    assert_refused(fluid, &g, "rate is -1");
    g = gauge_of(RN_GAUGE_LEVEL, 0.5f, 0.99f, 0.5f);
    assert_refused(fluid, &g, "more than 2 spacings");
    g = gauge_of(RN_GAUGE_LEVEL, 0.5f, 0, 0.5f);
    g.surface_count = 9;
    assert_refused(fluid, &g, "surface_count is 9; it must be 1 to 8");
    g = gauge_of(RN_GAUGE_DISCHARGE, 0.5f, 0.5f, 0.5f);
    assert_refused(fluid, &g, "give a disc by center, direction and radius, or a rectangle");
    g.high[1] = 1, g.high[2] = -1;
    assert_refused(fluid, &g, "z goes from 0 to -1 m");
    g = rn_fluid_gauge_default();
    g.kind = RN_GAUGE_VOLUME;
    assert_refused(fluid, &g, "x goes from 0 to 0 m; low must be below high");
    g.kind = RN_GAUGE_FORCE;
    assert_refused(fluid, &g, "set measure_loads");
    g.kind = (rn_gauge_kind)7;
    assert_refused(fluid, &g, "kind is 7");
    g.struct_bytes = 3;
    assert_refused(fluid, &g, "struct_bytes");
    rn_fluid_destroy(fluid);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.measure_loads = true;
    fluid = water_create(&def);
    g = gauge_of(RN_GAUGE_LEVEL, 0.5f, 0, 0.5f);
    assert_refused(fluid, &g, "give a direction");
    g = rn_fluid_gauge_default();
    g.kind = RN_GAUGE_FORCE;
    g.solid_count = 1, g.solid[0] = (rn_fluid_id){3, 1};
    assert_refused(fluid, &g, "there is no solid 3");
    rn_fluid_destroy(fluid);
}

static void removed_gauges_are_gone_and_their_places_are_used_again(void **state)
{
    (void)state;
    rn_fluid *fluid = make_pool(2, 1);
    rn_fluid_gauge gauge = gauge_of(RN_GAUGE_LEVEL, 0.2f, 0, 0);
    rn_fluid_id first = add(fluid, &gauge), second = add(fluid, &gauge);
    water_steps(fluid, 1);
    assert_ok(rn_fluid_remove_gauge(fluid, first));
    rn_gauge_reading reading = rn_gauge_reading_default();
    assert_int_equal(rn_fluid_get_gauge(fluid, first, &reading), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_fluid_remove_gauge(fluid, first), RN_ERROR_ARGUMENT);
    rn_fluid_id third = add(fluid, &gauge);
    assert_int_equal(third.index, first.index);
    assert_int_not_equal(third.generation, first.generation);
    water_steps(fluid, 1);
    assert_int_equal(read_gauge(fluid, third).sample_count, 1);
    assert_int_equal(read_gauge(fluid, second).sample_count, 2);
    rn_fluid_destroy(fluid);
}

static void kinds_and_columns_have_names_and_units(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"pressure", "velocity", "level", "discharge", "force",
                                        "volume",   "energy",   "film",  NULL};
    static const uint32_t COUNTS[2][8] = {{1, 2, 1, 1, 3, 1, 4, 2}, {1, 3, 1, 1, 6, 1, 4, 2}};
    for (uint32_t k = 0; k < 9; k++) {
        const char *name = rn_fluid_choice_name(RN_CHOICE_GAUGE, k);
        if (!NAMES[k]) assert_null(name);
        else assert_string_equal(name, NAMES[k]);
    }
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (uint32_t k = 0; k < 8; k++) {
            rn_fluid_gauge gauge = rn_fluid_gauge_default();
            gauge.kind = (rn_gauge_kind)k;
            uint32_t count = 0;
            while (rn_gauge_get_column(&gauge, dim, count)) count++;
            assert_int_equal(count, COUNTS[dim - 2][k]);
            assert_true(strlen(rn_gauge_get_column(&gauge, dim, 0)->unit) > 0);
        }
}

/* The first ones wait for water to come to rest, with what the others run, too: too long for the thread sanitizer. */
#define SETTLING 7u

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_is_hydrostatic_inside_and_at_walls),
        cmocka_unit_test(pressure_is_that_of_the_particles_inside_and_at_walls),
        cmocka_unit_test(pressure_is_zero_where_there_is_no_water),
        cmocka_unit_test(level_of_still_water_is_exact_to_a_tenth_of_a_spacing),
        cmocka_unit_test(level_stays_when_the_pool_has_settled),
        cmocka_unit_test(level_counts_the_surfaces_under_a_plate),
        cmocka_unit_test(level_of_a_dry_column_is_zero),
        cmocka_unit_test(discharge_of_uniform_flow_is_exact),
        cmocka_unit_test(volume_force_and_energy_are_those_of_the_fluid),
        cmocka_unit_test(force_on_a_removed_solid_is_no_number),
        cmocka_unit_test(rate_gives_samples_on_a_grid_of_times),
        cmocka_unit_test(mean_is_the_integral_over_time),
        cmocka_unit_test(gauges_are_the_same_bits_for_any_thread_count),
        cmocka_unit_test(gauges_survive_any_failed_allocation),
        cmocka_unit_test(wrong_gauges_are_refused_with_a_sentence),
        cmocka_unit_test(removed_gauges_are_gone_and_their_places_are_used_again),
        cmocka_unit_test(kinds_and_columns_have_names_and_units),
    };
    const size_t first = FACT_SLOWNESS > 3 ? SETTLING : 0, count = sizeof tests / sizeof *tests;
    return _cmocka_run_group_tests("fluid.gauges", tests + first, count - first, NULL, NULL);
}
