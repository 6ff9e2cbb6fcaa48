/* Parts of the corrected scheme (corrected.c): the loop over particles that advances the density, for each
 * instruction set. */
#ifndef RNI_FLUID_CORRECTED_H
#define RNI_FLUID_CORRECTED_H

#include "fluid/water.h"

typedef struct rni_corrected_loop {
    rn_fluid *fluid;
    float since, drag, drag_most, exponent, bulk, seed;
    float rest, inverse_rest, stiffness, least, relaxation, diffusion, shift, shift_most, speed_most;
    float outside;                   /* relaxation there, over that inside */
    float density_low, density_high; /* kg / m^3: an integrated density stays between these */
    bool is_flat, is_corrected, has_energy;
} rni_corrected_loop;

/* data: an rni_corrected_loop. Reads rates, summation, density and what walls add; writes density, pressure,
 * stress and shift of particles begin to end. */
void rni_corrected_advance_plain(void *data, uint32_t begin, uint32_t end, uint32_t piece);
void rni_corrected_advance_avx2(void *data, uint32_t begin, uint32_t end, uint32_t piece);

/* Plane k of an array of records: records of all particles, one plane after the other. */
static inline float *rni_plane(const rn_fluid *f, rni_record *first, uint32_t k)
{
    return first[(size_t)k * ((size_t)f->now.capacity + RNI_FLUID_PADDING)];
}

#endif
