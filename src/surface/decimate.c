/* Decimation: edges collapse where the surface hardly changes (quadrics of Garland and Heckbert 1997).
 *
 * Several passes with a growing bound of the error; in each pass a vertex takes part in one collapse at most, in the order
 * of the triangles, so the result depends on the mesh only. A collapse that would make the mesh not manifold, or turn a
 * triangle over, is left out. A vertex on a wall stays on its wall. */
#include "surface/surface.h"

#include <math.h>
#include <string.h>

#define MAX_PASSES 80u
#define MAX_RING   64u
#define GROWTH     1.8

/* Sum of squared distances from planes: symmetric 4 x 4, upper part by rows. */
typedef struct quadric {
    double q[10];
} quadric;

typedef struct decimation {
    rn_surface *s;
    uint32_t *corner; /* of each triangle: its vertices; the first is UINT32_MAX: removed */
    uint32_t *twin; /* half edge c is from corner c to the next of its triangle; its twin runs back */
    uint32_t *out;     /* a half edge from each vertex */
    uint32_t *touched; /* pass in which a vertex last changed; from 1 */
    quadric *quadrics;
    uint32_t triangle_count;
} decimation;

static uint32_t next_of(uint32_t c)
{
    return c % 3 == 2 ? c - 2 : c + 1;
}

static uint32_t prev_of(uint32_t c)
{
    return c % 3 == 0 ? c + 2 : c - 1;
}

/* --- set up ------------------------------------------------------------------------------------------ */

static void find_twins(decimation *d)
{
    rn_surface *s = d->s;
    uint32_t *start = s->ring_start.data;
    uint32_t *ring = s->ring.data;
    size_t corners = 3 * (size_t)s->triangle_count;
    memset(start, 0, (s->vertex_count + (size_t)2) * sizeof *start);
    for (size_t c = 0; c < corners; c++) start[d->corner[c] + 2]++;
    for (uint32_t v = 0; v < s->vertex_count; v++) start[v + 2] += start[v + 1];
    for (uint32_t c = 0; c < corners; c++) ring[start[d->corner[c] + 1]++] = c;
    for (uint32_t c = 0; c < corners; c++) {
        uint32_t from = d->corner[c];
        uint32_t to = d->corner[next_of(c)];
        d->out[from] = c;
        for (uint32_t n = start[to]; n < start[to + 1]; n++)
            if (d->corner[next_of(ring[n])] == from) d->twin[c] = ring[n];
    }
}

static void find_normal(const float *a, const float *b, const float *c, double n[3])
{
    double u[3], v[3];
    for (uint32_t k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

/* Planes weighted by area, relative to the grid's corner. */
static void add_planes(decimation *d)
{
    const rn_surface *s = d->s;
    const float *x = s->vertex.data;
    memset(d->quadrics, 0, s->vertex_count * sizeof *d->quadrics);
    for (size_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = d->corner + 3 * t;
        double n[4];
        find_normal(x + 3 * (size_t)c[0], x + 3 * (size_t)c[1], x + 3 * (size_t)c[2], n);
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length > 0)) continue;
        n[3] = 0;
        for (uint32_t k = 0; k < 3; k++) {
            n[k] /= length;
            n[3] -= n[k] * (double)(x[3 * (size_t)c[0] + k] - s->grid.low[k]);
        }
        for (uint32_t v = 0; v < 3; v++) {
            double *q = d->quadrics[c[v]].q;
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t j = i; j < 4; j++) *q++ += length * n[i] * n[j];
        }
    }
}

static double error_at(const quadric *a, const quadric *b, const double p[3])
{
    const double v[4] = {p[0], p[1], p[2], 1};
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = i; j < 4; j++, n++)
            sum += (i == j ? 1 : 2) * (a->q[n] + b->q[n]) * v[i] * v[j];
    return sum;
}

/* --- one collapse ------------------------------------------------------------------------------------ */

/* The neighbours of a vertex; UINT32_MAX: too many. */
static uint32_t list_ring(const decimation *d, uint32_t v, uint32_t ring[MAX_RING])
{
    uint32_t count = 0;
    uint32_t c = d->out[v];
    do {
        if (count == MAX_RING) return UINT32_MAX;
        ring[count++] = d->corner[next_of(c)];
        c = d->twin[prev_of(c)];
    } while (c != d->out[v]);
    return count;
}

/* Whether the mesh stays manifold: the two have just the two neighbours of the edge in common, which keep three. */
static bool can_join(const decimation *d, uint32_t h)
{
    uint32_t first[MAX_RING], last[MAX_RING], other[MAX_RING];
    uint32_t n = list_ring(d, d->corner[h], first);
    uint32_t m = list_ring(d, d->corner[next_of(h)], last);
    if (n == UINT32_MAX || m == UINT32_MAX || n + m > 20) return false;
    uint32_t common = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++) common += first[i] == last[j];
    if (common != 2) return false;
    return list_ring(d, d->corner[prev_of(h)], other) > 4 &&
           list_ring(d, d->corner[prev_of(d->twin[h])], other) > 4;
}

/* Whether triangles around v, other than those at the edge to w, keep their side when v moves to p. */
static bool keeps_sides(const decimation *d, uint32_t v, uint32_t w, const float p[3])
{
    const float *x = d->s->vertex.data;
    uint32_t c = d->out[v];
    do {
        uint32_t a = d->corner[next_of(c)];
        uint32_t b = d->corner[prev_of(c)];
        if (a != w && b != w) {
            double before[3], after[3], product = 0, before_sq = 0, after_sq = 0;
            find_normal(x + 3 * (size_t)v, x + 3 * (size_t)a, x + 3 * (size_t)b, before);
            find_normal(p, x + 3 * (size_t)a, x + 3 * (size_t)b, after);
            for (uint32_t k = 0; k < 3; k++) {
                product += before[k] * after[k];
                before_sq += before[k] * before[k];
                after_sq += after[k] * after[k];
            }
            if (!(product > 0.3 * sqrt(before_sq * after_sq)) || !(after_sq > 1e-4 * before_sq))
                return false;
        }
        c = d->twin[prev_of(c)];
    } while (c != d->out[v]);
    return true;
}

/* The best of both ends and the middle. Returns the error, m^4: infinite for vertices of different kinds, such as on a wall
 * and next to it. *share: of the way from v to w. */
static double find_place(const decimation *d, uint32_t v, uint32_t w, float p[3], float *share)
{
    const float *x = d->s->vertex.data;
    const float *low = d->s->grid.low;
    const uint8_t *kind = d->s->kind.data;
    if (kind[v] != kind[w]) return (double)INFINITY;
    double best = (double)INFINITY;
    for (uint32_t n = 0; n < 3; n++) {
        double at[3];
        for (uint32_t k = 0; k < 3; k++) {
            double a = (double)(x[3 * (size_t)v + k] - low[k]);
            double b = (double)(x[3 * (size_t)w + k] - low[k]);
            at[k] = n == 0 ? a : n == 2 ? b : 0.5 * (a + b);
        }
        double error = error_at(&d->quadrics[v], &d->quadrics[w], at);
        if (!(error < best)) continue;
        best = error;
        *share = 0.5f * (float)n;
        for (uint32_t k = 0; k < 3; k++) {
            float a = x[3 * (size_t)v + k];
            float b = x[3 * (size_t)w + k];
            p[k] = n == 0 ? a : n == 2 ? b : 0.5f * (a + b);
        }
    }
    return best;
}

static void join_twins(decimation *d, uint32_t a, uint32_t b)
{
    d->twin[a] = b;
    d->twin[b] = a;
}

static void set_length(float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (uint32_t k = 0; k < 3 && length > 0; k++) n[k] /= length;
    if (!(length > 0)) n[1] = 1;
}

/* The end of half edge h becomes its start, which moves to p, the given share of the way. */
static void collapse(decimation *d, uint32_t h, const float p[3], float share)
{
    uint32_t v = d->corner[h];
    uint32_t w = d->corner[next_of(h)];
    uint32_t g = d->twin[h];
    uint32_t left = d->corner[prev_of(h)];
    uint32_t right = d->corner[prev_of(g)];
    for (uint32_t c = d->out[w], first = c;;) {
        uint32_t following = d->twin[prev_of(c)];
        d->corner[c] = v;
        c = following;
        if (c == first) break;
    }
    uint32_t at_left[2] = {d->twin[next_of(h)], d->twin[prev_of(h)]};
    uint32_t at_right[2] = {d->twin[next_of(g)], d->twin[prev_of(g)]};
    join_twins(d, at_left[0], at_left[1]);
    join_twins(d, at_right[0], at_right[1]);
    d->out[v] = at_left[1];
    d->out[left] = at_left[0];
    d->out[right] = at_right[0];
    d->out[w] = UINT32_MAX;
    d->corner[h - h % 3] = UINT32_MAX;
    d->corner[g - g % 3] = UINT32_MAX;
    memcpy((float *)d->s->vertex.data + 3 * (size_t)v, p, 3 * sizeof(float));
    for (uint32_t n = 0; n < 10; n++) d->quadrics[v].q[n] += d->quadrics[w].q[n];
    float *normal = d->s->normal.data;
    for (uint32_t k = 0; k < 3; k++)
        normal[3 * (size_t)v + k] =
            (1 - share) * normal[3 * (size_t)v + k] + share * normal[3 * (size_t)w + k];
    set_length(normal + 3 * (size_t)v);
    d->triangle_count -= 2;
}

static void run_pass(decimation *d, uint32_t pass, double bound, uint32_t wanted)
{
    uint32_t corners = 3 * d->s->triangle_count;
    for (uint32_t h = 0; h < corners && d->triangle_count > wanted; h++) {
        if (d->corner[h - h % 3] == UINT32_MAX) continue;
        uint32_t v = d->corner[h];
        uint32_t w = d->corner[next_of(h)];
        float p[3], share = 0;
        if (d->touched[v] == pass || d->touched[w] == pass) continue;
        if (!(find_place(d, v, w, p, &share) <= bound) || !can_join(d, h)) continue;
        if (!keeps_sides(d, v, w, p) || !keeps_sides(d, w, v, p)) continue;
        uint32_t ring[MAX_RING];
        collapse(d, h, p, share);
        uint32_t count = list_ring(d, v, ring);
        d->touched[v] = pass;
        for (uint32_t n = 0; n < count && count != UINT32_MAX; n++) d->touched[ring[n]] = pass;
    }
}

/* --- the rest ---------------------------------------------------------------------------------------- */

static void compact(decimation *d)
{
    rn_surface *s = d->s;
    float *vertex = s->vertex.data;
    float *normal = s->normal.data;
    uint8_t *kind = s->kind.data;
    uint32_t *number = d->touched;
    uint32_t vertices = 0, triangles = 0;
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        if (d->out[v] == UINT32_MAX) continue;
        number[v] = vertices;
        memmove(vertex + 3 * (size_t)vertices, vertex + 3 * (size_t)v, 3 * sizeof(float));
        memmove(normal + 3 * (size_t)vertices, normal + 3 * (size_t)v, 3 * sizeof(float));
        kind[vertices++] = kind[v];
    }
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        if (d->corner[3 * (size_t)t] == UINT32_MAX) continue;
        for (uint32_t k = 0; k < 3; k++)
            d->corner[3 * (size_t)triangles + k] = number[d->corner[3 * (size_t)t + k]];
        triangles++;
    }
    s->vertex_count = vertices;
    s->triangle_count = triangles;
}

rn_result rni_surface_decimate(rn_surface *s)
{
    if (s->def.keep_triangles >= 1 || s->triangle_count == 0) return RN_OK;
    uint64_t vertices = s->vertex_count;
    if (rni_surface_need(&s->memory, &s->twin, 3 * (uint64_t)s->triangle_count, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->out, vertices, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->touched, vertices, sizeof(uint32_t)) ||
        rni_surface_need(&s->memory, &s->quadrics, vertices, sizeof(quadric)))
        return RN_ERROR_MEMORY;
    decimation d = {.s = s,
                    .corner = s->triangle.data,
                    .twin = s->twin.data,
                    .out = s->out.data,
                    .touched = s->touched.data,
                    .quadrics = s->quadrics.data,
                    .triangle_count = s->triangle_count};
    find_twins(&d);
    add_planes(&d);
    memset(d.touched, 0, vertices * sizeof(uint32_t));
    uint32_t wanted = (uint32_t)((double)s->def.keep_triangles * s->triangle_count);
    double step = (double)s->grid.step[0];
    double bound = 1e-7 * step * step * step * step;
    for (uint32_t pass = 1; pass <= MAX_PASSES && d.triangle_count > wanted; pass++) {
        run_pass(&d, pass, bound, wanted);
        bound *= GROWTH;
    }
    compact(&d);
    return RN_OK;
}
