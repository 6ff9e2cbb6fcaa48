#include "fluid/sources.h"

#include "base/error.h"
#include "fluid/particles.h"
#include "fluid/stages.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

rn_result rni_sources_create(rn_fluid *f)
{
    f->sources = rni_memory_take(&f->memory, sizeof *f->sources);
    if (!f->sources) return RN_ERROR_MEMORY;
    memset(f->sources, 0, sizeof *f->sources);
    return RN_OK;
}

void rni_sources_destroy(rn_fluid *f)
{
    if (!f->sources) return;
    rni_buffer_free(&f->memory, &f->sources->pipe_room);
    rni_buffer_free(&f->memory, &f->sources->outlet_room);
    rni_buffer_free(&f->memory, &f->sources->leaver_room);
    rni_memory_give(&f->memory, f->sources, sizeof *f->sources);
    f->sources = NULL;
}

/* --- pipes ---------------------------------------------------------------------------------------- */

static rn_result check_pipe(const rn_fluid *f, const rn_fluid_pipe *p)
{
    if (p->struct_bytes != sizeof *p)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the pipe has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_pipe_default()",
                        p->struct_bytes, sizeof *p);
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(fabsf(p->center[a]) <= 1e12f) || !(fabsf(p->direction[a]) <= 1e12f))
            return rni_fail(RN_ERROR_ARGUMENT, "pipe: center and direction must be finite");
    if (!(p->radius >= 0.5f * f->def.spacing && p->radius <= 1e6f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pipe: radius is %g m; it must be at least half a spacing "
                        "(%g m)",
                        (double)p->radius, (double)(0.5f * f->def.spacing));
    if (!(p->speed >= 0 && p->speed <= 1e6f) || !(p->flow_rate >= 0 && p->flow_rate <= 1e9f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pipe: speed is %g m/s, flow_rate %g; both must be 0 or more",
                        (double)p->speed, (double)p->flow_rate);
    if (p->stop_count > RN_PIPE_MAX_STOPS)
        return rni_fail(RN_ERROR_ARGUMENT, "pipe: %u stops; there may be %u", p->stop_count,
                        RN_PIPE_MAX_STOPS);
    for (uint32_t k = 0; k < p->stop_count; k++) {
        if (!(p->stop_factor[k] >= 0 && p->stop_factor[k] <= 1e6f))
            return rni_fail(RN_ERROR_ARGUMENT, "pipe: stop_factor[%u] is %g; it must be 0 or more",
                            k, (double)p->stop_factor[k]);
        if (!isfinite(p->stop_time[k]) || (k > 0 && !(p->stop_time[k] > p->stop_time[k - 1])))
            return rni_fail(RN_ERROR_ARGUMENT, "pipe: stop_time[%u] is %g; the times must ascend",
                            k, (double)p->stop_time[k]);
    }
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(p->center[a] >= f->def.domain_low[a] && p->center[a] <= f->def.domain_high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "pipe: the mouth's center (%g, %g, %g) is outside the "
                            "domain",
                            (double)p->center[0], (double)p->center[1],
                            (double)(f->def.dim == 3 ? p->center[2] : 0));
    if (rni_walls_distance(f, p->center) <= 0)
        return rni_fail(RN_ERROR_ARGUMENT, "pipe: the mouth's center (%g, %g, %g) is in a solid",
                        (double)p->center[0], (double)p->center[1], (double)p->center[2]);
    return RN_OK;
}

/* Two directions at right angles to the stream, the same for the same stream. */
static rn_result make_frame(rni_pipe *pipe, uint32_t dim)
{
    float *d = pipe->direction;
    double n[3], length = 0;
    for (uint32_t a = 0; a < 3; a++) {
        n[a] = a < dim ? (double)pipe->def.direction[a] : 0.0;
        length += n[a] * n[a];
    }
    if (!(length > 0)) return rni_fail(RN_ERROR_ARGUMENT, "pipe: direction is 0, 0, 0; give one");
    for (int a = 0; a < 3; a++) d[a] = (float)(n[a] / sqrt(length));
    if (dim == 2) {
        memcpy(pipe->across[0], (float[3]){-d[1], d[0], 0}, sizeof pipe->across[0]);
        memset(pipe->across[1], 0, sizeof pipe->across[1]);
        return RN_OK;
    }
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabsf(d[a]) < fabsf(d[least])) least = a;
    float u[3];
    for (int a = 0; a < 3; a++) u[a] = (a == least ? 1.0f : 0.0f) - d[least] * d[a];
    float inverse = 1 / sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int a = 0; a < 3; a++) pipe->across[0][a] = u[a] * inverse;
    for (int a = 0; a < 3; a++) {
        int p = (a + 1) % 3, q = (a + 2) % 3;
        pipe->across[1][a] = d[p] * pipe->across[0][q] - d[q] * pipe->across[0][p];
    }
    return RN_OK;
}

/* The k-th place of a layer, on a lattice inside the circle; false past the last. */
static bool layer_place(const rn_fluid *f, const rni_pipe *pipe, int64_t *cursor, float x[3])
{
    float spacing = f->def.spacing;
    int64_t reach = (int64_t)(pipe->def.radius / spacing) + 1, width = 2 * reach + 1;
    int64_t rows = f->def.dim == 3 ? width : 1;
    float limit = pipe->def.radius * pipe->def.radius * 1.0001f;
    for (; *cursor < width * rows; ++*cursor) {
        float u = (float)(*cursor % width - reach) * spacing;
        int64_t row = *cursor / width;
        float v = f->def.dim == 3 ? (float)(row - reach) * spacing : 0.0f;
        if (u * u + v * v > limit) continue;
        ++*cursor;
        for (int a = 0; a < 3; a++)
            x[a] = pipe->def.center[a] + u * pipe->across[0][a] + v * pipe->across[1][a];
        return true;
    }
    return false;
}

static rn_result make_pipe(const rn_fluid *f, const rn_fluid_pipe *def, rni_pipe *pipe)
{
    rn_result result = check_pipe(f, def);
    if (result != RN_OK) return result;
    rni_pipe made = *pipe;
    made.def = *def;
    if (f->def.dim == 2) made.def.center[2] = 0;
    result = make_frame(&made, f->def.dim);
    if (result != RN_OK) return result;
    float x[3];
    made.layer_count = 0;
    for (int64_t cursor = 0; layer_place(f, &made, &cursor, x);)
        if (++made.layer_count > 10000000)
            return rni_fail(RN_ERROR_LIMIT,
                            "pipe: a layer would have more than 10,000,000 particles");
    made.area = (float)made.layer_count *
                (f->def.dim == 3 ? f->def.spacing * f->def.spacing : f->def.spacing);
    *pipe = made;
    return RN_OK;
}

rn_fluid_pipe rn_fluid_pipe_default(void)
{
    return (rn_fluid_pipe){.struct_bytes = sizeof(rn_fluid_pipe), .direction = {1, 0, 0}, .speed = 1};
}

rn_result rn_fluid_add_pipe(rn_fluid *f, const rn_fluid_pipe *def, rn_fluid_id *id)
{
    rni_sources *s = f->sources;
    rni_pipe pipe = {.generation = 1};
    rn_result result = make_pipe(f, def, &pipe);
    if (result != RN_OK) return result;
    pipe.travelled = (double)f->def.spacing; /* the first layer comes at once */
    uint32_t k = 0;
    while (k < s->pipe_count && !s->pipes[k].is_gone) k++;
    if (k == s->pipe_count) {
        result = rni_buffer_grow(&f->memory, &s->pipe_room, k + 1u, sizeof pipe);
        if (result != RN_OK) return result;
        s->pipes = s->pipe_room.data;
        s->pipe_count++;
    } else {
        pipe.generation = s->pipes[k].generation + 1;
    }
    s->pipes[k] = pipe;
    if (id) *id = (rn_fluid_id){k + 1, pipe.generation};
    return RN_OK;
}

static rni_pipe *pipe_of(const rn_fluid *f, rn_fluid_id id)
{
    const rni_sources *s = f->sources;
    if (id.index < 1 || id.index > s->pipe_count) return NULL;
    rni_pipe *pipe = &s->pipes[id.index - 1];
    return pipe->is_gone || pipe->generation != id.generation ? NULL : pipe;
}

static rn_result no_such(const char *what, rn_fluid_id id)
{
    return rni_fail(RN_ERROR_ARGUMENT, "there is no %s %u (generation %u)", what, id.index,
                    id.generation);
}

rn_result rn_fluid_set_pipe(rn_fluid *f, rn_fluid_id id, const rn_fluid_pipe *def)
{
    rni_pipe *pipe = pipe_of(f, id);
    return pipe ? make_pipe(f, def, pipe) : no_such("pipe", id);
}

rn_result rn_fluid_remove_pipe(rn_fluid *f, rn_fluid_id id)
{
    rni_pipe *pipe = pipe_of(f, id);
    if (!pipe) return no_such("pipe", id);
    pipe->is_gone = true;
    return RN_OK;
}

static double factor_at(const rn_fluid_pipe *p, double time)
{
    if (p->stop_count == 0) return 1;
    if (time <= (double)p->stop_time[0]) return (double)p->stop_factor[0];
    for (uint32_t k = 1; k < p->stop_count; k++) {
        double t0 = (double)p->stop_time[k - 1], t1 = (double)p->stop_time[k];
        if (time > t1) continue;
        double part = (time - t0) / (t1 - t0);
        return (double)p->stop_factor[k - 1] * (1 - part) + (double)p->stop_factor[k] * part;
    }
    return (double)p->stop_factor[p->stop_count - 1];
}

/* --- pouring -------------------------------------------------------------------------------------- */

/* Those that are near the mouth now, so that no layer is poured into others. */
static uint32_t list_crowd(const rn_fluid *f, const rni_pipe *pipe, uint32_t *crowd)
{
    float reach = pipe->def.radius + 3 * f->def.spacing;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i];
        float d[3] = {x[0] - pipe->def.center[0], x[1] - pipe->def.center[1],
                      x[2] - pipe->def.center[2]};
        if (fabsf(d[0]) > reach || fabsf(d[1]) > reach || fabsf(d[2]) > reach) continue;
        crowd[count++] = i;
    }
    return count;
}

static bool is_free(const rn_fluid *f, const uint32_t *crowd, uint32_t crowd_count, const float x[3])
{
    float least = 0.9f * f->def.spacing; /* nearer ones would be pressed into each other */
    for (uint32_t k = 0; k < crowd_count; k++) {
        const float *y = f->now.position[crowd[k]];
        float d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < least * least) return false;
    }
    return rni_walls_distance(f, x) >= f->walls->contact;
}

/* One layer, `ahead` of the mouth already. */
static rn_result pour_layer(rn_fluid *f, rni_pipe *pipe, float ahead, float speed,
                            rn_fluid_report *report)
{
    rn_result result = RN_OK;
    uint64_t room = (uint64_t)f->now.count + pipe->layer_count;
    if (room > f->def.max_particles) room = f->def.max_particles;
    result = rni_particles_room(f, room);
    if (result != RN_OK) return result;
    rni_arena_reset(&f->arena);
    uint32_t *crowd = rni_arena_take(&f->arena, ((size_t)f->now.count + 1) * sizeof *crowd);
    if (!crowd) return RN_ERROR_MEMORY;
    uint32_t crowd_count = list_crowd(f, pipe, crowd);
    float x[3], v[3];
    for (int a = 0; a < 3; a++) v[a] = pipe->direction[a] * speed;
    for (int64_t cursor = 0; layer_place(f, pipe, &cursor, x);) {
        if (pipe->def.max_particles > 0 && pipe->poured >= pipe->def.max_particles) return RN_OK;
        if (f->now.count >= f->def.max_particles) {
            report->flags |= RN_FLAG_FULL;
            return RN_OK;
        }
        for (int a = 0; a < 3; a++) x[a] += ahead * pipe->direction[a];
        if (!is_free(f, crowd, crowd_count, x)) {
            report->flags |= RN_FLAG_BLOCKED;
            continue;
        }
        rni_particle_add(f, x, v);
        pipe->poured++;
        report->came++;
    }
    return RN_OK;
}

static rn_result pour(rn_fluid *f, rni_pipe *pipe, float time_step, rn_fluid_report *report)
{
    if (pipe->def.max_particles > 0 && pipe->poured >= pipe->def.max_particles) return RN_OK;
    double full = pipe->def.flow_rate > 0 ? (double)pipe->def.flow_rate / (double)pipe->area
                                          : (double)pipe->def.speed;
    double speed = full * factor_at(&pipe->def, f->time), spacing = (double)f->def.spacing;
    pipe->travelled += speed * (double)time_step;
    /* More than a few layers in one step would be a wall of water: the step is too long for that. */
    for (int layers = 0; pipe->travelled >= spacing && layers < 8; layers++) {
        pipe->travelled -= spacing;
        rn_result result =
            pour_layer(f, pipe, (float)fmin(pipe->travelled, 2 * spacing), (float)speed, report);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- outlets and open sides ----------------------------------------------------------------------- */

rn_fluid_outlet rn_fluid_outlet_default(void)
{
    return (rn_fluid_outlet){.struct_bytes = sizeof(rn_fluid_outlet)};
}

rn_result rn_fluid_add_outlet(rn_fluid *f, const rn_fluid_outlet *def, rn_fluid_id *id)
{
    rni_sources *s = f->sources;
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the outlet has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_outlet_default()",
                        def->struct_bytes, sizeof *def);
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(def->low[a] < def->high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "outlet: low[%u] is %g, high[%u] %g; low must be below "
                            "high",
                            a, (double)def->low[a], a, (double)def->high[a]);
    rni_outlet outlet = {.def = *def, .generation = 1};
    uint32_t k = 0;
    while (k < s->outlet_count && !s->outlets[k].is_gone) k++;
    if (k == s->outlet_count) {
        rn_result result = rni_buffer_grow(&f->memory, &s->outlet_room, k + 1u, sizeof outlet);
        if (result != RN_OK) return result;
        s->outlets = s->outlet_room.data;
        s->outlet_count++;
    } else {
        outlet.generation = s->outlets[k].generation + 1;
    }
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
    if (!outlet) return no_such("outlet", id);
    outlet->is_gone = true;
    return RN_OK;
}

uint64_t rn_fluid_outlet_count(const rn_fluid *f, rn_fluid_id id)
{
    const rni_outlet *outlet = outlet_of(f, id);
    return outlet ? outlet->swallowed : 0;
}

static bool is_inside(const float x[3], const float low[3], const float high[3], uint32_t dim)
{
    for (uint32_t a = 0; a < dim; a++)
        if (!(x[a] >= low[a] && x[a] <= high[a])) return false;
    return true;
}

/* 0: stays; 1: past an open side; 2 + k: into outlet k. */
static uint32_t way_out(const rn_fluid *f, const float x[3])
{
    const rni_sources *s = f->sources;
    for (uint32_t k = 0; k < s->outlet_count; k++)
        if (!s->outlets[k].is_gone &&
            is_inside(x, s->outlets[k].def.low, s->outlets[k].def.high, f->def.dim))
            return 2 + k;
    return !is_inside(x, f->def.domain_low, f->def.domain_high, f->def.dim);
}

static void mark_leavers(rn_fluid *f, uint32_t begin, uint32_t end, uint32_t piece)
{
    uint32_t *leavers = f->sources->leaver_room.data;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) count += way_out(f, f->now.position[i]) != 0;
    leavers[piece] = count;
}

static rn_result swallow(rn_fluid *f, rn_fluid_report *report)
{
    rni_sources *s = f->sources;
    bool is_open = false;
    for (int a = 0; a < 3; a++) is_open = is_open || f->def.open[a][0] || f->def.open[a][1];
    if (s->outlet_count == 0 && !is_open) return RN_OK;
    uint32_t pieces = rni_piece_count(f->now.count, RNI_FLUID_PIECE);
    rn_result result = rni_buffer_need(&f->memory, &s->leaver_room, pieces + 1u, sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_fluid_for_each(f, mark_leavers);
    const uint32_t *leavers = s->leaver_room.data;
    /* From the end, so that whoever takes a place has been looked at. */
    for (uint32_t piece = pieces; piece-- > 0;) {
        if (leavers[piece] == 0) continue;
        uint32_t begin = piece * RNI_FLUID_PIECE, end = begin + RNI_FLUID_PIECE;
        if (end > f->now.count) end = f->now.count;
        for (uint32_t i = end; i-- > begin;) {
            uint32_t way = way_out(f, f->now.position[i]);
            if (way == 0) continue;
            if (way >= 2) s->outlets[way - 2].swallowed++;
            rni_particle_remove(f, i);
            report->left++;
        }
    }
    return RN_OK;
}

rn_result rni_stage_sources(rn_fluid *f, float time_step, rn_fluid_report *report)
{
    rn_result result = swallow(f, report);
    for (uint32_t k = 0; k < f->sources->pipe_count && result == RN_OK; k++)
        if (!f->sources->pipes[k].is_gone)
            result = pour(f, &f->sources->pipes[k], time_step, report);
    f->came_all += report->came;
    f->left_all += report->left;
    return result;
}
