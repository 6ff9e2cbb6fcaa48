/* The moving state as bytes, and its hash. All numbers little endian, floats as their bits. */
#include "base/error.h"
#include "fluid/particles.h"
#include "fluid/sources.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "state bytes are written as they lie");

/* "RNS1", then these, then an entry a pipe, an entry an outlet, position and velocity a particle. */
typedef struct state_head {
    char magic[4];
    uint32_t dim;
    uint32_t count;
    uint32_t next_id;
    double time;
    uint64_t step_count;
    uint64_t came_all, left_all;
    float last_stride;
    float spacing;
    uint32_t pipe_count, outlet_count;
} state_head;
_Static_assert(sizeof(state_head) == 64, "no holes");

typedef struct pipe_state {
    double travelled;
    uint64_t poured;
} pipe_state;

/* Places behind the last that is still there are no part of the state: who has added a pipe and
 * removed it again has the state of one who has not. */
static uint32_t pipes_of(const rni_sources *s)
{
    uint32_t count = s->pipe_count;
    while (count > 0 && s->pipes[count - 1].is_gone) count--;
    return count;
}

static uint32_t outlets_of(const rni_sources *s)
{
    uint32_t count = s->outlet_count;
    while (count > 0 && s->outlets[count - 1].is_gone) count--;
    return count;
}

uint64_t rn_fluid_state_bytes(const rn_fluid *f)
{
    return sizeof(state_head) + (uint64_t)pipes_of(f->sources) * sizeof(pipe_state) +
           (uint64_t)outlets_of(f->sources) * sizeof(uint64_t) +
           (uint64_t)f->now.count * 2 * sizeof(rni_record);
}

void rn_fluid_state_write(const rn_fluid *f, void *bytes)
{
    const rni_sources *s = f->sources;
    state_head head = {.magic = {'R', 'N', 'S', '1'},
                       .dim = f->def.dim,
                       .count = f->now.count,
                       .next_id = f->next_id,
                       .time = f->time,
                       .step_count = f->step_count,
                       .came_all = f->came_all,
                       .left_all = f->left_all,
                       .last_stride = f->last_stride,
                       .spacing = f->def.spacing,
                       .pipe_count = pipes_of(s),
                       .outlet_count = outlets_of(s)};
    char *to = bytes;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t k = 0; k < head.pipe_count; k++, to += sizeof(pipe_state)) {
        pipe_state p = {s->pipes[k].travelled, s->pipes[k].poured};
        memcpy(to, &p, sizeof p);
    }
    for (uint32_t k = 0; k < head.outlet_count; k++, to += sizeof(uint64_t))
        memcpy(to, &s->outlets[k].swallowed, sizeof(uint64_t));
    size_t array = (size_t)f->now.count * sizeof(rni_record);
    if (array == 0) return;
    memcpy(to, f->now.position, array);
    memcpy(to + array, f->now.velocity, array);
}

static rn_result check_head(const rn_fluid *f, const state_head *head, uint64_t byte_count)
{
    const rni_sources *s = f->sources;
    if (memcmp(head->magic, "RNS1", 4) != 0)
        return rni_fail(RN_ERROR_FILE,
                        "the state does not open with RNS1: it is no state of a fluid");
    if (head->dim != f->def.dim || head->spacing != f->def.spacing)
        return rni_fail(RN_ERROR_FILE,
                        "the state is of a %uD fluid with spacing %g m, this one is %uD "
                        "with %g m",
                        head->dim, (double)head->spacing, f->def.dim, (double)f->def.spacing);
    if (head->pipe_count != pipes_of(s) || head->outlet_count != outlets_of(s))
        return rni_fail(RN_ERROR_FILE, "the state has %u pipes and %u outlets, this fluid %u and %u",
                        head->pipe_count, head->outlet_count, pipes_of(s), outlets_of(s));
    if (head->count > f->def.max_particles)
        return rni_fail(RN_ERROR_LIMIT, "the state has %u particles, this fluid takes %u",
                        head->count, f->def.max_particles);
    if (!isfinite(head->time) || !isfinite(head->last_stride) || head->time < 0 ||
        head->last_stride < 0)
        return rni_fail(RN_ERROR_FILE, "the state's time is %g s, its last step %g s", head->time,
                        (double)head->last_stride);
    uint64_t wanted = sizeof *head + (uint64_t)head->pipe_count * sizeof(pipe_state) +
                      (uint64_t)head->outlet_count * sizeof(uint64_t) +
                      (uint64_t)head->count * 2 * sizeof(rni_record);
    if (wanted != byte_count)
        return rni_fail(RN_ERROR_FILE, "the state has %llu bytes where its head says %llu",
                        (unsigned long long)byte_count, (unsigned long long)wanted);
    return RN_OK;
}

static rn_result check_particles(const rn_fluid *f, const char *bytes, const state_head *head)
{
    size_t array = (size_t)head->count * sizeof(rni_record);
    for (uint32_t i = 0; i < head->count; i++) {
        rni_record x, v;
        uint32_t id;
        memcpy(x, bytes + (size_t)i * sizeof x, sizeof x);
        memcpy(v, bytes + array + (size_t)i * sizeof v, sizeof v);
        memcpy(&id, &v[3], sizeof id);
        for (int a = 0; a < 4; a++)
            if (!isfinite(x[a]) || (a < 3 && !isfinite(v[a])))
                return rni_fail(RN_ERROR_FILE, "the state's particle %u is not finite", i);
        /* A wall puts a particle back to within rounding: on the far side of it is not outside. */
        const float slack = 0.01f * f->def.spacing;
        for (uint32_t a = 0; a < f->def.dim; a++)
            if (x[a] < f->def.domain_low[a] - slack || x[a] > f->def.domain_high[a] + slack)
                return rni_fail(RN_ERROR_FILE, "the state's particle %u is outside the domain", i);
        if (id >= head->next_id)
            return rni_fail(RN_ERROR_FILE, "the state's particle %u has id %u, the next is %u", i,
                            id, head->next_id);
    }
    return RN_OK;
}

rn_result rn_fluid_state_read(rn_fluid *f, const void *bytes, uint64_t byte_count)
{
    state_head head;
    if (byte_count < sizeof head)
        return rni_fail(RN_ERROR_FILE, "the state has %llu bytes, fewer than its head",
                        (unsigned long long)byte_count);
    memcpy(&head, bytes, sizeof head);
    rn_result result = check_head(f, &head, byte_count);
    if (result != RN_OK) return result;
    rni_sources *s = f->sources;
    const char *pipes = (const char *)bytes + sizeof head;
    const char *outlets = pipes + (size_t)head.pipe_count * sizeof(pipe_state);
    const char *arrays = outlets + (size_t)head.outlet_count * sizeof(uint64_t);
    for (uint32_t k = 0; k < head.pipe_count; k++) {
        pipe_state p;
        memcpy(&p, pipes + k * sizeof p, sizeof p);
        if (!(p.travelled >= 0 && p.travelled <= 1e12))
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has travelled %g m", k, p.travelled);
    }
    result = check_particles(f, arrays, &head);
    if (result == RN_OK) result = rni_particles_room(f, head.count);
    if (result != RN_OK) return result;
    for (uint32_t k = 0; k < head.pipe_count; k++) {
        pipe_state p;
        memcpy(&p, pipes + k * sizeof p, sizeof p);
        s->pipes[k].travelled = p.travelled;
        s->pipes[k].poured = p.poured;
    }
    for (uint32_t k = 0; k < head.outlet_count; k++)
        memcpy(&s->outlets[k].swallowed, outlets + k * sizeof(uint64_t), sizeof(uint64_t));
    size_t array = (size_t)head.count * sizeof(rni_record);
    f->now.count = head.count;
    if (array > 0) {
        memcpy(f->now.position, arrays, array);
        memcpy(f->now.velocity, arrays + array, array);
        memset(f->now.acceleration, 0, array);
    }
    for (uint32_t i = 0; i < head.count; i++) {
        f->density[i] = f->def.rest_density;
        f->pressure[i] = 0;
        f->neighbor_count[i] = 0;
    }
    f->next_id = head.next_id;
    f->time = head.time;
    f->step_count = head.step_count;
    f->came_all = head.came_all;
    f->left_all = head.left_all;
    f->last_stride = head.last_stride;
    return RN_OK;
}

/* Splitmix64's finalizer. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Each particle by itself with its id, and then a sum: the order of ids without sorting. */
uint64_t rn_fluid_state_hash(const rn_fluid *f)
{
    uint64_t sum = mix(f->now.count + 0x9e3779b97f4a7c15u);
    for (uint32_t i = 0; i < f->now.count; i++) {
        uint32_t bits[6];
        memcpy(bits, f->now.position[i], 12);
        memcpy(bits + 3, f->now.velocity[i], 12);
        uint64_t h = mix(rni_particle_id(&f->now, i) + 0x9e3779b97f4a7c15u);
        for (int k = 0; k < 6; k++) h = mix(h ^ (bits[k] + ((uint64_t)(k + 1) << 32)));
        sum += h;
    }
    return mix(sum);
}
