/* Pipes add particles during a run; outlets and open sides remove them. */
#ifndef RNI_FLUID_SOURCES_H
#define RNI_FLUID_SOURCES_H

#include "fluid/water.h"
#include "solid/solid.h"

/* Where a column of particles starts, and when, as a share of the time from one to the next. */
typedef struct rni_pipe_place {
    float x[3]; /* m */
    double phase;
    bool is_open; /* outside walls, within the domain */
} rni_pipe_place;

/* Columns of a pipe that are remembered: to ask a mesh where each starts takes long. */
#define RNI_PIPE_KNOWN 256u

typedef struct rni_pipe {
    rn_fluid_pipe def;
    uint32_t generation;
    bool is_gone;
    float direction[3], across[2][3]; /* of length 1, at right angles */
    uint32_t layer_count;             /* particles in a layer */
    float offset[2], reach, pitch;    /* of its lattice; pitch in m, the others in pitches */
    float exit_length_max;            /* m along the stream until it has left a wall, at most */
    float lead;                       /* m: the same in the middle of the mouth */
    float begin, driven;              /* m: particles from begin to lead + driven are driven */
    float wide;                       /* m from the axis: those closer are driven */
    float back, rim;       /* m: particles behind and beside the mouth are kept this far off it */
    double layer_gap;      /* m from layer to layer */
    double area;           /* m^2 (2D: m) of the mouth */
    double travelled;      /* m the stream has moved, less whole layers but 2 */
    uint64_t poured;       /* particles so far */
    double mean_pressure;  /* Pa at the mouth, over the last moments; of pipes with a head */
    double kept_travelled; /* the three at the start of the step */
    uint64_t kept_poured;
    double kept_mean_pressure;
    /* Of the substep under way: */
    float speed;     /* m/s of the stream */
    float pressure;  /* Pa in front of the mouth */
    bool is_driving; /* particles in the mouth are driven */
    bool is_held;    /* the pressure is too high for the full speed */
    /* The first columns, as they are beside the walls of this version; 0 columns: not found yet. */
    rni_pipe_place known[RNI_PIPE_KNOWN];
    uint32_t known_count, wall_version;
    int64_t known_cursor; /* behind them */
} rni_pipe;

typedef struct rni_outlet {
    rn_fluid_outlet def; /* of a shape: with the box around it */
    bool has_shape;
    rni_solid shape; /* if it has one; its mesh is kept */
    uint32_t generation;
    bool is_gone;
    uint64_t removed, kept_removed; /* particles so far: now, and at the start of the step */
} rni_outlet;

typedef struct rni_sources {
    rni_pipe *pipes;
    uint32_t pipe_count;
    rni_outlet *outlets;
    uint32_t outlet_count;
    rni_buffer pipe_buffer, outlet_buffer;
    rni_buffer leaver_buffer; /* uint32_t: particles that leave, by piece */
    /* At the start of the step: */
    uint32_t kept_next_id;
    uint64_t kept_came_all, kept_left_all;
} rni_sources;

rn_result rni_sources_create(rn_fluid *fluid);
void rni_sources_destroy(rn_fluid *fluid);
/* Keeps the counts at the start of a step, and restores them when it fails. */
void rni_sources_keep(rn_fluid *fluid);
void rni_sources_restore(rn_fluid *fluid);

/* Lattice places of one layer of a pipe, and those of them that are outside walls: the pipe
 * delivers that share of its flow. */
typedef struct rni_pipe_places {
    uint32_t open, all;
} rni_pipe_places;
rni_pipe_places rni_pipe_places_of(const rn_fluid *fluid, rn_fluid_id id); /* zero: no such pipe */

/* The failure of a call with an id that names nothing. */
rn_result rni_no_such(const char *what, rn_fluid_id id);

#endif
