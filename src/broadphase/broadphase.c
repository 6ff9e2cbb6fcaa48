/* Life cycle of an rn_broadphase: create, update, destroy. Pairs are in pairs.c, queries in
 * hits.c. */
#include "broadphase/ingest.h"
#include "broadphase/phase.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/output.h"

rn_broadphase_def rn_broadphase_def_default(void)
{
    return (rn_broadphase_def){
        .struct_bytes = sizeof(rn_broadphase_def), .dim = 3, .kd_split = true, .kd_once = true};
}

static rn_result check_root(const rn_broadphase_def *def)
{
    uint32_t bits = 0;
    for (uint32_t axis = 0; axis < def->dim; axis++) {
        float low = def->kd_root_low[axis], high = def->kd_root_high[axis];
        if (!isfinite(low) || !isfinite(high) || low > high)
            return rni_fail(RN_ERROR_ARGUMENT,
                            "kd_root: %g to %g along %c is no interval of finite numbers",
                            (double)low, (double)high, "xyz"[axis]);
        if (def->kd_bits[axis] > 31)
            return rni_fail(RN_ERROR_ARGUMENT, "kd_bits[%u] is %u; at most 31", axis,
                            def->kd_bits[axis]);
        bits += def->kd_bits[axis];
    }
    if (bits > 58) return rni_fail(RN_ERROR_ARGUMENT, "kd_bits are %u together; at most 58", bits);
    return RN_OK;
}

static rn_result check_def(const rn_broadphase_def *def)
{
    if (def->struct_bytes != sizeof *def)
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "def.struct_bytes is %u instead of %zu; begin with rn_broadphase_def_default(), and with the "
            "header of the library that is loaded",
            def->struct_bytes, sizeof *def);
    if (def->dim != 2 && def->dim != 3)
        return rni_fail(RN_ERROR_ARGUMENT, "dim is %u; it must be 2 or 3", def->dim);
    if ((int)def->order < 0 || (int)def->order > (int)RN_PAIRS_SORTED)
        return rni_fail(RN_ERROR_ARGUMENT, "order is %d; it must be one of rn_pair_order",
                        (int)def->order);
    if (def->hash_table_length > 0x80000000u)
        return rni_fail(RN_ERROR_ARGUMENT, "hash_table_length is %u; at most %u",
                        def->hash_table_length, 0x80000000u);
    return check_root(def);
}

static rn_result open_sinks(rn_broadphase *phase)
{
    uint32_t workers = rni_crew_size(phase->crew);
    phase->pair_sinks = rni_memory_take(&phase->memory, workers * sizeof *phase->pair_sinks);
    phase->hit_sinks = rni_memory_take(&phase->memory, workers * sizeof *phase->hit_sinks);
    phase->worker_count = workers;
    if (phase->pair_sinks) memset(phase->pair_sinks, 0, workers * sizeof *phase->pair_sinks);
    if (phase->hit_sinks) memset(phase->hit_sinks, 0, workers * sizeof *phase->hit_sinks);
    return phase->pair_sinks && phase->hit_sinks ? RN_OK : RN_ERROR_MEMORY;
}

static rn_result open_phase(rn_broadphase *phase)
{
    rn_broadphase_def *def = &phase->def;
    rni_arena_init(&phase->arena, &phase->memory);
    rn_result result = rni_crew_create(&phase->memory, def->threads, &def->tasks, &phase->crew);
    if (result == RN_OK) result = open_sinks(phase);
    if (result != RN_OK) return result;
    phase->env = (rni_box_env){.memory = &phase->memory, .crew = phase->crew, .arena = &phase->arena};
    phase->env.def = def;
    phase->env.stats = &phase->stats;
    result = rni_cpu_choose(def->cpu, &phase->env.cpu);
    if (result == RN_OK) result = rni_box_method_find(def->method, &phase->method);
    if (result != RN_OK) return result;
    phase->stats.method = phase->method->info.method;
    phase->stats.cpu = phase->env.cpu;
    phase->stats.threads = phase->worker_count;
    return phase->method->create(&phase->env, &phase->state);
}

_Static_assert(offsetof(rn_broadphase, memory) == 0, "rni_memory_begin");

rn_result rn_broadphase_create(const rn_broadphase_def *def, rn_broadphase **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "phase must not be NULL");
    *out = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_broadphase), &object);
    if (result != RN_OK) return result;
    rn_broadphase *phase = object;
    phase->def = *def;
    result = open_phase(phase);
    if (result != RN_OK) {
        rn_broadphase_destroy(phase);
        return result;
    }
    *out = phase;
    return RN_OK;
}

void rn_broadphase_destroy(rn_broadphase *phase)
{
    if (!phase) return;
    rni_memory *memory = &phase->memory;
    if (phase->method) phase->method->destroy(phase->state);
    rni_crew_destroy(phase->crew);
    for (uint32_t w = 0; w < phase->worker_count; w++) {
        if (phase->pair_sinks) rni_buffer_free(memory, &phase->pair_sinks[w].buffer);
        if (phase->hit_sinks) rni_buffer_free(memory, &phase->hit_sinks[w].buffer);
    }
    rni_memory_give(memory, phase->pair_sinks, phase->worker_count * sizeof *phase->pair_sinks);
    rni_memory_give(memory, phase->hit_sinks, phase->worker_count * sizeof *phase->hit_sinks);
    rni_buffer *const buffers[] = {&phase->category,  &phase->mask,      &phase->parts,
                                   &phase->pairs,     &phase->hit_start, &phase->hit_index,
                                   &phase->row_start, &phase->row_list,  &phase->row_scratch};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_arena_free(&phase->arena);
    rni_memory_end(memory, sizeof *phase);
}

bool rni_results_fit(const rn_broadphase *phase, uint64_t more_bytes)
{
    uint64_t limit = phase->def.memory_limit_bytes;
    if (limit == 0) limit = rni_machine_bytes();
    return more_bytes <= limit && phase->memory.held_bytes <= limit - more_bytes;
}

rn_result rni_results_too_large(const rn_broadphase *phase, const char *what, uint64_t count)
{
    uint64_t limit = phase->def.memory_limit_bytes;
    if (limit == 0) limit = rni_machine_bytes();
    return rni_fail(
        RN_ERROR_LIMIT,
        "there are more than %llu %s and they take over %llu MB; count or visit them instead, or "
        "raise memory_limit_bytes",
        (unsigned long long)count, what, (unsigned long long)(limit >> 20));
}

/* --- update ------------------------------------------------------------------------------------ */

static void copy_stamps(const uint32_t *from, size_t stride, uint32_t otherwise, uint32_t count,
                        uint32_t *to)
{
    const unsigned char *bytes = (const unsigned char *)from;
    if (stride == 0) stride = sizeof *from;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = otherwise;
        if (from) memcpy(&to[i], bytes + i * stride, sizeof to[i]);
    }
}

static rn_result take_filter(rn_broadphase *phase, const rn_boxes *boxes)
{
    phase->has_filter = boxes->count > 0 && (boxes->category || boxes->mask);
    if (!phase->has_filter) return RN_OK;
    if (rni_buffer_need(&phase->memory, &phase->category, boxes->count, sizeof(uint32_t)) ||
        rni_buffer_need(&phase->memory, &phase->mask, boxes->count, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    copy_stamps(boxes->category, boxes->category_stride_bytes, 1, boxes->count, phase->category.data);
    copy_stamps(boxes->mask, boxes->mask_stride_bytes, UINT32_MAX, boxes->count, phase->mask.data);
    return RN_OK;
}

static void forget(rn_broadphase *phase)
{
    rn_broadphase_stats *stats = &phase->stats;
    *stats =
        (rn_broadphase_stats){.method = stats->method, .cpu = stats->cpu, .threads = stats->threads};
    phase->count = 0;
    phase->has_filter = false;
}

rn_result rn_broadphase_update(rn_broadphase *phase, const rn_boxes *boxes)
{
    if (!phase || !boxes) return rni_fail(RN_ERROR_ARGUMENT, "phase and boxes must not be NULL");
    double begin = rni_seconds();
    rni_boxes ours;
    rni_arena_reset(&phase->arena);
    rn_result result =
        rni_ingest_boxes(phase->crew, &phase->arena, phase->def.dim, boxes, "box", &ours);
    if (result != RN_OK) return result;
    double checked = rni_seconds();
    forget(phase);
    phase->stats.box_count = boxes->count;
    phase->stats.check_ms = 1e3 * (checked - begin);
    result = take_filter(phase, boxes);
    if (result == RN_OK) result = phase->method->build(phase->state, &ours);
    if (result != RN_OK) return result; /* the set is empty now, so the method is not called */
    phase->count = boxes->count;
    phase->stats.build_ms = 1e3 * (rni_seconds() - checked);
    return RN_OK;
}

rn_broadphase_stats rn_broadphase_stats_default(void)
{
    return (rn_broadphase_stats){.struct_bytes = sizeof(rn_broadphase_stats)};
}

rn_result rn_broadphase_get_stats(const rn_broadphase *phase, rn_broadphase_stats *stats)
{
    if (!phase || !stats) return rni_fail(RN_ERROR_ARGUMENT, "phase and stats must not be NULL");
    rn_result result = rni_output_check(stats, RNI_OUTPUT_BYTES(rn_broadphase_stats, choice),
                                        "rn_broadphase_stats");
    if (result != RN_OK) return result;
    rn_broadphase_stats full = phase->stats;
    full.held_bytes = phase->memory.held_bytes;
    full.result_bytes = phase->pairs.bytes + phase->hit_start.bytes + phase->hit_index.bytes;
    for (uint32_t w = 0; w < phase->worker_count; w++)
        full.result_bytes += phase->pair_sinks[w].buffer.bytes + phase->hit_sinks[w].buffer.bytes;
    rni_output_write(stats, &full, sizeof full);
    return RN_OK;
}
