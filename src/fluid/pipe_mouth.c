#include "fluid/pipes.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/derive.h"
#include "fluid/kernels.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

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

/* When the particles of a column enter, as a share of the time from one to the next. The shares of
 * neighbouring columns differ by about a half, and no two columns have the same: the stream is a
 * sheared lattice, of the density of a cubic one to 0.3 %, and its particles enter one by one. */
static double phase_of(const lattice *l, float u, float v)
{
    const double shift = 0.61803399 * rint((double)(u - l->offset[0])) +
                         0.41421356 * rint((double)(v - l->offset[1]));
    return shift - floor(shift);
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
        int layers = (int)(h / gap) + 1;
        for (int k = -layers; k <= layers; k++) {
            const double dw = gap * (k + phase_of(l, u, v));
            double r = sqrt(du * du + dv * dv + dw * dw);
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
    double rest = 1 / ((double)f->derived.density_factor * pow(spacing, dim)), least = HUGE_VAL;
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
    /* Sheared, the lattice may be denser by a little, which a stiff fluid would not bear. */
    const lattice chosen = {{pipe->offset[0], pipe->offset[1]}, pipe->reach};
    double denser = stream_density(f, &chosen, (double)pipe->pitch, pipe->layer_gap) / rest;
    if (denser > 0.99) pipe->pitch *= (float)pow(fmax(1, 1.001 * denser), dim == 3 ? 0.5 : 1);
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

static bool find_place(const rn_fluid *f, const rni_pipe *pipe, int64_t *cursor, rni_pipe_place *place)
{
    lattice l = {{pipe->offset[0], pipe->offset[1]}, pipe->reach};
    float u, v;
    if (!lattice_next(&l, f->def.dim, cursor, &u, &v)) return false;
    for (int a = 0; a < 3; a++)
        place->x[a] = pipe->def.center[a] + pipe->pitch * (u * pipe->across[0][a]) +
                      pipe->pitch * (v * pipe->across[1][a]);
    leave_wall(f, pipe, place->x);
    float x[3] = {place->x[0], place->x[1], place->x[2]};
    place->is_open = rni_fold_in(f, x) && rni_walls_distance(f, x) >= f->walls->contact;
    place->phase = phase_of(&l, u, v);
    return true;
}

bool rni_pipe_place_next(const rn_fluid *f, rni_pipe *pipe, rni_pipe_walk *walk, rni_pipe_place *place)
{
    if (pipe->known_count == 0 || pipe->wall_version != f->walls->version) {
        pipe->wall_version = f->walls->version;
        pipe->known_count = 0, pipe->known_cursor = 0;
        while (pipe->known_count < RNI_PIPE_KNOWN &&
               find_place(f, pipe, &pipe->known_cursor, &pipe->known[pipe->known_count]))
            pipe->known_count++;
    }
    if (walk->n < pipe->known_count) {
        *place = pipe->known[walk->n++];
        return true;
    }
    if (walk->n++ == pipe->known_count) walk->cursor = pipe->known_cursor;
    return find_place(f, pipe, &walk->cursor, place);
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

rn_result rni_pipe_shape(const rn_fluid *f, rni_pipe *pipe)
{
    pipe->known_count = 0;
    pipe->exit_length_max = (pipe->def.radius + 2 * f->def.spacing) / STEEP;
    rn_result result = make_frame(pipe, f->def.dim);
    if (result == RN_OK) result = fill_mouth(f, pipe);
    if (result == RN_OK) result = check_mouth(f, pipe);
    if (result != RN_OK) return result;
    float x[3] = {pipe->def.center[0], pipe->def.center[1], pipe->def.center[2]};
    leave_wall(f, pipe, x);
    pipe->lead = 0;
    for (int a = 0; a < 3; a++) pipe->lead += (x[a] - pipe->def.center[a]) * pipe->direction[a];
    pipe->driven = f->derived.radius;
    pipe->begin = pipe->lead - (pipe->lead > 0 ? 0.9f : 0.1f) * f->def.spacing;
    pipe->wide = pipe->reach * pipe->pitch + 0.3f * f->def.spacing;
    pipe->back = pipe->lead - 0.9f * f->def.spacing;
    pipe->rim = pipe->reach * pipe->pitch + 0.9f * f->def.spacing;
    return RN_OK;
}

bool rni_fold_in(const rn_fluid *f, float x[3])
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
    rni_pipe *pipe = rni_pipe_of(f, id);
    rni_pipe_walk walk = {0};
    rni_pipe_place place;
    for (; pipe && rni_pipe_place_next(f, pipe, &walk, &place); places.all++)
        places.open += place.is_open;
    return places;
}
