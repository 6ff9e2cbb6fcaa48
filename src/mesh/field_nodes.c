/* Triangles and laws made ready for the nodes of a block (field_nodes.h). */
#include "base/cpu.h"
#include "mesh/field_builder.h"

#include <math.h>
#include <string.h>

rni_field_nodes_fn rni_field_nodes_choose(void)
{
#ifdef RNI_X86
    rn_cpu_level level = RN_CPU_PLAIN;
    if (rni_cpu_choose(RN_CPU_AUTO, &level) == RN_OK) {
        if (level == RN_CPU_AVX512) return rni_field_nodes_avx512;
        if (level != RN_CPU_PLAIN) return rni_field_nodes_avx2;
    }
#endif
    return rni_field_nodes_plain;
}

rni_node_law rni_node_law_of(const rni_field_law *law)
{
    rni_node_law l;
    for (uint32_t k = 0; k <= RNI_FIELD_DEGREE; k++) {
        l.power[k] = law->power[k];
        l.cover_power[k] = law->cover_power[k];
        l.monomial[k] = law->monomial[k];
        l.slope[k] = (k * law->monomial[k]);
        l.cover[k] = law->cover_monomial[k];
        l.cover_slope[k] = (k * law->cover_monomial[k]);
    }
    return l;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* sign (from . direction) at the first node; nodes are further along the axes. */
static rni_ready_length length_of(const double from[3], const double direction[3], double sign,
                                  double cell)
{
    rni_ready_length l;
    l.first = (sign * dot(from, direction));
    for (int c = 0; c < 3; c++) l.step[c] = (-sign * direction[c] * cell);
    return l;
}

enum { HALVES = RNI_FIELD_OWN / RNI_FIELD_HALF };

/* A length in the middle of each half plane. */
static void lengths_in(const rni_ready_length *l, double length[HALVES])
{
    const double first = l->first + 1.5 * l->step[0] + 0.5 * l->step[1];
    for (int p = 0; p < HALVES; p++)
        length[p] = first + 2 * (p & 1) * l->step[1] + (p >> 1) * l->step[2];
}

/* Half planes with nodes that may be nearer than `within`. */
static uint32_t find_halves(const rni_ready_triangle *t, const double from[3][3], double cell,
                            double within)
{
    double middle[3], ball_sq = 0;
    uint32_t halves = 0;
    for (int c = 0; c < 3; c++) middle[c] = (from[0][c] + from[1][c] + from[2][c]) / 3;
    for (int k = 0; k < 3; k++) {
        const double d[3] = {from[k][0] - middle[0], from[k][1] - middle[1], from[k][2] - middle[2]};
        ball_sq = fmax(ball_sq, dot(d, d));
    }
    const double most = within + sqrt(2.5) * cell, all = most + sqrt(ball_sq);
    double z[HALVES], a[3][HALVES], off_sq[HALVES], middle_sq[HALVES];
    lengths_in(&t->z, z);
    for (int k = 0; k < 3; k++) lengths_in(&t->a[k], a[k]);
    for (int p = 0; p < HALVES; p++) { /* without branches: several at once */
        const double to[3] = {middle[0] - 1.5 * cell, middle[1] - (0.5 + 2 * (p & 1)) * cell,
                              middle[2] - (p >> 1) * cell};
        double inside = a[0][p] < a[1][p] ? a[0][p] : a[1][p];
        inside = a[2][p] < inside ? a[2][p] : inside;
        inside = inside < 0 ? inside : 0;
        off_sq[p] = z[p] * z[p] + inside * inside;
        middle_sq[p] = to[0] * to[0] + to[1] * to[1] + to[2] * to[2];
    }
    for (uint32_t p = 0; p < HALVES; p++)
        halves |= (uint32_t)(off_sq[p] <= most * most && middle_sq[p] <= all * all) << p;
    return halves;
}

void rni_field_make_ready(const rni_field_law *law, const rni_field_triangle *t,
                          const double origin[3], double cell, double margin,
                          rni_ready_triangle *ready)
{
    double from[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) from[k][c] = (t->corner[k][c] - origin[c]) / law->reach;
    cell /= law->reach;
    ready->z = length_of(from[0], t->normal, 1, cell);
    for (int k = 0; k < 3; k++) {
        const double *end = from[(k + 1) % 3];
        const double side[3] = {end[0] - from[k][0], end[1] - from[k][1], end[2] - from[k][2]};
        ready->a[k] = length_of(from[k], t->inward[k], -1, cell);
        ready->s[k] = length_of(from[k], t->edge[k], 1, cell);
        ready->length[k] = dot(side, t->edge[k]);
        ready->normal[k] = t->normal[k];
        for (int c = 0; c < 3; c++) {
            ready->inward[k][c] = t->inward[k][c];
            ready->edge[k][c] = t->edge[k][c];
        }
    }
    const double *n = ready->normal;
    const double product[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2],
                               n[0] * n[1], n[0] * n[2], n[1] * n[2]};
    memcpy(ready->product, product, sizeof product);
    ready->halves =
        find_halves(ready, (const double(*)[3])from, cell, 1 + margin / law->reach + 1e-9);
}

void rni_node_sums_clear(rni_node_sums *sums)
{
    memset(sums, 0, sizeof *sums);
    for (uint32_t n = 0; n < RNI_FIELD_OWN; n++) sums->distance_sq[n] = (double)INFINITY;
}

void rni_node_sums_get(const rni_node_sums *sums, double reach, uint32_t n, rni_field_sums *of)
{
    of->flux[0] = sums->flux[n];
    of->cover[0] = sums->cover[n];
    of->distance_sq[0] = sums->distance_sq[n] * reach * reach;
    for (int c = 0; c < 3; c++) {
        of->gradient[c][0] = sums->gradient[c][n] / reach;
        of->cover_gradient[c][0] = sums->cover_gradient[c][n] / reach;
        of->nearest[c][0] = sums->nearest[c][n] * reach;
    }
    for (int k = 0; k < 6; k++) of->spread[k][0] = sums->spread[k][n];
}
