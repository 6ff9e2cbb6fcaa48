/* A boundary field while it is built (field_build.c): first which blocks there are and which triangles each has to
 * sum (field_blocks.c), then the nodes of all blocks. */
#ifndef RNI_MESH_FIELD_BUILDER_H
#define RNI_MESH_FIELD_BUILDER_H

#include "mesh/field_node.h"

#define RNI_FIELD_PLANE (RNI_FIELD_CELLS * RNI_FIELD_CELLS)
#define RNI_FIELD_OWN   (RNI_FIELD_PLANE * RNI_FIELD_CELLS)

/* --- sums at the nodes of a block (field_nodes.h) -------------------------------------------------- */

/* The coefficients of rni_field_law; slopes are those of the polynomials. */
typedef struct rni_node_law {
    double power[RNI_FIELD_DEGREE + 1], cover_power[RNI_FIELD_DEGREE + 1];
    double monomial[RNI_FIELD_DEGREE + 1], slope[RNI_FIELD_DEGREE + 1];
    double cover[RNI_FIELD_DEGREE + 1], cover_slope[RNI_FIELD_DEGREE + 1];
} rni_node_law;

/* A length at the nodes of a block: at the first one, and how it grows from node to node along each axis. */
typedef struct rni_ready_length {
    double first, step[3];
} rni_ready_length;

/* A triangle as the nodes of a block see it, in multiples of the reach; names as in field_sum.h. */
typedef struct rni_ready_triangle {
    rni_ready_length z, a[3], s[3];
    double length[3], normal[3], inward[3][3], edge[3][3];
    double product[6]; /* n n */
    uint32_t planes;   /* bit p: it is within reach of nodes with z = p */
} rni_ready_triangle;

/* As rni_field_sums, of the nodes that a block owns, x fastest. */
typedef struct rni_node_sums {
    double flux[RNI_FIELD_OWN], cover[RNI_FIELD_OWN];
    double gradient[3][RNI_FIELD_OWN], cover_gradient[3][RNI_FIELD_OWN];
    double spread[6][RNI_FIELD_OWN];
    double distance_sq[RNI_FIELD_OWN], nearest[3][RNI_FIELD_OWN];
} rni_node_sums;

/* Adds triangles to the sums; the same bits for every instruction set. */
typedef void (*rni_field_nodes_fn)(const rni_node_law *law, const rni_ready_triangle *triangles,
                                   uint32_t count, rni_node_sums *sums);
void rni_field_nodes_plain(const rni_node_law *law, const rni_ready_triangle *triangles,
                           uint32_t count, rni_node_sums *sums);
void rni_field_nodes_avx2(const rni_node_law *law, const rni_ready_triangle *triangles,
                          uint32_t count, rni_node_sums *sums);
void rni_field_nodes_avx512(const rni_node_law *law, const rni_ready_triangle *triangles,
                            uint32_t count, rni_node_sums *sums);
/* The best one for this machine. */
rni_field_nodes_fn rni_field_nodes_choose(void);
rni_node_law rni_node_law_of(const rni_field_law *law);
/* origin: the first node, m; margin: m, beyond the reach, within which distances count. */
void rni_field_make_ready(const rni_field_law *law, const rni_field_triangle *triangle,
                          const double origin[3], double cell, double margin,
                          rni_ready_triangle *ready);
void rni_node_sums_clear(rni_node_sums *sums);
/* The sums of node n as those of one point; RNI_NODE_NOISE: of u(0), below which a flux has no sign. */
void rni_node_sums_get(const rni_node_sums *sums, double reach, uint32_t n, rni_field_sums *of);
#define RNI_NODE_NOISE 1e-8

/* --- thin walls (field_backs.c) -------------------------------------------------------------------- */

struct rni_field_builder;
/* What the thin triangles of block k whose back they see give to its nodes, in m, 8 nodes a struct; origin: the first
 * node. False: nothing. */
bool rni_field_sum_backs(const struct rni_field_builder *b, uint32_t k, const double origin[3],
                         rni_field_sums *backs);
/* Takes that from the sums of a node in the fluid, in lane 0 of `of`. */
void rni_field_leave_back(const rni_field_sums *backs, uint32_t lane, rni_field_sums *of);

/* --- the builder ----------------------------------------------------------------------------------- */

typedef struct rni_field_builder {
    rni_memory *memory;
    rni_crew *crew;
    const rni_field_def *def;
    rni_field *field;
    double wanted, listed; /* m: from the middle of a block: it is needed; the triangle is summed */
    uint32_t key_count;
    uint32_t *start; /* of the list of each block; one more at the end */
    uint32_t *list;  /* triangles */
    uint32_t first;  /* block of the current slice */
    rni_node_law law;
    rni_field_nodes_fn add;
    rni_buffer start_buffer, list_buffer;
} rni_field_builder;

/* The three corners of triangle t, without the scale. */
void rni_field_corners(const rni_field_builder *b, uint32_t t, const float *corner[3]);
/* m^2: of x from a triangle. */
double rni_field_distance_sq(const rni_field_triangle *triangle, const double x[3]);
/* Enters the blocks of all triangles into the table; then the list of each block. */
rn_result rni_field_find_blocks(rni_field_builder *b);
rn_result rni_field_make_lists(rni_field_builder *b);

#endif
