/* Friction, adhesion and bounce of solids: Coulomb's law, and the same for boxes and for meshes. */
#include "fluid/grip.h"
#include "fluid/water_test.h"

#include <math.h>
#include <string.h>

/* The slab from -0.2 to 0.8 (x, z) and from y = 0 to 0.2, as a box or as a mesh. */
static rn_fluid_id add_slab(rn_fluid *fluid, bool is_mesh, float friction, float adhesion)
{
    rn_solid slab = rn_solid_default();
    rn_wall_mesh *wall = NULL;
    rn_fluid_id id;
    slab.shape = RN_SOLID_BOX;
    memcpy(slab.center, (float[3]){0.3f, 0.1f, 0.3f}, sizeof slab.center);
    memcpy(slab.half, (float[3]){0.5f, 0.1f, 0.5f}, sizeof slab.half);
    if (is_mesh) {
        rn_mesh_make_def def = rn_mesh_make_def_default();
        rn_mesh_data *data = NULL;
        const char *settings[] = {"x=1", "y=0.2", "z=1"};
        def.name = "box", def.setting = settings, def.setting_count = 3;
        assert_ok(rn_mesh_make(&def, &data));
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        assert_ok(rn_wall_mesh_create(NULL, &mesh, &wall));
        rn_mesh_data_destroy(data);
        slab.shape = RN_SOLID_MESH;
        slab.mesh = wall;
        memcpy(slab.center, (float[3]){-0.2f, 0, -0.2f}, sizeof slab.center);
    }
    slab.friction = friction;
    slab.adhesion = adhesion;
    assert_ok(rn_fluid_add_solid(fluid, &slab, &id));
    rn_wall_mesh_destroy(wall);
    return id;
}

static double mean_velocity(const rn_fluid *fluid, int axis)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double sum = 0;
    for (uint32_t i = 0; i < p.count; i++) sum += (double)p.velocity[i][axis];
    return sum / p.count;
}

/* m / s after 0.3 s on a slab under gravity that leans by 3 m/s^2. */
static double slide_speed(bool is_mesh, float friction, double *force)
{
    rn_fluid_def def = water_def(3, 0.04f, 0.6f, 0.6f, 0.6f);
    def.periodic[0] = def.periodic[2] = true;
    def.measure_loads = true;
    memcpy(def.params.gravity, (float[3]){3, -9, 0}, sizeof def.params.gravity);
    def.params.viscosity_solver = RN_SOLVER_IMPLICIT; /* stiff, so that it slides as a whole */
    def.params.viscosity = 500;
    rn_fluid *fluid = water_create(&def);
    const rn_fluid_id id = add_slab(fluid, is_mesh, friction, 0);
    water_block(fluid, (float[3]){0, 0.2f, 0}, (float[3]){0.6f, 0.4f, 0.6f}, 0);
    double seconds = 0, sum = 0;
    while (rn_fluid_get_time(fluid) < 0.3) {
        rn_solid_load load = rn_solid_load_default();
        const double dt = (double)water_steps(fluid, 1).time_step;
        assert_ok(rn_fluid_get_solid_load(fluid, id, &load));
        sum += dt * load.force[0];
        seconds += dt;
    }
    *force = sum / seconds /
             ((double)rni_fluid_derived_of(fluid).mass * rn_fluid_get_arrays(fluid).count);
    const double speed = mean_velocity(fluid, 0) * 0.3 / rn_fluid_get_time(fluid);
    rn_fluid_destroy(fluid);
    return speed;
}

static void friction_is_the_coefficient_times_the_weight(void **state)
{
    (void)state;
    for (int is_mesh = 0; is_mesh < 2; is_mesh++) {
        const float coefficients[] = {0, 0.15f, 0.8f};
        for (int k = 0; k < 3; k++) {
            double force;
            const double speed = slide_speed(is_mesh != 0, coefficients[k], &force);
            const double wanted = fmax(0, 0.3 * (3 - 9 * (double)coefficients[k]));
            if (fabs(speed - wanted) > 0.12)
                fail_msg("mesh %d, friction %g: %g m/s instead of %g", is_mesh,
                         (double)coefficients[k], speed, wanted);
            /* Newton's third law: what the water does not gain, the slab does. */
            if (fabs(force - (3 - speed / 0.3)) > 0.15)
                fail_msg("mesh %d, friction %g: the slab gets %g m/s^2, the water lacks %g",
                         is_mesh, (double)coefficients[k], force, 3 - speed / 0.3);
        }
    }
}

static void adhesion_holds_a_film_under_a_ceiling(void **state)
{
    (void)state;
    for (int is_mesh = 0; is_mesh < 2; is_mesh++)
        for (int is_sticky = 0; is_sticky < 2; is_sticky++) {
            rn_fluid_def def = water_def(3, 0.04f, 0.6f, 0.6f, 0.6f);
            def.params.gravity[1] = 9.81f; /* up: the slab is the ceiling of what falls away from it */
            rn_fluid *fluid = water_create(&def);
            add_slab(fluid, is_mesh != 0, 0, is_sticky ? 60 : 0);
            water_block(fluid, (float[3]){0.2f, 0.2f, 0.2f}, (float[3]){0.4f, 0.24f, 0.4f}, 0);
            water_run(fluid, 0.2);
            const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
            double highest = 0;
            for (uint32_t i = 0; i < p.count; i++)
                highest = fmax(highest, (double)p.position[i][1]);
            if (is_sticky ? highest > 0.32 : highest < 0.34)
                fail_msg("mesh %d, sticky %d: particles get to %g", is_mesh, is_sticky, highest);
            rn_fluid_destroy(fluid);
        }
}

static void collisions_follow_restitution_and_friction(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.04f, 0.6f, 0.6f, 0.6f);
    rn_fluid *fluid = water_create(&def);
    rn_solid floor = rn_solid_default();
    rni_solid placed;
    const float x[3] = {0, 0, 0}, n[3] = {0, 1, 0};
    const struct {
        float friction, bounce, before[3], after[3];
    } cases[] = {{0, 0, {1, -2, 0}, {1, 0, 0}},          {0, 0.5f, {1, -2, 0}, {1, 1, 0}},
                 {0.1f, 0.5f, {1, -2, 0}, {0.7f, 1, 0}}, /* 0.1 (1 + 0.5) 2 */
                 {1, 0.5f, {1, -2, 0}, {0, 1, 0}},       /* stopped, not reversed */
                 {1, 0.5f, {0, -2, 0}, {0, 1, 0}},       /* no direction to slow */
                 {1, 0.5f, {1, 2, 0}, {1, 2, 0}}};       /* leaves already */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double change[3];
        float v[4] = {cases[k].before[0], cases[k].before[1], cases[k].before[2], 0};
        floor.friction = cases[k].friction;
        floor.bounce = cases[k].bounce;
        assert_ok(rni_solid_place(&floor, 3, &placed));
        rni_bounce(fluid, &placed, x, n, v, change);
        for (int a = 0; a < 3; a++)
            if (fabsf(v[a] - cases[k].after[a]) > 1e-6f)
                fail_msg("case %zu: v[%d] is %g", k, a, (double)v[a]);
    }
    rn_fluid_destroy(fluid);
}

static void wrong_surfaces_are_refused(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, 0.04f, 0.6f, 0.6f, 0.6f);
    rn_fluid *fluid = water_create(&def);
    for (int k = 0; k < 5; k++) {
        rn_solid floor = rn_solid_default();
        if (k == 0) floor.friction = -1;
        if (k == 1) floor.friction = NAN;
        if (k == 2) floor.adhesion = -3;
        if (k == 3) floor.bounce = 2;
        if (k == 4) floor.bounce = -0.5f;
        assert_int_equal(rn_fluid_add_solid(fluid, &floor, NULL), RN_ERROR_ARGUMENT);
        assert_non_null(strstr(rn_last_error(), "it must be from 0 to"));
    }
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_is_the_coefficient_times_the_weight),
        cmocka_unit_test(adhesion_holds_a_film_under_a_ceiling),
        cmocka_unit_test(collisions_follow_restitution_and_friction),
        cmocka_unit_test(wrong_surfaces_are_refused),
    };
    return cmocka_run_group_tests_name("fluid.grip", tests, NULL, NULL);
}
