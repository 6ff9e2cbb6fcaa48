#include "mesh/colon_line.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

#define POINTS    RNI_COLON_POINTS
#define CONTROLS  ((int)(sizeof CONTROL / sizeof *CONTROL))
#define ROUNDS    600
#define CLEARANCE 1.06 /* distance of two parts, in sums of their radii */
#define BEND      1.35 /* least radius of a bend, in radii of the tube */

/* Patient standing, seen from the front: x to the patient's left, y up, z to the front; metres. Lengths and widths of
 * the parts follow the means of adults (rectum 15 cm, sigmoid 40, descending 25, transverse 45, ascending and caecum 25). */
typedef struct control {
    double x, y, z, radius, haustra;
    double loose; /* m: how much patients differ here */
} control;

static const control CONTROL[] = {
    {0.000, 0.000, -0.020, 0.013, 0.0, 0.000}, /* anus */
    {0.000, 0.022, -0.030, 0.014, 0.0, 0.000},
    {0.000, 0.050, -0.055, 0.024, 0.0, 0.002}, /* rectum */
    {0.000, 0.085, -0.075, 0.029, 0.0, 0.004},
    {0.000, 0.120, -0.080, 0.028, 0.0, 0.005},
    {0.000, 0.155, -0.066, 0.021, 0.1, 0.005},
    {-0.018, 0.176, -0.032, 0.018, 0.4, 0.008}, /* sigmoid */
    {-0.045, 0.190, 0.012, 0.018, 0.6, 0.012},
    {-0.035, 0.228, 0.048, 0.018, 0.6, 0.014},
    {0.010, 0.246, 0.056, 0.018, 0.6, 0.014},
    {0.050, 0.214, 0.046, 0.018, 0.6, 0.014},
    {0.085, 0.182, 0.026, 0.018, 0.6, 0.010},
    {0.126, 0.196, 0.000, 0.019, 0.7, 0.006},
    {0.146, 0.240, -0.030, 0.020, 0.8, 0.005}, /* descending */
    {0.150, 0.300, -0.045, 0.021, 0.8, 0.005},
    {0.152, 0.360, -0.050, 0.021, 0.8, 0.005},
    {0.152, 0.420, -0.050, 0.022, 0.9, 0.005},
    {0.148, 0.482, -0.046, 0.023, 0.9, 0.005},
    {0.128, 0.526, -0.022, 0.024, 0.9, 0.005}, /* splenic flexure */
    {0.104, 0.506, 0.022, 0.025, 1.0, 0.006},
    {0.080, 0.450, 0.050, 0.026, 1.0, 0.012}, /* transverse, hanging */
    {0.042, 0.404, 0.066, 0.027, 1.0, 0.020},
    {0.000, 0.388, 0.072, 0.027, 1.0, 0.024},
    {-0.044, 0.398, 0.066, 0.028, 1.0, 0.020},
    {-0.088, 0.430, 0.048, 0.028, 1.0, 0.012},
    {-0.122, 0.464, 0.014, 0.029, 1.0, 0.006}, /* hepatic flexure */
    {-0.140, 0.446, -0.032, 0.030, 1.0, 0.005},
    {-0.146, 0.390, -0.052, 0.032, 1.0, 0.005}, /* ascending */
    {-0.146, 0.330, -0.050, 0.033, 1.0, 0.005},
    {-0.142, 0.270, -0.038, 0.035, 1.0, 0.005},
    {-0.132, 0.216, -0.018, 0.037, 0.9, 0.006}, /* caecum */
    {-0.118, 0.172, 0.004, 0.036, 0.8, 0.006},
};

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* --- from control points to points ------------------------------------------------------------- */

/* Value of component k of the control points at t: a uniform cubic B-spline, whose ends are reached. */
static double spline(double p[][5], int k, double t)
{
    const int last = CONTROLS - 1;
    const int i = t >= last ? last - 1 : (int)t;
    const double u = t - i;
    const double b[4] = {(1 - u) * (1 - u) * (1 - u) / 6, (4 - 6 * u * u + 3 * u * u * u) / 6,
                         (1 + 3 * u + 3 * u * u - 3 * u * u * u) / 6, u * u * u / 6};
    double sum = 0;
    for (int n = 0; n < 4; n++) {
        const int at = i + n - 1;
        const double value = at < 0      ? 2 * p[0][k] - p[1][k]
                             : at > last ? 2 * p[last][k] - p[last - 1][k]
                                         : p[at][k];
        sum += b[n] * value;
    }
    return sum;
}

static void vary_controls(double p[][5], uint64_t seed, double scale, double variation)
{
    rni_random random = rni_random_make(seed);
    const double size = scale * (1 + 0.08 * variation * (2 * rni_random_unit(&random) - 1));
    const double sag =
        0.035 * variation * (2 * rni_random_unit(&random) - 1); /* of the transverse colon */
    double moved[3] = {0, 0, 0}, wider = 0;
    for (int c = 0; c < CONTROLS; c++) {
        const control *from = &CONTROL[c];
        const double at[3] = {from->x, from->y, from->z};
        for (int axis = 0; axis < 3; axis++) { /* neighbours move together */
            moved[axis] = 0.55 * moved[axis] + 0.85 * (2 * rni_random_unit(&random) - 1);
            p[c][axis] = size * (at[axis] + variation * from->loose * moved[axis]);
        }
        const double hanging = from->loose >= 0.012 && from->y > 0.38 ? from->loose / 0.024 : 0;
        p[c][1] += size * sag * hanging;
        wider = 0.6 * wider + 0.08 * (2 * rni_random_unit(&random) - 1);
        p[c][3] = size * from->radius * (1 + variation * wider);
        p[c][4] = from->haustra;
    }
}

/* Points at equal distances along what `in` describes. */
static void space_evenly(rni_colon_line *line)
{
    static const double END = 1 - 1e-12;
    double length[POINTS] = {0}, old[POINTS][3], radius[POINTS], haustra[POINTS];
    memcpy(old, line->at, sizeof old);
    memcpy(radius, line->radius, sizeof radius);
    memcpy(haustra, line->haustra, sizeof haustra);
    for (uint32_t i = 1; i < POINTS; i++) length[i] = length[i - 1] + distance(old[i], old[i - 1]);
    line->step = length[POINTS - 1] / (POINTS - 1);
    for (uint32_t i = 0, from = 0; i < POINTS; i++) {
        const double wanted = fmin(i * line->step, END * length[POINTS - 1]);
        while (from + 2 < POINTS && length[from + 1] < wanted) from++;
        const double t = (wanted - length[from]) / (length[from + 1] - length[from]);
        for (int axis = 0; axis < 3; axis++)
            line->at[i][axis] = old[from][axis] + t * (old[from + 1][axis] - old[from][axis]);
        line->radius[i] = radius[from] + t * (radius[from + 1] - radius[from]);
        line->haustra[i] = haustra[from] + t * (haustra[from + 1] - haustra[from]);
    }
}

static void sample(rni_colon_line *line, double p[][5])
{
    for (uint32_t i = 0; i < POINTS; i++) {
        const double t = (double)(CONTROLS - 1) * i / (POINTS - 1);
        for (int axis = 0; axis < 3; axis++) line->at[i][axis] = spline(p, axis, t);
        line->radius[i] = spline(p, 3, t);
        line->haustra[i] = spline(p, 4, t);
    }
    space_evenly(line);
}

/* --- free of itself ---------------------------------------------------------------------------- */

/* Radius of the circle through a point and those a few steps before and after it. */
static double bend_at(const rni_colon_line *line, uint32_t i)
{
    enum { REACH = 3 };
    if (i < REACH || i + REACH >= POINTS) return INFINITY;
    const double *a = line->at[i - REACH], *b = line->at[i], *c = line->at[i + REACH];
    const double ab = distance(a, b), bc = distance(b, c), ca = distance(c, a);
    const double half = 0.5 * (ab + bc + ca);
    const double area = sqrt(fmax(0, half * (half - ab) * (half - bc) * (half - ca)));
    return area > 0 ? ab * bc * ca / (4 * area) : (double)INFINITY;
}

/* Two parts are different ones when the way along the line is much longer than their radii. */
static uint32_t apart(const rni_colon_line *line, uint32_t i)
{
    return 1 + (uint32_t)(3.4 * line->radius[i] / line->step);
}

static void push_apart(rni_colon_line *line, double moves[POINTS][3])
{
    for (uint32_t i = 0; i < POINTS; i++)
        for (uint32_t j = i + apart(line, i); j < POINTS; j++) {
            const double wanted = (CLEARANCE + 0.03) * (line->radius[i] + line->radius[j]);
            const double d = distance(line->at[i], line->at[j]);
            if (d >= wanted || d <= 0) continue;
            for (int axis = 0; axis < 3; axis++) {
                const double way = 0.06 * (wanted - d) / d * (line->at[j][axis] - line->at[i][axis]);
                moves[i][axis] -= way;
                moves[j][axis] += way;
            }
        }
}

static void widen_bends(rni_colon_line *line, double moves[POINTS][3])
{
    enum { REACH = 3 };
    for (uint32_t i = REACH; i + REACH < POINTS; i++) {
        const double wanted = (BEND + 0.05) * line->radius[i], bend = bend_at(line, i);
        if (bend >= wanted) continue;
        for (int axis = 0; axis < 3; axis++) {
            const double middle = 0.5 * (line->at[i - REACH][axis] + line->at[i + REACH][axis]);
            moves[i][axis] += 0.25 * (1 - bend / wanted) * (middle - line->at[i][axis]);
        }
    }
}

/* Moves of neighbours are averaged, so that the line stays smooth. */
static void move_smoothly(rni_colon_line *line, double moves[POINTS][3])
{
    double mean[POINTS][3];
    for (int round = 0; round < 4; round++) {
        memcpy(mean, moves, sizeof mean);
        for (uint32_t i = 1; i + 1 < POINTS; i++)
            for (int axis = 0; axis < 3; axis++)
                moves[i][axis] =
                    0.25 * mean[i - 1][axis] + 0.5 * mean[i][axis] + 0.25 * mean[i + 1][axis];
    }
    for (uint32_t i = 1; i < POINTS; i++)
        for (int axis = 0; axis < 3; axis++) line->at[i][axis] += moves[i][axis];
    space_evenly(line);
}

bool rni_colon_line_is_free(const rni_colon_line *line)
{
    for (uint32_t i = 0; i < POINTS; i++) {
        if (bend_at(line, i) < BEND * line->radius[i]) return false;
        for (uint32_t j = i + apart(line, i); j < POINTS; j++)
            if (distance(line->at[i], line->at[j]) < CLEARANCE * (line->radius[i] + line->radius[j]))
                return false;
    }
    return true;
}

static bool relax(rni_colon_line *line)
{
    double moves[POINTS][3];
    for (int round = 0; round < ROUNDS; round++) {
        if (round % 10 == 0 && rni_colon_line_is_free(line)) return true;
        memset(moves, 0, sizeof moves);
        push_apart(line, moves);
        widen_bends(line, moves);
        move_smoothly(line, moves);
    }
    return rni_colon_line_is_free(line);
}

/* --- frames ------------------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void tangent_at(const rni_colon_line *line, uint32_t i, double out[3])
{
    const uint32_t a = i > 0 ? i - 1 : 0, b = i + 1 < POINTS ? i + 1 : i;
    const double length = distance(line->at[a], line->at[b]);
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (line->at[b][axis] - line->at[a][axis]) / length;
}

/* Side vectors that do not turn about the line (double reflection, Wang et al. 2008). */
static void make_sides(rni_colon_line *line)
{
    double t0[3] = {0}, t1[3], side[3] = {1, 0, 0};
    for (uint32_t i = 0; i < POINTS; i++) {
        tangent_at(line, i, t1);
        if (i > 0) {
            double way[3], reflected[3], turn[3];
            for (int axis = 0; axis < 3; axis++)
                way[axis] = line->at[i][axis] - line->at[i - 1][axis];
            const double first = 2 / dot(way, way), by_side = dot(way, side), by_t = dot(way, t0);
            for (int axis = 0; axis < 3; axis++) {
                side[axis] -= first * by_side * way[axis];
                reflected[axis] = t0[axis] - first * by_t * way[axis];
                turn[axis] = t1[axis] - reflected[axis];
            }
            const double size = dot(turn, turn), second = size > 1e-30 ? 2 / size : 0,
                         by = dot(turn, side);
            for (int axis = 0; axis < 3; axis++) side[axis] -= second * by * turn[axis];
        }
        const double along = dot(side, t1);
        for (int axis = 0; axis < 3; axis++) side[axis] -= along * t1[axis];
        const double length = sqrt(dot(side, side));
        for (int axis = 0; axis < 3; axis++) line->side[i][axis] = side[axis] /= length;
        memcpy(t0, t1, sizeof t0);
    }
}

void rni_colon_line_make(rni_colon_line *line, uint64_t seed, double scale, double variation)
{
    double p[sizeof CONTROL / sizeof *CONTROL][5];
    for (int attempt = 0;; attempt++) {
        vary_controls(p, seed, scale, attempt < 8 ? variation : 0);
        sample(line, p);
        if (relax(line) || attempt == 8) break;
        variation *= 0.7;
    }
    make_sides(line);
}
