/* The closed form for the nodes of a block, 2 lanes. */
#define LANES 2
#define NAME  rni_field_nodes_plain
#include "mesh/field_nodes.h"
