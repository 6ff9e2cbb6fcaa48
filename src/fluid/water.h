/* The fluid's inside: what all stages of the step read and write.
 *
 * Job:    names the arrays in memory order, the constants folded from definition and parameters,
 *         and the cells of the last sort.
 * Order:  an index lives until the next sort (sort.c is the only stage in which it changes).
 * Next:   step.c (the step, one page), laws.h (what two particles do to each other), traversal.h (the
 *         two ways through the pairs).
 */
#ifndef RNI_FLUID_WATER_H
#define RNI_FLUID_WATER_H

#include "base/memory.h"
#include "base/parallel.h"
#include "fluid/laws.h"

#include <runnel/fluid.h>

/* 16-byte records: x, y, z and one spare. */
typedef float rni_record[4];

/* Pieces of a loop over particles: fixed, so that sums do not depend on threads. */
#define RNI_FLUID_PIECE 1024u

/* Padding behind every array, in particles: wide loads may run over the end. */
#define RNI_FLUID_PADDING 32u

typedef struct rni_particles {
    uint32_t count, capacity;
    rni_record *position;     /* m; the fourth is the birth time, s */
    rni_record *velocity;     /* m / s; the fourth is the id, as bits */
    rni_record *acceleration; /* m / s^2, of the last evaluation; [3] is the density then */
} rni_particles;

/* Cells of the last sort: particles of cell (cx, cy, cz) are start[c] .. start[c + 1] with
 * c = (cz * cells[1] + cy) * cells[0] + cx: rows along x are contiguous. Along an axis that is not
 * periodic a particle's cell is floor((x - low) * inverse_side), and always in range. Periodic: the
 * cells cover the period exactly. Along y and z side >= radius (or there is one cell only); along x a
 * cell may be shorter. */
typedef struct rni_cells {
    float low[3];
    float side[3];
    float inverse_side[3];
    uint32_t cells[3];
    uint32_t cell_count;
    uint32_t *start; /* cell_count + 1, and padding */
    rni_buffer start_room;
} rni_cells;

struct rni_traversal;
struct rni_walls;
struct rni_sources;
struct rni_operators;

struct rn_fluid {
    rni_memory memory;
    rni_crew *crew;
    rni_arena arena; /* of one stage */
    rn_fluid_def def;
    rn_fluid_derived derived;
    rni_coefficients laws; /* folded anew when parameters change */
    rn_cpu_level cpu;

    rni_particles now;   /* the state */
    rni_particles other; /* room of the sort; the two change places */
    rni_particles kept; /* the state at the start of the step, for a retry: until the first sort moves
                          * it, it is now itself, and `third` is the room that this leaves free */
    rni_particles third;
    /* Of the last evaluation, in the order of now: */
    float *density;          /* kg / m^3 */
    float *kept_density;     /* as it was at the start of the step, in the order of kept */
    float *pressure;         /* Pa */
    rni_record *normal;      /* Akinci: h grad c. Colour field: grad c, and its Laplacian in [3] */
    rni_record *normal_room; /* for smoothing */
    uint32_t *neighbor_count;
    uint32_t *id; /* copies for the caller's view, made on demand */
    float *birth;

    rni_cells cells;
    struct rni_walls *walls;
    struct rni_sources *sources;
    struct rni_operators *operators;
    const struct rni_traversal *traversal;
    void *traversal_state;

    double time;
    uint64_t step_count;
    uint32_t next_id;
    uint64_t came_all, left_all;
    bool was_operated; /* a function of the user was called in this step, and may have moved anyone */
    bool is_density_ahead; /* density is not of the last evaluation, but of where they are now */
    bool has_before; /* acceleration[3] is of the water that is there: nobody and no wall has come since */
    float since;      /* s: from then to the evaluation under way */
    float stride;     /* s: the step under way */
    float fastest;    /* m / s: when the last sort was begun */
    float middle_way; /* m: in the middle of a step nobody is further from where the sort found him */
    float last_stride;            /* s: the step before; kick-drift needs it */
    double clock[RN_CLOCK_COUNT]; /* ms of the step under way */
    rni_buffer tallies;           /* of report.c, one a piece */
};

/* A loop over all particles in fixed pieces, on all threads. */
typedef void (*rni_range_fn)(rn_fluid *fluid, uint32_t begin, uint32_t end, uint32_t piece);
void rni_fluid_for_each(rn_fluid *fluid, rni_range_fn work);

/* fluid.c: gravity at the present time. */
void rni_fluid_gravity(const rn_fluid *fluid, float gravity[3]);

/* report.c: room for the sums of count particles. */
rn_result rni_fluid_tally_room(rn_fluid *fluid, uint32_t count);

/* Whether now and kept are the same arrays still. */
static inline bool rni_fluid_is_kept_now(const rn_fluid *fluid)
{
    return fluid->kept.position == fluid->now.position;
}

/* sort.c: cells, keys, position and velocity permuted; and, has_forces, acceleration. */
rn_result rni_fluid_sort(rn_fluid *fluid, bool has_forces);

#endif
