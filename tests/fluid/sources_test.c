/* Water that comes and goes, the caller's operators, and what is refused. */
#include "fluid/water_test.h"
#include "slowness.h"

#include "base/pi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rn_fluid_pipe make_pipe(float x, float y, float z)
{
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    pipe.center[0] = x, pipe.center[1] = y, pipe.center[2] = z;
    pipe.radius = 0.11f;
    return pipe;
}

static void a_pipe_pours_its_flow_rate(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        rn_fluid_def def = water_def(dim, 0.025f, 3, 1, 1);
        memset(def.params.gravity, 0, sizeof def.params.gravity);
        def.speed_expected = 2;
        def.open[0][1] = true;
        rn_fluid *fluid = water_create(&def);
        rn_fluid_pipe pipe = make_pipe(0.3f, 0.5f, 0.5f);
        pipe.flow_rate = dim == 3 ? 0.04f : 0.2f;
        pipe.stop_count = 2;
        pipe.stop_time[0] = 0, pipe.stop_time[1] = 1;
        pipe.stop_factor[0] = 1, pipe.stop_factor[1] = 0.5f;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        rn_fluid_report report = water_run(fluid, 1.0);
        double volume = (double)report.came_all * pow(0.025, dim);
        double wanted = 0.75 * (double)pipe.flow_rate;
        if (fabs(volume / wanted - 1) > 0.05)
            fail_msg("%uD: %g poured in a second, %g wanted", dim, volume, wanted);
        assert_true(report.density_max < 1.05f);
        rn_fluid_destroy(fluid);
    }
}

/* Volume a second out of a mouth of `radius` spacings, between two moments. */
static double measured_flow(uint32_t dim, float spacing, float radius, const float direction[3],
                            float *density_max)
{
    rn_fluid_def def = water_def(dim, spacing, 0.6f, 0.6f, 0.6f);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 2;
    for (uint32_t a = 0; a < dim; a++) def.open[a][0] = def.open[a][1] = true;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.3f, 0.3f, 0.3f);
    memcpy(pipe.direction, direction, sizeof pipe.direction);
    pipe.radius = radius * spacing;
    pipe.speed = 2;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report first = water_run(fluid, 0.2), last = rn_fluid_report_default();
    while (rn_fluid_get_time(fluid) < 1.2) {
        assert_ok(rn_fluid_step(fluid, &last));
        *density_max = fmaxf(*density_max, last.density_max);
        if (last.flags & RN_FLAG_BLOCKED) fail_msg("%uD, radius %g: blocked", dim, (double)radius);
    }
    double came = (double)(last.came_all - first.came_all);
    rn_fluid_destroy(fluid);
    return came * pow((double)spacing, dim) / (last.time - first.time);
}

static void a_stream_brings_its_speed_times_its_mouth(void **state)
{
    (void)state;
    const float radii[] = {0.5f, 0.6f, 0.75f, 0.9f, 1, 1.25f, 1.5f, 2, 2.25f, 3.3f};
    const float directions[][3] = {{1, 0, 0}, {1, -0.7f, 0}, {0.2f, 0.5f, -1}};
    for (uint32_t dim = 2; dim <= 3; dim++)
        for (uint32_t k = 0; k < sizeof radii / sizeof *radii; k++) {
            float spacing = 0.025f, density_max = 0;
            double r = (double)(radii[k] * spacing);
            double wanted = 2 * (dim == 3 ? RNI_PI * r * r : 2 * r);
            double flow = measured_flow(dim, spacing, radii[k], directions[k % (dim == 3 ? 3 : 2)],
                                        &density_max);
            if (fabs(flow / wanted - 1) > 0.025 || density_max > 1.05f)
                fail_msg("%uD, radius %g spacings: %g a second, %g wanted; density %g", dim,
                         (double)radii[k], flow, wanted, (double)density_max);
        }
}

/* Steps a pipe with its mouth on a wall; returns the share of the wanted water that came. */
static double share_from_wall(const float center[3], const float direction[3], bool has_solid)
{
    rn_fluid_def def = water_def(3, 0.025f, 1, 1, 1);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 2;
    rn_fluid *fluid = water_create(&def);
    if (has_solid) {
        rn_solid box = rn_solid_default();
        box.shape = RN_SOLID_BOX;
        for (int a = 0; a < 3; a++) box.center[a] = 0.5f, box.half[a] = 0.1f;
        box.turn[2] = 45;
        assert_ok(rn_fluid_add_solid(fluid, &box, NULL));
    }
    rn_fluid_pipe pipe = make_pipe(center[0], center[1], center[2]);
    memcpy(pipe.direction, direction, sizeof pipe.direction);
    pipe.radius = 0.06f;
    pipe.speed = 2;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report report = water_run(fluid, 0.2);
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
    return (double)report.came_all * pow(0.025, 3) / (0.4 * RNI_PI * 0.06 * 0.06);
}

static void a_mouth_may_lie_on_a_wall_that_it_pours_away_from(void **state)
{
    (void)state;
    float face = 0.5f + 0.1f * sqrtf(0.5f); /* middle of a face of the turned box */
    const struct {
        float center[3], direction[3];
        bool has_solid;
    } good[] = {{{0, 0.5f, 0.5f}, {1, 0, 0}, false},  {{1, 0.5f, 0.5f}, {-1, 0.4f, -0.4f}, false},
                {{0.5f, 1, 0.5f}, {0, -3, 0}, false}, {{0.0005f, 0.5f, 0.5f}, {1, 0, 0}, false},
                {{0, 0.1f, 0.1f}, {1, 1, 1}, false},  {{face, face, 0.5f}, {1, 1, 0}, true}};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        double share = share_from_wall(good[k].center, good[k].direction, good[k].has_solid);
        if (share < 0.93 || share > 1.12) fail_msg("mouth %zu: %g of the water came", k, share);
    }
    rn_fluid_def def = water_def(3, 0.025f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0, 0.5f, 0.5f);
    const struct {
        float x, direction[3];
        const char *word;
    } bad[] = {{0, {-1, 0, 0}, "goes into it"},
               {0, {0, 1, 0}, "goes along it"},
               {1, {1, 0.2f, 0}, "goes into it"},
               {-0.1f, {1, 0, 0}, "outside the domain"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        pipe.center[0] = bad[k].x;
        memcpy(pipe.direction, bad[k].direction, sizeof pipe.direction);
        assert_int_equal(rn_fluid_add_pipe(fluid, &pipe, NULL), RN_ERROR_ARGUMENT);
        if (!strstr(rn_last_error(), bad[k].word))
            fail_msg("'%s' does not say '%s'", rn_last_error(), bad[k].word);
    }
    rn_fluid_destroy(fluid);
}

/* On the floor of a pool, and in the middle of it. */
static void a_mouth_under_water_clears_itself(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 4; kind++) {
        if (FACT_SLOWNESS > 1 && (kind == 0 || kind == 3)) continue;
        uint32_t dim = 2 + kind / 2;
        const float spacing = dim == 2 ? 0.02f : 0.04f, side = dim == 2 ? 1 : 0.6f;
        rn_fluid_def def = water_def(dim, spacing, side, 1, side);
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){side, 0.2f, side}, 0);
        rn_fluid_pipe pipe = make_pipe(side / 2, kind % 2 ? 0.1f : 0, side / 2);
        memcpy(pipe.direction, (float[3]){0, 1, 0}, sizeof pipe.direction);
        pipe.radius = 3 * spacing;
        pipe.speed = 2;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        rn_fluid_report report = rn_fluid_report_default();
        while (rn_fluid_get_time(fluid) < 0.5) {
            assert_ok(rn_fluid_step(fluid, &report));
            if (report.retries || report.density_max > 1.25f)
                fail_msg("kind %u at %g s: %u retries, density %g", kind, report.time,
                         report.retries, (double)report.density_max);
        }
        double r = (double)pipe.radius, mouth = dim == 3 ? RNI_PI * r * r : 2 * r;
        double share = (double)report.came_all * pow((double)spacing, dim) / (2 * 0.5 * mouth);
        if (share < 0.85 || share > 1.05) fail_msg("kind %u: %g of the water came", kind, share);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        rn_fluid_destroy(fluid);
    }
}

/* A mouth under water feeds it without blows: once the stream has started, neither a high density
 * nor a particle much faster than the stream. */
static void a_stream_under_water_does_not_hammer(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 2; kind++) {
        if (FACT_IS_LEFT_OUT(kind, 2)) continue;
        const float spacing = 0.025f;
        rn_fluid_def def = water_def(3, spacing, 0.6f, 0.6f, 0.5f);
        def.params.sound_ratio = 10;
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.6f, 0.4f, 0.5f}, 0);
        water_run(fluid, 0.1);
        rn_fluid_pipe pipe = make_pipe(kind ? 0.2f : 0, 0.2f, 0.25f);
        pipe.radius = 4 * spacing;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        water_run(fluid, 0.2);
        rn_fluid_report report = rn_fluid_report_default();
        while (rn_fluid_get_time(fluid) < 0.2 + 0.3 / FACT_SLOWNESS) {
            assert_ok(rn_fluid_step(fluid, &report));
            if (report.density_max > 1.05f || report.speed_max > 3)
                fail_msg("kind %u at %g s: density %g, %g m/s", kind, report.time,
                         (double)report.density_max, (double)report.speed_max);
        }
        rn_fluid_destroy(fluid);
    }
}

/* A pipe from a tank whose surface is higher fills up to that height, and no further. */
static void a_head_raises_the_level_to_its_height(void **state)
{
    (void)state;
    for (uint32_t dim = 2; dim <= 3; dim++) {
        if (FACT_IS_LEFT_OUT(dim, 2)) continue;
        const float spacing = dim == 2 ? 0.02f : 0.04f, side = 0.4f;
        rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, dim, spacing, side, 0.8f, side);
        rn_fluid *fluid = water_create(&def);
        rn_fluid_pipe pipe = make_pipe(0, 0.1f, side / 2);
        pipe.radius = 2.5f * spacing;
        pipe.head = 0.24f;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        double lowest = 1, highest = 0;
        while (rn_fluid_get_time(fluid) < 5) {
            rn_fluid_report report = water_steps(fluid, 20);
            const double volume = report.particles * pow((double)spacing, dim);
            const double level = volume / (dim == 3 ? (double)(side * side) : (double)side);
            if (report.time > 4) lowest = fmin(lowest, level);
            highest = fmax(highest, level);
        }
        /* In 3D the pressure at this coarse spacing reads high, and the level stays lower. */
        const double lack = (dim == 2 ? 0.5 : 1.1) * (double)spacing;
        if (lowest < 0.34 - lack || highest > 0.34 + 0.5 * (double)spacing)
            fail_msg("%uD: the level is from %g to %g m, not 0.34 m", dim, lowest, highest);
        rn_fluid_destroy(fluid);
    }
}

/* With an amplitude of 1 the stream stops once a period; the mean stays. */
static void a_stream_follows_its_sine(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.02f, 2, 1, 0);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 2;
    def.open[0][1] = true;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.3f, 0.5f, 0);
    pipe.sine_amplitude = 1;
    pipe.sine_frequency = 2;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    double quarter[4] = {0};
    while (rn_fluid_get_time(fluid) < 2) {
        const double turns = 2 * rn_fluid_get_time(fluid);
        rn_fluid_report report = water_steps(fluid, 1);
        quarter[(int)(4 * (turns - floor(turns) + 0.125)) % 4] += (double)report.came;
    }
    const double all = quarter[0] + quarter[1] + quarter[2] + quarter[3];
    const double volume = all * 0.02 * 0.02, wanted = 2 * 2 * (double)pipe.radius;
    if (fabs(volume / wanted - 1) > 0.05 || quarter[1] < 0.4 * all || quarter[3] > 0.05 * all)
        fail_msg("%g poured, %g wanted; by quarters %g %g %g %g", volume, wanted, quarter[0],
                 quarter[1], quarter[2], quarter[3]);
    rn_fluid_destroy(fluid);
}

static int by_height(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Falling, a stream has no gaps and becomes thinner: its volume a second stays the same. */
static void a_falling_stream_stays_together_and_narrows(void **state)
{
    (void)state;
    const float spacing = FACT_SLOWNESS > 1 ? 0.02f : 0.01f, radius = 4 * spacing, top = 1.7f;
    rn_fluid_def def = water_def(3, spacing, 0.4f, top + 0.1f, 0.4f);
    def.open[1][0] = true;
    def.params.numerical_viscosity = 0.02f;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.2f, top, 0.2f);
    memcpy(pipe.direction, (float[3]){0, -1, 0}, sizeof pipe.direction);
    pipe.radius = radius;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    water_run(fluid, 0.7);
    rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    static float height[20000];
    double square = 0, count = 0;
    uint32_t all = 0;
    for (uint32_t i = 0; i < p.count && all < 20000; i++) {
        const float *x = p.position[i];
        if (x[1] < top - 40 * radius) continue;
        height[all++] = x[1];
        if (x[1] > top - 0.8f || x[1] < top - 1) continue;
        square += (double)((x[0] - 0.2f) * (x[0] - 0.2f) + (x[2] - 0.2f) * (x[2] - 0.2f)), count++;
    }
    qsort(height, all, sizeof *height, by_height);
    for (uint32_t k = 1; k < all; k++)
        if (height[k - 1] - height[k] > 1.5f * spacing)
            fail_msg("a gap of %g spacings at %g m",
                     (double)((height[k - 1] - height[k]) / spacing), (double)height[k]);
    const double found = sqrt(2 * square / count) / (double)radius;
    const double wanted = pow(1 + 2 * 9.81 * 0.9, -0.25);
    if (!(all > 1000 && count > 50) || fabs(found / wanted - 1) > 0.25)
        fail_msg("%g of the mouth's radius 0.9 m below it, %g wanted", found, wanted);
    rn_fluid_destroy(fluid);
}

/* In the side of a pool, deep and slow, narrow and wide: water beside the mouth does not take its place. */
static void a_mouth_in_the_side_of_a_pool_brings_what_it_says(void **state)
{
    (void)state;
    const float radii[] = {0.04f, 0.1f}, spacing = 0.04f;
    const double seconds = 1.0 / FACT_SLOWNESS;
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = water_def(3, spacing, 0.8f, 0.8f, 0.4f);
        rn_fluid *fluid = water_create(&def);
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.8f, 0.4f, 0.4f}, 0);
        rn_fluid_pipe pipe = make_pipe(0, 0.16f, 0.2f);
        memcpy(pipe.direction, (float[3]){1, 0, 0}, sizeof pipe.direction);
        pipe.radius = radii[k];
        pipe.speed = 1;
        assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
        rn_fluid_report report = water_run(fluid, seconds);
        double share = (double)report.came_all * pow((double)spacing, 3) /
                       (RNI_PI * (double)(pipe.radius * pipe.radius) * seconds);
        if (share < 0.85 || share > 1.05)
            fail_msg("radius %g: %g of the water came", (double)pipe.radius, share);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        rn_fluid_destroy(fluid);
    }
}

/* What a pipe pours into a closed vessel is what fits, pressed a little. */
static void a_full_vessel_stops_its_pipe(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.04f, 0.4f, 0.4f, 0.4f);
    def.params.sound_ratio = 10;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.4f, 0.32f, 0.4f}, 0);
    rn_fluid_pipe pipe = make_pipe(0, 0.16f, 0.2f);
    memcpy(pipe.direction, (float[3]){1, 0, 0}, sizeof pipe.direction);
    pipe.radius = 0.08f;
    pipe.speed = 1;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report report = water_run(fluid, 4.0 / FACT_SLOWNESS); /* full after 0.7 s */
    assert_in_range(report.particles, 1000, 1050);
    assert_true(report.density_mean < 1.05f);
    rn_fluid_destroy(fluid);
}

/* Water that a pipe can press no further comes to rest, and is not stirred for ever. */
static void a_full_vessel_is_not_stirred(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.04f, 0.8f, 0.6f, 0);
    def.speed_expected = 5, def.params.sound_ratio = 10;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0, 0.4f, 0);
    memcpy(pipe.direction, (float[3]){1, 0.2f, 0}, sizeof pipe.direction);
    pipe.radius = 0.08f;
    pipe.speed = 5;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    water_run(fluid, 3);
    double sum = 0, count = 0;
    rn_fluid_report report = rn_fluid_report_default();
    for (; rn_fluid_get_time(fluid) < 4; count++) {
        assert_ok(rn_fluid_step(fluid, &report));
        sum += report.kinetic;
    }
    const double mass = (double)rni_fluid_derived_of(fluid).mass;
    const double rms = sqrt(2 * sum / count / (mass * (double)report.particles));
    if (rms > 0.3 || !(report.flags & RN_FLAG_BLOCKED) || report.density_mean > 1.04f)
        fail_msg("%u particles move at %.3f m/s on the mean, density %.3f", report.particles, rms,
                 (double)report.density_mean);
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
}

static void a_mouth_across_a_periodic_side_pours_on_both(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    def.periodic[0] = true;
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 2;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0, 0.2f, 0);
    memcpy(pipe.direction, (float[3]){0, 1, 0}, sizeof pipe.direction);
    pipe.speed = 2;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report report = water_run(fluid, 0.2);
    uint32_t left = 0;
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    for (uint32_t i = 0; i < p.count; i++) left += p.position[i][0] > 0.5f;
    double share = (double)report.came_all * 0.025 * 0.025 / (0.4 * 0.22);
    assert_int_equal(report.left_all, 0);
    if (fabs(share - 1) > 0.1 || left < p.count / 3 || left > 2 * p.count / 3)
        fail_msg("%g of the water came, %u of %u left of the border", share, left, p.count);
    rn_fluid_destroy(fluid);
}

static void outlets_and_open_sides_count_who_leaves(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    def.open[1][0] = true;
    rn_fluid *fluid = water_create(&def);
    uint32_t all = water_block(fluid, (float[3]){0, 0.5f, 0}, (float[3]){1, 0.9f, 0}, 0).added;
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    outlet.low[0] = 0, outlet.low[1] = 0.1f, outlet.high[0] = 0.5f, outlet.high[1] = 0.2f;
    rn_fluid_id id;
    assert_ok(rn_fluid_add_outlet(fluid, &outlet, &id));
    rn_fluid_report report = water_run(fluid, 0.6);
    assert_int_equal(report.particles + report.left_all, all);
    assert_int_equal(report.particles, 0);
    uint64_t removed = rn_fluid_get_outlet_count(fluid, id);
    if (removed < all / 3 || removed > 2 * all / 3)
        fail_msg("the outlet under half of the water removed %llu of %u",
                 (unsigned long long)removed, all);
    water_steps(fluid, 3); /* an empty fluid steps */
    rn_fluid_destroy(fluid);
}

static void a_pipe_stops_at_the_maximum(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.05f, 1, 1, 1);
    def.max_particles = 300;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.3f, 0.8f, 0.5f);
    pipe.speed = 3;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_report report = water_run(fluid, 1.5);
    assert_int_equal(report.particles, 300);
    assert_true(report.flags & RN_FLAG_FULL);
    rn_fluid_destroy(fluid);
}

static void what_overlaps_or_lies_in_walls_is_left_out_and_counted(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.1f, 1, 1, 1);
    rn_fluid *fluid = water_create(&def);
    rn_fluid_added first = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 0.5f}, 0);
    assert_int_equal(first.added, 125);
    rn_fluid_added again = water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f, 0.5f, 1}, 0);
    assert_int_equal(again.overlapping, 125);
    assert_int_equal(again.added, 125);
    rn_fluid_added out = water_block(fluid, (float[3]){0.5f, 0, 0}, (float[3]){1.5f, 0.5f, 0.5f}, 0);
    assert_int_equal(out.added, 125);
    assert_int_equal(out.outside_domain, 125);
    assert_int_equal(out.in_walls, 0);
    float twins[6] = {0.75f, 0.75f, 0.75f, 0.76f, 0.75f, 0.75f};
    rn_fluid_added pair = rn_fluid_added_default();
    assert_ok(rn_fluid_add_particles(fluid, twins, NULL, 2, &pair));
    assert_int_equal(pair.added, 1);
    assert_int_equal(pair.overlapping, 1);
    float bad[3] = {0.5f, NAN, 0.5f};
    assert_int_equal(rn_fluid_add_particles(fluid, bad, NULL, 1, &pair), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "particle 0"));
    rn_fluid_destroy(fluid);
}

typedef struct wind {
    uint32_t calls[3];
} wind;

static rn_result blow(void *user, rn_fluid_stage stage, double time, float time_step,
                      const rn_fluid_particles *p)
{
    (void)time, (void)time_step;
    wind *w = user;
    w->calls[stage]++;
    if (stage == RN_STAGE_FORCES)
        for (uint32_t i = 0; i < p->count; i++) p->acceleration[i][0] += 5;
    return RN_OK;
}

static rn_result refuse(void *user, rn_fluid_stage stage, double time, float time_step,
                        const rn_fluid_particles *p)
{
    (void)user, (void)stage, (void)time, (void)time_step, (void)p;
    return RN_ERROR_LIMIT;
}

static void operators_add_forces_and_may_end_the_step(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.05f, 2, 2, 0);
    memset(def.params.gravity, 0, sizeof def.params.gravity);
    def.speed_expected = 1;
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0.5f, 0.5f, 0}, (float[3]){1, 1, 0}, 0);
    wind w = {{0, 0, 0}};
    rn_fluid_id id[4];
    for (int s = 0; s < 3; s++)
        assert_ok(rn_fluid_add_operator(fluid, (rn_fluid_stage)s, blow, &w, &id[s]));
    rn_fluid_report report = water_steps(fluid, 10);
    for (int s = 0; s < 3; s++) assert_int_equal(w.calls[s], 10);
    assert_true(fabs((double)report.speed_max / (5 * report.time) - 1) < 0.01);
    assert_ok(rn_fluid_add_operator(fluid, RN_STAGE_INTEGRATE, refuse, NULL, &id[3]));
    uint64_t before = rn_fluid_get_state_hash(fluid);
    assert_int_equal(rn_fluid_step(fluid, &report), RN_ERROR_LIMIT);
    assert_int_equal(rn_fluid_get_state_hash(fluid), before);
    assert_ok(rn_fluid_remove_operator(fluid, id[3]));
    assert_int_equal(rn_fluid_remove_operator(fluid, id[3]), RN_ERROR_ARGUMENT);
    water_steps(fluid, 1);
    rn_fluid_destroy(fluid);
}

static rn_result spoil(void *user, rn_fluid_stage stage, double time, float time_step,
                       const rn_fluid_particles *p)
{
    (void)user, (void)time, (void)time_step;
    if (stage == RN_STAGE_FORCES) p->acceleration[3][1] = NAN;
    else p->velocity[3][1] = INFINITY;
    return RN_OK;
}

static void what_an_operator_spoils_is_said_and_taken_back(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.1f, 2, 2, 0);
    rn_fluid *fluid = water_create(&def);
    water_block(fluid, (float[3]){0.5f, 0, 0}, (float[3]){1, 1, 0}, 0);
    assert_ok(rn_fluid_update_density(fluid)); /* gives it its initial pressure */
    for (int s = 0; s < 3; s++) {
        rn_fluid_id id;
        assert_ok(rn_fluid_add_operator(fluid, (rn_fluid_stage)s, spoil, NULL, &id));
        const uint64_t before = rn_fluid_get_state_hash(fluid);
        assert_int_equal(rn_fluid_step(fluid, NULL), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "operator"));
        assert_int_equal(rn_fluid_get_state_hash(fluid), before);
        assert_ok(rn_fluid_remove_operator(fluid, id));
        water_steps(fluid, 1);
    }
    rn_fluid_destroy(fluid);
}

static rn_result refuse_end(void *user, rn_fluid_stage stage, double time, float time_step,
                            const rn_fluid_particles *p)
{
    (void)stage, (void)time, (void)time_step, (void)p;
    return *(bool *)user ? RN_ERROR_LIMIT : RN_OK;
}

/* Water that came and went in a step that then fails has neither come nor gone. */
static void a_failed_step_takes_everything_back(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(2, 0.025f, 1, 1, 0);
    def.open[0][1] = true;
    rn_fluid *fluid = water_create(&def);
    rn_fluid_pipe pipe = make_pipe(0.7f, 0.5f, 0);
    pipe.speed = 4;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    bool refuses = false;
    assert_ok(rn_fluid_add_operator(fluid, RN_STAGE_END, refuse_end, &refuses, NULL));
    static unsigned char before[200000], after[200000];
    rn_fluid_report report = rn_fluid_report_default();
    uint32_t came = 0, left = 0;
    for (int k = 0; k < 300; k++) {
        size_t bytes = (size_t)rn_fluid_get_state_bytes(fluid);
        assert_true(bytes <= sizeof before);
        rn_fluid_write_state(fluid, before);
        refuses = true;
        assert_int_equal(rn_fluid_step(fluid, NULL), RN_ERROR_LIMIT);
        assert_int_equal(rn_fluid_get_state_bytes(fluid), bytes);
        rn_fluid_write_state(fluid, after);
        assert_memory_equal(before, after, bytes);
        refuses = false;
        assert_ok(rn_fluid_step(fluid, &report));
        came += report.came > 0, left += report.left > 0;
    }
    assert_true(came > 5 && left > 5);
    rn_fluid_destroy(fluid);
}

static void assert_def_refused(const rn_fluid_def *def, const char *word)
{
    rn_fluid *fluid = NULL;
    assert_int_not_equal(rn_fluid_create(def, &fluid), RN_OK);
    assert_null(fluid);
    if (!strstr(rn_last_error(), word)) fail_msg("'%s' does not say '%s'", rn_last_error(), word);
}

static void absurd_definitions_are_refused_with_the_value(void **state)
{
    (void)state;
    const rn_fluid_def good = water_def(3, 0.05f, 1, 1, 1);
    rn_fluid_def def = good;
    assert_def_refused(NULL, "NULL");
    def.struct_bytes = 0;
    assert_def_refused(&def, "rn_fluid_def_default");
    def = good, def.spacing = 0;
    assert_def_refused(&def, "spacing is 0");
    def = good, def.spacing = NAN;
    assert_def_refused(&def, "spacing");
    def = good, def.dim = 4;
    assert_def_refused(&def, "dim is 4");
    def = good, def.domain_high[1] = -1;
    assert_def_refused(&def, "along y");
    def = good, def.domain_high[0] = 1e7f;
    assert_def_refused(&def, "100,000 spacings");
    def = good, def.params.viscosity = -1;
    assert_def_refused(&def, "viscosity is -1");
    def = good, def.params.gravity[2] = INFINITY;
    assert_def_refused(&def, "gravity[2]");
    def = good, def.params.integrator = (rn_fluid_integrator)9;
    assert_def_refused(&def, "integrator is 9");
    def = good, def.scheme = (rn_fluid_scheme)9;
    assert_def_refused(&def, "scheme is 9");
    for (int traversal = 0; traversal < 2; traversal++) {
        def = good, def.search = (rn_search_method)99, def.traversal = (rn_fluid_traversal)traversal;
        assert_def_refused(&def, "search is 99");
    }
    def = good, def.radius = 1;
    assert_def_refused(&def, "radius is 1");
    def = good, def.periodic[0] = true, def.domain_high[0] = 0.2f;
    assert_def_refused(&def, "period");
    rn_fluid *fluid = water_create(&good);
    rn_fluid_params params = rn_fluid_get_params(fluid);
    params.time_step = NAN;
    assert_int_equal(rn_fluid_set_params(fluid, &params), RN_ERROR_ARGUMENT);
    rn_fluid_pipe pipe = make_pipe(2, 2, 2);
    assert_int_equal(rn_fluid_add_pipe(fluid, &pipe, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "outside the domain"));
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_pours_its_flow_rate),
        cmocka_unit_test(a_stream_brings_its_speed_times_its_mouth),
        cmocka_unit_test(a_mouth_may_lie_on_a_wall_that_it_pours_away_from),
        cmocka_unit_test(a_mouth_across_a_periodic_side_pours_on_both),
        cmocka_unit_test(a_mouth_under_water_clears_itself),
        cmocka_unit_test(a_stream_under_water_does_not_hammer),
        cmocka_unit_test(a_head_raises_the_level_to_its_height),
        cmocka_unit_test(a_stream_follows_its_sine),
        cmocka_unit_test(a_falling_stream_stays_together_and_narrows),
        cmocka_unit_test(a_mouth_in_the_side_of_a_pool_brings_what_it_says),
        cmocka_unit_test(a_full_vessel_stops_its_pipe),
        cmocka_unit_test(a_full_vessel_is_not_stirred),
        cmocka_unit_test(outlets_and_open_sides_count_who_leaves),
        cmocka_unit_test(a_pipe_stops_at_the_maximum),
        cmocka_unit_test(what_overlaps_or_lies_in_walls_is_left_out_and_counted),
        cmocka_unit_test(operators_add_forces_and_may_end_the_step),
        cmocka_unit_test(what_an_operator_spoils_is_said_and_taken_back),
        cmocka_unit_test(a_failed_step_takes_everything_back),
        cmocka_unit_test(absurd_definitions_are_refused_with_the_value),
    };
    return cmocka_run_group_tests_name("fluid.sources", tests, NULL, NULL);
}
