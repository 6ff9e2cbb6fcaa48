/* The closed form for the nodes of a block, 4 lanes. */
#define LANES 4
#define NAME  rni_field_nodes_avx2
#include "mesh/field_nodes.h"
