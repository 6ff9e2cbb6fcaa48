/* Same scene, same bits: any search method, any thread count, a broken and an unbroken run; and a
 * golden hash for the plain instruction set. */
#include "fluid/water_test.h"

#include "slowness.h"

#include <stdlib.h>
#include <string.h>

#define GOLDEN_PLAIN           0x3d27aeb51bb9b36cu
#define GOLDEN_FUSED           0x5fd2f0170986efa1u
#define GOLDEN_CORRECTED_PLAIN 0x1e91416c3e813b30u
#define GOLDEN_CORRECTED_FUSED 0xefa08fa53b7a85e6u

typedef struct how {
    rn_fluid_traversal traversal;
    rn_search_method search;
    uint32_t threads;
    rn_cpu_level cpu;
    bool has_no_period; /* some methods know none */
    bool is_leapfrog;   /* two evaluations a step; without a period the second needs no sort */
    bool is_corrected;  /* the corrected scheme, else the summation */
} how;

/* A splash with everything in it: solids, a pipe, an outlet, an open side, tension. */
static rn_fluid *make_splash(const how *h)
{
    rn_fluid_def def = water_def_of(h->is_corrected ? RN_PRESET_BALANCED : RN_PRESET_CLASSIC, 3,
                                    0.04f, 1, 0.8f, 0.5f);
    def.traversal = h->traversal, def.search = h->search, def.threads = h->threads, def.cpu = h->cpu;
    def.open[0][1] = true;
    def.periodic[2] = !h->has_no_period;
    if (h->is_leapfrog) def.params.integrator = RN_INTEGRATOR_LEAPFROG;
    def.params.tension = RN_TENSION_AKINCI;
    def.params.cohesion = 0.1f, def.params.curvature = 0.1f, def.params.smooth_normals = true;
    rn_fluid *fluid = water_create(&def);
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_BOX;
    memcpy(solid.center, (float[3]){0.6f, 0.1f, 0.25f}, sizeof solid.center);
    memcpy(solid.half, (float[3]){0.08f, 0.1f, 0.1f}, sizeof solid.half);
    solid.turn[1] = 30;
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.32f, 0.4f, 0.48f}, 0.1f);
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    memcpy(pipe.center, (float[3]){0.3f, 0.7f, 0.25f}, sizeof pipe.center);
    pipe.radius = 0.09f, pipe.speed = 2;
    assert_ok(rn_fluid_add_pipe(fluid, &pipe, NULL));
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    memcpy(outlet.low, (float[3]){0.8f, -0.01f, 0}, sizeof outlet.low);
    memcpy(outlet.high, (float[3]){0.9f, 0.05f, 0.5f}, sizeof outlet.high);
    assert_ok(rn_fluid_add_outlet(fluid, &outlet, NULL));
    return fluid;
}

static uint64_t splash(const how *h, uint32_t steps)
{
    rn_fluid *fluid = make_splash(h);
    water_steps(fluid, steps);
    uint64_t hash = rn_fluid_get_state_hash(fluid);
    rn_fluid_destroy(fluid);
    return hash;
}

static void search_by_all_methods(bool is_corrected)
{
    how h = {RN_TRAVERSAL_LISTS, RN_SEARCH_BRUTE, 2, RN_CPU_AUTO, true, false, is_corrected};
    uint64_t expected = splash(&h, 30 / FACT_SLOWNESS);
    for (uint32_t k = 0; rn_search_get_method_info(k); k++) {
        h.search = rn_search_get_method_info(k)->method;
        uint64_t hash = splash(&h, 30 / FACT_SLOWNESS);
        if (hash != expected)
            fail_msg("%s: %016llx, brute: %016llx", rn_search_get_method_info(k)->name,
                     (unsigned long long)hash, (unsigned long long)expected);
    }
}

static void all_search_methods_give_the_same_bits(void **state)
{
    (void)state;
    search_by_all_methods(false);
    search_by_all_methods(true);
}

static void any_thread_count_gives_the_same_bits(void **state)
{
    (void)state;
    const how ways[] = {{.traversal = RN_TRAVERSAL_LISTS},
                        {.traversal = RN_TRAVERSAL_FUSED},
                        {.traversal = RN_TRAVERSAL_FUSED, .has_no_period = true, .is_leapfrog = true},
                        {.traversal = RN_TRAVERSAL_LISTS, .is_corrected = true},
                        {.traversal = RN_TRAVERSAL_FUSED, .is_corrected = true}};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        how h = ways[way];
        h.search = RN_SEARCH_DEFAULT, h.threads = 1, h.cpu = RN_CPU_AUTO;
        uint64_t expected = splash(&h, 60 / FACT_SLOWNESS);
        const uint32_t threads[] = {2, 3, 7};
        for (int k = 0; k < 3; k++) {
            h.threads = threads[k];
            assert_int_equal(splash(&h, 60 / FACT_SLOWNESS), expected);
        }
    }
}

static void break_and_go_on(const how *h)
{
    const uint32_t all = 80 / FACT_SLOWNESS, broken = 37 / FACT_SLOWNESS;
    uint64_t unbroken = splash(h, all);
    rn_fluid *first = make_splash(h);
    water_steps(first, broken);
    size_t bytes = (size_t)rn_fluid_get_state_bytes(first);
    char *saved = malloc(bytes);
    assert_non_null(saved);
    rn_fluid_write_state(first, saved);
    rn_fluid_destroy(first);
    rn_fluid *second = make_splash(h);
    assert_ok(rn_fluid_read_state(second, saved, bytes));
    water_steps(second, all - broken);
    assert_int_equal(rn_fluid_get_state_hash(second), unbroken);
    rn_fluid_destroy(second);
    free(saved);
}

/* Also into a fluid that runs at another speed of sound: the densities are those that were saved. */
static void a_state_brings_its_own_sound(void **state)
{
    (void)state;
    const how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 1, RN_CPU_AUTO, true, false, true};
    rn_fluid *first = make_splash(&h), *second = make_splash(&h);
    water_steps(first, 5);
    rn_fluid_ball fast = rn_fluid_ball_default();
    memcpy(fast.center, (float[3]){0.5f, 0.5f, 0.25f}, sizeof fast.center);
    fast.radius = 0.1f, fast.velocity[0] = 30;
    assert_ok(rn_fluid_add_ball(second, &fast, NULL));
    water_steps(second, 5);
    rn_fluid_derived before = rn_fluid_derived_default(), after = before;
    assert_ok(rn_fluid_get_derived(second, &before));
    const size_t bytes = (size_t)rn_fluid_get_state_bytes(first);
    char *saved = malloc(bytes);
    assert_non_null(saved);
    rn_fluid_write_state(first, saved);
    assert_ok(rn_fluid_read_state(second, saved, bytes));
    assert_ok(rn_fluid_get_derived(second, &after));
    assert_true(after.sound_speed < 0.9f * before.sound_speed);
    assert_int_equal(rn_fluid_get_state_hash(second), rn_fluid_get_state_hash(first));
    water_steps(first, 5);
    water_steps(second, 5);
    assert_int_equal(rn_fluid_get_state_hash(second), rn_fluid_get_state_hash(first));
    rn_fluid_destroy(second);
    rn_fluid_destroy(first);
    free(saved);
}

static void a_state_read_back_goes_on_bit_for_bit(void **state)
{
    (void)state;
    how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 2, RN_CPU_AUTO, false, false, false};
    break_and_go_on(&h);
    h.has_no_period = h.is_leapfrog = true;
    break_and_go_on(&h);
    h.has_no_period = h.is_leapfrog = false, h.is_corrected = true;
    break_and_go_on(&h);
    h.traversal = RN_TRAVERSAL_LISTS;
    break_and_go_on(&h);
}

/* The resistance to compression depends on the densities of the step before. */
static void a_state_read_back_in_an_impact_goes_on_bit_for_bit(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) { /* four integrators, and two of the corrected scheme */
        const rn_fluid_integrator integrators[6] = {
            RN_INTEGRATOR_EULER,      RN_INTEGRATOR_SYMPLECTIC_EULER, RN_INTEGRATOR_LEAPFROG,
            RN_INTEGRATOR_KICK_DRIFT, RN_INTEGRATOR_SYMPLECTIC_EULER, RN_INTEGRATOR_KICK_DRIFT};
        rn_fluid_def def =
            water_def_of(k < 4 ? RN_PRESET_CLASSIC : RN_PRESET_BALANCED, 2, 0.02f, 1, 0.4f, 0);
        def.speed_expected = 10;
        def.params.integrator = integrators[k];
        rn_fluid *fluid[2] = {water_create(&def), water_create(&def)};
        rn_fluid_block block = rn_fluid_block_default();
        block.low[0] = 0.6f, block.high[0] = 0.99f, block.high[1] = 0.4f;
        block.velocity[0] = 10;
        assert_ok(rn_fluid_add_block(fluid[0], &block, NULL));
        while (water_steps(fluid[0], 1).density_max < 1.03f) continue;
        water_copy_state(fluid[0], fluid[1]);
        for (int n = 0; n < 2; n++) water_steps(fluid[n], 5);
        assert_int_equal(rn_fluid_get_state_hash(fluid[0]), rn_fluid_get_state_hash(fluid[1]));
        for (int n = 0; n < 2; n++) rn_fluid_destroy(fluid[n]);
    }
}

/* A pipe and an outlet were added and removed again. */
static void what_is_gone_is_no_part_of_the_state(void **state)
{
    (void)state;
    how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 1, RN_CPU_AUTO, false, false, true};
    rn_fluid *first = make_splash(&h), *second = make_splash(&h);
    uint64_t bytes = rn_fluid_get_state_bytes(first);
    rn_fluid_pipe pipe = rn_fluid_pipe_default();
    rn_fluid_particles p = rn_fluid_get_particles(first);
    for (int a = 0; a < 3; a++) pipe.center[a] = p.position[0][a];
    pipe.radius = 2 * rni_fluid_derived_of(first).radius;
    pipe.speed = 0;
    rn_fluid_outlet outlet = rn_fluid_outlet_default();
    for (int a = 0; a < 3; a++) outlet.low[a] = 1000, outlet.high[a] = 1001;
    rn_fluid_id pipe_id, outlet_id;
    assert_ok(rn_fluid_add_pipe(first, &pipe, &pipe_id));
    assert_ok(rn_fluid_add_outlet(first, &outlet, &outlet_id));
    assert_int_equal(rn_fluid_get_state_bytes(first), bytes + 32);
    assert_ok(rn_fluid_remove_pipe(first, pipe_id));
    assert_ok(rn_fluid_remove_outlet(first, outlet_id));
    water_steps(first, 20);
    bytes = rn_fluid_get_state_bytes(first);
    char *saved = malloc((size_t)bytes);
    assert_non_null(saved);
    rn_fluid_write_state(first, saved);
    assert_ok(rn_fluid_read_state(second, saved, bytes));
    assert_ok(rn_fluid_read_state(first, saved, bytes));
    water_steps(first, 20);
    water_steps(second, 20);
    assert_int_equal(rn_fluid_get_state_hash(first), rn_fluid_get_state_hash(second));
    rn_fluid_destroy(first);
    rn_fluid_destroy(second);
    free(saved);
}

static void arrays_are_the_particles_without_what_is_gathered(void **state)
{
    (void)state;
    how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 1, RN_CPU_AUTO, false, false, true};
    rn_fluid *fluid = make_splash(&h);
    water_steps(fluid, 3);
    rn_fluid_particles all = rn_fluid_get_particles(fluid), some = rn_fluid_get_arrays(fluid);
    assert_int_equal(some.count, all.count);
    assert_ptr_equal(some.position, all.position);
    assert_ptr_equal(some.velocity, all.velocity);
    assert_ptr_equal(some.acceleration, all.acceleration);
    assert_ptr_equal(some.density, all.density);
    assert_ptr_equal(some.pressure, all.pressure);
    assert_ptr_equal(some.neighbor_count, all.neighbor_count);
    assert_null(some.id);
    assert_null(some.birth);
    rn_fluid_destroy(fluid);
}

/* What output, renderer and viewer read: the same numbers as the view of the particles, by name. */
static void attributes_by_name_are_the_particles(void **state)
{
    (void)state;
    how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 1, RN_CPU_AUTO, false, false, true};
    rn_fluid *fluid = make_splash(&h);
    water_steps(fluid, 3);
    const rn_fluid_particles p = rn_fluid_get_particles(fluid);
    const struct {
        const char *name, *unit;
        const void *data;
        uint32_t components, stride;
        rn_attribute_type type;
    } wanted[] = {
        {"position", "m", p.position, 3, 16, RN_ATTRIBUTE_FLOAT},
        {"velocity", "m/s", p.velocity, 3, 16, RN_ATTRIBUTE_FLOAT},
        {"acceleration", "m/s^2", p.acceleration, 3, 16, RN_ATTRIBUTE_FLOAT},
        {"density", "kg/m^3", p.density, 1, 4, RN_ATTRIBUTE_FLOAT},
        {"pressure", "Pa", p.pressure, 1, 4, RN_ATTRIBUTE_FLOAT},
        {"id", "", p.id, 1, 4, RN_ATTRIBUTE_UINT32},
        {"birth", "s", p.birth, 1, 4, RN_ATTRIBUTE_FLOAT},
        {"neighbor_count", "", p.neighbor_count, 1, 4, RN_ATTRIBUTE_UINT32},
    };
    const uint32_t count = sizeof wanted / sizeof *wanted;
    for (uint32_t k = 0; k < count; k++) {
        const rn_fluid_attribute_info *info = rn_fluid_get_attribute_info(NULL, k);
        assert_non_null(info);
        assert_string_equal(info->name, wanted[k].name);
        assert_string_equal(info->unit, wanted[k].unit);
        assert_int_equal(info->components, wanted[k].components);
        assert_int_equal(info->type, wanted[k].type);
        rn_fluid_span span;
        assert_ok(rn_fluid_get_attribute(fluid, info->name, &span));
        assert_int_equal(span.count, p.count);
        assert_string_equal(span.info.name, info->name);
        for (uint32_t i = 0; i < p.count && wanted[k].data; i++)
            assert_memory_equal((const char *)span.data + i * (size_t)span.stride_bytes,
                                (const char *)wanted[k].data + i * (size_t)wanted[k].stride,
                                4 * (size_t)info->components);
    }
    assert_null(rn_fluid_get_attribute_info(NULL, count));
    rn_fluid_span span;
    assert_int_equal(rn_fluid_get_attribute(fluid, "charm", &span), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "charm"));
    rn_fluid_destroy(fluid);
}

/* Every byte of the head, and a sample of the rest, set to what it is not. */
static void a_damaged_state_is_refused_or_finite(void **state)
{
    (void)state;
    how h = {RN_TRAVERSAL_FUSED, RN_SEARCH_DEFAULT, 1, RN_CPU_AUTO, false, false, true};
    rn_fluid *fluid = make_splash(&h);
    water_steps(fluid, 3);
    size_t bytes = (size_t)rn_fluid_get_state_bytes(fluid);
    char *saved = malloc(bytes), *bad = malloc(bytes);
    assert_true(saved && bad);
    rn_fluid_write_state(fluid, saved);
    for (size_t length = 0; length < bytes; length += 1 + length / 3)
        assert_int_not_equal(rn_fluid_read_state(fluid, saved, length), RN_OK);
    for (size_t k = 0; k < bytes; k += k < 200 ? 1 : 977) {
        memcpy(bad, saved, bytes);
        bad[k] = (char)~bad[k];
        if (rn_fluid_read_state(fluid, bad, bytes) != RN_OK) assert_true(rn_last_error()[0] != 0);
        assert_int_equal(rn_fluid_get_state_bytes(fluid), bytes);
    }
    assert_ok(rn_fluid_read_state(fluid, saved, bytes));
    water_steps(fluid, 2);
    rn_fluid_destroy(fluid);
    free(saved);
    free(bad);
}

/* Held for the plain instruction set on x86-64 and the list traversal; a change of the physics
 * changes it, and then this number is renewed on purpose. */
static void plain_bits_are_the_golden_ones(void **state)
{
    (void)state;
#if defined(__x86_64__) && defined(__GLIBC__)
    const uint64_t golden[2][2] = {{GOLDEN_PLAIN, GOLDEN_FUSED},
                                   {GOLDEN_CORRECTED_PLAIN, GOLDEN_CORRECTED_FUSED}};
    for (int k = 0; k < 2; k++) {
        how h = {RN_TRAVERSAL_LISTS, RN_SEARCH_DEFAULT, 2, RN_CPU_PLAIN, false, false, k == 1};
        uint64_t plain = splash(&h, 50);
        h.traversal = RN_TRAVERSAL_FUSED;
        uint64_t fused = splash(&h, 50);
        if (plain != golden[k][0] || fused != golden[k][1])
            fail_msg("%s: plain %016llx, fused %016llx", k ? "corrected" : "summation",
                     (unsigned long long)plain, (unsigned long long)fused);
    }
#else
    skip();
#endif
}

static int by_id(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return left[0] < right[0] ? -1 : left[0] > right[0];
}

/* id, density, pressure and neighbour count of all particles, by id. From malloc. */
static uint32_t *densities_of(const rn_fluid *fluid)
{
    rn_fluid_particles p = rn_fluid_get_particles(fluid);
    uint32_t *list = calloc(p.count + (size_t)1, 4 * sizeof *list);
    for (uint32_t i = 0; i < p.count; i++) {
        list[4 * i] = p.id[i];
        memcpy(&list[4 * i + 1], &p.density[i], sizeof(float));
        memcpy(&list[4 * i + 2], &p.pressure[i], sizeof(float));
        list[4 * i + 3] = p.neighbor_count[i];
    }
    qsort(list, p.count, 4 * sizeof *list, by_id);
    return list;
}

/* One evaluation a step: what it found is what was to be found before it. */
static void densities_without_a_step_are_those_it_begins_with(void **state)
{
    (void)state;
    const how ways[] = {{.traversal = RN_TRAVERSAL_LISTS},
                        {.traversal = RN_TRAVERSAL_FUSED, .threads = 2},
                        {.traversal = RN_TRAVERSAL_FUSED, .threads = 2, .is_corrected = true}};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        rn_fluid *fluid = make_splash(&ways[way]);
        uint32_t count = rn_fluid_get_particles(fluid).count;
        assert_ok(rn_fluid_update_density(fluid));
        uint32_t *before = densities_of(fluid);
        assert_true(before[3] > 0);
        rn_fluid_remove_pipe(fluid, (rn_fluid_id){1, 1});
        water_steps(fluid, 1);
        assert_int_equal(rn_fluid_get_particles(fluid).count, count);
        uint32_t *after = densities_of(fluid);
        assert_memory_equal(before, after, (size_t)count * 4 * sizeof *before);
        free(before);
        free(after);
        rn_fluid_destroy(fluid);
    }
}

/* Not even the order in memory, which shows when the next step sorts by other cells. */
static void densities_without_a_step_change_nothing_else(void **state)
{
    (void)state;
    const how ways[] = {{.traversal = RN_TRAVERSAL_LISTS},
                        {.traversal = RN_TRAVERSAL_FUSED},
                        {.traversal = RN_TRAVERSAL_FUSED, .has_no_period = true, .is_leapfrog = true},
                        {.traversal = RN_TRAVERSAL_LISTS, .is_corrected = true},
                        {.traversal = RN_TRAVERSAL_FUSED, .is_corrected = true}};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        rn_fluid *fluid = make_splash(&ways[way]);
        assert_ok(rn_fluid_update_density(fluid)); /* the first gives it the pressure of its weight */
        uint32_t steps = 0;
        for (; steps < 24 / FACT_SLOWNESS; steps++) {
            size_t size = (size_t)rn_fluid_get_state_bytes(fluid);
            unsigned char *before = malloc(size), *after = malloc(size);
            rn_fluid_write_state(fluid, before);
            assert_ok(rn_fluid_update_density(fluid));
            assert_int_equal(rn_fluid_get_state_bytes(fluid), size);
            rn_fluid_write_state(fluid, after);
            assert_memory_equal(before, after, size);
            free(before);
            free(after);
            water_steps(fluid, 1);
        }
        uint64_t hash = rn_fluid_get_state_hash(fluid), wanted = splash(&ways[way], steps);
        if (hash != wanted)
            fail_msg("way %zu: %016llx with densities in between, %016llx without", way,
                     (unsigned long long)hash, (unsigned long long)wanted);
        rn_fluid_destroy(fluid);
    }
    rn_fluid_def def = water_def(3, 0.04f, 1, 0.8f, 0.5f);
    rn_fluid *empty = water_create(&def);
    assert_ok(rn_fluid_update_density(empty));
    rn_fluid_destroy(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_search_methods_give_the_same_bits),
        cmocka_unit_test(any_thread_count_gives_the_same_bits),
        cmocka_unit_test(a_state_read_back_goes_on_bit_for_bit),
        cmocka_unit_test(a_state_brings_its_own_sound),
        cmocka_unit_test(a_state_read_back_in_an_impact_goes_on_bit_for_bit),
        cmocka_unit_test(what_is_gone_is_no_part_of_the_state),
        cmocka_unit_test(arrays_are_the_particles_without_what_is_gathered),
        cmocka_unit_test(attributes_by_name_are_the_particles),
        cmocka_unit_test(a_damaged_state_is_refused_or_finite),
        cmocka_unit_test(plain_bits_are_the_golden_ones),
        cmocka_unit_test(densities_without_a_step_are_those_it_begins_with),
        cmocka_unit_test(densities_without_a_step_change_nothing_else),
    };
    return cmocka_run_group_tests_name("fluid.bits", tests, NULL, NULL);
}
