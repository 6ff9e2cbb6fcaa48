/* What the experiments with boxes share: methods on a sequence of sets, settling spheres (Poirrier 2009,
 * section 6), and one peer. */
#ifndef RNI_LAB_BOXES_H
#define RNI_LAB_BOXES_H

#include "lab/lab.h"

#include <runnel/broadphase.h>

/* One method with its options; keeps its state over several sets, as in a simulation. */
typedef struct rni_lab_boxer {
    const char *name;
    rn_broadphase *phase; /* NULL: not used */
    bool is_single;       /* one thread: processor time is measured, else wall-clock time */
    double ms;            /* the fastest so far; NaN: none */
    uint32_t runs;
    uint64_t found;
    rn_broadphase_stats stats; /* of the last run */
} rni_lab_boxer;

/* As published and on one thread, unless --threads was given. */
rn_broadphase_def rni_lab_box_def(const rni_lab *lab, uint32_t dim, rn_broadphase_method method);
rn_result rni_lab_boxer_open(rni_lab_boxer *boxer, const char *name, const rn_broadphase_def *def);
void rni_lab_boxer_close(rni_lab_boxer *boxer);

/* Seconds on the clock of this method; and a run since begin is recorded. */
double rni_lab_boxer_now(const rni_lab_boxer *boxer);
void rni_lab_boxer_note(rni_lab_boxer *boxer, double begin);

/* One step: updates the boxes and counts all pairs. */
rn_result rni_lab_boxer_pairs(rni_lab_boxer *boxer, const rn_boxes *boxes);
/* Updates the boxes and counts hits; counts, unless NULL, receives those of every query. */
rn_result rni_lab_boxer_queries(rni_lab_boxer *boxer, const rn_boxes *boxes,
                                const rn_queries *queries, uint32_t *counts);
/* Fails unless both methods found the same number on the same set. */
rn_result rni_lab_boxers_agree(const rni_lab_boxer *a, const rni_lab_boxer *b);

/* Spheres of radius 0.5 that fall onto a floor and push each other apart pair by pair. */
typedef struct rni_settling {
    uint32_t count;
    float (*centre)[3], (*velocity)[3];
    float (*low)[3], (*high)[3]; /* boxes around the spheres */
    rn_broadphase *phase;        /* the default, for the simulation itself */
} rni_settling;

/* Uniform in a cube, spheres filling a share d of it. */
rn_result rni_settling_open(rni_settling *s, uint32_t count, double d, uint64_t seed);
void rni_settling_close(rni_settling *s);
/* Advances by a number of steps. */
rn_result rni_settling_steps(rni_settling *s, uint32_t steps);
rn_boxes rni_settling_boxes(const rni_settling *s);
/* Spheres (not boxes) that touch, counted. */
rn_result rni_settling_touching(rni_settling *s, uint64_t *count);

/* CGAL's Delaunay triangulation on the boxes; all NaN without its driver (reported once). */
typedef struct rni_lab_delaunay {
    double ms, pairs, bytes;
} rni_lab_delaunay;
rni_lab_delaunay rni_lab_ask_delaunay(rni_lab *lab, const rn_boxes *boxes);

#endif
