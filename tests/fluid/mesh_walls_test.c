/* Triangle meshes as walls: they give what analytic solids of the same shape give, water rests in and around
 * them, and no particle passes them. */
#include "base/random.h"
#include "fluid/mesh_walls.h"
#include "fluid/water_test.h"
#include "slowness.h"

#include <math.h>
#include <string.h>

#define SPACING    0.03f
#define MOST_QUADS 6144u

static float vertices[4 * MOST_QUADS][3];
static uint32_t indices[2 * MOST_QUADS][3];

static rn_wall_mesh *wall_of(rn_mesh mesh, const rn_wall_mesh_def *def)
{
    rn_wall_mesh *wall = NULL;
    mesh.vertex = vertices[0], mesh.triangle = indices[0];
    assert_ok(rn_wall_mesh_create(def, &mesh, &wall));
    return wall;
}

/* A box about the origin whose faces are n x n rectangles. */
static rn_wall_mesh *box_mesh(const float half[3], uint32_t n)
{
    static const uint32_t CORNER[2][2][3] = {{{0, 2, 1}, {0, 3, 2}}, {{0, 1, 2}, {0, 2, 3}}};
    rn_mesh mesh = rn_mesh_default();
    for (uint32_t face = 0; face < 6; face++)
        for (uint32_t k = 0; k < n * n; k++) {
            const uint32_t axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            const uint32_t first = mesh.vertex_count;
            for (uint32_t c = 0; c < 4; c++) {
                float *x = vertices[mesh.vertex_count++];
                x[axis] = face % 2 ? half[axis] : -half[axis];
                x[u] = half[u] * (2.0f * (float)(k % n + (c == 1 || c == 2)) / (float)n - 1);
                x[v] = half[v] * (2.0f * (float)(k / n + (c >= 2)) / (float)n - 1);
            }
            for (uint32_t t = 0; t < 2; t++, mesh.triangle_count++)
                for (uint32_t c = 0; c < 3; c++)
                    indices[mesh.triangle_count][c] = first + CORNER[face % 2][t][c];
        }
    return wall_of(mesh, NULL);
}

/* A star: a sphere of rings whose corners are by turns near and far. */
static rn_wall_mesh *star_mesh(uint32_t rings, float near, float far)
{
    const uint32_t around = 2 * rings;
    rn_mesh mesh = rn_mesh_default();
    for (uint32_t k = 0; k <= rings; k++)
        for (uint32_t l = 0; l < around; l++) {
            const double polar = 3.14159265358979 * k / rings, angle = 6.28318530717959 * l / around;
            const float r = k % rings == 0 || (k + l) % 2 ? near : far;
            float *x = vertices[mesh.vertex_count++];
            x[0] = r * (float)(sin(polar) * cos(angle));
            x[1] = r * (float)cos(polar);
            x[2] = r * (float)(sin(polar) * sin(angle));
            if (k % rings == 0) x[0] = x[2] = 0;
        }
    for (uint32_t k = 0; k < rings; k++)
        for (uint32_t l = 0; l < around; l++) {
            const uint32_t a = k * around + l, b = k * around + (l + 1) % around;
            const uint32_t quad[2][3] = {{a, b, b + around}, {a, b + around, a + around}};
            for (uint32_t t = 0; t < 2; t++)
                if ((k > 0 || t == 1) && (k + 1 < rings || t == 0))
                    memcpy(indices[mesh.triangle_count++], quad[t], sizeof quad[t]);
        }
    return wall_of(mesh, NULL);
}

/* A box as a mesh of n x n rectangles a face; n 0: as an analytic solid. */
static rn_fluid_id add_box(rn_fluid *fluid, const float center[3], const float half[3], uint32_t n,
                           bool is_hollow)
{
    rn_solid solid = rn_solid_default();
    rn_wall_mesh *wall = n > 0 ? box_mesh(half, n) : NULL;
    rn_fluid_id id;
    solid.shape = n > 0 ? RN_SOLID_MESH : RN_SOLID_BOX;
    solid.mesh = wall;
    solid.is_hollow = is_hollow;
    memcpy(solid.center, center, sizeof solid.center);
    memcpy(solid.half, half, sizeof solid.half);
    assert_ok(rn_fluid_add_solid(fluid, &solid, &id));
    rn_wall_mesh_destroy(wall); /* the fluid keeps it */
    return id;
}

/* --- what a mesh gives ----------------------------------------------------------------------------- */

/* The sum of the faces of solid 1 at x. */
static rni_face meet_all(const rn_fluid *fluid, const float x[3])
{
    rni_wall_query query = rni_walls_query(fluid);
    rni_face faces[RNI_FACES_OF_A_SOLID], all;
    float clear = query.h;
    memset(&all, 0, sizeof all);
    memset(faces, 0, sizeof faces);
    query.gravity[0] = 3;
    const uint32_t count =
        rni_solid_meet(&fluid->walls->tables, &fluid->walls->solids[1], x, &query, faces, &clear);
    for (uint32_t k = 0; k < count; k++) {
        all.share += faces[k].share;
        for (int a = 0; a < 3; a++) {
            all.touch.push[a] += faces[k].touch.push[a];
            all.touch.lift[a] += faces[k].touch.lift[a];
            all.touch.normal[a] += faces[k].touch.normal[a];
            all.moments.crowd[a] += query.has_moments ? faces[k].moments.crowd[a] : 0.0f;
            all.moments.closing[a] += query.has_moments ? faces[k].moments.closing[a] : 0.0f;
        }
        for (int n = 0; n < 6; n++) {
            all.moments.moment[n] += faces[k].moments.moment[n];
            all.moments.along[n] += faces[k].moments.along[n];
        }
        all.touch.drag += faces[k].touch.drag;
    }
    return all;
}

static void assert_close(const char *what, const float *found, const float *wanted, uint32_t count,
                         float error)
{
    float size = 1e-6f, off = 0;
    for (uint32_t k = 0; k < count; k++) {
        size = fmaxf(size, fabsf(wanted[k]));
        off = fmaxf(off, fabsf(found[k] - wanted[k]));
    }
    if (!(off <= error * size)) fail_msg("%s: off by %g of %g", what, (double)off, (double)size);
}

static void assert_same_faces(const rni_face *found, const rni_face *wanted, float error)
{
    assert_close("share", &found->share, &wanted->share, 1, error);
    assert_close("push", found->touch.push, wanted->touch.push, 3, error);
    assert_close("lift", found->touch.lift, wanted->touch.lift, 3, error);
    assert_close("normal", found->touch.normal, wanted->touch.normal, 3, error);
    assert_close("drag", &found->touch.drag, &wanted->touch.drag, 1, error);
    assert_close("moment", found->moments.moment, wanted->moments.moment, 6, error);
    assert_close("along", found->moments.along, wanted->moments.along, 6, error);
    assert_close("crowd", found->moments.crowd, wanted->moments.crowd, 3, error);
    assert_close("closing", found->moments.closing, wanted->moments.closing, 3, error);
}

/* In a turned hollow box, at lattice places: the same beside a flat wall, nearly the same in edges and corners. */
static void mesh_gives_what_the_box_gives(void **state)
{
    (void)state;
    for (int preset = 0; preset < 2; preset++)
        for (int slip = 0; slip < 2; slip++) {
            rn_fluid *fluid[2];
            rni_moments *own[2];
            const float half[3] = {0.3f, 0.3f, 0.3f}, center[3] = {0.6f, 0.6f, 0.6f};
            rn_wall_mesh *wall = box_mesh(half, 3);
            for (int k = 0; k < 2; k++) {
                rn_fluid_def def = water_def_of(preset ? RN_PRESET_BALANCED : RN_PRESET_LIVE, 3,
                                                SPACING, 1.2f, 1.2f, 1.2f);
                rn_solid solid = rn_solid_default();
                fluid[k] = water_create(&def);
                solid.shape = k ? RN_SOLID_MESH : RN_SOLID_BOX;
                solid.mesh = wall;
                solid.is_hollow = true;
                solid.slip = slip ? RN_SLIP_NONE : RN_SLIP_FREE;
                solid.turn[0] = 30, solid.turn[2] = 20;
                memcpy(solid.center, center, sizeof center);
                memcpy(solid.half, half, sizeof half);
                assert_ok(rn_fluid_add_solid(fluid[k], &solid, NULL));
                assert_ok(rni_walls_ready(fluid[k]));
                assert_ok(rni_mesh_walls_ready(fluid[k]));
                own[k] = fluid[k]->walls->moments;
                if (preset) fluid[k]->walls->moments = (rni_moments *)fluid[k]; /* asked for only */
            }
            const rni_solid *box = &fluid[0]->walls->solids[1];
            for (uint32_t walls = 1; walls <= 3; walls++) {
                float x[3];
                for (int a = 0; a < 3; a++) x[a] = box->center[a];
                for (uint32_t b = 0; b < 3; b++)
                    for (int a = 0; a < 3; a++)
                        x[a] += (b < walls ? 0.3f - 0.5f * SPACING : 0.02f) * box->frame[b][a];
                const rni_face wanted = meet_all(fluid[0], x), found = meet_all(fluid[1], x);
                assert_same_faces(&found, &wanted, walls == 1 ? 1e-3f : 0.08f);
                assert_true(fabsf(found.share - wanted.share) < (walls == 1 ? 1e-4f : 0.02f));
            }
            for (int k = 0; k < 2; k++) {
                fluid[k]->walls->moments = own[k];
                rn_fluid_destroy(fluid[k]);
            }
            rn_wall_mesh_destroy(wall);
        }
}

/* --- water at rest --------------------------------------------------------------------------------- */

typedef struct rest {
    double height, speed; /* mean of the centre of mass, m; root mean square, m / s */
    uint32_t count;
} rest;

/* Water in a hollow box, as a mesh or an analytic solid, after it has come to rest. */
static rest still_water(rn_fluid_preset preset, uint32_t n)
{
    rn_fluid_def def = water_def_of(preset, 3, SPACING, 0.8f, 0.8f, 0.8f);
    def.params.gravity_ramp = 0.2f;
    rn_fluid *fluid = water_create(&def);
    const float center[3] = {0.4f, 0.4f, 0.4f}, half[3] = {0.21f, 0.3f, 0.18f};
    add_box(fluid, center, half, n, true);
    water_block(fluid, (float[3]){0.19f, 0.1f, 0.22f}, (float[3]){0.61f, 0.34f, 0.58f}, 0);
    rest r = {0, 0, 0};
    uint32_t samples = 0;
    water_run(fluid, 0.8);
    while (rn_fluid_get_time(fluid) < 1.2) {
        water_steps(fluid, 5);
        const rn_fluid_particles p = rn_fluid_get_particles(fluid);
        water_add_means(&p, &r.height, &r.speed);
        r.count = p.count;
        samples++;
    }
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
    r.height /= samples, r.speed = sqrt(r.speed / samples);
    return r;
}

static void water_rests_in_a_mesh_as_in_a_box(void **state)
{
    (void)state;
    static const rn_fluid_preset PRESETS[2] = {RN_PRESET_LIVE, RN_PRESET_BALANCED};
    for (int k = 0; k < 2; k++) {
        if (FACT_IS_LEFT_OUT(k + 1, 2)) continue;
        const rest box = still_water(PRESETS[k], 0);
        for (uint32_t n = 1; n <= 32; n += 31) { /* 12 and 12,288 triangles */
            if (FACT_IS_LEFT_OUT(n / 31 + 1, 2)) continue;
            const rest mesh = still_water(PRESETS[k], n);
            if (mesh.count != box.count || fabs(mesh.height - box.height) > 0.004 * 0.24 ||
                mesh.speed > 1.5 * box.speed + 0.01)
                fail_msg(
                    "preset %d, %u x %u a face: %u particles at %g m with %g m/s; box: %u, %g, %g",
                    k, n, n, mesh.count, mesh.height, mesh.speed, box.count, box.height, box.speed);
        }
    }
}

/* N: the lift of a solid in a tank, the mean over a third of the run. */
static double lift_of(rn_fluid *fluid, rn_fluid_id id)
{
    double force = 0, seconds = 0;
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.6f, 0.45f, 0.6f}, 0);
    water_run(fluid, 0.8);
    while (rn_fluid_get_time(fluid) < 1.2) {
        const double step = (double)water_steps(fluid, 1).time_step;
        rn_solid_load load = rn_solid_load_default();
        assert_ok(rn_fluid_get_solid_load(fluid, id, &load));
        force += load.force[1] * step, seconds += step;
    }
    rn_fluid_destroy(fluid);
    return force / seconds;
}

static rn_fluid *tank_with_loads(rn_fluid_preset preset)
{
    rn_fluid_def def = water_def_of(preset, 3, SPACING, 0.6f, 0.6f, 0.6f);
    def.measure_loads = true;
    def.params.gravity_ramp = 0.2f;
    def.params.numerical_viscosity = 0.3f;
    return water_create(&def);
}

/* Archimedes: solids six spacings wide, on the lattice and beside it. */
static void submerged_solids_are_lifted_by_the_water_they_displace(void **state)
{
    (void)state;
    static const struct {
        rn_fluid_preset preset;
        uint32_t n; /* 0: analytic */
        float beside;
    } CASES[] = {{RN_PRESET_BALANCED, 0, 0},
                 {RN_PRESET_BALANCED, 2, 0},
                 {RN_PRESET_BALANCED, 2, 0.4f},
                 {RN_PRESET_CLASSIC, 0, 0},
                 {RN_PRESET_CLASSIC, 2, 0}};
    const double wanted = 1000 * 9.81 * 0.18 * 0.18 * 0.18;
    if (FACT_SLOWNESS > 1) return; /* seconds of still water: the same code as in the other cases */
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        rn_fluid *fluid = tank_with_loads(CASES[k].preset);
        const float off = CASES[k].beside * SPACING;
        const float center[3] = {0.3f + off, 0.21f + off, 0.3f}, half[3] = {0.09f, 0.09f, 0.09f};
        const double lift = lift_of(fluid, add_box(fluid, center, half, CASES[k].n, false));
        if (!(fabs(lift - wanted) <= 0.02 * wanted))
            fail_msg(
                "preset %d, %u rectangles a side: the lift of a cube is %g N; the water weighs %g N",
                CASES[k].preset, CASES[k].n, lift, wanted);
    }
    rn_fluid *fluid = tank_with_loads(RN_PRESET_BALANCED);
    rn_solid ball = rn_solid_default();
    rn_fluid_id id;
    ball.shape = RN_SOLID_SPHERE;
    ball.radius = 0.1f;
    ball.center[0] = ball.center[2] = 0.3f, ball.center[1] = 0.22f;
    assert_ok(rn_fluid_add_solid(fluid, &ball, &id));
    const double lift = lift_of(fluid, id), weight = 9810 * 4.18879 * 1e-3;
    if (!(fabs(lift - weight) <= 0.02 * weight))
        fail_msg("the lift of a ball is %g N; the water weighs %g N", lift, weight);
}

/* --- no particle passes ---------------------------------------------------------------------------- */

/* Fast water in (or around) a star whose spikes are thinner than a spacing. */
static uint64_t run_star(bool is_hollow, uint32_t threads, float speed, uint32_t *count)
{
    rn_fluid_def def = water_def_of(RN_PRESET_LIVE, 3, SPACING, 1, 1, 1);
    def.threads = threads;
    rn_fluid *fluid = water_create(&def);
    rn_wall_mesh *wall = star_mesh(10, 0.2f, 0.45f);
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_MESH;
    solid.mesh = wall;
    solid.is_hollow = is_hollow;
    for (int a = 0; a < 3; a++) solid.center[a] = 0.5f;
    solid.turn[0] = 17;
    assert_ok(rn_fluid_add_solid(fluid, &solid, NULL));
    rn_wall_mesh_destroy(wall);
    rn_fluid_block block = rn_fluid_block_default();
    for (int a = 0; a < 3; a++) block.low[a] = 0.3f, block.high[a] = 0.7f;
    if (!is_hollow) block.low[1] = 0.8f, block.high[1] = 0.98f, block.velocity[1] = -speed;
    block.velocity[0] = speed;
    block.jitter = 0.2f;
    assert_ok(rn_fluid_add_block(fluid, &block, NULL));
    for (uint32_t k = 0; k < 12 / FACT_SLOWNESS; k++) {
        water_steps(fluid, 10);
        const rn_fluid_particles p = rn_fluid_get_particles(fluid);
        for (uint32_t i = 0; i < p.count; i++)
            if (rn_fluid_get_wall_distance(fluid, p.position[i]) < 0)
                fail_msg("after %u steps a particle is %g m behind the star", 10 * (k + 1),
                         -rn_fluid_get_wall_distance(fluid, p.position[i]));
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    }
    const uint64_t hash = rn_fluid_get_state_hash(fluid);
    *count = rn_fluid_get_particles(fluid).count;
    rn_fluid_destroy(fluid);
    return hash;
}

static void no_particle_passes_a_mesh_with_spikes(void **state)
{
    (void)state;
    uint32_t count;
    run_star(true, 2, 30, &count);
    assert_true(count > 500);
    run_star(false, 2, 30, &count);
    assert_true(count > 300);
}

static void walls_of_triangles_give_the_same_bits_on_any_threads(void **state)
{
    (void)state;
    uint32_t count;
    assert_true(run_star(true, 1, 5, &count) == run_star(true, 3, 5, &count));
}

/* A mesh that moves through water pushes it away, and no particle changes sides. */
static void no_particle_passes_a_mesh_that_moves(void **state)
{
    (void)state;
    rn_fluid_def def = water_def_of(RN_PRESET_LIVE, 3, SPACING, 0.6f, 0.5f, 0.6f);
    rn_fluid *fluid = water_create(&def);
    const float center[3] = {0.2f, 0.2f, 0.3f}, half[3] = {0.05f, 0.08f, 0.08f};
    const rn_fluid_id id = add_box(fluid, center, half, 2, false);
    water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.6f, 0.3f, 0.6f}, 0);
    for (int k = 1; k <= 60; k++) {
        const float angle = 0.02f * (float)k;
        const rn_solid_pose pose = {{0.2f + 0.003f * (float)k, 0.2f, 0.3f},
                                    {0, sinf(0.5f * angle), 0, cosf(0.5f * angle)}};
        const rn_solid_motion motion = {{0.5f, 0, 0}, {0, 3, 0}};
        assert_ok(rn_fluid_set_solid_pose(fluid, id, &pose, &motion));
        water_steps(fluid, 1);
        assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    }
    rn_fluid_destroy(fluid);
}

static void water_on_the_wrong_side_is_left_out(void **state)
{
    (void)state;
    rn_fluid_def def = water_def_of(RN_PRESET_LIVE, 3, SPACING, 0.6f, 0.6f, 0.6f);
    rn_fluid *fluid = water_create(&def);
    const float center[3] = {0.3f, 0.3f, 0.3f}, half[3] = {0.15f, 0.15f, 0.15f};
    add_box(fluid, center, half, 1, true);
    const rn_fluid_added added =
        water_block(fluid, (float[3]){0, 0, 0}, (float[3]){0.6f, 0.6f, 0.6f}, 0);
    assert_int_equal(added.added + added.in_walls, 8000);
    assert_in_range(added.added, 900, 1050); /* 10 x 10 x 10 */
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
}

static void wrong_meshes_are_refused(void **state)
{
    (void)state;
    rn_fluid_def def = water_def(3, SPACING, 0.6f, 0.6f, 0.6f);
    rn_fluid *fluid = water_create(&def);
    rn_solid solid = rn_solid_default();
    rn_mesh mesh = rn_mesh_default();
    rn_wall_mesh *wall = NULL;
    solid.shape = RN_SOLID_MESH;
    assert_int_equal(rn_fluid_add_solid(fluid, &solid, NULL), RN_ERROR_ARGUMENT);
    assert_int_equal(rn_wall_mesh_create(NULL, &mesh, &wall), RN_ERROR_ARGUMENT);
    assert_null(wall);
    wall = star_mesh(4, 0.2f, 0.3f);
    solid.mesh = wall;
    solid.scale = 0;
    assert_int_equal(rn_fluid_add_solid(fluid, &solid, NULL), RN_ERROR_ARGUMENT);
    rn_wall_mesh_destroy(wall);
    rn_fluid_destroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_gives_what_the_box_gives),
        cmocka_unit_test(water_rests_in_a_mesh_as_in_a_box),
        cmocka_unit_test(submerged_solids_are_lifted_by_the_water_they_displace),
        cmocka_unit_test(no_particle_passes_a_mesh_with_spikes),
        cmocka_unit_test(walls_of_triangles_give_the_same_bits_on_any_threads),
        cmocka_unit_test(no_particle_passes_a_mesh_that_moves),
        cmocka_unit_test(water_on_the_wrong_side_is_left_out),
        cmocka_unit_test(wrong_meshes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
