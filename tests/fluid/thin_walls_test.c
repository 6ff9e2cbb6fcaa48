/* Thin walls: water on one side does not feel the water on the other, in both traversals and in every pass. */
#include "fluid/lists.h"
#include "fluid/mesh_walls.h"
#include "fluid/thin_walls.h"
#include "fluid/traversal.h"
#include "fluid/water_test.h"
#include "slowness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACING 0.03f
/* A tank of 0.6 m, parted in the middle. */
#define LENGTH 0.6f
#define HEIGHT 0.42f
#define WIDTH  0.24f

typedef enum wall_kind { BOX, PLATE, SHEET, KINDS } wall_kind;
static const char *const NAMES[KINDS] = {"box", "closed mesh", "two-sided sheet"};

static rn_wall_mesh *make_plate(float thickness)
{
    char setting[3][40];
    const char *const settings[3] = {setting[0], setting[1], setting[2]};
    rn_mesh_make_def def = rn_mesh_make_def_default();
    rn_mesh_data *data = NULL;
    rn_wall_mesh *wall = NULL;
    snprintf(setting[0], sizeof *setting, "x=%g", (double)thickness);
    snprintf(setting[1], sizeof *setting, "y=%g", 2 * (double)HEIGHT);
    snprintf(setting[2], sizeof *setting, "z=%g", 2 * (double)WIDTH);
    def.name = "box";
    def.setting = settings;
    def.setting_count = 3;
    assert_ok(rn_mesh_make(&def, &data));
    const rn_mesh mesh = rn_mesh_data_get_mesh(data);
    assert_ok(rn_wall_mesh_create(NULL, &mesh, &wall));
    rn_mesh_data_destroy(data);
    return wall;
}

static rn_wall_mesh *make_sheet(void)
{
    static const float VERTEX[4][3] = {
        {0, -HEIGHT, -WIDTH}, {0, HEIGHT, -WIDTH}, {0, HEIGHT, WIDTH}, {0, -HEIGHT, WIDTH}};
    static const uint32_t TRIANGLE[2][3] = {{0, 1, 2}, {0, 2, 3}};
    rn_wall_mesh_def def = rn_wall_mesh_def_default();
    rn_mesh mesh = rn_mesh_default();
    rn_wall_mesh *wall = NULL;
    def.is_two_sided = true;
    mesh.vertex = VERTEX[0], mesh.triangle = TRIANGLE[0];
    mesh.vertex_count = 4, mesh.triangle_count = 2;
    assert_ok(rn_wall_mesh_create(&def, &mesh, &wall));
    return wall;
}

/* A wall of half a spacing, or a sheet, across the middle of the tank. */
static void add_wall(rn_fluid *fluid, wall_kind kind)
{
    rn_solid solid = rn_solid_default();
    rn_wall_mesh *mesh = kind == PLATE   ? make_plate(0.5f * SPACING)
                         : kind == SHEET ? make_sheet()
                                         : NULL;
    solid.shape = kind == BOX ? RN_SOLID_BOX : RN_SOLID_MESH;
    solid.mesh = mesh;
    solid.half[0] = 0.251f * SPACING, solid.half[1] = HEIGHT, solid.half[2] = WIDTH;
    solid.center[0] = 0.5f * LENGTH, solid.center[1] = 0.5f * HEIGHT, solid.center[2] = 0.5f * WIDTH;
    /* The maker's box begins at the origin. */
    for (int a = 0; a < 3 && kind == PLATE; a++)
        solid.center[a] -= a == 0 ? 0.25f * SPACING : a == 1 ? HEIGHT : WIDTH;
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    rn_wall_mesh_destroy(mesh);
}

/* Where the water on the left ends, and that on the right begins. */
static float face_of(wall_kind kind)
{
    return kind == BOX || kind == PLATE ? 0.25f * SPACING : 0.0f;
}

/* --- water at rest --------------------------------------------------------------------------------- */

typedef struct side {
    uint32_t count;
    double height, speed; /* of the centre of mass, m; root mean square, m / s */
    double foot; /* Pa: less rest_density g depth, of the particles near the floor and the wall */
    uint32_t foot_count;
} side;

static void add_sample(const rn_fluid *fluid, double depth, side sides[2])
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        const float *x = p.position[i], *v = p.velocity[i];
        side *of = &sides[x[0] > 0.5f * LENGTH];
        of->count++;
        of->height += (double)x[1];
        of->speed += (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        if (x[1] > 2 * SPACING || fabsf(x[0] - 0.5f * LENGTH) > 2 * SPACING) continue;
        of->foot += (double)p.pressure[i] - 9810 * (depth - (double)x[1]);
        of->foot_count++;
    }
}

static const float LEVELS[2] = {0.3f, 0.15f};

/* Water of different levels on both sides; 0: none on the right. */
static void fill_sides(rn_fluid *fluid, wall_kind kind, const float level[2])
{
    const float face = face_of(kind);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f * LENGTH - face, level[0], WIDTH}, 0);
    if (level[1] > 0)
        water_block(fluid, (float[3]){0.5f * LENGTH + face, 0, 0},
                    (float[3]){LENGTH, level[1], WIDTH}, 0);
}

static void rest_with(rn_fluid_preset preset, wall_kind kind, bool is_alone, const float level[2],
                      side mean[2])
{
    rn_fluid_def def = water_def_of(preset, 3, SPACING, LENGTH, HEIGHT, WIDTH);
    def.params.gravity_ramp = 0.2f;
    if (is_alone) def.domain_high[0] = 0.5f * LENGTH - face_of(kind);
    rn_fluid *fluid = water_create(&def);
    uint32_t samples = 0;
    if (!is_alone) add_wall(fluid, kind);
    fill_sides(fluid, kind, level);
    memset(mean, 0, 2 * sizeof *mean);
    water_run(fluid, 0.7);
    for (; rn_fluid_get_time(fluid) < 0.9; samples++) {
        water_steps(fluid, 5);
        add_sample(fluid, (double)level[0], mean);
    }
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    for (int s = 0; s < 2; s++) {
        if (mean[s].count == 0) continue;
        mean[s].height /= mean[s].count;
        mean[s].speed = sqrt(mean[s].speed / mean[s].count);
        mean[s].foot /= mean[s].foot_count;
        mean[s].count /= samples;
    }
    rn_fluid_destroy(fluid);
}

/* Against the left half as a tank of its own: level, pressure at the foot, calm. */
static void expect_same_rest(const char *name, const side *found, const side *alone)
{
    const double depth = 9810 * (double)LEVELS[0];
    /* A tank that is no whole number of spacings wide is packed by other numbers of particles. */
    const double height = alone->height * found->count / alone->count;
    if (!(fabs(found->height - height) <= 0.01 * height))
        fail_msg("%s: the centre of mass is at %g m, in a tank of its own at %g m", name,
                 found->height, height);
    if (!(fabs(found->foot - alone->foot) <= 0.05 * depth))
        fail_msg("%s: the pressure at the foot is off by %g of %g Pa, in a tank of its own by %g",
                 name, found->foot, depth, alone->foot);
    if (!(found->speed <= 1.5 * alone->speed))
        fail_msg("%s: %g m/s, in a tank of its own %g m/s", name, found->speed, alone->speed);
}

static void water_rests_beside_a_thin_wall_as_in_a_tank_of_its_own(void **state)
{
    (void)state;
    static const rn_fluid_preset PRESETS[2] = {RN_PRESET_LIVE, RN_PRESET_BALANCED};
    const float empty[2] = {LEVELS[0], 0};
    for (uint32_t k = 0; k < 2 * KINDS; k++) {
        const wall_kind kind = (wall_kind)(k % KINDS);
        side alone[2], both[2], one[2];
        if (FACT_IS_LEFT_OUT(k, 2 * KINDS)) continue;
        rest_with(PRESETS[k / KINDS], kind, true, empty, alone);
        rest_with(PRESETS[k / KINDS], kind, false, LEVELS, both);
        expect_same_rest(NAMES[kind], &both[0], &alone[0]);
        if (kind == BOX) continue;
        rest_with(PRESETS[k / KINDS], kind, false, empty, one);
        assert_int_equal(one[1].count, 0); /* the empty side stays empty */
        /* And what is there does not matter, but for time steps. */
        if (!(fabs(one[0].height - both[0].height) <= 0.002 * both[0].height))
            fail_msg("%s: %g m, and beside an empty side %g m", NAMES[kind], both[0].height,
                     one[0].height);
    }
}

/* --- pairs ----------------------------------------------------------------------------------------- */

/* Disordered water on both sides of a wall, which it covers. */
static rn_fluid *make_disorder(wall_kind kind, rn_fluid_traversal traversal, rn_cpu_level cpu,
                               uint32_t threads)
{
    rn_fluid_def def = water_def_of(RN_PRESET_BALANCED, 3, SPACING, LENGTH, HEIGHT, WIDTH);
    def.traversal = traversal;
    def.cpu = cpu;
    def.threads = threads;
    def.periodic[2] = true;
    rn_fluid *fluid = water_create(&def);
    const float face = face_of(kind) + 0.3f * SPACING;
    add_wall(fluid, kind);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.5f * LENGTH - face, 0.3f, WIDTH}, 0.15f);
    water_block(fluid, (float[3]){0.5f * LENGTH + face, 0, 0}, (float[3]){LENGTH, 0.3f, WIDTH},
                0.15f);
    return fluid;
}

/* Both of a pair see each other or neither does: forces of pairs keep the momentum. */
static void pairs_across_a_thin_wall_are_left_out_of_both_lists(void **state)
{
    (void)state;
    for (wall_kind kind = BOX; kind < KINDS; kind++) {
        rn_fluid *fluid = make_disorder(kind, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 1);
        water_steps(fluid, 2);
        uint32_t near = 0;
        for (uint32_t i = 0; i < fluid->now.count; i++) {
            const rn_list list = rni_list_of(fluid, i);
            near += fluid->walls->thin_distance[i] < SPACING;
            for (uint32_t k = 0; k < list.count; k++) {
                const uint32_t j = list.index[k];
                const rn_list back = rni_list_of(fluid, j);
                uint32_t at = 0;
                assert_true((fluid->now.position[i][0] > 0.5f * LENGTH) ==
                            (fluid->now.position[j][0] > 0.5f * LENGTH));
                while (at < back.count && back.index[at] != i) at++;
                assert_true(at < back.count);
            }
        }
        assert_true(near > 100);
        rn_fluid_destroy(fluid);
    }
}

static void compare(const rn_fluid *lists, const rn_fluid *fused)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(lists), q = rn_fluid_get_arrays(fused);
    float most = 0;
    assert_int_equal(p.count, q.count);
    for (uint32_t i = 0; i < p.count; i++)
        for (int a = 0; a < 3; a++) most = fmaxf(most, fabsf(p.acceleration[i][a]));
    for (uint32_t i = 0; i < p.count; i++) {
        assert_int_equal(p.neighbor_count[i], q.neighbor_count[i]);
        assert_true(fabsf(p.density[i] - q.density[i]) <= 5e-6f * p.density[i]);
        for (int a = 0; a < 3; a++)
            assert_true(fabsf(p.acceleration[i][a] - q.acceleration[i][a]) <= 1e-4f * most);
    }
}

static void traversals_leave_out_the_same_pairs(void **state)
{
    (void)state;
    for (wall_kind kind = BOX; kind < KINDS; kind++) {
        rn_fluid *lists = make_disorder(kind, RN_TRAVERSAL_LISTS, RN_CPU_PLAIN, 1);
        water_steps(lists, 1);
        for (rn_cpu_level cpu = FACT_LEAST_CPU; cpu <= rn_cpu_best(); cpu++) {
            rn_fluid *fused = make_disorder(kind, RN_TRAVERSAL_FUSED, cpu, 2);
            water_steps(fused, 1);
            assert_null(fused->traversal->check(fused));
            compare(lists, fused);
            rn_fluid_destroy(fused);
        }
        rn_fluid_destroy(lists);
    }
}

static void thin_walls_give_the_same_bits_on_any_threads(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (uint32_t k = 0; k < 2; k++) {
        rn_fluid *fluid = make_disorder(PLATE, RN_TRAVERSAL_FUSED, RN_CPU_AUTO, k == 0 ? 1 : 3);
        water_steps(fluid, 10);
        hash[k] = rn_fluid_get_state_hash(fluid);
        rn_fluid_destroy(fluid);
    }
    assert_true(hash[0] == hash[1]);
}

/* A weir: above the rim of a thin wall the two sides see each other. */
static void water_sees_over_the_rim_of_a_thin_wall(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, SPACING, LENGTH, HEIGHT, WIDTH);
    rn_fluid *fluid = water_create(&def);
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_BOX;
    solid.center[0] = 0.5f * LENGTH, solid.center[2] = 0.5f * WIDTH;
    solid.half[0] = 0.25f * SPACING, solid.half[1] = 0.1f, solid.half[2] = WIDTH;
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    assert_ok(rni_walls_ready(fluid));
    assert_ok(rni_mesh_walls_ready(fluid));
    const float left = 0.5f * LENGTH - 0.6f * SPACING, right = LENGTH - left, z = 0.5f * WIDTH;
    assert_true(rni_thin_walls_part(fluid, (float[3]){left, 0.05f, z}, (float[3]){right, 0.06f, z}));
    assert_true(!rni_thin_walls_part(fluid, (float[3]){left, 0.05f, z}, (float[3]){left, 0.06f, z}));
    assert_true(!rni_thin_walls_part(fluid, (float[3]){left, 0.11f, z}, (float[3]){right, 0.1f, z}));
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_rests_beside_a_thin_wall_as_in_a_tank_of_its_own),
        cmocka_unit_test(pairs_across_a_thin_wall_are_left_out_of_both_lists),
        cmocka_unit_test(traversals_leave_out_the_same_pairs),
        cmocka_unit_test(thin_walls_give_the_same_bits_on_any_threads),
        cmocka_unit_test(water_sees_over_the_rim_of_a_thin_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
