/* Distance of two triangles that do not intersect: of their edges, and of corners and faces. */
#include "mesh/pairs.h"

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec of(const float *p)
{
    return (vec){(double)p[0], (double)p[1], (double)p[2]};
}

static vec minus(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec along(vec a, vec d, double t)
{
    return (vec){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double clamp(double t)
{
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* The closest pair found so far. */
typedef struct closest {
    double distance_sq;
    vec on_a, on_b;
} closest;

static void offer(closest *best, vec on_a, vec on_b)
{
    const vec d = minus(on_a, on_b);
    const double distance_sq = dot(d, d);
    if (distance_sq < best->distance_sq) *best = (closest){distance_sq, on_a, on_b};
}

/* Segments a + s u and b + t v; s and t in 0 .. 1. */
static void offer_segments(closest *best, vec a, vec u, vec b, vec v)
{
    const vec w = minus(a, b);
    const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
    const double area = uu * vv - uv * uv;
    double s = area > 1e-14 * uu * vv ? clamp((uv * vw - vv * uw) / area) : 0;
    double t = vv > 0 ? (uv * s + vw) / vv : 0;
    if (t < 0 || t > 1) {
        t = clamp(t);
        s = uu > 0 ? clamp((uv * t - uw) / uu) : 0;
    }
    offer(best, along(a, u, s), along(b, v, t));
}

/* The foot of a corner on the face, if it is inside of the face. */
static bool foot_of(vec p, const vec t[3], vec *foot)
{
    const vec normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    const double size_sq = dot(normal, normal);
    if (!(size_sq > 0)) return false;
    for (int k = 0; k < 3; k++) {
        const vec edge = minus(t[(k + 1) % 3], t[k]);
        if (dot(cross(edge, minus(p, t[k])), normal) < 0) return false;
    }
    *foot = along(p, normal, -dot(minus(p, t[0]), normal) / size_sq);
    return true;
}

double rni_triangle_distance(const float *const a[3], const float *const b[3], double on_a[3],
                             double on_b[3])
{
    const vec p[3] = {of(a[0]), of(a[1]), of(a[2])}, q[3] = {of(b[0]), of(b[1]), of(b[2])};
    closest best = {.distance_sq = INFINITY};
    vec foot;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            offer_segments(&best, p[i], minus(p[(i + 1) % 3], p[i]), q[j],
                           minus(q[(j + 1) % 3], q[j]));
    for (int k = 0; k < 3; k++) {
        if (foot_of(p[k], q, &foot)) offer(&best, p[k], foot);
        if (foot_of(q[k], p, &foot)) offer(&best, foot, q[k]);
    }
    on_a[0] = best.on_a.x, on_a[1] = best.on_a.y, on_a[2] = best.on_a.z;
    on_b[0] = best.on_b.x, on_b[1] = best.on_b.y, on_b[2] = best.on_b.z;
    return sqrt(best.distance_sq);
}
