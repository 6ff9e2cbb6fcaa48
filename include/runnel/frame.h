/* runnel/frame.h - one moment of a simulation as plain arrays, for whatever writes, draws or sends it.
 *
 * Does:     describes particles by named attributes (borrowed, strided), solids by triangle meshes and
 *           their poses, and the moment by time, step and domain. SI units.
 * Does not: own or copy data; know fluids or scenes.
 * Smallest use:
 *     rn_frame frame = rn_frame_default();
 *     if (rn_fluid_get_frame(fluid, &frame) != RN_OK) return fail(rn_last_error());
 *     const rn_attribute *velocity = rn_frame_get_attribute(&frame, "velocity");
 *     float v[3];
 *     rn_frame_get_rows(&frame, velocity, 0, 1, v);         // of particle 0
 *
 * A program may also fill in a frame with arrays of its own: attribute[0] is always the position.
 */
#ifndef RUNNEL_FRAME_H
#define RUNNEL_FRAME_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RN_FRAME_MAX_ATTRIBUTES 24u
#define RN_ATTRIBUTE_NAME_BYTES 24u /* longest name with its terminating zero */

typedef enum rn_attribute_type {
    RN_ATTRIBUTE_FLOAT = 0,
    RN_ATTRIBUTE_UINT32 = 1
} rn_attribute_type;

/* How values follow from the stored data. */
typedef enum rn_derivation {
    RN_DERIVATION_NONE = 0,   /* the data are the values */
    RN_DERIVATION_LENGTH = 1, /* length of the stored vector of three floats */
    RN_DERIVATION_AGE = 2     /* time of the frame minus the stored time, s */
} rn_derivation;

enum {
    RN_ATTRIBUTE_IN_FILES = 1 /* written to output files */
};

/* One named value of every particle. */
typedef struct rn_attribute {
    const char *name;         /* "velocity": lower case letters, digits, '_' */
    const char *unit;         /* "m/s"; "1" for plain numbers */
    uint32_t components;      /* 1 or 3, of the values (not of the stored data) */
    rn_attribute_type type;   /* of the values and the stored data */
    rn_derivation derivation; /* other than NONE: values are floats with one component */
    uint32_t flags;           /* RN_ATTRIBUTE_IN_FILES */
    size_t stride;            /* bytes from one particle's data to the next; 0: packed */
    const void *data;         /* of the first particle; may be NULL when there are no particles */
} rn_attribute;

/* A named triangle mesh in its own coordinates. */
typedef struct rn_triangles {
    const char *name;
    uint32_t vertex_count;
    uint32_t index_count;  /* three a triangle, counter-clockwise as seen from the visible side */
    uint32_t line_count;   /* of the outline that wire frames show; 0 is fine */
    uint32_t stride;       /* bytes from one vertex (normal) to the next; 0: packed */
    const float *vertex;   /* x, y, z; m */
    const float *normal;   /* unit length; NULL: flat faces */
    const uint32_t *index; /* of vertices */
    const float *line;     /* x, y, z of both ends, packed */
    const float *film;     /* m, one a vertex: what the fluid has left there; NULL: none is known */
} rn_triangles;

/* Where a mesh is: rotated about its origin, then moved to position. */
typedef struct rn_pose {
    uint32_t triangles; /* index into rn_frame.triangles */
    float position[3];  /* m */
    float rotation[4];  /* unit quaternion x, y, z, w; 0 0 0 1: not rotated */
} rn_pose;

/* Everything pointed to is borrowed, and valid as long as the source of the frame says. */
typedef struct rn_frame {
    uint32_t struct_bytes; /* set by rn_frame_default() */
    uint32_t dim;          /* 2 or 3; in 2D every z is 0 */
    double time;           /* s; not finite: unknown */
    uint64_t step;
    uint32_t count;      /* particles */
    float spacing;       /* m between neighbouring particles at rest; 0: unknown */
    float domain_low[3]; /* m; low and high equal: unknown. In 2D z is 0 */
    float domain_high[3];
    uint32_t attribute_count;
    uint32_t triangles_count;
    uint32_t pose_count;
    rn_attribute attribute[RN_FRAME_MAX_ATTRIBUTES]; /* the first is "position": three floats, m */
    const rn_triangles *triangles;
    const rn_pose *pose;
} rn_frame;

/* 3D, time 0, no particles, no meshes. */
RN_API rn_frame rn_frame_default(void);
/* The attribute of this name; NULL: the frame has none. */
RN_API const rn_attribute *rn_frame_get_attribute(const rn_frame *frame, const char *name);
/* Values of particles first .. first + count - 1, packed: components * 4 bytes each. */
RN_API void rn_frame_get_rows(const rn_frame *frame, const rn_attribute *attribute, uint32_t first,
                              uint32_t count, void *packed);
/* One float a particle for colours and charts: the value of a scalar, the length of a vector. */
RN_API void rn_frame_get_scalars(const rn_frame *frame, const rn_attribute *attribute,
                                 uint32_t first, uint32_t count, float *values);
/* Adds an attribute; RN_ERROR_LIMIT when the frame has RN_FRAME_MAX_ATTRIBUTES, RN_ERROR_ARGUMENT when
 * the attribute makes no sense or its name is taken. */
RN_API rn_result rn_frame_add_attribute(rn_frame *frame, const rn_attribute *attribute);
/* Adds the attributes that follow from others: "speed" from velocity, "age" from birth. */
RN_API rn_result rn_frame_add_derived(rn_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
