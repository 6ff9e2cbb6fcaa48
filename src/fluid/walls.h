/* Walls: the sides of the domain and the solids, as the particles meet them.
 *
 * Job:    give a particle near a wall what the missing neighbours would have given it (density,
 *         pressure, drag, normals), and keep every particle on the fluid's side.
 * How:    solids are rows of src/solid; what a face gives at a distance is a table (wall_tables.c),
 *         and the push is the slope of the density that the wall adds, so that walls neither heat nor
 *         cool the fluid. A grid over the domain lists the solids near each place.
 * Order:  rni_walls_ready() after solids have changed; rni_stage_boundaries() after the sort and before
 *         density; density, normals, forces and collide read what it left.
 * Next:   solids.c (adding and moving), boundaries.c (share and touch), collide.c, mesh_walls.h (triangle
 *         meshes), loads.c (force on each solid), escaped.c (the independent check).
 */
#ifndef RNI_FLUID_WALLS_H
#define RNI_FLUID_WALLS_H

#include "fluid/loads.h"
#include "fluid/water.h"
#include "solid/boundary.h"

/* One place in the list of solids. */
typedef struct rni_solid_slot {
    uint32_t generation;
    bool is_removed;
} rni_solid_slot;

/* The boundary field of a mesh, for solids of this mesh, scale and side. */
typedef struct rni_mesh_field {
    const rn_wall_mesh *mesh; /* kept */
    float scale;
    bool is_hollow;
    struct rni_field *field;
    struct rni_thin_mesh *thin; /* its triangles at thin places (thin_walls.h); NULL: none, or not built */
} rni_mesh_field;

/* Friction and adhesion of a particle near solids that have some (grip.h). Floats only. */
typedef struct rni_grip {
    float slide[3]; /* m / s: along the faces, as seen from them */
    float friction; /* coefficient */
    float pull[3];  /* m / s^2: of adhesion; once forces are known, with friction */
    float pressing; /* m / s^2: by which the walls push */
} rni_grip;

/* What walls do to a particle in a step (contacts.c). Floats only. */
typedef struct rni_impulse {
    float force[3]; /* m / s^2: of the last evaluation; until it is known, what the acceleration was without */
    float change[3]; /* m / s: by collisions since then */
    float padding[2];
} rni_impulse;

/* Lists of solids near a cell. Nearly all have no solid, or one of the first. */
#define RNI_LIST_NONE 255u
#define RNI_LIST_LONG 254u

typedef struct rni_walls {
    rni_wall_tables tables;
    rni_solid *solids; /* [0] is the domain */
    rni_solid_slot *slots;
    uint32_t solid_count; /* with the removed ones */
    /* Which solids are within reach of a cell of a coarse grid over the domain. */
    rni_record cell_low, cell_inverse, cell_last; /* of cells; the fourth number is 0 */
    float cell_reach;
    uint32_t cells[3];
    uint32_t cell_count;
    uint32_t *list_start;
    uint32_t *list;
    uint8_t *list_kind; /* by cell: RNI_LIST_NONE, the only solid of the list, or RNI_LIST_LONG */
    uint8_t *is_buried; /* by cell: all of it is deep in a mesh */
    _Atomic uint8_t *thin_cell; /* by cell, once asked: whether a thin place may be near (thin_walls.c) */
    uint32_t thin_version; /* of the walls that were asked */
    bool is_stale;         /* solids have changed since the lists were made */
    uint32_t version;      /* counts how often they were made */
    /* In the order of the particles; rows of attributes.c: */
    float *share;         /* of the rest density, that walls add; 0 to 0.9 */
    rni_touch *touch;     /* where share > 0 */
    rni_moments *moments; /* the same, of schemes that need them; else NULL */
    float *clear; /* m: every wall is at least so far from where the boundaries were evaluated; 0: not known */
    float contact;          /* m: no particle comes nearer to a face */
    float thinnest;         /* m: of all solids */
    rni_impulse *impulse;   /* by particle; NULL: contacts were never watched */
    float contact_distance; /* m; 0: contacts are not watched */
    rni_buffer contact_first, contact_buffer;
    struct rni_film *films; /* by solid, ascending (film.h) */
    rni_grip *grip;         /* by particle (a row of attributes.c); NULL: no solid has had any */
    bool has_meshes;
    bool has_thin;        /* some solid has thin places (thin_walls.h) */
    float *thin_distance; /* m, by particle: to a thin place; infinite: none is within the radius */
    rni_buffer thin_buffer;
    rni_mesh_field *fields;
    uint32_t field_count;
    struct rni_virtual_set *virtual_sets; /* by solid (virtual_walls.h) */
    uint32_t virtual_count;
    rni_loads loads;
    rni_buffer solid_buffer, slot_buffer, start_buffer, thin_cell_buffer, list_buffer, field_buffer,
        kind_buffer, buried_buffer, pair_buffer, virtual_buffer;
} rni_walls;

rn_result rni_walls_create(rn_fluid *fluid);
void rni_walls_destroy(rn_fluid *fluid);
/* wall_tables.c */
void rni_wall_tables_make(const rn_fluid_def *def, const rn_fluid_derived *derived,
                          rni_wall_tables *tables);
/* m: apparent distance of the first layer behind a wall from a particle at the distance t, and its slope. */
double rni_image_distance(double t, double spacing, double *slope);
/* Makes the lists anew if solids have changed; to be called before anything asks what is near: many
 * solids are added before that. */
rn_result rni_walls_ready(rn_fluid *fluid);
/* The domain of a definition as a solid. */
rni_solid rni_walls_domain(const rn_fluid_def *def);

/* The solids near x, which needs no fourth number: a list of indices. */
const uint32_t *rni_walls_near(const rni_walls *walls, const float x[3], uint32_t *count);
/* Whether x is so deep in a mesh that its cell tells: nothing has to be asked of its triangles. */
bool rni_walls_is_buried(const rni_walls *walls, const float x[3]);
/* A particle that is moved from a place in the fluid to x, as in a step: x becomes a place on the same side of all walls. */
void rni_walls_keep(const rn_fluid *fluid, const float from[3], float x[4]);
/* Smallest distance to any wall by the step's own functions; above reach: some number above it. */
float rni_walls_distance(const rn_fluid *fluid, const float x[3]);
/* The same without meshes. */
float rni_walls_distance_plain(const rn_fluid *fluid, const float x[3]);

rni_wall_query rni_walls_query(const rn_fluid *fluid);
/* The faces within reach of a particle; those of solids past the last give nothing, but stop it. */
#define RNI_MAX_FACES 16u
typedef struct rni_near_faces {
    uint32_t count;
    uint32_t solid[RNI_MAX_FACES]; /* that the face belongs to */
    float part[RNI_MAX_FACES];     /* of what the face gives that other faces do not give, too */
    rni_face face[RNI_MAX_FACES];
} rni_near_faces;
void rni_walls_faces(const rn_fluid *fluid, const rni_wall_query *query, const float x[3],
                     rni_near_faces *near);
/* The share and the push (1 / m, for fluid at one pressure) at a place in another domain that has the
 * same solids. */
float rni_walls_feel_in(const rn_fluid *fluid, const rni_solid *domain, const float x[3],
                        float push[3]);

/* collide.c: out of every wall, a few rounds because of corners; *has_met is set if one was met. False: there is
 * no place for the particle. */
bool rni_walls_settle(const rn_fluid *fluid, float x[4], float v[4], bool *has_met);

/* escaped.c: whether particle i, at a finite place, is behind a wall, from the definitions alone. */
bool rni_walls_has_escaped(const rn_fluid *fluid, uint32_t i);

/* For asserts: lists in range, shares from 0 to 0.9, touches finite. */
bool rni_walls_are_valid(const rn_fluid *fluid);

#endif
