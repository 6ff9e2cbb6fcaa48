/* A boundary field while it is built (field_build.c): first which blocks there are and which triangles each has to
 * sum (field_blocks.c), then the nodes of all blocks. */
#ifndef RNI_MESH_FIELD_BUILDER_H
#define RNI_MESH_FIELD_BUILDER_H

#include "mesh/field_node.h"

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
    rni_field_add_fn add;
    rni_buffer start_buffer, list_buffer;
} rni_field_builder;

/* The three corners of triangle t, without the scale. */
void rni_field_corners(const rni_field_builder *b, uint32_t t, const float *corner[3]);
/* Enters the blocks of all triangles into the table; then the list of each block. */
rn_result rni_field_find_blocks(rni_field_builder *b);
rn_result rni_field_make_lists(rni_field_builder *b);

#endif
