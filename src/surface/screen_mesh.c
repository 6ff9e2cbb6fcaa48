/* From the depth map to triangles in the world.
 *
 * A node with a depth is a vertex. An edge between different layers has a vertex at its cut for the front layer,
 * and one for the back layer if there is one. Around a cell, nodes and cuts form chains that begin and end at
 * cuts: each chain of one layer is a polygon. That gives the 16 cases of the papers without a table. */
#include "surface/screen.h"

#include <math.h>
#include <string.h>

#define PIECE   4096u
#define FOLLOWS (UINT32_MAX - 1) /* second link of a back vertex: it moves with the first */

typedef struct place {
    float x, y, depth;
} place;

/* --- vertices ---------------------------------------------------------------------------------------- */

static bool has_cut(const rn_screen *s, size_t node, uint32_t axis)
{
    const float *depth = s->depth.data;
    return rni_screen_is_apart(s, depth[node], depth[axis == 0 ? node + 1 : node + s->columns]);
}

/* Whether the edge that starts at column i of a row is on the map. */
static bool has_edge(const rn_screen *s, uint32_t i, uint32_t row, uint32_t axis)
{
    return axis == 0 ? i + 1 < s->columns : row + 1 < s->rows;
}

static void count_vertices(void *data, uint32_t row, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const float *depth = s->depth.data;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->columns; i++) {
        size_t node = (size_t)row * s->columns + i;
        count += isfinite(depth[node]) ? 1 : 0;
        for (uint32_t axis = 0; axis < 2; axis++) {
            if (!has_edge(s, i, row, axis) || !has_cut(s, node, axis)) continue;
            float other = depth[axis == 0 ? node + 1 : node + s->columns];
            count += isfinite(depth[node]) && isfinite(other) ? 2 : 1;
        }
    }
    ((uint32_t *)s->row_vertices.data)[row] = count;
}

/* The depth of the back layer at the cut, continued from the back node and the one behind it. */
static float extend_back(const rn_screen *s, size_t back, uint32_t at, uint32_t count,
                         ptrdiff_t away, float way)
{
    const float *depth = s->smooth.data;
    float here = depth[back];
    bool has_next = away > 0 ? at + 1 < count : at > 0;
    if (!has_next) return here;
    float next = depth[(size_t)((ptrdiff_t)back + away)];
    if (!isfinite(next) || rni_screen_is_apart(s, here, next)) return here;
    return here + fminf(fmaxf((here - next) * way, -0.5f * s->gap), 0.5f * s->gap);
}

/* The vertices of the cut edge that starts at a node; returns their number. */
static uint32_t write_cut(const rn_screen *s, uint32_t i, uint32_t row, uint32_t axis, uint32_t v)
{
    const float *depth = s->depth.data;
    size_t node = (size_t)row * s->columns + i;
    size_t stride = axis == 0 ? 1 : s->columns;
    size_t next = node + stride;
    bool is_first = depth[node] < depth[next]; /* the nearer node */
    rni_cut cut = ((const rni_cut *)s->cut[axis].data)[node];
    if (cut.share < 0)
        cut = (rni_cut){.share = 0.5f, .depth = is_first ? depth[node] : depth[next]};
    float along = fminf(fmaxf(is_first ? cut.share : 1 - cut.share, 0.001f), 0.999f);
    place *at = (place *)s->place.data + v;
    uint32_t *link = (uint32_t *)s->link.data + 2 * (size_t)v;
    at[0].x = (float)i + (axis == 0 ? along : 0);
    at[0].y = (float)row + (axis == 1 ? along : 0);
    at[0].depth = cut.depth;
    link[0] = link[1] = RNI_NONE;
    ((uint32_t *)s->cut_vertex[axis][0].data)[node] = v;
    ((uint32_t *)s->cut_vertex[axis][1].data)[node] = RNI_NONE;
    if (!isfinite(depth[node]) || !isfinite(depth[next])) return 1;
    at[1] = at[0];
    uint32_t place_on_axis = (axis == 0 ? i : row) + (is_first ? 1 : 0);
    at[1].depth =
        extend_back(s, is_first ? next : node, place_on_axis, axis == 0 ? s->columns : s->rows,
                    is_first ? (ptrdiff_t)stride : -(ptrdiff_t)stride, is_first ? 1 - along : along);
    link[2] = v;
    link[3] = FOLLOWS;
    ((uint32_t *)s->cut_vertex[axis][1].data)[node] = v + 1;
    return 2;
}

static void write_vertices(void *data, uint32_t row, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const float *smooth = s->smooth.data;
    uint32_t *node_vertex = s->node_vertex.data;
    uint32_t v = ((const uint32_t *)s->row_vertices.data)[row];
    for (uint32_t i = 0; i < s->columns; i++) {
        size_t node = (size_t)row * s->columns + i;
        node_vertex[node] = RNI_NONE;
        if (isfinite(smooth[node])) {
            node_vertex[node] = v;
            ((place *)s->place.data)[v] = (place){(float)i, (float)row, smooth[node]};
            ((uint32_t *)s->link.data)[2 * (size_t)v] = RNI_NONE;
            ((uint32_t *)s->link.data)[2 * (size_t)v + 1] = RNI_NONE;
            v++;
        }
        for (uint32_t axis = 0; axis < 2; axis++)
            if (has_edge(s, i, row, axis) && has_cut(s, node, axis))
                v += write_cut(s, i, row, axis, v);
    }
}

/* --- triangles --------------------------------------------------------------------------------------- */

/* A cell: corners and edges counter-clockwise from the bottom left; edge k is from corner k to k + 1. */
typedef struct cell {
    size_t corner[4];
    float depth[4];
    bool is_cut[4];
    uint32_t cut_count;
} cell;

static const uint32_t EDGE_AXIS[4] = {0, 1, 0, 1};
static const uint32_t EDGE_NODE[4] = {0, 1, 3, 0}; /* the corner at which it starts on the map */
static const uint32_t EDGE_SLOT[4] = {0, 1, 1, 0}; /* of links: above and right of an edge 0, else 1 */

static cell cell_at(const rn_screen *s, uint32_t i, uint32_t row)
{
    const float *depth = s->depth.data;
    size_t node = (size_t)row * s->columns + i;
    cell c = {.corner = {node, node + 1, node + 1 + s->columns, node + s->columns}};
    for (uint32_t k = 0; k < 4; k++) c.depth[k] = depth[c.corner[k]];
    for (uint32_t k = 0; k < 4; k++) {
        c.is_cut[k] = rni_screen_is_apart(s, c.depth[k], c.depth[(k + 1) % 4]);
        c.cut_count += c.is_cut[k];
    }
    return c;
}

/* The vertex of a cut edge that belongs to the layer of one of its corners. */
static uint32_t cut_vertex(const rn_screen *s, const cell *c, uint32_t edge, uint32_t corner,
                           bool *is_front)
{
    uint32_t other = corner == edge ? (edge + 1) % 4 : edge;
    *is_front = c->depth[corner] < c->depth[other];
    const rni_buffer *table = &s->cut_vertex[EDGE_AXIS[edge]][*is_front ? 0 : 1];
    return ((const uint32_t *)table->data)[c->corner[EDGE_NODE[edge]]];
}

/* The polygon of the chain that begins behind a cut edge; its length, 0: there is no layer. */
static uint32_t follow_chain(const rn_screen *s, const cell *c, uint32_t edge, uint32_t polygon[6],
                             bool has_links)
{
    const uint32_t *node_vertex = s->node_vertex.data;
    uint32_t corner = (edge + 1) % 4;
    if (!isfinite(c->depth[corner])) return 0;
    bool begins_in_front, ends_in_front;
    uint32_t length = 0;
    uint32_t first = edge;
    polygon[length++] = cut_vertex(s, c, edge, corner, &begins_in_front);
    for (;; corner = (corner + 1) % 4) {
        polygon[length++] = node_vertex[c->corner[corner]];
        if (c->is_cut[corner]) break;
    }
    polygon[length++] = cut_vertex(s, c, corner, corner, &ends_in_front);
    if (has_links && begins_in_front && ends_in_front && corner != first) {
        uint32_t *link = s->link.data;
        link[2 * (size_t)polygon[0] + EDGE_SLOT[first]] = polygon[length - 1];
        link[2 * (size_t)polygon[length - 1] + EDGE_SLOT[corner]] = polygon[0];
    }
    return length;
}

static uint32_t count_cell(const cell *c)
{
    if (c->cut_count == 0) return isfinite(c->depth[0]) ? 2 : 0;
    uint32_t count = 0;
    for (uint32_t edge = 0; edge < 4; edge++) {
        if (!c->is_cut[edge]) continue;
        uint32_t corner = (edge + 1) % 4;
        if (!isfinite(c->depth[corner])) continue;
        uint32_t nodes = 1;
        for (; !c->is_cut[corner]; corner = (corner + 1) % 4) nodes++;
        count += nodes; /* nodes and two cuts, minus two */
    }
    return count;
}

static void count_triangles(void *data, uint32_t row, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    uint32_t count = 0;
    for (uint32_t i = 0; i + 1 < s->columns; i++) {
        cell c = cell_at(s, i, row);
        count += count_cell(&c);
    }
    ((uint32_t *)s->row_triangles.data)[row] = count;
}

/* A fan from the second corner, which is a node: the first could be at a cut that closes upon itself. */
static uint32_t *write_fan(const uint32_t *polygon, uint32_t length, uint32_t *to)
{
    for (uint32_t k = 2; k < length; k++) {
        *to++ = polygon[1];
        *to++ = polygon[k];
        *to++ = polygon[(k + 1) % length];
    }
    return to;
}

static void write_triangles(void *data, uint32_t row, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const uint32_t *node_vertex = s->node_vertex.data;
    uint32_t *to =
        (uint32_t *)s->triangle.data + 3 * (size_t)((const uint32_t *)s->row_triangles.data)[row];
    for (uint32_t i = 0; i + 1 < s->columns; i++) {
        cell c = cell_at(s, i, row);
        if (c.cut_count == 0) {
            if (!isfinite(c.depth[0])) continue;
            uint32_t quad[4];
            for (uint32_t k = 0; k < 4; k++) quad[k] = node_vertex[c.corner[k]];
            to = write_fan(quad, 4, to);
            continue;
        }
        for (uint32_t edge = 0; edge < 4; edge++) {
            uint32_t polygon[6];
            uint32_t length = c.is_cut[edge] ? follow_chain(s, &c, edge, polygon, true) : 0;
            if (length > 0) to = write_fan(polygon, length, to);
        }
    }
}

/* --- silhouettes, world, normals --------------------------------------------------------------------- */

static void range_of(const rn_screen *s, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    *begin = piece * PIECE;
    *end = s->vertex_count - *begin < PIECE ? s->vertex_count : *begin + PIECE;
}

static void smooth_piece(void *data, uint32_t piece, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const place *from = s->place.data;
    place *to = s->place_scratch.data;
    const uint32_t *link = s->link.data;
    uint32_t begin, end;
    range_of(s, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        uint32_t a = link[2 * (size_t)v];
        uint32_t b = link[2 * (size_t)v + 1];
        to[v] = from[v];
        if (a == RNI_NONE || b == RNI_NONE || b == FOLLOWS) continue;
        to[v].x = 0.5f * from[v].x + 0.25f * (from[a].x + from[b].x);
        to[v].y = 0.5f * from[v].y + 0.25f * (from[a].y + from[b].y);
    }
}

static void leave_screen(void *data, uint32_t piece, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    const place *at = s->place.data;
    const uint32_t *link = s->link.data;
    float *vertex = s->vertex.data;
    uint32_t begin, end;
    range_of(s, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        uint32_t on_screen = link[2 * (size_t)v + 1] == FOLLOWS ? link[2 * (size_t)v] : v;
        float x = (at[on_screen].x - s->middle[0]) / s->scale * at[v].depth;
        float y = (at[on_screen].y - s->middle[1]) / s->scale * at[v].depth;
        for (uint32_t k = 0; k < 3; k++) {
            vertex[3 * (size_t)v + k] =
                s->camera.eye[k] + x * s->right[k] + y * s->up[k] + at[v].depth * s->ahead[k];
            ((float *)s->normal.data)[3 * (size_t)v + k] = 0;
        }
    }
}

typedef struct half {
    rn_screen *s;
    uint32_t first; /* even or odd rows: triangles of rows j and j + 2 share no vertex */
} half;

static void add_normals(void *data, uint32_t pair, uint32_t worker)
{
    const half *h = data;
    rn_screen *s = h->s;
    (void)worker;
    uint32_t row = 2 * pair + h->first;
    if (row + 1 >= s->rows) return;
    const uint32_t *start = s->row_triangles.data;
    const float *vertex = s->vertex.data;
    float *normal = s->normal.data;
    for (uint32_t t = start[row]; t < start[row + 1]; t++) {
        const uint32_t *c = (const uint32_t *)s->triangle.data + 3 * (size_t)t;
        const float *p = vertex + 3 * (size_t)c[0];
        const float *q = vertex + 3 * (size_t)c[1];
        const float *r = vertex + 3 * (size_t)c[2];
        float u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        float v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        float n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                      u[0] * v[1] - u[1] * v[0]};
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t a = 0; a < 3; a++) normal[3 * (size_t)c[k] + a] += n[a];
    }
}

static void finish_normals(void *data, uint32_t piece, uint32_t worker)
{
    rn_screen *s = data;
    (void)worker;
    float *normal = s->normal.data;
    uint32_t begin, end;
    range_of(s, piece, &begin, &end);
    for (uint32_t v = begin; v < end; v++) {
        float *n = normal + 3 * (size_t)v;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        /* A vertex without area looks at the camera. */
        for (uint32_t k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : -s->ahead[k];
    }
}

/* --- all --------------------------------------------------------------------------------------------- */

/* Counts become starts; returns the sum. */
static uint32_t sum_up(uint32_t *count, uint32_t rows)
{
    uint32_t sum = 0;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t here = count[row];
        count[row] = sum;
        sum += here;
    }
    count[rows] = sum;
    return sum;
}

static rn_result reserve(rn_screen *s)
{
    uint64_t nodes = (uint64_t)s->columns * s->rows;
    rni_buffer *const tables[] = {&s->node_vertex, &s->cut_vertex[0][0], &s->cut_vertex[0][1],
                                  &s->cut_vertex[1][0], &s->cut_vertex[1][1]};
    for (uint32_t k = 0; k < 5; k++)
        if (rni_screen_need(&s->memory, tables[k], nodes, sizeof(uint32_t))) return RN_ERROR_MEMORY;
    uint64_t vertices = s->vertex_count + (uint64_t)1;
    rni_buffer *const places[] = {&s->place, &s->place_scratch, &s->vertex, &s->normal};
    for (uint32_t k = 0; k < 4; k++)
        if (rni_screen_need(&s->memory, places[k], vertices, sizeof(place))) return RN_ERROR_MEMORY;
    if (rni_screen_need(&s->memory, &s->link, 2 * vertices, sizeof(uint32_t)) ||
        rni_screen_need(&s->memory, &s->triangle, s->triangle_count + (uint64_t)1,
                        3 * sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    return RN_OK;
}

rn_result rni_screen_make_mesh(rn_screen *s)
{
    if (rni_screen_need(&s->memory, &s->row_vertices, s->rows + (uint64_t)1, sizeof(uint32_t)) ||
        rni_screen_need(&s->memory, &s->row_triangles, s->rows + (uint64_t)1, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->rows, count_vertices, s);
    rni_crew_pieces(s->crew, s->rows - 1, count_triangles, s);
    s->vertex_count = sum_up(s->row_vertices.data, s->rows);
    s->triangle_count = sum_up(s->row_triangles.data, s->rows - 1);
    if (reserve(s)) return RN_ERROR_MEMORY;
    rni_crew_pieces(s->crew, s->rows, write_vertices, s);
    rni_crew_pieces(s->crew, s->rows - 1, write_triangles, s);
    uint32_t pieces = rni_piece_count(s->vertex_count, PIECE);
    for (uint32_t round = 0; round < s->def.silhouette_smoothing; round++) {
        rni_crew_pieces(s->crew, pieces, smooth_piece, s);
        rni_buffer swapped = s->place;
        s->place = s->place_scratch;
        s->place_scratch = swapped;
    }
    rni_crew_pieces(s->crew, pieces, leave_screen, s);
    for (uint32_t first = 0; first < 2; first++) {
        half h = {.s = s, .first = first};
        rni_crew_pieces(s->crew, s->rows / 2 + 1, add_normals, &h);
    }
    rni_crew_pieces(s->crew, pieces, finish_normals, s);
    return RN_OK;
}
