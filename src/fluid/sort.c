/* Sort: every particle into the order of its cell. The only stage in which an index changes.
 *
 * Two steps (base/bucket_sort.h): keys into some hundred buckets of neighbouring cells, then
 * bucket by bucket into cells, and only there the sorted rows of the attribute table move, once. Both steps are
 * stable, so particles of a cell keep their order, for any number of threads. */
#define RNI_LANES 4
#include "base/lanes.h"

#include "base/bucket_sort.h"
#include "base/error.h"
#include "fluid/attributes.h"
#include "fluid/squares.h"
#include "fluid/traversal.h"

#include <math.h>
#include <string.h>

#define BUCKET_PARTICLES 1024u
/* For fewer particles a second thread costs more than it saves. */
#define SERIAL_COUNT 4096u

/* Cells along x are shorter than the radius by this factor: consecutive particles are then close to
 * each other, and the fused traversal handles them together. With 1 its lists are a seventh longer
 * in disordered fluid; more than 4 gains nothing. */
#define CELLS_PER_RADIUS 4.0

typedef struct bounds {
    float low[3], high[3], speed_sq;
} bounds;

typedef struct sort_job {
    rn_fluid *fluid;
    rni_sorted_array arrays[RNI_ROW_MAX]; /* to be permuted */
    uint32_t array_count;
    uint32_t *order; /* the index before of each particle; NULL: not wanted */
    rni_cells cells;
    rni_buckets buckets;
    uint32_t *key;
    rni_bucket_entry *entries;
    bounds *bounds; /* one a part */
} sort_job;

static void find_bounds(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->fluid->now.count, part, job->buckets.parts, &begin, &end);
    rni_record *position = job->fluid->now.position, *velocity = job->fluid->now.velocity;
    rni_v under = rni_v_set(-INFINITY), high = under, most = rni_v_set(0.0f);
    uint64_t i = begin;
    for (; end - i >= 4; i += 4) {
        for (uint32_t k = 0; k < 4; k++) {
            const rni_v x = rni_v_load(position[i + k]);
            under = rni_v_max(-x, under); /* in this order NaN is ignored */
            high = rni_v_max(x, high);
        }
        most = rni_v_max(rni_squares(velocity + i), most);
    }
    bounds b = {{-under[0], -under[1], -under[2]}, {high[0], high[1], high[2]}, 0};
    for (uint32_t k = 0; k < 4; k++) b.speed_sq = fmaxf(b.speed_sq, most[k]);
    for (; i < end; i++) {
        for (int a = 0; a < 3; a++) {
            b.low[a] = fminf(b.low[a], position[i][a]);
            b.high[a] = fmaxf(b.high[a], position[i][a]);
        }
        b.speed_sq = fmaxf(b.speed_sq, rni_square(velocity[i]));
    }
    job->bounds[part] = b;
}

/* Cells along one axis: at least `side` long, and slightly longer where floats are coarse. */
static void shape_axis(sort_job *job, int a, const bounds *b, double side)
{
    const rn_fluid_def *def = &job->fluid->def;
    rni_cells *cells = &job->cells;
    const bool is_periodic = (uint32_t)a < def->dim && def->periodic[a];
    double low = is_periodic ? (double)def->domain_low[a] : (double)b->low[a];
    double length = (is_periodic ? (double)def->domain_high[a] : (double)b->high[a]) - low;
    side *= 1.00001 + 5e-7 * length / side;
    double count = floor(length / side);
    if (!is_periodic) count += 1;
    if (count < 1) count = 1;
    if (is_periodic) side = length / count;
    cells->low[a] = (float)low;
    cells->side[a] = (float)side;
    cells->inverse_side[a] = (float)(1 / side);
    cells->cells[a] = (uint32_t)fmin(count, 4e9);
}

/* More cells cost more than they save. */
static double most_cells(const rn_fluid *fluid)
{
    return 4.0 * fluid->now.count + 4096.0;
}

/* Cells of at least `side` over a box, but coarser where there would be too many; returns how many. */
static double shape_cells(sort_job *job, const bounds *b, double side)
{
    const double most = most_cells(job->fluid);
    double per_side = CELLS_PER_RADIUS;
    for (;;) {
        shape_axis(job, 0, b, side / per_side);
        shape_axis(job, 1, b, side);
        shape_axis(job, 2, b, side);
        const uint32_t *cells = job->cells.cells;
        double count = (double)cells[0] * (double)cells[1] * (double)cells[2];
        if (count <= most) return count;
        if (per_side > 1) per_side /= 2;
        else side *= 1.3;
    }
}

/* Cells around all particles, and memory for as many as there will be when they fill the domain. */
static rn_result make_cells(sort_job *job)
{
    rn_fluid *fluid = job->fluid;
    bounds b = job->bounds[0], domain;
    for (uint32_t part = 1; part < job->buckets.parts; part++)
        b.speed_sq = fmaxf(b.speed_sq, job->bounds[part].speed_sq);
    fluid->fastest = rni_length(b.speed_sq);
    for (int a = 0; a < 3; a++) {
        for (uint32_t part = 1; part < job->buckets.parts; part++) {
            b.low[a] = fminf(b.low[a], job->bounds[part].low[a]);
            b.high[a] = fmaxf(b.high[a], job->bounds[part].high[a]);
        }
        domain.low[a] = fluid->def.domain_low[a];
        domain.high[a] = fluid->def.domain_high[a];
    }
    const double later = shape_cells(job, &domain, (double)fluid->derived.radius);
    const double now = shape_cells(job, &b, (double)fluid->traversal->reach(fluid));
    const uint64_t starts = (uint64_t)fmax(now, later) + 1 + RNI_FLUID_PADDING;
    job->cells.cell_count = (uint32_t)now;
    rn_result result =
        rni_buffer_need(&fluid->memory, &job->cells.start_buffer, starts, sizeof(uint32_t));
    fluid->cells.start_buffer = job->cells.start_buffer;
    job->cells.start = job->cells.start_buffer.data;
    return result;
}

/* Always in range, whatever x is. */
static inline uint32_t cell_along(const rni_cells *cells, int a, float x)
{
    float place = (x - cells->low[a]) * cells->inverse_side[a];
    float last = (float)(cells->cells[a] - 1);
    place = place > 0.0f ? place : 0.0f;
    return (uint32_t)(place < last ? place : last);
}

static inline uint32_t cell_of(const rni_cells *cells, const float x[3])
{
    uint32_t row = cell_along(cells, 2, x[2]) * cells->cells[1] + cell_along(cells, 1, x[1]);
    return row * cells->cells[0] + cell_along(cells, 0, x[0]);
}

uint32_t rni_cell_of(const rni_cells *cells, const float x[3])
{
    return cell_of(cells, x);
}

static void count_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->fluid->now.count, part, job->buckets.parts, &begin, &end);
    rni_record *position = job->fluid->now.position;
    const rni_cells cells = job->cells;
    uint32_t *key = job->key;
    for (uint64_t i = begin; i < end; i++) key[i] = cell_of(&cells, position[i]);
    rni_buckets_count(&job->buckets, part, key, begin, end);
}

static void fill_buckets(void *data, uint32_t part, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    uint64_t begin, end;
    rni_share(job->fluid->now.count, part, job->buckets.parts, &begin, &end);
    rni_buckets_fill(&job->buckets, part, job->key, begin, end, job->entries);
}

/* Entries of one array to their places, which the keys of the entries are by then. */
static void permute(const rni_sorted_array *array, const rni_bucket_entry *entries, uint32_t count)
{
    const char *from = array->from;
    char *to = array->to;
    const size_t bytes = array->element_bytes;
    if (bytes == 16) /* sizes that the compiler knows are one instruction each */
        for (uint32_t k = 0; k < count; k++)
            memcpy(to + (size_t)entries[k].key * 16, from + (size_t)entries[k].index * 16, 16);
    else if (bytes == 4)
        for (uint32_t k = 0; k < count; k++)
            memcpy(to + (size_t)entries[k].key * 4, from + (size_t)entries[k].index * 4, 4);
    else
        for (uint32_t k = 0; k < count; k++)
            memcpy(to + entries[k].key * bytes, from + entries[k].index * bytes, bytes);
}

static void sort_bucket(void *data, uint32_t bucket, uint32_t worker)
{
    (void)worker;
    sort_job *job = data;
    rni_bucket_entry *entries = job->entries;
    rni_bucket_sort(&job->buckets, bucket, entries, job->cells.start);
    const uint32_t begin = job->buckets.start[bucket], end = job->buckets.start[bucket + 1];
    for (uint32_t a = 0; a < job->array_count; a++)
        permute(&job->arrays[a], entries + begin, end - begin);
    if (job->order)
        for (uint32_t k = begin; k < end; k++) job->order[entries[k].key] = entries[k].index;
}

static rn_result take_scratch(sort_job *job)
{
    rn_fluid *fluid = job->fluid;
    const size_t count = fluid->now.count;
    rni_arena_reset(&fluid->arena);
    job->bounds = rni_arena_take(&fluid->arena, job->buckets.parts * sizeof *job->bounds);
    job->buckets.tally =
        rni_arena_take(&fluid->arena, job->buckets.parts * sizeof *job->buckets.tally);
    job->key = rni_arena_take(&fluid->arena, count * sizeof *job->key);
    job->entries = rni_arena_take(&fluid->arena, count * sizeof *job->entries);
    return job->bounds && job->buckets.tally && job->key && job->entries ? RN_OK : RN_ERROR_MEMORY;
}

rn_result rni_fluid_sort(rn_fluid *fluid, uint64_t unread, uint32_t *order)
{
    const uint32_t count = fluid->now.count;
    if (count == 0) return RN_OK;
    sort_job job = {.fluid = fluid, .cells = fluid->cells, .order = order};
    job.array_count = rni_attributes_sorted(fluid, unread, job.arrays);
    job.buckets.parts = count < SERIAL_COUNT ? 1 : rni_crew_size(fluid->crew);
    rn_result result = take_scratch(&job);
    if (result != RN_OK) return result;
    rni_crew_pieces(fluid->crew, job.buckets.parts, find_bounds, &job);
    result = make_cells(&job);
    if (result != RN_OK) return result;
    rni_buckets_choose(&job.buckets, count, BUCKET_PARTICLES, job.cells.cell_count);
    rni_crew_pieces(fluid->crew, job.buckets.parts, count_buckets, &job);
    rni_buckets_place(&job.buckets, job.buckets.tally, job.buckets.start, 0);
    rni_crew_pieces(fluid->crew, job.buckets.parts, fill_buckets, &job);
    rni_crew_pieces(fluid->crew, job.buckets.count, sort_bucket, &job);
    job.cells.start[0] = 0; /* where a cell ends the next begins */
    fluid->cells = job.cells;
    rni_attributes_exchange(fluid);
    return RN_OK;
}
