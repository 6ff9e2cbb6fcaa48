/* Flow through a round pipe with no-slip walls, as an analytic solid and as a triangle mesh: the steady profile against
 * the parabola of Hagen and Poiseuille. */
#include "lab/water.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

#define RADIUS 0.05 /* m */
#define NU     0.01 /* m^2 / s */
#define FORCE  0.01 /* m / s^2 along the pipe */
#define ALONG  8    /* spacings of a period */
#define TIME   1.3  /* of RADIUS^2 / NU: what is missing is 0.05 % of the final speed then */
#define WALL   0.02 /* m: of the mesh */
#define LENGTH 0.5  /* m: of the mesh */
#define MOST   3.0  /* %: error of the discharge and of the profile, that the claim allows */

enum { KIND, ACROSS, PARTICLES, DISCHARGE, ERROR, OUTSIDE, COLUMN_COUNT };
static const rni_lab_column columns[COLUMN_COUNT] = {
    {"pipe", "pipe", true, 0},
    {"across", "particles across", false, 0},
    {"particles", "particles", false, 0},
    {"discharge_error_percent", "mean speed error %", false, 3},
    {"error_percent", "L2 error %", false, 3},
    {"outside", "outside", false, 0},
};
static const char *const NAMES[2] = {"cylinder", "mesh"};

static double exact_speed(double r_sq)
{
    return FORCE / (4 * NU) * fmax(RADIUS * RADIUS - r_sq, 0);
}

static rn_result add_pipe(rn_fluid *fluid, bool is_mesh, double period)
{
    rn_solid solid = rn_solid_default();
    rn_wall_mesh *mesh = NULL;
    rn_result result = RN_OK;
    solid.slip = RN_SLIP_NONE;
    solid.shape = RN_SOLID_CYLINDER;
    solid.is_hollow = true;
    solid.axis[0] = 1, solid.axis[1] = solid.axis[2] = 0;
    solid.radius = (float)RADIUS;
    solid.half[0] = (float)(0.5 * LENGTH);
    solid.center[0] = (float)(0.5 * period);
    if (is_mesh) {
        static const char *const SETTINGS[3] = {"length=0.5", "radius=0.05", "wall=0.02"};
        result = rni_lab_wall_mesh("pipe", 8000, SETTINGS, 3, &mesh);
        solid.shape = RN_SOLID_MESH;
        solid.is_hollow = false;
        solid.mesh = mesh;
        solid.center[0] -= (float)(0.5 * LENGTH); /* the maker's pipe begins at the origin */
    }
    if (result == RN_OK) result = rn_fluid_add_solid(fluid, &solid, NULL);
    rn_wall_mesh_destroy(mesh);
    return result;
}

/* Water is inside the pipe. */
static bool is_inside(void *user, const float x[3], float velocity[3])
{
    (void)user, (void)velocity;
    return (double)(x[1] * x[1] + x[2] * x[2]) < RADIUS * RADIUS;
}

static rn_result make_flow(const rni_lab *lab, bool is_mesh, uint32_t across, rn_fluid **fluid)
{
    const double spacing = 2 * RADIUS / across, period = ALONG * spacing;
    rn_fluid_def def = rni_lab_water_def(lab, 3, spacing, (double[]){period, 0, 0});
    rn_fluid_block block = rn_fluid_block_default();
    for (int a = 1; a < 3; a++) {
        def.domain_high[a] = (float)(RADIUS + WALL + 2 * spacing);
        def.domain_low[a] = -def.domain_high[a];
        block.low[a] = -(float)RADIUS, block.high[a] = (float)RADIUS;
    }
    def.periodic[0] = true;
    def.params.gravity[0] = (float)FORCE, def.params.gravity[1] = 0;
    def.params.viscosity = (float)(1000 * NU);
    def.params.numerical_viscosity = 0;
    def.speed_expected = (float)exact_speed(0);
    block.high[0] = (float)period;
    block.place = is_inside;
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = add_pipe(*fluid, is_mesh, period);
    return result == RN_OK ? rn_fluid_add_block(*fluid, &block, NULL) : result;
}

/* The row, and the profile over rings of a spacing. */
static rn_result look(rni_lab *lab, const rn_fluid *fluid, bool is_mesh, uint32_t across,
                      rni_lab_trace *trace)
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    double off_sq = 0, all_sq = 0, speed = 0, exact = 0;
    double ring[64] = {0}, ring_speed[64] = {0}, count[64] = {0};
    for (uint32_t i = 0; i < p.count; i++) {
        const double y = (double)p.position[i][1], z = (double)p.position[i][2];
        const double r_sq = y * y + z * z, v = (double)p.velocity[i][0], e = exact_speed(r_sq);
        const uint32_t k = (uint32_t)fmin(sqrt(r_sq) / RADIUS * 0.5 * across, 63);
        off_sq += (v - e) * (v - e), all_sq += e * e;
        speed += v, exact += e;
        ring[k] += sqrt(r_sq), ring_speed[k] += v, count[k]++;
    }
    rn_result result = rni_lab_table_row(&lab->table);
    if (result != RN_OK) return result;
    rni_lab_table_text(&lab->table, NAMES[is_mesh]);
    rni_lab_table_number(&lab->table, across);
    rni_lab_table_number(&lab->table, p.count);
    rni_lab_table_number(&lab->table, 100 * (speed / exact - 1));
    rni_lab_table_number(&lab->table, 100 * sqrt(off_sq / all_sq));
    rni_lab_table_number(&lab->table, rn_fluid_get_escaped_count(fluid));
    for (int k = 0; k < 64 && result == RN_OK; k++)
        if (count[k] > 0)
            result =
                rni_lab_trace_add(trace, 1e3 * ring[k] / count[k], 1e3 * ring_speed[k] / count[k]);
    return result;
}

static rn_result flow(rni_lab *lab, bool is_mesh, uint32_t across, rni_lab_trace *trace)
{
    rn_fluid *fluid = NULL;
    rn_result result = make_flow(lab, is_mesh, across, &fluid);
    while (result == RN_OK && rn_fluid_get_time(fluid) < TIME * RADIUS * RADIUS / NU)
        result = rn_fluid_step(fluid, NULL);
    if (result == RN_OK) result = look(lab, fluid, is_mesh, across, trace);
    rn_fluid_destroy(fluid);
    return result;
}

static void conclude(rni_lab *lab)
{
    const rni_lab_table *t = &lab->table;
    const uint32_t mesh = t->row_count - 1, cylinder = t->row_count - 2; /* the finest of each */
    const double discharge = rni_lab_table_at(t, mesh, DISCHARGE),
                 error = rni_lab_table_at(t, mesh, ERROR);
    const char *verdict =
        rni_lab_verdict(fabs(discharge) <= MOST && error <= MOST, fabs(discharge) <= MOST);
    rni_lab_conclude(
        lab, verdict,
        "The claim that a no-slip pipe of triangles has the flow of Hagen and Poiseuille within "
        "%g %% %s here: with %.0f particles across, its mean speed is off by %+.2f %% and its profile "
        "by %.2f %%; those of the analytic pipe by %+.2f %% and %.2f %%.",
        MOST, verdict, rni_lab_table_at(t, mesh, ACROSS), discharge, error,
        rni_lab_table_at(t, cylinder, DISCHARGE), rni_lab_table_at(t, cylinder, ERROR));
}

static rn_result run(rni_lab *lab)
{
    static const uint32_t FULL[3] = {12, 20, 32}, QUICK[1] = {16};
    const uint32_t sizes = lab->is_quick ? 1 : 3, *across = lab->is_quick ? QUICK : FULL;
    rni_lab_traces traces = {0};
    rn_result result = RN_OK;
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, 2 * sizes);
    rni_lab_trace *exact = rni_lab_trace_begin(&traces, "exact");
    for (int k = 0; k <= 60 && result == RN_OK; k++)
        result = rni_lab_trace_add(exact, 1e3 * RADIUS * k / 60,
                                   1e3 * exact_speed(RADIUS * RADIUS * k * k / 3600));
    for (uint32_t k = 0; k < 2 * sizes && result == RN_OK; k++) {
        rni_lab_trace *trace =
            rni_lab_begin_traced_case(lab, &traces, "%s, %u across", NAMES[k % 2], across[k / 2]);
        trace->is_points = true;
        result = flow(lab, k % 2 == 1, across[k / 2], trace);
    }
    if (result == RN_OK) conclude(lab);
    const rni_chart chart = {.title = "Flow through a pipe",
                             .subtitle = "radius 0.05 m, nu = 0.01 m^2/s, 0.01 m/s^2, no slip",
                             .x_label = "distance from the axis, mm",
                             .y_label = "speed, mm/s"};
    return rni_lab_traces_end(lab, result, chart, &traces);
}

const rni_lab_experiment rni_lab_pipe_flow = {
    "pipe-flow", "flow through a round pipe, as a cylinder and as triangles, against the parabola",
    "exact solution", "a no-slip pipe of triangles has the flow of Hagen and Poiseuille within 3 %",
    run};
