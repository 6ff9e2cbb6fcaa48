/* Virtual boundary particles: the rule, the push of a flat wall, and water that they hold. */
#include "fluid/virtual_walls.h"
#include "fluid/water_test.h"

#include "base/pi.h"

#include <math.h>
#include <string.h>

/* The integral of x^p y^q over the triangle 0 <= x, y, x + y <= 1, over its area. */
static double exact_mean(int p, int q)
{
    double value = 2;
    for (int k = 2; k <= p; k++) value *= k;
    for (int k = 2; k <= q; k++) value *= k;
    for (int k = 2; k <= p + q + 2; k++) value /= k;
    return value;
}

static void gauss_rule_is_exact_to_degree_five_and_not_six(void **state)
{
    (void)state;
    double worst_of_six = 0;
    for (int p = 0; p <= 6; p++)
        for (int q = 0; p + q <= 6; q++) {
            double sum = 0;
            for (uint32_t k = 0; k < RNI_GAUSS_POINTS; k++) {
                double part[3], weight;
                rni_gauss_point(k, part, &weight);
                sum += weight * pow(part[1], p) * pow(part[2], q);
            }
            const double off = fabs(sum / exact_mean(p, q) - 1);
            if (p + q == 6) worst_of_six = fmax(worst_of_six, off);
            if (p + q < 6) assert_below(off, 1e-14);
        }
    assert_true(worst_of_six > 1e-6);
}

static rn_fluid *make_fluid(float spacing, float size, bool has_loads)
{
    rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, spacing, size, size, size);
    def.wall_law = RN_WALL_LAW_VIRTUAL_PARTICLES;
    def.measure_loads = has_loads;
    def.speed_expected = 2;
    return water_create(&def);
}

/* A box of 12 triangles from low to high, with the water inside. */
static rn_fluid_id add_mesh_box(rn_fluid *fluid, const float low[3], const float high[3])
{
    float vertex[8][3];
    uint32_t triangle[12][3], count = 0;
    for (uint32_t k = 0; k < 8; k++)
        for (uint32_t a = 0; a < 3; a++) vertex[k][a] = k >> a & 1 ? high[a] : low[a];
    for (uint32_t face = 0; face < 6; face++) {
        const uint32_t axis = face / 2, u = 1u << (axis + 1) % 3, v = 1u << (axis + 2) % 3;
        const uint32_t base = face % 2 ? 1u << axis : 0;
        const uint32_t ring[4] = {base, base | (face % 2 ? u : v), base | u | v,
                                  base | (face % 2 ? v : u)};
        memcpy(triangle[count++], (uint32_t[3]){ring[0], ring[1], ring[2]}, sizeof *triangle);
        memcpy(triangle[count++], (uint32_t[3]){ring[0], ring[2], ring[3]}, sizeof *triangle);
    }
    rn_mesh mesh = rn_mesh_default();
    mesh.vertex = vertex[0], mesh.vertex_count = 8;
    mesh.triangle = triangle[0], mesh.triangle_count = count;
    rn_solid box = rn_solid_default();
    rn_wall_mesh *wall = NULL;
    rn_fluid_id id;
    assert_ok(rn_wall_mesh_create(NULL, &mesh, &wall));
    box.shape = RN_SOLID_MESH, box.mesh = wall, box.is_hollow = true;
    assert_ok(rn_fluid_add_solid(fluid, &box, &id));
    rn_wall_mesh_destroy(wall);
    return id;
}

/* N: of an endless flat wall at the distance t: 2 pi t times the integral of the traction from t to h. */
static double flat_force(const rni_traction *law, double t)
{
    const double n = (double)law->h - t;
    return 2 * RNI_PI * t * (double)law->scale *
           (pow(n, 5) / 5 - (double)law->balance_sq * pow(n, 3) / 3);
}

static void push_of_a_flat_wall_is_that_of_the_integral(void **state)
{
    (void)state;
    const float low[3] = {0.1f, 0.1f, 0.1f}, high[3] = {0.9f, 0.9f, 0.9f}, spacing = 0.04f;
    rn_fluid *fluid = make_fluid(spacing, 1, false);
    add_mesh_box(fluid, low, high);
    assert_ok(rn_fluid_add_particles(fluid, (float[3]){0.5f, 0.5f, 0.5f}, NULL, 1, NULL));
    water_steps(fluid, 1);
    const rni_traction law = rni_traction_of(fluid);
    const double strongest = flat_force(&law, 0.12 * (double)law.h);
    for (int k = 0; k < 600; k++) {
        const float t = spacing * (0.25f + 0.05f * (float)(k % 20));
        float *x = fluid->now.position[0], a[4] = {0, 0, 0, 0};
        x[0] = 0.4f + 0.011f * (float)(k / 20 % 6), x[1] = low[1] + t;
        x[2] = 0.45f + 0.013f * (float)(k / 120);
        rni_virtual_walls_add(fluid, 0, a, NULL);
        const double wanted = flat_force(&law, (double)t) / (double)fluid->derived.mass;
        const double scale = strongest / (double)fluid->derived.mass;
        assert_below(fabs((double)a[1] - wanted) / scale, 0.02);
        assert_below(hypot((double)a[0], (double)a[2]) / scale, 0.02);
    }
    rn_fluid_destroy(fluid);
}

static void water_stays_in_a_mesh_box_which_carries_its_weight(void **state)
{
    (void)state;
    const float low[3] = {0.05f, 0.05f, 0.05f}, high[3] = {0.35f, 0.4f, 0.35f};
    rn_fluid *fluid = make_fluid(0.03f, 0.45f, true);
    const rn_fluid_id id = add_mesh_box(fluid, low, high);
    const rn_fluid_added added = water_block(fluid, low, (float[3]){0.35f, 0.25f, 0.35f}, 0);
    assert_true(added.added > 400);
    water_run(fluid, 0.4);
    double force = 0, seconds = 0;
    while (rn_fluid_get_time(fluid) < 0.6) {
        rn_solid_load load = rn_solid_load_default();
        const double dt = (double)water_steps(fluid, 1).time_step;
        assert_ok(rn_fluid_get_solid_load(fluid, id, &load));
        force += dt * load.force[1], seconds += dt;
    }
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double speed_sq = 0;
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) {
            assert_true(p.position[i][a] > low[a] && p.position[i][a] < high[a]);
            speed_sq += (double)p.velocity[i][a] * (double)p.velocity[i][a] / p.count;
        }
    const double weight = -9.81 * (double)fluid->derived.mass * p.count;
    assert_int_equal(p.count, added.added);
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    assert_below(fabs(force / seconds / weight - 1), 0.05);
    assert_below(sqrt(speed_sq / (9.81 * 0.2)), 0.1);
    rn_fluid_destroy(fluid);
}

/* Refuses a definition, with a sentence that has these words. */
static void refuse(const rn_fluid_def *def, const char *words)
{
    rn_fluid *fluid = NULL;
    assert_int_equal(rn_fluid_create(def, &fluid), RN_ERROR_ARGUMENT);
    if (!strstr(rn_last_error(), words)) fail_msg("\"%s\" has no \"%s\"", rn_last_error(), words);
}

static void combinations_without_sense_are_refused(void **state)
{
    (void)state;
    rn_fluid_def good = water_def_of(RN_PRESET_CLASSIC, 3, 0.05f, 1, 1, 1), def;
    good.wall_law = RN_WALL_LAW_VIRTUAL_PARTICLES;
    def = good, def.scheme = RN_SCHEME_CORRECTED, refuse(&def, "take scheme wcsph");
    def = good, def.dim = 2, refuse(&def, "take law layers, or 3D");
    def = good, def.params.viscosity_solver = RN_SOLVER_IMPLICIT,
    refuse(&def, "take solver explicit");
    def = good, def.wall_distance = 1, refuse(&def, "less than the radius");
    def = good, def.wall_traction = -1, refuse(&def, "from 0 to 1e12");
    def = good, def.wall_law = (rn_wall_law)7, refuse(&def, "there is no such choice");
    def = good, def.wall_law = RN_WALL_LAW_LAYERS, def.wall_traction = 5,
    refuse(&def, "leave them 0");
    rn_fluid *fluid = water_create(&good);
    rn_solid ball = rn_solid_default();
    ball.shape = RN_SOLID_SPHERE, ball.radius = 0.2f, ball.adhesion = 3;
    assert_int_equal(rn_fluid_add_solid(fluid, &ball, NULL), RN_ERROR_ARGUMENT);
    assert_non_null(strstr(rn_last_error(), "leave it 0"));
    rn_fluid_destroy(fluid);
}

/* A no-slip plate that moves, under a layer of water, drags it along; a free one does not. */
static void no_slip_points_take_part_in_viscosity(void **state)
{
    (void)state;
    double mean[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        rn_fluid_def def = water_def_of(RN_PRESET_CLASSIC, 3, 0.05f, 0.4f, 0.6f, 0.4f);
        def.periodic[0] = def.periodic[2] = true;
        def.wall_law = RN_WALL_LAW_VIRTUAL_PARTICLES;
        def.params.viscosity = 5;
        def.params.gravity[1] = -1;
        rn_fluid *fluid = water_create(&def);
        rn_solid plane = rn_solid_default();
        plane.center[1] = 0.1f, plane.velocity[0] = 0.5f;
        plane.slip = k == 0 ? RN_SLIP_FREE : RN_SLIP_NONE;
        assert_ok(rn_fluid_add_solid(fluid, &plane, NULL));
        water_block(fluid, (float[3]){0, 0.1f, 0}, (float[3]){0.4f, 0.3f, 0.4f}, 0);
        water_run(fluid, 0.2);
        const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
        for (uint32_t i = 0; i < p.count; i++) mean[k] += (double)p.velocity[i][0] / p.count;
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
        rn_fluid_destroy(fluid);
    }
    assert_below(fabs(mean[0]), 0.01);
    assert_true(mean[1] > 0.05 && mean[1] < 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_rule_is_exact_to_degree_five_and_not_six),
        cmocka_unit_test(push_of_a_flat_wall_is_that_of_the_integral),
        cmocka_unit_test(water_stays_in_a_mesh_box_which_carries_its_weight),
        cmocka_unit_test(combinations_without_sense_are_refused),
        cmocka_unit_test(no_slip_points_take_part_in_viscosity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
