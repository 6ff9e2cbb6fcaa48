#include "fluid/particles.h"

#include "base/error.h"
#include "fluid/attributes.h"
#include "fluid/phases.h"
#include "fluid/sound.h"
#include "fluid/walls.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- adding and removing
 * ---------------------------------------------------------------------------- */

void rni_particle_add(rn_fluid *f, uint32_t phase, const float position[3], const float velocity[3])
{
    assert(f->now.count < f->now.capacity);
    const uint32_t i = f->now.count++;
    rni_attributes_clear_particle(f, i);
    for (uint32_t a = 0; a < f->def.dim; a++) {
        f->now.position[i][a] = position[a];
        f->now.velocity[i][a] = velocity ? velocity[a] : 0.0f;
    }
    f->now.position[i][3] = (float)f->time;
    rni_particle_set_id(&f->now, i, f->next_id++);
    f->density[i] = f->def.rest_density;
    if (f->previous_density) f->previous_density[i] = f->density[i];
    if (f->fluid_number) {
        f->fluid_number[i] = phase;
        f->true_density[i] = f->phase[phase].ratio * f->density[i];
    }
    f->has_previous_density = false; /* its neighbours are denser at once */
}

void rni_particle_remove(rn_fluid *f, uint32_t i)
{
    assert(i < f->now.count);
    const uint32_t last = --f->now.count;
    if (i != last) rni_attributes_copy_particle(f, i, last);
}

void rni_particles_reset_density(rn_fluid *f)
{
    for (uint32_t i = 0; i < f->now.count; i++)
        f->density[i] = f->previous_density ? f->previous_density[i] : f->def.rest_density;
    rni_phases_publish(f);
}

static rn_result refuse_not_finite(const float *position, const float *velocity, uint32_t count,
                                   uint32_t dim)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t a = 0; a < dim; a++) {
            if (!isfinite(position[3 * (size_t)i + a]))
                return rni_fail(RN_ERROR_ARGUMENT,
                                "particle %u: position[%u] is %g; it must be finite", i, a,
                                (double)position[3 * (size_t)i + a]);
            if (velocity && !(fabsf(velocity[3 * (size_t)i + a]) <= 1e9f))
                return rni_fail(RN_ERROR_ARGUMENT,
                                "particle %u: velocity[%u] is %g; it must be finite and below 1e9",
                                i, a, (double)velocity[3 * (size_t)i + a]);
        }
    return RN_OK;
}

/* Pairs closer than apart (0: RNI_LEAST_APART), among the particles that exist (0 .. old_count) and the
 * candidates after them. */
static rn_result find_overlaps(rn_fluid *f, const float *xyz, uint32_t count, float apart,
                               rn_search **search)
{
    rn_search_def def = rn_search_def_default();
    def.dim = f->def.dim;
    def.radius = apart > 0 ? apart : RNI_LEAST_APART * f->def.spacing;
    def.order = RN_ORDER_INDEX;
    def.threads = f->def.threads;
    def.tasks = f->def.tasks;
    def.allocator = f->def.allocator;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        def.periodic[a] = f->def.periodic[a];
        def.period_low[a] = (double)f->def.domain_low[a];
        def.period_high[a] = (double)f->def.domain_high[a];
    }
    rn_result result = rn_search_create(&def, search);
    if (result == RN_OK)
        result =
            rn_search_update(*search, (rn_points){xyz, sizeof(float[3]), count, RN_SCALAR_FLOAT});
    return result;
}

static float distance_sq_of(const rn_fluid_def *def, const float x[3], const float y[3])
{
    float sum = 0;
    for (uint32_t a = 0; a < def->dim; a++) {
        float d = x[a] - y[a];
        if (def->periodic[a]) d = remainderf(d, def->domain_high[a] - def->domain_low[a]);
        sum += d * d;
    }
    return sum;
}

/* Whether candidate i is too close to an existing particle (0 .. old_count) or to a candidate kept
 * before it. */
static bool is_overlapping(const rn_fluid *f, rn_list list, float (*xyz)[3], uint32_t i,
                           const bool *is_kept, uint32_t old_count, float apart)
{
    for (uint32_t k = 0; list.index && k < list.count && list.index[k] < i; k++) {
        uint32_t j = list.index[k];
        if (!is_kept[j]) continue;
        if (j < old_count || distance_sq_of(&f->def, xyz[i], xyz[j]) < apart * apart) return true;
    }
    return false;
}

bool rni_is_in_domain(const rn_fluid_def *def, const float x[3])
{
    for (uint32_t a = 0; a < def->dim; a++)
        if (!(x[a] >= def->domain_low[a] && x[a] <= def->domain_high[a])) return false;
    return true;
}

rn_result rni_particles_add(rn_fluid *f, const rni_candidates *c, rn_fluid_added *added)
{
    const float *position = c->position, *velocity = c->velocity;
    const uint32_t count = c->count;
    rn_result result = refuse_not_finite(position, velocity, count, f->def.dim);
    for (uint32_t i = 0; c->phases && i < count && result == RN_OK; i++)
        result = rni_phases_check_number(f, "particles", c->phases[i], false);
    if (result == RN_OK) result = rni_walls_ready(f);
    if (result != RN_OK) return result;
    rn_fluid_added tally = rn_fluid_added_default();
    uint32_t old = f->now.count;
    uint64_t all = (uint64_t)old + count;
    float(*xyz)[3] = rni_memory_take(&f->memory, (size_t)(all + 1) * sizeof *xyz);
    bool *is_kept = rni_memory_take(&f->memory, (size_t)(all + 1));
    uint32_t *from = rni_memory_take(&f->memory, ((size_t)count + 1) * sizeof *from);
    rn_search *search = NULL;
    if (!xyz || !is_kept || !from) {
        result = RN_ERROR_MEMORY;
        goto done;
    }
    for (uint32_t i = 0; i < old; i++)
        memcpy(xyz[i], f->now.position[i], sizeof *xyz), is_kept[i] = true;
    uint32_t used = old;
    for (uint32_t k = 0; k < count; k++) {
        const float *at = position + 3 * (size_t)k;
        float x[3] = {at[0], at[1], f->def.dim == 3 ? at[2] : 0.0f};
        bool is_outside = !rni_is_in_domain(&f->def, x);
        if (is_outside || rni_walls_distance(f, x) < c->clearance) {
            tally.outside_domain += is_outside;
            tally.in_walls += !is_outside;
            continue;
        }
        memcpy(xyz[used], x, sizeof x);
        from[used - old] = k;
        is_kept[used++] = false;
    }
    result = find_overlaps(f, xyz[0], used, c->apart_old, &search);
    if (result != RN_OK) goto done;
    rn_neighbors n = rn_search_get_neighbors(search);
    for (uint32_t i = old; i < used; i++) {
        is_kept[i] = !is_overlapping(f, rn_neighbors_get_list(&n, i), xyz, i, is_kept, old, c->apart);
        tally.added += is_kept[i];
        tally.overlapping += !is_kept[i];
    }
    result = rni_attributes_reserve(f, (uint64_t)old + tally.added);
    if (result != RN_OK) goto done;
    for (uint32_t i = old; i < used; i++)
        if (is_kept[i])
            rni_particle_add(f, c->phases ? c->phases[from[i - old]] : c->phase, xyz[i],
                             velocity ? velocity + 3 * (size_t)from[i - old] : NULL);
    f->has_given_particles = f->has_given_particles || (f->now.count > old && !c->is_filling);
    rni_sound_note_particles(f, old);
    if (added) *added = tally;
done:
    rn_search_destroy(search);
    rni_memory_give(&f->memory, from, ((size_t)count + 1) * sizeof *from);
    rni_memory_give(&f->memory, is_kept, (size_t)(all + 1));
    rni_memory_give(&f->memory, xyz, (size_t)(all + 1) * sizeof *xyz);
    return result;
}
