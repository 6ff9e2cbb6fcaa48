#include "fluid/settle.h"

#include "base/error.h"
#include "fluid/lattice.h"
#include "fluid/mesh_walls.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

#define NONE       UINT32_MAX
#define PIECE      2048u /* nodes; fixed, so that sums have a fixed order */
#define TOLERANCE  1e-4  /* of the residual */
#define ITERATIONS 2000u /* more than any tank that fits into memory needs */
#define WALL       0.25  /* spacings from a wall: nodes nearer than this are the wall's */
#define FILLED     0.5   /* with so much of its volume filled, a node is in the fluid */
#define FILLED_AT  0.3 /* and within half a spacing of a wall, whose part of the volume is empty */
#define PROBES     5u  /* between two nodes beside a wall */
#define SURFACE    0.1 /* of the way to the next node: the surface is no nearer */
#define NODES_MAX  4000000.0
#define CLOSING \
    4.0 /* a flow that changes its volume by so much of its gradient, squared, has struck something */
#define LOWEST 0.1 /* of the stiffness: pressure below zero at the start */

/* Nodes of a regular grid around the fluid; those in the fluid are numbered, in the order of the grid. */
typedef struct settling {
    rn_fluid *fluid;
    rni_arena arena;
    uint32_t size[3];
    double low[3], pitch[3]; /* m: the first node, and from node to node */
    float gravity[3];
    float *filled;   /* of each node: how much of its volume has particles */
    float *mass;     /* and their density over rest_density, times that */
    float *distance; /* m, from walls */
    float (*flow)[6]; /* the velocity of the particles around it, and how far they are off; NULL: all have the same */
    uint32_t *number; /* in the list of those in the fluid; NONE: not there */
    /* Of those in the fluid: */
    uint32_t count;
    uint32_t *node;
    uint32_t (*next)[6]; /* neighbours: x-, x+, y- ...; NONE: a wall or air */
    float (*factor)[6];  /* of the equation; 0: a wall */
    double *diagonal, *p, *residual, *direction, *product;
    double *sums;       /* one a piece */
    double alpha, beta; /* of the loop under way */
    bool has_surface, has_tension;
} settling;

/* --- nodes ------------------------------------------------------------------------------------------ */

static void lay_grid(settling *s)
{
    const rn_fluid *f = s->fluid;
    double coarser = 1;
    for (;; coarser *= 1.25) {
        double nodes = 1;
        for (uint32_t a = 0; a < 3; a++) {
            s->size[a] = 1, s->pitch[a] = coarser * (double)f->def.spacing, s->low[a] = 0;
            if (a >= f->def.dim) continue;
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (uint32_t i = 0; i < f->now.count; i++) {
                low = fmin(low, (double)f->now.position[i][a]);
                high = fmax(high, (double)f->now.position[i][a]);
            }
            const double from = (double)f->def.domain_low[a], to = (double)f->def.domain_high[a];
            if (f->def.periodic[a]) {
                s->size[a] = (uint32_t)fmax(rint((to - from) / s->pitch[a]), 1);
                s->pitch[a] = (to - from) / s->size[a];
                s->low[a] = from + 0.5 * s->pitch[a];
            } else {
                const double first = floor((low - from) / s->pitch[a] - 0.5) - 1;
                s->low[a] = from + (first + 0.5) * s->pitch[a];
                s->size[a] = (uint32_t)((high - s->low[a]) / s->pitch[a]) + 3;
            }
            nodes *= s->size[a];
        }
        if (nodes <= fmax(NODES_MAX, 8.0 * f->now.count)) return;
    }
}

static size_t node_count(const settling *s)
{
    return (size_t)s->size[0] * s->size[1] * s->size[2];
}

/* The nodes around a place and their weights; weight 0 where the grid ends. Returns how many there are. */
static uint32_t corners(const settling *s, const float x[4], size_t node[8], double weight[8])
{
    const uint32_t dim = s->fluid->def.dim;
    int64_t first[3] = {0};
    double part[3] = {0};
    for (uint32_t a = 0; a < dim; a++) {
        const double at = ((double)x[a] - s->low[a]) / s->pitch[a];
        first[a] = (int64_t)floor(at), part[a] = at - floor(at);
    }
    for (uint32_t k = 0; k < 1u << dim; k++) {
        size_t index = 0;
        weight[k] = 1;
        for (uint32_t a = dim; a-- > 0;) {
            const uint32_t side = k >> a & 1;
            int64_t at = first[a] + side;
            const int64_t size = s->size[a];
            if (s->fluid->def.periodic[a]) at = (at % size + size) % size;
            else if (at < 0 || at >= size) at = 0, weight[k] = 0;
            weight[k] *= side ? part[a] : 1 - part[a];
            index = index * s->size[a] + (size_t)at;
        }
        node[k] = index;
    }
    return 1u << dim;
}

static void fill_nodes(settling *s)
{
    const rn_fluid *f = s->fluid;
    double volume = 1;
    for (uint32_t a = 0; a < f->def.dim; a++) volume *= (double)f->def.spacing / s->pitch[a];
    for (uint32_t i = 0; i < f->now.count; i++) {
        size_t node[8];
        double weight[8];
        const uint32_t count = corners(s, f->now.position[i], node, weight);
        for (uint32_t k = 0; k < count; k++) {
            s->filled[node[k]] += (float)(volume * weight[k]);
            s->mass[node[k]] += (float)(volume * weight[k]) * rni_ratio(f, i);
        }
    }
}

static void place_of(const settling *s, size_t node, double x[3])
{
    const size_t row = node / s->size[0];
    const size_t at[3] = {node % s->size[0], row % s->size[1], row / s->size[1]};
    for (uint32_t a = 0; a < 3; a++)
        x[a] = a < s->fluid->def.dim ? s->low[a] + (double)at[a] * s->pitch[a] : 0;
}

/* From a node to x, along an axis. */
static double way_to(const settling *s, const double node[3], const float x[4], uint32_t a)
{
    const double d = (double)x[a] - node[a];
    return s->fluid->def.periodic[a] ? remainder(d, s->size[a] * s->pitch[a]) : d;
}

/* Means of the velocity of the particles around each node, and of how far from it they are. */
static void fill_flow(settling *s)
{
    const rn_fluid *f = s->fluid;
    for (uint32_t i = 0; i < f->now.count; i++) {
        size_t node[8];
        double weight[8], at[3];
        const uint32_t count = corners(s, f->now.position[i], node, weight);
        for (uint32_t k = 0; k < count; k++) {
            if (!(weight[k] > 0)) continue;
            float *flow = s->flow[node[k]];
            place_of(s, node[k], at);
            for (uint32_t a = 0; a < f->def.dim; a++) {
                flow[a] += (float)weight[k] * f->now.velocity[i][a];
                flow[3 + a] += (float)(weight[k] * way_to(s, at, f->now.position[i], a));
            }
        }
    }
    double volume = 1;
    for (uint32_t a = 0; a < f->def.dim; a++) volume *= (double)f->def.spacing / s->pitch[a];
    for (size_t k = 0; k < node_count(s); k++)
        for (int a = 0; a < 6 && s->filled[k] > 0; a++)
            s->flow[k][a] *= (float)volume / s->filled[k];
}

static float distance_at(const settling *s, const double x[3])
{
    const float at[3] = {(float)x[0], (float)x[1], (float)x[2]};
    return rni_walls_distance(s->fluid, at);
}

static void measure_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    settling *s = data;
    const size_t end =
        (size_t)(piece + 1) * PIECE < node_count(s) ? (size_t)(piece + 1) * PIECE : node_count(s);
    for (size_t k = (size_t)piece * PIECE; k < end; k++) {
        double x[3];
        place_of(s, k, x);
        s->distance[k] = s->filled[k] > 0 ? distance_at(s, x) : 0.0f;
    }
}

/* The neighbour of a node along an axis; false: the grid ends. */
static bool neighbor_of(const settling *s, size_t node, uint32_t axis, int side, size_t *next)
{
    const size_t stride[3] = {1, s->size[0], (size_t)s->size[0] * s->size[1]};
    const size_t at = node / stride[axis] % s->size[axis];
    if (side < 0 && at == 0) {
        *next = node + (s->size[axis] - 1) * stride[axis];
        return s->fluid->def.periodic[axis];
    }
    if (side > 0 && at + 1 == s->size[axis]) {
        *next = node - at * stride[axis];
        return s->fluid->def.periodic[axis];
    }
    *next = side < 0 ? node - stride[axis] : node + stride[axis];
    return true;
}

static bool is_in_fluid(const settling *s, size_t node)
{
    const double spacing = (double)s->fluid->def.spacing, away = (double)s->distance[node] / spacing;
    return away > WALL && (double)s->filled[node] >= (away < 0.5 ? FILLED_AT : FILLED);
}

static rn_result number_nodes(settling *s)
{
    const size_t nodes = node_count(s);
    for (size_t k = 0; k < nodes; k++) s->number[k] = is_in_fluid(s, k) ? s->count++ : NONE;
    const size_t n = s->count;
    s->node = rni_arena_take(&s->arena, n * sizeof *s->node);
    s->next = rni_arena_take(&s->arena, n * sizeof *s->next);
    s->factor = rni_arena_take(&s->arena, n * sizeof *s->factor);
    s->sums = rni_arena_take(&s->arena, rni_piece_count(s->count, PIECE) * sizeof *s->sums);
    double **const of[] = {&s->diagonal, &s->p, &s->residual, &s->direction, &s->product};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        *of[k] = rni_arena_take(&s->arena, n * sizeof **of[k]);
        if (!*of[k]) return RN_ERROR_MEMORY;
    }
    if (!s->node || !s->next || !s->factor || !s->sums) return RN_ERROR_MEMORY;
    for (size_t k = 0; k < nodes; k++)
        if (s->number[k] != NONE) s->node[s->number[k]] = (uint32_t)k;
    return RN_OK;
}

/* --- the equation ------------------------------------------------------------------------------------ */

/* Of the density over rest_density. */
static double density_at(const settling *s, size_t node)
{
    return (double)s->mass[node] / (double)s->filled[node];
}

/* Whether a wall is between two nodes: a thin one, too, or a sheet. */
static bool is_walled(const settling *s, size_t from, size_t to, uint32_t axis, int side)
{
    const double spacing = (double)s->fluid->def.spacing, pitch = s->pitch[axis];
    double x[3], first;
    if (s->filled[to] > 0 && (double)s->distance[to] <= WALL * spacing) return true;
    const double other = s->filled[to] > 0 ? (double)s->distance[to] : 0;
    if ((double)s->distance[from] + other > 1.01 * pitch) return false; /* it would be nearer */
    place_of(s, from, x);
    first = x[axis];
    for (uint32_t k = 0; k < PROBES; k++) {
        x[axis] = first + side * pitch * (k + 0.5) / PROBES;
        if ((double)distance_at(s, x) <= 0.6 * pitch / PROBES) return true;
    }
    x[axis] = first + side * pitch;
    return s->filled[to] <= 0 && (double)distance_at(s, x) <= WALL * spacing;
}

/* 1 / s^2: at which rate the flow by itself, without pressure, would gain divergence: the sum of du_a/dx_b du_b/dx_a.
 * None where the flow is about to be stopped, as between two jets: that needs an impact, not a pressure. */
static double gathering(const settling *s, uint32_t i)
{
    const uint32_t dim = s->fluid->def.dim;
    double slope[3][3] = {{0}}, trace = 0, squares = 0, sum = 0;
    for (uint32_t b = 0; b < dim; b++) {
        const uint32_t low = s->next[i][2 * b], high = s->next[i][2 * b + 1];
        const uint32_t own = s->node[i], from = low != NONE ? s->node[low] : own,
                       to = high != NONE ? s->node[high] : own;
        const double nodes = (low != NONE) + (high != NONE);
        const double way =
            nodes * s->pitch[b] + (double)s->flow[to][3 + b] - (double)s->flow[from][3 + b];
        if (!(way > 0.5 * s->pitch[b])) continue;
        for (uint32_t a = 0; a < dim; a++)
            slope[a][b] = ((double)s->flow[to][a] - (double)s->flow[from][a]) / way;
    }
    for (uint32_t a = 0; a < dim; a++) {
        trace += slope[a][a];
        for (uint32_t b = 0; b < dim; b++) {
            squares += slope[a][b] * slope[a][b];
            sum += slope[a][b] * slope[b][a];
        }
    }
    if (!(squares > 0)) return 0;
    return fmax(1 - CLOSING * trace * trace / squares, 0) * (sum - trace * trace / dim);
}

/* Flow through the faces of node i: sum over the neighbours of factor (p_i - p_next) = minus what gravity drives out, and what the flow gathers. */
static void set_up(settling *s, uint32_t i)
{
    const size_t node = s->node[i];
    const double rest = (double)s->fluid->def.rest_density, own = density_at(s, node);
    double driven = 0, sum = 0;
    for (uint32_t k = 0; k < 6; k++) {
        const uint32_t axis = k / 2;
        const int side = k % 2 ? 1 : -1;
        size_t next = 0;
        s->next[i][k] = NONE, s->factor[i][k] = 0;
        if (axis >= s->fluid->def.dim) continue;
        const bool exists = neighbor_of(s, node, axis, side, &next);
        const double pitch = s->pitch[axis];
        if (exists && is_walled(s, node, next, axis, side)) continue;
        double factor = 1 / (rest * own * pitch * pitch);
        if (exists && s->number[next] != NONE) {
            s->next[i][k] = s->number[next];
            factor *= 2 * own / (own + density_at(s, next));
        } else { /* the surface is where half of the volume is filled */
            const double here = fmax((double)s->filled[node], FILLED),
                         there = (double)s->filled[next];
            const double way = (here - FILLED) / fmax(here - fmin(there, FILLED), 1e-3);
            factor /= fmin(fmax(exists ? way : 0.5, SURFACE), 1);
            s->has_surface = true;
        }
        s->factor[i][k] = (float)factor;
        sum += (double)s->factor[i][k];
        driven += side * (double)s->gravity[axis] / pitch;
    }
    s->diagonal[i] = sum > 0 ? sum : 1;
    s->residual[i] = s->flow ? gathering(s, i) - driven : -driven;
}

/* Adds to the list every node that is connected with the first one, itself included; returns how many there are. */
static uint32_t connected(const settling *s, bool *is_listed, uint32_t *list)
{
    uint32_t count = 1;
    is_listed[list[0]] = true;
    for (uint32_t k = 0; k < count; k++)
        for (int n = 0; n < 6; n++) {
            const uint32_t next = s->next[list[k]][n];
            if (next == NONE || is_listed[next]) continue;
            is_listed[next] = true;
            list[count++] = next;
        }
    return count;
}

static bool has_air(const settling *s, uint32_t i)
{
    for (int k = 0; k < 6; k++)
        if (s->next[i][k] == NONE && s->factor[i][k] > 0) return true;
    return false;
}

/* Where no node has air beside it, there is a solution only if what the flow gathers is nothing on the whole. */
static rn_result balance(settling *s)
{
    bool *is_listed = rni_arena_take(&s->arena, s->count * sizeof *is_listed);
    uint32_t *list = rni_arena_take(&s->arena, s->count * sizeof *list);
    if (!is_listed || !list) return RN_ERROR_MEMORY;
    memset(is_listed, 0, s->count * sizeof *is_listed);
    for (uint32_t i = 0; i < s->count; i++) {
        if (is_listed[i]) continue;
        list[0] = i;
        const uint32_t count = connected(s, is_listed, list);
        double sum = 0;
        bool is_open = false;
        for (uint32_t k = 0; k < count; k++) {
            sum += s->residual[list[k]];
            is_open |= has_air(s, list[k]);
        }
        for (uint32_t k = 0; k < count && !is_open; k++) s->residual[list[k]] -= sum / count;
    }
    return RN_OK;
}

/* --- conjugate gradients ----------------------------------------------------------------------------- */

/* What one node adds to a sum, after its own part of the work. */
typedef double (*node_fn)(settling *s, uint32_t i);

static inline void run_piece(settling *s, uint32_t piece, node_fn node)
{
    const uint32_t begin = piece * PIECE;
    const uint32_t end = s->count - begin < PIECE ? s->count : begin + PIECE;
    double sum = 0;
    for (uint32_t i = begin; i < end; i++) sum += node(s, i);
    s->sums[piece] = sum;
}

/* In the order of pieces, whichever thread took them. */
static double sum_over(settling *s, rni_piece_fn work)
{
    const uint32_t pieces = rni_piece_count(s->count, PIECE);
    rni_crew_pieces(s->fluid->crew, pieces, work, s);
    double sum = 0;
    for (uint32_t k = 0; k < pieces; k++) sum += s->sums[k];
    return sum;
}

static inline double multiply_node(settling *s, uint32_t i)
{
    double product = s->diagonal[i] * s->direction[i];
    for (uint32_t k = 0; k < 6; k++)
        if (s->next[i][k] != NONE) product -= (double)s->factor[i][k] * s->direction[s->next[i][k]];
    s->product[i] = product;
    return product * s->direction[i];
}

static inline double advance_node(settling *s, uint32_t i)
{
    s->p[i] += s->alpha * s->direction[i];
    s->residual[i] -= s->alpha * s->product[i];
    return s->residual[i] * s->residual[i] / s->diagonal[i];
}

static inline double turn_node(settling *s, uint32_t i)
{
    s->direction[i] = s->residual[i] / s->diagonal[i] + s->beta * s->direction[i];
    return 0;
}

static void multiply_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    run_piece(data, piece, multiply_node);
}

static void advance_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    run_piece(data, piece, advance_node);
}

static void turn_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    run_piece(data, piece, turn_node);
}

/* In a full vessel pressure is known but for a constant: the least is 0, or, where there may be tension, the mean. */
static void fix_level(settling *s)
{
    const double lowest = s->has_tension ? -LOWEST * (double)s->fluid->derived.stiffness : 0;
    double least = HUGE_VAL, sum = 0;
    for (uint32_t i = 0; i < s->count; i++) least = fmin(least, s->p[i]), sum += s->p[i];
    const double zero = s->has_surface ? 0 : s->has_tension ? sum / s->count : least;
    for (uint32_t i = 0; i < s->count; i++) s->p[i] = fmax(s->p[i] - zero, lowest);
}

static void solve(settling *s)
{
    memset(s->p, 0, s->count * sizeof *s->p);
    memset(s->direction, 0, s->count * sizeof *s->direction);
    memset(s->product, 0, s->count * sizeof *s->product);
    s->alpha = s->beta = 0;
    double left = sum_over(s, advance_piece);
    const double least = TOLERANCE * TOLERANCE * left;
    for (uint32_t k = 0; k < ITERATIONS && left > least && left > 0; k++) {
        sum_over(s, turn_piece);
        const double curved = sum_over(s, multiply_piece);
        if (!(curved > 0)) break;
        s->alpha = left / curved;
        const double now = sum_over(s, advance_piece);
        s->beta = now / left;
        left = now;
    }
    fix_level(s);
}

/* --- particles --------------------------------------------------------------------------------------- */

/* By how much fluid under the pressure p is denser than at rest. */
static double compression(const rn_fluid *f, double p)
{
    const double e = (double)f->def.params.exponent, stiffness = (double)f->derived.stiffness;
    if (f->def.params.pressure != RN_PRESSURE_TAIT)
        return p / (stiffness * (double)f->def.rest_density);
    return pow(1 + p / stiffness, 1 / e) - 1;
}

/* How much of its weight carries the column above node i; `above` is the direction that leads up. */
static double carried(const settling *s, uint32_t i, uint32_t above)
{
    double weight = 0;
    for (uint32_t k = i; k != NONE; k = s->next[k][above]) weight += density_at(s, s->node[k]);
    weight *= (double)s->fluid->def.rest_density * s->pitch[above / 2] *
              fabs((double)s->gravity[above / 2]);
    return weight > 0 ? s->p[i] / weight : 0;
}

/* How far each node moves down: by what the nodes of its column below it are compressed. A column that is about to
 * collapse is not compressed first. In place of direction. */
static void compress_columns(settling *s)
{
    uint32_t side;
    const uint32_t up = rni_up_axis(&s->fluid->def, &side);
    const uint32_t below = 2 * up + (side ? 0 : 1), above = 2 * up + (side ? 1 : 0);
    memset(s->direction, 0, s->count * sizeof *s->direction);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->next[i][below] != NONE) continue;
        const double share = fmin(fmax(2 * carried(s, i, above) - 1, 0), 1);
        double last = 0, moved = 0;
        for (uint32_t k = i; k != NONE; k = s->next[k][above]) {
            const double own = share * compression(s->fluid, s->p[k]);
            moved += 0.5 * s->pitch[up] * (last + own);
            s->direction[k] = moved;
            last = own;
        }
    }
}

/* The pressure at a particle, and how far it moves down. */
static void read_nodes(const settling *s, const float x[4], double *pressure, double *moved)
{
    size_t node[8];
    double weight[8], sum = 0, p = 0, way = 0;
    const uint32_t count = corners(s, x, node, weight);
    const double rest = (double)s->fluid->def.rest_density;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t i = s->number[node[k]];
        if (i == NONE || !(weight[k] > 0)) continue;
        double at[3] = {0, 0, 0}, lift = 0;
        place_of(s, node[k], at);
        /* no more than from a wall or a surface to the next node: extrapolated by gravity */
        for (uint32_t a = 0; a < 3 && a < s->fluid->def.dim; a++)
            lift += way_to(s, at, x, a) * (double)s->gravity[a];
        p += weight[k] * (s->p[i] + (s->p[i] > 0 ? rest * density_at(s, node[k]) * lift : 0));
        way += weight[k] * s->direction[i];
        sum += weight[k];
    }
    *pressure = sum > 0 ? p / sum : 0;
    if (!s->has_tension) *pressure = fmax(*pressure, 0);
    *moved = sum > 0 ? way / sum : 0;
}

static void apply(settling *s)
{
    rn_fluid *f = s->fluid;
    uint32_t side;
    const uint32_t up = rni_up_axis(&f->def, &side);
    const bool moves = !f->has_given_particles;
    for (uint32_t i = 0; i < f->now.count; i++) {
        double p, moved;
        float *x = f->now.position[i];
        read_nodes(s, x, &p, &moved);
        if (moves && moved > 0) {
            const float from[3] = {x[0], x[1], x[2]};
            x[up] -= (float)(side ? moved : -moved);
            rni_walls_keep(f, from, x);
        }
        if (!f->scheme->keeps_density) continue;
        f->density[i] = f->def.rest_density * (float)(1 + compression(f, p));
        f->previous_density[i] = f->density[i];
        f->pressure[i] = (float)p;
    }
    rni_phases_publish(f);
}

/* Whether some particles start at another velocity than others. */
static bool has_flow(const rn_fluid *f)
{
    for (uint32_t i = 1; i < f->now.count; i++)
        if (memcmp(f->now.velocity[i], f->now.velocity[0], 3 * sizeof(float)) != 0) return true;
    return false;
}

static rn_result settle(settling *s, bool is_moving)
{
    lay_grid(s);
    const size_t nodes = node_count(s);
    s->filled = rni_arena_take(&s->arena, nodes * sizeof *s->filled);
    s->mass = rni_arena_take(&s->arena, nodes * sizeof *s->mass);
    s->distance = rni_arena_take(&s->arena, nodes * sizeof *s->distance);
    s->number = rni_arena_take(&s->arena, nodes * sizeof *s->number);
    if (!s->filled || !s->mass || !s->distance || !s->number) return RN_ERROR_MEMORY;
    memset(s->filled, 0, nodes * sizeof *s->filled);
    memset(s->mass, 0, nodes * sizeof *s->mass);
    fill_nodes(s);
    if (is_moving) {
        s->flow = rni_arena_take(&s->arena, nodes * sizeof *s->flow);
        if (!s->flow) return RN_ERROR_MEMORY;
        memset(s->flow, 0, nodes * sizeof *s->flow);
        fill_flow(s);
    }
    rni_crew_pieces(s->fluid->crew, rni_piece_count((uint32_t)nodes, PIECE), measure_piece, s);
    rn_result result = number_nodes(s);
    if (result != RN_OK || s->count == 0) return result;
    for (uint32_t i = 0; i < s->count; i++) set_up(s, i);
    if (is_moving) result = balance(s);
    if (result != RN_OK) return result;
    solve(s);
    compress_columns(s);
    apply(s);
    return RN_OK;
}

rn_result rni_settle(rn_fluid *f)
{
    settling s = {.fluid = f};
    rni_fluid_gravity(f, s.gravity);
    const bool is_pulled = s.gravity[0] != 0 || s.gravity[1] != 0 || s.gravity[2] != 0;
    if (f->step_count > 0 || f->is_settled || f->now.count == 0 || !f->def.initial_pressure ||
        rni_has_bare_walls(&f->def))
        return RN_OK;
    const bool is_moving = has_flow(f);
    if (!is_pulled && !is_moving) return RN_OK;
    s.has_tension =
        is_moving && !is_pulled && f->scheme->keeps_density && f->def.params.negative_pressure;
    rn_result result = rni_walls_ready(f);
    if (result == RN_OK) result = rni_mesh_walls_ready(f);
    if (result != RN_OK) return result;
    rni_arena_init(&s.arena, &f->memory);
    result = settle(&s, is_moving);
    rni_arena_free(&s.arena);
    f->is_settled = result == RN_OK;
    return result;
}
