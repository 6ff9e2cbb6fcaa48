/* The list traversal: neighbour lists by any search method, one particle at a time. It is the reference for the
 * fused traversal, and runs a fluid on every search method. */
#include "fluid/pass_lists.h"

#include "fluid/passes.h"
#include "fluid/thin_walls.h"
#include "fluid/traversal.h"

#include <assert.h>

RNI_PASSES(RNI_PASS_DEFINE)

static rn_result create(rn_fluid *fluid)
{
    rni_lists_state *state = rni_memory_take(&fluid->memory, sizeof *state);
    if (!state) return RN_ERROR_MEMORY;
    memset(state, 0, sizeof *state);
    fluid->traversal_state = state;
    rn_search_def def = rn_search_def_default();
    def.dim = fluid->def.dim;
    def.radius = fluid->derived.radius;
    def.method = fluid->def.search;
    def.order = RN_ORDER_INDEX; /* so that all methods give the same bits */
    def.threads = fluid->def.threads;
    def.cpu = fluid->def.cpu;
    def.allocator = fluid->def.allocator;
    def.tasks = fluid->def.tasks;
    for (uint32_t a = 0; a < fluid->def.dim; a++) {
        def.periodic[a] = fluid->def.periodic[a];
        def.period_low[a] = (double)fluid->def.domain_low[a];
        def.period_high[a] = (double)fluid->def.domain_high[a];
    }
    return rn_search_create(&def, &state->search);
}

static void destroy(rn_fluid *fluid)
{
    rni_lists_state *state = fluid->traversal_state;
    if (!state) return;
    rn_search_destroy(state->search);
    rni_buffer_free(&fluid->memory, &state->seen_buffer);
    rni_buffer_free(&fluid->memory, &state->index_buffer);
    rni_records_free(fluid);
    rni_memory_give(&fluid->memory, state, sizeof *state);
    fluid->traversal_state = NULL;
}

static float reach(const rn_fluid *fluid)
{
    return fluid->derived.radius;
}

static rn_result search(rn_fluid *fluid)
{
    rni_lists_state *state = fluid->traversal_state;
    rn_points points = {fluid->now.position, sizeof(rni_record), fluid->now.count, RN_SCALAR_FLOAT};
    rn_result result = rni_records_need(fluid);
    if (result == RN_OK) result = rn_search_update(state->search, points);
    if (result == RN_OK) state->lists = rn_search_get_neighbors(state->search);
    return result;
}

static bool can_reuse(rn_fluid *fluid, float displacement)
{
    (void)fluid, (void)displacement;
    return false;
}

static rni_pass_loop loop_of(const rn_fluid *fluid)
{
    (void)fluid;
    return RNI_LOOP_LISTS;
}

static const char *check(const rn_fluid *fluid)
{
    for (uint32_t i = 0; i < fluid->now.count; i++) {
        const rn_list list = rni_list_of(fluid, i);
        for (uint32_t k = 0; k < list.count; k++) {
            if (list.index[k] >= fluid->now.count) return "a neighbour is no particle";
            if (list.index[k] == i) return "a particle is in its own list";
            if (k > 0 && list.index[k] <= list.index[k - 1]) return "a list does not ascend";
        }
    }
    return NULL;
}

/* Which of the images of j is the neighbour of i. */
static void image_of(const rn_fluid *fluid, uint32_t i, uint32_t j, float y[3])
{
    const float *x = fluid->now.position[i], *at = fluid->now.position[j];
    const rni_coefficients *c = &fluid->laws;
    for (uint32_t a = 0; a < 3; a++)
        y[a] = c->period[a] > 0
                   ? x[a] - rni_shortest(x[a] - at[a], c->period[a], c->inverse_period[a])
                   : at[a];
}

static void keep_seen(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid *fluid = data;
    const rni_lists_state *state = fluid->traversal_state;
    (void)piece;
    for (uint32_t i = begin; i < end; i++) {
        const rn_list all = rn_neighbors_get_list(&state->lists, i);
        if (!(fluid->walls->thin_distance[i] < INFINITY)) continue;
        uint32_t *to = (uint32_t *)(uintptr_t)state->seen[i].index, count = 0;
        rni_thin_near near;
        rni_thin_walls_near(fluid, fluid->now.position[i], &near);
        for (uint32_t k = 0; all.index && k < all.count; k++) {
            float y[3];
            image_of(fluid, i, all.index[k], y);
            if (!rni_are_parted(fluid, &near, i, all.index[k], y)) to[count++] = all.index[k];
        }
        state->seen[i].count = count;
    }
}

/* The lists of particles near thin walls are made anew; the others are those of the search. */
static rn_result part_lists(rn_fluid *fluid)
{
    rni_lists_state *state = fluid->traversal_state;
    const uint32_t count = fluid->now.count;
    state->seen = NULL;
    rn_result result = rni_thin_walls_look(fluid);
    const float *distance = fluid->walls->thin_distance;
    if (result != RN_OK || !distance) return result;
    result = rni_buffer_need(&fluid->memory, &state->seen_buffer, count + 1u, sizeof(rn_list));
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        if (distance[i] < INFINITY) total += rn_neighbors_get_list(&state->lists, i).count;
    if (result == RN_OK)
        result = rni_buffer_need(&fluid->memory, &state->index_buffer, total + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    state->seen = state->seen_buffer.data;
    uint32_t *next = state->index_buffer.data;
    for (uint32_t i = 0; i < count; i++) {
        const rn_list list = rn_neighbors_get_list(&state->lists, i);
        state->seen[i] = list.index ? list : (rn_list){0};
        if (!(distance[i] < INFINITY)) continue;
        state->seen[i].index = next;
        next += list.count;
    }
    rni_for_particles(fluid, keep_seen, fluid);
    return RN_OK;
}

static rn_result find(rn_fluid *fluid)
{
    const rn_result result = part_lists(fluid);
    if (result != RN_OK) return result;
    assert(!check(fluid));
    rni_records_renew(fluid);
    return RN_OK;
}

static rn_result density(rn_fluid *fluid)
{
    const rn_result result = find(fluid);
    if (result == RN_OK) rni_pass_run(fluid, &rni_pass_density, &(rni_pass_arrays){0});
    return result;
}

const rni_traversal rni_traversal_lists = {
    .create = create,
    .destroy = destroy,
    .reach = reach,
    .search = search,
    .can_reuse = can_reuse,
    .density = density,
    .find = find,
    .loop = loop_of,
    .piece_size = RNI_FLUID_PIECE,
    .check = check,
};
