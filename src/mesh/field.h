/* The boundary field of a triangle mesh: how near and how much a solid is around a point.
 *
 * Job:    a law u(t) of the distance t from a flat wall is summed over triangles in closed form. The sum
 *         is that of the half space for any flat wall, whatever its triangles; over edges and corners
 *         it is smooth, and it is additive: two walls give the sum of what each gives.
 * How:    u is the volume integral over the solid of the positive radial kernel u''(r) / (2 pi r), which
 *         becomes a flux through its surface. With Phi = u(r) / r for the value and u'(r) for the
 *         gradient, the flux through a triangle is a sum over its edges of integrals of Phi over the
 *         angle seen from the foot of the point; for polynomials these are elementary (field_sum.h).
 *         0 <= u <= 2 u(0), and the sign of the flux tells the side.
 * Output: rni_field_sum_at() sums now, in double. rni_field_build() fills sparse blocks of nodes once;
 *         rni_field_at() interpolates there at constant cost. What is interpolated is not u but the
 *         distance of the flat wall that has the same u: near a flat wall this is a linear function, which
 *         the interpolation reproduces exactly, so a mesh gives what the analytic solid gives.
 * Order:  law, then triangles, then sums. Lengths are m; inside the sums, multiples of the reach.
 * Next:   field_law.c, field_sum.h (the closed form), field_build.c, field_lookup.c; solid/mesh_solid.c
 *         turns the field into a wall.
 */
#ifndef RNI_MESH_FIELD_H
#define RNI_MESH_FIELD_H

#include "base/memory.h"
#include "base/parallel.h"

#include <runnel/mesh.h>

/* --- the law --------------------------------------------------------------------------------------- */

#define RNI_FIELD_DEGREE  9u
#define RNI_FIELD_GUESSES 64u
#define RNI_FIELD_SPLITS  256u

/* u(t) = sum over k of power[k] (1 - t / reach)^k for 0 <= t <= reach, decreasing and convex; u, u' and
 * u'' vanish at the reach. Behind the wall u(-t) = 2 u(0) - u(t). */
typedef struct rni_field_law {
    double reach; /* m */
    double power[RNI_FIELD_DEGREE + 1];
    double monomial[RNI_FIELD_DEGREE + 1]; /* the same as a polynomial of t / reach */
    double at_wall, slope_at_wall;         /* u(0); u'(0), 1 / m */
    double deepest, slope_at_deepest;      /* m < 0: beyond, distances continue linearly with u */
    double guess[RNI_FIELD_GUESSES + 1]; /* m: the distance at u = u(0) (k / RNI_FIELD_GUESSES)^3 */
    /* Of rni_field_law_split: (u / u(0))^(1/3) at the distance k reach / RNI_FIELD_SPLITS, and the distance, m, at
     * which that is k / RNI_FIELD_SPLITS. */
    float root[RNI_FIELD_SPLITS + 2], distance_at[RNI_FIELD_SPLITS + 2];
    /* A second law with the same reach that is summed beside u: which part of a half space is solid, 0.5 at the
     * wall. All 0: there is none, and parts are 1. */
    double cover_power[RNI_FIELD_DEGREE + 1], cover_monomial[RNI_FIELD_DEGREE + 1];
} rni_field_law;

/* The law that is nearest to target[k] at t = k reach / (count - 1), weighted by weight[k]. */
void rni_field_law_fit(rni_field_law *law, double reach, const double *target, const double *weight,
                       uint32_t count);
/* Adds the second law: the normal distribution of this width, m, over the distance. */
void rni_field_law_fit_cover(rni_field_law *law, double width);
/* The second law at the distance t of a flat wall, and its slope, 1 / m; any t. */
double rni_field_law_cover(const rni_field_law *law, double t, double *slope);
/* u at the distance t of a flat wall, and its slope, 1 / m; any t. */
double rni_field_law_value(const rni_field_law *law, double t, double *slope);
/* m: the distance of the flat wall that has this u, 0 < u. */
double rni_field_law_distance(const rni_field_law *law, double u);
/* Equal walls that together have the u of one at the distance t: the distance of each of 1 / part walls, m, 1/3 <= part
 * <= 1. *others: u of all but one. In front of the wall by tables, to 3e-5 of the reach. */
float rni_field_law_split(const rni_field_law *law, float t, float part, float *others);

/* --- sums over triangles --------------------------------------------------------------------------- */

/* A triangle in double: corners, unit edges, directions in the plane at right angles to them, normal. */
typedef struct rni_field_triangle {
    double corner[3][3];
    double edge[3][3];   /* unit: from corner k to corner k + 1 */
    double inward[3][3]; /* normal x edge: towards the triangle */
    double normal[3];    /* into the fluid */
} rni_field_triangle;

/* False: it has no area, and gives nothing. Corners run counter-clockwise seen from the fluid, or the other
 * way round with is_flipped. */
bool rni_field_triangle_make(rni_field_triangle *triangle, const float a[3], const float b[3],
                             const float c[3], float scale, bool is_flipped);

/* What triangles give at points, arrays of one number a point. */
#define RNI_FIELD_BATCH 8u
typedef struct rni_field_points {
    double x[3][RNI_FIELD_BATCH]; /* m */
} rni_field_points;
typedef struct rni_field_sums {
    double flux[RNI_FIELD_BATCH];        /* u, less 2 u(0) inside the solid */
    double gradient[3][RNI_FIELD_BATCH]; /* of u, 1 / m */
    double cover[RNI_FIELD_BATCH], cover_gradient[3][RNI_FIELD_BATCH]; /* the same of the second law */
    double spread[6][RNI_FIELD_BATCH]; /* sum of |flux| n n over the triangles: xx, yy, zz, xy, xz, yz */
    double distance_sq[RNI_FIELD_BATCH]; /* m^2: to the nearest triangle of those added; at first infinite */
    double nearest[3][RNI_FIELD_BATCH]; /* m: from there to the point */
} rni_field_sums;

typedef void (*rni_field_add_fn)(const rni_field_law *law, const rni_field_triangle *triangles,
                                 uint32_t count, const rni_field_points *points,
                                 rni_field_sums *sums);
/* Adds triangles to the sums of RNI_FIELD_BATCH points; the same bits for every instruction set. */
void rni_field_add_plain(const rni_field_law *law, const rni_field_triangle *triangles,
                         uint32_t count, const rni_field_points *points, rni_field_sums *sums);
void rni_field_add_avx2(const rni_field_law *law, const rni_field_triangle *triangles,
                        uint32_t count, const rni_field_points *points, rni_field_sums *sums);
/* The best one for this machine. */
rni_field_add_fn rni_field_add_choose(void);
void rni_field_sums_clear(rni_field_sums *sums);

/* What the field is at a point. */
typedef struct rni_field_value {
    /* m: of the flat wall that has the same u; where the solid is convex, to its surface. Negative in the solid. */
    float distance;
    float gradient[3]; /* of the distance: its length is 1 near a flat wall */
    float part; /* where the solid is convex: the part of the half space behind it that is solid; else 1 */
    float part_gradient[3]; /* 1 / m */
    bool is_flat; /* one direction counts only: spread is n n of the gradient, and not filled in */
    float spread[6]; /* sum over the faces of their part of u times n n: trace 1 */
    float clear;     /* m: every triangle is at least so far */
} rni_field_value;

/* One point, summed now. False: no triangle is within reach. is_two_sided: there is no inside; both sides of
 * the surface see a wall. */
bool rni_field_sum_at(const rni_field_law *law, const rni_field_triangle *triangles, uint32_t count,
                      const double x[3], bool is_two_sided, rni_field_value *value);

/* --- the cached field ------------------------------------------------------------------------------ */

typedef struct rni_field rni_field;

typedef struct rni_field_def {
    const rn_mesh *mesh;                   /* borrowed during the build */
    const struct rni_hierarchy *hierarchy; /* of the mesh, borrowed; NULL: the build makes one */
    float scale;                           /* of its vertices */
    bool is_flipped;                       /* the fluid is inside */
    bool is_two_sided;                     /* a sheet: the fluid may be on both sides */
    /* By triangle, NULL: none. What is behind such a triangle is not seen from its front, so its back gives nothing: the
     * solid counts there as a whole half space, however thin it is. */
    const uint8_t *is_thin;
    rni_field_law law;
    float cell; /* m: distance of the nodes; advice: 0.4 spacings */
    /* Called now and then by the building thread, 0 to 1; false: stop. May be NULL. */
    bool (*progress)(void *data, double part);
    void *progress_data;
} rni_field_def;

/* The same bits for any crew. On failure *field is NULL. */
rn_result rni_field_build(rni_memory *memory, rni_crew *crew, const rni_field_def *def,
                          rni_field **field);
void rni_field_destroy(rni_memory *memory, rni_field *field); /* NULL is fine */
uint64_t rni_field_bytes(const rni_field *field);
const rni_field_law *rni_field_law_of(const rni_field *field);

/* A point of the mesh's own frame on its way to rni_field_at_spot(): what that will read is brought nearer to the
 * processor in two steps, first where the block is, some points later the block itself. */
typedef struct rni_field_spot {
    uint64_t key;                        /* of the block; 0: the point is outside */
    const struct rni_field_block *block; /* once found; NULL: no triangle is within reach, and */
    float clear;                         /* m: every triangle is at least so far */
    uint32_t cell;                       /* of the block */
    float s[4];                          /* place in the cell, 0 to 1 */
} rni_field_spot;
void rni_field_spot_begin(const rni_field *field, const float x[3], rni_field_spot *spot);
void rni_field_spot_find(const rni_field *field, rni_field_spot *spot);
/* At a spot that was found. False: no triangle is within reach, or it is deep in the solid (then value->clear is 0). */
bool rni_field_at_spot(const rni_field *field, const rni_field_spot *spot, rni_field_value *value);
/* The same at a point of the mesh's own frame. */
bool rni_field_at(const rni_field *field, const float x[3], rni_field_value *value);

#endif
