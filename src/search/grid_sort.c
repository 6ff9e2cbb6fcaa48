/* Method "grid": sorts points into cell order, for a full table of cells.
 *
 * There are two steps, so that random memory order costs little more than sorted order: first
 * into a few hundred buckets of neighbouring cells (as many write streams as the cache can
 * hold), then within each bucket into cells, inside the L1 cache. A direct counting sort over
 * all cells was tried first: its scattered writes cost twice as much at 1,000,000 points, and
 * still more at 32,768. Large sets move whole records through the buckets; for small sets, whose
 * points stay in the cache, only the point numbers move. Where consecutive points in memory
 * mostly share a cell, as after rn_permute, they move through the buckets as runs. (Keeping the
 * last order and merging the points that changed their cell took twice as long.) All steps are
 * stable, so equal cells stay in ascending index order, for any number of threads. */
#include "search/grid_cells.h"

#include "base/bucket_sort.h"
#include "base/error.h"
#include "base/validate.h"

#include <assert.h>
#include <string.h>

#ifdef RNI_X86
#include <emmintrin.h>
#endif

#define BUCKET_POINTS 2048u

typedef struct record {
    float x, y, z;
    uint32_t id;
} record;

typedef struct sort_job {
    grid_set *set;
    const rni_cloud *cloud;
    const grid_kernel *kernel;
    cell_map map;
    uint32_t dim;
    bool is_clipped;
    record *records;
    uint32_t *keys; /* the cells of the records; small sets: of all points */
    uint32_t *few;  /* small sets: point numbers, with the cell inside the bucket */
    rni_buckets buckets;
    uint32_t gap; /* unused entries between buckets in the intermediate array; see choose_gap */

    /* coherent points: in memory order, each part in its own region, and by bucket */
    uint32_t *run_cell, *run_begin, *run_count;
    grid_run *runs;
    rni_bucket_tally *point_tally;
    uint32_t point_start[RNI_MAX_BUCKETS + 1];
} sort_job;

/* Points whose cells are computed at once: they stay in the L1 cache. */
#define CHUNK 128u

/* The cells of the next points of a part. */
static uint32_t find_chunk(const sort_job *job, uint64_t at, uint64_t end, uint32_t cell[CHUNK])
{
    const rni_cloud *cloud = job->cloud;
    uint32_t count = end - at < CHUNK ? (uint32_t)(end - at) : CHUNK;
    job->kernel->cells(&job->map, cloud->position + at * cloud->stride_bytes, cloud->stride_bytes,
                       count, job->dim, job->is_clipped, cell);
    return count;
}

static void count_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    const uint32_t shift = job->buckets.shift;
    uint32_t tally[RNI_MAX_BUCKETS] = {0}, cell[CHUNK];
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const uint32_t count = find_chunk(job, i, end, cell);
        for (uint32_t k = 0; k < count; k++) tally[cell[k] >> shift]++;
    }
    memcpy(job->buckets.tally[part], tally, sizeof tally);
}

INLINE void put_record(record *to, const rni_cloud *cloud, uint32_t i, const uint32_t dim)
{
#ifdef RNI_X86
    /* One load and one store of 16 bytes: several stores to uncached lines fill the store queue
     * of the processor. After the last point there may be nothing to read. */
    if (dim == 3 && i + 1 < cloud->count) {
        const __m128i is_ours = _mm_setr_epi32(-1, -1, -1, 0);
        const unsigned char *at = cloud->position + i * cloud->stride_bytes;
        __m128i position = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i id = _mm_slli_si128(_mm_cvtsi32_si128((int)i), 12);
        _mm_storeu_si128((__m128i *)(void *)to, _mm_or_si128(_mm_and_si128(position, is_ours), id));
        return;
    }
#endif
    float p[3];
    rni_cloud_at(cloud, dim, i, p);
    *to = (record){p[0], p[1], p[2], i};
}

INLINE void fill_part(sort_job *job, uint32_t part, const uint32_t dim)
{
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    const rni_cloud cloud = *job->cloud;
    const uint32_t shift = job->buckets.shift;
    record *records = job->records;
    uint32_t place[RNI_MAX_BUCKETS], cell[CHUNK];
    memcpy(place, job->buckets.tally[part], sizeof place);
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const uint32_t count = find_chunk(job, i, end, cell);
        for (uint32_t k = 0; k < count; k++) {
            record *to = records + place[cell[k] >> shift]++;
            __builtin_prefetch(to + 8, 1); /* two lines ahead, where this bucket will continue */
            put_record(to, &cloud, (uint32_t)i + k, dim);
        }
    }
}

static void fill_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    if (job->dim == 3) fill_part(job, part, 3);
    else fill_part(job, part, 2);
}

static void sort_bucket(void *data, uint32_t bucket, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    const grid_set set = *job->set;
    const uint32_t first = bucket << job->buckets.shift,
                   cell_count = rni_bucket_key_count(&job->buckets, bucket);
    const uint32_t begin = job->buckets.start[bucket], end = job->buckets.start[bucket + 1];
    uint32_t *keys = job->keys;
    const record *records = job->records + bucket * job->gap;
    uint32_t *ends = (uint32_t *)set.start.data + 1;
    memset(ends + first, 0, cell_count * sizeof *ends);
    /* Cells are recomputed in each pass. Storing the cells saved a fifth of the sort at 32,768
     * points and cost a third at 1,000,000, where memory bandwidth is the limit. */
    for (uint32_t k = begin; k < end; k += 16) { /* the lines that will be written, in any order */
        __builtin_prefetch(set.x + k, 1);
        __builtin_prefetch(set.y + k, 1);
        __builtin_prefetch(set.z + k, 1);
        __builtin_prefetch(set.id + k, 1);
    }
    job->kernel->cells(&job->map, (const unsigned char *)(records + begin), sizeof *records,
                       end - begin, 3, job->is_clipped, keys + begin);
    for (uint32_t k = begin; k < end; k++) ends[keys[k]]++;
    rni_bucket_begin_keys(ends + first, cell_count, begin);
    /* Sorts the numbers inside the bucket first, then copies the records: one scattered write
     * per point, not four. */
    for (uint32_t k = begin; k < end; k++) set.id[ends[keys[k]]++] = k - begin;
    job->kernel->take((const unsigned char *)(records + begin), sizeof *records, end - begin, 3,
                      set.id, begin, end, set.x, set.y, set.z);
    for (uint32_t k = begin; k < end; k++) set.id[k] = records[begin + set.id[k]].id;
}

/* --- small sets: only the point numbers go through the buckets, with the cell in its bucket --- */

#define FEW_BITS        18u /* of the point number */
#define FEW             (1u << FEW_BITS)
#define FEW_BUCKET_BITS (32u - FEW_BITS) /* of the cell */

static void find_keys(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    uint32_t tally[RNI_MAX_BUCKETS] = {0};
    for (uint64_t i = begin; i < end; i += CHUNK) {
        uint32_t *cell = job->keys + i;
        const uint32_t count = find_chunk(job, i, end, cell);
        for (uint32_t k = 0; k < count; k++) tally[cell[k] >> job->buckets.shift]++;
    }
    memcpy(job->buckets.tally[part], tally, sizeof tally);
}

static void fill_few(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    const uint32_t shift = job->buckets.shift, in_bucket = (1u << shift) - 1, *keys = job->keys;
    uint32_t place[RNI_MAX_BUCKETS], *few = job->few;
    memcpy(place, job->buckets.tally[part], sizeof place);
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t cell = keys[i];
        few[place[cell >> shift]++] = (cell & in_bucket) << FEW_BITS | (uint32_t)i;
    }
}

static void take_points(const sort_job *job, uint32_t begin, uint32_t end)
{
    const rni_cloud *cloud = job->cloud;
    const grid_set *set = job->set;
    job->kernel->take(cloud->position, cloud->stride_bytes, cloud->count, job->dim, set->id, begin,
                      end, set->x, set->y, set->z);
}

static void sort_few_bucket(void *data, uint32_t bucket, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    const uint32_t first = bucket << job->buckets.shift,
                   cell_count = rni_bucket_key_count(&job->buckets, bucket);
    const uint32_t begin = job->buckets.start[bucket], end = job->buckets.start[bucket + 1];
    uint32_t *ends = (uint32_t *)job->set->start.data + first + 1;
    const uint32_t *few = job->few + bucket * job->gap;
    memset(ends, 0, cell_count * sizeof *ends);
    for (uint32_t k = begin; k < end; k++) ends[few[k] >> FEW_BITS]++;
    rni_bucket_begin_keys(ends, cell_count, begin);
    const grid_set *set = job->set;
    for (uint32_t k = begin; k < end; k++) set->id[ends[few[k] >> FEW_BITS]++] = few[k] & (FEW - 1);
    take_points(job, begin, end);
}

/* --- coherent points: consecutive points of one cell go through the buckets as a run ---------- */

static uint32_t *runs_of_part(const sort_job *job, uint32_t *of_all, uint32_t part)
{
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    return of_all + begin + (size_t)part * RNI_ROWS_SPILL;
}

static void find_runs(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->cloud->count, part, job->buckets.parts, &begin, &end);
    uint32_t *run_cell = runs_of_part(job, job->run_cell, part);
    uint32_t *run_begin = runs_of_part(job, job->run_begin, part);
    uint32_t cell[1 + CHUNK] = {UINT32_MAX}, run_count = 0;
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const uint32_t count = find_chunk(job, i, end, cell + 1);
        run_count += job->kernel->cut(cell + 1, count, (uint32_t)i, run_cell + run_count,
                                      run_begin + run_count);
        cell[0] = cell[count];
    }
    run_begin[run_count] = (uint32_t)end;
    uint32_t tally[RNI_MAX_BUCKETS] = {0}, points[RNI_MAX_BUCKETS] = {0};
    for (uint32_t k = 0; k < run_count; k++) {
        tally[run_cell[k] >> job->buckets.shift]++;
        points[run_cell[k] >> job->buckets.shift] += run_begin[k + 1] - run_begin[k];
    }
    memcpy(job->buckets.tally[part], tally, sizeof tally);
    memcpy(job->point_tally[part], points, sizeof points);
    job->run_count[part] = run_count;
}

static void fill_runs(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    const uint32_t *run_cell = runs_of_part(job, job->run_cell, part);
    const uint32_t *run_begin = runs_of_part(job, job->run_begin, part);
    uint32_t place[RNI_MAX_BUCKETS];
    memcpy(place, job->buckets.tally[part], sizeof place);
    for (uint32_t k = 0; k < job->run_count[part]; k++) {
        job->runs[place[run_cell[k] >> job->buckets.shift]++] =
            (grid_run){run_cell[k], run_begin[k], run_begin[k + 1] - run_begin[k]};
    }
}

static void sort_run_bucket(void *data, uint32_t bucket, uint32_t worker)
{
    (void)worker;
    const sort_job *job = data;
    const uint32_t first = bucket << job->buckets.shift,
                   cell_count = rni_bucket_key_count(&job->buckets, bucket);
    const uint32_t begin = job->point_start[bucket], end = job->point_start[bucket + 1];
    const grid_run *runs = job->runs + job->buckets.start[bucket];
    const uint32_t run_count = job->buckets.start[bucket + 1] - job->buckets.start[bucket];
    uint32_t *ends = (uint32_t *)job->set->start.data + 1;
    memset(ends + first, 0, cell_count * sizeof *ends);
    for (uint32_t k = 0; k < run_count; k++) ends[runs[k].cell] += runs[k].count;
    rni_bucket_begin_keys(ends + first, cell_count, begin);
    job->kernel->number(runs, run_count, ends, job->set->id);
    take_points(job, begin, end);
}

#define SAMPLES 256u

/* Whether runs are long: samples how many points share the cell of the next point. */
static bool is_coherent(const sort_job *job)
{
    const rni_cloud *cloud = job->cloud;
    if (cloud->count < 2 * BUCKET_POINTS) return false;
    const uint64_t step = (cloud->count - 2) / SAMPLES;
    uint32_t same = 0;
    for (uint32_t k = 0; k < SAMPLES; k++) {
        uint32_t cell[2];
        const unsigned char *at = cloud->position + k * step * cloud->stride_bytes;
        job->kernel->cells(&job->map, at, cloud->stride_bytes, 2, job->dim, job->is_clipped, cell);
        same += cell[0] == cell[1];
    }
    return same > SAMPLES / 2;
}

/* --- all sets --------------------------------------------------------------------------------- */

/* This many points stay in the cache of a worker: each worker looks up its points among all. */
#define MOST_FEW 196608u

/* Evenly spread points make buckets of equal length. Where that length is a power of two, all
 * buckets would continue in the same few sets of the cache, so a cache line is left unused
 * between them. Returns the number of entries needed. */
static uint64_t choose_gap(sort_job *job, size_t bytes)
{
    const uint32_t count = job->cloud->count;
    job->gap =
        /* otherwise positions would overflow */
        count < UINT32_MAX / 2 ? RNI_ALIGNMENT / (uint32_t)bytes : 0;
    return count + (uint64_t)job->buckets.count * job->gap;
}

static bool is_few(const sort_job *job)
{
    return job->cloud->count <= MOST_FEW && job->buckets.shift <= FEW_BUCKET_BITS;
}

static rn_result sort_few(grid *g, sort_job *job)
{
    rni_search_env *env = g->env;
    const uint64_t capacity = choose_gap(job, sizeof(uint32_t));
    rn_result result = rni_buffer_need(env->memory, &g->records, capacity, sizeof(uint32_t));
    if (result != RN_OK) return result;
    job->few = g->records.data;
    rni_crew_pieces(env->crew, job->buckets.parts, find_keys, job);
    rni_buckets_place(&job->buckets, job->buckets.tally, job->buckets.start, job->gap);
    rni_crew_pieces(env->crew, job->buckets.parts, fill_few, job);
    rni_crew_pieces(env->crew, job->buckets.count, sort_few_bucket, job);
    return RN_OK;
}

static rn_result sort_runs(grid *g, sort_job *job)
{
    rni_search_env *env = g->env;
    const uint64_t capacity = job->cloud->count + (uint64_t)job->buckets.parts * RNI_ROWS_SPILL;
    rn_result result = rni_buffer_need(env->memory, &g->records, 2 * capacity, sizeof(uint32_t));
    if (result != RN_OK) return result;
    job->run_cell = g->records.data;
    job->run_begin = job->run_cell + capacity;
    job->point_tally = rni_arena_take(env->arena, job->buckets.parts * sizeof *job->point_tally);
    job->run_count = rni_arena_take(env->arena, job->buckets.parts * sizeof *job->run_count);
    if (!job->point_tally || !job->run_count) return RN_ERROR_MEMORY;
    rni_crew_pieces(env->crew, job->buckets.parts, find_runs, job);
    rni_buckets_place(&job->buckets, job->point_tally, job->point_start, 0);
    rni_buckets_place(&job->buckets, job->buckets.tally, job->buckets.start, 0);
    /* the most runs that coherent points can have, so that later steps seldom allocate */
    uint32_t run_capacity = job->cloud->count / 2;
    if (run_capacity < job->buckets.start[job->buckets.count])
        run_capacity = job->buckets.start[job->buckets.count];
    result = rni_buffer_need(env->memory, &g->keys, run_capacity, sizeof(grid_run));
    if (result != RN_OK) return result;
    job->runs = g->keys.data;
    rni_crew_pieces(env->crew, job->buckets.parts, fill_runs, job);
    rni_crew_pieces(env->crew, job->buckets.count, sort_run_bucket, job);
    return RN_OK;
}

static rn_result sort_many(grid *g, sort_job *job)
{
    rni_search_env *env = g->env;
    const uint64_t capacity = choose_gap(job, sizeof(record));
    rn_result result = rni_buffer_need(env->memory, &g->records, capacity, sizeof(record));
    if (result != RN_OK) return result;
    job->records = g->records.data;
    rni_crew_pieces(env->crew, job->buckets.parts, count_buckets, job);
    rni_buckets_place(&job->buckets, job->buckets.tally, job->buckets.start, job->gap);
    rni_crew_pieces(env->crew, job->buckets.parts, fill_buckets, job);
    rni_crew_pieces(env->crew, job->buckets.count, sort_bucket, job);
    return RN_OK;
}

rn_result rni_grid_sort(grid *g, grid_set *set, const rni_cloud *cloud)
{
    rni_search_env *env = g->env;
    sort_job *job = rni_arena_take(env->arena, sizeof *job);
    if (!job) return RN_ERROR_MEMORY;
    *job = (sort_job){.set = set, .cloud = cloud, .kernel = g->kernel, .dim = env->space.dim};
    set->is_in_rows = false;
    set->pad = 0;
    job->is_clipped = env->space.is_periodic || g->shape.is_clipped;
    job->map = cell_map_of(&g->shape, 0);
    const uint64_t cell_count = shape_cell_count(&g->shape);
    const uint32_t count = cloud->count;
    job->buckets.parts = count < 2 * BUCKET_POINTS ? 1 : rni_crew_size(env->crew);
    rni_memory *memory = env->memory;
    rn_result result = rni_grid_set_need(g, set, count);
    if (result == RN_OK)
        result =
            rni_buffer_need(memory, &set->start, cell_count + 1 + RNI_ROWS_SPILL, sizeof(uint32_t));
    if (result == RN_OK) result = rni_buffer_need(memory, &g->keys, count, sizeof(uint32_t));
    if (result != RN_OK) return result;
    job->buckets.tally = rni_arena_take(env->arena, job->buckets.parts * sizeof *job->buckets.tally);
    if (!job->buckets.tally) return RN_ERROR_MEMORY;
    job->keys = g->keys.data;
    rni_buckets_choose(&job->buckets, count, BUCKET_POINTS, (uint32_t)cell_count);
    if (is_coherent(job)) {
        result = sort_runs(g, job);
        env->stats->order_reused = true;
    } else {
        result = is_few(job) ? sort_few(g, job) : sort_many(g, job);
    }
    if (result != RN_OK) return result;
    ((uint32_t *)set->start.data)[0] = 0;
    assert(!rni_validate_grid_set(g, set));
    env->stats->cell_count += cell_count;
    return RN_OK;
}

const char *rni_validate_grid_set(const grid *g, const grid_set *set)
{
    const uint32_t *start = set->start.data, cell_count = shape_cell_count(&g->shape);
    const cell_map map = cell_map_of(&g->shape, 0);
    const bool is_clipped = g->env->space.is_periodic || g->shape.is_clipped;
    const char *flaw = rni_validate_starts(start, cell_count, set->count);
    if (!flaw) flaw = rni_validate_permutation(set->id, set->count);
    for (uint32_t cell = 0; cell < cell_count && !flaw; cell++) {
        for (uint32_t k = start[cell]; k < start[cell + 1]; k++) {
            const float p[3] = {set->x[k], set->y[k], set->z[k]};
            if (cell_of(&map, p, is_clipped) != cell) return "a point is in the wrong cell";
            if (k > start[cell] && set->id[k - 1] > set->id[k])
                return "the points of a cell are not in ascending index order";
        }
    }
    return flaw;
}
