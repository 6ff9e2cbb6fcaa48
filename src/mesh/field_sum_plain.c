/* The closed form of the boundary field, two lanes: every machine. */
#define LANES 2
#define NAME  rni_field_add_plain
#include "mesh/field_sum.h"
