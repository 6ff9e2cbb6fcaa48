/* Method "grid": points into cell order, for a full table of cells.
 *
 * Two steps, so that random memory order costs little more than sorted: first into some hundred
 * buckets of neighbouring cells (as many open write streams as the cache holds), then bucket by
 * bucket into cells, inside the cache. A direct counting sort over all cells was tried first: its
 * scattered writes cost twice as much at 1,000,000 points. Both steps are stable, so equal cells
 * stay in ascending index, for any number of threads. */
#include "search/grid.h"

#include "base/error.h"

#include <string.h>

#define MAX_BUCKETS   512u
#define BUCKET_POINTS 2048u

typedef struct record {
    float x, y, z;
    uint32_t id;
} record;

typedef struct sort_job {
    grid *g;
    grid_set *set;
    const rni_cloud *cloud;
    uint32_t dim, parts, bucket_count, shift;
    float low[3], scale[3], top[3]; /* top: the last cell of an axis, with the pad */
    float pad;
    bool is_clipped;
    uint32_t stride_y, stride_z; /* cells */
    record *records;
    uint32_t *keys;
    uint32_t (*tally)[MAX_BUCKETS]; /* a row a part */
    uint32_t bucket_start[MAX_BUCKETS + 1];
} sort_job;

#define INLINE static inline __attribute__((always_inline))

/* Only query points lie outside and need the pad; points of a set are inside by choice of the
 * shape, periodic axes and their rounding at the upper face apart. */
INLINE uint32_t axis_cell(const sort_job *job, float position, int axis, bool is_clipped)
{
    float cell = (position - job->low[axis]) * job->scale[axis];
    if (is_clipped) {
        cell += job->pad;
        cell = cell > 0.0f ? cell : 0.0f;
        cell = cell < job->top[axis] ? cell : job->top[axis];
    }
    return (uint32_t)(int32_t)cell;
}

INLINE uint32_t cell_of(const sort_job *job, float x, float y, float z, bool is_clipped)
{
    return axis_cell(job, x, 0, is_clipped) + axis_cell(job, y, 1, is_clipped) * job->stride_y +
           axis_cell(job, z, 2, is_clipped) * job->stride_z;
}

INLINE void count_part(sort_job *job, uint32_t part, const uint32_t dim, const bool is_clipped)
{
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->parts, &begin, &end);
    uint32_t tally[MAX_BUCKETS] = {0};
    for (uint64_t i = begin; i < end; i++) {
        float p[3];
        rni_cloud_at(job->cloud, dim, (uint32_t)i, p);
        tally[cell_of(job, p[0], p[1], p[2], is_clipped) >> job->shift]++;
    }
    memcpy(job->tally[part], tally, sizeof tally);
}

INLINE void fill_part(sort_job *job, uint32_t part, const uint32_t dim, const bool is_clipped)
{
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->parts, &begin, &end);
    uint32_t place[MAX_BUCKETS];
    memcpy(place, job->tally[part], sizeof place);
    for (uint64_t i = begin; i < end; i++) {
        float p[3];
        rni_cloud_at(job->cloud, dim, (uint32_t)i, p);
        uint32_t to = place[cell_of(job, p[0], p[1], p[2], is_clipped) >> job->shift]++;
        job->records[to] = (record){p[0], p[1], p[2], (uint32_t)i};
    }
}

INLINE void sort_part(sort_job *job, uint32_t bucket, const bool is_clipped)
{
    grid_set *set = job->set;
    uint32_t first = bucket << job->shift;
    uint32_t cell_count = 1u << job->shift, all = job->stride_z * set->n[2];
    if (first >= all) return;
    if (cell_count > all - first) cell_count = all - first;
    uint32_t begin = job->bucket_start[bucket], end = job->bucket_start[bucket + 1];
    uint32_t *start = (uint32_t *)set->start.data + first;
    memset(start, 0, cell_count * sizeof *start);
    for (uint32_t k = begin; k < end; k++) {
        record r = job->records[k];
        uint32_t cell = cell_of(job, r.x, r.y, r.z, is_clipped) - first;
        job->keys[k] = cell;
        start[cell]++;
    }
    uint32_t place = begin;
    for (uint32_t cell = 0; cell < cell_count; cell++) {
        uint32_t count = start[cell];
        start[cell] = place;
        place += count;
    }
    for (uint32_t k = begin; k < end; k++) {
        record r = job->records[k];
        uint32_t to = start[job->keys[k]]++;
        set->x[to] = r.x;
        set->y[to] = r.y;
        set->z[to] = r.z;
        set->id[to] = r.id;
    }
    /* Each cell now says where it ends, which is where the next begins. */
    memmove(start + 1, start, (cell_count - 1) * sizeof *start);
    start[0] = begin;
}

/* The passes as pieces of a job; the common case, points of a set in 3D, has loops of its own. */
static void count_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    if (!job->is_clipped && job->dim == 3) count_part(job, part, 3, false);
    else count_part(job, part, job->dim, true);
}

static void fill_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    if (!job->is_clipped && job->dim == 3) fill_part(job, part, 3, false);
    else fill_part(job, part, job->dim, true);
}

static void sort_bucket(void *data, uint32_t bucket, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    if (!job->is_clipped && job->dim == 3) sort_part(job, bucket, false);
    else sort_part(job, bucket, true);
}

static void place_buckets(sort_job *job)
{
    uint32_t place = 0;
    for (uint32_t bucket = 0; bucket < job->bucket_count; bucket++) {
        job->bucket_start[bucket] = place;
        for (uint32_t part = 0; part < job->parts; part++) {
            uint32_t count = job->tally[part][bucket];
            job->tally[part][bucket] = place;
            place += count;
        }
    }
    job->bucket_start[job->bucket_count] = place;
}

static void choose_buckets(sort_job *job, uint64_t cell_count)
{
    uint32_t wanted = job->cloud->count / BUCKET_POINTS + 1;
    if (wanted > MAX_BUCKETS) wanted = MAX_BUCKETS;
    while ((cell_count - 1) >> job->shift >= wanted) job->shift++;
    job->bucket_count = (uint32_t)((cell_count - 1) >> job->shift) + 1;
}

rn_result rni_grid_sort(grid *g, grid_set *set, const rni_cloud *cloud, uint32_t pad)
{
    rni_search_env *env = g->env;
    uint64_t cell_count = 1;
    sort_job *job = rni_arena_take(env->arena, sizeof *job);
    if (!job) return RN_ERROR_MEMORY;
    *job = (sort_job){.g = g, .set = set, .cloud = cloud, .dim = env->space.dim, .pad = (float)pad};
    set->pad = pad;
    job->is_clipped = pad > 0 || env->space.is_periodic;
    for (int axis = 0; axis < 3; axis++) {
        set->n[axis] = g->shape.n[axis] + 2 * pad;
        cell_count *= set->n[axis];
        job->low[axis] = g->shape.low[axis];
        job->scale[axis] = g->shape.scale[axis];
        job->top[axis] = (float)(set->n[axis] - 1);
    }
    job->stride_y = set->n[0];
    job->stride_z = set->n[0] * set->n[1];
    job->parts = cloud->count < 2 * BUCKET_POINTS ? 1 : rni_crew_size(env->crew);
    choose_buckets(job, cell_count);
    rn_result result = rni_grid_set_room(g, set, cloud->count);
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &set->start, cell_count + 1, sizeof(uint32_t));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &g->records, cloud->count, sizeof(record));
    if (result == RN_OK)
        result = rni_buffer_need(env->memory, &g->keys, cloud->count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    job->tally = rni_arena_take(env->arena, job->parts * sizeof *job->tally);
    if (!job->tally) return RN_ERROR_MEMORY;
    job->records = g->records.data;
    job->keys = g->keys.data;
    rni_crew_pieces(env->crew, job->parts, count_buckets, job);
    place_buckets(job);
    rni_crew_pieces(env->crew, job->parts, fill_buckets, job);
    rni_crew_pieces(env->crew, job->bucket_count, sort_bucket, job);
    ((uint32_t *)set->start.data)[cell_count] = cloud->count;
    env->stats->cell_count += cell_count;
    return RN_OK;
}
