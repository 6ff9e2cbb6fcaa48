#include "fluid/top_up.h"

#include "fluid/particles.h"
#include "fluid/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of a cell along each axis. */
#define SAMPLES 3

/* Cells that lack a particle by this part of them that is inside: index is part of the order, so that it is one. */
typedef struct shortage {
    float part, x[3];
    uint32_t cell;
} shortage;

static uint32_t cell_at(const rni_lattice *l, const uint32_t at[3])
{
    return (at[2] * (uint32_t)l->count[1] + at[1]) * (uint32_t)l->count[0] + at[0];
}

/* Whether a cell and its neighbours are not all full, or all empty. */
static bool is_at_rim(const rni_vessel *w, uint32_t dim, const uint32_t at[3])
{
    const bool is_full = w->is_full[cell_at(w->lattice, at)];
    for (uint32_t a = 0; a < dim; a++)
        for (int step = -1; step <= 1; step += 2) {
            uint32_t next[3] = {at[0], at[1], at[2]};
            const double to = (double)at[a] + step;
            if (to < 0 || to >= w->lattice->count[a]) continue; /* the face of the block */
            next[a] = (uint32_t)to;
            if (w->is_full[cell_at(w->lattice, next)] != is_full) return true;
        }
    return false;
}

/* A cell of a vessel, whose parts are sampled. */
typedef struct rim_cell {
    float center[3];
    double distance; /* of the center from walls, m; negative: in a solid */
    uint32_t inside; /* samples that are inside so far, and the sum of their places */
    double sum[3];
} rim_cell;

/* Where no wall is between x and the center, both are on the same side. */
static bool is_in_fluid(const rn_fluid *f, const rim_cell *c, const float x[3])
{
    double way_sq = 0;
    for (int a = 0; a < 3; a++) way_sq += pow((double)x[a] - (double)c->center[a], 2);
    if (0.999 * fabs(c->distance) > sqrt(way_sq)) return c->distance > 0;
    return rni_walls_distance(f, x) >= 0;
}

static bool is_inside(const rn_fluid *f, const rni_vessel *w, const rim_cell *c, const float x[3])
{
    float v[3] = {0, 0, 0};
    return rni_is_in_domain(&f->def, x) && is_in_fluid(f, c, x) && w->place(w->user, x, v);
}

void rni_align_with_level(const rn_fluid *f, const rni_vessel *w, const rni_extent *box,
                          rni_lattice *l)
{
    uint32_t top, up = rni_up_axis(&f->def, &top), at[3];
    const uint32_t b = (up + 1) % 3, c = (up + 2) % 3;
    if (box->is_held[up][0] || box->is_held[up][1]) return;
    at[up] = top == 1 ? 0 : (uint32_t)l->count[up] - 1;
    for (at[b] = 0; at[b] < l->count[b]; at[b]++)
        for (at[c] = 0; at[c] < l->count[c]; at[c]++) {
            float x[3], v[3] = {0, 0, 0};
            for (int a = 0; a < 3; a++) x[a] = (float)(l->first[a] + at[a] * l->pitch[a]);
            if (w->place(w->user, x, v)) return;
        }
    l->first[up] = top == 1 ? box->high[up] - (l->count[up] - 0.5) * l->pitch[up]
                            : box->low[up] + 0.5 * l->pitch[up];
}

/* Samples a cell: its corners, or all else. Returns how many there are. */
static uint32_t add_samples(const rn_fluid *f, const rni_vessel *w, const uint32_t at[3],
                            bool are_corners, rim_cell *c)
{
    const rni_lattice *l = w->lattice;
    const int third = f->def.dim == 3 ? SAMPLES : 1, half = SAMPLES / 2;
    uint32_t count = 0;
    for (int n = 0; n < SAMPLES * SAMPLES * third; n++) {
        const int place[3] = {n % SAMPLES - half, n / SAMPLES % SAMPLES - half,
                              third > 1 ? n / (SAMPLES * SAMPLES) - half : 0};
        const bool is_corner = place[0] != 0 && place[1] != 0 && (place[2] != 0 || third == 1);
        float x[3];
        if (is_corner != are_corners) continue;
        count++;
        for (int a = 0; a < 3; a++)
            x[a] = (float)(l->first[a] + (at[a] + place[a] / (double)SAMPLES) * l->pitch[a]);
        if (!is_inside(f, w, c, x)) continue;
        c->inside++;
        for (int a = 0; a < 3; a++) c->sum[a] += (double)x[a];
    }
    return count;
}

/* The part of a cell that is inside, and the middle of that. Where all corners are the same, all of it is. */
static float sample(const rn_fluid *f, const rni_vessel *w, const uint32_t at[3], float middle[3])
{
    const rni_lattice *l = w->lattice;
    double diagonal_sq = 0;
    rim_cell c = {.inside = 0};
    for (int a = 0; a < 3; a++) {
        c.center[a] = (float)(l->first[a] + at[a] * l->pitch[a]);
        diagonal_sq += l->pitch[a] * l->pitch[a];
    }
    c.distance = (double)rni_walls_distance(f, c.center);
    if (2 * c.distance < -sqrt(diagonal_sq)) return 0;
    uint32_t count = add_samples(f, w, at, true, &c);
    if (c.inside > 0 && c.inside < count) count += add_samples(f, w, at, false, &c);
    for (int a = 0; a < 3; a++) middle[a] = c.inside > 0 ? (float)(c.sum[a] / c.inside) : 0.0f;
    return (float)c.inside / (float)count;
}

static int compare(const void *a, const void *b)
{
    const shortage *p = a, *q = b;
    if (p->part != q->part) return p->part > q->part ? -1 : 1;
    return p->cell < q->cell ? -1 : p->cell > q->cell;
}

/* Fills in the empty cells at the rim; returns how many particles more the volume of the rim is worth. */
static double find_shortages(const rn_fluid *f, const rni_vessel *w, shortage *list, uint32_t *count)
{
    const rni_lattice *l = w->lattice;
    double more = 0;
    *count = 0;
    for (uint32_t k = 0; k < (uint32_t)l->count[2]; k++)
        for (uint32_t j = 0; j < (uint32_t)l->count[1]; j++)
            for (uint32_t i = 0; i < (uint32_t)l->count[0]; i++) {
                const uint32_t at[3] = {i, j, k}, cell = cell_at(l, at);
                if (!is_at_rim(w, f->def.dim, at)) continue;
                shortage *s = &list[*count];
                s->cell = cell;
                s->part = sample(f, w, at, s->x);
                more += (double)s->part - (w->is_full[cell] ? 1 : 0);
                *count += !w->is_full[cell] && s->part > 0;
            }
    return more;
}

rn_result rni_top_up(rn_fluid *f, const rni_vessel *w, float (*x)[3], float (*v)[3], uint32_t *used)
{
    const size_t bytes = (size_t)rni_lattice_count(w->lattice) * sizeof(shortage);
    uint32_t count = 0;
    rn_result result = rni_walls_ready(f);
    if (result != RN_OK) return result;
    shortage *list = rni_memory_take(&f->memory, bytes);
    if (!list) return RN_ERROR_MEMORY;
    const double more = floor(find_shortages(f, w, list, &count) + 0.5);
    qsort(list, count, sizeof *list, compare);
    for (uint32_t k = 0; k < count && k < more; k++) {
        memcpy(x[*used], list[k].x, sizeof *x);
        memcpy(v[*used], w->velocity, sizeof *v);
        *used += w->place(w->user, x[*used], v[*used]);
    }
    rni_memory_give(&f->memory, list, bytes);
    return RN_OK;
}
