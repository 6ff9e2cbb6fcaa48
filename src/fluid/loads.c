#include "fluid/loads.h"
#include "base/error.h"
#include "base/output.h"
#include "fluid/grip.h"
#include "fluid/phases.h"
#include "fluid/scheme.h"
#include "fluid/stages.h"
#include "fluid/virtual_walls.h"
#include "fluid/viscosity.h"
#include "fluid/walls.h"

#include <string.h>

rn_result rni_loads_reserve_solids(rn_fluid *f, uint32_t solid_count)
{
    rni_loads *loads = &f->walls->loads;
    if (!f->def.measure_loads || solid_count == loads->solid_count) return RN_OK;
    const uint64_t rows = (uint64_t)solid_count * (RNI_LOAD_CHUNKS + 2);
    rn_result result = rni_buffer_need(&f->memory, &loads->sum_buffer, rows, sizeof(rni_load_sum));
    loads->solid_count = result == RN_OK ? solid_count : 0;
    if (result != RN_OK) return result;
    loads->force = loads->sum_buffer.data;
    loads->impulse = loads->force + solid_count;
    loads->chunk_sum = loads->impulse + solid_count;
    memset(loads->force, 0, 2 * solid_count * sizeof(rni_load_sum));
    loads->seconds = 0;
    return RN_OK;
}

void rni_loads_free(rn_fluid *f)
{
    rni_buffer_free(&f->memory, &f->walls->loads.sum_buffer);
}

void rni_load_add(rni_load_sum *sum, const float center[3], const float x[3], const double force[3])
{
    const double r[3] = {(double)x[0] - (double)center[0], (double)x[1] - (double)center[1],
                         (double)x[2] - (double)center[2]};
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        sum->force[a] += force[a];
        sum->torque[a] += r[b] * force[c] - r[c] * force[b];
    }
}

/* What one face gives to particle i but for drag, with what the layers of all faces carry on of it. */
static float face_acceleration(const rn_fluid *f, uint32_t i, const rni_touch *touch, float a[3])
{
    const float *given = f->walls->loads.given[i];
    for (uint32_t k = 0; k < 3; k++)
        a[k] = k < f->def.dim ? given[0] * touch->push[k] + given[1] * touch->lift[k] : 0.0f;
    return f->walls->moments ? rni_wall_carry(f, i, a) : 0.0f;
}

/* What the faces near particle i give to it, as forces.c has added it up, given back to their solids. What
 * layers carry on of the forces between particles comes from the solid of the layers. */
static void add_particle(const rn_fluid *f, const rni_wall_query *query, uint32_t i,
                         rni_load_sum *sums)
{
    const rni_walls *walls = f->walls;
    const float *x = f->now.position[i], *v = f->now.velocity[i], *given = walls->loads.given[i];
    const double mass = (double)f->derived.mass * (double)rni_ratio(f, i);
    float drag = f->derived.viscosity / f->density[i], end_velocity[3];
    if (rni_is_paste(&f->def)) drag = rni_viscous_drag_of(f, i, end_velocity), v = end_velocity;
    rni_near_faces near;
    rni_walls_faces(f, query, x, &near);
    float of_faces[RNI_MAX_FACES][3] = {{0}}, of_pairs[3] = {given[2], given[3], given[4]};
    for (uint32_t k = 0; k < near.count; k++) {
        const float carried = face_acceleration(f, i, &near.face[k].touch, of_faces[k]);
        for (int a = 0; a < 3; a++) of_pairs[a] -= carried * near.part[k] * of_faces[k][a];
    }
    for (uint32_t k = 0; k < near.count; k++) {
        const rni_touch *touch = &near.face[k].touch;
        double force[3] = {0, 0, 0};
        if (walls->moments) rni_add_product(near.face[k].moments.along, of_pairs, of_faces[k]);
        for (uint32_t a = 0; a < f->def.dim; a++) {
            of_faces[k][a] -= drag * (touch->drag * v[a] - touch->drag_velocity[a]);
            force[a] = -mass * (double)near.part[k] * (double)of_faces[k][a];
        }
        rni_load_add(&sums[near.solid[k]], walls->solids[near.solid[k]].center, x, force);
    }
    if (walls->grip) rni_grip_load(f, i, &near, sums);
}

rni_load_sum *rni_load_chunk_begin(const rn_fluid *f, uint32_t chunk, uint32_t *begin, uint32_t *end)
{
    const rni_loads *loads = &f->walls->loads;
    const uint32_t size = rni_load_chunk(f->now.count);
    rni_load_sum *sums = loads->chunk_sum + (size_t)chunk * loads->solid_count;
    *begin = chunk * size;
    *end = f->now.count - *begin < size ? f->now.count : *begin + size;
    memset(sums, 0, loads->solid_count * sizeof *sums);
    return sums;
}

static void sum_chunk(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    rn_fluid *f = data;
    uint32_t begin, end;
    rni_load_sum *sums = rni_load_chunk_begin(f, chunk, &begin, &end);
    if (rni_has_virtual_walls(f)) {
        float a[4] = {0, 0, 0, 0};
        for (uint32_t i = begin; i < end; i++) rni_virtual_walls_add(f, i, a, sums);
        return;
    }
    const rni_wall_query query = rni_walls_query(f);
    for (uint32_t i = begin; i < end; i++)
        if (f->walls->share[i] > 0) add_particle(f, &query, i, sums);
}

void rni_loads_add_up(const rn_fluid *f, uint32_t chunks, rni_load_sum *sums)
{
    const rni_loads *loads = &f->walls->loads;
    memset(sums, 0, loads->solid_count * sizeof *sums);
    for (uint32_t chunk = 0; chunk < chunks; chunk++)
        for (uint32_t k = 0; k < loads->solid_count; k++) {
            const rni_load_sum *from = &loads->chunk_sum[(size_t)chunk * loads->solid_count + k];
            for (int a = 0; a < 3; a++) {
                sums[k].force[a] += from->force[a];
                sums[k].torque[a] += from->torque[a];
            }
        }
}

void rni_stage_loads(rn_fluid *f)
{
    if (!rni_is_paste(&f->def)) rni_loads_sum(f); /* of pastes: once viscosity is known */
}

void rni_loads_sum(rn_fluid *f)
{
    const rni_loads *loads = &f->walls->loads;
    if (!f->def.measure_loads) return;
    const uint32_t chunks = rni_has_bare_walls(&f->def) && !rni_has_virtual_walls(f)
                                ? 0
                                : rni_piece_count(f->now.count, rni_load_chunk(f->now.count));
    if (chunks > 0) rni_crew_pieces(f->crew, chunks, sum_chunk, f);
    rni_loads_add_up(f, chunks, loads->force);
}

rn_solid_load rn_solid_load_default(void)
{
    return (rn_solid_load){.struct_bytes = sizeof(rn_solid_load)};
}

rn_result rni_loads_get(const rn_fluid *f, uint32_t solid, rn_solid_load *out)
{
    const rni_loads *loads = &f->walls->loads;
    rn_solid_load load = rn_solid_load_default();
    rn_result result =
        rni_output_check(out, RNI_OUTPUT_BYTES(rn_solid_load, torque), "rn_solid_load");
    if (result != RN_OK) return result;
    if (!f->def.measure_loads)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "this fluid does not measure loads; set measure_loads in its definition");
    const bool is_known = solid < loads->solid_count; /* else: added after the last step */
    for (int a = 0; is_known && a < 3; a++) {
        const double inverse = loads->seconds > 0 ? 1 / (double)loads->seconds : 0;
        load.force[a] = loads->force[solid].force[a] + inverse * loads->impulse[solid].force[a];
        load.torque[a] = loads->force[solid].torque[a] + inverse * loads->impulse[solid].torque[a];
    }
    rni_output_write(out, &load, sizeof load);
    return RN_OK;
}
