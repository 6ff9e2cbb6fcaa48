#include "broadphase/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(judged *truth, uint64_t *capacity, uint32_t a, uint32_t b)
{
    if (truth->count == *capacity) {
        *capacity = 2 * *capacity + 1024;
        truth->pair = realloc(truth->pair, *capacity * sizeof *truth->pair);
    }
    truth->pair[truth->count++] = (rn_pair){a, b};
}

/* The swept box, axis by axis. */
static void path(const scene *s, uint32_t i, int axis, float *low, float *high)
{
    *low = s->low[i][axis];
    *high = s->high[i][axis];
    if (!s->velocity) return;
    float end_low = *low + s->velocity[i][axis] * s->time_step;
    float end_high = *high + s->velocity[i][axis] * s->time_step;
    *low = fminf(*low, end_low);
    *high = fmaxf(*high, end_high);
}

static bool touch(const scene *s, uint32_t i, const scene *t, uint32_t j, uint32_t dim)
{
    for (int axis = 0; axis < (int)dim; axis++) {
        float low_i, high_i, low_j, high_j;
        path(s, i, axis, &low_i, &high_i);
        path(t, j, axis, &low_j, &high_j);
        if (high_i < low_j || high_j < low_i) return false;
    }
    return true;
}

judged judge_pairs(const scene *s, uint32_t dim)
{
    judged truth = {0};
    uint64_t capacity = 0;
    for (uint32_t a = 0; a < s->count; a++)
        for (uint32_t b = a + 1; b < s->count; b++)
            if (touch(s, a, s, b, dim)) add(&truth, &capacity, a, b);
    return truth;
}

judged judge_between(const scene *s, const scene *others, uint32_t dim)
{
    judged truth = {0};
    uint64_t capacity = 0;
    for (uint32_t b = 0; b < others->count; b++)
        for (uint32_t a = 0; a < s->count; a++)
            if (touch(s, a, others, b, dim)) add(&truth, &capacity, a, b);
    return truth;
}

typedef long double real;

/* A separating line exists along an axis, or along a perpendicular of the segment in a plane of two
 * axes. */
static bool segment_hits(const real *a, const real *b, const real *low, const real *high, uint32_t dim)
{
    for (uint32_t u = 0; u < dim; u++) {
        if (fmaxl(a[u], b[u]) < low[u] || fminl(a[u], b[u]) > high[u]) return false;
        for (uint32_t v = u + 1; v < dim; v++) {
            int sides = 0;
            for (int corner = 0; corner < 4; corner++) {
                real cu = (corner & 1 ? high[u] : low[u]) - a[u];
                real cv = (corner & 2 ? high[v] : low[v]) - a[v];
                real x = (b[u] - a[u]) * cv, y = (b[v] - a[v]) * cu;
                sides |= x > y ? 1 : x < y ? 2 : 3;
            }
            if (sides != 3) return false;
        }
    }
    return true;
}

static bool query_hits(const scene *s, uint32_t i, const rn_queries *q, uint32_t k, uint32_t dim)
{
    real a[3], b[3], low[3], high[3], sum = 0;
    bool is_inside = true;
    for (int axis = 0; axis < (int)dim; axis++) {
        float from, to;
        path(s, i, axis, &from, &to);
        low[axis] = (real)from;
        high[axis] = (real)to;
        a[axis] = (real)q->a[3 * (size_t)k + (size_t)axis];
        b[axis] = (real)q->b[3 * (size_t)k + (size_t)axis];
        real upper = q->kind == RN_QUERY_BOX ? b[axis] : a[axis];
        is_inside = is_inside && a[axis] <= high[axis] && upper >= low[axis];
        real d = a[axis] < low[axis] ? low[axis] - a[axis] : 0;
        if (a[axis] > high[axis]) d = a[axis] - high[axis];
        sum += d * d;
    }
    if (q->kind == RN_QUERY_SEGMENT) return segment_hits(a, b, low, high, dim);
    if (q->kind == RN_QUERY_SPHERE) {
        real r = (real)q->radius[k];
        if (fabsl(sum - r * r) <= 1e-14L * r * r) return (double)sum <= (double)(r * r);
        return sum <= r * r;
    }
    return is_inside;
}

judged judge_queries(const scene *s, const rn_queries *queries, uint32_t dim)
{
    judged truth = {0};
    uint64_t capacity = 0;
    for (uint32_t k = 0; k < queries->count; k++)
        for (uint32_t i = 0; i < s->count; i++)
            if (query_hits(s, i, queries, k, dim)) add(&truth, &capacity, i, k);
    return truth;
}

void judge_free(judged *truth)
{
    free(truth->pair);
    *truth = (judged){0};
}

static int by_b_then_a(const void *x, const void *y)
{
    const rn_pair *p = x, *q = y;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return p->a < q->a ? -1 : p->a > q->a;
}

static rn_pair *sorted(const rn_pair *pair, uint64_t count)
{
    rn_pair *copy = malloc((count + 1) * sizeof *copy);
    if (count > 0) memcpy(copy, pair, count * sizeof *copy);
    bool is_sorted = true;
    for (uint64_t k = 1; k < count; k++)
        is_sorted = is_sorted && by_b_then_a(&copy[k - 1], &copy[k]) <= 0;
    if (!is_sorted) qsort(copy, count, sizeof *copy, by_b_then_a);
    return copy;
}

const char *judge_compare(const judged *truth, const rn_pair *pair, uint64_t count, bool is_exact)
{
    static char sentence[256];
    const char *said = NULL;
    rn_pair *want = is_exact ? NULL : sorted(truth->pair, truth->count);
    rn_pair *have = is_exact ? NULL : sorted(pair, count);
    const rn_pair *w = is_exact ? truth->pair : want, *h = is_exact ? pair : have;
    uint64_t least = count < truth->count ? count : truth->count, k = 0;
    while (k < least && w[k].a == h[k].a && w[k].b == h[k].b) k++;
    if (k < least || count != truth->count) {
        rn_pair none = {UINT32_MAX, UINT32_MAX}, x = k < truth->count ? w[k] : none;
        rn_pair y = k < count ? h[k] : none;
        snprintf(sentence, sizeof sentence,
                 "%llu pairs instead of %llu; at place %llu (%u, %u) instead of (%u, %u)",
                 (unsigned long long)count, (unsigned long long)truth->count, (unsigned long long)k,
                 y.a, y.b, x.a, x.b);
        said = sentence;
    }
    free(want);
    free(have);
    return said;
}

const char *judge_hits(const judged *truth, const rn_hits *hits, bool is_exact)
{
    rn_pair *pair = malloc((hits->entry_count + 1) * sizeof *pair);
    for (uint32_t k = 0; k < hits->count; k++)
        for (uint64_t n = hits->start[k]; n < hits->start[k + 1]; n++)
            pair[n] = (rn_pair){hits->index[n], k};
    const char *said = judge_compare(truth, pair, hits->entry_count, is_exact);
    if (hits->count > 0 && hits->start[hits->count] != hits->entry_count)
        said = "the last start is not the number of entries";
    free(pair);
    return said;
}

uint64_t judge_hash(const rn_pair *pair, uint64_t count)
{
    uint64_t hash = 1469598103934665603u;
    for (uint64_t k = 0; k < count; k++) {
        hash = (hash ^ pair[k].a) * 1099511628211u;
        hash = (hash ^ pair[k].b) * 1099511628211u;
    }
    return hash ? hash : 1;
}

rn_broadphase_stats broadphase_stats_of(const rn_broadphase *phase)
{
    rn_broadphase_stats stats = rn_broadphase_stats_default();
    if (rn_broadphase_get_stats(phase, &stats) != RN_OK) abort();
    return stats;
}
