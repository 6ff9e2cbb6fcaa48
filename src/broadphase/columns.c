/* Method "layered-columns": combines layout, sort and hot loops. See columns.h. */
#include "broadphase/columns.h"

#include <assert.h>

rn_result rni_columns_open(columns *set, rni_box_env *env)
{
    uint32_t workers = rni_crew_size(env->crew);
    memset(set, 0, sizeof *set);
    set->env = env;
    set->scratch = rni_memory_take(env->memory, workers * sizeof *set->scratch);
    if (!set->scratch) return RN_ERROR_MEMORY;
    set->worker_count = workers;
    memset(set->scratch, 0, workers * sizeof *set->scratch);
    set->kernel = &rni_column_kernel_plain;
#ifdef RNI_X86
    if (env->cpu == RN_CPU_AVX2) set->kernel = &rni_column_kernel_avx2;
    if (env->cpu == RN_CPU_AVX512) set->kernel = &rni_column_kernel_avx512;
#endif
    return RN_OK;
}

void rni_columns_close(columns *set)
{
    rni_memory *memory = set->env->memory;
    rni_buffer_free(memory, &set->rows);
    rni_buffer_free(memory, &set->bounds);
    rni_buffer_free(memory, &set->start);
    rni_buffer_free(memory, &set->blocks);
    rni_buffer_free(memory, &set->column_of);
    for (uint32_t w = 0; w < set->worker_count; w++) rni_buffer_free(memory, &set->scratch[w]);
    rni_memory_give(memory, set->scratch, set->worker_count * sizeof *set->scratch);
}

static rn_result create(rni_box_env *env, void **state)
{
    columns *set = rni_memory_take(env->memory, sizeof *set);
    if (!set) return RN_ERROR_MEMORY;
    rn_result result = rni_columns_open(set, env);
    if (result == RN_OK) *state = set;
    else rni_memory_give(env->memory, set, sizeof *set);
    return result;
}

static void destroy(void *state)
{
    columns *set = state;
    if (!set) return;
    rni_memory *memory = set->env->memory;
    rni_columns_close(set);
    rni_memory_give(memory, set, sizeof *set);
}

static rn_result build(void *state, const rni_boxes *boxes)
{
    columns *set = state;
    set->count = 0;
    set->dim = boxes->dim;
    set->level_count = 0;
    set->task_count = 0;
    set->piece_count = 0;
    if (boxes->count == 0) return RN_OK;
    rn_result result = boxes->count <= RNI_COLUMNS_FEW ? rni_columns_lay_out_one(set, boxes)
                                                       : rni_columns_lay_out(set, boxes);
    if (result == RN_OK) result = rni_columns_sort(set, boxes);
    if (result != RN_OK) return result;
    assert(!rni_validate_columns(set, boxes->count));
    set->count = boxes->count;
    set->env->stats->element_count = boxes->count;
    set->env->stats->cell_count = set->column_count;
    set->env->stats->level_count = set->level_count;
    return RN_OK;
}

static uint32_t pair_pieces(const void *state)
{
    return ((const columns *)state)->piece_count;
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    (void)worker;
    const columns *set = state;
    uint32_t t = 0;
    while (t + 1 < set->task_count && set->tasks[t + 1].first_piece <= piece) t++;
    const column_task *task = &set->tasks[t];
    const column_level *source = &set->levels[task->source];
    uint32_t first = ((const uint32_t *)set->start.data)[source->first_column];
    uint32_t begin = (piece - task->first_piece) * task->share;
    uint32_t left = source->box_count - begin;
    uint32_t count = left < task->share ? left : task->share;
    return set->kernel->pairs(set, task, first + begin, first + begin + count, sink);
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    (void)worker;
    const columns *set = state;
    return set->kernel->query(set, queries, first, count, sink);
}

const rni_box_method rni_box_method_layered_columns = {
    .info = {RN_BROADPHASE_LAYERED_COLUMNS, "layered-columns",
             "size levels, each in columns sorted along x, tested one vector at a time", "Runnel",
             false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .pair_pieces = pair_pieces,
    .pairs = pairs,
    .query = query,
};
