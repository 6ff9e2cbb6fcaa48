/* Contacts with triangles, and the films that the fluid leaves on them. */
#include "fluid/water_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 0.4f

/* A box from the origin as a vessel; its mesh with or without the texture that `mesh make` gives it. */
static rn_fluid_id add_vessel(rn_fluid *fluid, bool has_texture, float trail, float dry, float drain)
{
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data = NULL;
    rn_wall_mesh *wall = NULL;
    rn_fluid_id id;
    const char *settings[] = {"x=0.4", "y=0.4", "z=0.4"};
    def.name = "box", def.setting = settings, def.setting_count = 3;
    def.triangles = 48;
    assert_ok(rn_mesh_make(&def, &data));
    rn_mesh mesh = rn_mesh_data_get_mesh(data);
    if (!has_texture) mesh.texture = NULL;
    assert_ok(rn_wall_mesh_create(NULL, &mesh, &wall));
    rn_mesh_data_destroy(data);
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_MESH;
    solid.mesh = wall;
    solid.is_hollow = true;
    memcpy(solid.center, (float[3]){0.05f, 0.05f, 0.05f}, sizeof solid.center);
    solid.trail = trail, solid.trail_dry = dry, solid.trail_drain = drain;
    assert_ok(rn_fluid_add_solid(fluid, &solid, &id));
    rn_wall_mesh_destroy(wall);
    return id;
}

static rn_fluid *make_fluid(uint32_t threads)
{
    rn_fluid_def def = water_def(3, 0.04f, 0.5f, 0.5f, 0.5f);
    def.threads = threads;
    return water_create(&def);
}

static void pour(rn_fluid *fluid)
{
    water_block(fluid, (float[3]){0.05f, 0.05f, 0.05f}, (float[3]){0.45f, 0.25f, 0.45f}, 0);
}

static rn_fluid_film film_of(rn_fluid *fluid, rn_fluid_id id)
{
    rn_fluid_film film = rn_fluid_film_default();
    assert_ok(rn_fluid_get_film(fluid, id, &film));
    return film;
}

static void water_wets_what_it_touches(void **state)
{
    (void)state;
    for (int has_texture = 0; has_texture < 2; has_texture++) {
        rn_fluid *fluid = make_fluid(1);
        const rn_fluid_id id = add_vessel(fluid, has_texture != 0, 1e-4f, 0, 0);
        pour(fluid);
        rn_fluid_film film = film_of(fluid, id);
        if (fabs(film.area - 6 * 0.16) > 0.02) fail_msg("area %g", film.area);
        assert_true(film.wetted_area == 0 && film.volume == 0);
        water_run(fluid, 0.2);
        film = film_of(fluid, id);
        const double wanted = 0.16 + 4 * 0.4 * 0.2;
        if (!(film.wetted_area > 0.95 * wanted && film.wetted_area < 1.3 * wanted))
            fail_msg("texture %d: %g m^2 are wet, of %g under water", has_texture, film.wetted_area,
                     wanted);
        assert_true(film.volume > 0.9e-4 * wanted && film.volume <= 1e-4 * film.wetted_area);
        float *thickness = calloc(1000, sizeof *thickness);
        assert_ok(rn_fluid_get_film_at_vertices(fluid, id, thickness));
        double most = 0, least = 1;
        for (int v = 0; v < 26; v++) {
            most = fmax(most, (double)thickness[v]);
            least = fmin(least, (double)thickness[v]);
        }
        if (!(most > 0.99e-4 && most <= 1e-4 && least == 0)) fail_msg("%g to %g", least, most);
        free(thickness);
        rn_fluid_destroy(fluid);
    }
}

static void films_drain_from_slopes_and_dry(void **state)
{
    (void)state;
    double volume[3];
    for (int kind = 0; kind < 3; kind++) {
        rn_fluid *fluid = make_fluid(1);
        const rn_fluid_id id =
            add_vessel(fluid, true, 1e-4f, kind == 1 ? 0.1f : 0, kind == 2 ? 0.05f : 0);
        pour(fluid);
        rn_fluid_outlet all = rn_fluid_outlet_default();
        all.high[0] = all.high[1] = all.high[2] = 0.5f;
        water_run(fluid, 0.1);
        assert_ok(rn_fluid_add_outlet(fluid, &all, NULL)); /* all water leaves, the film stays */
        water_run(fluid, 0.4);
        volume[kind] = film_of(fluid, id).volume;
        rn_fluid_destroy(fluid);
    }
    assert_true(volume[0] > 4e-5);
    assert_true(volume[1] == 0);
    /* What is left is on the floor, which is level. */
    if (fabs(volume[2] - 0.16e-4) > 0.03e-4) fail_msg("%g m^3 are left", volume[2]);
}

/* Bytes of the state after a run that may be interrupted and continued by another fluid. */
static void *state_after(uint32_t threads, bool is_interrupted, uint64_t *bytes)
{
    rn_fluid *fluid = make_fluid(threads);
    add_vessel(fluid, true, 1e-4f, 5, 1);
    pour(fluid);
    water_steps(fluid, 20);
    if (is_interrupted) {
        const uint64_t size = rn_fluid_get_state_bytes(fluid);
        void *kept = malloc(size);
        rn_fluid_write_state(fluid, kept);
        rn_fluid_destroy(fluid);
        fluid = make_fluid(threads);
        add_vessel(fluid, true, 1e-4f, 5, 1);
        assert_ok(rn_fluid_read_state(fluid, kept, size));
        free(kept);
    }
    water_steps(fluid, 20);
    *bytes = rn_fluid_get_state_bytes(fluid);
    void *state = malloc(*bytes);
    rn_fluid_write_state(fluid, state);
    rn_fluid_destroy(fluid);
    return state;
}

static void films_are_part_of_the_state_with_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t bytes[3];
    void *all[3] = {state_after(1, false, &bytes[0]), state_after(1, true, &bytes[1]),
                    state_after(3, false, &bytes[2])};
    for (int k = 1; k < 3; k++) {
        assert_int_equal(bytes[k], bytes[0]);
        assert_memory_equal(all[k], all[0], bytes[0]);
    }
    /* Hostile bytes: a film that is no thickness, and one of another size. */
    rn_fluid *fluid = make_fluid(1);
    add_vessel(fluid, true, 1e-4f, 5, 1);
    const float bad = NAN;
    memcpy((char *)all[0] + bytes[0] - sizeof bad, &bad, sizeof bad);
    assert_int_equal(rn_fluid_read_state(fluid, all[0], bytes[0]), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "film is nan"));
    assert_int_equal(rn_fluid_read_state(fluid, all[1], bytes[1] - 4), RN_ERROR_FILE);
    rn_fluid *other = make_fluid(1);
    assert_int_equal(rn_fluid_read_state(other, all[1], bytes[1]), RN_ERROR_FILE);
    assert_non_null(strstr(rn_last_error(), "the state has films of"));
    rn_fluid_destroy(other);
    rn_fluid_destroy(fluid);
    for (int k = 0; k < 3; k++) free(all[k]);
}

static void contacts_carry_the_weight(void **state)
{
    (void)state;
    const rn_fluid_contact *contacts;
    uint32_t count;
    rn_fluid *fluid = make_fluid(2);
    const rn_fluid_id id = add_vessel(fluid, true, 0, 0, 0);
    assert_ok(rn_fluid_watch_contacts(fluid, 0.079f));
    pour(fluid);
    water_run(fluid, 0.3);
    double impulse = 0, time = 0;
    while (time < 0.2) {
        const double dt = (double)water_steps(fluid, 1).time_step;
        time += dt;
        assert_ok(rn_fluid_get_contacts(fluid, &contacts, &count));
        assert_true(count > 100);
        for (uint32_t k = 0; k < count; k++) {
            const rn_fluid_contact *c = &contacts[k];
            impulse += (double)c->impulse[1];
            assert_true(c->solid.index == id.index && c->triangle < 48 && c->distance <= 0.079f);
            assert_true(fabsf(c->weight[0] + c->weight[1] + c->weight[2] - 1) < 1e-5f);
            assert_true(k == 0 || c->particle > contacts[k - 1].particle);
            const float *x = rn_fluid_get_arrays(fluid).position[c->particle];
            const float d[3] = {x[0] - c->point[0], x[1] - c->point[1], x[2] - c->point[2]};
            assert_true(fabsf(sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - c->distance) < 1e-5f);
        }
    }
    const double weight =
        9.81 * (double)rni_fluid_derived_of(fluid).mass * rn_fluid_get_arrays(fluid).count;
    if (fabs(impulse / time / weight - 1) > 0.1)
        fail_msg("the walls carry %g N, the water weighs %g N", impulse / time, weight);
    assert_ok(rn_fluid_watch_contacts(fluid, 0));
    rn_fluid_destroy(fluid);
}

static void what_is_not_there_is_told(void **state)
{
    (void)state;
    const rn_fluid_contact *contacts;
    uint32_t count;
    rn_fluid_film film = rn_fluid_film_default();
    rn_fluid *fluid = make_fluid(1);
    const rn_fluid_id id = add_vessel(fluid, true, 0, 0, 0);
    assert_int_equal(rn_fluid_get_contacts(fluid, &contacts, &count), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "rn_fluid_watch_contacts() first"));
    assert_int_equal(rn_fluid_watch_contacts(fluid, 1), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_fluid_watch_contacts(fluid, NAN), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_fluid_get_film(fluid, id, &film), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "has no film"));
    assert_int_equal(rn_fluid_get_film(fluid, (rn_fluid_id){9, 1}, &film), RN_ERROR_ARGUMENT);
    rn_solid floor = rn_solid_default();
    floor.trail = -1;
    assert_int_equal(rn_fluid_add_solid(fluid, &floor, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "trail is -1 m"));
    rn_fluid_destroy(fluid);
}

int main(void)
{
    FACT_ONLY_THREADS();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_wets_what_it_touches),
        cmocka_unit_test(films_drain_from_slopes_and_dry),
        cmocka_unit_test(films_are_part_of_the_state_with_any_number_of_threads),
        cmocka_unit_test(contacts_carry_the_weight),
        cmocka_unit_test(what_is_not_there_is_told),
    };
    return cmocka_run_group_tests_name("fluid.film", tests, NULL, NULL);
}
