/* Nets: surfaces made of rows and columns of quads, each cut along its shorter diagonal. */
#ifndef RNI_MESH_NET_H
#define RNI_MESH_NET_H

#include "mesh/data.h"

typedef struct rni_net {
    uint32_t rows, columns;           /* of quads */
    bool wraps_rows, wraps_columns;   /* the last one joins the first */
    bool first_is_pole, last_is_pole; /* all vertices of the first or last row are one */
    /* Position of vertex (row, column); row 0 .. rows, column 0 .. columns. */
    void (*at)(const void *user, uint32_t row, uint32_t column, double position[3]);
    const void *user;
} rni_net;

/* Triangles of a net. */
uint64_t rni_net_triangles(const rni_net *net);
/* Appends the net; u runs along the rows from 0 to 1, v along the columns. */
rn_result rni_net_add(rn_mesh_data *data, const rni_net *net);

#endif
