/* What a face of a solid gives to a particle near it.
 *
 * A wall stands for the layers of particles behind its face, which mirror those of the fluid. What
 * they would give, integrated along the face, is a table over the distance: rni_wall_tables, which
 * the fluid fills for its kernels (fluid/wall_tables.c). A shape says which faces are within reach
 * and which part of each exists; the laws are here.
 */
#ifndef RNI_SOLID_BOUNDARY_H
#define RNI_SOLID_BOUNDARY_H

#include "solid/solid.h"

#include <math.h>
#include <string.h>

#define RNI_WALL_TABLE 128u

/* What a face gives at a distance, for a half space behind it. */
enum {
    RNI_WALL_SHARE,   /* density that the wall adds, as a share of the rest density */
    RNI_WALL_PUSH,    /* 1 / m: minus its slope, of the pressure's kernel */
    RNI_WALL_LIFT,    /* pressure gradient times the distance of each layer: no unit */
    RNI_WALL_TANGENT, /* the same along the face */
    RNI_WALL_NORMAL,  /* 1 / m: of poly6's gradient */
    RNI_WALL_CROWD,   /* 1 / m: as push, of layers that stay where they are */
    RNI_WALL_DRAG,    /* 1 / m: of the Laplacian times the distance of each layer */
    RNI_WALL_VALUES = 8
};

/* Over the distance t from 0 to h, in RNI_WALL_TABLE equal steps. */
typedef struct rni_wall_tables {
    float inverse_step;
    float values[RNI_WALL_TABLE + 2][RNI_WALL_VALUES];
    float width;                     /* m: of the normal distribution of cover */
    float cover[RNI_WALL_TABLE + 2]; /* part that a face at right angles covers: 0.5 at t = 0 */
    float cover_slope[RNI_WALL_TABLE + 2]; /* 1 / m */
    /* Density, rest density being 1: of a particle without neighbours; of one that lies on a wall,
     * without the wall's share. */
    float alone, beside;
} rni_wall_tables;

/* What a particle gets from the walls, beyond their share of its density. Floats only. */
typedef struct rni_touch {
    float push[3]; /* 1 / m: sum of the push times the normal of each face */
    float lift[3]; /* m / s^2: what the layers carry of the fluid's weight */
    float normal[3];
    float drag;             /* 1 / m^2, of no-slip faces */
    float drag_velocity[3]; /* drag times the velocity of the face */
    float wetting[3];       /* normal times the contact angle in degrees */
} rni_touch;

/* The same for schemes with corrected gradients. Floats only. */
typedef struct rni_moments {
    float moment[6];        /* xx, yy, zz, xy, xz, yz: second moments of the layers */
    float along[6];         /* the part of them along the faces */
    float crowd[3];         /* 1 / m */
    float closing[3];       /* 1 / m: along the normals */
    float closing_velocity; /* 1 / s: closing times the velocity of each face along its normal */
    float padding;          /* 0 */
} rni_moments;

/* What the walls have to know of the fluid. */
typedef struct rni_wall_query {
    float h;       /* m: the support radius */
    float nearest; /* m: the drag does not grow nearer than this */
    float gravity[3];
    bool has_moments; /* fill in what the corrected scheme needs */
    uint32_t dim;
    float contact_angle; /* degrees: of solids that have none of their own */
    /* If the place is the spot that was found for it in the field of this mesh (mesh/field.h); else NULL. */
    const rni_solid *spot_solid;
    const struct rni_field_spot *spot;
} rni_wall_query;

/* One face within reach of a particle, and what it gives. */
typedef struct rni_face {
    rni_touch touch;
    rni_moments moments; /* where the query asks for them */
    float share;         /* of the density */
    float normal[3];     /* into the fluid */
    float distance;      /* m */
    float part;          /* of the half space behind it that is solid */
    /* More than one where it stands for several faces of an edge or a corner: how many, and the mean of n n
     * over them (xx, yy, zz, xy, xz, yz). */
    float faces, spread[6];
} rni_face;

/* Six of a hollow box, three of a hollow cylinder, else one. */
#define RNI_FACES_OF_A_SOLID 6u

/* The faces of a solid within reach: the row's function. */
static inline uint32_t rni_solid_meet(const rni_wall_tables *tables, const rni_solid *solid,
                                      const float x[3], const rni_wall_query *query,
                                      rni_face *faces, float *clear)
{
    return solid->kind->meet(tables, solid, x, query, faces, clear);
}

static inline float rni_table_at(const float *table, float place)
{
    uint32_t k = (uint32_t)place;
    float part = place - (float)k;
    return table[k] + part * (table[k + 1] - table[k]);
}

/* Place of the distance t in the tables. */
static inline float rni_table_place(const rni_wall_tables *tables, float t)
{
    return rni_higher(t, 0.0f) * tables->inverse_step;
}

/* All values at the distance t. */
static inline void rni_wall_values_at(const rni_wall_tables *tables, float t,
                                      float out[RNI_WALL_VALUES])
{
    const float place = rni_table_place(tables, t);
    const uint32_t k = (uint32_t)place;
    const float part = place - (float)k;
    const float *low = tables->values[k], *high = tables->values[k + 1];
    for (uint32_t n = 0; n < RNI_WALL_VALUES; n++) out[n] = low[n] + part * (high[n] - low[n]);
}

static inline float rni_wall_share_at(const rni_wall_tables *tables, float t)
{
    const float place = rni_table_place(tables, t);
    const uint32_t k = (uint32_t)place;
    const float low = tables->values[k][RNI_WALL_SHARE], high = tables->values[k + 1][RNI_WALL_SHARE];
    return low + (place - (float)k) * (high - low);
}

/* to += t v of a symmetric tensor: xx, yy, zz, xy, xz, yz. */
static inline void rni_add_product(const float t[6], const float v[3], float to[3])
{
    to[0] += t[0] * v[0] + t[3] * v[1] + t[4] * v[2];
    to[1] += t[3] * v[0] + t[1] * v[1] + t[5] * v[2];
    to[2] += t[4] * v[0] + t[5] * v[1] + t[2] * v[2];
}

/* t += scale (a b + b a) / 2. */
static inline void rni_tensor_add(float t[6], float scale, const float a[3], const float b[3])
{
    for (int k = 0; k < 3; k++) t[k] += scale * a[k] * b[k];
    t[3] += 0.5f * scale * (a[0] * b[1] + a[1] * b[0]);
    t[4] += 0.5f * scale * (a[0] * b[2] + a[2] * b[0]);
    t[5] += 0.5f * scale * (a[1] * b[2] + a[2] * b[1]);
}

static inline void rni_face_velocity(const rni_solid *s, const float x[3], float velocity[3])
{
    memcpy(velocity, s->velocity, sizeof s->velocity);
    if (s->is_moving) rni_solid_velocity_at(s, x, velocity);
}

/* Degrees: the contact angle at a face. */
static inline float rni_face_angle(const rni_solid *s, const rni_wall_query *query)
{
    return s->def.contact_angle > 0 ? s->def.contact_angle : query->contact_angle;
}

/* What a scheme with corrected gradients needs of a face; value: of the tables, times the part of the face. */
static inline void rni_face_add_moments(const rni_solid *s, const float x[3],
                                        const rni_wall_query *query,
                                        const float value[RNI_WALL_VALUES], rni_face *face)
{
    const float *n = face->normal, lift = value[RNI_WALL_LIFT], tangent = value[RNI_WALL_TANGENT];
    const float along = s->slip == RN_SLIP_NONE ? 0.0f : tangent;
    rni_moments *to = &face->moments;
    for (int a = 0; a < 3; a++) {
        const float across = (uint32_t)a < query->dim ? 1 - n[a] * n[a] : 0.0f;
        to->along[a] = along * across;
        to->moment[a] = lift * n[a] * n[a] + tangent * across;
        to->crowd[a] = value[RNI_WALL_CROWD] * n[a];
        to->closing[a] = value[RNI_WALL_PUSH] * n[a];
    }
    const float mixed[3] = {n[0] * n[1], n[0] * n[2], n[1] * n[2]};
    for (int k = 0; k < 3; k++) {
        to->along[3 + k] = -along * mixed[k];
        to->moment[3 + k] = (lift - tangent) * mixed[k];
    }
    float velocity[3];
    rni_face_velocity(s, x, velocity);
    to->closing_velocity = value[RNI_WALL_PUSH] * rni_solid_dot(velocity, n);
    /* No-slip faces hold the fluid by their drag; along others the layers carry on the fluid's own gradient,
     * weight included. */
    to->padding = 0;
    if (s->slip == RN_SLIP_NONE) return;
    const float weight = lift * rni_solid_dot(query->gravity, n);
    for (int a = 0; a < 3; a++) face->touch.lift[a] = -weight * n[a];
}

/* Fills in what face gives to a particle at x. Its normal, distance and part are given; `open` of it is not
 * behind other faces of the same solid. */
static inline void rni_face_meet(const rni_wall_tables *tables, const rni_solid *s, const float x[3],
                                 const rni_wall_query *query, float open, rni_face *face)
{
    const float *n = face->normal, part = face->part * open;
    float value[RNI_WALL_VALUES];
    rni_wall_values_at(tables, face->distance, value);
    for (uint32_t k = 0; k < RNI_WALL_VALUES; k++) value[k] *= part;
    const float tangent = value[RNI_WALL_TANGENT];
    const float along = (value[RNI_WALL_LIFT] - tangent) * rni_solid_dot(query->gravity, n);
    const float angle = rni_face_angle(s, query);
    rni_touch *touch = &face->touch;
    for (int a = 0; a < 3; a++) {
        touch->push[a] = value[RNI_WALL_PUSH] * n[a];
        touch->lift[a] = -(along * n[a] + tangent * query->gravity[a]);
        touch->normal[a] = value[RNI_WALL_NORMAL] * n[a];
        touch->wetting[a] = angle * touch->normal[a];
    }
    face->share = value[RNI_WALL_SHARE];
    face->faces = 1;
    if (query->has_moments) rni_face_add_moments(s, x, query, value, face);
    touch->drag = 0;
    for (int a = 0; a < 3; a++) touch->drag_velocity[a] = 0;
    if (s->slip != RN_SLIP_NONE) return;
    touch->drag = value[RNI_WALL_DRAG] / rni_higher(face->distance, query->nearest);
    float velocity[3];
    rni_face_velocity(s, x, velocity);
    for (int a = 0; a < 3; a++) touch->drag_velocity[a] = touch->drag * velocity[a];
}

/* A smooth solid is taken as its tangent plane; distance and normal of the face are given. */
static inline uint32_t rni_face_meet_tangent(const rni_wall_tables *tables, const rni_solid *s,
                                             const float x[3], const rni_wall_query *query,
                                             rni_face *face, float *clear)
{
    face->part = 1;
    if (face->distance >= query->h) return 0;
    *clear = rni_lower(*clear, face->distance);
    rni_face_meet(tables, s, x, query, 1, face);
    return 1;
}

/* Adds a face of a hollow solid at distance t along sign * normal; returns the count of faces then. */
static inline uint32_t rni_face_add(const rni_wall_query *query, const float normal[3], float sign,
                                    float t, rni_face *faces, uint32_t count)
{
    if (t >= query->h) return count;
    rni_face *face = &faces[count];
    for (int a = 0; a < 3; a++) face->normal[a] = sign * normal[a];
    face->distance = t;
    face->part = 1;
    return count + 1;
}

/* Inside a hollow solid with `count` faces: what is solid is 1 minus the product of what each face leaves. */
static inline uint32_t rni_faces_meet_hollow(const rni_wall_tables *tables, const rni_solid *s,
                                             const float x[3], const rni_wall_query *query,
                                             rni_face *faces, uint32_t count, float *clear)
{
    if (count == 1) { /* as below, and most often so */
        *clear = rni_lower(*clear, faces->distance);
        rni_face_meet(tables, s, x, query, 1, faces);
        faces->share = rni_lower(faces->share, 0.95f);
        return 1;
    }
    float own[RNI_FACES_OF_A_SOLID];
    float left = 1;
    for (uint32_t k = 0; k < count; k++) {
        *clear = rni_lower(*clear, faces[k].distance);
        own[k] = rni_lower(rni_wall_share_at(tables, faces[k].distance), 0.95f);
        left *= 1 - own[k];
    }
    float before = 1;
    for (uint32_t k = 0; k < count; k++) {
        rni_face_meet(tables, s, x, query, left / (1 - own[k]), &faces[k]);
        faces[k].share = own[k] * before; /* the sum is 1 - left */
        before *= 1 - own[k];
    }
    return count;
}

#endif
