#include "fluid/pipes.h"

#include "base/error.h"
#include "base/pi.h"
#include "fluid/phases.h"
#include "fluid/sound.h"
#include "fluid/walls.h"

#include <math.h>

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
    if (!(p->head >= 0 && p->head <= 1e6f))
        return rni_fail(RN_ERROR_ARGUMENT, "pipe: head is %g m; it must be 0 or more",
                        (double)p->head);
    if (!(p->sine_amplitude >= 0 && p->sine_amplitude <= 1e6f) ||
        !(p->sine_frequency >= 0 && p->sine_frequency <= 1e6f) || !(fabsf(p->sine_phase) <= 3600))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "pipe: the sine has amplitude %g, frequency %g Hz and phase %g degrees; the "
                        "first two must be from 0 to 1e6, the phase from -3600 to 3600",
                        (double)p->sine_amplitude, (double)p->sine_frequency, (double)p->sine_phase);
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
    rn_result result = rni_phases_check_number(f, "pipe", p->phase, false);
    if (result != RN_OK) return result;
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (!(p->center[a] >= f->def.domain_low[a] && p->center[a] <= f->def.domain_high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "pipe: the mouth's center (%g, %g, %g) is outside the "
                            "domain",
                            (double)p->center[0], (double)p->center[1],
                            (double)(f->def.dim == 3 ? p->center[2] : 0));
    return RN_OK;
}

/* m / s: the fastest that a pipe ever pours. */
static double fastest_of(const rn_fluid *f, const rn_fluid_pipe *p)
{
    const double r = (double)p->radius, area = f->def.dim == 3 ? RNI_PI * r * r : 2 * r;
    double factor = p->stop_count > 0 ? 0 : 1;
    for (uint32_t k = 0; k < p->stop_count; k++) factor = fmax(factor, (double)p->stop_factor[k]);
    factor *= 1 + (double)p->sine_amplitude;
    const float *g = f->def.params.gravity;
    if (p->head > 0)
        return factor *
               sqrt(2 * (double)p->head * sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])));
    return factor * (p->flow_rate > 0 ? (double)p->flow_rate / area : (double)p->speed);
}

static rn_result make_pipe(rn_fluid *f, const rn_fluid_pipe *def, rni_pipe *pipe)
{
    rn_result result = check_pipe(f, def);
    if (result == RN_OK) result = rni_walls_ready(f);
    if (result != RN_OK) return result;
    rni_pipe made = *pipe;
    made.def = *def;
    if (f->def.dim == 2) made.def.center[2] = 0;
    result = rni_pipe_shape(f, &made);
    if (result != RN_OK) return result;
    *pipe = made;
    rni_sound_note_stream(f, made.def.center, fastest_of(f, &made.def));
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

rni_pipe *rni_pipe_of(const rn_fluid *f, rn_fluid_id id)
{
    const rni_sources *s = f->sources;
    if (id.index < 1 || id.index > s->pipe_count) return NULL;
    rni_pipe *pipe = &s->pipes[id.index - 1];
    return pipe->is_gone || pipe->generation != id.generation ? NULL : pipe;
}

rn_result rn_fluid_set_pipe(rn_fluid *f, rn_fluid_id id, const rn_fluid_pipe *def)
{
    rni_pipe *pipe = rni_pipe_of(f, id);
    return pipe ? make_pipe(f, def, pipe) : rni_no_such("pipe", id);
}

rn_result rn_fluid_remove_pipe(rn_fluid *f, rn_fluid_id id)
{
    rni_pipe *pipe = rni_pipe_of(f, id);
    if (!pipe) return rni_no_such("pipe", id);
    pipe->is_gone = true;
    return RN_OK;
}

uint64_t rn_fluid_get_pipe_count(const rn_fluid *f, rn_fluid_id id)
{
    const rni_pipe *pipe = rni_pipe_of(f, id);
    return pipe ? pipe->poured : 0;
}
