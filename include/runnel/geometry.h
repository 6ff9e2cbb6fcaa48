/* runnel/geometry.h - vectors, boxes and Morton codes: pure functions on small values.
 *
 * Does:     provides the few operations that the other modules share.
 * Does not: hold state, allocate, or fail.
 * Smallest use:
 *     rn_box3 box = rn_box3_empty();
 *     box = rn_box3_include(box, rn_vec3_make(1.0f, 2.0f, 3.0f));
 */
#ifndef RUNNEL_GEOMETRY_H
#define RUNNEL_GEOMETRY_H

#include <runnel/base.h>

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_vec2 {
    float x, y;
} rn_vec2;

typedef struct rn_vec3 {
    float x, y, z;
} rn_vec3;

/* Closed: a point on the face is inside. Empty when low > high on any axis. */
typedef struct rn_box3 {
    rn_vec3 low, high;
} rn_box3;

static inline rn_vec3 rn_vec3_make(float x, float y, float z)
{
    rn_vec3 v = {x, y, z};
    return v;
}

static inline rn_vec3 rn_vec3_add(rn_vec3 a, rn_vec3 b)
{
    return rn_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline rn_vec3 rn_vec3_sub(rn_vec3 a, rn_vec3 b)
{
    return rn_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline rn_vec3 rn_vec3_scale(rn_vec3 a, float s)
{
    return rn_vec3_make(a.x * s, a.y * s, a.z * s);
}

static inline float rn_vec3_dot(rn_vec3 a, rn_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rn_vec3 rn_vec3_cross(rn_vec3 a, rn_vec3 b)
{
    return rn_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float rn_vec3_length(rn_vec3 a)
{
    return sqrtf(rn_vec3_dot(a, a));
}

static inline rn_vec3 rn_vec3_min(rn_vec3 a, rn_vec3 b)
{
    return rn_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline rn_vec3 rn_vec3_max(rn_vec3 a, rn_vec3 b)
{
    return rn_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline rn_box3 rn_box3_empty(void)
{
    rn_box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return box;
}

static inline bool rn_box3_is_empty(rn_box3 box)
{
    return box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z;
}

static inline rn_box3 rn_box3_include(rn_box3 box, rn_vec3 point)
{
    box.low = rn_vec3_min(box.low, point);
    box.high = rn_vec3_max(box.high, point);
    return box;
}

static inline rn_box3 rn_box3_union(rn_box3 a, rn_box3 b)
{
    a.low = rn_vec3_min(a.low, b.low);
    a.high = rn_vec3_max(a.high, b.high);
    return a;
}

static inline bool rn_box3_contains(rn_box3 box, rn_vec3 point)
{
    return box.low.x <= point.x && point.x <= box.high.x && box.low.y <= point.y &&
           point.y <= box.high.y && box.low.z <= point.z && point.z <= box.high.z;
}

/* Touching counts. */
static inline bool rn_box3_overlaps(rn_box3 a, rn_box3 b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/* Squared distance from a point to the nearest point of the box; 0 inside. */
static inline float rn_box3_distance_sq(rn_box3 box, rn_vec3 point)
{
    rn_vec3 d = rn_vec3_max(rn_vec3_max(rn_vec3_sub(box.low, point), rn_vec3_sub(point, box.high)),
                            rn_vec3_make(0.0f, 0.0f, 0.0f));
    return rn_vec3_dot(d, d);
}

/* Morton codes: bit b of x becomes bit 2b (2D) or 3b (3D) of the code, y one bit above, z two
 * above. 2D uses 32 bits per coordinate, 3D the low 21. */
RN_API uint64_t rn_morton2_encode(uint32_t x, uint32_t y);
RN_API void rn_morton2_decode(uint64_t code, uint32_t *x, uint32_t *y);
RN_API uint64_t rn_morton3_encode(uint32_t x, uint32_t y, uint32_t z);
RN_API void rn_morton3_decode(uint64_t code, uint32_t *x, uint32_t *y, uint32_t *z);

#ifdef __cplusplus
}
#endif
#endif
