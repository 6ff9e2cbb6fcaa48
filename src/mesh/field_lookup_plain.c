/* The cached boundary field in a cell, any processor. */
#define NAME rni_field_cell_plain
#include "mesh/field_lookup.h"
