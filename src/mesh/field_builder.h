/* A boundary field while it is built (field_build.c): first which blocks there are and which triangles each has to
 * sum (field_blocks.c), then the nodes of all blocks. */
#ifndef RNI_MESH_FIELD_BUILDER_H
#define RNI_MESH_FIELD_BUILDER_H

#include "base/error.h"
#include "mesh/field_node.h"
#include "mesh/hierarchy.h"

#define RNI_FIELD_PLANE (RNI_FIELD_CELLS * RNI_FIELD_CELLS)
#define RNI_FIELD_OWN   (RNI_FIELD_PLANE * RNI_FIELD_CELLS)
#define RNI_FIELD_HALF  (RNI_FIELD_PLANE / 2) /* nodes of half a plane, 4 along x */
/* Cells beyond the reach, within which distances of nodes are known: a cell has nodes so far from a place in it. */
#define RNI_FIELD_MARGIN 1.75

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
    uint32_t halves;   /* bit p: it may count for nodes of half plane p, by their number */
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

/* What the thin triangles whose back they see give to the nodes of a block, in m, 8 nodes a struct: none; one triangle
 * more (origin: the first node), which returns false when no node is behind it. */
void rni_field_backs_clear(rni_field_sums *backs);
bool rni_field_add_back(const rni_field *field, const rni_field_triangle *triangle,
                        const double origin[3], rni_field_sums *backs);
/* Takes that from the sums of a node in the fluid, in lane 0 of `of`. */
void rni_field_leave_back(const rni_field_sums *backs, uint32_t lane, rni_field_sums *of);

/* --- the builder ----------------------------------------------------------------------------------- */

/* A block that is within reach of a triangle. */
typedef struct rni_field_place {
    uint32_t at[3];
    bool is_away; /* no triangle is so near that a cell of the block can have the surface or nodes beside it */
    bool is_solid;  /* deep in the solid: it is not kept */
    uint32_t index; /* in rni_field.block */
} rni_field_place;

/* The triangles near a group of blocks, as a worker lists them. */
typedef struct rni_field_near {
    rni_memory *memory;
    rni_buffer indices, triangles;
    uint32_t count;
    rn_result result;
} rni_field_near;

typedef struct rni_field_builder {
    rni_memory *memory;
    rni_crew *crew;
    const rni_field_def *def;
    rni_field *field;
    const rni_hierarchy *hierarchy; /* of the mesh without the scale */
    rni_hierarchy own;              /* if the caller has none */
    /* m: from the middle of a block to a triangle: the block is needed; the triangle is summed; the block is not away */
    double wanted, listed, away;
    uint32_t region_count, block_count;
    rni_field_place *place; /* of each block */
    rni_node_law law;
    rni_field_nodes_fn add;
    rni_failure failure;
    rni_field_near *near; /* by worker */
    uint32_t *group_start; /* of groups of blocks that share their list of triangles; one more at the end */
    uint32_t group_count, first_group; /* first: of the current slice */
    rni_buffer region_buffer, place_buffer, near_buffer, group_buffer;
} rni_field_builder;

/* The middle of a cube of `size` blocks, m. */
void rni_field_middle(const rni_field *field, const uint32_t at[3], uint32_t size, double middle[3]);
/* From m to the lengths of the mesh; returns how far away, in m, the result may be. */
double rni_field_enter_mesh(const rni_field_builder *b, const double x[3], float own[3]);
/* Finds the blocks and enters them into the table. */
rn_result rni_field_find_blocks(rni_field_builder *b);
/* Fills them. */
rn_result rni_field_fill_blocks(rni_field_builder *b);
/* When all nodes of all blocks are known: what the cells of a block are (field_cells.c). */
void rni_field_mark_cells(const rni_field *field, rni_field_block *block);
/* Sets what an entry of the table says of the cells of its block. */
void rni_field_note_cells(const rni_field_block *block, rni_field_entry *entry);
/* Whether no fluid can be in the block. */
bool rni_field_is_deep(const rni_field *field, const rni_field_block *block);

#endif
