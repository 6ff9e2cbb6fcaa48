/* The cached boundary field in a cell, AVX2. */
#define NAME rni_field_cell_avx2
#include "mesh/field_lookup.h"
