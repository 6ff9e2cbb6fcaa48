/* A colon: a tube around a centre line (colon_line.h), with three taeniae, the pouches (haustra) between them and the
 * folds between the pouches, and the valves of the rectum.
 *
 * Along each of the three sectors between two taeniae a phase counts pouches; their folds alternate from sector to sector.
 * The radius is a function of the place along the line and of the angle, never larger than the radius of the line, which
 * keeps the surface free of itself. */
#include "mesh/colon_line.h"
#include "mesh/maker.h"
#include "mesh/net.h"

#include "base/error.h"
#include "base/pi.h"
#include "base/random.h"

#include <math.h>

#define POINTS RNI_COLON_POINTS
#define VALVES 3

enum { SCALE, VARIATION, FOLDS, POUCH, OPEN };

typedef struct colon {
    rni_colon_line line;
    double phase[3][POINTS];                      /* pouches passed, per sector */
    double twist[POINTS];                         /* angle of the first taenia */
    double folds;                                 /* depth, as a share of the radius */
    double valve_at[VALVES], valve_angle[VALVES]; /* m along the line */
    bool is_open[2];
    double cap[2]; /* m: length of the caps along the line */
    double body;   /* m: between the caps */
    uint32_t rows, columns;
} colon;

/* --- pouches ----------------------------------------------------------------------------------- */

/* A pouch is 1.3 radii long, more or less, and neighbouring sectors are a third of a pouch apart. */
static void place_pouches(colon *c, uint64_t seed, double pouch)
{
    rni_random random = rni_random_make(seed ^ 0x636f6c6f6eu);
    for (int sector = 0; sector < 3; sector++) {
        double phase = sector / 3.0 + 0.2 * rni_random_unit(&random), rate = 1;
        for (uint32_t i = 0; i < POINTS; i++) {
            if (i % 10 == 0) rate = 1 + 0.3 * (2 * rni_random_unit(&random) - 1);
            c->phase[sector][i] = phase;
            phase += rate * c->line.step / (pouch * c->line.radius[i]);
        }
    }
    double twist = 2 * RNI_PI * rni_random_unit(&random), drift = 0;
    for (uint32_t i = 0; i < POINTS; i++) {
        if (i % 40 == 0) drift = (2 * rni_random_unit(&random) - 1) * c->line.step / 0.25;
        c->twist[i] = twist;
        twist += drift;
    }
    for (int v = 0; v < VALVES; v++) { /* left, right, left, seen from the front */
        const double scale = c->line.radius[0] / 0.013;
        c->valve_at[v] = scale * (0.062 + 0.032 * v + 0.006 * rni_random_unit(&random));
        c->valve_angle[v] = v % 2 ? RNI_PI : 0;
    }
}

static double mix(const double *list, double place)
{
    const uint32_t i = place >= POINTS - 1 ? POINTS - 2 : (uint32_t)place;
    return list[i] + (place - i) * (list[i + 1] - list[i]);
}

/* Depth of the valves of the rectum: crescents that reach into the tube from one side. */
static double valve_depth(const colon *c, double along, double angle)
{
    double depth = 0;
    for (int v = 0; v < VALVES; v++) {
        const double away = (along - c->valve_at[v]) / (0.16 * c->line.radius[0] / 0.013 * 0.03);
        const double facing = cos(angle - c->valve_angle[v]);
        if (facing > 0) depth += 0.38 * exp(-away * away) * facing * facing;
    }
    return depth;
}

/* Radius of the wall; at most that of the line. */
static double radius_at(const colon *c, double along, double angle)
{
    const double place = along / c->line.step;
    double turn = 3 * (angle - mix(c->twist, place)) / (2 * RNI_PI); /* in sectors */
    turn -= 3 * floor(turn / 3);
    const int sector = turn >= 3 ? 2 : (int)turn;
    const double across = turn - sector;
    /* Flat bands at the taeniae, round between them; sharp folds between round pouches. */
    const double width = sqrt(fmax(0, sin(RNI_PI * across)));
    const double pouch = sqrt(fabs(sin(RNI_PI * mix(c->phase[sector], place))));
    const double depth = c->folds * mix(c->line.haustra, place);
    const double share =
        1 - depth * (1 - width * (0.25 + 0.75 * pouch)) - valve_depth(c, along, angle);
    return mix(c->line.radius, place) * share;
}

/* --- positions --------------------------------------------------------------------------------- */

/* The place along the line of a row, and the share of the radius there: caps are half ellipsoids. */
static void row_at(const colon *c, uint32_t row, double *along, double *share)
{
    const double arc[2] = {c->is_open[0] ? 0 : 0.5 * RNI_PI * c->cap[0],
                           c->is_open[1] ? 0 : 0.5 * RNI_PI * c->cap[1]};
    const double way = (arc[0] + c->body + arc[1]) * row / c->rows;
    *share = 1;
    if (way < arc[0]) {
        const double angle = way / c->cap[0];
        *share = sin(angle);
        *along = c->cap[0] * (1 - cos(angle));
    } else if (way <= arc[0] + c->body) {
        *along = (c->is_open[0] ? 0 : c->cap[0]) + way - arc[0];
    } else {
        const double angle = (arc[0] + c->body + arc[1] - way) / c->cap[1];
        *share = sin(fmax(0, angle));
        *along = c->line.step * (POINTS - 1) - c->cap[1] * (1 - cos(angle));
    }
}

static void vertex_at(const void *user, uint32_t row, uint32_t column, double at[3])
{
    const colon *c = user;
    const rni_colon_line *line = &c->line;
    double along, share;
    row_at(c, row, &along, &share);
    const double place = fmin(fmax(along / line->step, 0), POINTS - 1);
    const uint32_t i = place >= POINTS - 1 ? POINTS - 2 : (uint32_t)place;
    const double t = place - i;
    double way[3], side[3], up[3], size = 0, across = 0, length = 0;
    for (int axis = 0; axis < 3; axis++) { /* the direction changes smoothly from point to point */
        const double *p = line->at[i > 0 ? i - 1 : i], *q = line->at[i + 2 < POINTS ? i + 2 : i + 1];
        const double here = line->at[i + 1][axis] - p[axis], next = q[axis] - line->at[i][axis];
        way[axis] = here + t * (next - here);
        side[axis] = line->side[i][axis] + t * (line->side[i + 1][axis] - line->side[i][axis]);
        size += way[axis] * way[axis];
    }
    for (int axis = 0; axis < 3; axis++) across += side[axis] * (way[axis] /= sqrt(size));
    for (int axis = 0; axis < 3; axis++) {
        side[axis] -= across * way[axis];
        length += side[axis] * side[axis];
    }
    for (int axis = 0; axis < 3; axis++) side[axis] /= sqrt(length);
    for (int axis = 0; axis < 3; axis++)
        up[axis] =
            way[(axis + 1) % 3] * side[(axis + 2) % 3] - way[(axis + 2) % 3] * side[(axis + 1) % 3];
    const double angle = 2 * RNI_PI * column / c->columns;
    const double radius = share > 0 ? share * radius_at(c, along, angle) : 0;
    for (int axis = 0; axis < 3; axis++)
        at[axis] = line->at[i][axis] + t * (line->at[i + 1][axis] - line->at[i][axis]) +
                   radius * (cos(angle) * side[axis] + sin(angle) * up[axis]);
}

/* --- the shape --------------------------------------------------------------------------------- */

/* Columns in threes, one sector like the other; rows so that quads are about square. */
static void choose_counts(colon *c, uint32_t triangles)
{
    const double arcs =
        (c->is_open[0] ? 0 : 1.57 * c->cap[0]) + (c->is_open[1] ? 0 : 1.57 * c->cap[1]);
    double around = 0;
    for (uint32_t i = 0; i < POINTS; i++) around += 2 * RNI_PI * c->line.radius[i] / POINTS;
    const double columns = sqrt(0.5 * triangles * around / (c->body + arcs));
    c->columns = columns < 9 ? 9 : 3 * (uint32_t)(columns / 3 + 0.5);
    const uint32_t poles = (c->is_open[0] ? 0 : 1u) + (c->is_open[1] ? 0 : 1u);
    c->rows = (uint32_t)(((uint64_t)triangles + poles * c->columns) / (2 * (uint64_t)c->columns));
}

static rn_result make_colon(rni_making *making)
{
    const double *v = making->value;
    rni_buffer memory = {0};
    rn_result result = rni_buffer_need(&making->mesh->memory, &memory, 1, sizeof(colon));
    if (result != RN_OK) return result;
    colon *c = memory.data;
    *c = (colon){.folds = v[FOLDS],
                 .is_open = {v[OPEN] == 1 || v[OPEN] == 3, v[OPEN] == 2 || v[OPEN] == 3}};
    rni_colon_line_make(&c->line, making->seed, v[SCALE], v[VARIATION]);
    place_pouches(c, making->seed, v[POUCH]);
    c->cap[0] = 0.8 * c->line.radius[0];
    c->cap[1] = 0.9 * c->line.radius[POINTS - 1];
    c->body = c->line.step * (POINTS - 1) - (c->is_open[0] ? 0 : c->cap[0]) -
              (c->is_open[1] ? 0 : c->cap[1]);
    choose_counts(c, making->triangles);
    const rni_net net = {.rows = c->rows,
                         .columns = c->columns,
                         .wraps_columns = true,
                         .first_is_pole = !c->is_open[0],
                         .last_is_pole = !c->is_open[1],
                         .at = vertex_at,
                         .user = c};
    result = rni_net_add(making->mesh, &net);
    rni_buffer_free(&making->mesh->memory, &memory);
    return result;
}

static const rn_mesh_parameter parameters[] = {
    {"scale", 1, 1e-3, 1e3, "size; 1: an adult, about 1.5 m along the line"},
    {"variation", 1, 0, 1, "how much seeds differ; 0: all the same course"},
    {"folds", 0.36, 0, 0.5, "depth of the folds, as a share of the radius; 0: a smooth tube"},
    {"pouch", 1.3, 0.6, 4, "length of a pouch, in radii"},
    {"open", 0, 0, 3, "0: closed; 1: open at the rectum; 2: at the caecum; 3: at both ends"}};
const rni_maker rni_maker_colon = {
    .info = {"colon",
             "rectum, sigmoid, descending, transverse and ascending colon, caecum; every seed is another patient",
             40000, 1200, true, sizeof parameters / sizeof *parameters, parameters},
    .make = make_colon};
