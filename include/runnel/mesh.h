/* runnel/mesh.h - triangle meshes: describe, own, diagnose, repair, and make them.
 *
 * Does:     describes a mesh on the caller's own arrays; owns a mesh that grows; finds what is wrong with
 *           one (holes, flipped, duplicate and degenerate triangles, self-intersections, thin walls);
 *           welds, cleans and orients it; makes procedural shapes by name.
 * Does not: read files (the command `runnel mesh` does), know fluids, or answer distance queries.
 * Smallest use:
 *     rn_mesh mesh = rn_mesh_default();
 *     mesh.vertex_count = 3, mesh.vertex = xyz, mesh.triangle_count = 1, mesh.triangle = corners;
 *     rn_mesh_diagnosis diagnosis = rn_mesh_diagnosis_default();
 *     rn_mesh_diagnose_def def = rn_mesh_diagnose_def_default();
 *     if (rn_mesh_diagnose(&mesh, &def, &diagnosis) != RN_OK) puts(rn_last_error());
 */
#ifndef RUNNEL_MESH_H
#define RUNNEL_MESH_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything pointed to is borrowed. */
typedef struct rn_mesh {
    uint32_t struct_bytes; /* set by rn_mesh_default() */
    uint32_t vertex_count;
    uint32_t triangle_count;
    const float *vertex;      /* x, y, z, packed; m */
    const uint32_t *triangle; /* three vertices each, counter-clockwise as seen from outside the solid */
    /* u, v of each corner of each triangle, packed (six floats a triangle); NULL: there are none. By corner, so
     * that a seam of the texture does not cut the mesh open. */
    const float *texture;
} rn_mesh;

/* Most triangles of a mesh: three corners each are numbered by 32 bits. */
#define RN_MESH_MAX_TRIANGLES 0x50000000u

/* No vertices, no triangles. */
RN_API rn_mesh rn_mesh_default(void);

/* Whether the arrays are there, every corner names a vertex and every coordinate is finite; the message
 * names the first offender. Texture coordinates are checked too. */
RN_API rn_result rn_mesh_check(const rn_mesh *mesh);

/* --- a mesh that owns its arrays and grows ------------------------------------------------------- */

typedef struct rn_mesh_data rn_mesh_data;

/* allocator NULL: the C library's. On failure *data is NULL. */
RN_API rn_result rn_mesh_data_create(const rn_allocator *allocator, rn_mesh_data **data);
RN_API void rn_mesh_data_destroy(rn_mesh_data *data); /* NULL is fine */

/* The mesh as arrays; valid until the data is changed or destroyed. */
RN_API rn_mesh rn_mesh_data_get_mesh(const rn_mesh_data *data);

/* Appends vertices (x, y, z each); they are numbered from the previous vertex count on. NaN and infinity
 * are refused. A failed call changes nothing. */
RN_API rn_result rn_mesh_data_add_vertices(rn_mesh_data *data, const float *vertex, uint32_t count);
/* Appends triangles. texture: six floats each, or NULL. When some triangles have texture coordinates and
 * others have none, those of the others are 0. */
RN_API rn_result rn_mesh_data_add_triangles(rn_mesh_data *data, const uint32_t *triangle,
                                            const float *texture, uint32_t count);
/* Makes space for so many in total, without adding any. */
RN_API rn_result rn_mesh_data_reserve(rn_mesh_data *data, uint32_t vertex_count,
                                      uint32_t triangle_count);
/* Appends another mesh, which must not be part of data itself. */
RN_API rn_result rn_mesh_data_add_mesh(rn_mesh_data *data, const rn_mesh *mesh);
/* Removes everything and keeps the memory. */
RN_API void rn_mesh_data_clear(rn_mesh_data *data);

/* --- diagnosis ----------------------------------------------------------------------------------- */

/* What can be wrong with a mesh. The numbers never change. */
typedef enum rn_mesh_fault_kind {
    RN_MESH_OPEN_EDGE = 0, /* only one triangle has the edge: the mesh has a hole or a border */
    RN_MESH_NON_MANIFOLD_EDGE = 1, /* three or more triangles share the edge */
    RN_MESH_INVERTED = 2,  /* turned against its neighbours, or part of a shell turned inside out */
    RN_MESH_DUPLICATE = 3, /* has the same three vertices as an earlier triangle */
    RN_MESH_DEGENERATE = 4,        /* has no area: corners coincide or lie on a line */
    RN_MESH_SELF_INTERSECTION = 5, /* two triangles cross, overlap, or touch beyond what they share */
    RN_MESH_THIN_WALL = 6, /* solid between two triangles that is thinner than the spacing */
    RN_MESH_NARROW_GAP = 7 /* space between two triangles that is narrower than the spacing */
} rn_mesh_fault_kind;
#define RN_MESH_FAULT_KINDS 8

/* "open edge", "non-manifold edge", ... Never NULL. */
RN_API const char *rn_mesh_fault_name(rn_mesh_fault_kind kind);

/* Where a fault is. */
typedef struct rn_mesh_place {
    uint32_t triangle;
    uint32_t other;    /* the second triangle of a pair; otherwise the same as triangle */
    float position[3]; /* m: middle of the edge or of the triangle */
} rn_mesh_place;

#define RN_MESH_PLACES 8

typedef struct rn_mesh_fault {
    uint64_t count;                      /* edges, triangles or pairs of triangles */
    uint32_t place_count;                /* at most RN_MESH_PLACES */
    rn_mesh_place place[RN_MESH_PLACES]; /* the first ones, by triangle */
} rn_mesh_fault;

typedef struct rn_mesh_diagnosis {
    uint32_t struct_bytes; /* set by rn_mesh_diagnosis_default() */
    uint32_t vertex_count, triangle_count;
    uint32_t unused_vertex_count;
    uint32_t component_count;        /* parts that are connected by edges */
    uint32_t closed_component_count; /* of these: without open and non-manifold edges */
    /* Every component is closed, and no fault of the kinds 0 to 4 was found. Such a mesh has an inside. */
    bool is_closed;
    bool is_orientable;     /* false: a Moebius strip, for example */
    double low[3], high[3]; /* m: bounds of the used vertices */
    double area;            /* m^2 */
    double volume; /* m^3, by the triangles as they are oriented; meaningless if not closed */
    double thinnest_wall;     /* m; 0: none below two spacings, or no spacing given */
    double narrowest_gap;     /* m; the same for the outside */
    rn_mesh_place wall_place; /* where thinnest_wall is */
    rn_mesh_place gap_place;  /* where narrowest_gap is */
    rn_mesh_fault fault[RN_MESH_FAULT_KINDS];
} rn_mesh_diagnosis;

RN_API rn_mesh_diagnosis rn_mesh_diagnosis_default(void);

typedef struct rn_mesh_diagnose_def {
    uint32_t struct_bytes; /* set by rn_mesh_diagnose_def_default() */
    /* m, of the particles that will meet this mesh: walls and gaps thinner than this are faults, and the
     * thinnest ones up to twice this are measured. 0 (default): not looked for. */
    double spacing;
    bool skips_intersections; /* default false; the test of pairs takes most of the time */
    uint32_t threads;         /* 0 (default): one per processor */
    rn_allocator allocator;   /* zero: the C library's */
    rn_tasks tasks;           /* zero: an internal thread pool */
} rn_mesh_diagnose_def;

RN_API rn_mesh_diagnose_def rn_mesh_diagnose_def_default(void);

/* Finds every fault, with the places of the first ones. All tests are exact on the given floats (signs of
 * determinants are never rounded), and the result is the same for any number of threads. Corners with
 * equal coordinates count as shared when triangles are tested for intersection, but edges are those of the
 * vertex numbers: rn_mesh_repair() welds vertices. def NULL: the default. */
RN_API rn_result rn_mesh_diagnose(const rn_mesh *mesh, const rn_mesh_diagnose_def *def,
                                  rn_mesh_diagnosis *diagnosis);

/* --- repair -------------------------------------------------------------------------------------- */

typedef struct rn_mesh_repair_def {
    uint32_t struct_bytes; /* set by rn_mesh_repair_def_default() */
    /* m: vertices this close become one; 0: only equal ones; negative (default): 1e-6 of the diagonal. */
    double weld_tolerance;
    bool keeps_orientation; /* default false: triangles are turned consistently, shells outwards */
    rn_allocator allocator; /* zero: the C library's; for temporary memory */
} rn_mesh_repair_def;

RN_API rn_mesh_repair_def rn_mesh_repair_def_default(void);

typedef struct rn_mesh_repair_report {
    uint32_t struct_bytes; /* set by rn_mesh_repair_report_default() */
    double weld_tolerance; /* m, as used */
    uint32_t welded_vertex_count;
    uint32_t unused_vertex_count;       /* removed */
    uint32_t degenerate_triangle_count; /* dropped */
    uint32_t duplicate_triangle_count;  /* dropped */
    uint32_t split_triangle_count; /* cut in two at a corner of a flat neighbour that was dropped */
    uint32_t turned_triangle_count;
    uint32_t turned_shell_count; /* closed components that were inside out */
} rn_mesh_repair_report;

RN_API rn_mesh_repair_report rn_mesh_repair_report_default(void);

/* Replaces data by the repaired mesh. What it does not do: fill holes, cut self-intersections. def NULL:
 * the default. report may be NULL. */
RN_API rn_result rn_mesh_repair(rn_mesh_data *data, const rn_mesh_repair_def *def,
                                rn_mesh_repair_report *report);

/* --- procedural shapes --------------------------------------------------------------------------- */

typedef struct rn_mesh_parameter {
    const char *name;
    double standard, low, high; /* default and range */
    const char *help;           /* with the unit */
} rn_mesh_parameter;

/* The table of shapes; NULL past the end. */
typedef struct rn_mesh_maker_info {
    const char *name;    /* "colon" */
    const char *summary; /* one line */
    uint32_t standard_triangles;
    uint32_t least_triangles;
    bool has_seed; /* the seed changes the shape */
    uint32_t parameter_count;
    const rn_mesh_parameter *parameter;
} rn_mesh_maker_info;

RN_API const rn_mesh_maker_info *rn_mesh_get_maker_info(uint32_t place);

typedef struct rn_mesh_make_def {
    uint32_t struct_bytes; /* set by rn_mesh_make_def_default() */
    const char *name;      /* of the shape */
    /* 0 (default): the shape's own. Closed shapes have an even number of triangles: an odd number is
     * rounded down. */
    uint32_t triangles;
    uint64_t seed;              /* default 1 */
    const char *const *setting; /* "length=0.5": parameters of the shape; borrowed */
    uint32_t setting_count;
    rn_allocator allocator; /* zero: the C library's */
} rn_mesh_make_def;

RN_API rn_mesh_make_def rn_mesh_make_def_default(void);

/* Makes a shape with texture coordinates; closed shapes are oriented outwards and free of
 * self-intersections. The same definition gives the same bits. On failure *data is NULL. */
RN_API rn_result rn_mesh_make(const rn_mesh_make_def *def, rn_mesh_data **data);

#ifdef __cplusplus
}
#endif
#endif
