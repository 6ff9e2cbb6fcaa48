/* Drops without gravity, of which several experiments are made. */
#ifndef RNI_LAB_DROPS_H
#define RNI_LAB_DROPS_H

#include "lab/capillary.h"
#include "lab/study.h"

#define RNI_LAB_DROP_RADIUS 0.01 /* m */

/* A drop of water in nothing, or of oil in water, which is as dense or denser. */
typedef struct rni_lab_drop_case {
    uint32_t dim, resolution; /* spacings of the radius */
    double periods;           /* of a swing, to simulate */
    double ratio; /* density of the water around a drop of oil over that of the oil; 0: there is none */
    double found, exact; /* s: period, or Pa: pressure */
    double drift;        /* m / s, of the whole */
    uint32_t particles;
} rni_lab_drop_case;

/* The period of the second mode against Rayleigh 1879; with water around against Lamb 1932. */
rn_result rni_lab_drop_swing(const rni_lab *lab, rni_lab_drop_case *drop, rni_lab_trace *trace);
/* The pressure at rest, over that of the water around, against Young and Laplace. */
rn_result rni_lab_drop_rest(const rni_lab *lab, rni_lab_drop_case *drop, rni_lab_trace *trace);

double rni_lab_drop_error(const rni_lab_drop_case *drop);
/* Of a study whose cases are drops. */
void rni_lab_drop_name(const void *drop, char name[64]);
/* "2D", resolution, particles, found, exact, error in per cent, drift. */
void rni_lab_drop_row(const void *drop, rni_lab_table *table, uint32_t number_count);
void rni_lab_drop_words(const rni_lab_drop_case *drop, rni_lab_words *words);

#endif
