/* Rays against triangles and spheres, by Embree.
 *
 * Job:    holds geometry of one moment; the first surface on a ray.
 * Input:  meshes and spheres (copied), each with a number of the caller's that a hit gives back.
 * Order:  clear -> add -> commit -> rays, from any number of threads.
 * Rules:  the hierarchy is built by one thread, so that its bits, and with them those of a picture, do not
 *         depend on the number of threads.
 */
#ifndef RNI_RENDER_TRACER_H
#define RNI_RENDER_TRACER_H

#include "render/canvas.h"

#include <runnel/frame.h>

typedef struct rni_tracer rni_tracer;

typedef struct rni_tracer_hit {
    float distance;  /* along the ray, in lengths of its direction */
    rni_vec normal;  /* geometric, unit length, as the triangle is oriented; out of a sphere */
    uint32_t object; /* as rni_tracer_add_...() was given */
    uint32_t triangle;
    float u, v; /* weights of the second and third corner */
} rni_tracer_hit;

rn_result rni_tracer_create(rni_tracer **tracer); /* on failure *tracer is NULL */
void rni_tracer_destroy(rni_tracer *tracer);      /* NULL is fine */

/* Forgets everything. */
void rni_tracer_clear(rni_tracer *tracer);
/* A mesh at a pose; NULL: where its vertices say. */
rn_result rni_tracer_add_mesh(rni_tracer *tracer, const rn_triangles *mesh, const rn_pose *pose,
                              uint32_t object);
/* x, y, z, radius of each. */
rn_result rni_tracer_add_spheres(rni_tracer *tracer, const float (*sphere)[4], uint32_t count,
                                 uint32_t object);
rn_result rni_tracer_commit(rni_tracer *tracer);

/* The nearest surface from near to far; false: none. */
bool rni_tracer_hit_at(const rni_tracer *tracer, rni_ray ray, float near, float far,
                       rni_tracer_hit *hit);

/* A point or a direction of a mesh in the world. */
rni_vec rni_pose_place(const rn_pose *pose, rni_vec point);
rni_vec rni_pose_turn(const rn_pose *pose, rni_vec direction);

#endif
