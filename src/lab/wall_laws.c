/* What walls give to the density of the particles beside them, by each boundary law; and standing water there.
 *
 * A lattice of the spacing has the rest density. Where a wall takes the place of a part of it, the law of the wall has to
 * give what is missing: density errors are those of the particles of the first layer. No lattice fits a ball: there the
 * mean over many places of its centre counts. */
#include "lab/water.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACING 0.02 /* m */
/* In spacings: the periodic cube of the densities and its middle; half the vessel and the cube; radius of the ball; half the
 * plate. */
#define SIDE   16
#define HALF   5.0
#define CUBE   3.0
#define RADIUS 3.2
#define THIN   0.25
/* The tank of standing water: width and depth; half the cube, and radius of the ball in it. */
#define TANK       12
#define DEPTH      8
#define TANK_CUBE  2.0
#define TANK_BALL  2.2
#define MOST_ERROR 3.0  /* %: of the density, that the claim allows */
#define CLOSEST    0.12 /* spacings: no lattice place is nearer to a ball */

typedef enum setup { VESSEL, BLOCK, BALL, PLATE, SETUPS } setup;
typedef enum law { NONE, VIRTUAL, ANALYTIC, FIELD, LAWS } law;
static const char *const LAW_NAMES[LAWS] = {"none", "virtual particles", "analytic",
                                            "boundary field"};

/* Laws that add no density: they stop particles, or push. */
static bool has_no_density(law by)
{
    return by == NONE || by == VIRTUAL;
}

static void set_law(rn_fluid_def *def, law by)
{
    def->bare_walls = by == NONE;
    if (by == VIRTUAL) def->wall_law = RN_WALL_LAW_VIRTUAL_PARTICLES;
}

/* A kind of wall, and where it is found. */
enum { WALLS = 7 };
static const struct {
    const char *name;
    setup at;
    int axes; /* along which the wall is within a spacing; 0: it has no axes */
} wall[WALLS] = {{"flat", VESSEL, 1},       {"edge", VESSEL, 2},         {"corner", VESSEL, 3},
                 {"convex edge", BLOCK, 2}, {"convex corner", BLOCK, 3}, {"curved", BALL, 0},
                 {"thin", PLATE, 1}};

enum { WALL, LAW, PARTICLES, NUMBER, ERROR, RMS, SPEED, HEIGHT, OUTSIDE, COLUMN_COUNT };
static const rni_lab_column columns[COLUMN_COUNT] = {
    {"wall", "wall", true, 0},
    {"law", "law", true, 0},
    {"particles", "particles", false, 0},
    {"wall_number", "wall number", false, 0},
    {"density_error_percent", "density error %", false, 3},
    {"density_rms_percent", "rms %", false, 3},
    {"speed", "standing: rms speed / sqrt(g H)", false, 2},
    {"height_error_percent", "height error %", false, 2},
    {"outside", "outside", false, 0},
};

/* --- solids ---------------------------------------------------------------------------------------- */

/* A box by its half sizes, or a sphere by radius, as a mesh; m. */
static rn_result make_mesh(const rn_solid *solid, rn_wall_mesh **mesh)
{
    const bool is_box = solid->shape == RN_SOLID_BOX;
    char setting[3][40];
    const char *const settings[3] = {setting[0], setting[1], setting[2]};
    for (int a = 0; a < 3 && is_box; a++)
        snprintf(setting[a], sizeof *setting, "%c=%.9g", "xyz"[a], 2 * (double)solid -> half[a]);
    if (!is_box) snprintf(setting[0], sizeof *setting, "radius=%.9g", (double)solid->radius);
    return rni_lab_wall_mesh(is_box ? "box" : "sphere", is_box ? 0 : 1280, settings, is_box ? 3 : 1,
                             mesh);
}

/* Adds the solid of a setup about a centre; sizes in spacings. */
static rn_result add_solid(rn_fluid *fluid, setup at, law by, const double center[3], double half,
                           double radius)
{
    rn_solid solid = rn_solid_default();
    rn_wall_mesh *mesh = NULL;
    rn_result result = RN_OK;
    solid.shape = at == BALL ? RN_SOLID_SPHERE : RN_SOLID_BOX;
    solid.is_hollow = at == VESSEL;
    solid.radius = (float)(radius * SPACING);
    for (int a = 0; a < 3; a++) {
        solid.center[a] = (float)(center[a] * SPACING);
        solid.half[a] = (float)(half * SPACING);
        if (at == PLATE) solid.half[a] = (float)((a == 0 ? THIN : 1.5 * SIDE) * SPACING);
    }
    if (by == FIELD || by == VIRTUAL) {
        result = make_mesh(&solid, &mesh);
        /* The maker's box begins at the origin. */
        for (int a = 0; a < 3 && at != BALL; a++) solid.center[a] -= solid.half[a];
        solid.shape = RN_SOLID_MESH;
        solid.mesh = mesh;
    }
    if (result == RN_OK) result = rn_fluid_add_solid(fluid, &solid, NULL);
    rn_wall_mesh_destroy(mesh);
    return result;
}

/* --- densities on a lattice ------------------------------------------------------------------------ */

/* In spacings from the middle: how far x is from the solid; axes: along how many it is beside it, within one. */
static double distance_of(setup at, const double x[3], int *axes)
{
    double least = HUGE_VAL, out_sq = 0, r_sq = 0;
    *axes = 0;
    for (int a = 0; a < 3; a++) {
        const double inside = HALF - fabs(x[a]), over = fabs(x[a]) - CUBE;
        r_sq += x[a] * x[a];
        least = fmin(least, inside);
        out_sq += over > 0 ? over * over : 0;
        *axes += at == VESSEL ? inside < 1 : over > 0;
    }
    if (at == VESSEL) return least;
    if (at == BLOCK) return out_sq > 0 ? sqrt(out_sq) : -1;
    if (at == BALL) *axes = 0;
    if (at == PLATE) *axes = 1;
    return at == BALL ? sqrt(r_sq) - RADIUS : fabs(x[0]) - THIN;
}

/* place: counts those of a ball, which are spread evenly over a lattice cell (Roberts 2018). */
static void middle_of(setup at, uint32_t place, double middle[3])
{
    static const double STEP[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * SIDE + (at == PLATE && a == 0 ? THIN : 0);
        if (at == BALL) middle[a] += fmod(place * STEP[a], 1);
    }
}

/* Particles at all lattice places that are free. */
static rn_result add_lattice(rn_fluid *fluid, setup at, const double middle[3])
{
    static float x[SIDE * SIDE * SIDE][3];
    uint32_t count = 0;
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        const int cell[3] = {n % SIDE, n / SIDE % SIDE, n / (SIDE * SIDE)};
        double place[3], own[3];
        int axes;
        for (int a = 0; a < 3; a++) {
            place[a] = cell[a] + 0.5;
            if (at == PLATE && a == 0 && cell[a] >= SIDE / 2) place[a] += 2 * THIN;
            own[a] = place[a] - middle[a];
        }
        const double d = distance_of(at, own, &axes);
        if (!(d > 0)) continue;
        for (int a = 0; a < 3 && at == BALL && d < CLOSEST; a++)
            place[a] += (CLOSEST - d) * own[a] / (RADIUS + d);
        for (int a = 0; a < 3; a++) x[count][a] = (float)(place[a] * SPACING);
        count++;
    }
    return rn_fluid_add_particles(fluid, x[0], NULL, count, NULL);
}

/* Of the first layer: sums, then means, %. */
typedef struct error {
    uint32_t count;
    double mean, square;
} error;

static void measure(const rn_fluid *fluid, setup at, const double middle[3], error of_axes[4])
{
    const rn_fluid_particles p = rn_fluid_get_arrays(fluid);
    for (uint32_t i = 0; i < p.count; i++) {
        double own[3];
        int axes;
        for (int a = 0; a < 3; a++) own[a] = (double)p.position[i][a] / SPACING - middle[a];
        const double d = distance_of(at, own, &axes);
        if (!(d < (at == BLOCK ? sqrt(axes) : 1.0))) continue; /* not of the first layer */
        if (at == BALL && !(fabs(d - 0.5) < 0.1)) continue;    /* not where particles rest */
        const double off = 100 * ((double)p.density[i] / 1000 - 1);
        of_axes[axes].count++;
        of_axes[axes].mean += off;
        of_axes[axes].square += off * off;
    }
}

static rn_result add_errors(const rni_lab *lab, setup at, law by, uint32_t place, error of_axes[4])
{
    rn_fluid_def def = rn_fluid_def_of_preset(RN_PRESET_CLASSIC); /* its density is the sum */
    double middle[3];
    rn_fluid *fluid = NULL;
    def.spacing = (float)SPACING;
    def.threads = lab->threads;
    set_law(&def, by);
    middle_of(at, place, middle);
    for (int a = 0; a < 3; a++) {
        def.periodic[a] = true;
        def.domain_high[a] = (float)((SIDE + (at == PLATE && a == 0 ? 2 * THIN : 0)) * SPACING);
    }
    rn_result result = rn_fluid_create(&def, &fluid);
    if (result == RN_OK)
        result = add_solid(fluid, at, by, middle, at == BLOCK ? CUBE : HALF, RADIUS);
    if (result == RN_OK) result = add_lattice(fluid, at, middle);
    if (result == RN_OK) result = rn_fluid_update_density(fluid);
    if (result == RN_OK) measure(fluid, at, middle, of_axes);
    rn_fluid_destroy(fluid);
    return result;
}

static rn_result find_errors(const rni_lab *lab, setup at, law by, error of_axes[4])
{
    const uint32_t places = at != BALL ? 1 : lab->is_quick ? 6 : 64;
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < places && result == RN_OK; k++)
        result = add_errors(lab, at, by, k, of_axes);
    for (int k = 0; k < 4; k++) {
        of_axes[k].mean /= fmax(of_axes[k].count, 1);
        of_axes[k].square /= fmax(of_axes[k].count, 1);
    }
    return result;
}

/* --- standing water -------------------------------------------------------------------------------- */

typedef struct standing {
    double speed, height; /* over sqrt(g H); error of the mean height of the water, % */
    uint32_t particles, escaped;
} standing;

/* Mean height of the water in a tank whose solid is under it. */
static double exact_height(setup at, uint32_t particles)
{
    const double cube = 8 * pow(TANK_CUBE, 3), ball = 4 * RNI_PI / 3 * pow(TANK_BALL, 3);
    const double solid = at == BLOCK ? cube : at == BALL ? ball : 0;
    const double area = at == VESSEL ? 4 * HALF * HALF : (double)TANK * TANK;
    const double depth = (particles + solid) / area;
    return SPACING * (0.5 * area * depth * depth - solid * 0.5 * DEPTH) / (area * depth - solid);
}

static rn_result make_tank(const rni_lab *lab, setup at, law by, rn_fluid **fluid)
{
    const double width = TANK + (at == PLATE ? 2 * THIN : 0);
    const double size[3] = {width * SPACING, 1.5 * TANK * SPACING, TANK * SPACING};
    const double middle[3] = {0.5 * width, at == VESSEL ? HALF + 1 : 0.5 * DEPTH, 0.5 * TANK};
    rni_lab own = *lab;
    if (has_no_density(by)) own.preset = RN_PRESET_CLASSIC; /* others need what is behind a wall */
    rn_fluid_def def = rni_lab_water_def(&own, 3, SPACING, size);
    rn_fluid_block block = rn_fluid_block_default();
    def.params.gravity_ramp = 0.1f;
    set_law(&def, by);
    for (int a = 0; a < 3; a++) block.high[a] = (float)(a == 1 ? DEPTH * SPACING : size[a]);
    for (int a = 0; a < 3 && at == VESSEL; a++) {
        block.low[a] = (float)((middle[a] - HALF) * SPACING);
        block.high[a] = (float)((a == 1 ? 1 + DEPTH : middle[a] + HALF) * SPACING);
    }
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK)
        result = add_solid(*fluid, at, by, middle, at == BLOCK ? TANK_CUBE : HALF, TANK_BALL);
    return result == RN_OK ? rn_fluid_add_block(*fluid, &block, NULL) : result;
}

static rn_result stand(const rni_lab *lab, setup at, law by, standing *s)
{
    /* Thousands of points push each particle: less of it in a quick run. */
    const double seconds = !lab->is_quick ? 1.5 : by == VIRTUAL ? 0.05 : 0.4;
    rn_fluid *fluid = NULL;
    rn_fluid_report report = rn_fluid_report_default();
    double speed_sq = 0, height = 0, time = 0;
    rn_result result = make_tank(lab, at, by, &fluid);
    while (result == RN_OK && rn_fluid_get_time(fluid) < seconds) {
        result = rn_fluid_step(fluid, &report);
        if (result != RN_OK || rn_fluid_get_time(fluid) < 0.7 * seconds) continue;
        const double dt = (double)report.time_step;
        speed_sq += dt * pow(rni_lab_water_rms(fluid, &report), 2);
        height += dt * rni_lab_water_center(fluid, 1);
        time += dt;
    }
    if (result == RN_OK) {
        const double floor = at == VESSEL ? SPACING : 0;
        s->particles = report.particles;
        s->speed = sqrt(speed_sq / time / (RNI_LAB_GRAVITY * DEPTH * SPACING));
        s->height = 100 * ((height / time - floor) / exact_height(at, report.particles) - 1);
        s->escaped = rn_fluid_get_escaped_count(fluid);
    }
    rn_fluid_destroy(fluid);
    return result;
}

/* --- the experiment -------------------------------------------------------------------------------- */

static rn_result add_rows(rni_lab *lab, setup at, law by, const error of_axes[4], const standing *s)
{
    for (int k = 0; k < WALLS; k++) {
        if (wall[k].at != at) continue;
        const error *e = &of_axes[wall[k].axes];
        rn_result result = rni_lab_table_row(&lab->table);
        if (result != RN_OK) return result;
        rni_lab_table_text(&lab->table, wall[k].name);
        rni_lab_table_text(&lab->table, LAW_NAMES[by]);
        rni_lab_table_number(&lab->table, s->particles);
        rni_lab_table_number(&lab->table, k + 1);
        rni_lab_table_number(&lab->table, e->mean);
        rni_lab_table_number(&lab->table, sqrt(e->square));
        rni_lab_table_number(&lab->table, s->speed);
        rni_lab_table_number(&lab->table, s->height);
        rni_lab_table_number(&lab->table, s->escaped);
    }
    return RN_OK;
}

static void conclude(rni_lab *lab)
{
    const rni_lab_table *t = &lab->table;
    double bare = 0, most = 0, height = 0, pushed = 0;
    const char *where = "", *whose = "";
    uint32_t good = 0, count = 0;
    for (uint32_t r = 0; r < t->row_count; r++) {
        const double off = fabs(rni_lab_table_at(t, r, ERROR));
        const char *name = rni_lab_table_value(t, r, LAW)->text;
        if (strcmp(name, LAW_NAMES[VIRTUAL]) == 0) {
            pushed = fmax(pushed, fabs(rni_lab_table_at(t, r, HEIGHT)));
            continue;
        }
        if (strcmp(name, LAW_NAMES[NONE]) == 0) {
            bare = fmax(bare, off);
            continue;
        }
        count++;
        good += off <= MOST_ERROR;
        height = fmax(height, fabs(rni_lab_table_at(t, r, HEIGHT)));
        if (!(off > most)) continue;
        most = off;
        where = rni_lab_table_value(t, r, WALL)->text, whose = name;
    }
    const char *verdict = rni_lab_verdict(good == count, 2 * good >= count);
    rni_lab_conclude(
        lab, verdict,
        "The claim that walls complete the density of the particles beside them within %g %% "
        "%s here: %u of %u walls do; the largest error is %.1f %%, at the wall \"%s\" by the "
        "law \"%s\" (without a law up to %.0f %%). The mean height of standing water is off by "
        "at most %.1f %%; between virtual boundary particles, which push but add no density, by %.1f %%.",
        MOST_ERROR, verdict, good, count, most, where, whose, bare, height, pushed);
}

static rn_result run(rni_lab *lab)
{
    rn_result result = RN_OK;
    rni_lab_begin_table(lab, columns, COLUMN_COUNT, SETUPS * LAWS);
    for (setup at = VESSEL; at < SETUPS; at++)
        for (law by = NONE; by < LAWS && result == RN_OK; by++) {
            static const char *const NAMES[SETUPS] = {"vessel", "cube", "ball", "plate"};
            error of_axes[4] = {{0, 0, 0}};
            standing s = {0};
            rni_lab_begin_case(lab, "%s, law: %s", NAMES[at], LAW_NAMES[by]);
            result = find_errors(lab, at, by, of_axes);
            if (result == RN_OK) result = stand(lab, at, by, &s);
            if (result == RN_OK) result = add_rows(lab, at, by, of_axes, &s);
        }
    if (result != RN_OK) return result;
    conclude(lab);
    const rni_chart chart = {
        .title = "Density beside walls, by boundary law",
        .subtitle =
            "first layer of a lattice; 1 flat, 2 edge, 3 corner, 4 convex edge, 5 convex corner, "
            "6 curved, 7 thin",
        .x_label = "wall",
        .y_label = "density error, %"};
    return rni_lab_plot_groups(lab, NULL, chart, LAW, NUMBER, ERROR);
}

const rni_lab_experiment rni_lab_wall_laws = {
    "wall-laws",
    "density beside flat, curved and thin walls, edges and corners, and standing water there",
    "Runnel", "walls complete the density of the particles beside them within 3 %", run};
