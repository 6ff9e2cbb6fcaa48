/* The fluid as an object: created, queried, changed, destroyed. */
#include "base/cpu.h"
#include "base/error.h"
#include "base/output.h"
#include "base/pi.h"
#include "fluid/attributes.h"
#include "fluid/derive.h"
#include "fluid/gauges.h"
#include "fluid/operators.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "fluid/rheology.h"
#include "fluid/scheme.h"
#include "fluid/sources.h"
#include "fluid/surface_tension.h"
#include "fluid/traversal.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

/* The attributes that a fluid with this definition has memory for. */
static uint64_t rows_of(const rn_fluid_def *def)
{
    const rni_row_number always[] = {RNI_ROW_POSITION, RNI_ROW_VELOCITY,   RNI_ROW_ACCELERATION,
                                     RNI_ROW_DENSITY,  RNI_ROW_PRESSURE,   RNI_ROW_NEIGHBOR_COUNT,
                                     RNI_ROW_ID_COPY,  RNI_ROW_BIRTH_COPY, RNI_ROW_WALL_SHARE};
    uint64_t rows = rni_scheme_of(def->scheme)->rows;
    for (uint32_t k = 0; k < sizeof always / sizeof *always; k++) rows |= RNI_ROW_BIT(always[k]);
    if (!rni_has_bare_walls(def))
        rows |= RNI_ROW_BIT(RNI_ROW_WALL_TOUCH) | RNI_ROW_BIT(RNI_ROW_WALL_CLEARANCE);
    if (!rni_has_bare_walls(def) && def->measure_loads) rows |= RNI_ROW_BIT(RNI_ROW_WALL_GIVEN);
    if (def->params.tension == RN_TENSION_AKINCI && rni_scheme_of(def->scheme)->keeps_density)
        rows |= RNI_ROW_BIT(RNI_ROW_COHESION);
    if (rni_has_surface_energy(&def->params))
        rows |= RNI_ROW_BIT(RNI_ROW_COHESION) | RNI_ROW_BIT(RNI_ROW_SURFACE);
    const bool has_normals = rni_has_surface_energy(&def->params)
                                 ? rni_has_phases(def)
                                 : def->params.tension != RN_TENSION_NONE;
    if (has_normals) rows |= RNI_ROW_BIT(RNI_ROW_NORMAL);
    if (has_normals && rni_has_surface_energy(&def->params)) rows |= RNI_ROW_BIT(RNI_ROW_INTERFACE);
    if (def->params.tension == RN_TENSION_AKINCI && def->params.smooth_normals)
        rows |= RNI_ROW_BIT(RNI_ROW_SMOOTHED_NORMAL);
    if (rni_has_phases(def))
        rows |= RNI_ROW_BIT(RNI_ROW_FLUID) | RNI_ROW_BIT(RNI_ROW_RATIO) |
                RNI_ROW_BIT(RNI_ROW_TRUE_DENSITY);
    if (rni_is_paste(def)) rows |= RNI_ROW_BIT(RNI_ROW_VISCOUS) | RNI_ROW_BIT(RNI_ROW_VISCOUS_WORK);
    if (rni_is_paste(def) && (rni_has_phases(def) || rni_has_laws(def)))
        rows |= RNI_ROW_BIT(RNI_ROW_VISCOSITY);
    return rows;
}

/* Parts whose creation may fail, in order; rn_fluid_destroy() frees those that exist. */
static rn_result create_parts(rn_fluid *f)
{
    rn_result r = rni_cpu_choose(f->def.cpu, &f->cpu);
    if (r == RN_OK) r = rni_crew_create(&f->memory, f->def.threads, &f->def.tasks, &f->crew);
    if (r == RN_OK) r = rni_walls_create(f);
    if (r == RN_OK) rni_surface_tension_prepare(f);
    if (r == RN_OK) rni_rheology_prepare(f);
    if (r == RN_OK) r = rni_sources_create(f);
    if (r == RN_OK) r = rni_operators_create(f);
    if (r != RN_OK) return r;
    f->traversal =
        f->def.traversal == RN_TRAVERSAL_LISTS ? &rni_traversal_lists : &rni_traversal_fused;
    f->scheme = rni_scheme_of(f->def.scheme);
    r = f->traversal->create(f);
    if (r == RN_OK) r = rni_attributes_need(f, rows_of(&f->def));
    return r == RN_OK ? rni_attributes_reserve(f, 1) : r;
}

_Static_assert(offsetof(rn_fluid, memory) == 0, "rni_memory_begin");

rn_result rn_fluid_create(const rn_fluid_def *def, rn_fluid **fluid)
{
    if (!fluid) return rni_fail(RN_ERROR_ARGUMENT, "fluid must not be NULL");
    *fluid = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = rni_fluid_check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_fluid), &object);
    if (result != RN_OK) return result;
    rn_fluid *f = object;
    f->def = *def;
    rni_phases_apply(&f->def);
    if (f->def.dim == 2) {
        f->def.params.gravity[2] = 0;
        f->def.domain_low[2] = f->def.domain_high[2] = 0;
        f->def.periodic[2] = f->def.open[2][0] = f->def.open[2][1] = false;
    }
    rni_arena_init(&f->arena, &f->memory);
    f->derived = rni_fluid_derive(&f->def);
    f->laws = rni_fluid_fold(&f->def, &f->derived);
    rni_phases_fold(f);
    result = rni_fluid_check_step(&f->def, &f->derived);
    if (result == RN_OK) result = create_parts(f);
    if (result != RN_OK) {
        rn_fluid_destroy(f);
        return result;
    }
    *fluid = f;
    return RN_OK;
}

void rn_fluid_destroy(rn_fluid *f)
{
    if (!f) return;
    if (f->traversal) f->traversal->destroy(f);
    if (f->walls) rni_attributes_free(f);
    rni_user_rows_free(f);
    rni_gauges_destroy(f);
    rni_operators_destroy(f);
    rni_sources_destroy(f);
    rni_walls_destroy(f);
    rni_buffer_free(&f->memory, &f->tallies);
    rni_buffer_free(&f->memory, &f->viscous_sums);
    rni_buffer_free(&f->memory, &f->cells.start_buffer);
    rni_buffer_free(&f->memory, &f->gravity_table);
    rni_arena_free(&f->arena);
    rni_crew_destroy(f->crew);
    rni_memory_end(&f->memory, sizeof *f);
}

rn_fluid_params rn_fluid_get_params(const rn_fluid *f)
{
    return f->def.params;
}

/* Takes over a definition with other parameters or phases. */
static rn_result change(rn_fluid *f, rn_fluid_def def)
{
    if (def.dim == 2) def.params.gravity[2] = 0;
    /* The sound speed that was derived at the start is kept: tilting gravity makes the fluid
     * neither softer nor stiffer. */
    if (!(def.speed_expected > 0)) def.speed_expected = f->derived.speed_expected;
    const rn_fluid_derived derived = rni_fluid_derive(&def);
    rn_result result = rni_fluid_check_step(&def, &derived);
    if (result == RN_OK) result = rni_attributes_need(f, rows_of(&def));
    if (result != RN_OK) return result;
    const bool is_other_drag = rni_is_paste(&f->def) != rni_is_paste(&def);
    f->def.params = def.params;
    f->def.rest_density = def.rest_density;
    memcpy(f->def.phases, def.phases, sizeof def.phases);
    f->derived = derived;
    if (is_other_drag) rni_wall_tables_make(&f->def, &f->derived, &f->walls->tables);
    f->laws = rni_fluid_fold(&def, &f->derived);
    rni_phases_fold(f);
    return RN_OK;
}

rn_result rn_fluid_set_params(rn_fluid *f, const rn_fluid_params *params)
{
    rn_result result = rni_fluid_check_params(params);
    if (result != RN_OK) return result;
    rn_fluid_def def = f->def;
    def.params = *params;
    result = rni_fluid_check_scheme(&def);
    if (result == RN_OK && rni_has_phases(&def)) result = rni_phases_check(&def);
    return result == RN_OK ? change(f, def) : result;
}

/* Densities are relative to that of the densest fluid, whose change does not change volumes. */
static void rescale_densities(rn_fluid *f, float factor)
{
    for (uint32_t i = 0; i < f->now.count && factor != 1; i++) {
        f->density[i] *= factor;
        if (f->previous_density) f->previous_density[i] *= factor;
    }
    rni_phases_publish(f);
}

rn_result rni_fluid_set_material(rn_fluid *f, float rest_density, const rn_fluid_params *params)
{
    rn_result result = rni_fluid_check_params(params);
    rn_fluid_def def = f->def;
    const float before = def.rest_density;
    def.params = *params;
    def.rest_density = rest_density;
    if (result == RN_OK) result = rni_fluid_check_scheme(&def);
    if (result == RN_OK) result = change(f, def);
    if (result == RN_OK) rescale_densities(f, rest_density / before);
    return result;
}

rn_result rn_fluid_set_phase(rn_fluid *f, uint32_t number, const rn_fluid_phase *phase)
{
    rn_fluid_phase now;
    rn_result result = rn_fluid_get_phase(f, number, &now);
    if (result != RN_OK) return result;
    rn_fluid_def def = f->def;
    const float before = def.rest_density;
    def.phases[number] = *phase;
    result = rni_phases_check(&def);
    rni_phases_apply(&def);
    if (result == RN_OK) result = change(f, def);
    if (result == RN_OK) rescale_densities(f, f->def.rest_density / before);
    return result;
}

rn_fluid_derived rn_fluid_derived_default(void)
{
    return (rn_fluid_derived){.struct_bytes = sizeof(rn_fluid_derived)};
}

rn_result rn_fluid_get_derived(const rn_fluid *f, rn_fluid_derived *derived)
{
    const size_t first_bytes = RNI_OUTPUT_BYTES(rn_fluid_derived, laplacian_factor);
    rn_result result = rni_output_check(derived, first_bytes, "rn_fluid_derived");
    if (result == RN_OK) rni_output_write(derived, &f->derived, sizeof f->derived);
    return result;
}

double rn_fluid_get_time(const rn_fluid *f)
{
    return f->time;
}

uint64_t rn_fluid_get_step_count(const rn_fluid *f)
{
    return f->step_count;
}

rn_fluid_particles rn_fluid_get_arrays(const rn_fluid *f)
{
    return (rn_fluid_particles){.count = f->now.count,
                                .position = f->now.position,
                                .velocity = f->now.velocity,
                                .acceleration = f->now.acceleration,
                                .density = f->true_density ? f->true_density : f->density,
                                .pressure = f->pressure,
                                .neighbor_count = f->neighbor_count};
}

rn_fluid_particles rn_fluid_get_particles(const rn_fluid *f)
{
    rn_fluid_particles p = rn_fluid_get_arrays(f);
    for (uint32_t i = 0; i < f->now.count; i++) {
        f->id[i] = rni_particle_id(&f->now, i);
        f->birth[i] = f->now.position[i][3];
    }
    p.id = f->id;
    p.birth = f->birth;
    return p;
}

/* --- loops
 * ---------------------------------------------------------------------------------------- */

typedef struct loop {
    uint32_t count;
    rni_range_fn work;
    void *data;
} loop;

static void run_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const loop *l = data;
    uint32_t begin = piece * RNI_FLUID_PIECE, end = begin + RNI_FLUID_PIECE;
    if (end > l->count) end = l->count;
    l->work(l->data, begin, end, piece);
}

void rni_for_particles(rn_fluid *f, rni_range_fn work, void *data)
{
    loop l = {f->now.count, work, data};
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    if (pieces > 0) rni_crew_pieces(f->crew, pieces, run_piece, &l);
}
