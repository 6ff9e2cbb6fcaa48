/* Water at rest in vessels that are triangle meshes, a bowl and a trough of 60 degrees: it is as level and as calm as
 * in the same vessels of analytic solids. */
#include "fluid/water_test.h"
#include "slowness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <runnel/mesh.h>

#define SPACING 0.03f
#define BINS    3 /* a side, of columns around the middle */

typedef enum vessel_kind { BOWL, TROUGH, VESSELS } vessel_kind;

static const char *const NAMES[VESSELS] = {"bowl", "trough"};
static const float MIDDLE[3] = {0.4f, 0.4f, 0.4f};
#define BOWL_RADIUS 0.25f
#define APEX        0.1f /* m: the lowest line of the trough */

static rn_fluid_id add_solid(rn_fluid *fluid, const rn_solid *solid)
{
    rn_fluid_id id;
    assert_ok(rn_fluid_add_solid(fluid, solid, &id));
    return id;
}

static void add_mesh(rn_fluid *fluid, const rn_mesh *mesh, const float center[3])
{
    rn_solid solid = rn_solid_default();
    rn_wall_mesh *wall = NULL;
    assert_ok(rn_wall_mesh_create(NULL, mesh, &wall));
    solid.shape = RN_SOLID_MESH;
    solid.mesh = wall;
    solid.is_hollow = true;
    memcpy(solid.center, center, sizeof solid.center);
    add_solid(fluid, &solid);
    rn_wall_mesh_destroy(wall); /* the fluid keeps it */
}

static void add_bowl(rn_fluid *fluid, bool is_mesh)
{
    if (is_mesh) {
        rn_mesh_data *data = NULL;
        static const char *const RADIUS = "radius=0.25"; /* BOWL_RADIUS */
        rn_mesh_make_def def = rn_mesh_make_def_default();
        def.name = "sphere";
        def.triangles = 20000;
        def.setting = &RADIUS, def.setting_count = 1;
        assert_ok(rn_mesh_make(&def, &data));
        const rn_mesh mesh = rn_mesh_data_get_mesh(data);
        add_mesh(fluid, &mesh, MIDDLE);
        rn_mesh_data_destroy(data);
        return;
    }
    rn_solid solid = rn_solid_default();
    solid.shape = RN_SOLID_SPHERE;
    solid.is_hollow = true;
    solid.radius = BOWL_RADIUS;
    memcpy(solid.center, MIDDLE, sizeof solid.center);
    add_solid(fluid, &solid);
}

/* It goes on beyond the domain along z. */
static void add_trough(rn_fluid *fluid, bool is_mesh)
{
    const float sine = 0.5f, cosine = 0.8660254f, height = 0.6f, half = height * sine / cosine;
    const float center[3] = {MIDDLE[0], APEX, MIDDLE[2]};
    if (is_mesh) {
        const float vertex[6][3] = {{0, 0, -1}, {half, height, -1}, {-half, height, -1},
                                    {0, 0, 1},  {half, height, 1},  {-half, height, 1}};
        static const uint32_t TRIANGLE[8][3] = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                                                {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
        rn_mesh mesh = rn_mesh_default();
        mesh.vertex = vertex[0], mesh.vertex_count = 6;
        mesh.triangle = TRIANGLE[0], mesh.triangle_count = 8;
        add_mesh(fluid, &mesh, center);
        return;
    }
    for (int side = -1; side <= 1; side += 2) {
        rn_solid solid = rn_solid_default();
        solid.shape = RN_SOLID_PLANE;
        memcpy(solid.center, center, sizeof solid.center);
        solid.axis[0] = -(float)side * cosine, solid.axis[1] = sine, solid.axis[2] = 0;
        add_solid(fluid, &solid);
    }
}

typedef struct rest {
    double height, speed; /* mean of the centre of mass, m; root mean square, m / s */
    double tilt;          /* m: the highest column less the lowest one */
    uint32_t count;
} rest;

/* The highest particles of columns three spacings wide. */
static void add_tops(const rn_fluid_particles *p, double top[BINS * BINS])
{
    float high[BINS * BINS] = {0};
    for (uint32_t i = 0; i < p->count; i++) {
        const int x = (int)floorf((p->position[i][0] - MIDDLE[0]) / (3 * SPACING) + 0.5f * BINS),
                  z = (int)floorf((p->position[i][2] - MIDDLE[2]) / (3 * SPACING) + 0.5f * BINS);
        if (x < 0 || x >= BINS || z < 0 || z >= BINS) continue;
        high[z * BINS + x] = fmaxf(high[z * BINS + x], p->position[i][1]);
    }
    for (int k = 0; k < BINS * BINS; k++) top[k] += (double)high[k];
}

static rest still_water(rn_fluid_preset preset, vessel_kind vessel, bool is_mesh)
{
    rn_fluid_def def = water_def_of(preset, 3, SPACING, 0.8f, 0.8f, 0.8f);
    def.params.gravity_ramp = 0.2f;
    rn_fluid *fluid = water_create(&def);
    if (vessel == BOWL) add_bowl(fluid, is_mesh);
    else add_trough(fluid, is_mesh);
    const float reach = vessel == BOWL ? 0.25f : 0.4f;
    water_block(fluid, (float[3]){MIDDLE[0] - reach, APEX, MIDDLE[2] - reach},
                (float[3]){MIDDLE[0] + reach, 0.43f, MIDDLE[2] + reach}, 0);
    rest r = {0, 0, 0, 0};
    double top[BINS * BINS] = {0}, least = (double)INFINITY, most = 0;
    uint32_t samples = 0;
    water_run(fluid, 1.0);
    while (rn_fluid_get_time(fluid) < 1.4) {
        water_steps(fluid, 5);
        const rn_fluid_particles p = rn_fluid_get_particles(fluid);
        water_add_means(&p, &r.height, &r.speed);
        add_tops(&p, top);
        r.count = p.count;
        samples++;
    }
    assert_int_equal(rn_fluid_get_escaped_count(fluid), 0);
    rn_fluid_destroy(fluid);
    r.height /= samples, r.speed = sqrt(r.speed / samples);
    for (int k = 0; k < BINS * BINS; k++)
        least = fmin(least, top[k] / samples), most = fmax(most, top[k] / samples);
    r.tilt = most - least;
    return r;
}

static void water_rests_in_vessels_of_triangles_as_in_analytic_ones(void **state)
{
    (void)state;
    static const rn_fluid_preset PRESETS[2] = {RN_PRESET_LIVE, RN_PRESET_BALANCED};
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < VESSELS; v++) {
            if (FACT_IS_LEFT_OUT(2 * k + v + 1, 4)) continue; /* the trough alone, with `live` */
            const rest solid = still_water(PRESETS[k], (vessel_kind)v, false),
                       mesh = still_water(PRESETS[k], (vessel_kind)v, true);
            const double depth = 0.33, off = fabs(mesh.height - solid.height);
            if (abs((int)mesh.count - (int)solid.count) > (int)(solid.count / 100) ||
                off > 0.004 * depth || mesh.speed > 1.5 * solid.speed + 0.01 ||
                mesh.tilt > 0.25 * (double)SPACING)
                fail_msg("%s, preset %d: %u particles at %g m with %g m/s, columns %g m apart; "
                         "analytic: %u, %g, %g, %g",
                         NAMES[v], k, mesh.count, mesh.height, mesh.speed, mesh.tilt, solid.count,
                         solid.height, solid.speed, solid.tilt);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_rests_in_vessels_of_triangles_as_in_analytic_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
