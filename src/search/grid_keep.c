/* Method "grid": the last order kept, for points that have moved a little.
 *
 * The result is the same, bit by bit, as that of sorting anew: by cell, then by index. Points that
 * stayed in their cell stay in line; the few that changed it are sorted apart and merged in. Worth it
 * where the caller's memory follows the order of the cells, as after rn_permute: the points are then
 * read nearly in sequence. In random memory order sorting anew is faster, and is done. */
#include "search/grid_cells.h"

#include "base/error.h"
#include "base/sort.h"

#include <stdatomic.h>

#define SHARE          8192u /* places a piece */
#define MAX_MOVED      8u    /* one point in so many may change its cell */
#define SAMPLES        1024u /* places looked at to learn how the memory lies */
#define NEAR_IN_MEMORY 64u   /* points */

typedef struct keep_job {
    grid_set *set;
    const rni_cloud *cloud;
    cell_map map;
    uint32_t dim, cell_count, mover_limit;
    bool is_clipped;
    _Atomic uint32_t mover_count;
    uint64_t *movers;    /* new cell << 32 | index */
    uint32_t *left_cell; /* the old cell of each */
    const uint32_t *start, *id;
    uint32_t *new_start, *new_id;
    float *x, *y, *z;
} keep_job;

static bool is_coherent(const grid_set *set)
{
    uint32_t step = set->count / SAMPLES + 1, looked = 0, near = 0;
    for (uint32_t k = 0; k + 1 < set->count; k += step) {
        uint32_t a = set->id[k], b = set->id[k + 1];
        near += (a < b ? b - a : a - b) < NEAR_IN_MEMORY;
        looked++;
    }
    return 2 * near > looked;
}

static uint32_t cell_now(const keep_job *job, uint32_t i, float p[3])
{
    rni_cloud_at(job->cloud, job->dim, i, p);
    return job->is_clipped ? cell_of(&job->map, p, true) : cell_of(&job->map, p, false);
}

static void find_movers(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    keep_job *job = data;
    uint32_t begin = piece * SHARE;
    uint32_t end = job->set->count - begin < SHARE ? job->set->count : begin + SHARE;
    uint32_t cell = cell_of_point(job->start, job->cell_count, begin);
    for (uint32_t k = begin; k < end; k++) {
        float p[3];
        while (job->start[cell + 1] <= k) cell++;
        uint32_t i = job->id[k], now = cell_now(job, i, p);
        if (now == cell) continue;
        uint32_t at = atomic_fetch_add_explicit(&job->mover_count, 1, memory_order_relaxed);
        if (at >= job->mover_limit) return;
        job->movers[at] = (uint64_t)now << 32 | i;
        job->left_cell[at] = cell;
    }
}

/* First mover into this cell or a later one. */
static uint32_t first_mover(const keep_job *job, uint32_t cell)
{
    uint32_t low = 0, high = job->mover_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (job->movers[middle] >> 32 < cell) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void put(keep_job *job, uint32_t at, uint32_t i, const float p[3])
{
    job->x[at] = p[0];
    job->y[at] = p[1];
    job->z[at] = p[2];
    job->new_id[at] = i;
}

/* The cells that begin in this piece's places, with those who stayed and those who came. */
static void merge_cells(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    keep_job *job = data;
    uint32_t first = piece * SHARE;
    uint64_t past = (uint64_t)first + SHARE;
    uint32_t cell = piece == 0 ? 0 : cell_of_point(job->start, job->cell_count, first - 1) + 1;
    uint32_t mover = first_mover(job, cell);
    for (; cell < job->cell_count && (job->start[cell] < past || past >= job->set->count); cell++) {
        uint32_t to = job->new_start[cell];
        float p[3];
        for (uint32_t k = job->start[cell]; k < job->start[cell + 1]; k++) {
            uint32_t i = job->id[k];
            float here[3];
            if (cell_now(job, i, here) != cell) continue;
            uint64_t mine = (uint64_t)cell << 32 | i;
            for (; mover < job->mover_count && job->movers[mover] < mine; mover++) {
                (void)cell_now(job, (uint32_t)job->movers[mover], p);
                put(job, to++, (uint32_t)job->movers[mover], p);
            }
            put(job, to++, i, here);
        }
        for (; mover < job->mover_count && job->movers[mover] >> 32 == cell; mover++) {
            (void)cell_now(job, (uint32_t)job->movers[mover], p);
            put(job, to++, (uint32_t)job->movers[mover], p);
        }
    }
}

static rn_result take_room(keep_job *job, rni_arena *arena, uint64_t **key_room, uint32_t **room)
{
    job->movers = rni_arena_take(arena, job->mover_limit * sizeof *job->movers);
    job->left_cell = rni_arena_take(arena, job->mover_limit * sizeof *job->left_cell);
    *key_room = rni_arena_take(arena, job->mover_limit * sizeof **key_room);
    *room = rni_arena_take(arena, job->mover_limit * sizeof **room);
    return job->movers && job->left_cell && *key_room && *room ? RN_OK : RN_ERROR_MEMORY;
}

rn_result rni_grid_keep(grid *g, grid_set *set, const rni_cloud *cloud, bool *is_kept)
{
    rni_search_env *env = g->env;
    *is_kept = false;
    if (set->count != cloud->count || set->count < 2 || !is_coherent(set)) return RN_OK;
    keep_job job = {.set = set, .cloud = cloud, .dim = env->space.dim};
    job.map = cell_map_of(&g->shape, 0);
    job.cell_count = shape_cell_count(&g->shape);
    job.is_clipped = env->space.is_periodic;
    job.mover_limit = set->count / MAX_MOVED + 1;
    job.start = set->start.data;
    job.id = set->id;
    uint64_t *key_room;
    uint32_t *room;
    rn_result result = take_room(&job, env->arena, &key_room, &room);
    if (result != RN_OK) return result;
    uint32_t pieces = (set->count - 1) / SHARE + 1;
    rni_crew_pieces(env->crew, pieces, find_movers, &job);
    if (job.mover_count >= job.mover_limit) return RN_OK;
    result = rni_sort_u64(env->crew, env->arena, job.mover_count, job.movers, job.left_cell,
                          key_room, room);
    if (result != RN_OK) return result;

    grid_set next = *set; /* new arrays beside the old, then changed over */
    next.soa = g->spare_soa;
    next.start = g->spare_start;
    result =
        rni_buffer_need(env->memory, &next.start, (uint64_t)job.cell_count + 1, sizeof(uint32_t));
    g->spare_start = next.start;
    if (result != RN_OK) return result;
    result = rni_grid_set_room(g, &next, cloud->count);
    g->spare_soa = next.soa;
    if (result != RN_OK) return result;
    job.new_start = next.start.data;
    for (uint32_t c = 0; c < job.cell_count; c++)
        job.new_start[c] = job.start[c + 1] - job.start[c];
    for (uint32_t m = 0; m < job.mover_count; m++) {
        job.new_start[job.left_cell[m]]--;
        job.new_start[job.movers[m] >> 32]++;
    }
    uint32_t place = 0;
    for (uint32_t c = 0; c < job.cell_count; c++) {
        uint32_t count = job.new_start[c];
        job.new_start[c] = place;
        place += count;
    }
    job.new_start[job.cell_count] = place;
    job.x = next.x;
    job.y = next.y;
    job.z = next.z;
    job.new_id = next.id;
    rni_crew_pieces(env->crew, pieces, merge_cells, &job);
    g->spare_soa = set->soa;
    g->spare_start = set->start;
    *set = next;
    env->stats->cell_count += job.cell_count;
    *is_kept = true;
    return RN_OK;
}
