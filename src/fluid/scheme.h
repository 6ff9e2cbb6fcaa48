/* Schemes: what a step computes between the neighbour search and the integration.
 *
 * Job:    a scheme turns positions and velocities into density, pressure and acceleration. It says
 *         which attributes it needs, has one function per stage, bounds the time step, and adds its
 *         part to the report.
 * Input:  particles sorted, neighbours found, boundaries evaluated (walls.h), normals where the
 *         surface tension asks for them.
 * Output: density, pressure, acceleration of all particles, finite unless the step was too long.
 * Next:   step.c calls the stages; wcsph.c is the smallest scheme; docs/adding-a-scheme.md.
 */
#ifndef RNI_FLUID_SCHEME_H
#define RNI_FLUID_SCHEME_H

#include "fluid/derive.h"
#include "fluid/water.h"

/* One evaluation of the forces. */
typedef struct rni_evaluation {
    float dt;        /* s: the step that the user has fixed, or 0; operators are told */
    float since;     /* s from the evaluation before; 0: its density is of no use */
    bool is_midstep; /* of a leapfrog's step: the accelerations of the start are needed again */
    bool has_order;  /* no particle has moved by more than max_displacement since the last sort */
} rni_evaluation;

typedef struct rni_scheme {
    const char *name;
    uint64_t rows; /* attributes that it needs beside those of every fluid (fluid.c, rows_of()) */
    bool has_plain_bodies;           /* passes gather v and rho (pass.h) */
    bool keeps_density;              /* previous_density is state: always sorted */
    float density_low, density_high; /* of that at rest: a kept density is between these */
    float step_spacings; /* the length that bounds steps, in spacings; 0: it is the radius */
    /* density: the sums over neighbours and walls. May fail (memory for neighbours). */
    rn_result (*density)(rn_fluid *fluid);
    void (*pressure)(rn_fluid *fluid, const rni_evaluation *evaluation);
    /* acceleration: pairs, walls, gravity. */
    void (*forces)(rn_fluid *fluid);
    /* At the end of a step, NULL for none: removes from pressure what is numerical, so that frames, gauges and
     * users see that of the flow. */
    void (*publish)(rn_fluid *fluid);
    /* The longest step that is safe at these extremes, and what bounds it. */
    rni_safe_step (*safe_step)(const rn_fluid_def *def, const rn_fluid_derived *derived,
                               float speed_max, float acceleration_max);
    /* J / kg, summed over particles begin .. end - 1: the work of compression. */
    double (*elastic_energy)(const rn_fluid *fluid, uint32_t begin, uint32_t end);
} rni_scheme;

/* By rn_fluid_scheme; NULL: there is none. */
const rni_scheme *rni_scheme_of(rn_fluid_scheme scheme);

/* wcsph.c: of the equation of state, for schemes that have the same one. */
double rni_wcsph_elastic_energy(const rn_fluid *fluid, uint32_t begin, uint32_t end);

/* corrected.c: k of passes/rates.h, kg / m^4, the gradient of density in standing water, which number 7 of plain bodies
 * is without; 0 where it is added pair by pair. */
void rni_corrected_steepness(const rn_fluid *fluid, float k[3]);

extern const rni_scheme rni_scheme_wcsph;
extern const rni_scheme rni_scheme_corrected;

#endif
