/* Blocks, balls, and the caller's own particles, added at once. */
#include "base/error.h"
#include "base/output.h"
#include "base/random.h"
#include "fluid/lattice.h"
#include "fluid/mesh_walls.h"
#include "fluid/pack.h"
#include "fluid/particles.h"
#include "fluid/phases.h"
#include "fluid/top_up.h"
#include "fluid/walls.h"

#include <math.h>

/* Fluid below or above a block, along the axis of gravity. Blocks end half a layer from the face
 * that was asked for, so the next block starts where the last one ends. */
static void meet_fluid(const rn_fluid *f, rni_extent *e)
{
    double spacing = (double)f->def.spacing, below = -HUGE_VAL, above = HUGE_VAL;
    uint32_t side, up = rni_up_axis(&f->def, &side);
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float *x = f->now.position[i];
        bool is_aside = false;
        for (uint32_t a = 0; a < f->def.dim; a++)
            is_aside =
                is_aside || (a != up && !((double)x[a] > e->low[a] && (double)x[a] < e->high[a]));
        double y = (double)x[up];
        if (is_aside || y <= e->low[up] - spacing || y >= e->high[up] + spacing) continue;
        if (y < e->low[up] + spacing) below = fmax(below, y);
        else if (y > e->high[up] - spacing) above = fmin(above, y);
        else return; /* fluid in the middle of the block: no face to meet */
    }
    bool is_held[2] = {below > -HUGE_VAL, above < HUGE_VAL};
    double low = is_held[0] ? below + 0.5 * spacing : e->low[up];
    double high = is_held[1] ? above - 0.5 * spacing : e->high[up];
    if (high - low < spacing) return;
    e->low[up] = low, e->high[up] = high;
    for (int k = 0; k < 2; k++) e->is_held[up][k] = e->is_held[up][k] || is_held[k];
}

static rn_result check_box(const rn_fluid *f, const float low[3], const float high[3],
                           const char *what)
{
    for (uint32_t a = 0; a < f->def.dim; a++) {
        double length = (double)high[a] - (double)low[a], spacing = (double)f->def.spacing;
        if (!isfinite(low[a]) || !isfinite(high[a]) || !(low[a] < high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "%s: from %g to %g along %c; low must be below high, "
                            "both finite",
                            what, (double)low[a], (double)high[a], "xyz"[a]);
        if (length / spacing + 1e-3 < 1)
            return rni_fail(RN_ERROR_ARGUMENT, "%s: %g m along %c are less than a spacing (%g m)",
                            what, length, "xyz"[a], spacing);
    }
    return RN_OK;
}

static rn_result make_lattice(const rn_fluid *f, const float low[3], const float high[3],
                              const char *what, bool is_ball, rni_extent *box, rni_lattice *l)
{
    rn_result result = check_box(f, low, high, what);
    if (result != RN_OK) return result;
    double spacing = (double)f->def.spacing;
    *box = rni_extent_make(&f->def, spacing, low, high);
    if (!is_ball) meet_fluid(f, box);
    *l = is_ball ? rni_lattice_cubic(f->def.dim, spacing, box)
                 : rni_lattice_fit(&f->def, spacing, box);
    if (rni_lattice_count(l) <= (double)f->def.max_particles) return RN_OK;
    return rni_fail(RN_ERROR_LIMIT,
                    "%s: more than max_particles (%u) would be needed; raise it "
                    "or take a larger spacing",
                    what, f->def.max_particles);
}

typedef struct filling {
    const char *what;
    float low[3], high[3], velocity[3], jitter;
    const float *center; /* of a ball, else NULL */
    float radius;
    uint32_t phase;
    rn_fluid_place_fn place; /* NULL: every place */
    void *user;
} filling;

/* Of the spacing: larger than the holes in a lattice, where places of another lattice would fit. */
#define HOLE 0.95f

static bool is_in_filling(const rn_fluid *f, const filling *w, const float x[3])
{
    float d_sq = 0;
    for (uint32_t a = 0; a < f->def.dim; a++) {
        if (!(x[a] >= w->low[a] && x[a] <= w->high[a])) return false;
        if (w->center) d_sq += (x[a] - w->center[a]) * (x[a] - w->center[a]);
    }
    return !w->center || d_sq <= w->radius * w->radius;
}

/* Of several fluids: particles of others become this one. Returns how many. */
static uint32_t replace(rn_fluid *f, const filling *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; f->fluid_number && i < f->now.count; i++) {
        float v[3] = {w->velocity[0], w->velocity[1], w->velocity[2]};
        if (f->fluid_number[i] == w->phase || !is_in_filling(f, w, f->now.position[i])) continue;
        if (w->place && !w->place(w->user, f->now.position[i], v)) continue;
        for (uint32_t a = 0; a < 3 && a < f->def.dim; a++) f->now.velocity[i][a] = v[a];
        f->fluid_number[i] = w->phase;
        f->true_density[i] = f->phase[w->phase].ratio * f->density[i];
        count++;
    }
    return count;
}

/* Whether the block is the part of a box that a function chooses, among solids: it is filled by volume. */
static bool is_vessel(const rn_fluid *f, const filling *w)
{
    return w->place && !w->center && !rni_has_bare_walls(&f->def) && f->walls->solid_count > 1;
}

/* A block among solids is packed. Other particles keep nearly half a layer from walls: much closer,
 * at a slope or a round wall, they would be thrown out again. */
static rn_result place(rn_fluid *f, const filling *w, const rni_extent *box, const rni_lattice *l,
                       float (*x)[3], float (*v)[3], uint32_t count, rn_fluid_added *added)
{
    float spacing = f->def.spacing, least = spacing;
    for (uint32_t a = 0; a < f->def.dim; a++) least = fminf(least, (float)l->pitch[a]);
    float clearance = fmaxf(0.1f * spacing, (0.45f * least - w->jitter * spacing));
    if (rni_has_bare_walls(&f->def)) clearance = 0;
    uint32_t candidates = count, outside = 0;
    for (uint32_t k = 0; k < count; k++) outside += !rni_is_in_domain(&f->def, x[k]);
    if (!w->center && !rni_has_bare_walls(&f->def) && f->walls->solid_count > 1) {
        rn_result result = rni_walls_ready(f);
        if (result == RN_OK) result = rni_mesh_walls_ready(f);
        if (result == RN_OK) result = rni_pack(f, box, is_vessel(f, w), x, &count);
        if (result != RN_OK) return result;
        clearance = fminf(clearance, 0.9f * rni_pack_clearance(f));
    }
    /* Jitter brings neighbours closer by twice itself, and removes no particle. */
    float apart = fminf(RNI_LEAST_APART * spacing, 0.95f * (least - 2 * w->jitter * spacing));
    rn_fluid_added tally = rn_fluid_added_default();
    const uint32_t replaced = replace(f, w);
    const rni_candidates candidates_of = {.position = x[0],
                                          .velocity = v[0],
                                          .count = count,
                                          .phase = w->phase,
                                          .clearance = clearance,
                                          .apart = apart,
                                          .apart_old = replaced > 0 ? HOLE * spacing : 0,
                                          .is_filling = true};
    rn_result result = rni_particles_add(f, &candidates_of, &tally);
    if (result != RN_OK) return result;
    const uint32_t left_out = candidates - tally.added - tally.overlapping;
    tally.outside_domain = outside < left_out ? outside : left_out; /* packing moves particles */
    tally.in_walls = left_out - tally.outside_domain;
    tally.replaced = replaced;
    if (replaced > 0) tally.overlapping = 0; /* they are there, as older particles */
    rni_output_write(added, &tally, sizeof tally);
    return RN_OK;
}

rn_fluid_added rn_fluid_added_default(void)
{
    return (rn_fluid_added){.struct_bytes = sizeof(rn_fluid_added)};
}

static rn_result check_added(const rn_fluid_added *added)
{
    return rni_output_check(added, RNI_OUTPUT_BYTES(rn_fluid_added, overlapping), "rn_fluid_added");
}

static rn_result fill(rn_fluid *f, const filling *w, rn_fluid_added *added)
{
    rni_extent box;
    rni_lattice l;
    rn_result result = check_added(added);
    if (result != RN_OK) return result;
    result = rni_phases_check_number(f, w->what, w->phase, false);
    if (result != RN_OK) return result;
    result = make_lattice(f, w->low, w->high, w->what, w->center != NULL, &box, &l);
    if (result != RN_OK) return result;
    if (!(w->jitter >= 0 && w->jitter <= 0.3f))
        return rni_fail(RN_ERROR_ARGUMENT, "%s: jitter is %g; it must be from 0 to 0.3", w->what,
                        (double)w->jitter);
    size_t bytes = (size_t)rni_lattice_count(&l) * sizeof(float[3]);
    const size_t cells = (size_t)rni_lattice_count(&l);
    uint8_t *is_full = NULL; /* by cell, of a vessel */
    float(*x)[3] = rni_memory_take(&f->memory, bytes);
    float(*v)[3] = rni_memory_take(&f->memory, bytes);
    if (is_vessel(f, w)) is_full = rni_memory_take(&f->memory, cells);
    if (!x || !v || (is_vessel(f, w) && !is_full)) {
        result = RN_ERROR_MEMORY;
        goto done;
    }
    const rni_vessel vessel = {
        &l, is_full, w->place, w->user, {w->velocity[0], w->velocity[1], w->velocity[2]}};
    if (is_full) rni_align_with_level(f, &vessel, &box, &l);
    rni_random random = rni_random_make(f->def.seed + f->next_id);
    uint32_t used = 0;
    float spacing = f->def.spacing, shake = w->jitter * spacing;
    for (uint32_t k = 0; k < (uint32_t)l.count[2]; k++)
        for (uint32_t j = 0; j < (uint32_t)l.count[1]; j++)
            for (uint32_t i = 0; i < (uint32_t)l.count[0]; i++) {
                uint32_t at[3] = {i, j, k};
                float d_sq = 0;
                for (uint32_t a = 0; a < 3; a++) {
                    x[used][a] = (float)l.first[a] + (float)at[a] * (float)l.pitch[a];
                    if (w->center && a < f->def.dim)
                        d_sq += (x[used][a] - w->center[a]) * (x[used][a] - w->center[a]);
                    if (shake > 0 && a < f->def.dim)
                        x[used][a] += rni_random_float(&random, -shake, shake);
                    v[used][a] = w->velocity[a];
                }
                bool is_wanted = !w->center || d_sq <= w->radius * w->radius;
                if (is_wanted && w->place) is_wanted = w->place(w->user, x[used], v[used]);
                used += is_wanted;
                if (is_full)
                    is_full[(k * (uint32_t)l.count[1] + j) * (uint32_t)l.count[0] + i] = is_wanted;
            }
    if (is_full) {
        result = rni_top_up(f, &vessel, x, v, &used);
        if (result != RN_OK) goto done;
    }
    result = place(f, w, &box, &l, x, v, used, added);
done:
    rni_memory_give(&f->memory, is_full, is_full ? cells : 0);
    rni_memory_give(&f->memory, v, bytes);
    rni_memory_give(&f->memory, x, bytes);
    return result;
}

rn_fluid_block rn_fluid_block_default(void)
{
    return (rn_fluid_block){.struct_bytes = sizeof(rn_fluid_block)};
}

rn_result rn_fluid_add_block(rn_fluid *f, const rn_fluid_block *b, rn_fluid_added *added)
{
    if (b->struct_bytes != sizeof *b)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the block has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_block_default()",
                        b->struct_bytes, sizeof *b);
    filling w = {
        .what = "block", .jitter = b->jitter, .phase = b->phase, .place = b->place, .user = b->user};
    for (int a = 0; a < 3; a++)
        w.low[a] = b->low[a], w.high[a] = b->high[a], w.velocity[a] = b->velocity[a];
    return fill(f, &w, added);
}

rn_fluid_ball rn_fluid_ball_default(void)
{
    return (rn_fluid_ball){.struct_bytes = sizeof(rn_fluid_ball)};
}

rn_result rn_fluid_add_ball(rn_fluid *f, const rn_fluid_ball *b, rn_fluid_added *added)
{
    if (b->struct_bytes != sizeof *b)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the ball has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_ball_default()",
                        b->struct_bytes, sizeof *b);
    filling w = {.what = "ball",
                 .jitter = b->jitter,
                 .phase = b->phase,
                 .center = b->center,
                 .radius = b->radius,
                 .place = b->place,
                 .user = b->user};
    for (int a = 0; a < 3; a++) {
        w.low[a] = b->center[a] - b->radius;
        w.high[a] = b->center[a] + b->radius;
        w.velocity[a] = b->velocity[a];
    }
    return fill(f, &w, added);
}

rn_result rn_fluid_add_particles(rn_fluid *f, const float *position, const float *velocity,
                                 uint32_t count, rn_fluid_added *added)
{
    return rn_fluid_add_phase_particles(f, 0, position, velocity, count, added);
}

rn_result rn_fluid_add_phase_particles(rn_fluid *f, uint32_t phase, const float *position,
                                       const float *velocity, uint32_t count, rn_fluid_added *added)
{
    rn_fluid_added tally = rn_fluid_added_default();
    rn_result result = check_added(added);
    if (result == RN_OK) result = rni_phases_check_number(f, "particles", phase, false);
    if (result != RN_OK) return result;
    if (count > 0 && !position) return rni_fail(RN_ERROR_ARGUMENT, "position is NULL");
    const rni_candidates candidates = {.position = position,
                                       .velocity = velocity,
                                       .count = count,
                                       .phase = phase,
                                       .clearance = f->walls->contact,
                                       .apart = RNI_LEAST_APART * f->def.spacing};
    result = rni_particles_add(f, &candidates, &tally);
    if (result == RN_OK) rni_output_write(added, &tally, sizeof tally);
    return result;
}
