#include "fluid/fused.h"

#include "base/error.h"
#include "fluid/passes.h"
#include "fluid/thin_walls.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- create and destroy ---------------------------------------------------------------------------- */

static void choose_loops(fused_state *s, rn_cpu_level cpu)
{
    s->loop = RNI_LOOP_PLAIN;
    s->find = rni_fused_find_plain;
#ifdef RNI_X86
    if (cpu == RN_CPU_AVX512) s->loop = RNI_LOOP_AVX512, s->find = rni_fused_find_avx512;
    if (cpu == RN_CPU_AVX2) s->loop = RNI_LOOP_AVX2, s->find = rni_fused_find_avx2;
#endif
    (void)cpu;
}

static void free_pieces(rni_memory *memory, fused_pieces *pieces)
{
    rni_buffer_free(memory, &pieces->numbers);
    rni_buffer_free(memory, &pieces->begins);
    rni_buffer_free(memory, &pieces->lengths);
}

/* Memory for begin and length of each piece. */
static rn_result need_pieces(rni_memory *memory, fused_pieces *pieces, uint32_t count)
{
    rn_result result = rni_buffer_need(memory, &pieces->begins, count, sizeof *pieces->begin);
    if (result == RN_OK)
        result = rni_buffer_need(memory, &pieces->lengths, count, sizeof *pieces->length);
    pieces->begin = pieces->begins.data;
    pieces->length = pieces->lengths.data;
    return result;
}

static rn_result need_numbers(rni_memory *memory, fused_pieces *pieces)
{
    return rni_buffer_need(memory, &pieces->numbers, pieces->capacity, sizeof(uint32_t));
}

static void destroy(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    if (!s) return;
    rni_memory *memory = &fluid->memory;
    for (uint32_t w = 0; s->scratch && w < s->worker_count; w++) {
        rni_buffer_free(memory, &s->scratch[w].candidates);
        rni_buffer_free(memory, &s->scratch[w].group);
        rni_buffer_free(memory, &s->scratch[w].list);
        rni_buffer_free(memory, &s->scratch[w].stage);
        rni_buffer_free(memory, &s->scratch[w].seen);
    }
    rni_memory_give(memory, s->scratch, s->worker_count * sizeof *s->scratch);
    rni_buffer_free(memory, &s->axes);
    rni_records_free(fluid);
    free_pieces(memory, &s->groups);
    free_pieces(memory, &s->lists);
    rni_memory_give(memory, s, sizeof *s);
    fluid->traversal_state = NULL;
}

static rn_result create(rn_fluid *fluid)
{
    fused_state *s = rni_memory_take(&fluid->memory, sizeof *s);
    if (!s) return RN_ERROR_MEMORY;
    *s = (fused_state){.fluid = fluid};
    choose_loops(s, fluid->cpu);
    s->worker_count = rni_crew_size(fluid->crew);
    fluid->traversal_state = s;
    s->scratch = rni_memory_take(&fluid->memory, s->worker_count * sizeof *s->scratch);
    if (!s->scratch) {
        destroy(fluid);
        return RN_ERROR_MEMORY;
    }
    memset(s->scratch, 0, s->worker_count * sizeof *s->scratch);
    return RN_OK;
}

/* --- search --------------------------------------------------------------------------------------- */

static void copy_axes(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    fused_state *s = data;
    rni_record *position = s->fluid->now.position;
    float *x = s->x, *y = s->y, *z = s->z;
    const uint32_t count = s->fluid->now.count, begin = piece * RNI_FLUID_PIECE;
    const uint32_t end = count - begin < RNI_FLUID_PIECE ? count : begin + RNI_FLUID_PIECE;
    for (uint32_t i = begin; i < end; i++) {
        x[i] = position[i][0];
        y[i] = position[i][1];
        z[i] = position[i][2];
    }
}

static void set_images(fused_state *s)
{
    const float *period = s->fluid->laws.period;
    for (uint32_t k = 0; k < 27; k++) {
        const int shift[3] = {(int)(k % 3) - 1, (int)(k / 3 % 3) - 1, (int)(k / 9) - 1};
        for (int a = 0; a < 3; a++) s->image[k][a] = (float)shift[a] * period[a];
    }
}

/* The longest error of a sum of coordinates: a few units in the last place of the largest. */
static float rounding_of(const rni_cells *cells)
{
    float largest = 0;
    for (int a = 0; a < 3; a++) {
        float span = (float)(cells->cells[a] + 2) * cells->side[a];
        largest = fmaxf(largest, fabsf(cells->low[a]) + span);
    }
    return 4e-7f * largest;
}

static bool has_period(const rn_fluid *fluid)
{
    const float *period = fluid->laws.period;
    return period[0] > 0 || period[1] > 0 || period[2] > 0;
}

/* The same anywhere in the domain. */
static float rounding_of_domain(const rn_fluid *fluid)
{
    float largest = 0;
    for (uint32_t a = 0; a < fluid->def.dim; a++) {
        float low = fluid->def.domain_low[a], high = fluid->def.domain_high[a];
        largest = fmaxf(largest, fabsf(low) + (high - low));
    }
    return 4e-7f * (largest + 4.0f * fluid->laws.h);
}

/* The radius, and how much nearer two particles may come until the middle of the step, if the step is
 * not much longer than the last one. Never reused with periodic axes: a particle that crosses a side changes
 * its image. */
static float reach(const rn_fluid *fluid)
{
    const rn_fluid_params *p = &fluid->def.params;
    const float h = fluid->laws.h;
    if (has_period(fluid) || p->integrator != RN_INTEGRATOR_LEAPFROG) return h;
    float step = p->time_step > 0 ? p->time_step : 1.1f * fluid->last_dt;
    float slack = 1.01f * fluid->fastest * step + FUSED_SLACK_LEAST * h;
    slack += 2.0f * rounding_of_domain(fluid);
    return slack <= FUSED_SLACK_MOST * h ? h + slack : h;
}

static rn_result search(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    const uint32_t count = fluid->now.count;
    const bool is_periodic = has_period(fluid);
    const uint32_t most = (is_periodic ? FUSED_INDEX_MASK : UINT32_MAX / 4) - FUSED_QUAD;
    if (count > most)
        return rni_fail(RN_ERROR_LIMIT,
                        "%u particles%s; the fused traversal takes at most %u of them, the list traversal "
                        "takes more",
                        count, is_periodic ? " with periodic axes" : "", most);
    rni_memory *memory = &fluid->memory;
    const uint64_t padded = (uint64_t)count + RNI_FLUID_PADDING;
    const uint32_t pieces = rni_piece_count(count, FUSED_PIECE);
    rn_result result = rni_buffer_need(memory, &s->axes, 3 * padded, sizeof(float));
    if (result == RN_OK) result = rni_records_need(fluid);
    if (result == RN_OK) result = need_pieces(memory, &s->groups, pieces);
    if (result == RN_OK) result = need_pieces(memory, &s->lists, pieces);
    if (result != RN_OK) return result;
    s->x = s->axes.data;
    s->y = s->x + padded;
    s->z = s->y + padded;
    s->filler = is_periodic ? count | FUSED_NO_IMAGE << FUSED_IMAGE_SHIFT : 4 * count;
    s->reach = reach(fluid);
    s->support_least = fluid->laws.h_sq - s->reach * s->reach;
    s->reach_slack = rounding_of(&fluid->cells);
    const float slack = s->reach - fluid->laws.h;
    s->keeps = !(slack > 0)                                ? FUSED_KEEPS_NOTHING
               : slack <= FUSED_SLACK_CALM * fluid->laws.h ? FUSED_KEEPS_LISTS
                                                           : FUSED_KEEPS_GROUPS;
    s->is_reused = false;
    set_images(s);
    rni_crew_pieces(fluid->crew, rni_piece_count(count, RNI_FLUID_PIECE), copy_axes, s);
    return RN_OK;
}

static bool can_reuse(rn_fluid *fluid, float displacement)
{
    fused_state *s = fluid->traversal_state;
    s->is_reused = s->keeps != FUSED_KEEPS_NOTHING &&
                   2.0f * displacement + 2.0f * s->reach_slack <= s->reach - fluid->laws.h;
    return s->is_reused;
}

/* --- density, and the lists ----------------------------------------------------------------------- */

static void find_piece(void *data, uint32_t piece, uint32_t worker)
{
    fused_state *s = data;
    s->find(s, piece, worker);
}

static uint64_t with_slack(uint64_t need)
{
    return need + need / 8;
}

static rn_result size_scratch(fused_state *s)
{
    rni_memory *memory = &s->fluid->memory;
    const uint64_t stride = (uint64_t)s->candidate_capacity + FUSED_SPILL;
    rn_result result = RN_OK;
    for (uint32_t w = 0; w < s->worker_count && result == RN_OK; w++) {
        fused_scratch *scratch = &s->scratch[w];
        /* x, y, z (in blocks: and one more), and for each four and each batch at most two bytes */
        result =
            rni_buffer_need(memory, &scratch->candidates, 4 * stride + stride + 16, sizeof(float));
        if (result == RN_OK)
            result = rni_buffer_need(memory, &scratch->group, FUSED_HEAD + stride, sizeof(uint32_t));
        if (result == RN_OK)
            result =
                rni_buffer_need(memory, &scratch->list, FUSED_HEAD + 3 * stride, sizeof(uint32_t));
        if (result == RN_OK && s->fluid->walls->thin_distance)
            result = rni_buffer_need(memory, &scratch->seen, 4 * stride, sizeof(float));
        if (result == RN_OK)
            result = rni_buffer_need(memory, &scratch->stage,
                                     RNI_PASS_NUMBERS * ((uint64_t)s->stage_capacity + 4),
                                     sizeof(float));
    }
    if (result == RN_OK) result = need_numbers(memory, &s->groups);
    if (result == RN_OK) result = need_numbers(memory, &s->lists);
    return result;
}

/* Including the numbers that workers may leave unused. */
static uint64_t with_slabs(const fused_state *s, uint64_t need)
{
    return with_slack(need) + (uint64_t)s->worker_count * FUSED_SLAB;
}

static bool raise_pieces(const fused_state *s, fused_pieces *pieces)
{
    if (!pieces->is_short) return false;
    const uint64_t need = pieces->total > pieces->capacity ? pieces->total : pieces->capacity;
    pieces->capacity = with_slabs(s, need);
    return true;
}

/* Raises the capacities to what the last try needed; true when some were too small. */
static bool raise_capacities(fused_state *s)
{
    bool is_short = s->candidate_most > s->candidate_capacity;
    if (is_short) s->candidate_capacity = (uint32_t)with_slack(s->candidate_most);
    is_short |= raise_pieces(s, &s->groups);
    is_short |= raise_pieces(s, &s->lists);
    return is_short;
}

static void begin_pieces(fused_pieces *pieces)
{
    pieces->total = 0;
    pieces->is_short = false;
}

/* Nothing is written yet; what is kept of the evaluation before stays. */
static void begin_try(fused_state *s)
{
    if (!s->is_reused) begin_pieces(&s->groups);
    begin_pieces(&s->lists);
    for (uint32_t w = 0; w < s->worker_count; w++)
        s->scratch[w].groups = s->scratch[w].lists = (fused_slab){NULL, 0};
    s->candidate_most = s->piece_most = s->entry_most = 0;
}

static rn_result find_neighbors(rn_fluid *fluid, bool has_density)
{
    fused_state *s = fluid->traversal_state;
    const uint32_t pieces = rni_piece_count(fluid->now.count, FUSED_PIECE);
    for (int a = 0; a < 3; a++) fluid->now.position[fluid->now.count][a] = RNI_FAR_AWAY;
    rni_records_renew(fluid);
    s->has_density = has_density || s->keeps != FUSED_KEEPS_NOTHING;
    if (s->is_reused && s->keeps == FUSED_KEEPS_LISTS) {
        if (has_density) rni_pass_run(fluid, &rni_pass_density, &(rni_pass_arrays){0});
        return RN_OK;
    }
    if (s->candidate_capacity == 0) {
        s->candidate_capacity = 1024;
        s->stage_capacity = 256;
    }
    rn_result result = rni_thin_walls_look(fluid);
    if (result != RN_OK) return result;
    const uint64_t expected = 16 * (uint64_t)fluid->now.count;
    if (s->lists.capacity < expected) s->lists.capacity = with_slabs(s, expected);
    if (s->keeps == FUSED_KEEPS_GROUPS && s->groups.capacity < expected)
        s->groups.capacity = with_slabs(s, expected);
    for (;;) {
        result = size_scratch(s);
        if (result != RN_OK) return result;
        begin_try(s);
        rni_crew_pieces(fluid->crew, pieces, find_piece, s);
        if (s->candidate_most > INT32_MAX || s->piece_most > INT32_MAX)
            return rni_fail(RN_ERROR_LIMIT,
                            "more than %d neighbours around one place; the particles "
                            "lie on each other",
                            INT32_MAX);
        const bool is_short = raise_capacities(s);
        const bool is_tight = s->entry_most > s->stage_capacity;
        if (is_tight) s->stage_capacity = (uint32_t)with_slack(s->entry_most);
        if (is_short) continue;
        assert(!rni_fused_check(fluid));
        return is_tight ? size_scratch(s) : RN_OK;
    }
}

static rn_result density(rn_fluid *fluid)
{
    return find_neighbors(fluid, true);
}

static rn_result find(rn_fluid *fluid)
{
    return find_neighbors(fluid, false);
}

/* --- passes --------------------------------------------------------------------------------------- */

static rni_pass_loop loop_of(const rn_fluid *fluid)
{
    const fused_state *s = fluid->traversal_state;
    return s->loop;
}

const rni_traversal rni_traversal_fused = {
    .create = create,
    .destroy = destroy,
    .reach = reach,
    .search = search,
    .can_reuse = can_reuse,
    .density = density,
    .find = find,
    .loop = loop_of,
    .piece_size = FUSED_PIECE,
    .check = rni_fused_check,
};
