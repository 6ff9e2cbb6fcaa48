/* The sign of a distance: angle-weighted pseudo-normals (Baerentzen and Aanaes 2005) of faces, edges and
 * vertices for a closed and oriented mesh, the winding number for others. Vertices in the same place
 * are welded first. */
#include "mesh/query.h"

#include <string.h>

#define EMPTY UINT32_MAX

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static uint64_t table_size(uint64_t count)
{
    uint64_t size = 16;
    while (size < 2 * count) size *= 2;
    return size;
}

/* --- welding ------------------------------------------------------------------------------------ */

static uint64_t place_key(const float v[3])
{
    uint64_t key = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float x = v[axis] + 0.0f; /* -0 and 0 are one place */
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        key = mixed(key ^ bits);
    }
    return key;
}

/* to[v] is the first vertex in the same place. */
static void weld(const rn_mesh *mesh, uint32_t *table, uint64_t size, uint32_t *to)
{
    memset(table, 0xff, size * sizeof *table);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const float *p = mesh->vertex + (size_t)3 * v;
        uint64_t at = place_key(p) & (size - 1);
        for (; table[at] != EMPTY; at = (at + 1) & (size - 1)) {
            const float *q = mesh->vertex + (size_t)3 * table[at];
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) break;
        }
        if (table[at] == EMPTY) table[at] = v;
        to[v] = table[at];
    }
}

/* --- edges -------------------------------------------------------------------------------------- */

typedef struct edge {
    uint32_t a, b;              /* a < b */
    uint32_t forward, backward; /* triangles in which a comes before b, and after b */
} edge;

typedef struct edge_table {
    uint32_t *place; /* hash table of edges */
    uint64_t size;
    edge *edges;
    uint32_t count;
} edge_table;

static uint32_t find_edge(edge_table *table, uint32_t from, uint32_t to)
{
    const uint32_t a = from < to ? from : to, b = from < to ? to : from;
    uint64_t at = mixed((uint64_t)a << 32 | b) & (table->size - 1);
    for (; table->place[at] != EMPTY; at = (at + 1) & (table->size - 1)) {
        const edge *e = &table->edges[table->place[at]];
        if (e->a == a && e->b == b) break;
    }
    if (table->place[at] == EMPTY) {
        table->place[at] = table->count;
        table->edges[table->count++] = (edge){.a = a, .b = b};
    }
    edge *e = &table->edges[table->place[at]];
    if (from == a) e->forward++;
    else e->backward++;
    return table->place[at];
}

/* --- normals ------------------------------------------------------------------------------------ */

typedef struct face {
    double corner[3][3], normal[3]; /* unit length */
    bool is_degenerate;
} face;

static face face_of(const rn_mesh *mesh, uint32_t t)
{
    face f;
    double ab[3], ac[3];
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t axis = 0; axis < 3; axis++)
            f.corner[k][axis] =
                (double)mesh->vertex[(size_t)3 * mesh->triangle[(size_t)3 * t + k] + axis];
    rni_sub3(f.corner[1], f.corner[0], ab);
    rni_sub3(f.corner[2], f.corner[0], ac);
    rni_cross3(ab, ac, f.normal);
    const double length = sqrt(rni_dot3(f.normal, f.normal));
    f.is_degenerate = !(length > 0.0);
    for (int axis = 0; axis < 3; axis++)
        f.normal[axis] = f.is_degenerate ? 0.0 : f.normal[axis] / length;
    return f;
}

static double angle_at(const face *f, int k)
{
    double u[3], v[3], cross[3];
    rni_sub3(f->corner[(k + 1) % 3], f->corner[k], u);
    rni_sub3(f->corner[(k + 2) % 3], f->corner[k], v);
    rni_cross3(u, v, cross);
    return atan2(sqrt(rni_dot3(cross, cross)), rni_dot3(u, v));
}

static void add_scaled(float *to, const double normal[3], double weight)
{
    for (int axis = 0; axis < 3; axis++) to[axis] += (float)(weight * normal[axis]);
}

/* Numbers the edges of all triangles; whether each has two triangles that agree in orientation. */
static bool number_edges(rn_mesh_query *query, const uint32_t *weld_of, edge_table *table)
{
    rni_mesh_normals *n = &query->normals;
    uint32_t *vertex_of = n->corners.data, *edge_of = n->edges.data;
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *corner = query->mesh.triangle + (size_t)3 * t;
            const uint32_t a = weld_of[corner[k]], b = weld_of[corner[(k + 1) % 3]];
            vertex_of[(size_t)3 * t + k] = a;
            edge_of[(size_t)3 * t + k] = find_edge(table, a, b);
        }
    for (uint32_t k = 0; k < table->count; k++)
        if (table->edges[k].forward != 1 || table->edges[k].backward != 1) return false;
    return query->mesh.triangle_count > 0;
}

void rni_mesh_normals_sum(rn_mesh_query *query)
{
    rni_mesh_normals *n = &query->normals;
    float *vertex_normal = n->vertex_sums.data, *edge_normal = n->edge_sums.data;
    memset(vertex_normal, 0, (size_t)3 * query->mesh.vertex_count * sizeof(float));
    memset(edge_normal, 0, (size_t)3 * n->edge_count * sizeof(float));
    n->is_closed = n->has_closed_edges;
    for (uint32_t t = 0; t < query->mesh.triangle_count; t++) {
        const face f = face_of(&query->mesh, t);
        if (f.is_degenerate) n->is_closed = false; /* its edges have half a normal */
        for (int k = 0; k < 3; k++) {
            const size_t at = (size_t)3 * t + (size_t)k;
            add_scaled(vertex_normal + (size_t)3 * n->vertex_of[at], f.normal, angle_at(&f, k));
            add_scaled(edge_normal + (size_t)3 * n->edge_of[at], f.normal, 1.0);
        }
    }
}

static rn_result take_arrays(rn_mesh_query *query)
{
    rni_mesh_normals *n = &query->normals;
    const uint64_t corners = (uint64_t)3 * query->mesh.triangle_count + 1;
    const uint64_t vertices = (uint64_t)3 * query->mesh.vertex_count + 1;
    if (rni_buffer_need(&query->memory, &n->corners, corners, sizeof(uint32_t)) ||
        rni_buffer_need(&query->memory, &n->edges, corners, sizeof(uint32_t)) ||
        rni_buffer_need(&query->memory, &n->vertex_sums, vertices, sizeof(float)) ||
        rni_buffer_need(&query->memory, &n->edge_sums, 3 * corners, sizeof(float)))
        return RN_ERROR_MEMORY;
    return RN_OK;
}

void rni_mesh_normals_free(rn_mesh_query *query)
{
    rni_mesh_normals *n = &query->normals;
    rni_buffer_free(&query->memory, &n->corners);
    rni_buffer_free(&query->memory, &n->edges);
    rni_buffer_free(&query->memory, &n->vertex_sums);
    rni_buffer_free(&query->memory, &n->edge_sums);
}

rn_result rni_mesh_normals_build(rn_mesh_query *query)
{
    rni_mesh_normals *n = &query->normals;
    const uint64_t corners = (uint64_t)3 * query->mesh.triangle_count + 1;
    const uint64_t vertex_size = table_size(query->mesh.vertex_count);
    edge_table table = {.size = table_size(corners)};
    rni_buffer welds = {0}, place = {0}, edges = {0};
    rni_memory *memory = &query->memory;
    rn_result result = take_arrays(query);
    if (result == RN_OK)
        result = rni_buffer_need(memory, &welds, (uint64_t)query->mesh.vertex_count + 1,
                                 sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(memory, &place, vertex_size > table.size ? vertex_size : table.size,
                                 sizeof(uint32_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &edges, corners, sizeof(edge));
    if (result == RN_OK) {
        weld(&query->mesh, place.data, vertex_size, welds.data);
        table.place = place.data;
        table.edges = edges.data;
        memset(table.place, 0xff, table.size * sizeof *table.place);
        n->has_closed_edges = number_edges(query, welds.data, &table);
        n->edge_count = table.count;
        n->vertex_of = n->corners.data;
        n->edge_of = n->edges.data;
        n->vertex_normal = n->vertex_sums.data;
        n->edge_normal = n->edge_sums.data;
        rni_mesh_normals_sum(query);
    }
    rni_buffer_free(memory, &welds);
    rni_buffer_free(memory, &place);
    rni_buffer_free(memory, &edges);
    return result;
}

/* --- the sign ----------------------------------------------------------------------------------- */

static double normal_sign(const rn_mesh_query *query, const float point[3], const rni_near *near)
{
    const rni_mesh_normals *n = &query->normals;
    double to[3], dot = 0.0;
    for (int axis = 0; axis < 3; axis++) to[axis] = (double)point[axis] - near->point[axis];
    const size_t corner = (size_t)3 * near->triangle;
    if (near->feature == RNI_FEATURE_FACE) {
        const face f = face_of(&query->mesh, near->triangle);
        rni_sub3((const double[3]){(double)point[0], (double)point[1], (double)point[2]},
                 f.corner[0], to);
        return rni_dot3(to, f.normal) < 0.0 ? -1.0 : 1.0;
    }
    const float *normal =
        near->feature >= RNI_FEATURE_EDGE
            ? n->edge_normal + (size_t)3 * n->edge_of[corner + near->feature - RNI_FEATURE_EDGE]
            : n->vertex_normal + (size_t)3 * n->vertex_of[corner + near->feature];
    for (int axis = 0; axis < 3; axis++) dot += to[axis] * (double)normal[axis];
    return dot < 0.0 ? -1.0 : 1.0;
}

double rni_mesh_sign_at(const rn_mesh_query *query, const float point[3], const rni_near *near)
{
    if (query->sign == RN_SIGN_PSEUDO_NORMAL) return normal_sign(query, point, near);
    return query->structure->winding(query, point) > 0.5 ? -1.0 : 1.0;
}

double rni_mesh_signed_distance(const rn_mesh_query *query, const float point[3])
{
    rni_near near;
    if (query->mesh.triangle_count == 0) return (double)INFINITY;
    const bool is_brute = query->structure->info.structure == RN_MESH_BRUTE;
    if (is_brute) query->structure->closest(query, point, (double)INFINITY, &near);
    else rni_hierarchy_closest(&query->hierarchy, point, (double)INFINITY, &near);
    return sqrt(near.distance_sq) * rni_mesh_sign_at(query, point, &near);
}
