/* Films: what the fluid leaves on the triangles of a mesh (particle trails, Grahn 2008, section 7.4.2).
 *
 * Job:    a thickness in m for each texel of the mesh's texture, of solids whose definition has a trail.
 * How:    texels are places on the surface. Each time the fluid may have moved by a spacing, at the end of a step, each
 *         particle near a wall wets the texels within its reach, on its side; wet texels approach the thickness of the
 *         trail, others drain and dry. Places are found by a
 *         hash of cells in the solid's own frame, so that neither seams of the texture nor the size of triangles matter.
 * Order:  made when the solid is added; rni_films_step() at the end of a step. Part of the state (state.c).
 *         Particles only mark, so the result does not depend on threads.
 */
#ifndef RNI_FLUID_FILM_H
#define RNI_FLUID_FILM_H

#include "fluid/walls.h"

#include <stdatomic.h>

/* A place on the surface that a texel stands for, in the solid's own frame. */
typedef struct rni_texel {
    float place[3];  /* m */
    float normal[3]; /* unit, into the fluid */
    float area;      /* m^2 */
    uint32_t image;  /* which texel of the texture */
} rni_texel;

/* Texels that are looked at together. */
#define RNI_FILM_LANES 4u

typedef struct rni_film_cell {
    int32_t at[3];
    uint32_t begin, end; /* texels */
} rni_film_cell;

typedef struct rni_film {
    struct rni_film *next; /* of a solid with a higher number */
    uint32_t solid;        /* in walls->solids */
    uint32_t side;         /* texels of the texture along each side */
    uint32_t count;        /* of texels that lie on a triangle */
    rni_texel *texel;
    /* Places and normals again, x of all texels, then y, z: six arrays, RNI_FILM_LANES longer than needed. */
    float *place;
    float *thickness;     /* m, by texel */
    _Atomic uint8_t *wet; /* by texel, within a step */
    float reach;          /* m: of a particle */
    float cell_side;      /* m: twice the reach */
    rni_film_cell *cell;  /* a table of cell_mask + 1 places; begin == end: free */
    uint32_t cell_mask;
    uint64_t *is_taken; /* a bit for each value of part of the hash: some cell has it */
    float *image;       /* side^2, for the caller */
    rni_buffer texel_buffer, place_buffer, thickness_buffer, wet_buffer, cell_buffer, taken_buffer,
        image_buffer;
} rni_film;

/* Of the solid at place k, if it is a mesh with a trail. */
rn_result rni_film_attach(rn_fluid *fluid, uint32_t k);
/* Of the solid at place k; none: nothing is done. */
void rni_film_detach(rn_fluid *fluid, uint32_t k);
void rni_films_destroy(rn_fluid *fluid);
void rni_films_step(rn_fluid *fluid, float dt);

/* All thicknesses one after the other, as the state has them. */
uint32_t rni_films_texels(const rn_fluid *fluid);
void rni_films_write(const rn_fluid *fluid, void *bytes);
rn_result rni_films_check(const void *bytes, uint32_t texels);
void rni_films_read(rn_fluid *fluid, const void *bytes);

#endif
