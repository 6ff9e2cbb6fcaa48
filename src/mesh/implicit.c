#include "mesh/implicit.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define NODES_MAX (UINT64_C(1) << 28)
#define TRIALS    12
#define NONE      UINT32_MAX

typedef struct grid {
    rn_mesh_data *data;
    const rni_implicit_part *part;
    uint32_t part_count;
    double blend;
    double low[3], high[3]; /* of the parts */
    double cell;
    uint32_t count[3]; /* nodes */
    rni_buffer field;  /* float, by node: signed distance, cut off at `margin` */
    rni_buffer edge;   /* uint32_t: vertices on the seven edges of each node, for two layers */
    double margin;
} grid;

/* --- distances ------------------------------------------------------------------------------------------ */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void less(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static double segment_distance(const double p[3], const double a[3], const double b[3], double *share)
{
    double way[3], from[3];
    less(b, a, way);
    less(p, a, from);
    const double length_sq = dot(way, way);
    const double t = length_sq > 0 ? dot(from, way) / length_sq : 0;
    *share = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++) from[k] -= *share * way[k];
    return sqrt(dot(from, from));
}

static double plate_distance(const double p[3], const rni_implicit_part *part)
{
    const double *corner[3] = {part->a, part->b, part->c};
    double u[3], v[3], normal[3], from[3], share, best = (double)INFINITY;
    less(part->b, part->a, u);
    less(part->c, part->a, v);
    for (int k = 0; k < 3; k++)
        normal[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    bool is_over = true;
    for (int n = 0; n < 3; n++) {
        const double *a = corner[n], *b = corner[(n + 1) % 3];
        double side[3], inward[3];
        less(b, a, side);
        less(p, a, from);
        for (int k = 0; k < 3; k++)
            inward[k] =
                normal[(k + 1) % 3] * side[(k + 2) % 3] - normal[(k + 2) % 3] * side[(k + 1) % 3];
        if (dot(from, inward) < 0) is_over = false;
        best = fmin(best, segment_distance(p, a, b, &share));
    }
    if (!is_over) return best;
    less(p, part->a, from);
    return fabs(dot(from, normal)) / sqrt(dot(normal, normal));
}

static double ellipsoid_distance(const double p[3], const double a[3], const double size[3])
{
    double q = 0, g = 0, least = fmin(size[0], fmin(size[1], size[2]));
    for (int k = 0; k < 3; k++) {
        const double x = (p[k] - a[k]) / size[k];
        q += x * x;
        g += x * x / (size[k] * size[k]);
    }
    if (g < 1e-18) return -least;
    return sqrt(q) * (sqrt(q) - 1) / sqrt(g);
}

static double barrel_distance(const double p[3], const double a[3], const double size[3])
{
    const double x = (p[0] - a[0]) / size[0], z = (p[2] - a[2]) / size[2];
    const double y = fabs(p[1] - a[1]), share = fmin(1, y / size[1]);
    const double waist = 0.84 + 0.16 * share * share * share;
    const double across = (sqrt(x * x + z * z) - waist) * fmin(size[0], size[2]);
    const double along = y - size[1], round = 0.12 * size[2];
    /* The larger one, with a rounded edge. */
    const double blend = fmax(round - fabs(across - along), 0) / round;
    return fmax(across, along) + 0.25 * blend * blend * round;
}

/* Parts are at least `least` thick. */
static double part_distance(const rni_implicit_part *part, const double p[3], double least)
{
    double size[3], share, distance;
    for (int k = 0; k < 3; k++) size[k] = part->is_cut ? part->size[k] : fmax(part->size[k], least);
    switch (part->kind) {
    case RNI_IMPLICIT_CONE:
        distance = segment_distance(p, part->a, part->b, &share);
        return distance - size[0] - share * (size[1] - size[0]);
    case RNI_IMPLICIT_PLATE: return plate_distance(p, part) - size[0];
    case RNI_IMPLICIT_BARREL: return barrel_distance(p, part->a, size);
    case RNI_IMPLICIT_ELLIPSOID: break;
    }
    return ellipsoid_distance(p, part->a, size);
}

/* Bounds of a part. */
static void part_bounds(const rni_implicit_part *part, double least, double low[3], double high[3])
{
    const bool has_b = part->kind == RNI_IMPLICIT_CONE || part->kind == RNI_IMPLICIT_PLATE;
    const bool has_c = part->kind == RNI_IMPLICIT_PLATE;
    for (int k = 0; k < 3; k++) {
        const double round =
            part->kind == RNI_IMPLICIT_PLATE ? part->size[0] : fmax(part->size[0], part->size[1]);
        const double reach = fmax(least, has_b ? round : part->size[k]);
        low[k] = fmin(part->a[k],
                      fmin(has_b ? part->b[k] : part->a[k], has_c ? part->c[k] : part->a[k])) -
                 reach;
        high[k] = fmax(part->a[k],
                       fmax(has_b ? part->b[k] : part->a[k], has_c ? part->c[k] : part->a[k])) +
                  reach;
    }
}

/* --- the field ------------------------------------------------------------------------------------------ */

static float blended(float a, float b, float width)
{
    const float near = width - fabsf(a - b), share = near > 0 ? near / width : 0;
    return fminf(a, b) - 0.25f * share * share * width;
}

static void add_part(grid *g, const rni_implicit_part *part)
{
    const double least = 0.62 * g->cell;
    double low[3], high[3];
    uint32_t from[3], to[3];
    part_bounds(part, least, low, high);
    for (int k = 0; k < 3; k++) {
        const double a = ceil((low[k] - g->margin - g->low[k]) / g->cell);
        const double b = floor((high[k] + g->margin - g->low[k]) / g->cell);
        from[k] = a > 0 ? (uint32_t)a : 0;
        to[k] = b < g->count[k] - 1 ? (uint32_t)fmax(b, 0) : g->count[k] - 1;
    }
    float *field = g->field.data;
    for (uint32_t z = from[2]; z <= to[2]; z++)
        for (uint32_t y = from[1]; y <= to[1]; y++)
            for (uint32_t x = from[0]; x <= to[0]; x++) {
                const double p[3] = {g->low[0] + x * g->cell, g->low[1] + y * g->cell,
                                     g->low[2] + z * g->cell};
                float *value = &field[((size_t)z * g->count[1] + y) * g->count[0] + x];
                const float distance = (float)part_distance(part, p, least);
                *value = part->is_cut
                             ? fmaxf(*value, -distance)
                             : blended(*value, fminf(distance, (float)g->margin), (float)g->blend);
            }
}

static rn_result make_field(grid *g)
{
    uint64_t nodes = 1;
    g->margin = g->blend + 2 * g->cell;
    for (int k = 0; k < 3; k++) {
        const double wanted = ceil((g->high[k] - g->low[k]) / g->cell) + 1;
        if (!(wanted * (double)nodes < (double)NODES_MAX))
            return rni_fail(RN_ERROR_LIMIT, "a body with so many triangles is too large; use fewer");
        g->count[k] = (uint32_t)wanted;
        nodes *= g->count[k];
    }
    rni_memory *memory = &g->data->memory;
    rn_result result = rni_buffer_need(memory, &g->field, nodes, sizeof(float));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &g->edge, 14 * (uint64_t)g->count[0] * g->count[1],
                                 sizeof(uint32_t));
    if (result != RN_OK) return result;
    float *field = g->field.data;
    for (uint64_t n = 0; n < nodes; n++) field[n] = (float)g->margin;
    for (uint32_t k = 0; k < g->part_count; k++) add_part(g, &g->part[k]);
    return RN_OK;
}

/* --- tetrahedra ----------------------------------------------------------------------------------------- */

/* A cube is cut into six tetrahedra along its diagonal; corners are numbered by bits for x, y and z, and every edge
 * leads from a corner to one with more bits. */
static const uint8_t TETRAHEDRA[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7},
                                         {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}};

typedef struct cube {
    const grid *g;
    uint32_t at[3];
    float value[8];
} cube;

static uint32_t *edge_of(const cube *c, uint32_t corner, uint32_t way)
{
    const grid *g = c->g;
    const uint32_t x = c->at[0] + (corner & 1), y = c->at[1] + (corner >> 1 & 1);
    const uint32_t layer = (c->at[2] + (corner >> 2)) & 1;
    return (uint32_t *)g->edge.data + (((size_t)layer * g->count[1] + y) * g->count[0] + x) * 7 +
           (way - 1);
}

/* The vertex on the edge between two corners, made when it is first wanted. */
static rn_result vertex_on(const cube *c, uint32_t a, uint32_t b, uint32_t *vertex)
{
    const uint32_t low = a & b, way = a ^ b;
    uint32_t *kept = edge_of(c, low, way);
    if (*kept == NONE) {
        const float from = c->value[low], to = c->value[low | way];
        float share = from / (from - to);
        /* Away from the nodes: no triangle is a needle, or flat. */
        share = share < 0.03f ? 0.03f : share > 0.97f ? 0.97f : share;
        double p[3];
        for (uint32_t k = 0; k < 3; k++)
            p[k] = c->g->low[k] +
                   c->g->cell * (c->at[k] + (low >> k & 1) + (double)share * (double)(way >> k & 1));
        rn_result result = rni_mesh_data_vertex(c->g->data, p[0], p[1], p[2], kept);
        if (result != RN_OK) return result;
    }
    *vertex = *kept;
    return RN_OK;
}

/* Vertices on the edges between inside and outside corners of a tetrahedron, in order around the cut; how many. */
static uint32_t cut_edges(const uint8_t *corner, const bool *is_inside, uint8_t edge[4][2])
{
    uint32_t in[4], out[4], in_count = 0, out_count = 0;
    for (uint32_t k = 0; k < 4; k++)
        if (is_inside[k]) in[in_count++] = k;
        else out[out_count++] = k;
    if (in_count == 0 || out_count == 0) return 0;
    if (in_count == 2) {
        const uint32_t order[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
        for (uint32_t n = 0; n < 4; n++) {
            edge[n][0] = corner[in[order[n][0]]];
            edge[n][1] = corner[out[order[n][1]]];
        }
        return 4;
    }
    for (uint32_t n = 0; n < 3; n++) {
        edge[n][0] = corner[in_count == 1 ? in[0] : in[n]];
        edge[n][1] = corner[in_count == 1 ? out[n] : out[0]];
    }
    return 3;
}

/* Whether the cut, with vertices in the middle of their edges, looks to the outside. */
static bool looks_out(uint8_t edge[4][2])
{
    int p[3][3], way[3], sum = 0;
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 3; k++) p[n][k] = (edge[n][0] >> k & 1) + (edge[n][1] >> k & 1);
    for (int k = 0; k < 3; k++) way[k] = (edge[0][1] >> k & 1) - (edge[0][0] >> k & 1);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        sum += way[k] * ((p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) -
                         (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]));
    }
    return sum > 0;
}

static rn_result cut_tetrahedron(const cube *c, const uint8_t *corner, uint64_t *triangles)
{
    bool is_inside[4];
    uint8_t edge[4][2];
    for (uint32_t k = 0; k < 4; k++) is_inside[k] = c->value[corner[k]] < 0;
    const uint32_t count = cut_edges(corner, is_inside, edge);
    if (count == 0) return RN_OK;
    *triangles += count - 2;
    if (!c->g->edge.data || !c->g->data) return RN_OK;
    uint32_t vertex[4];
    rn_result result = RN_OK;
    for (uint32_t n = 0; n < count && result == RN_OK; n++)
        result = vertex_on(c, edge[n][0], edge[n][1], &vertex[n]);
    const bool is_right = looks_out(edge);
    for (uint32_t n = 2; n < count && result == RN_OK; n++) {
        const uint32_t three[3] = {vertex[0], vertex[is_right ? n - 1 : n],
                                   vertex[is_right ? n : n - 1]};
        result = rn_mesh_data_add_triangles(c->g->data, three, NULL, 1);
    }
    return result;
}

/* Triangles of all cubes; counted only, or added as well. */
static rn_result cut_cubes(const grid *g, uint64_t *triangles)
{
    const float *field = g->field.data;
    const size_t row = g->count[0], layer = row * g->count[1];
    *triangles = 0;
    for (uint32_t z = 0; z + 1 < g->count[2]; z++) {
        if (g->edge.data) { /* the layer above begins anew; the first also the one below */
            uint32_t *edge = g->edge.data;
            if (z == 0) memset(edge, 0xff, 7 * layer * sizeof *edge);
            memset(edge + 7 * layer * ((z + 1) & 1), 0xff, 7 * layer * sizeof *edge);
        }
        for (uint32_t y = 0; y + 1 < g->count[1]; y++)
            for (uint32_t x = 0; x + 1 < g->count[0]; x++) {
                cube c = {.g = g, .at = {x, y, z}};
                uint32_t inside = 0;
                for (uint32_t n = 0; n < 8; n++) {
                    c.value[n] =
                        field[(z + (n >> 2)) * layer + (y + (n >> 1 & 1)) * row + x + (n & 1)];
                    inside += c.value[n] < 0;
                }
                if (inside == 0 || inside == 8) continue;
                for (uint32_t t = 0; t < 6; t++) {
                    rn_result result = cut_tetrahedron(&c, TETRAHEDRA[t], triangles);
                    if (result != RN_OK) return result;
                }
            }
    }
    return RN_OK;
}

/* --- the largest piece ---------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *link, uint32_t v)
{
    while (link[v] != v) v = link[v] = link[link[v]];
    return v;
}

/* Keeps the triangles of the piece with the most vertices, and its vertices. */
static rn_result keep_largest(rn_mesh_data *data, uint32_t first_vertex, uint32_t first_triangle)
{
    const uint32_t count = data->vertex_count - first_vertex;
    rni_buffer memory = {0};
    rn_result result =
        rni_buffer_need(&data->memory, &memory, 2 * (uint64_t)count + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *link = memory.data, *size = link + count, best = 0;
    for (uint32_t v = 0; v < count; v++) link[v] = v, size[v] = 0;
    uint32_t *triangle = rni_data_triangle(data) + 3 * (size_t)first_triangle;
    const uint32_t triangles = data->triangle_count - first_triangle;
    for (size_t t = 0; t < triangles; t++)
        for (size_t k = 1; k < 3; k++)
            link[root_of(link, triangle[3 * t] - first_vertex)] =
                root_of(link, triangle[3 * t + k] - first_vertex);
    for (uint32_t v = 0; v < count; v++) size[root_of(link, v)]++;
    for (uint32_t v = 1; v < count; v++)
        if (size[v] > size[best]) best = v;
    float *vertex = rni_data_vertex(data) + 3 * (size_t)first_vertex;
    uint32_t kept = 0, kept_triangles = 0;
    for (uint32_t v = 0; v < count; v++) size[v] = root_of(link, v) == best ? kept++ : NONE;
    for (uint32_t v = 0; v < count; v++)
        if (size[v] != NONE)
            memmove(vertex + 3 * (size_t)size[v], vertex + 3 * (size_t)v, 3 * sizeof *vertex);
    for (size_t t = 0; t < triangles; t++) {
        if (size[triangle[3 * t] - first_vertex] == NONE) continue;
        for (size_t k = 0; k < 3; k++)
            triangle[3 * (size_t)kept_triangles + k] =
                first_vertex + size[triangle[3 * t + k] - first_vertex];
        kept_triangles++;
    }
    data->vertex_count = first_vertex + kept;
    data->triangle_count = first_triangle + kept_triangles;
    rni_buffer_free(&data->memory, &memory);
    return RN_OK;
}

rn_result rni_implicit_add(rn_mesh_data *data, const rni_implicit_part *part, uint32_t count,
                           double blend, uint32_t triangles)
{
    grid g = {.data = data, .part = part, .part_count = count, .blend = blend};
    double size = 0;
    for (int k = 0; k < 3; k++) g.low[k] = (double)INFINITY, g.high[k] = -(double)INFINITY;
    for (uint32_t n = 0; n < count; n++) {
        double low[3], high[3];
        part_bounds(&part[n], 0, low, high);
        for (int k = 0; k < 3; k++) {
            g.low[k] = fmin(g.low[k], low[k]);
            g.high[k] = fmax(g.high[k], high[k]);
        }
    }
    for (int k = 0; k < 3; k++) size = fmax(size, g.high[k] - g.low[k]);
    const double low[3] = {g.low[0], g.low[1], g.low[2]}, high[3] = {g.high[0], g.high[1], g.high[2]};
    const uint32_t first_vertex = data->vertex_count, first_triangle = data->triangle_count;
    g.cell = 4 * size / sqrt(triangles);
    rn_result result = RN_OK;
    uint64_t found = UINT64_MAX;
    for (int trial = 0; trial < TRIALS && result == RN_OK; trial++) {
        for (int k = 0; k < 3; k++) {
            /* Space around, for parts that are made thicker. */
            g.low[k] = low[k] - blend - 2.013 * g.cell;
            g.high[k] = high[k] + blend + 2.017 * g.cell;
        }
        result = make_field(&g);
        if (result != RN_OK) break;
        g.data = NULL; /* counted only */
        result = cut_cubes(&g, &found);
        g.data = data;
        if (found <= triangles && (double)found > 0.9 * triangles) break;
        if (found <= triangles && trial + 2 >= TRIALS) break;
        g.cell *= sqrt((double)(found ? found : 1) / (0.96 * triangles));
    }
    if (result == RN_OK && found > triangles)
        result = rni_fail(RN_ERROR_ARGUMENT, "%u triangles are too few for this shape", triangles);
    if (result == RN_OK) result = cut_cubes(&g, &found);
    if (result == RN_OK) result = keep_largest(data, first_vertex, first_triangle);
    rni_buffer_free(&data->memory, &g.field);
    rni_buffer_free(&data->memory, &g.edge);
    return result;
}
