/* Substances by name: their attenuation of X-rays by energy, from the tables of xraylib. */
#ifndef RNI_RADIOGRAPH_SUBSTANCE_H
#define RNI_RADIOGRAPH_SUBSTANCE_H

#include <runnel/xray.h>

typedef struct rni_substance {
    char name[64];
    double density;                      /* kg/m^3 */
    float attenuation[RN_XRAY_ENERGIES]; /* 1/m: linear, total with coherent scattering */
} rni_substance;

/* A name of the table ("water", "bone", ...), "barium-60" for a suspension of 60 g of barium sulphate in 100 ml (1 to
 * 250), or FORMULA@DENSITY such as "SiO2@2200", kg/m^3. */
rn_result rni_substance_make(const char *name, rni_substance *substance);

/* Names of the table, in order; NULL past the last. "barium-60" stands for all suspensions. */
const char *rni_substance_name(uint32_t place);

/* Mass energy absorption of dry air, m^2/kg, by energy. */
void rni_air_kerma(float table[RN_XRAY_ENERGIES]);

#endif
