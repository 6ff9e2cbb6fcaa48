#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/scheme.h"
#include "fluid/traversal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static rni_records *records_of(const rn_fluid *fluid)
{
    return fluid->traversal_state;
}

/* --- records -------------------------------------------------------------------------------------- */

rn_result rni_records_need(rn_fluid *fluid)
{
    rni_records *r = records_of(fluid);
    rni_memory *memory = &fluid->memory;
    const uint32_t count = fluid->now.count;
    const uint64_t padded = (uint64_t)count + RNI_FLUID_PADDING;
    const uint32_t pieces = rni_piece_count(count, RNI_FLUID_PIECE);
    rn_result result = rni_buffer_need(memory, &r->bodies, padded, sizeof(rni_body));
    if (result == RN_OK) result = rni_buffer_need(memory, &r->packed, padded, sizeof(rni_record));
    if (result == RN_OK) result = rni_buffer_need(memory, &r->sums, pieces, sizeof(double));
    if (result != RN_OK) return result;
    const rni_body away = {RNI_FAR_AWAY, RNI_FAR_AWAY, RNI_FAR_AWAY, 0, 0, 0, 0, 0};
    memcpy(((rni_body *)r->bodies.data)[count], away, sizeof away);
    r->has_bodies = false;
    return RN_OK;
}

void rni_records_free(rn_fluid *fluid)
{
    rni_records *r = records_of(fluid);
    rni_buffer_free(&fluid->memory, &r->bodies);
    rni_buffer_free(&fluid->memory, &r->packed);
    rni_buffer_free(&fluid->memory, &r->sums);
}

void rni_records_renew(rn_fluid *fluid)
{
    records_of(fluid)->has_bodies = false;
}

/* A loop over all particles in fixed pieces. */
typedef struct packing {
    const rn_fluid *fluid;
    rni_pack_fn pack;
} packing;

static void piece_of(const rn_fluid *fluid, uint32_t piece, uint32_t *begin, uint32_t *end)
{
    *begin = piece * RNI_FLUID_PIECE;
    *end = fluid->now.count - *begin < RNI_FLUID_PIECE ? fluid->now.count : *begin + RNI_FLUID_PIECE;
}

static void run_pieces(rn_fluid *fluid, rni_piece_fn work, void *data)
{
    rni_crew_pieces(fluid->crew, rni_piece_count(fluid->now.count, RNI_FLUID_PIECE), work, data);
}

static rni_v fourth_root(rni_v x)
{
    for (uint32_t k = 0; k < 4; k++) x[k] = sqrtf(sqrtf(x[k]));
    return x;
}

static void pack_bodies(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rn_fluid *fluid = data;
    rni_record *position = fluid->now.position, *velocity = fluid->now.velocity;
    const float factor = fluid->laws.pressure;
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_body *bodies = records_of(fluid)->bodies.data;
    uint32_t begin, end;
    piece_of(fluid, piece, &begin, &end);
    for (uint32_t i = begin; i < end; i += 4) {
        rni_v inverse = 1.0f / rni_v_load(fluid->density + i);
        const rni_v pressure = factor * rni_v_load(fluid->pressure + i) * inverse * inverse;
        /* The viscosity of forces.h is numerical: that of rho and sound, the root of the ratio, in pairs. */
        if (fluid->ratio) inverse = inverse * fourth_root(rni_v_load(fluid->ratio + i));
        for (uint32_t k = 0; k < 4 && i + k < end; k++) {
            const rni_v x = rni_v_load(position[i + k]), of_k = rni_v_set(inverse[k]);
            rni_v v = rni_v_where(is_axis, rni_v_load(velocity[i + k]));
            rni_v_hold(v); /* the fourth would be slow to multiply */
            rni_v_store(bodies[i + k], rni_v_select(is_axis, x, of_k));
            rni_v_store(bodies[i + k] + 4, rni_v_select(is_axis, of_k * v, rni_v_set(pressure[k])));
        }
    }
}

/* The same with v and rho - k . x. */
static void pack_plain_bodies(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const rn_fluid *fluid = data;
    const rni_vm is_axis = {-1, -1, -1, 0};
    rni_body *bodies = records_of(fluid)->bodies.data;
    float steep[3];
    rni_corrected_steepness(fluid, steep);
    uint32_t begin, end;
    piece_of(fluid, piece, &begin, &end);
    for (uint32_t i = begin; i < end; i += 4) {
        const rni_v density = rni_v_load(fluid->density + i), inverse = 1.0f / density;
        for (uint32_t k = 0; k < 4 && i + k < end; k++) {
            const float *x = fluid->now.position[i + k];
            const float of_k = density[k] - (steep[0] * x[0] + steep[1] * x[1] + steep[2] * x[2]);
            const rni_v v = rni_v_load(fluid->now.velocity[i + k]);
            rni_v_store(bodies[i + k], rni_v_select(is_axis, rni_v_load(x), rni_v_set(inverse[k])));
            rni_v_store(bodies[i + k] + 4, rni_v_select(is_axis, v, rni_v_set(of_k)));
        }
    }
}

static void pack_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const packing *p = data;
    uint32_t begin, end;
    piece_of(p->fluid, piece, &begin, &end);
    p->pack(p->fluid, begin, end, records_of(p->fluid)->packed.data);
}

/* --- passes --------------------------------------------------------------------------------------- */

/* Lists are filled up with the record behind the last: it gives 0, but 0 times what is not finite is not. */
static void clear_behind(const rn_fluid *fluid, float *array, uint32_t width)
{
    memset(array + (size_t)width * fluid->now.count, 0, width * sizeof *array);
}

typedef struct pass_run {
    rni_pass_fn loop;
    const rni_pass_job *job;
} pass_run;

static void run_piece(void *data, uint32_t piece, uint32_t worker)
{
    const pass_run *run = data;
    run->loop(run->job, piece, worker);
}

void rni_pass_run(rn_fluid *fluid, const rni_pass *pass, const rni_pass_arrays *arrays)
{
    if (fluid->now.count == 0) return;
    rni_records *r = records_of(fluid);
    rni_pass_job job = {fluid, fluid->now.position[0], *arrays};
    const rni_gathers g = pass->gathers(fluid);
    if (g.body != RNI_GATHER_POSITION) {
        const rni_piece_fn pack = fluid->scheme->has_plain_bodies ? pack_plain_bodies : pack_bodies;
        if (!r->has_bodies) run_pieces(fluid, pack, fluid);
        r->has_bodies = true;
        job.body = r->bodies.data;
    }
    if (g.is_packed) {
        packing p = {fluid, pass->pack};
        run_pieces(fluid, pack_piece, &p);
        job.arrays.gather[0] = r->packed.data;
    }
    for (uint32_t k = 0; k < RNI_PASS_ARRAYS; k++) {
        assert(g.width[k] == 0 || g.width[k] == 1 || g.width[k] == 4);
        assert((g.width[k] > 0) == (job.arrays.gather[k] != NULL));
        if (g.width[k] > 0) clear_behind(fluid, job.arrays.gather[k], g.width[k]);
    }
    const rni_traversal *traversal = fluid->traversal;
    pass_run run = {pass->loop[traversal->loop(fluid)], &job};
    rni_crew_pieces(fluid->crew, rni_piece_count(fluid->now.count, traversal->piece_size),
                    run_piece, &run);
}

/* --- sums over all particles ---------------------------------------------------------------------- */

typedef struct dot_job {
    const rn_fluid *fluid;
    const float *a, *b;
    uint32_t width, stride;
} dot_job;

static void dot_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const dot_job *job = data;
    uint32_t begin, end;
    piece_of(job->fluid, piece, &begin, &end);
    double sum = 0;
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t k = 0; k < job->width; k++) {
            const size_t at = (size_t)i * job->stride + k;
            sum += (double)job->a[at] * (double)job->b[at];
        }
    ((double *)records_of(job->fluid)->sums.data)[piece] = sum;
}

double rni_pass_dot(rn_fluid *fluid, const float *a, const float *b, uint32_t width, uint32_t stride)
{
    dot_job job = {fluid, a, b, width, stride};
    run_pieces(fluid, dot_piece, &job);
    const double *sums = records_of(fluid)->sums.data;
    double sum = 0;
    for (uint32_t k = 0; k < rni_piece_count(fluid->now.count, RNI_FLUID_PIECE); k++)
        sum += sums[k];
    return sum;
}
