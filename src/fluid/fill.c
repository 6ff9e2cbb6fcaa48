/* Water that is there at once: blocks, balls, and the caller's own particles. */
#include "base/error.h"
#include "base/random.h"
#include "fluid/particles.h"
#include "fluid/walls.h"

#include <math.h>

typedef struct lattice {
    float low[3];
    uint32_t count[3];
    uint64_t all;
} lattice;

static rn_result make_lattice(const rn_fluid *f, const float low[3], const float high[3],
                              const char *what, lattice *l)
{
    double spacing = (double)f->def.spacing, all = 1;
    for (uint32_t a = 0; a < 3; a++) {
        l->low[a] = 0;
        l->count[a] = 1;
        if (a >= f->def.dim) continue;
        if (!isfinite(low[a]) || !isfinite(high[a]) || !(low[a] < high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "%s: from %g to %g along %c; low must be below high, "
                            "both finite",
                            what, (double)low[a], (double)high[a], "xyz"[a]);
        /* A hair of tolerance: 0.4 / 0.1 is four. */
        double n = floor(((double)high[a] - (double)low[a]) / spacing + 1e-3);
        if (n < 1)
            return rni_fail(RN_ERROR_ARGUMENT, "%s: %g m along %c are less than a spacing (%g m)",
                            what, (double)high[a] - (double)low[a], "xyz"[a], spacing);
        all *= n;
        if (all > (double)f->def.max_particles)
            return rni_fail(RN_ERROR_LIMIT,
                            "%s: more than max_particles (%u) would be needed; raise it "
                            "or take a larger spacing",
                            what, f->def.max_particles);
        l->count[a] = (uint32_t)n;
        /* What does not fill a whole spacing is shared by both ends. */
        double rest = (double)high[a] - (double)low[a] - n * spacing;
        l->low[a] = (float)((double)low[a] + 0.5 * spacing + 0.5 * fmax(0, rest));
    }
    l->all = (uint64_t)all;
    return RN_OK;
}

typedef struct filling {
    const char *what;
    float low[3], high[3], velocity[3], jitter;
    const float *center; /* of a ball, else NULL */
    float radius;
} filling;

static rn_result fill(rn_fluid *f, const filling *w, rn_fluid_added *added)
{
    lattice l;
    rn_result result = make_lattice(f, w->low, w->high, w->what, &l);
    if (result != RN_OK) return result;
    if (!(w->jitter >= 0 && w->jitter <= 0.3f))
        return rni_fail(RN_ERROR_ARGUMENT, "%s: jitter is %g; it must be from 0 to 0.3", w->what,
                        (double)w->jitter);
    size_t bytes = (size_t)l.all * sizeof(float[3]);
    float(*x)[3] = rni_memory_take(&f->memory, bytes);
    float(*v)[3] = rni_memory_take(&f->memory, bytes);
    if (!x || !v) {
        result = RN_ERROR_MEMORY;
        goto done;
    }
    rni_random random = rni_random_make(f->def.seed + f->next_id);
    uint32_t used = 0;
    float spacing = f->def.spacing, shake = w->jitter * spacing;
    for (uint32_t k = 0; k < l.count[2]; k++)
        for (uint32_t j = 0; j < l.count[1]; j++)
            for (uint32_t i = 0; i < l.count[0]; i++) {
                uint32_t at[3] = {i, j, k};
                float d_sq = 0;
                for (uint32_t a = 0; a < 3; a++) {
                    x[used][a] = l.low[a] + (float)at[a] * spacing;
                    if (w->center && a < f->def.dim)
                        d_sq += (x[used][a] - w->center[a]) * (x[used][a] - w->center[a]);
                    if (shake > 0 && a < f->def.dim)
                        x[used][a] += rni_random_float(&random, -shake, shake);
                    v[used][a] = w->velocity[a];
                }
                used += !w->center || d_sq <= w->radius * w->radius;
            }
    /* Half a spacing from a wall is the place of the first layer; much nearer, at a slope or a round
     * wall, a particle would be thrown out again. */
    float clearance = f->def.bare_walls ? 0.0f : fmaxf(0.1f, 0.45f - w->jitter) * spacing;
    result = rni_particles_add(f, x[0], v[0], used, clearance, added);
done:
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
    filling w = {.what = "block", .jitter = b->jitter};
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
    filling w = {.what = "ball", .jitter = b->jitter, .center = b->center, .radius = b->radius};
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
    if (count > 0 && !position) return rni_fail(RN_ERROR_ARGUMENT, "position is NULL");
    return rni_particles_add(f, position, velocity, count, f->walls->contact, added);
}
