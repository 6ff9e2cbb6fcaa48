/* From a mesh and its texture to the texels of a film. */
#ifndef RNI_FLUID_FILM_TEXELS_H
#define RNI_FLUID_FILM_TEXELS_H

#include "fluid/film.h"

/* Fills in side, texels and cells; `spacing` says how fine. */
rn_result rni_film_lay_out(rni_film *film, rni_memory *memory, const rni_solid *solid, float spacing);
/* Floats from one array of film->place to the next. */
static inline size_t rni_film_stride(const rni_film *film)
{
    return (size_t)film->count + RNI_FILM_LANES;
}

/* The cells with texels that a place of the solid's own frame may reach. */
typedef struct rni_film_near {
    const rni_film_cell *cell[8];
    uint32_t count;
} rni_film_near;
void rni_film_cell_find(const rni_film *film, const float own[3], rni_film_near *near);

#endif
