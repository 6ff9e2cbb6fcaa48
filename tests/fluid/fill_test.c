/* Blocks start at rest density and stay calm, whatever their size. */
#include "fluid/water_test.h"

#include "base/pi.h"
#include "slowness.h"

#include <math.h>
#include <string.h>

/* The most that was seen while the first moments went by. */
typedef struct start {
    double speed; /* m / s */
    double rise;  /* m: how high any particle is or will fly, above the highest at the start */
    double speed_limit; /* m / s: of a fall from the highest particle to the lowest */
} start;

static start watch_start(rn_fluid *fluid, double time)
{
    const double g = 9.81;
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double top = -HUGE_VAL, floor_height = HUGE_VAL;
    for (uint32_t i = 0; i < p.count; i++) {
        top = fmax(top, (double)p.position[i][1]);
        floor_height = fmin(floor_height, (double)p.position[i][1]);
    }
    start s = {0, -HUGE_VAL, sqrt(2 * g * (top - floor_height))};
    while (rn_fluid_get_time(fluid) < time) {
        rn_fluid_report report = water_steps(fluid, 1);
        s.speed = fmax(s.speed, (double)report.speed_max);
        p = rn_fluid_get_arrays(fluid);
        for (uint32_t i = 0; i < p.count; i++) {
            double up = fmax((double)p.velocity[i][1], 0.0);
            s.rise = fmax(s.rise, (double)p.position[i][1] + up * up / (2 * g) - top);
        }
    }
    return s;
}

/* No side is a whole number of spacings; gaps at the walls made such a block hammer the floor. */
static void a_block_between_walls_stands_calm(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = water_def(dim, 0.03f, 0.437f, 0.8f, 0.373f);
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.437f, 0.407f, 0.373f}, 0);
        start s = watch_start(fluid, 0.2 / FACT_SLOWNESS);
        assert_below(s.speed, 0.12 * s.speed_limit);
        assert_below(s.rise, 0.1 * 0.03);
        rn_fluid_destroy(fluid);
    }
}

/* Its fastest drop is a matter of luck, 3 to 8 per cent over the limit in two dozen starts: the mean of twelve counts. */
static void a_dam_breaks_without_shooting_up_its_walls(void **state)
{
    (void)state;
    const int starts = FACT_SLOWNESS > 1 ? 1 : 12;
    double share = 0;
    for (int k = 0; k < starts; k++) {
        rn_fluid_def def = water_def(3, 0.04f, 1.5f, 0.9f, 0.463f);
        rn_fluid *fluid = water_create(&def);
        const float length = 0.537f + 1e-5f * (float)k;
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){length, 0.458f, 0.463f}, 0);
        start s = watch_start(fluid, 0.2 / FACT_SLOWNESS);
        assert_below(s.speed, 1.09 * s.speed_limit);
        assert_below(s.rise, 0.1 * 0.04);
        share += s.speed / s.speed_limit / starts;
        rn_fluid_destroy(fluid);
    }
    if (starts > 1) assert_below(share, 1.05);
}

/* One on the other, and one beside them. */
static void blocks_that_touch_stand_calm(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.03f, 0.437f, 0.8f, 0.373f);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_added added = rn_fluid_added_default();
    added = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.215f, 0.193f, 0.373f}, 0);
    assert_int_equal(added.overlapping, 0);
    added = water_block(fluid, (float[3]){0, 0.193f, 0}, (float[3]){0.215f, 0.407f, 0.373f}, 0);
    assert_int_equal(added.overlapping, 0);
    added = water_block(fluid, (float[3]){0.215f, 0, 0}, (float[3]){0.437f, 0.407f, 0.373f}, 0);
    assert_int_equal(added.overlapping, 0);
    start s = watch_start(fluid, 0.2 / FACT_SLOWNESS);
    assert_below(s.speed, 0.3 * s.speed_limit);
    assert_below(s.rise, 0.3 * 0.03);
    rn_fluid_destroy(fluid);
}

/* Boxes of many sizes, full but for their top: below the uppermost layers there is rest density. Walls take layers
 * for a spacing apart: where five have to be stretched by a tenth, that is two per cent. */
static void a_block_of_any_size_starts_at_rest_density(void **state)
{
    (void)state;
    const float spacing = 0.1f;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int size = 0; size < 12; size++) {
            float x = 0.5f + 0.037f * (float)size, z = 1.31f - 0.041f * (float)size;
            rn_fluid_def def = water_def(dim, spacing, x, 3, z);
            def.params.gravity[1] = -1e-3f;
            def.initial_pressure = false; /* which compresses it */
            rn_fluid *fluid = water_create(&def);
            float high = 0.8f + 0.023f * (float)size;
            rn_fluid_added added = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){x, high, z}, 0);
            double volume = (double)(x * high * (dim == 3 ? z : 1.0f));
            double own = pow((double)spacing, dim);
            assert_int_equal(added.in_walls + added.overlapping, 0);
            assert_below(fabs(added.added * own - volume),
                         0.55 * (double)spacing * volume / (double)high);
            water_steps(fluid, 1);
            rn_fluid_particles p = rn_fluid_get_arrays(fluid);
            uint32_t inside = 0;
            double sum = 0;
            for (uint32_t i = 0; i < p.count; i++) {
                if (p.position[i][1] > high - 3 * spacing) continue;
                double miss = fabs((double)p.density[i] / 1000 - 1);
                assert_below(miss, 0.025);
                sum += (double)p.density[i] / 1000;
                inside++;
            }
            assert_below(fabs(sum / inside - 1), 0.006);
            rn_fluid_destroy(fluid);
        }
}

/* A box that is full to its lid has no free face: the density is as close to rest as whole layers allow. */
static void a_full_box_is_neither_pressed_nor_hollow(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.03f, 0.745f, 0.56f, 0.5f);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.745f, 0.56f, 0.5f}, 0);
    rn_fluid_report report = water_steps(fluid, 1);
    assert_below(fabs((double)report.density_mean - 1), 0.01);
    start s = watch_start(fluid, 0.1 / FACT_SLOWNESS);
    assert_below(s.speed, 0.2 * s.speed_limit);
    rn_fluid_destroy(fluid);
}

static void a_block_of_whole_spacings_is_a_cubic_lattice(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_added added =
        water_block(fluid, (float[3]){0.1f, 0, 0.2f}, (float[3]){0.5f, 0.35f, 1}, 0);
    assert_int_equal(added.added, 8 * 7 * 16);
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) {
            double place = ((double)p.position[i][a] - 0.025) / 0.05;
            assert_below(fabs(place - round(place)), 1e-4);
        }
    rn_fluid_destroy(fluid);
}

/* Slots of one to five layers: whatever does not fit lies in the middle, between the faces. */
static void thin_blocks_lie_between_their_faces(void **state)
{
    (void)state;
    const float spacing = 0.1f;
    for (int tenths = 10; tenths < 55; tenths++) {
        float width = 0.01f * (float)tenths;
        rn_fluid_def def = water_def(3, spacing, 2, 2, 2);
        rn_fluid *fluid = water_create(&def);
        rn_fluid_added added =
            water_block(fluid, (float[3]){0, 0, 0.5f}, (float[3]){1, 1, 0.5f + width}, 0);
        rn_fluid_particles p = rn_fluid_get_arrays(fluid);
        assert_int_equal(added.overlapping + added.in_walls, 0);
        double low = 9, high = 0;
        for (uint32_t i = 0; i < p.count; i++) {
            low = fmin(low, (double)p.position[i][2] - 0.5);
            high = fmax(high, (double)p.position[i][2] - 0.5);
        }
        assert_below(fabs(low + high - (double)width), 1e-5);
        assert_true(low >= 0.44 * (double)spacing);
        rn_fluid_destroy(fluid);
    }
}

/* --- among solids --------------------------------------------------------------------------------- */

enum { ROUND_TANK, BALL, SLOPE, POST, TANK_KINDS };

static rn_fluid *make_pool(int kind, uint32_t threads, rn_fluid_added *added)
{
    rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, 0.04f, 0.83f, 0.9f, 0.83f);
    def.threads = threads;
    rn_fluid *fluid = water_create(&def);
    rn_solid solid = rn_solid_default();
    memcpy(solid.center, (float[3]){0.4f, 0.2f, 0.42f}, sizeof solid.center);
    memcpy(solid.axis, (float[3]){0, 1, 0}, sizeof solid.axis);
    memcpy(solid.half, (float[3]){1, 0.3f, 0.11f}, sizeof solid.half);
    solid.shape = kind == BALL ? RN_SOLID_SPHERE : kind == POST ? RN_SOLID_BOX : RN_SOLID_PLANE;
    solid.radius = 0.17f;
    if (kind == POST) solid.half[0] = 0.13f;
    if (kind == SLOPE) memcpy(solid.axis, (float[3]){0.5f, 1, 0.2f}, sizeof solid.axis);
    if (kind == ROUND_TANK) {
        solid.shape = RN_SOLID_CYLINDER;
        solid.is_hollow = true;
        solid.radius = 0.39f;
    }
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    *added = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.83f, 0.45f, 0.83f}, 0);
    return fluid;
}

/* No lattice fits a ball, a slope or a post somewhere in the pool: gaps there were up to a spacing wide,
 * and particles shot out where the water closed them. */
static void water_among_solids_stays_calm(void **state)
{
    (void)state;
    const int kinds =
        FACT_SLOWNESS > 3 ? 1 : TANK_KINDS; /* how threads pack them all is asked below */
    for (int kind = 0; kind < kinds; kind++) {
        rn_fluid_added added = rn_fluid_added_default();
        rn_fluid *fluid = make_pool(kind, 2, &added);
        assert_int_equal(added.overlapping, 0);
        assert_int_equal(added.added, rn_fluid_get_arrays(fluid).count);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        rn_fluid_report report = water_steps(fluid, 1);
        if (report.density_max > 1.05f) fail_msg("kind %d: %g", kind, (double)report.density_max);
        start s = watch_start(fluid, 0.15 / FACT_SLOWNESS);
        if (s.speed > 0.85 * s.speed_limit || s.rise > 0.6 * 0.04)
            fail_msg("kind %d: %g of %g m/s, rises by %g m", kind, s.speed, s.speed_limit, s.rise);
        rn_fluid_destroy(fluid);
    }
}

/* As many particles as fit the volume, whatever the shape. */
static void round_tanks_are_full(void **state)
{
    (void)state;
    rn_fluid_added added = rn_fluid_added_default();
    rn_fluid *fluid = make_pool(ROUND_TANK, 2, &added);
    double wanted = RNI_PI * 0.39 * 0.39 * 0.44 / pow(0.04, 3);
    assert_below(fabs(added.added / wanted - 1), 0.03);
    rn_fluid_destroy(fluid);
}

static void any_thread_count_packs_the_same(void **state)
{
    (void)state;
    rn_fluid_added added = rn_fluid_added_default();
    for (int kind = 0; kind < TANK_KINDS; kind++) {
        uint64_t hash[2];
        for (uint32_t k = 0; k < 2; k++) {
            rn_fluid *fluid = make_pool(kind, 1 + 2 * k, &added);
            hash[k] = rn_fluid_get_state_hash(fluid);
            rn_fluid_destroy(fluid);
        }
        assert_int_equal(hash[0], hash[1]);
    }
}

/* A box in the water that begins and ends between two layers is met by the lattice nearly as it is. */
static void a_solid_that_fits_moves_hardly_any_particle(void **state)
{
    (void)state;
    rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, 0.05f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_BOX;
    memcpy(solid.center, (float[3]){0.5f, 0.2f, 0.5f}, sizeof solid.center);
    memcpy(solid.half, (float[3]){0.15f, 0.2f, 0.1f}, sizeof solid.half);
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    rn_fluid_added added = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){1, 0.6f, 1}, 0);
    assert_int_equal(added.added + added.in_walls, 20 * 12 * 20);
    assert_in_range(added.in_walls, 6 * 8 * 4, 6 * 8 * 4 + 12);
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) {
            double place = ((double)p.position[i][a] - 0.025) / 0.05;
            sum += fabs(place - round(place));
        }
    assert_below(sum / p.count, 0.01);
    rn_fluid_destroy(fluid);
}

/* Jitter up to its bound removes no particle; a second block in the same place is still left out. */
static void jitter_removes_no_particle(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (int k = 0; k <= 3; k++) {
            rn_fluid_def def = water_def(dim, 0.1f, 1, 1, 1);
            def.periodic[0] = true;
            rn_fluid *fluid = water_create(&def);
            const float low[3] = {0, 0, 0}, high[3] = {1, 0.5f, 1};
            rn_fluid_added added = water_block(fluid, low, high, 0.1f * (float)k);
            assert_int_equal(added.added, dim == 2 ? 50 : 500);
            assert_int_equal(added.overlapping + added.in_walls, 0);
            rn_fluid_added again = water_block(fluid, low, high, 0);
            assert_int_equal(again.added, 0);
            assert_int_equal(again.overlapping, added.added);
            rn_fluid_destroy(fluid);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_between_walls_stands_calm),
        cmocka_unit_test(a_dam_breaks_without_shooting_up_its_walls),
        cmocka_unit_test(blocks_that_touch_stand_calm),
        cmocka_unit_test(a_block_of_any_size_starts_at_rest_density),
        cmocka_unit_test(a_full_box_is_neither_pressed_nor_hollow),
        cmocka_unit_test(a_block_of_whole_spacings_is_a_cubic_lattice),
        cmocka_unit_test(thin_blocks_lie_between_their_faces),
        cmocka_unit_test(water_among_solids_stays_calm),
        cmocka_unit_test(round_tanks_are_full),
        cmocka_unit_test(any_thread_count_packs_the_same),
        cmocka_unit_test(a_solid_that_fits_moves_hardly_any_particle),
        cmocka_unit_test(jitter_removes_no_particle),
    };
    return cmocka_run_group_tests_name("fluid.fill", tests, NULL, NULL);
}
