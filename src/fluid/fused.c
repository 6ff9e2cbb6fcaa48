#define RNI_LANES 4
#include "base/lanes.h"

#include "base/cpu.h"
#include "base/error.h"
#include "fluid/fused.h"

#include <math.h>
#include <string.h>

/* --- life ----------------------------------------------------------------------------------------- */

static const fused_kernel *kernel_of(rn_cpu_level cpu)
{
#ifdef RNI_X86
    if (cpu == RN_CPU_AVX512) return &rni_fused_avx512;
    if (cpu == RN_CPU_AVX2) return &rni_fused_avx2;
#endif
    (void)cpu;
    return &rni_fused_plain;
}

static void free_pieces(rni_memory *memory, fused_pieces *pieces)
{
    rni_buffer_free(memory, &pieces->numbers);
    rni_buffer_free(memory, &pieces->begins);
    rni_buffer_free(memory, &pieces->lengths);
}

/* Room for what is said of each piece. */
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
    for (uint32_t w = 0; s->rooms && w < s->worker_count; w++) {
        rni_buffer_free(memory, &s->rooms[w].candidates);
        rni_buffer_free(memory, &s->rooms[w].group);
        rni_buffer_free(memory, &s->rooms[w].list);
        rni_buffer_free(memory, &s->rooms[w].stage);
    }
    rni_memory_give(memory, s->rooms, s->worker_count * sizeof *s->rooms);
    rni_buffer_free(memory, &s->axes);
    rni_buffer_free(memory, &s->bodies);
    rni_buffer_free(memory, &s->surface);
    free_pieces(memory, &s->groups);
    free_pieces(memory, &s->lists);
    rni_memory_give(memory, s, sizeof *s);
    fluid->traversal_state = NULL;
}

static rn_result create(rn_fluid *fluid)
{
    fused_state *s = rni_memory_take(&fluid->memory, sizeof *s);
    if (!s) return RN_ERROR_MEMORY;
    *s = (fused_state){.fluid = fluid, .kernel = kernel_of(fluid->cpu)};
    s->worker_count = rni_crew_size(fluid->crew);
    fluid->traversal_state = s;
    s->rooms = rni_memory_take(&fluid->memory, s->worker_count * sizeof *s->rooms);
    if (!s->rooms) {
        destroy(fluid);
        return RN_ERROR_MEMORY;
    }
    memset(s->rooms, 0, s->worker_count * sizeof *s->rooms);
    return RN_OK;
}

/* --- copies of the particles in the shapes that the loops read ------------------------------------ */

static void run_copies(fused_state *s, rni_piece_fn copy)
{
    rni_crew_pieces(s->fluid->crew, rni_piece_count(s->fluid->now.count, RNI_FLUID_PIECE), copy, s);
}

static void share_of(const fused_state *s, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    const uint32_t count = s->fluid->now.count;
    *begin = piece * RNI_FLUID_PIECE;
    *end = count - *begin < RNI_FLUID_PIECE ? count : *begin + RNI_FLUID_PIECE;
}

static void copy_axes(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    fused_state *s = data;
    rni_record *position = s->fluid->now.position;
    float *x = s->x, *y = s->y, *z = s->z;
    uint32_t begin, end;
    share_of(s, piece, &begin, &end);
    for (uint32_t i = begin; i < end; i++) {
        x[i] = position[i][0];
        y[i] = position[i][1];
        z[i] = position[i][2];
    }
}

static void copy_bodies(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    fused_state *s = data;
    const rn_fluid *fluid = s->fluid;
    rni_record *position = fluid->now.position, *velocity = fluid->now.velocity;
    const float factor = fluid->laws.pressure;
    const rni_vm is_axis = {-1, -1, -1, 0};
    fused_body *bodies = s->bodies.data;
    uint32_t begin, end;
    share_of(s, piece, &begin, &end);
    for (uint32_t i = begin; i < end; i += 4) {
        const rni_v inverse = 1.0f / rni_v_load(fluid->density + i);
        const rni_v pressure = factor * rni_v_load(fluid->pressure + i) * inverse * inverse;
        for (uint32_t k = 0; k < 4 && i + k < end; k++) {
            const rni_v x = rni_v_load(position[i + k]), of_k = rni_v_set(inverse[k]);
            rni_v v = rni_v_where(is_axis, rni_v_load(velocity[i + k]));
            rni_v_hold(v); /* the fourth would be slow to multiply */
            rni_v_store(bodies[i + k], rni_v_select(is_axis, x, of_k));
            rni_v_store(bodies[i + k] + 4, rni_v_select(is_axis, of_k * v, rni_v_set(pressure[k])));
        }
    }
}

static void copy_surface(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    fused_state *s = data;
    const rn_fluid *fluid = s->fluid;
    rni_record *normal = fluid->normal, *surface = s->surface.data;
    const float curvature = fluid->laws.curvature, share = 1.0f / fluid->laws.twice_rest_density;
    const rni_vm is_axis = {-1, -1, -1, 0};
    uint32_t begin, end;
    share_of(s, piece, &begin, &end);
    for (uint32_t i = begin; i < end; i++) {
        const rni_v bend = curvature * rni_v_load(normal[i]);
        rni_v_store(surface[i], rni_v_select(is_axis, bend, rni_v_set(share * fluid->density[i])));
    }
}

/* --- search --------------------------------------------------------------------------------------- */

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

/* The same, of all that the domain has room for. */
static float rounding_of_domain(const rn_fluid *fluid)
{
    float largest = 0;
    for (uint32_t a = 0; a < fluid->def.dim; a++) {
        float low = fluid->def.domain_low[a], high = fluid->def.domain_high[a];
        largest = fmaxf(largest, fabsf(low) + (high - low));
    }
    return 4e-7f * (largest + 4.0f * fluid->laws.h);
}

/* As far as two particles may come nearer to each other until the middle of the step, if the step is
 * not much longer than the last one. Across a periodic side an image would become another one: there
 * every search is a new one. */
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
    const uint64_t room = (uint64_t)count + RNI_FLUID_PADDING;
    const uint32_t pieces = rni_piece_count(count, FUSED_PIECE);
    rn_result result = rni_buffer_need(memory, &s->axes, 3 * room, sizeof(float));
    if (result == RN_OK) result = rni_buffer_need(memory, &s->bodies, room, sizeof(fused_body));
    if (result == RN_OK) result = rni_buffer_need(memory, &s->surface, room, sizeof(rni_record));
    if (result == RN_OK) result = need_pieces(memory, &s->groups, pieces);
    if (result == RN_OK) result = need_pieces(memory, &s->lists, pieces);
    if (result != RN_OK) return result;
    s->x = s->axes.data;
    s->y = s->x + room;
    s->z = s->y + room;
    s->filling = is_periodic ? count | FUSED_NO_IMAGE << FUSED_IMAGE_SHIFT : 4 * count;
    s->reach = reach(fluid);
    s->rest_least = fluid->laws.h_sq - s->reach * s->reach;
    s->reach_slack = rounding_of(&fluid->cells);
    const float slack = s->reach - fluid->laws.h;
    s->keeps = !(slack > 0)                                ? FUSED_KEEPS_NOTHING
               : slack <= FUSED_SLACK_CALM * fluid->laws.h ? FUSED_KEEPS_LISTS
                                                           : FUSED_KEEPS_GROUPS;
    s->is_again = s->has_bodies = false;
    set_images(s);
    const fused_body away = {FUSED_FAR_AWAY, FUSED_FAR_AWAY, FUSED_FAR_AWAY, 0, 0, 0, 0, 0};
    const rni_record bare = {0, 0, 0, 1};
    for (uint32_t k = 0; k < FUSED_QUAD; k++) {
        memcpy(((fused_body *)s->bodies.data)[count + k], away, sizeof away);
        memcpy(((rni_record *)s->surface.data)[count + k], bare, sizeof bare);
    }
    run_copies(s, copy_axes);
    return RN_OK;
}

static bool stay(rn_fluid *fluid, float way)
{
    fused_state *s = fluid->traversal_state;
    s->is_again = s->keeps != FUSED_KEEPS_NOTHING &&
                  2.0f * way + 2.0f * s->reach_slack <= s->reach - fluid->laws.h;
    if (s->is_again) s->has_bodies = false;
    return s->is_again;
}

/* --- density, and the lists ----------------------------------------------------------------------- */

static void density_piece_of(void *data, uint32_t piece, uint32_t worker)
{
    fused_state *s = data;
    s->kernel->density(s, piece, worker);
}

static uint64_t with_slack(uint64_t need)
{
    return need + need / 8;
}

static rn_result size_rooms(fused_state *s)
{
    rni_memory *memory = &s->fluid->memory;
    const uint64_t stride = (uint64_t)s->candidate_capacity + FUSED_SPILL;
    rn_result result = RN_OK;
    for (uint32_t w = 0; w < s->worker_count && result == RN_OK; w++) {
        fused_room *room = &s->rooms[w];
        /* x, y, z (in blocks: and one more), and for each four and each turn at most two bytes */
        result = rni_buffer_need(memory, &room->candidates, 4 * stride + stride + 16, sizeof(float));
        if (result == RN_OK)
            result = rni_buffer_need(memory, &room->group, FUSED_HEAD + stride, sizeof(uint32_t));
        if (result == RN_OK)
            result = rni_buffer_need(memory, &room->list, FUSED_HEAD + 3 * stride, sizeof(uint32_t));
        if (result == RN_OK)
            result = rni_buffer_need(memory, &room->stage, 12 * ((uint64_t)s->stage_capacity + 4),
                                     sizeof(float));
    }
    if (result == RN_OK) result = need_numbers(memory, &s->groups);
    if (result == RN_OK) result = need_numbers(memory, &s->lists);
    return result;
}

/* Numbers that workers may leave unused count, too. */
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

/* Raises the capacities to what the last pass needed; says whether it had to. */
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
static void begin_pass(fused_state *s)
{
    if (!s->is_again) begin_pieces(&s->groups);
    begin_pieces(&s->lists);
    for (uint32_t w = 0; w < s->worker_count; w++)
        s->rooms[w].groups = s->rooms[w].lists = (fused_slab){NULL, 0};
    s->candidate_most = s->piece_most = s->entry_most = 0;
}

static rn_result density(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    const uint32_t pieces = rni_piece_count(fluid->now.count, FUSED_PIECE);
    for (int a = 0; a < 3; a++) fluid->now.position[fluid->now.count][a] = FUSED_FAR_AWAY;
    if (s->is_again && s->keeps == FUSED_KEEPS_LISTS) {
        rni_crew_pieces(fluid->crew, pieces, density_piece_of, s);
        return RN_OK;
    }
    if (s->candidate_capacity == 0) {
        s->candidate_capacity = 1024;
        s->stage_capacity = 256;
    }
    const uint64_t expected = 16 * (uint64_t)fluid->now.count;
    if (s->lists.capacity < expected) s->lists.capacity = with_slabs(s, expected);
    if (s->keeps == FUSED_KEEPS_GROUPS && s->groups.capacity < expected)
        s->groups.capacity = with_slabs(s, expected);
    for (;;) {
        rn_result result = size_rooms(s);
        if (result != RN_OK) return result;
        begin_pass(s);
        rni_crew_pieces(fluid->crew, pieces, density_piece_of, s);
        if (s->candidate_most > INT32_MAX || s->piece_most > INT32_MAX)
            return rni_fail(RN_ERROR_LIMIT,
                            "more than %d neighbours around one place; the particles "
                            "lie on each other",
                            INT32_MAX);
        const bool is_short = raise_capacities(s);
        const bool is_tight = s->entry_most > s->stage_capacity;
        if (is_tight) s->stage_capacity = (uint32_t)with_slack(s->entry_most);
        if (!is_short) return is_tight ? size_rooms(s) : RN_OK;
    }
}

/* --- normals and forces --------------------------------------------------------------------------- */

static void need_bodies(fused_state *s)
{
    if (!s->has_bodies) run_copies(s, copy_bodies);
    s->has_bodies = true;
}

static void normals_piece_of(void *data, uint32_t piece, uint32_t worker)
{
    fused_state *s = data;
    s->kernel->normals(s, piece, worker);
}

static void smooth_piece_of(void *data, uint32_t piece, uint32_t worker)
{
    fused_state *s = data;
    s->kernel->smooth(s, piece, worker);
}

static void forces_piece_of(void *data, uint32_t piece, uint32_t worker)
{
    fused_state *s = data;
    s->kernel->forces(s, piece, worker);
}

static void run_pieces(fused_state *s, rni_piece_fn work)
{
    rni_crew_pieces(s->fluid->crew, rni_piece_count(s->fluid->now.count, FUSED_PIECE), work, s);
}

static void normals(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    if (fluid->def.params.tension == RN_TENSION_NONE) return;
    need_bodies(s);
    run_pieces(s, normals_piece_of);
}

static void smooth(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    need_bodies(s);
    memset(fluid->normal[fluid->now.count], 0, sizeof(rni_record)); /* of the particle far away */
    run_pieces(s, smooth_piece_of);
}

static void forces(rn_fluid *fluid)
{
    fused_state *s = fluid->traversal_state;
    need_bodies(s);
    if (fluid->def.params.tension == RN_TENSION_AKINCI) run_copies(s, copy_surface);
    run_pieces(s, forces_piece_of);
}

const rni_traversal rni_traversal_fused = {"fused", create,  destroy, reach,  search,
                                           stay,    density, normals, smooth, forces};
