#define RNI_LANES 4
#include "base/lanes.h"

#include "fluid/sources.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/attributes.h"
#include "fluid/derive.h"
#include "fluid/kernels.h"
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
    rni_buffer_free(&f->memory, &f->sources->pipe_buffer);
    rni_buffer_free(&f->memory, &f->sources->outlet_buffer);
    rni_buffer_free(&f->memory, &f->sources->leaver_buffer);
    rni_memory_give(&f->memory, f->sources, sizeof *f->sources);
    f->sources = NULL;
}

void rni_sources_keep(rn_fluid *f)
{
    rni_sources *s = f->sources;
    s->kept_next_id = f->next_id;
    s->kept_came_all = f->came_all, s->kept_left_all = f->left_all;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        s->pipes[k].kept_travelled = s->pipes[k].travelled;
        s->pipes[k].kept_poured = s->pipes[k].poured;
    }
    for (uint32_t k = 0; k < s->outlet_count; k++)
        s->outlets[k].kept_removed = s->outlets[k].removed;
}

void rni_sources_restore(rn_fluid *f)
{
    rni_sources *s = f->sources;
    f->next_id = s->kept_next_id;
    f->came_all = s->kept_came_all, f->left_all = s->kept_left_all;
    for (uint32_t k = 0; k < s->pipe_count; k++) {
        s->pipes[k].travelled = s->pipes[k].kept_travelled;
        s->pipes[k].poured = s->pipes[k].kept_poured;
    }
    for (uint32_t k = 0; k < s->outlet_count; k++)
        s->outlets[k].removed = s->outlets[k].kept_removed;
}

/* --- pipes
 * ---------------------------------------------------------------------------------------- */

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

/* --- where the particles of a layer start
 * ----------------------------------------------------------- */

/* The lattice of a layer, in its own unit: places (i + offset, j + offset') within `reach`. */
typedef struct lattice {
    float offset[2], reach;
} lattice;

static bool lattice_next(const lattice *l, uint32_t dim, int64_t *cursor, float *u, float *v)
{
    int64_t most = (int64_t)l->reach + 1, width = 2 * most + 1, rows = dim == 3 ? width : 1;
    float limit = l->reach * l->reach * 1.0001f;
    while (*cursor < width * rows) {
        int64_t at = (*cursor)++;
        int64_t i = at % width - most, j = at / width - most;
        *u = (float)i + l->offset[0];
        *v = dim == 3 ? (float)j + l->offset[1] : 0.0f;
        if (*u * *u + *v * *v <= limit) return true;
    }
    return false;
}

static uint32_t lattice_count(const lattice *l, uint32_t dim, uint32_t most)
{
    float u, v;
    uint32_t count = 0;
    for (int64_t cursor = 0; count <= most && lattice_next(l, dim, &cursor, &u, &v);) count++;
    return count;
}

#define LAYER_MAX 10000000u

/* The kernel's sum in the middle of an endless stream of such layers. */
static double stream_density(const rn_fluid *f, const lattice *l, double pitch, double gap)
{
    uint32_t dim = f->def.dim;
    double h = (double)f->derived.radius, sum = 0;
    lattice near = {{l->offset[0], l->offset[1]}, fminf(l->reach, (float)(h / pitch) + 1)};
    float u, v;
    for (int64_t cursor = 0; lattice_next(&near, dim, &cursor, &u, &v);) {
        double du = pitch * (double)(u - l->offset[0]), dv = pitch * (double)(v - l->offset[1]);
        int layers = (int)(h / gap);
        for (int k = -layers; k <= layers; k++) {
            double r = sqrt(du * du + dv * dv + k * gap * k * gap);
            if (r < h) sum += rni_kernel_value(rni_density_kernel(f->def.kernels), dim, h, r);
        }
    }
    return sum;
}

/* A layer of n particles has the volume n spacing^dim, and is added when the stream has delivered
 * that much: the gap between layers is n spacing^dim / area. Of the lattices centred on a particle,
 * an edge and a cell, the one is chosen that fits the mouth best without being compressed. */
static rn_result fill_mouth(const rn_fluid *f, rni_pipe *pipe)
{
    uint32_t dim = f->def.dim;
    double spacing = (double)f->def.spacing, radius = (double)pipe->def.radius / spacing;
    double cells = dim == 3 ? RNI_PI * radius * radius : 2 * radius;
    if (cells > LAYER_MAX)
        return rni_fail(RN_ERROR_LIMIT, "pipe: a layer would have %.3g particles, more than %u",
                        cells, LAYER_MAX);
    static const float OFFSETS[3][2] = {{0, 0}, {0.5f, 0}, {0.5f, 0.5f}};
    const lattice endless = {{0, 0}, 8};
    double rest = stream_density(f, &endless, spacing, spacing), least = HUGE_VAL;
    bool is_wide = radius > 12; /* all lattices are alike then */
    for (uint32_t o = 0; o < (is_wide ? 1u : dim); o++)
        for (int k = is_wide ? 0 : -24; k <= 24 && !(is_wide && least < 0.1); k++) {
            lattice l = {{OFFSETS[o][0], OFFSETS[o][1]}, (float)(radius + k / 16.0)};
            uint32_t count = l.reach >= 0 ? lattice_count(&l, dim, 2 * LAYER_MAX) : 0;
            if (count == 0 || fabs(log(count / cells)) > least - 1e-9) continue;
            double stretch = fmax(1, dim == 3 ? sqrt(cells / count) : cells / count);
            double pitch = stretch * spacing, gap = count / cells * spacing;
            /* A lattice that is compressed along the stream, however little, bursts. */
            if (gap < 0.9999 * spacing && stream_density(f, &l, pitch, gap) > 0.95 * rest) continue;
            least = fabs(log(count / cells));
            pipe->offset[0] = l.offset[0], pipe->offset[1] = l.offset[1];
            pipe->reach = l.reach;
            pipe->layer_count = count;
            pipe->pitch = (float)pitch;
            pipe->layer_gap = gap;
        }
    pipe->area = cells * (dim == 3 ? spacing * spacing : spacing);
    return RN_OK;
}

/* The nearest wall at x and how fast the stream moves away from it: the cosine. */
static float wall_at(const rn_fluid *f, const rni_pipe *pipe, const float x[3], float *away)
{
    const rni_walls *walls = f->walls;
    uint32_t count;
    const uint32_t *list = rni_walls_near(walls, x, &count);
    float least = INFINITY, n[3];
    for (uint32_t k = 0; k < count; k++) {
        float d = rni_solid_distance(&walls->solids[list[k]], x, n);
        if (d >= least) continue;
        least = d;
        *away = n[0] * pipe->direction[0] + n[1] * pipe->direction[1] + n[2] * pipe->direction[2];
    }
    return least;
}

/* A mouth may be in the face of a wall: a stream that leaves at least this steeply (the cosine of
 * the angle to the normal) starts where it has left the wall. */
#define STEEP 0.25f

/* Moves x along the stream until it is half a spacing out of the wall it comes from. */
static void leave_wall(const rn_fluid *f, const rni_pipe *pipe, float x[3])
{
    float away = 0, length = 0, start[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 8 && length <= pipe->exit_length_max; k++) {
        float lack = 0.5f * f->def.spacing - wall_at(f, pipe, x, &away);
        if (lack <= 1e-3f * f->def.spacing || away < STEEP) return;
        length += lack / away;
        for (int a = 0; a < 3; a++) x[a] = start[a] + length * pipe->direction[a];
    }
}

/* The next place of a layer that is `ahead` of the mouth; false past the last. */
static bool layer_place(const rn_fluid *f, const rni_pipe *pipe, float ahead, int64_t *cursor,
                        float x[3])
{
    lattice l = {{pipe->offset[0], pipe->offset[1]}, pipe->reach};
    float u, v;
    if (!lattice_next(&l, f->def.dim, cursor, &u, &v)) return false;
    for (int a = 0; a < 3; a++)
        x[a] = pipe->def.center[a] + pipe->pitch * (u * pipe->across[0][a]) +
               pipe->pitch * (v * pipe->across[1][a]);
    leave_wall(f, pipe, x);
    for (int a = 0; a < 3; a++) x[a] += ahead * pipe->direction[a];
    return true;
}

/* Whether anything can come out of the mouth. */
static rn_result check_mouth(const rn_fluid *f, const rni_pipe *pipe)
{
    const float *c = pipe->def.center, slack = 0.02f * f->def.spacing;
    float away = 0, distance = wall_at(f, pipe, c, &away);
    double at[3] = {(double)c[0], (double)c[1], (double)c[2]};
    if (distance > slack) return RN_OK;
    if (distance < -slack)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pipe: the mouth's center (%g, %g, %g) is in a solid, %g m deep; move it into "
                        "the open",
                        at[0], at[1], at[2], (double)-distance);
    if (away >= STEEP) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT,
                    "pipe: the mouth's center (%g, %g, %g) is on a wall and the stream goes %s it; "
                    "turn direction away from the wall, or move center off it",
                    at[0], at[1], at[2], away < -STEEP ? "into" : "along");
}

static rn_result make_pipe(rn_fluid *f, const rn_fluid_pipe *def, rni_pipe *pipe)
{
    rn_result result = check_pipe(f, def);
    if (result == RN_OK) result = rni_walls_ready(f);
    if (result != RN_OK) return result;
    rni_pipe made = *pipe;
    made.def = *def;
    if (f->def.dim == 2) made.def.center[2] = 0;
    made.exit_length_max = (def->radius + 2 * f->def.spacing) / STEEP;
    result = make_frame(&made, f->def.dim);
    if (result == RN_OK) result = fill_mouth(f, &made);
    if (result == RN_OK) result = check_mouth(f, &made);
    if (result != RN_OK) return result;
    float x[3] = {made.def.center[0], made.def.center[1], made.def.center[2]};
    leave_wall(f, &made, x);
    made.lead = 0;
    for (int a = 0; a < 3; a++) made.lead += (x[a] - made.def.center[a]) * made.direction[a];
    *pipe = made;
    return result;
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
    pipe.travelled = pipe.layer_gap; /* the first layer comes at once */
    uint32_t k = 0;
    while (k < s->pipe_count && !s->pipes[k].is_gone) k++;
    if (k == s->pipe_count) {
        result = rni_buffer_grow(&f->memory, &s->pipe_buffer, k + 1u, sizeof pipe);
        if (result != RN_OK) return result;
        s->pipes = s->pipe_buffer.data;
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

uint64_t rn_fluid_get_pipe_count(const rn_fluid *f, rn_fluid_id id)
{
    const rni_pipe *pipe = pipe_of(f, id);
    return pipe ? pipe->poured : 0;
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

/* --- pouring
 * -------------------------------------------------------------------------------------- */

/* Particles near the mouth, so that no layer is added on top of them. */
static uint32_t list_near(const rn_fluid *f, const rni_pipe *pipe, uint32_t *near)
{
    float reach = pipe->def.radius + pipe->exit_length_max + 3 * f->def.spacing;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i];
        float d[3] = {x[0] - pipe->def.center[0], x[1] - pipe->def.center[1],
                      x[2] - pipe->def.center[2]};
        if (fabsf(d[0]) > reach || fabsf(d[1]) > reach || fabsf(d[2]) > reach) continue;
        near[count++] = i;
    }
    return count;
}

static bool is_free(const rn_fluid *f, const rni_pipe *pipe, const uint32_t *near,
                    uint32_t near_count, const float x[3])
{
    /* Closer particles would be compressed. */
    float least = 0.9f * fminf(f->def.spacing, (float)pipe->layer_gap);
    for (uint32_t k = 0; k < near_count; k++) {
        const float *y = f->now.position[near[k]];
        float d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < least * least) return false;
    }
    return rni_walls_distance(f, x) >= f->walls->contact;
}

/* The share of its speed that a pipe keeps against the pressure around its mouth, like a pump: all
 * of it up to the pressure that depth and streams can cause, none at twice that pressure, when the
 * vessel is full. */
static float strength_of(const rn_fluid *f, const rni_pipe *pipe, float speed)
{
    float g[3], reach = pipe->def.radius + 2 * f->def.spacing, sum = 0;
    float fastest = f->derived.speed_expected, energy = fastest * fastest + speed * speed;
    const float *c = pipe->def.center;
    uint32_t count = 0;
    rni_fluid_gravity(f, g);
    for (uint32_t a = 0; a < f->def.dim; a++)
        energy += 2 * fabsf(g[a]) * (f->def.domain_high[a] - f->def.domain_low[a]);
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i], d[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > reach * reach) continue;
        sum += f->pressure[i], count++;
    }
    const float against = count > 0 ? sum / (float)count / (f->def.rest_density * energy) : 0.0f;
    const float share = fminf(1.0f, fmaxf(0.0f, 2 - 2 * against));
    return share * share * share; /* near the end the stream must not stir the fluid */
}

/* Folds x into the period, if there is one; false: x is past an open side. */
static bool fold_in(const rn_fluid *f, float x[3])
{
    for (uint32_t a = 0; a < f->def.dim; a++) {
        float low = f->def.domain_low[a], high = f->def.domain_high[a];
        if (f->def.periodic[a]) x[a] += x[a] < low ? high - low : x[a] >= high ? low - high : 0.0f;
        if (!(x[a] >= low && x[a] <= high)) return false;
    }
    return true;
}

rni_pipe_places rni_pipe_places_of(const rn_fluid *f, rn_fluid_id id)
{
    rni_pipe_places places = {0, 0};
    const rni_pipe *pipe = pipe_of(f, id);
    float x[3];
    for (int64_t cursor = 0; pipe && layer_place(f, pipe, 0, &cursor, x); places.all++)
        places.open += fold_in(f, x) && rni_walls_distance(f, x) >= f->walls->contact;
    return places;
}

/* Adds one layer that has moved by `ahead` (m) since it left the mouth. */
static rn_result pour_layer(rn_fluid *f, rni_pipe *pipe, float ahead, float speed,
                            rn_fluid_report *report)
{
    rn_result result = RN_OK;
    uint64_t wanted = (uint64_t)f->now.count + pipe->layer_count;
    if (wanted > f->def.max_particles) wanted = f->def.max_particles;
    result = rni_attributes_reserve(f, wanted);
    if (result != RN_OK) return result;
    rni_arena_reset(&f->arena);
    uint32_t *near = rni_arena_take(&f->arena, ((size_t)f->now.count + 1) * sizeof *near);
    if (!near) return RN_ERROR_MEMORY;
    uint32_t near_count = list_near(f, pipe, near);
    float x[3], v[3];
    for (int a = 0; a < 3; a++) v[a] = pipe->direction[a] * speed;
    for (int64_t cursor = 0; layer_place(f, pipe, ahead, &cursor, x);) {
        if (pipe->def.max_particles > 0 && pipe->poured >= pipe->def.max_particles) return RN_OK;
        if (f->now.count >= f->def.max_particles) {
            report->flags |= RN_FLAG_FULL;
            return RN_OK;
        }
        if (!fold_in(f, x) || !is_free(f, pipe, near, near_count, x)) {
            report->flags |= RN_FLAG_BLOCKED;
            continue;
        }
        rni_particle_add(f, x, v);
        pipe->poured++;
        report->came++;
    }
    return RN_OK;
}

/* Gives particle i at least `least` m/s along n at the end of the next step, which pushes as this
 * one did. */
static void hurry(rn_fluid *f, uint32_t i, const float n[3], float least, float most, float time_step)
{
    float *v = f->now.velocity[i];
    const float *push = f->now.acceleration[i];
    float own = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    float against = -(push[0] * n[0] + push[1] * n[1] + push[2] * n[2]) * time_step;
    float lack = least + fminf(fmaxf(against, 0.0f), most) - own;
    if (!(lack > 1e-4f * most)) return; /* rounding */
    for (int a = 0; a < 3; a++) v[a] += lack * n[a];
}

/* Particles in the mouth move with the stream as far as the first layer, also those that were there
 * before: a mouth under the surface clears itself. The pipe also has a back and a rim: particles
 * right behind the mouth do not follow the stream, and those beside it do not flow into the gap
 * behind the last layer. */
static void carry(rn_fluid *f, const rni_pipe *pipe, float speed, float time_step)
{
    float gap = (float)pipe->layer_gap, spacing = f->def.spacing;
    float back = pipe->lead - 0.9f * spacing, begin = pipe->lead - 0.1f * spacing;
    float end = pipe->lead + gap;
    float wide = pipe->def.radius + 0.25f * spacing;
    float rim = fmaxf(wide, pipe->reach * pipe->pitch + 0.9f * spacing), reach = rim + end;
    const float *c = pipe->def.center, *n = pipe->direction;
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i];
        float d[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
        if (fabsf(d[0]) > reach || fabsf(d[1]) > reach || fabsf(d[2]) > reach) continue;
        float along = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
        float aside_sq = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - along * along;
        if (along < back || along > end || aside_sq > rim * rim) continue;
        const bool is_beside = aside_sq > wide * wide;
        if (!is_beside && (along >= begin || pipe->lead > 0)) {
            hurry(f, i, n, speed, speed, time_step);
            continue;
        }
        float away[3];
        for (int a = 0; a < 3; a++)
            away[a] = is_beside ? (d[a] - along * n[a]) / sqrtf(aside_sq) : -n[a];
        hurry(f, i, away, 0.25f * speed, speed, time_step);
    }
}

static rn_result pour(rn_fluid *f, rni_pipe *pipe, float time_step, rn_fluid_report *report)
{
    if (pipe->def.max_particles > 0 && pipe->poured >= pipe->def.max_particles) return RN_OK;
    if (f->now.count >= f->def.max_particles) report->flags |= RN_FLAG_FULL;
    double full = pipe->def.flow_rate > 0 ? (double)pipe->def.flow_rate / pipe->area
                                          : (double)pipe->def.speed;
    double speed = full * factor_at(&pipe->def, f->time), gap = pipe->layer_gap;
    if (speed > 0) {
        const float strength = strength_of(f, pipe, (float)speed);
        if (strength < 1) speed *= (double)strength, report->flags |= RN_FLAG_BLOCKED;
    }
    pipe->travelled += speed * (double)time_step;
    if (speed > 0) carry(f, pipe, (float)speed, time_step);
    /* More than a few layers in one step would be a jump: the step is too long for that. */
    for (int layers = 0; pipe->travelled >= gap && layers < 8; layers++) {
        pipe->travelled -= gap;
        rn_result result =
            pour_layer(f, pipe, (float)fmin(pipe->travelled, 2 * gap), (float)speed, report);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- outlets and open sides
 * ----------------------------------------------------------------------- */

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
        rn_result result = rni_buffer_grow(&f->memory, &s->outlet_buffer, k + 1u, sizeof outlet);
        if (result != RN_OK) return result;
        s->outlets = s->outlet_buffer.data;
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

/* Where a particle leaves. 0: nowhere; 1: past an open side; 2 + k: into outlet k. */
static uint32_t exit_of(const rn_fluid *f, const float x[3])
{
    const rni_sources *s = f->sources;
    for (uint32_t k = 0; k < s->outlet_count; k++)
        if (!s->outlets[k].is_gone &&
            is_inside(x, s->outlets[k].def.low, s->outlets[k].def.high, f->def.dim))
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

static rn_result remove_leavers(rn_fluid *f, rn_fluid_report *report)
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
            const uint32_t where = exit_of(f, f->now.position[i]);
            if (where == 0) continue;
            if (where >= 2) s->outlets[where - 2].removed++;
            rni_particle_remove(f, i);
            report->left++;
        }
    }
    return RN_OK;
}

rn_result rni_stage_sources(rn_fluid *f, float time_step, rn_fluid_report *report)
{
    rn_result result = remove_leavers(f, report);
    for (uint32_t k = 0; k < f->sources->pipe_count && result == RN_OK; k++)
        if (!f->sources->pipes[k].is_gone)
            result = pour(f, &f->sources->pipes[k], time_step, report);
    f->came_all += report->came;
    f->left_all += report->left;
    return result;
}
