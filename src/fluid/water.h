/* The state of a fluid: what all stages of the step read and write.
 *
 * Job:    holds the arrays of the particles, the constants folded from definition and parameters,
 *         and the cells of the last sort.
 * Order:  an index is valid until the next sort (sort.c is the only stage in which it changes).
 * Next:   step.c (the step, one page), attributes.h (a row per array), scheme.h, pass.h (passes over pairs), traversal.h (the
 *         two ways to visit pairs).
 */
#ifndef RNI_FLUID_WATER_H
#define RNI_FLUID_WATER_H

#include "base/memory.h"
#include "base/parallel.h"
#include "fluid/laws.h"

#include <runnel/fluid.h>

/* 16-byte records: x, y, z and a fourth lane (attributes.c). */
typedef float rni_record[4];

/* Whether walls add nothing for the neighbours that are missing behind them. */
static inline bool rni_has_bare_walls(const rn_fluid_def *def)
{
    return def->bare_walls || def->wall_law == RN_WALL_LAW_VIRTUAL_PARTICLES;
}

/* Pieces of a loop over particles: fixed, so that sums do not depend on threads. */
#define RNI_FLUID_PIECE 1024u

/* Padding behind every array, in particles: wide loads may read past the end. */
#define RNI_FLUID_PADDING 32u

/* Rows of the attribute table (attributes.c), in its order; then come those that the user has
 * added. */
typedef enum rni_row_number {
    RNI_ROW_POSITION,
    RNI_ROW_VELOCITY,
    RNI_ROW_ACCELERATION,
    RNI_ROW_DENSITY,
    RNI_ROW_PRESSURE,
    RNI_ROW_ID,
    RNI_ROW_BIRTH,
    RNI_ROW_NEIGHBOR_COUNT,
    RNI_ROW_FLUID,
    RNI_ROW_RATIO,
    RNI_ROW_TRUE_DENSITY,
    RNI_ROW_PREVIOUS_DENSITY,
    RNI_ROW_NORMAL,
    RNI_ROW_SMOOTHED_NORMAL,
    RNI_ROW_SUMMATION,
    RNI_ROW_RATES,
    RNI_ROW_STRESS,
    RNI_ROW_SHIFT,
    RNI_ROW_COHESION,
    RNI_ROW_SURFACE,
    RNI_ROW_INTERFACE,
    RNI_ROW_VISCOUS,
    RNI_ROW_VISCOSITY,
    RNI_ROW_VISCOUS_WORK,
    RNI_ROW_WALL_SHARE,
    RNI_ROW_WALL_TOUCH,
    RNI_ROW_WALL_MOMENTS,
    RNI_ROW_WALL_CLEARANCE,
    RNI_ROW_WALL_GIVEN,
    RNI_ROW_WALL_GRIP,
    RNI_ROW_WALL_IMPULSE,
    RNI_ROW_ID_COPY,
    RNI_ROW_BIRTH_COPY,
    RNI_ROW_PREVIOUS_POSITION,
    RNI_ROW_PREVIOUS_ACCELERATION,
    RNI_ROW_COUNT
} rni_row_number;
/* Shown rows up to this one are those of every fluid. */
#define RNI_ROW_ALWAYS_LAST RNI_ROW_NEIGHBOR_COUNT
#define RNI_ROW_MAX         (RNI_ROW_COUNT + RN_FLUID_MAX_ATTRIBUTES)

/* A set of rows. */
#define RNI_ROW_BIT(row) (1ull << (row))

typedef struct rni_particles {
    uint32_t count, capacity;
    rni_record *position;     /* m; the fourth lane is the birth time, s */
    rni_record *velocity;     /* m / s; the fourth lane is the id, as bits */
    rni_record *acceleration; /* m / s^2, of the last evaluation; the fourth lane is unused */
} rni_particles;

/* Cells of the last sort: particles of cell (cx, cy, cz) are start[c] .. start[c + 1] with c = (cz
 * * cells[1] + cy) * cells[0] + cx: rows along x are contiguous. Along an axis that is not periodic
 * a particle's cell is floor((x - low) * inverse_side), and always in range. Periodic: the cells
 * cover the period exactly. Along y and z side >= radius (or there is one cell only); along x a
 * cell may be shorter. */
typedef struct rni_cells {
    float low[3];
    float side[3];
    float inverse_side[3];
    uint32_t cells[3];
    uint32_t cell_count;
    uint32_t *start; /* cell_count + 1, and padding */
    rni_buffer start_buffer;
} rni_cells;

struct rni_traversal;
struct rni_walls;
struct rni_sources;
struct rni_operators;
struct rni_gauges;
struct rni_scheme;
struct rni_attribute;

/* What walls give to the cover (surface_tension.h), over their normal as a share of that at the wall. */
#define RNI_TENSION_TABLE 64u
typedef struct rni_tension_walls {
    float inverse_normal;               /* m */
    float inverse_share;                /* 1 over that of the first layer of the lattice */
    float wetting;                      /* 1 / degree: s at a wall that is wetted */
    float filling;                      /* 1 / degree: what does not count of others */
    float share[RNI_TENSION_TABLE + 2]; /* of the cover */
    float pull[RNI_TENSION_TABLE + 2];  /* 1 / m: its slope */
} rni_tension_walls;

/* What no-slip walls give to the rate of shear (rheology.h), over their normal as a share of that at the wall; divided by
 * the radius squared, as in passes/strain.h. */
typedef struct rni_shear_walls {
    float inverse_normal;                /* m */
    float across[RNI_TENSION_TABLE + 2]; /* of the moments: along the normal */
    float along[RNI_TENSION_TABLE + 2];  /* along the wall */
    float shear[RNI_TENSION_TABLE + 2];  /* 1 / m: across, over the distance of the wall */
} rni_shear_walls;

/* What the expected speed follows from (sound.h). */
typedef struct rni_sound {
    double energy; /* J / kg: the greatest of any water so far, potential by gravity included */
    double floor;  /* J / kg: the least potential that water can have */
    float least;   /* m / s: of what moves the water */
    bool has_water, has_floor;
} rni_sound;

/* One of several fluids, as the stages use it (phases.h). */
typedef struct rni_phase {
    float ratio, inverse; /* its density over that of the densest, and the inverse */
    rn_fluid_params law;  /* params with its viscosity, law and surface tension */
    float interface[RN_FLUID_MAX_PHASES]; /* N / m: the tension of its interface with each other fluid */
    bool is_apart[RN_FLUID_MAX_PHASES]; /* the same: without adhesion (surface_tension.h) */
    uint64_t came, left;                /* particles since the start */
    uint64_t kept_came, kept_left;      /* the same at the start of the step */
} rni_phase;

struct rn_fluid {
    rni_memory memory;
    rni_crew *crew;
    rni_arena arena; /* of one stage */
    rn_fluid_def def;
    rn_fluid_derived derived;
    rni_sound sound;
    rni_coefficients laws; /* folded anew when parameters change */
    rni_tension_walls tension_walls;
    rni_shear_walls shear_walls;
    rn_cpu_level cpu;

    /* Arrays with an entry per particle: attributes.c has a row for each of them. */
    rni_particles now;       /* the state */
    float *density;          /* kg / m^3, of the last evaluation, or of rn_fluid_update_density() */
    float *previous_density; /* kg / m^3, of the evaluation before */
    uint32_t *fluid_number; /* of several fluids: which one. NULL, like the next two: there is one */
    float *ratio;           /* of that fluid; valid from the sort to the next */
    float *true_density;    /* kg / m^3: density times ratio, which users see */
    float *pressure;        /* Pa */
    rni_record *normal; /* Akinci: h grad c. Colour field: grad c, and its Laplacian in [3]. Surface energy of
                             * several fluids: covers (surface_tension.c) */
    rni_record *smoothed_normal; /* the two are exchanged after smoothing */
    float *summation;            /* corrected: kg / m^3, the sum over the kernel, walls included */
    rni_record *rates;           /* corrected: five planes of records, passes/rates.h */
    rni_record *stress; /* corrected: two planes: p L (Pa); how far inside, n . L n at walls */
    rni_record *shift;  /* corrected: m / s, added to the velocity where particles move */
    rni_record *cohesion; /* m / s^2, of several fluids in the densest: of surface energy; corrected: also of Akinci */
    float *surface;        /* of surface energy: the cover, then s (surface_tension.h) */
    rni_record *interface; /* the same, of several fluids: planes of surface_tension.c */
    rni_record *viscous;   /* of pastes (viscosity.h): m / s^2, acceleration of the step before */
    float *particle_viscosity; /* Pa s, of fluids with a viscosity law */
    rni_record *viscous_work;  /* planes of viscosity.h */
    uint32_t *neighbor_count;
    uint32_t *id; /* copies for the caller's view, made on demand */
    float *birth;
    void *user_array[RN_FLUID_MAX_ATTRIBUTES];
    struct rni_attribute *user_rows; /* RN_FLUID_MAX_ATTRIBUTES of them */
    uint32_t user_row_count;
    uint64_t needed_rows;     /* those that this fluid has memory for */
    void *spare[RNI_ROW_MAX]; /* second buffers of sorted rows: the sort writes there */
    void *kept[RNI_ROW_MAX];  /* third buffers of kept rows: the state at the start of the step */
    uint32_t kept_count;
    bool is_kept_in_place; /* until the first sort of a step the kept state is the state itself */

    rni_phase phase[RN_FLUID_MAX_PHASES];

    rni_cells cells;
    struct rni_walls *walls;
    struct rni_sources *sources;
    struct rni_operators *operators;
    struct rni_gauges *gauges;  /* NULL until one is added */
    rn_search *neighbor_search; /* of rn_fluid_get_neighbors(); NULL until it is called */
    bool is_in_operator;
    bool has_neighbors; /* neighbor_search is of the positions that the operator under way sees */
    const struct rni_scheme *scheme;
    const struct rni_traversal *traversal;
    void *traversal_state;

    rni_buffer gravity_table; /* rn_fluid_gravity_stop */
    uint32_t gravity_stop_count;
    double time;
    uint64_t step_count;
    uint32_t next_id;
    uint64_t came_all, left_all;
    bool has_given_particles; /* some are where the caller has placed them, not in a block or a ball */
    bool is_settled;          /* has the pressure of its weight (settle.h) */
    bool was_operated; /* an operator was called in this step, and may have moved particles */
    /* previous_density is that of the same particles and walls: none were added since, nor moved by
     * an operator. */
    bool has_previous_density;
    float dt;                     /* s: the substep under way */
    float last_dt;                /* s: the substep before; kick-drift needs it */
    float fastest;                /* m / s: when the last sort was begun */
    float max_displacement;       /* m: in the middle of a step, of any particle since the sort */
    double clock[RN_CLOCK_COUNT]; /* ms of the step under way */
    rni_buffer viscous_sums;      /* of viscosity.c; one a piece */
    uint32_t viscous_iterations;  /* of the step under way */
    float viscous_residual;       /* the largest of them */
    float viscous_kick;           /* s: of the last solution */
    double viscous_ms;            /* ms of the step under way */
    rni_buffer tallies;           /* of report.c, then of gauges.c; one a piece */
};

/* A loop over all particles in fixed pieces, on all threads; data is the caller's. */
typedef void (*rni_range_fn)(void *data, uint32_t begin, uint32_t end, uint32_t piece);
void rni_for_particles(rn_fluid *fluid, rni_range_fn work, void *data);

/* gravity.c: gravity at the present time. */
void rni_fluid_gravity(const rn_fluid *fluid, float gravity[3]);

/* report.c: memory for the sums over count particles. */
rn_result rni_fluid_reserve_tallies(rn_fluid *fluid, uint32_t count);

/* From integration to the next sort: where the particles were before (m). */
static inline rni_record *rni_previous_position(const rn_fluid *fluid)
{
    return fluid->spare[RNI_ROW_POSITION];
}

/* From the forces to the next sort: the accelerations of the evaluation before (m / s^2). */
static inline rni_record *rni_previous_acceleration(const rn_fluid *fluid)
{
    return fluid->spare[RNI_ROW_ACCELERATION];
}

/* sort.c: cells, and all sorted rows permuted but those in `unread`, which are left undefined.
 * order (may be NULL, count long): the index that each particle had before. */
rn_result rni_fluid_sort(rn_fluid *fluid, uint64_t unread, uint32_t *order);
/* sort.c: the cell of a place; the nearest cell for a place outside. */
uint32_t rni_cell_of(const rni_cells *cells, const float x[3]);

#endif
