/* Solids: what the fluid flows around or inside, one row of functions a shape.
 *
 * Job:    holds everything that depends on a shape: parameters, checks, distance, boundary field,
 *         bounds, rays, triangles, volume. Fluid, scenes, pictures and viewer ask the row.
 * Input:  rn_solid, as the caller describes it.
 * Output: rni_solid, the same solid placed in the world.
 * Order:  rni_solid_place() first; every other function takes what it made.
 * Next:   sphere.c (the smallest row), kinds.c (the table), boundary.h (what a face gives to a
 *         particle), mesh.h (triangles), span.h (rays); docs/adding-a-solid.md.
 */
#ifndef RNI_SOLID_SOLID_H
#define RNI_SOLID_SOLID_H

#include <runnel/solid.h>

#include <stddef.h>

struct rni_solid_kind;

/* A solid placed in the world: what the step, pictures and the viewer read. */
typedef struct rni_solid {
    const struct rni_solid_kind *kind;
    uint32_t dim;
    float center[3];
    float axis[3];     /* unit; of shapes that have one */
    float half[3];     /* in 2D the third is infinite */
    float frame[3][3]; /* rows: the solid's own axes in the world */
    float radius;
    bool is_hollow;
    bool is_moving; /* its motion is not zero */
    rn_slip slip;
    float velocity[3];             /* of its surface, without its motion */
    const struct rni_field *field; /* of a mesh in a fluid: its boundary field, not owned; else NULL */
    const struct rni_thin_mesh *thin; /* of the same: its triangles at thin places, not owned; NULL: none */
    bool side[3][2]; /* of a box: the faces that exist (periodic, open and 2D ones do not) */
    rn_solid def;    /* as the caller gave it; in 2D without a third axis */
} rni_solid;

/* --- the row of a shape ---------------------------------------------------------------------------- */

/* What a parameter must be. */
typedef enum rni_solid_rule {
    RNI_RULE_ANY = 0,
    RNI_RULE_POSITIVE, /* every number of it */
    RNI_RULE_DIRECTION /* not 0, 0, 0 */
} rni_solid_rule;

/* A parameter that some shapes have and others have not. All shapes have center, slip, velocity. */
typedef struct rni_solid_parameter {
    const char *name; /* as scenes spell it */
    const char *unit; /* "" for none */
    rni_solid_rule rule;
    bool is_required; /* else: the default of scenes, which is that of rn_solid_default() */
    const char *help; /* one phrase for messages: what the value is */
    /* Where rn_solid holds it: value of the scene times factor. */
    size_t offset;
    uint32_t count; /* floats */
    float factor;
} rni_solid_parameter;

#define RNI_SOLID_FIELD(field, floats, times) \
    .offset = offsetof(rn_solid, field), .count = floats, .factor = times

struct rni_face;
struct rni_span;
struct rni_solid_mesh;
struct rni_wall_query;
struct rni_wall_tables;

typedef struct rni_solid_kind {
    const char *name; /* as scenes spell it */
    const rni_solid_parameter *parameters;
    uint32_t parameter_count;
    bool has_2d;
    bool can_be_hollow;
    bool has_edges; /* its outline is drawn where it is made of glass */
    bool has_mesh;  /* it needs the triangles of rn_solid.mesh */

    /* Refuses what is wrong beyond the rules of the parameters; NULL: nothing is. */
    rn_result (*check)(const rni_solid *solid);
    /* m: distance to the fluid's side (negative in the solid), and the unit normal into the fluid. The
     * step's own: float, fast. */
    float (*distance)(const rni_solid *solid, const float x[3], float normal[3]);
    /* m: the same from the definition alone, in double, without the functions above: the check that no
     * particle is behind a wall relies on it. d: from the center, in the solid's own frame. Negative
     * inside the shape, also of a hollow one. */
    double (*exact_distance)(const rn_solid *def, uint32_t dim, const double d[3]);
    /* The faces of the solid within reach of x; returns their count, RNI_FACES_OF_A_SOLID at most.
     * Lowers *clear to the distance from the solid, or less, if it is within reach. */
    uint32_t (*meet)(const struct rni_wall_tables *tables, const rni_solid *solid, const float x[3],
                     const struct rni_wall_query *query, struct rni_face *faces, float *clear);
    /* m: the smallest thickness of the shape, and its name in messages ("the sphere's diameter"). */
    float (*thickness)(const rni_solid *solid, const char **what);
    /* Thin places: what is in front of them does not feel what is behind (fluid/thin_walls.h). is_thin: the solid has
     * places thinner than h, m. thin_distance: m, from x to one of them, or less; more than h: none is so near.
     * thin_triangles: corners of their faces within h of x, as seen from x; returns how many there are, of which at
     * most `most` are written. All are NULL: fluid is never on two sides of a thin place. */
    bool (*is_thin)(const rni_solid *solid, float h);
    float (*thin_distance)(const rni_solid *solid, const float x[3], float h);
    uint32_t (*thin_triangles)(const rni_solid *solid, const float x[3], float h,
                               float (*corner)[3][3], uint32_t most);
    /* m: the box around the shape. NULL: it has no end. */
    void (*bounds)(const rni_solid *solid, float low[3], float high[3]);
    /* m: of the sphere around center that holds the shape. NULL: it has no end. */
    float (*reach)(const rni_solid *solid);
    /* m^3 (2D: m^2) inside the shape. NULL: it has no end. */
    double (*volume)(const rni_solid *solid);
    /* Whether its cross-section is the same all along axis a of the world. NULL: never. */
    bool (*is_uniform_along)(const rni_solid *solid, uint32_t a);
    /* Whether it is a thin wall, which pictures show as glass where it hides water. NULL: never. */
    bool (*is_plate)(const rni_solid *solid);
    /* Cuts the span of a ray to the part inside the shape; false: nothing is left. */
    bool (*span)(const rni_solid *solid, const float origin[3], const float direction[3],
                 struct rni_span *span);
    /* Triangles and outline. */
    void (*draw)(const rni_solid *solid, struct rni_solid_mesh *mesh);
} rni_solid_kind;

/* By rn_solid_shape; NULL past the last. */
const rni_solid_kind *rni_solid_kind_at(uint32_t shape);
/* Whether a shape is made of triangles. */
bool rni_solid_shape_has_mesh(uint32_t shape);
/* Whether the water may be inside of the solid: it is hollow, or triangles, which may be a vessel. */
bool rni_solid_may_hold_water(const rn_solid *def);
/* The name of a shape; NULL past the last. */
const char *rni_solid_shape_name(uint32_t shape);
/* The parameter of a shape with this name; NULL: the shape has none, or all shapes have it. */
const rni_solid_parameter *rni_solid_parameter_find(const rni_solid_kind *kind, const char *name);

/* --- one solid ------------------------------------------------------------------------------------- */

/* Checks the definition and places it. On failure *solid is not of use. */
rn_result rni_solid_place(const rn_solid *def, uint32_t dim, rni_solid *solid);
/* The domain of a fluid: a hollow box. has_side: the sides that are walls. */
rni_solid rni_solid_domain(const float low[3], const float high[3], uint32_t dim,
                           bool has_side[3][2], rn_slip slip);
/* Refuses a solid thinner than least, m. */
rn_result rni_solid_check_thickness(const rni_solid *solid, float least);
/* For asserts: finite, axes of unit length at right angles, a row that is complete. */
bool rni_solid_is_valid(const rni_solid *solid);

static inline float rni_solid_distance(const rni_solid *solid, const float x[3], float normal[3])
{
    return solid->kind->distance(solid, x, normal);
}

/* m: from the definition alone, in double; negative in the solid. */
double rni_solid_exact_distance(const rn_solid *def, uint32_t dim, const float x[3]);
/* The box around what is solid; false: it has no end (planes, hollow solids). */
bool rni_solid_bounds(const rni_solid *solid, float low[3], float high[3]);
/* m: of the sphere around center that holds what is solid; infinite for planes and hollow solids. */
float rni_solid_reach(const rni_solid *solid);
/* m / s: of its surface at x: belt, linear motion and rotation. */
void rni_solid_velocity_at(const rni_solid *solid, const float x[3], float velocity[3]);
/* m: how deep two solids overlap, more than `tolerance`; 0: not so deep. Solids without an end
 * (planes, hollow ones) overlap nothing. */
float rni_solid_overlap(const rni_solid *a, const rni_solid *b, float tolerance);

/* The share of the volume of a that is inside b, 0 to 1, to some per cent; 0 for solids without an end. */
double rni_solid_share_inside(const rni_solid *a, const rni_solid *b);

/* Of two numbers; fminf() and fmaxf() are calls, because they have to look for NaN. */
static inline float rni_lower(float a, float b)
{
    return a < b ? a : b;
}

static inline float rni_higher(float a, float b)
{
    return a > b ? a : b;
}

static inline float rni_solid_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
