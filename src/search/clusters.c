#include "search/clusters.h"

#include <math.h>
#include <string.h>

rn_result rni_clusters_init(rni_clusters *clusters, rni_search_env *env)
{
    memset(clusters, 0, sizeof *clusters);
    clusters->env = env;
    clusters->kernel = rni_grid_kernel_for(env->cpu);
    uint32_t workers = rni_crew_size(env->crew);
    clusters->worker_buffers =
        rni_memory_take(env->memory, workers * sizeof *clusters->worker_buffers);
    if (!clusters->worker_buffers) return RN_ERROR_MEMORY;
    memset(clusters->worker_buffers, 0, workers * sizeof *clusters->worker_buffers);
    for (uint32_t w = 0; w < workers; w++) clusters->worker_buffers[w].memory = env->memory;
    return RN_OK;
}

void rni_clusters_free(rni_clusters *clusters)
{
    uint32_t workers = rni_crew_size(clusters->env->crew);
    for (uint32_t w = 0; clusters->worker_buffers && w < workers; w++) {
        rni_cluster_buffers *buffers = &clusters->worker_buffers[w];
        rni_buffer_free(buffers->memory, &buffers->ranges);
        for (int side = 0; side < 3; side++)
            rni_buffer_free(buffers->memory, &buffers->buffer[side]);
    }
    rni_memory_give(clusters->env->memory, clusters->worker_buffers,
                    workers * sizeof *clusters->worker_buffers);
}

rn_result rni_ordered_need(rni_memory *memory, rni_ordered *set, uint32_t count)
{
    uint64_t length = ((uint64_t)count + RNI_ROWS_SPILL + 15u) & ~(uint64_t)15u;
    set->count = 0;
    rn_result result = rni_buffer_need(memory, &set->soa, 4 * length, sizeof(float));
    if (result != RN_OK) return result;
    set->x = set->soa.data;
    set->y = set->x + length;
    set->z = set->y + length;
    set->id = (uint32_t *)(void *)(set->z + length);
    for (uint64_t k = count; k < length; k++) {
        set->x[k] = set->y[k] = set->z[k] = INFINITY;
        set->id[k] = UINT32_MAX;
    }
    set->points = (grid_points){set->x, set->y, set->z, set->id, NULL};
    set->count = count;
    return RN_OK;
}

rn_result rni_cluster_buffers_grow(rni_cluster_buffers *buffers)
{
    uint32_t capacity = buffers->range_capacity ? 2 * buffers->range_capacity : 256;
    rn_result result =
        rni_buffer_grow(buffers->memory, &buffers->ranges, capacity, sizeof(grid_range));
    if (result == RN_OK) buffers->range_capacity = capacity;
    return result;
}

/* The source of the candidates of a cluster: the ranges of the tree, or the candidates of its
 * group. */
typedef struct source {
    grid_points points;
    const grid_range *ranges;
    uint32_t range_count;
    uint64_t point_count;
} source;

/* Pipeline of clusters: each cluster is gathered before the previous one is tested (see grid.c). */
typedef struct pipeline {
    const rni_clusters *clusters;
    const rni_cluster_find *trees;
    const rni_find *find;
    rni_cluster_buffers *buffers;
    rni_rows *rows;
    uint32_t first; /* row */
    rni_gathered waiting;
    uint32_t side;
    bool is_waiting;
} pipeline;

#define GROUP_SIDE 2u

/* Copies the points of a source that may be near the box of c into a scratch buffer. */
static rn_result gather(pipeline *p, const source *from, const rni_cluster *c, uint32_t side,
                        uint32_t *candidates)
{
    const grid_kernel *kernel = p->clusters->kernel;
    grid_scratch *scratch = &p->buffers->scratch[side];
    rn_result result =
        rni_scratch_need(p->buffers->memory, &p->buffers->buffer[side], scratch, from->point_count);
    if (result != RN_OK) return result;
    p->rows->test_count += from->point_count;
    if (c->is_wrapped) {
        *candidates = kernel->gather_all(&from->points, from->ranges, from->range_count, scratch);
    } else {
        *candidates = kernel->gather(&from->points, from->ranges, from->range_count, c->low,
                                     c->high, p->clusters->env->space.radius_sq, scratch);
    }
    return RN_OK;
}

static rn_result emit(pipeline *p)
{
    return rni_gathered_emit(p->clusters->kernel, p->clusters->env, p->find,
                             &p->trees->from->points, &p->waiting,
                             &p->buffers->scratch[p->side ^ 1], &p->buffers->exact_clusters,
                             p->rows->counts + (p->waiting.begin - p->first), p->rows);
}

/* Gathers a cluster and tests the previous one. */
static rn_result add_cluster(pipeline *p, const source *from, const rni_cluster *c)
{
    uint32_t candidates = 0;
    rn_result result = gather(p, from, c, p->side, &candidates);
    p->rows->test_count += (uint64_t)candidates * (c->end - c->begin);
    if (result == RN_OK && p->is_waiting) result = emit(p);
    p->waiting =
        (rni_gathered){c->begin, c->end, candidates, c->is_wrapped, false, {.margin = 0.0f}};
    if (!c->is_wrapped)
        p->waiting.middle = rni_grid_middle_of(c->low, c->high, p->clusters->env->space.radius_sq);
    p->is_waiting = true;
    p->side ^= 1;
    return result;
}

static rn_result add_group(pipeline *p, rni_cluster *group)
{
    const rni_cluster_find *trees = p->trees;
    const grid_kernel *kernel = p->clusters->kernel;
    rni_cluster_buffers *buffers = p->buffers;
    kernel->bounds(&trees->from->points, group->begin, group->end, group->low, group->high);
    buffers->range_count = 0;
    buffers->nearby = 0;
    rn_result result = trees->collect(trees->to_tree, &p->clusters->env->space, group, buffers,
                                      &p->rows->visited_count);
    if (result != RN_OK) return result;
    source from = {trees->to->points, buffers->ranges.data, buffers->range_count, buffers->nearby};
    uint32_t end = trees->end_of(trees->from_tree, group->begin, false);
    if (end >= group->end) return add_cluster(p, &from, group); /* a group of one cluster */
    grid_range all = {0, 0};
    result = gather(p, &from, group, GROUP_SIDE, &all.end);
    const grid_scratch *scratch = &buffers->scratch[GROUP_SIDE];
    from =
        (source){{scratch->x, scratch->y, scratch->z, scratch->id, NULL}, &all, all.end > 0, all.end};
    rni_cluster c = {.begin = group->begin, .is_wrapped = group->is_wrapped};
    for (; c.begin < group->end && result == RN_OK; c.begin = c.end) {
        end = trees->end_of(trees->from_tree, c.begin, false);
        c.end = end < group->end ? end : group->end;
        kernel->bounds(&trees->from->points, c.begin, c.end, c.low, c.high);
        result = add_cluster(p, &from, &c);
    }
    return result;
}

rn_result rni_clusters_find(rni_clusters *clusters, const rni_cluster_find *trees,
                            const rni_find *find, uint32_t first, uint32_t count, uint32_t worker,
                            rni_rows *rows)
{
    pipeline p = {.clusters = clusters, .trees = trees, .find = find, .first = first, .rows = rows};
    p.buffers = &clusters->worker_buffers[worker];
    const uint32_t end = first + count;
    const bool is_single = clusters->env->def->as_published;
    rn_result result = RN_OK;
    for (uint32_t at = first; at < end && result == RN_OK;) {
        uint32_t group_end = is_single ? at + 1 : trees->end_of(trees->from_tree, at, true);
        rni_cluster group = {.begin = at, .end = group_end < end ? group_end : end};
        result = add_group(&p, &group);
        at = group.end;
    }
    return result == RN_OK && p.is_waiting ? emit(&p) : result;
}
