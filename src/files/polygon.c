#include "files/polygon.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

#define EARS_MAX 256u /* the time may grow with the cube of the corners */

static bool resize(void **array, size_t count, size_t bytes)
{
    void *larger = realloc(*array, count * bytes);
    if (larger) *array = larger;
    return larger != NULL;
}

static rn_result reserve(rni_polygon *p, uint32_t capacity)
{
    if (!resize((void **)&p->position, capacity, sizeof *p->position) ||
        !resize((void **)&p->texture, capacity, sizeof *p->texture) ||
        !resize((void **)&p->vertex, capacity, sizeof *p->vertex) ||
        !resize((void **)&p->next, capacity, sizeof *p->next) ||
        !resize((void **)&p->previous, capacity, sizeof *p->previous) ||
        !resize((void **)&p->cut, capacity, sizeof *p->cut))
        return rni_fail(RN_ERROR_MEMORY, "no memory for a face of %u corners", capacity);
    p->capacity = capacity;
    return RN_OK;
}

rn_result rni_polygon_add(rni_polygon *p, uint32_t vertex, const float position[3],
                          const float texture[2])
{
    if (p->count == p->capacity) {
        rn_result result = reserve(p, p->capacity ? 2 * p->capacity : 16);
        if (result != RN_OK) return result;
    }
    for (int axis = 0; axis < 3; axis++) p->position[p->count][axis] = position[axis];
    for (int axis = 0; axis < 2; axis++)
        p->texture[p->count][axis] = texture ? texture[axis] : 0.0f;
    p->vertex[p->count++] = vertex;
    return RN_OK;
}

void rni_polygon_release(rni_polygon *p)
{
    free(p->position);
    free(p->texture);
    free(p->vertex);
    free(p->next);
    free(p->previous);
    free(p->cut);
    *p = (rni_polygon){0};
}

static void cut_fan(rni_polygon *p)
{
    for (uint32_t k = 0; k + 2 < p->count; k++) {
        p->cut[k][0] = 0;
        p->cut[k][1] = k + 1;
        p->cut[k][2] = k + 2;
    }
}

/* The axes u, v of the plane of the polygon in which its area is largest and positive (Newell's
 * normal). False: there is no area. */
static bool find_axes(const rni_polygon *p, int *u, int *v)
{
    double normal[3] = {0};
    for (uint32_t k = 0; k < p->count; k++) {
        const float *a = p->position[k], *b = p->position[(k + 1) % p->count];
        for (int axis = 0; axis < 3; axis++) {
            const int s = (axis + 1) % 3, t = (axis + 2) % 3;
            normal[axis] += ((double)a[s] - (double)b[s]) * ((double)a[t] + (double)b[t]);
        }
    }
    int most = 0;
    for (int axis = 1; axis < 3; axis++)
        if (fabs(normal[axis]) > fabs(normal[most])) most = axis;
    *u = (most + 1) % 3;
    *v = (most + 2) % 3;
    if (normal[most] < 0) {
        const int kept = *u;
        *u = *v;
        *v = kept;
    }
    return normal[most] != 0;
}

static double turn(const float *a, const float *b, const float *c, int u, int v)
{
    const double au = (double)a[u], av = (double)a[v];
    return ((double)b[u] - au) * ((double)c[v] - av) - ((double)b[v] - av) * ((double)c[u] - au);
}

static bool is_same(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_ear(const rni_polygon *p, uint32_t k, int u, int v)
{
    const float *a = p->position[p->previous[k]], *b = p->position[k];
    const float *c = p->position[p->next[k]];
    if (turn(a, b, c, u, v) <= 0) return false;
    for (uint32_t n = p->next[p->next[k]]; n != p->previous[k]; n = p->next[n]) {
        const float *q = p->position[n];
        if (is_same(q, a) || is_same(q, b) || is_same(q, c)) continue;
        if (turn(a, b, q, u, v) >= 0 && turn(b, c, q, u, v) >= 0 && turn(c, a, q, u, v) >= 0)
            return false;
    }
    return true;
}

void rni_polygon_cut(rni_polygon *p)
{
    int u, v;
    if (p->count < 3) return;
    if (p->count == 3 || p->count > EARS_MAX || !find_axes(p, &u, &v)) {
        cut_fan(p);
        return;
    }
    for (uint32_t k = 0; k < p->count; k++) {
        p->next[k] = (k + 1) % p->count;
        p->previous[k] = (k + p->count - 1) % p->count;
    }
    uint32_t at = 1, since_ear = 0, left = p->count;
    bool is_stuck = false;
    for (uint32_t t = 0; left > 2;) {
        /* Where no corner is an ear the polygon crosses itself: from there on any corner is cut off. */
        is_stuck |= since_ear > left;
        if (left == 3 || is_stuck || is_ear(p, at, u, v)) {
            p->cut[t][0] = p->previous[at];
            p->cut[t][1] = at;
            p->cut[t++][2] = p->next[at];
            p->next[p->previous[at]] = p->next[at];
            p->previous[p->next[at]] = p->previous[at];
            left--;
            since_ear = 0;
            at = p->next[p->next[at]];
        } else {
            at = p->next[at];
            since_ear++;
        }
    }
}
