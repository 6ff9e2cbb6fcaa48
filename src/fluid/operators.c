#include "fluid/operators.h"

#include "base/error.h"
#include "fluid/phases.h"
#include "fluid/stages.h"

#include <string.h>

typedef struct operator_place {
    rn_fluid_operator_fn function; /* NULL: gone */
    void *user;
    rn_fluid_stage stage;
    uint32_t generation;
} operator_place;

typedef struct rni_operators {
    operator_place *places;
    uint32_t count;
    rni_buffer buffer;
} rni_operators;

rn_result rni_operators_create(rn_fluid *f)
{
    f->operators = rni_memory_take(&f->memory, sizeof *f->operators);
    if (!f->operators) return RN_ERROR_MEMORY;
    memset(f->operators, 0, sizeof *f->operators);
    return RN_OK;
}

void rni_operators_destroy(rn_fluid *f)
{
    rn_search_destroy(f->neighbor_search);
    f->neighbor_search = NULL;
    if (!f->operators) return;
    rni_buffer_free(&f->memory, &f->operators->buffer);
    rni_memory_give(&f->memory, f->operators, sizeof *f->operators);
    f->operators = NULL;
}

rn_result rn_fluid_add_operator(rn_fluid *f, rn_fluid_stage stage, rn_fluid_operator_fn function,
                                void *user, rn_fluid_id *id)
{
    rni_operators *o = f->operators;
    if (!function) return rni_fail(RN_ERROR_ARGUMENT, "the operator's function is NULL");
    if ((uint32_t)stage > RN_STAGE_END)
        return rni_fail(RN_ERROR_ARGUMENT, "stage is %u; there is no such stage", (unsigned)stage);
    uint32_t k = 0;
    while (k < o->count && o->places[k].function) k++;
    if (k == o->count) {
        rn_result result = rni_buffer_grow(&f->memory, &o->buffer, k + 1u, sizeof *o->places);
        if (result != RN_OK) return result;
        o->places = o->buffer.data;
        o->places[k].generation = 0;
        o->count++;
    }
    o->places[k] = (operator_place){function, user, stage, o->places[k].generation + 1};
    if (id) *id = (rn_fluid_id){k + 1, o->places[k].generation};
    return RN_OK;
}

rn_result rn_fluid_remove_operator(rn_fluid *f, rn_fluid_id id)
{
    rni_operators *o = f->operators;
    if (id.index < 1 || id.index > o->count || !o->places[id.index - 1].function ||
        o->places[id.index - 1].generation != id.generation)
        return rni_fail(RN_ERROR_ARGUMENT, "there is no operator %u (generation %u)", id.index,
                        id.generation);
    o->places[id.index - 1].function = NULL;
    return RN_OK;
}

static rn_result call(rn_fluid *f, const operator_place *place, float dt)
{
    rni_phases_publish(f);
    rn_fluid_particles view = rn_fluid_get_particles(f);
    f->is_in_operator = true;
    f->has_neighbors = false; /* the operator before may have moved particles */
    rn_result result = place->function(place->user, place->stage, f->time, dt, &view);
    f->is_in_operator = f->has_neighbors = false;
    return result;
}

rn_result rni_operators_call(rn_fluid *f, rn_fluid_stage stage, float dt)
{
    const rni_operators *o = f->operators;
    for (uint32_t k = 0; k < o->count; k++) {
        if (!o->places[k].function || o->places[k].stage != stage) continue;
        f->was_operated = true;
        if (stage == RN_STAGE_INTEGRATE)
            f->has_previous_density = false; /* it may move particles */
        const operator_place place = o->places[k];
        rn_result result = call(f, &place, dt);
        if (result != RN_OK)
            return rni_fail(result, "operator %u ended the step at stage %u", k + 1, (unsigned)stage);
    }
    return RN_OK;
}

/* --- neighbours
 * ----------------------------------------------------------------------------------- */

/* A search of its own, the same for both traversals: the fused one keeps no lists per particle, and
 * in the stages after the forces the lists of the step are those of other positions. */
static rn_result create_search(rn_fluid *f)
{
    rn_search_def def = rn_search_def_default();
    def.dim = f->def.dim;
    def.radius = f->derived.radius;
    def.method = f->def.search;
    def.order = RN_ORDER_INDEX;
    def.threads = f->def.threads;
    def.cpu = f->def.cpu;
    def.allocator = f->def.allocator;
    def.tasks = f->def.tasks;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        def.periodic[a] = f->def.periodic[a];
        def.period_low[a] = (double)f->def.domain_low[a];
        def.period_high[a] = (double)f->def.domain_high[a];
    }
    return rn_search_create(&def, &f->neighbor_search);
}

rn_result rn_fluid_get_neighbors(rn_fluid *f, rn_neighbors *neighbors)
{
    if (!neighbors) return rni_fail(RN_ERROR_ARGUMENT, "neighbors must not be NULL");
    rn_result result = f->neighbor_search ? RN_OK : create_search(f);
    if (result != RN_OK) return result;
    if (!f->has_neighbors) {
        const rn_points points = {f->now.position, sizeof(rni_record), f->now.count, RN_SCALAR_FLOAT};
        result = rn_search_update(f->neighbor_search, points);
        if (result != RN_OK) return result;
        f->has_neighbors = f->is_in_operator;
    }
    *neighbors = rn_search_get_neighbors(f->neighbor_search);
    return RN_OK;
}
