#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/outlets.h"

#include "base/error.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "solid/wall_mesh.h"

#include <math.h>

rn_fluid_outlet rn_fluid_outlet_default(void)
{
    return (rn_fluid_outlet){.struct_bytes = sizeof(rn_fluid_outlet)};
}

/* The inside of a shape, and the box around it. */
static rn_result take_shape(const rn_fluid *f, rni_outlet *outlet)
{
    rn_solid solid = *outlet->def.shape;
    solid.is_hollow = false;
    outlet->def.shape = NULL;
    outlet->has_shape = true;
    const rn_result result = rni_solid_place(&solid, f->def.dim, &outlet->shape);
    if (result != RN_OK) return result;
    if (!rni_solid_bounds(&outlet->shape, outlet->def.low, outlet->def.high))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "outlet: a %s has no end; take a box, a sphere, a cylinder or a closed mesh",
                        outlet->shape.kind->name);
    return RN_OK;
}

/* Gives up the mesh of an outlet. */
static void release(rni_outlet *outlet)
{
    if (outlet->has_shape && outlet->shape.def.mesh)
        rn_wall_mesh_destroy((rn_wall_mesh *)(uintptr_t)outlet->shape.def.mesh); /* our hold */
    outlet->has_shape = false;
}

void rni_outlets_destroy(rn_fluid *f)
{
    for (uint32_t k = 0; k < f->sources->outlet_count; k++) release(&f->sources->outlets[k]);
}

rn_result rn_fluid_add_outlet(rn_fluid *f, const rn_fluid_outlet *def, rn_fluid_id *id)
{
    rni_sources *s = f->sources;
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the outlet has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_outlet_default()",
                        def->struct_bytes, sizeof *def);
    rni_outlet outlet = {.def = *def, .generation = 1};
    if (def->shape) {
        const rn_result result = take_shape(f, &outlet);
        if (result != RN_OK) return result;
    }
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(outlet.def.low[a] < outlet.def.high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "outlet: low[%u] is %g, high[%u] %g; low must be below "
                            "high",
                            a, (double)outlet.def.low[a], a, (double)outlet.def.high[a]);
    rn_result result = rni_phases_check_number(f, "outlet", def->phase, true);
    if (result != RN_OK) return result;
    uint32_t k = 0;
    while (k < s->outlet_count && !s->outlets[k].is_gone) k++;
    if (k == s->outlet_count) {
        result = rni_buffer_grow(&f->memory, &s->outlet_buffer, k + 1u, sizeof outlet);
        if (result != RN_OK) return result;
        s->outlets = s->outlet_buffer.data;
        s->outlet_count++;
    } else {
        outlet.generation = s->outlets[k].generation + 1;
    }
    if (outlet.has_shape && outlet.shape.def.mesh) rni_wall_mesh_keep(outlet.shape.def.mesh);
    s->outlets[k] = outlet;
    if (id) *id = (rn_fluid_id){k + 1, outlet.generation};
    return RN_OK;
}

static rni_outlet *outlet_of(const rn_fluid *f, rn_fluid_id id)
{
    const rni_sources *s = f->sources;
    if (id.index < 1 || id.index > s->outlet_count) return NULL;
    rni_outlet *outlet = &s->outlets[id.index - 1];
    return outlet->is_gone || outlet->generation != id.generation ? NULL : outlet;
}

rn_result rn_fluid_remove_outlet(rn_fluid *f, rn_fluid_id id)
{
    rni_outlet *outlet = outlet_of(f, id);
    if (!outlet) return rni_no_such("outlet", id);
    release(outlet);
    outlet->is_gone = true;
    return RN_OK;
}

uint64_t rn_fluid_get_outlet_count(const rn_fluid *f, rn_fluid_id id)
{
    const rni_outlet *outlet = outlet_of(f, id);
    return outlet ? outlet->removed : 0;
}

static bool is_inside(const float x[3], const float low[3], const float high[3], uint32_t dim)
{
    for (uint32_t a = 0; a < dim; a++)
        if (!(x[a] >= low[a] && x[a] <= high[a])) return false;
    return true;
}

static bool is_in_outlet(const rn_fluid *f, const rni_outlet *outlet, const float x[3])
{
    float normal[3];
    return !outlet->is_gone && is_inside(x, outlet->def.low, outlet->def.high, f->def.dim) &&
           (!outlet->has_shape || rni_solid_distance(&outlet->shape, x, normal) <= 0);
}

/* Where a particle leaves. 0: nowhere; 1: past an open side; 2 + k: into outlet k. */
static uint32_t exit_of(const rn_fluid *f, uint32_t i)
{
    const float *x = f->now.position[i];
    const rni_sources *s = f->sources;
    for (uint32_t k = 0; k < s->outlet_count; k++)
        if (rni_is_of_phase(f, i, s->outlets[k].def.phase) && is_in_outlet(f, &s->outlets[k], x))
            return 2 + k;
    return !is_inside(x, f->def.domain_low, f->def.domain_high, f->def.dim);
}

/* How many particles of a piece are within bounds. */
static uint32_t count_inside(const rn_fluid *f, uint32_t begin, uint32_t end, const float low[3],
                             const float high[3])
{
    rni_v lowest = rni_v_set(-INFINITY), highest = rni_v_set(INFINITY);
    for (uint32_t a = 0; a < f->def.dim; a++) lowest[a] = low[a], highest[a] = high[a];
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        const rni_v x = rni_v_load(f->now.position[i]);
        count += (rni_v_bits((x >= lowest) & (x <= highest)) & 7u) == 7u;
    }
    return count;
}

/* Counts the particles of a piece that leave. */
static void mark_leavers(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid *f = data;
    const rni_sources *s = f->sources;
    uint32_t count = end - begin - count_inside(f, begin, end, f->def.domain_low, f->def.domain_high);
    for (uint32_t k = 0; k < s->outlet_count; k++)
        if (!s->outlets[k].is_gone)
            count += count_inside(f, begin, end, s->outlets[k].def.low, s->outlets[k].def.high);
    ((uint32_t *)s->leaver_buffer.data)[piece] = count;
}

rn_result rni_remove_leavers(rn_fluid *f, rn_fluid_report *report)
{
    rni_sources *s = f->sources;
    bool is_open = false;
    for (int a = 0; a < 3; a++) is_open = is_open || f->def.open[a][0] || f->def.open[a][1];
    if (s->outlet_count == 0 && !is_open) return RN_OK;
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    rn_result result = rni_buffer_need(&f->memory, &s->leaver_buffer, pieces + 1u, sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_for_particles(f, mark_leavers, f);
    const uint32_t *leavers = s->leaver_buffer.data;
    /* From the end: the particle that takes a free place has been checked already. */
    for (uint32_t piece = pieces; piece-- > 0;) {
        if (leavers[piece] == 0) continue;
        uint32_t begin = piece * RNI_FLUID_PIECE, end = begin + RNI_FLUID_PIECE;
        if (end > f->now.count) end = f->now.count;
        for (uint32_t i = end; i-- > begin;) {
            const uint32_t where = exit_of(f, i);
            if (where == 0) continue;
            if (where >= 2) s->outlets[where - 2].removed++;
            if (f->fluid_number) f->phase[f->fluid_number[i]].left++;
            rni_particle_remove(f, i);
            report->left++;
        }
    }
    return RN_OK;
}
