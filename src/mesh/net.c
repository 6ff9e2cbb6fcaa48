#include "mesh/net.h"

typedef struct net_scan {
    rn_mesh_data *data;
    const rni_net *net;
    uint32_t first; /* vertex */
} net_scan;

static uint32_t vertex_columns(const rni_net *net)
{
    return net->wraps_columns ? net->columns : net->columns + 1;
}

uint64_t rni_net_triangles(const rni_net *net)
{
    return 2 * (uint64_t)net->rows * net->columns - net->first_is_pole * (uint64_t)net->columns -
           net->last_is_pole * (uint64_t)net->columns;
}

static bool is_pole(const rni_net *net, uint32_t row)
{
    return (row == 0 && net->first_is_pole) || (row == net->rows && net->last_is_pole);
}

static uint32_t vertex_at(const net_scan *scan, uint32_t row, uint32_t column)
{
    const rni_net *net = scan->net;
    if (net->wraps_rows && row == net->rows) row = 0;
    if (net->wraps_columns && column == net->columns) column = 0;
    if (is_pole(net, row)) column = 0;
    const uint32_t poles_before = net->first_is_pole && row > 0 ? vertex_columns(net) - 1 : 0;
    return scan->first + row * vertex_columns(net) + column - poles_before;
}

static rn_result add_vertices(const net_scan *scan)
{
    const rni_net *net = scan->net;
    const uint32_t rows = net->wraps_rows ? net->rows : net->rows + 1;
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t columns = is_pole(net, r) ? 1 : vertex_columns(net);
        for (uint32_t c = 0; c < columns; c++) {
            double at[3];
            uint32_t number;
            net->at(net->user, r, c, at);
            rn_result result = rni_mesh_data_vertex(scan->data, at[0], at[1], at[2], &number);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

/* A corner of a quad: its vertex and its texture coordinates. */
typedef struct net_corner {
    uint32_t vertex;
    float u, v;
} net_corner;

static rn_result add_triangle(rn_mesh_data *data, const net_corner *a, const net_corner *b,
                              const net_corner *c)
{
    const uint32_t corner[3] = {a->vertex, b->vertex, c->vertex};
    const float uv[6] = {a->u, a->v, b->u, b->v, c->u, c->v};
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) return RN_OK;
    return rn_mesh_data_add_triangles(data, corner, uv, 1);
}

static double length_sq(const rn_mesh_data *data, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const double d = (double)rni_data_vertex(data)[3 * (size_t)a + axis] -
                         (double)rni_data_vertex(data)[3 * (size_t)b + axis];
        sum += d * d;
    }
    return sum;
}

static rn_result add_quad(const net_scan *scan, uint32_t r, uint32_t c)
{
    const rni_net *net = scan->net;
    net_corner q[4];
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t row = r + (k == 1 || k == 2), column = c + (k >= 2);
        q[k].vertex = vertex_at(scan, row, column);
        q[k].u = (float)row / (float)net->rows;
        q[k].v = is_pole(net, row) ? ((float)c + 0.5f) / (float)net->columns
                                   : (float)column / (float)net->columns;
    }
    const bool is_first = q[0].vertex == q[3].vertex || q[1].vertex == q[2].vertex ||
                          length_sq(scan->data, q[0].vertex, q[2].vertex) <=
                              length_sq(scan->data, q[1].vertex, q[3].vertex);
    rn_result result = is_first ? add_triangle(scan->data, &q[0], &q[1], &q[2])
                                : add_triangle(scan->data, &q[0], &q[1], &q[3]);
    if (result != RN_OK) return result;
    return is_first ? add_triangle(scan->data, &q[0], &q[2], &q[3])
                    : add_triangle(scan->data, &q[1], &q[2], &q[3]);
}

rn_result rni_net_add(rn_mesh_data *data, const rni_net *net)
{
    const net_scan scan = {data, net, data->vertex_count};
    rn_result result = add_vertices(&scan);
    for (uint32_t r = 0; r < net->rows && result == RN_OK; r++)
        for (uint32_t c = 0; c < net->columns && result == RN_OK; c++)
            result = add_quad(&scan, r, c);
    return result;
}
