/* runnel/search.h - fixed-radius neighbour search in 2D and 3D.
 *
 * Does:     reads the caller's own arrays (float or double, any stride, one or several point sets)
 *           and returns lists, half lists, counts, visits, queries and the k nearest points.
 *           Results are exact for every pair, and identical for any thread count and
 *           instruction set.
 * Does not: keep the caller's arrays (a call reads them and never afterwards), sort them, or need
 *           any other part of Runnel.
 * Smallest use:
 *     rn_search_def def = rn_search_def_default();
 *     def.radius = 0.1f;
 *     rn_search *search = NULL;
 *     if (rn_search_create(&def, &search) != RN_OK) return fail(rn_last_error());
 *     rn_points points = {xyz, sizeof(float[3]), count, RN_SCALAR_FLOAT};
 *     if (rn_search_update(search, points) != RN_OK) return fail(rn_last_error());
 *     rn_neighbors n = rn_search_get_neighbors(search);
 *     for (uint32_t i = 0; i < n.count; i++) {
 *         rn_list list = rn_neighbors_get_list(&n, i);
 *         for (uint32_t k = 0; k < list.count; k++) use(i, list.index[k]);
 *     }
 *     rn_search_destroy(search);
 *
 * Two points are neighbours when, with all operations in float and in this order,
 *     dx = x_i - x_j, dy = ..., dz = ...;   (dx*dx + dy*dy) + dz*dz <= radius*radius
 * A pair at exactly the radius therefore counts. A point is never its own neighbour; two points at
 * the same position are neighbours of each other. Calls on one search must not overlap in time,
 * unless a function says otherwise.
 * */
#ifndef RUNNEL_SEARCH_H
#define RUNNEL_SEARCH_H

#include <runnel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RN_SEARCH_MAX_SETS 8u

typedef struct rn_search rn_search;

/* The search algorithm. The enum values never change; rn_search_get_method_info() lists names
 * and summaries. */
typedef enum rn_search_method {
    RN_SEARCH_DEFAULT = 0, /* the production method, today RN_SEARCH_GRID */
    RN_SEARCH_BRUTE = 1,
    RN_SEARCH_HASH = 2,
    RN_SEARCH_GRID = 3,
    RN_SEARCH_AUTO = 4,
    RN_SEARCH_HIERARCHICAL_HASH = 5,
    RN_SEARCH_CELL_SORT = 6,
    RN_SEARCH_KDTREE = 7,
    RN_SEARCH_LINEAR_KDTREE = 8
} rn_search_method;

typedef enum rn_scalar { RN_SCALAR_FLOAT = 0, RN_SCALAR_DOUBLE = 1 } rn_scalar;

/* A borrowed array of positions: count records, stride_bytes apart, each starting with x, y (and
 * z in 3D). Double positions are re-based to the centre of most points before they are rounded
 * to float. A point far from the origin therefore keeps its precision, as long as float can
 * resolve its distance to the other points. */
typedef struct rn_points {
    const void *position;
    size_t stride_bytes; /* 0 means packed: dim scalars per point */
    uint32_t count;
    rn_scalar scalar;
} rn_points;

/* What an update computes. */
typedef enum rn_lists {
    RN_LISTS_FULL = 0,   /* j is in the list of i and i in the list of j */
    RN_LISTS_HALF = 1,   /* each pair once: in the list of the smaller index */
    RN_LISTS_COUNTS = 2, /* neighbour counts only, no lists */
    RN_LISTS_NONE = 3 /* nothing: for rn_search_visit, rn_search_query and rn_search_find_nearest */
} rn_lists;

/* The order inside a list. Either order depends only on the points and the method, never on
 * threads. */
typedef enum rn_list_order {
    RN_ORDER_METHOD = 0, /* the order in which the method finds neighbours: the fastest */
    RN_ORDER_INDEX = 1   /* ascending index: all methods return the same bytes */
} rn_list_order;

/* How lists are laid out in memory. */
typedef enum rn_list_layout {
    /* The fastest: lists are placed wherever memory is free, mostly along the method's spatial
     * order, and span[i] gives the location. With several threads the location of a list may
     * differ between runs; its contents do not. */
    RN_LAYOUT_SPAN = 0,
    RN_LAYOUT_CSR = 1 /* in point order, without gaps: start[i] .. start[i + 1] */
} rn_list_layout;

/* What to search and how. Start from rn_search_def_default() and change what you need. */
typedef struct rn_search_def {
    uint32_t struct_bytes; /* set by rn_search_def_default(); any other value is refused */
    uint32_t dim;          /* 2 or 3; default 3 */
    float radius;          /* in the caller's unit, not squared; 1e-18 to 1e18; no default */
    rn_search_method method;
    rn_lists lists;        /* default RN_LISTS_FULL */
    rn_list_order order;   /* default RN_ORDER_METHOD */
    rn_list_layout layout; /* default RN_LAYOUT_SPAN; with RN_ORDER_INDEX always RN_LAYOUT_CSR */

    /* Point sets: set a searches set b when bit b of searches[a] is set. Default: one set that
     * searches itself. */
    uint32_t set_count;
    uint32_t searches[RN_SEARCH_MAX_SETS];

    /* Periodic axes: positions are taken modulo period_high - period_low. The radius must be at
     * most half of each period. */
    bool periodic[3];
    double period_low[3];
    double period_high[3];

    /* Verlet skin, in the caller's unit; 0 (the default) turns it off. The search keeps
     * candidates within radius + skin and rebuilds only when some point has moved by half the
     * skin. Results stay exact. Implies RN_ORDER_INDEX. */
    float skin;

    uint32_t threads; /* 0: one per processor. With tasks.run: the number of tasks per job */
    rn_cpu_level cpu; /* default RN_CPU_AUTO; a level this machine lacks is refused */
    uint64_t memory_limit_bytes; /* lists above this limit are refused; 0: the machine's memory */
    rn_allocator allocator;      /* zero: the C library's allocator */
    rn_tasks tasks;              /* zero: an internal thread pool */

    /* Methods hash and hierarchical-hash: number of buckets; 0 (default): twice the number of
     * points, rounded up to a power of two. */
    uint32_t hash_table_length;
    /* Method hash: 27 (default; 9 cells in 2D), or 13: each pair is tested once, on one thread. */
    uint32_t hash_cells;
    /* Methods cell-sort and hash: cells are radius / h_mask wide, and cells outside the sphere
     * are skipped; 1 (default), 2 or 3. Not with hash_cells 13. */
    uint32_t h_mask;
    /* Method hierarchical-hash: a growing map instead of a table of hash_table_length. */
    bool unbounded_table;
    /* Methods hash, hierarchical-hash, cell-sort, kdtree and linear-kdtree: the published form
     * of the method, on one thread regardless of `threads`. Other methods ignore this field. */
    bool as_published;
} rn_search_def;

RN_API rn_search_def rn_search_def_default(void);

/* On failure *search is NULL and nothing leaks. */
RN_API rn_result rn_search_create(const rn_search_def *def, rn_search **search);
RN_API void rn_search_destroy(rn_search *search); /* NULL is allowed */

/* Reads the new positions of all sets and computes what def.lists asks for. Non-finite positions
 * are refused; the message names the set, the index and the value, and the results of the last
 * update remain valid. After running out of memory or exceeding a limit the results may be
 * empty, but they are never wrong. The search stays usable and can be updated again. */
RN_API rn_result rn_search_update(rn_search *search, rn_points points); /* for one set */
RN_API rn_result rn_search_update_sets(rn_search *search, const rn_points *sets, uint32_t set_count);

/* For one set whose points have individual radii: list i holds the points within radius[i] of
 * point i, so j may be in the list of i without i being in the list of j. Each radius is from
 * 1e-18 to def.radius; radius_stride_bytes 0 means packed. Visits and nearest-neighbour searches
 * use these radii until the next update; queries use def.radius. Not available with half lists
 * or a skin. Methods without support refuse with RN_ERROR_LIMIT (see info.takes_radii). */
RN_API rn_result rn_search_update_radii(rn_search *search, rn_points points, const float *radius,
                                        size_t radius_stride_bytes);

/* Changes the radius from the next update on, for parameters that change at run time. */
RN_API rn_result rn_search_set_radius(rn_search *search, float radius);

/* One list: count indices into the searched set. */
typedef struct rn_list {
    const uint32_t *index;
    uint32_t count;
} rn_list;

typedef struct rn_span {
    uint64_t begin, end; /* into index */
} rn_span;

/* The lists of all points of one set. Arrays belong to the search. */
typedef struct rn_neighbors {
    uint32_t count; /* number of lists: one per point of the searching set */
    /* entries in all lists; full lists of a set in itself hold each pair twice */
    uint64_t entry_count;
    const uint32_t *index; /* NULL with RN_LISTS_COUNTS */
    const rn_span *span;   /* RN_LAYOUT_SPAN: list i is at span[i].begin .. span[i].end - 1 */
    const uint64_t *start; /* RN_LAYOUT_CSR: list i is index[start[i]] .. index[start[i + 1] - 1] */
    const uint32_t *counts; /* RN_LISTS_COUNTS: neighbours of i */
} rn_neighbors;

/* List i, for any layout. i must be below n->count; with RN_LISTS_COUNTS the index is NULL. */
static inline rn_list rn_neighbors_get_list(const rn_neighbors *n, uint32_t i)
{
    rn_list list = {NULL, 0};
    if (n->span) {
        list.index = n->index + n->span[i].begin;
        list.count = (uint32_t)(n->span[i].end - n->span[i].begin);
    } else if (n->start) {
        list.index = n->index + n->start[i];
        list.count = (uint32_t)(n->start[i + 1] - n->start[i]);
    } else if (n->counts) {
        list.count = n->counts[i];
    }
    return list;
}

/* Results of the last update, valid until the next one. Empty (count 0) before the first, with
 * RN_LISTS_NONE, and for sets that do not search each other. May be called from any thread between
 * updates. */
RN_API rn_neighbors rn_search_get_neighbors(const rn_search *search); /* set 0 in set 0 */
RN_API rn_neighbors rn_search_get_neighbors_between(const rn_search *search, uint32_t set,
                                                    uint32_t searched);

/* All neighbours of one point. The arrays are valid during the call. */
typedef struct rn_batch {
    uint32_t point; /* of the searching set */
    uint32_t count;
    const uint32_t *index; /* into the searched set */
    const float *distance_sq;
    uint32_t worker; /* below the number of threads; unique among concurrent calls */
} rn_batch;

typedef void (*rn_visit_fn)(void *user, const rn_batch *batch);

/* Calls visit once for each point of set, including points without neighbours, concurrently from
 * several threads and without building lists. This function and all functions below accept any
 * two sets, regardless of def.searches; before the first update all sets are empty. The visit
 * honours def.order; with def.lists RN_LISTS_HALF each pair is visited once. */
RN_API rn_result rn_search_visit(rn_search *search, uint32_t set, uint32_t searched,
                                 rn_visit_fn visit, void *user);

/* Neighbours of arbitrary query points in set searched. A query may be at any position, and a
 * point at exactly the position of a query is found. Lists, order and layout follow the def,
 * except that the result is never half lists and never empty by RN_LISTS_NONE (RN_LISTS_COUNTS
 * gives counts). *result is valid until the next query or update. */
RN_API rn_result rn_search_query(rn_search *search, uint32_t searched, rn_points queries,
                                 rn_neighbors *result);

/* The k nearest points within the radius, nearest first, equal distances by index. Row i has
 * counts[i] <= k entries, starting at index[(size_t)i * k] and distance_sq[(size_t)i * k]. Use
 * the k of this struct: it is smaller than the requested k where the set has fewer points. The
 * arrays are valid until the next call of this function, query or update. */
typedef struct rn_nearest {
    uint32_t count; /* rows */
    uint32_t k;
    const uint32_t *counts;
    const uint32_t *index;
    const float *distance_sq;
} rn_nearest;

/* For every point of set in set searched (excluding the point itself), or, below, for arbitrary
 * query points. */
RN_API rn_result rn_search_find_nearest(rn_search *search, uint32_t set, uint32_t searched,
                                        uint32_t k, rn_nearest *result);
RN_API rn_result rn_search_query_nearest(rn_search *search, uint32_t searched, rn_points queries,
                                         uint32_t k, rn_nearest *result);

/* The method's spatial order of a set after the last update: order[k] is the index of the k-th
 * point along it. Reordering the caller's arrays by it (rn_permute) speeds up later updates and
 * the caller's own loops. Length: number of points of the set; NULL for an empty set. */
RN_API const uint32_t *rn_search_get_order(const rn_search *search, uint32_t set);

/* Statistics of the last update. Start from rn_search_stats_default(). */
typedef struct rn_search_stats {
    uint32_t struct_bytes; /* set by rn_search_stats_default() */
    rn_search_method method;
    rn_cpu_level cpu;
    uint32_t threads;
    uint64_t point_count;
    uint64_t entry_count;     /* entries in all lists, or the sum of all counts */
    double build_ms;          /* sorting and building the structure */
    double query_ms;          /* building lists or counts */
    uint64_t held_bytes;      /* all memory held by the search, including lists */
    uint64_t list_bytes;      /* the part of held_bytes in lists, spans, offsets and counts */
    uint64_t candidate_count; /* distance tests made; 0 where the method does not count them */
    /* candidates of other cells in the same hash bucket; 0 where not counted */
    uint64_t collision_count;
    uint64_t visited_count;   /* cells or nodes visited; 0 where not counted */
    uint64_t early_end_count; /* descents that ended because a cell had no children */
    uint64_t cell_count;      /* cells of the structure; 0 for methods without cells */
    bool is_sparse;           /* grid: the points are too spread out for a full table of cells */
    bool order_reused;        /* grid: points were stored by cell in memory and sorted as runs */
    bool skin_reused;         /* no rebuild: the candidates of the skin were sufficient */
    uint64_t rebuild_count;   /* builds since the search was created */
    char choice[160];         /* method auto: the chosen method and the reason; otherwise empty */
    /* In m: the spacing of the floating-point numbers that hold the coordinates, at the point
     * farthest from the origin. Where it is not far below the radius, rounding decides which
     * points are neighbours: store positions as doubles (RN_SCALAR_DOUBLE), or subtract an
     * offset before converting them to float. */
    double resolution;
} rn_search_stats;

RN_API rn_search_stats rn_search_stats_default(void);

/* Writes at most stats->struct_bytes bytes, so that later versions may append fields. Returns
 * RN_ERROR_ARGUMENT and leaves stats unchanged unless stats comes from
 * rn_search_stats_default(). */
RN_API rn_result rn_search_get_stats(const rn_search *search, rn_search_stats *stats);

/* The table of methods, the default first. NULL past the end. */
typedef struct rn_search_method_info {
    rn_search_method method;
    const char *name;    /* "grid" */
    const char *summary; /* one line */
    const char *source;  /* publication, or "Runnel" */
    bool takes_radii;    /* supports rn_search_update_radii */
} rn_search_method_info;

RN_API const rn_search_method_info *rn_search_get_method_info(uint32_t place);

/* Looks up a method by name; "default" is accepted. The RN_ERROR_ARGUMENT message lists the
 * names. */
RN_API rn_result rn_search_method_from_name(const char *name, rn_search_method *method);

#ifdef __cplusplus
}
#endif
#endif
