/* The moving state as bytes, and its hash. All numbers little endian, floats as their bits. */
#include "base/error.h"
#include "base/sort.h"
#include "fluid/particles.h"
#include "fluid/sources.h"
#include "fluid/walls.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "state bytes are written as they lie");

/* "RNS2", then these, then an entry a pipe, an entry an outlet, position and velocity a particle, and of each its
 * density at the last evaluation, kg / m^3; all 0: it is of no use. */
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

#define COUNT_MAX 1000000000000000u /* of steps and of particles: more than any run comes to */

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

#define PARTICLE_BYTES (2 * sizeof(rni_record) + sizeof(float))

uint64_t rn_fluid_get_state_bytes(const rn_fluid *f)
{
    return sizeof(state_head) + (uint64_t)pipes_of(f->sources) * sizeof(pipe_state) +
           (uint64_t)outlets_of(f->sources) * sizeof(uint64_t) +
           (uint64_t)f->now.count * PARTICLE_BYTES;
}

void rn_fluid_write_state(const rn_fluid *f, void *bytes)
{
    const rni_sources *s = f->sources;
    state_head head = {.magic = {'R', 'N', 'S', '2'},
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
    for (uint32_t i = 0; i < f->now.count; i++) {
        const float density = f->has_before ? f->now.acceleration[i][3] : 0.0f;
        memcpy(to + 2 * array + i * sizeof density, &density, sizeof density);
    }
}

static rn_result check_head(const rn_fluid *f, const state_head *head, uint64_t byte_count)
{
    const rni_sources *s = f->sources;
    if (memcmp(head->magic, "RNS2", 4) != 0)
        return rni_fail(RN_ERROR_FILE,
                        "the state does not open with RNS2: it is no state of a fluid");
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
    bool is_new = head->step_count == 0;
    if (!(head->time >= 0 && head->time <= 1e12) || (head->time > 0) == is_new ||
        !(head->last_stride >= 0 && (double)head->last_stride <= head->time * 1.001))
        return rni_fail(RN_ERROR_FILE,
                        "the state's time is %g s, its last step %g s, after %llu steps",
                        head->time, (double)head->last_stride, (unsigned long long)head->step_count);
    if (head->step_count > COUNT_MAX)
        return rni_fail(RN_ERROR_FILE, "the state has taken %llu steps",
                        (unsigned long long)head->step_count);
    if (head->left_all > COUNT_MAX || (uint32_t)(head->count + head->left_all) != head->next_id ||
        head->came_all > head->count + head->left_all)
        return rni_fail(RN_ERROR_FILE,
                        "the state counts %u particles, %llu that came, %llu that left, and %u ids",
                        head->count, (unsigned long long)head->came_all,
                        (unsigned long long)head->left_all, head->next_id);
    uint64_t wanted = sizeof *head + (uint64_t)head->pipe_count * sizeof(pipe_state) +
                      (uint64_t)head->outlet_count * sizeof(uint64_t) +
                      (uint64_t)head->count * PARTICLE_BYTES;
    if (wanted != byte_count)
        return rni_fail(RN_ERROR_FILE, "the state has %llu bytes where its head says %llu",
                        (unsigned long long)byte_count, (unsigned long long)wanted);
    return RN_OK;
}

/* What pipes and outlets count is part of what came and left. */
static rn_result check_sources(const char *bytes, const state_head *head)
{
    uint64_t poured = 0, swallowed = 0, one;
    for (uint32_t k = 0; k < head->pipe_count; k++, bytes += sizeof(pipe_state)) {
        pipe_state p;
        memcpy(&p, bytes, sizeof p);
        if (!(p.travelled >= 0 && p.travelled <= 1e12))
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has travelled %g m", k, p.travelled);
        if (p.poured > head->came_all - poured)
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has poured %llu of %llu particles",
                            k, (unsigned long long)p.poured, (unsigned long long)head->came_all);
        poured += p.poured;
    }
    for (uint32_t k = 0; k < head->outlet_count; k++, bytes += sizeof one) {
        memcpy(&one, bytes, sizeof one);
        if (one > head->left_all - swallowed)
            return rni_fail(RN_ERROR_FILE,
                            "the state's outlet %u has swallowed %llu of %llu particles", k,
                            (unsigned long long)one, (unsigned long long)head->left_all);
        swallowed += one;
    }
    return RN_OK;
}

/* No two particles have one id: two would be one in the hash and in every frame. */
static rn_result check_ids(rn_fluid *f, const char *velocities, uint32_t count)
{
    rni_arena_reset(&f->arena);
    uint32_t *room[4];
    for (int k = 0; k < 4; k++) {
        room[k] = rni_arena_take(&f->arena, ((size_t)count + 1) * sizeof(uint32_t));
        if (!room[k]) return RN_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(&room[0][i], velocities + (size_t)i * sizeof(rni_record) + 3 * sizeof(float),
               sizeof(uint32_t));
        room[1][i] = i;
    }
    rn_result result = rni_sort_u32(f->crew, &f->arena, count, room[0], room[1], room[2], room[3]);
    for (uint32_t i = 1; i < count && result == RN_OK; i++)
        if (room[0][i] == room[0][i - 1])
            result = rni_fail(RN_ERROR_FILE, "the state's particles %u and %u both have id %u",
                              room[1][i - 1], room[1][i], room[0][i]);
    return result;
}

static rn_result check_particles(rn_fluid *f, const char *bytes, const state_head *head)
{
    size_t array = (size_t)head->count * sizeof(rni_record);
    for (uint32_t i = 0; i < head->count; i++) {
        rni_record x, v;
        float density;
        uint32_t id;
        memcpy(x, bytes + (size_t)i * sizeof x, sizeof x);
        memcpy(v, bytes + array + (size_t)i * sizeof v, sizeof v);
        memcpy(&density, bytes + 2 * array + (size_t)i * sizeof density, sizeof density);
        memcpy(&id, &v[3], sizeof id);
        for (int a = 0; a < 4; a++)
            if (!isfinite(x[a]) || (a < 3 && !(fabsf(v[a]) <= 1e9f)))
                return rni_fail(RN_ERROR_FILE,
                                "the state's particle %u is not finite, or faster than 1e9 m/s", i);
        if (!(density >= 0 && density <= 1e15f))
            return rni_fail(RN_ERROR_FILE, "the state's particle %u has a density of %g kg/m^3", i,
                            (double)density);
        /* Birth is the time as a float. */
        if (x[3] < 0 || (double)x[3] > head->time * (1 + 1e-6))
            return rni_fail(RN_ERROR_FILE, "the state's particle %u was born at %g s, it is %g s now",
                            i, (double)x[3], head->time);
        if (f->def.dim == 2 && (x[2] != 0 || v[2] != 0))
            return rni_fail(RN_ERROR_FILE, "the state's particle %u has left the plane of 2D", i);
        /* A wall puts a particle back to within rounding: on the far side of it is not outside. */
        const float slack = 0.01f * f->def.spacing;
        for (uint32_t a = 0; a < f->def.dim; a++)
            if (x[a] < f->def.domain_low[a] - slack || x[a] > f->def.domain_high[a] + slack)
                return rni_fail(RN_ERROR_FILE, "the state's particle %u is outside the domain", i);
        if (id >= head->next_id)
            return rni_fail(RN_ERROR_FILE, "the state's particle %u has id %u, the next is %u", i,
                            id, head->next_id);
    }
    return check_ids(f, bytes + array, head->count);
}

rn_result rn_fluid_read_state(rn_fluid *f, const void *bytes, uint64_t byte_count)
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
    result = check_sources(pipes, &head);
    if (result == RN_OK) result = check_particles(f, arrays, &head);
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
        memcpy(f->density, arrays + 2 * array, head.count * sizeof(float));
    }
    f->has_before = head.count > 0 && f->density[0] > 0;
    for (uint32_t i = 0; i < head.count; i++) {
        if (!f->has_before) f->density[i] = f->def.rest_density;
        f->now.acceleration[i][3] = f->density[i];
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
uint64_t rn_fluid_get_state_hash(const rn_fluid *f)
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
