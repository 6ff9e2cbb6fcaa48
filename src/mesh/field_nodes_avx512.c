/* The closed form for the nodes of a block, 8 lanes. */
#define LANES 8
#define NAME  rni_field_nodes_avx512
#include "mesh/field_nodes.h"
