/* The module "search": fixed-radius neighbour search.
 *
 * In:     the caller's points, as clouds of finite floats (ingest.c has checked, re-based and
 *         wrapped them).
 * Out:    rows: for each searching point the indices of its neighbours, in the method's own order.
 * Order:  ingest -> method.build -> lists (or counts, visits, queries, nearest) -> the caller.
 *
 * A method is one file behind rni_method, listed in the table of methods.c. It answers a single
 * question: the neighbours of rows first .. first + count - 1. Lists, sorting, threads and layout
 * are implemented once, in lists.c.
 * Read next: search.c (the lifetime of an rn_search), brute.c (the smallest method), hash.c,
 * grid.c. */
#ifndef RNI_SEARCH_METHOD_H
#define RNI_SEARCH_METHOD_H

#include "base/memory.h"
#include "base/parallel.h"
#include "search/rows.h"

#include <runnel/search.h>

/* Points as every method receives them: finite floats, x y (z), stride_bytes apart. Borrowed
 * during build. */
typedef struct rni_cloud {
    const unsigned char *position;
    size_t stride_bytes;
    uint32_t count;
    float low[3], high[3]; /* bounds; low > high when there are no points */
} rni_cloud;

/* The metric of the domain: radius and periodic axes. */
typedef struct rni_space {
    uint32_t dim;
    float radius, radius_sq;
    bool is_periodic; /* on any axis */
    bool periodic[3];
    float low[3], period[3], half_period[3]; /* infinite periods where an axis is not periodic */
} rni_space;

static inline void rni_cloud_at(const rni_cloud *cloud, uint32_t dim, uint32_t i, float out[3])
{
    const float *position = (const float *)(const void *)(cloud->position + i * cloud->stride_bytes);
    out[0] = position[0];
    out[1] = position[1];
    out[2] = dim == 3 ? position[2] : 0.0f;
}

/* The difference to the nearest image along one axis. Swapping the two points negates it
 * exactly. */
static inline float rni_fold(float d, float half_period, float period)
{
    if (d > half_period) d -= period;
    if (d < -half_period) d += period;
    return d;
}

/* Upper bound of the distance along an axis between two points whose float distance is within
 * the radius. Folding rounds to the spacing of floats near the period, which on a long axis is
 * far more than a fraction of the radius. Cells and skins must be wider than this. */
static inline double rni_reach(const rni_space *space, int axis)
{
    double fold = space->periodic[axis] ? (double)space->period[axis] * 0x1p-22 : 0.0;
    return (double)space->radius * (1.0 + 1e-6) + fold;
}

/* The only distance used by the search: float, this order of operations, no contraction (see the
 * build flags). A pair counts when the result is <= radius_sq. Vector versions perform the same
 * operations in the same order, lane by lane. */
static inline float rni_distance_sq(const rni_space *space, const float a[3], const float b[3])
{
    float dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    if (space->is_periodic) {
        dx = rni_fold(dx, space->half_period[0], space->period[0]);
        dy = rni_fold(dy, space->half_period[1], space->period[1]);
        dz = rni_fold(dz, space->half_period[2], space->period[2]);
    }
    return (dx * dx + dy * dy) + dz * dz;
}

/* Set number of the query points, after the caller's sets. */
#define RNI_QUERIES RN_SEARCH_MAX_SETS

/* Which points within the radius are excluded. */
typedef enum rni_leave_out {
    RNI_LEAVE_NONE,   /* different sets, or queries */
    RNI_LEAVE_SELF,   /* the same set: excludes the point itself */
    RNI_LEAVE_SMALLER /* half lists: keeps only larger indices */
} rni_leave_out;

typedef struct rni_find {
    uint32_t set, searched; /* set may be RNI_QUERIES */
    rni_want want;
    rni_leave_out leave_out;
} rni_find;

/* The environment of a method; outlives the method's state. */
typedef struct rni_search_env {
    rni_memory *memory;
    rni_crew *crew;
    rni_arena *arena;      /* reset after each build */
    rni_space space;       /* of the current build */
    const float *radii_sq; /* rn_search_update_radii: by index in set 0; otherwise NULL */
    rn_cpu_level cpu;
    const rn_search_def *def;
    rn_search_stats *stats;
} rni_search_env;

/* The squared radius that applies to a row: that of point i of the searching set. */
static inline float rni_row_radius_sq(const rni_search_env *env, const rni_find *find, uint32_t i)
{
    return env->radii_sq && find->set != RNI_QUERIES ? env->radii_sq[i] : env->space.radius_sq;
}

typedef struct rni_method {
    rn_search_method_info info;
    /* def.as_published selects the published form, on one thread; other methods ignore it. */
    bool has_published_form;
    rn_result (*create)(rni_search_env *env, void **state);
    void (*destroy)(void *state); /* NULL is allowed */
    /* Reads the new points of all sets; env->space may have changed since the last build. */
    rn_result (*build)(void *state, const rni_cloud *sets, uint32_t set_count);
    /* Reads query points as set RNI_QUERIES. Calls of find for them come before the next build
     * or place. */
    rn_result (*place)(void *state, const rni_cloud *queries);
    /* The order of the rows of a set: row k belongs to point order[k]. */
    const uint32_t *(*order)(const void *state, uint32_t set);
    /* Neighbours of rows first .. first + count - 1 (count <= RNI_BLOCK_ROWS), appended to rows
     * (see rows.h), with rows->counts[0 .. count - 1]. Called concurrently from several workers. */
    rn_result (*find)(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows);
} rni_method;

/* Memory limit of lists in bytes: def.memory_limit_bytes, or the machine's memory (lists.c). */
uint64_t rni_memory_limit(const rn_search_def *def);

/* The table of methods (methods.c). The default comes first. */
const rni_method *rni_method_at(uint32_t place);

extern const rni_method rni_method_auto;
extern const rni_method rni_method_brute;
extern const rni_method rni_method_hash;
extern const rni_method rni_method_cell_sort;
extern const rni_method rni_method_grid;
extern const rni_method rni_method_kdtree;
extern const rni_method rni_method_linear_kdtree;
extern const rni_method rni_method_hierarchical_hash;

#endif
