/* Shapes made by turning a profile about an axis: pipe, venturi, bowl, jug. */
#include "mesh/maker.h"
#include "mesh/net.h"

#include "base/error.h"
#include "base/pi.h"

#include <math.h>

#define CORNERS_MAX 160u
#define ROWS_MAX    (1u << 20)

/* The profile as a polygon: distance along the axis and from it. */
typedef struct profile {
    uint32_t count;
    double along[CORNERS_MAX], radius[CORNERS_MAX];
    bool is_loop; /* a ring; otherwise it begins and ends on the axis */
} profile;

typedef struct revolved {
    profile shape;
    bool is_upright;     /* the axis is y, otherwise x */
    double length, bend; /* pipe: its axis is an arc of this angle */
    double spout, spout_from,
        spout_to; /* jug: the rim moves outwards by this much, between these heights */
    /* What is made: row r lies at `share` of the way from corner `from` to the next. */
    uint32_t rows, columns;
    uint32_t *from;
    double *share;
} revolved;

static void add_corner(profile *p, double along, double radius)
{
    p->along[p->count] = along;
    p->radius[p->count++] = radius;
}

static double side_length(const profile *p, uint32_t k)
{
    const uint32_t n = (k + 1) % p->count;
    return hypot(p->along[n] - p->along[k], p->radius[n] - p->radius[k]);
}

static uint32_t side_count(const profile *p)
{
    return p->is_loop ? p->count : p->count - 1;
}

/* --- positions --------------------------------------------------------------------------------- */

static double smooth_step(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

static void place_upright(const revolved *r, double along, double radius, double angle, double at[3])
{
    if (r->spout > 0 && radius > 0) {
        const double away = angle > RNI_PI ? angle - 2 * RNI_PI : angle;
        const double rise = smooth_step((along - r->spout_from) / (r->spout_to - r->spout_from));
        radius += r->spout * rise * exp(-away * away / 0.18);
    }
    at[0] = radius * cos(angle);
    at[1] = along;
    at[2] = radius * sin(angle);
}

static void place_lying(const revolved *r, double along, double radius, double angle, double at[3])
{
    const double up = radius * cos(angle);
    at[2] = radius * sin(angle);
    if (!(r->bend > 0)) {
        at[0] = along;
        at[1] = up;
        return;
    }
    const double arc = r->length / r->bend, turn = along / arc; /* the centre of the arc is above */
    at[0] = (arc - up) * sin(turn);
    at[1] = arc - (arc - up) * cos(turn);
}

static void vertex_at(const void *user, uint32_t row, uint32_t column, double at[3])
{
    const revolved *r = user;
    const profile *p = &r->shape;
    const uint32_t k = r->from[row], n = (k + 1) % p->count;
    const double share = r->share[row], angle = 2 * RNI_PI * column / r->columns;
    const double along = p->along[k] + share * (p->along[n] - p->along[k]);
    const double radius = p->radius[k] + share * (p->radius[n] - p->radius[k]);
    if (r->is_upright) place_upright(r, along, radius, angle, at);
    else place_lying(r, along, radius, angle, at);
}

/* --- rows and columns -------------------------------------------------------------------------- */

/* Every side gets a row, and the rest go to the sides whose rows are longest. */
static void share_rows(revolved *r, uint32_t *rows_of)
{
    const uint32_t sides = side_count(&r->shape);
    double total = 0;
    uint32_t given = 0;
    for (uint32_t k = 0; k < sides; k++) total += side_length(&r->shape, k);
    for (uint32_t k = 0; k < sides; k++) {
        rows_of[k] = 1 + (uint32_t)((r->rows - sides) * (side_length(&r->shape, k) / total));
        given += rows_of[k];
    }
    while (given < r->rows) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < sides; k++)
            if (side_length(&r->shape, k) / rows_of[k] > side_length(&r->shape, most) / rows_of[most])
                most = k;
        rows_of[most]++;
        given++;
    }
    uint32_t row = 0;
    for (uint32_t k = 0; k < sides; k++)
        for (uint32_t n = 0; n < rows_of[k]; n++) {
            r->from[row] = k;
            r->share[row++] = (double)n / rows_of[k];
        }
    r->from[row] = sides - 1; /* the end of the last side */
    r->share[row] = 1;
}

/* Chooses rows and columns so that quads are about square and there are not too many triangles. */
static void choose_counts(revolved *r, uint32_t triangles)
{
    const uint32_t sides = side_count(&r->shape);
    double length = 0, area = 0;
    for (uint32_t k = 0; k < sides; k++) {
        const double side = side_length(&r->shape, k);
        length += side;
        area += side * RNI_PI * (r->shape.radius[k] + r->shape.radius[(k + 1) % r->shape.count]);
    }
    const double around = area / length;
    const uint32_t poles = r->shape.is_loop ? 0 : 2;
    r->columns = (uint32_t)fmax(5, floor(sqrt(0.5 * triangles * around / length)));
    for (;; r->columns--) {
        const uint64_t rows = ((uint64_t)triangles + poles * r->columns) / (2 * (uint64_t)r->columns);
        r->rows = rows < ROWS_MAX ? (uint32_t)rows : ROWS_MAX;
        if (r->rows >= sides || r->columns == 3) return;
    }
}

static rn_result revolve(rni_making *making, revolved *r)
{
    const rni_net none = {0};
    rni_memory *memory = &making->mesh->memory;
    rni_buffer from = {0}, share = {0};
    uint32_t rows_of[CORNERS_MAX] = {0};
    choose_counts(r, making->triangles);
    if (r->rows < side_count(&r->shape))
        return rni_fail(RN_ERROR_ARGUMENT, "%s: %u triangles are too few for these parameters",
                        making->maker->info.name, making->triangles);
    rn_result result = rni_buffer_need(memory, &from, (uint64_t)r->rows + 1, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &share, (uint64_t)r->rows + 1, sizeof(double));
    if (result == RN_OK) {
        r->from = from.data;
        r->share = share.data;
        share_rows(r, rows_of);
        rni_net net = none;
        net.rows = r->rows;
        net.columns = r->columns;
        net.wraps_columns = true;
        net.wraps_rows = r->shape.is_loop;
        net.first_is_pole = net.last_is_pole = !r->shape.is_loop;
        net.at = vertex_at;
        net.user = r;
        result = rni_net_add(making->mesh, &net);
    }
    rni_buffer_free(memory, &from);
    rni_buffer_free(memory, &share);
    return result;
}

/* --- the shapes -------------------------------------------------------------------------------- */

/* A profile has as many corners as its triangles can show. */
static uint32_t curve_corners(const rni_making *making, uint32_t most)
{
    const uint32_t fitting = (uint32_t)sqrt(making->triangles / 8.0);
    return fitting < 4 ? 4 : fitting < most ? fitting : most;
}

/* Past half a circle the ends come closer again. */
static bool ends_meet(double bend, double arc, double outer)
{
    return bend > RNI_PI && 2 * arc * sin(0.5 * bend) < 2.1 * outer;
}

static rn_result make_pipe(rni_making *making)
{
    const double length = making->value[0], radius = making->value[1], wall = making->value[2];
    revolved r = {.length = length, .bend = making->value[3] * RNI_PI / 180};
    const double outer = radius + wall;
    if (r.bend > 0 && length / r.bend <= 1.05 * outer)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "pipe: a bend of %g degrees over %g m has a radius of %.3g m, less than the pipe's %.3g m; "
            "make it longer or straighter",
            making->value[3], length, length / r.bend, outer);
    if (ends_meet(r.bend, length / r.bend, outer))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pipe: the ends of a bend of %g degrees meet; make it longer, or use less",
                        making->value[3]);
    if (wall > 0) {
        r.shape.is_loop = true;
        add_corner(&r.shape, 0, radius);
        add_corner(&r.shape, length, radius);
        add_corner(&r.shape, length, outer);
        add_corner(&r.shape, 0, outer);
    } else {
        add_corner(&r.shape, 0, 0);
        add_corner(&r.shape, 0, radius);
        add_corner(&r.shape, length, radius);
        add_corner(&r.shape, length, 0);
    }
    return revolve(making, &r);
}

static rn_result make_venturi(rni_making *making)
{
    const double length = making->value[0], radius = making->value[1], throat = making->value[2];
    const double wall = making->value[3];
    revolved r = {.shape = {.is_loop = wall > 0}};
    if (throat >= radius)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "venturi: throat is %g m; it must be less than radius, %g m", throat, radius);
    /* Straight for 20 %, narrower for 20 %, throat for 10 %, wider again for 30 %, straight. */
    const uint32_t corners = curve_corners(making, 40);
    if (!(wall > 0)) add_corner(&r.shape, 0, 0);
    add_corner(&r.shape, 0, radius);
    for (uint32_t k = 0; k <= corners; k++) {
        const double t = (double)k / corners;
        add_corner(&r.shape, (0.2 + 0.2 * t) * length, radius + (throat - radius) * smooth_step(t));
    }
    for (uint32_t k = 0; k <= corners; k++) {
        const double t = (double)k / corners;
        add_corner(&r.shape, (0.5 + 0.3 * t) * length, throat + (radius - throat) * smooth_step(t));
    }
    add_corner(&r.shape, length, radius);
    add_corner(&r.shape, length, wall > 0 ? radius + wall : 0);
    if (wall > 0) add_corner(&r.shape, 0, radius + wall);
    return revolve(making, &r);
}

/* An arc of a sphere about (centre, 0), from one height to another. */
static void add_arc(profile *p, double centre, double size, double begin, double end, uint32_t corners)
{
    const double first = acos(fmax(-1, fmin(1, (centre - begin) / size)));
    const double last = acos(fmax(-1, fmin(1, (centre - end) / size)));
    for (uint32_t k = 0; k <= corners; k++) {
        const double angle = first + (last - first) * k / corners;
        const bool is_pole =
            (k == 0 && begin <= centre - size) || (k == corners && end <= centre - size);
        add_corner(p, centre - size * cos(angle), is_pole ? 0 : size * sin(angle));
    }
}

static rn_result make_bowl(rni_making *making)
{
    const double radius = making->value[0], depth = making->value[1], wall = making->value[2];
    const double size = (radius * radius + depth * depth) / (2 * depth);
    const uint32_t corners = curve_corners(making, 60);
    revolved r = {.is_upright = true};
    add_arc(&r.shape, size, size + wall, -wall, depth, corners);
    add_arc(&r.shape, size, size, depth, 0, corners);
    return revolve(making, &r);
}

/* Outer radius of the jug at a share of its height. */
static double jug_radius(double t, double belly, double neck)
{
    const double base = 0.75 * belly;
    if (t < 0.35) return base + (belly - base) * sin(0.5 * RNI_PI * t / 0.35);
    if (t < 0.8) return neck + (belly - neck) * (1 - smooth_step((t - 0.35) / 0.45));
    return neck + 0.12 * neck * smooth_step((t - 0.8) / 0.2);
}

static rn_result make_jug(rni_making *making)
{
    const double height = making->value[0], belly = making->value[1], neck = making->value[2];
    const double wall = making->value[3];
    const uint32_t corners = curve_corners(making, 60);
    revolved r = {.is_upright = true};
    if (neck > belly || wall > 0.4 * neck || wall > 0.2 * height)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "jug: neck (%g m) must not exceed belly (%g m), and wall (%g m) must be less than 0.4 of neck "
            "and 0.2 of height",
            neck, belly, wall);
    r.spout = making->value[4] * neck;
    r.spout_from = 0.75 * height;
    r.spout_to = height;
    add_corner(&r.shape, 0, 0);
    for (uint32_t k = 0; k <= corners; k++)
        add_corner(&r.shape, height * k / corners, jug_radius((double)k / corners, belly, neck));
    for (uint32_t k = 0; k <= corners; k++) {
        const double y = height - (height - wall) * k / corners;
        add_corner(&r.shape, y, jug_radius(y / height, belly, neck) - wall);
    }
    add_corner(&r.shape, wall, 0);
    return revolve(making, &r);
}

/* --- the table --------------------------------------------------------------------------------- */

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static const rn_mesh_parameter pipe_parameters[] = {
    {"length", 0.5, 1e-3, 1e3, "along x, m"},
    {"radius", 0.05, 1e-4, 1e2, "inside, m"},
    {"wall", 0.01, 0, 1e2, "thickness, m; 0: a closed cylinder, for water inside"},
    {"bend", 0, 0, 330, "angle of the bend, degrees; 0: straight"}};
const rni_maker rni_maker_pipe = {
    .info = {"pipe", "a pipe along x, straight or bent; the wall is solid, the ends are open", 2000,
             60, false, COUNT_OF(pipe_parameters), pipe_parameters},
    .make = make_pipe};

static const rn_mesh_parameter venturi_parameters[] = {
    {"length", 0.6, 1e-3, 1e3, "along x, m"},
    {"radius", 0.05, 1e-4, 1e2, "inside, at the ends, m"},
    {"throat", 0.025, 1e-4, 1e2, "inside, where it is narrowest, m"},
    {"wall", 0.01, 0, 1e2, "thickness at the ends, m; 0: a closed shape, for water inside"}};
const rni_maker rni_maker_venturi = {
    .info = {"venturi", "a pipe along x with a narrow throat; the wall is solid, the ends are open",
             4000, 200, false, COUNT_OF(venturi_parameters), venturi_parameters},
    .make = make_venturi};

static const rn_mesh_parameter bowl_parameters[] = {
    {"radius", 0.15, 1e-3, 1e3, "of the opening, inside, m"},
    {"depth", 0.1, 1e-3, 1e3, "inside, m; the bottom inside is y = 0"},
    {"wall", 0.01, 1e-4, 1e2, "thickness, m"}};
const rni_maker rni_maker_bowl = {
    .info = {"bowl", "part of a sphere, open at the top, with a solid wall", 4000, 200, false,
             COUNT_OF(bowl_parameters), bowl_parameters},
    .make = make_bowl};

static const rn_mesh_parameter jug_parameters[] = {
    {"height", 0.25, 1e-2, 1e3, "m; the bottom outside is y = 0"},
    {"belly", 0.08, 1e-3, 1e2, "greatest radius, outside, m"},
    {"neck", 0.05, 1e-3, 1e2, "least radius, outside, m"},
    {"wall", 0.006, 1e-4, 1e1, "thickness, m"},
    {"spout", 0.5, 0, 1.5, "how far the spout reaches out, in neck radii; 0: none"}};
const rni_maker rni_maker_jug = {
    .info = {"jug", "a jug with belly, neck and a spout towards x, without a handle", 6000, 240,
             false, COUNT_OF(jug_parameters), jug_parameters},
    .make = make_jug};
