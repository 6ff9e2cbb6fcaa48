/* Walls: the sides of the domain and the analytic solids.
 *
 * Job:    give a particle near a wall what the missing neighbours would have given it (density,
 *         pressure, drag, normals), and keep everyone on the water's side.
 * How:    a wall is thought to be filled with layers of particles that mirror the water's; what
 *         they give, integrated along the face, is a table over the distance (wall_tables.c). The
 *         push is the slope of the density they give, so walls neither heat nor cool the water. A
 *         box multiplies by what its other axes cover, so edges and thin plates come out right.
 * Order:  rni_stage_boundaries() after the sort and before density; the rest reads what it left.
 */
#ifndef RNI_FLUID_WALLS_H
#define RNI_FLUID_WALLS_H

#include "fluid/water.h"

#define RNI_WALL_TABLE 128u

/* Over the distance t from 0 to h, in RNI_WALL_TABLE equal steps. */
typedef struct rni_wall_tables {
    float inverse_step;
    float share[RNI_WALL_TABLE + 2]; /* of the density that the wall stands for */
    float push[RNI_WALL_TABLE + 2];  /* 1 / m: minus its slope, of the pressure's kernel */
    float lift[RNI_WALL_TABLE + 2];  /* pressure's gradient times the way of each layer: no unit */
    float tangent[RNI_WALL_TABLE + 2]; /* the same along the face */
    float normal[RNI_WALL_TABLE + 2];  /* 1 / m: of poly6's gradient */
    float drag[RNI_WALL_TABLE + 2];    /* 1 / m: of the Laplacian times the way of each layer */
    float cover[RNI_WALL_TABLE + 2];   /* what a half space covers of the kernel: 0.5 at t = 0 */
    float cover_slope[RNI_WALL_TABLE + 2]; /* 1 / m */
    /* Density, rest being 1: of a particle with nobody around; of one that lies on a wall, without the
     * wall's share. */
    float alone, beside;
} rni_wall_tables;

/* A solid made ready: axes turned, sizes known. */
typedef struct rni_solid_ready {
    rn_solid def;
    float frame[3][3]; /* rows: the solid's own axes */
    bool side[3][2];   /* of a box: faces that exist (periodic, open and 2D ones do not) */
    bool is_gone;
    uint32_t generation;
} rni_solid_ready;

/* What a particle feels of the walls, beyond their share of its density. Floats only. */
typedef struct rni_touch {
    float push[3]; /* sum of push times the face's normal */
    float lift[3]; /* sum of push_z times (-gravity . normal) times normal */
    float normal[3];
    float drag;             /* 1 / m^2, of no-slip faces */
    float drag_velocity[3]; /* drag times the face's velocity */
} rni_touch;

typedef struct rni_walls {
    rni_wall_tables tables;
    rni_solid_ready *solids; /* [0] is the domain */
    uint32_t solid_count;
    /* Which solids are within reach of a cell of a coarse grid over the domain. */
    rni_record cell_low, cell_inverse, cell_last; /* of cells; the fourth number is 0 */
    float cell_reach;
    uint32_t cells[3];
    uint32_t cell_count;
    uint32_t *list_start;
    uint32_t *list;
    bool is_stale; /* solids have changed since the lists were made */
    /* In the order of the particles; rows of attributes.c: */
    float *share;
    rni_touch *touch; /* where share > 0 */
    float *clear;     /* m: every wall is at least so far from where this was felt; 0: not known */
    float contact;    /* m: nobody comes nearer to a face */
    float thinnest;   /* m: of all solids */
    rni_buffer solid_room, start_room, list_room;
} rni_walls;

rn_result rni_walls_create(rn_fluid *fluid);
void rni_walls_destroy(rn_fluid *fluid);
void rni_wall_tables_make(const rn_fluid_def *def, const rn_fluid_derived *derived,
                          rni_wall_tables *tables);
/* Makes the lists anew if solids have changed; before anyone asks for what is near. Many solids are
 * added before anybody asks. */
rn_result rni_walls_ready(rn_fluid *fluid);

/* The share and the push (1 / m, for water at one pressure) at a place in another domain that has the
 * same solids. */
float rni_walls_feel_in(const rn_fluid *fluid, const rni_solid_ready *domain, const float x[3],
                        float push[3]);
/* The domain as a solid. */
void rni_hollow_box_make(const rn_fluid_def *def, rni_solid_ready *ready);

/* Distance to the water's side of one solid (negative inside it) and the normal into the water. */
float rni_solid_distance(const rni_solid_ready *solid, const float x[3], float normal[3]);
/* Of two numbers; fminf() and fmaxf() are calls, because of what is no number. */
static inline float rni_lower(float a, float b)
{
    return a < b ? a : b;
}

static inline float rni_higher(float a, float b)
{
    return a > b ? a : b;
}

/* What the walls ask of the fluid. */
typedef struct rni_near {
    float h;
    float nearest; /* m: drag does not grow any more nearer than this */
    float gravity[3];
} rni_near;
/* One face that a particle has met, and what it gives. */
typedef struct rni_meeting {
    rni_touch touch;
    float share; /* of the density */
    float normal[3];
    float way;  /* m */
    float part; /* of the half space behind it that is there */
} rni_meeting;
/* The faces of one solid that x feels: up to six of a hollow box, three of a hollow cylinder, else one.
 * Returns how many. Lowers *clear to the distance from the solid or less, if it is nearer than h. */
#define RNI_FACES_OF_A_SOLID 6u
uint32_t rni_solid_meet(const rni_wall_tables *tables, const rni_solid_ready *solid,
                        const float x[3], const rni_near *near, rni_meeting *met, float *clear);
rn_result rni_solid_prepare(const rn_fluid_def *def, const rn_solid *solid, rni_solid_ready *ready);

/* The solids near x, which needs no fourth number: a list of indices. */
const uint32_t *rni_walls_near(const rni_walls *walls, const float x[3], uint32_t *count);
/* Smallest distance to any wall by the step's own functions; above reach: some number above it. */
float rni_walls_distance(const rn_fluid *fluid, const float x[3]);

/* Where nobody meets a wall: as it is with nearly everyone, nearly always. */
typedef struct rni_free_room {
    float low[3], high[3]; /* inside the domain */
    float stride_sq;       /* m^2: longer ways are looked at closely */
    bool has_solids;       /* a place may be inside and yet near one */
} rni_free_room;
rni_free_room rni_walls_free_room(const rn_fluid *fluid);

static inline bool rni_is_in_free_room(const rni_free_room *room, const float from[3],
                                       const float x[3])
{
    const float way[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    const float length_sq = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    return (length_sq <= room->stride_sq) & (x[0] > room->low[0]) & (x[0] < room->high[0]) &
           (x[1] > room->low[1]) & (x[1] < room->high[1]) & (x[2] > room->low[2]) &
           (x[2] < room->high[2]);
}

/* One particle from `from` to x: afterwards on the water's side. True when a wall was met. */
bool rni_walls_collide(const rn_fluid *fluid, const rni_free_room *room, const float from[3],
                       float x[4], float v[4]);

#endif
