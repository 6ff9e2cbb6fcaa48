/* From a mesh and its texture to the texels of a film. */
#ifndef RNI_FLUID_FILM_TEXELS_H
#define RNI_FLUID_FILM_TEXELS_H

#include "fluid/film.h"

/* Fills in side, texels and cells; `spacing` says how fine. */
rn_result rni_film_lay_out(rni_film *film, rni_memory *memory, const rni_solid *solid, float spacing);
/* The cell at a place of the grid; NULL: no texel is there. */
const rni_film_cell *rni_film_cell_at(const rni_film *film, const int32_t at[3]);

#endif
