/* Compounds: elements and their shares of the mass, from a formula or from xraylib's table of mixtures. */
#ifndef RNI_RADIOGRAPH_COMPOUND_H
#define RNI_RADIOGRAPH_COMPOUND_H

#include <stdbool.h>
#include <stdint.h>

#define RNI_ELEMENTS_MAX 32u

typedef struct rni_compound {
    uint32_t count;
    int element[RNI_ELEMENTS_MAX];  /* atomic number */
    double share[RNI_ELEMENTS_MAX]; /* of the mass */
} rni_compound;

/* A formula such as "Ca5(PO4)3OH", with whole or decimal numbers, or a name such as "Tissue, Soft (ICRP)". False: neither.
 * xraylib reads formulas itself, but loses a little memory with each one. */
bool rni_compound_find(const char *text, rni_compound *compound);

/* Mass attenuation (total, with coherent scattering) and mass energy absorption, m^2/kg; negative: no data. */
double rni_compound_attenuation(const rni_compound *compound, double kev);
double rni_compound_absorption(const rni_compound *compound, double kev);

#endif
