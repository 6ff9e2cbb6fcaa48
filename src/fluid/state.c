/* The state that moves as bytes, and its hash. All numbers little endian, floats as their bits.
 * docs/checkpoint.md has the layout. The arrays are those rows of the attribute table that are
 * saved. */
#include "base/error.h"
#include "base/sort.h"
#include "fluid/attributes.h"
#include "fluid/film.h"
#include "fluid/gauges.h"
#include "fluid/particles.h"
#include "fluid/scheme.h"
#include "fluid/sound.h"
#include "fluid/sources.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "state bytes are written as they are");

static const char MAGIC[4] = {'R', 'N', 'S', '5'};

/* Then an entry per pipe, an entry per outlet, an entry per phase, an entry per attribute, the arrays of the
 * attributes, and a float per texel of films. */
typedef struct state_head {
    char magic[4];
    uint32_t dim;
    uint32_t count;
    uint32_t next_id;
    double time;
    uint64_t step_count;
    uint64_t came_all, left_all;
    float last_dt;
    float spacing;
    uint32_t pipe_count, outlet_count, attribute_count;
    uint16_t flags;       /* HAS_PREVIOUS_DENSITY ... */
    uint16_t phase_count; /* of several fluids; 0: there is one */
    float speed_expected; /* m / s: sound and stiffness follow from it */
    uint32_t film_texels; /* of the films on meshes */
} state_head;
_Static_assert(sizeof(state_head) == 80, "no holes");

/* Of state_head.flags. */
#define HAS_PREVIOUS_DENSITY 1u
#define IS_SETTLED           2u
#define HAS_GIVEN_PARTICLES  4u
#define FLAGS_MAX            7u

#define COUNT_MAX 1000000000000000u /* of steps and of particles: more than any run reaches */

typedef struct pipe_state {
    double travelled;
    uint64_t poured;
    double mean_pressure;
} pipe_state;

typedef struct attribute_state {
    char name[RNI_ATTRIBUTE_NAME]; /* padded with zeros, at least one */
    uint32_t type;                 /* rn_attribute_type */
    uint32_t components;           /* of 4 bytes each */
} attribute_state;

typedef struct phase_state {
    uint64_t came, left;
} phase_state;

static uint32_t phases_of(const rn_fluid *f)
{
    return f->fluid_number ? f->def.phase_count : 0;
}

/* Places behind the last pipe that still exists are no part of the state: a pipe that was added and
 * removed again leaves no trace. */
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

/* The saved rows, and the bytes that they take per particle. */
typedef struct saved_rows {
    uint32_t row[RNI_ROW_MAX];
    uint32_t count;
    uint32_t particle_bytes;
} saved_rows;

static saved_rows list_saved(const rn_fluid *f)
{
    saved_rows saved = {.count = 0};
    for (uint32_t k = 0; k < rni_row_count(f); k++) {
        const rni_attribute *row = rni_row(f, k);
        if (!(row->flags & RNI_SAVED) || !rni_has_row(f, k)) continue;
        saved.row[saved.count++] = k;
        saved.particle_bytes += row->info.components * (uint32_t)sizeof(float);
    }
    return saved;
}

static uint64_t bytes_of(const state_head *head, const saved_rows *saved)
{
    return sizeof(state_head) + (uint64_t)head->pipe_count * sizeof(pipe_state) +
           (uint64_t)head->outlet_count * sizeof(uint64_t) +
           (uint64_t)head->phase_count * sizeof(phase_state) +
           saved->count * sizeof(attribute_state) + (uint64_t)head->count * saved->particle_bytes;
}

uint64_t rn_fluid_get_state_bytes(const rn_fluid *f)
{
    const saved_rows saved = list_saved(f);
    const state_head head = {.pipe_count = pipes_of(f->sources),
                             .outlet_count = outlets_of(f->sources),
                             .phase_count = (uint16_t)phases_of(f),
                             .count = f->now.count};
    return bytes_of(&head, &saved) + rni_films_texels(f) * (uint64_t)sizeof(float);
}

/* --- writing
 * -------------------------------------------------------------------------------------- */

static attribute_state entry_of(const rni_attribute *row)
{
    attribute_state entry = {.type = row->info.type, .components = row->info.components};
    memcpy(entry.name, row->info.name, strlen(row->info.name));
    return entry;
}

/* One row from the particles to the bytes; returns where the next begins. */
static char *write_row(const rn_fluid *f, uint32_t row, char *to)
{
    const rni_attribute *r = rni_row(f, row);
    const char *from = rni_row_data(f, row);
    const size_t bytes = r->info.components * sizeof(float);
    for (uint32_t i = 0; i < f->now.count; i++, to += bytes)
        memcpy(to, from + (size_t)i * r->element_bytes, bytes);
    return to;
}

static uint16_t flags_of(const rn_fluid *f)
{
    return (uint16_t)((f->has_previous_density ? HAS_PREVIOUS_DENSITY : 0u) |
                      (f->is_settled ? IS_SETTLED : 0u) |
                      (f->has_given_particles ? HAS_GIVEN_PARTICLES : 0u));
}

void rn_fluid_write_state(const rn_fluid *f, void *bytes)
{
    const rni_sources *s = f->sources;
    const saved_rows saved = list_saved(f);
    state_head head = {.dim = f->def.dim,
                       .count = f->now.count,
                       .next_id = f->next_id,
                       .time = f->time,
                       .step_count = f->step_count,
                       .came_all = f->came_all,
                       .left_all = f->left_all,
                       .last_dt = f->last_dt,
                       .spacing = f->def.spacing,
                       .pipe_count = pipes_of(s),
                       .outlet_count = outlets_of(s),
                       .attribute_count = saved.count,
                       .flags = flags_of(f),
                       .speed_expected = f->derived.speed_expected,
                       .phase_count = (uint16_t)phases_of(f),
                       .film_texels = rni_films_texels(f)};
    memcpy(head.magic, MAGIC, sizeof MAGIC);
    char *to = bytes;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (uint32_t k = 0; k < head.pipe_count; k++, to += sizeof(pipe_state)) {
        pipe_state p = {s->pipes[k].travelled, s->pipes[k].poured, s->pipes[k].mean_pressure};
        memcpy(to, &p, sizeof p);
    }
    for (uint32_t k = 0; k < head.outlet_count; k++, to += sizeof(uint64_t))
        memcpy(to, &s->outlets[k].removed, sizeof(uint64_t));
    for (uint32_t k = 0; k < head.phase_count; k++, to += sizeof(phase_state)) {
        const phase_state p = {f->phase[k].came, f->phase[k].left};
        memcpy(to, &p, sizeof p);
    }
    for (uint32_t k = 0; k < saved.count; k++, to += sizeof(attribute_state)) {
        const attribute_state entry = entry_of(rni_row(f, saved.row[k]));
        memcpy(to, &entry, sizeof entry);
    }
    for (uint32_t k = 0; k < saved.count; k++) to = write_row(f, saved.row[k], to);
    rni_films_write(f, to);
}

/* --- reading: the head
 * ---------------------------------------------------------------------------- */

/* The bytes of a state, after its head has been checked. */
typedef struct state_view {
    state_head head;
    const char *pipes, *outlets, *phases, *attributes, *films;
    const char *array[RNI_ROW_MAX]; /* of each saved row of the fluid */
} state_view;

static rn_result check_fit(const rn_fluid *f, const state_head *head)
{
    const rni_sources *s = f->sources;
    if (memcmp(head->magic, "RNS", 3) == 0 && memcmp(head->magic, MAGIC, 4) != 0)
        return rni_fail(RN_ERROR_FILE,
                        "the state has format %.4s, which an older or newer version wrote; this one "
                        "reads RNS5: run the scene again from its start",
                        head->magic);
    if (memcmp(head->magic, MAGIC, 4) != 0)
        return rni_fail(RN_ERROR_FILE,
                        "the bytes do not begin with RNS5: they are not the state of a fluid");
    if (head->dim != f->def.dim || head->spacing != f->def.spacing)
        return rni_fail(RN_ERROR_FILE,
                        "the state is of a %uD fluid with spacing %g m, this one is %uD "
                        "with %g m",
                        head->dim, (double)head->spacing, f->def.dim, (double)f->def.spacing);
    if (head->pipe_count != pipes_of(s) || head->outlet_count != outlets_of(s))
        return rni_fail(RN_ERROR_FILE, "the state has %u pipes and %u outlets, this fluid %u and %u",
                        head->pipe_count, head->outlet_count, pipes_of(s), outlets_of(s));
    if (head->phase_count != phases_of(f))
        return rni_fail(RN_ERROR_FILE, "the state has %u fluids (0: a single one), this fluid %u",
                        head->phase_count, phases_of(f));
    if (head->film_texels != rni_films_texels(f))
        return rni_fail(RN_ERROR_FILE, "the state has films of %u texels, this fluid of %u",
                        head->film_texels, rni_films_texels(f));
    if (head->count > f->def.max_particles)
        return rni_fail(RN_ERROR_LIMIT,
                        "the state has %u particles, more than max_particles of this fluid (%u)",
                        head->count, f->def.max_particles);
    return RN_OK;
}

static rn_result check_head(const rn_fluid *f, const state_head *head)
{
    rn_result result = check_fit(f, head);
    if (result != RN_OK) return result;
    bool is_new = head->step_count == 0;
    if (!(head->time >= 0 && head->time <= 1e12) || (head->time > 0) == is_new ||
        !(head->last_dt >= 0 && (double)head->last_dt <= head->time * 1.001))
        return rni_fail(RN_ERROR_FILE,
                        "the state's time is %g s, its last step %g s, after %llu steps",
                        head->time, (double)head->last_dt, (unsigned long long)head->step_count);
    if (head->step_count > COUNT_MAX)
        return rni_fail(RN_ERROR_FILE, "the state has taken %llu steps",
                        (unsigned long long)head->step_count);
    if (head->left_all > COUNT_MAX || (uint32_t)(head->count + head->left_all) != head->next_id ||
        head->came_all > head->count + head->left_all)
        return rni_fail(RN_ERROR_FILE,
                        "the state counts %u particles, %llu that came, %llu that left, and %u ids",
                        head->count, (unsigned long long)head->came_all,
                        (unsigned long long)head->left_all, head->next_id);
    if (!(head->speed_expected >= 1e-12f && head->speed_expected <= 1e6f))
        return rni_fail(RN_ERROR_FILE,
                        "the state's speed_expected is %g; it must be from 1e-12 to 1e6",
                        (double)head->speed_expected);
    if (head->flags > FLAGS_MAX)
        return rni_fail(RN_ERROR_FILE, "the state's flags are %u; they must be 0 to %u",
                        head->flags, FLAGS_MAX);
    return RN_OK;
}

/* --- reading: which attributes
 * -------------------------------------------------------------------- */

static attribute_state entry_at(const state_view *view, uint32_t k)
{
    attribute_state entry;
    memcpy(&entry, view->attributes + k * sizeof entry, sizeof entry);
    entry.name[RNI_ATTRIBUTE_NAME - 1] = 0;
    return entry;
}

static bool is_saved_name(const rn_fluid *f, const saved_rows *saved, const char *name)
{
    for (uint32_t k = 0; k < saved->count; k++)
        if (strcmp(rni_row(f, saved->row[k])->info.name, name) == 0) return true;
    return false;
}

/* Finds the array of one row among those of the state, in any order. */
static rn_result find_array(const rn_fluid *f, uint32_t row, state_view *view, const char *arrays)
{
    const rn_fluid_attribute_info *info = &rni_row(f, row)->info;
    for (uint32_t k = 0; k < view->head.attribute_count; k++) {
        const attribute_state entry = entry_at(view, k);
        if (strcmp(entry.name, info->name) == 0) {
            view->array[row] = arrays;
            if (entry.type == info->type && entry.components == info->components) return RN_OK;
            return rni_fail(RN_ERROR_FILE,
                            "the state's attribute \"%s\" has %u components of type %u, this fluid's has "
                            "%u of type %u",
                            info->name, entry.components, entry.type, info->components, info->type);
        }
        arrays += (uint64_t)view->head.count * entry.components * sizeof(float);
    }
    return rni_fail(RN_ERROR_FILE, "the state lacks the attribute \"%s\" of this fluid", info->name);
}

/* The sizes that the entries name are checked before they lead anywhere. */
static rn_result check_attributes(const rn_fluid *f, state_view *view, uint64_t byte_count)
{
    const saved_rows saved = list_saved(f);
    const state_head *head = &view->head;
    const uint64_t before = sizeof *head + (uint64_t)head->pipe_count * sizeof(pipe_state) +
                            (uint64_t)head->outlet_count * sizeof(uint64_t) +
                            (uint64_t)head->phase_count * sizeof(phase_state);
    uint64_t wanted = before + (uint64_t)head->attribute_count * sizeof(attribute_state);
    const bool is_whole = head->attribute_count <= RNI_ROW_MAX && wanted <= byte_count;
    uint64_t components = 0;
    for (uint32_t k = 0; k < head->attribute_count && is_whole; k++) {
        const attribute_state entry = entry_at(view, k);
        if (!rni_attribute_is_name(entry.name))
            return rni_fail(RN_ERROR_FILE, "the state's attribute %u has no proper name", k);
        if (!is_saved_name(f, &saved, entry.name))
            return rni_fail(RN_ERROR_FILE,
                            "the state has an attribute \"%s\", which this fluid does not have",
                            entry.name);
        components += entry.components;
    }
    wanted += components * head->count * sizeof(float);
    const uint64_t to_films = wanted - before;
    wanted += head->film_texels * (uint64_t)sizeof(float);
    if (!is_whole || components > 4ull * RNI_ROW_MAX || wanted != byte_count)
        return rni_fail(RN_ERROR_FILE, "the state has %llu bytes where its head says %llu",
                        (unsigned long long)byte_count, (unsigned long long)wanted);
    view->films = view->attributes + to_films;
    const char *arrays = view->attributes + head->attribute_count * sizeof(attribute_state);
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < saved.count && result == RN_OK; k++)
        result = find_array(f, saved.row[k], view, arrays);
    if (result == RN_OK && saved.count != head->attribute_count)
        result = rni_fail(RN_ERROR_FILE, "the state names an attribute twice");
    return result;
}

/* --- reading: what the numbers may be
 * --------------------------------------------------------------- */

/* What pipes and outlets count is part of what came and left. */
static rn_result check_sources(const state_view *view)
{
    const state_head *head = &view->head;
    uint64_t poured = 0, removed = 0, one;
    for (uint32_t k = 0; k < head->pipe_count; k++) {
        pipe_state p;
        memcpy(&p, view->pipes + k * sizeof p, sizeof p);
        if (!(p.travelled >= 0 && p.travelled <= 1e12))
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has travelled %g m", k, p.travelled);
        if (!(p.mean_pressure >= 0 && p.mean_pressure <= 1e18))
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has a pressure of %g Pa", k,
                            p.mean_pressure);
        if (p.poured > head->came_all - poured)
            return rni_fail(RN_ERROR_FILE, "the state's pipe %u has poured %llu of %llu particles",
                            k, (unsigned long long)p.poured, (unsigned long long)head->came_all);
        poured += p.poured;
    }
    for (uint32_t k = 0; k < head->outlet_count; k++) {
        memcpy(&one, view->outlets + k * sizeof one, sizeof one);
        if (one > head->left_all - removed)
            return rni_fail(RN_ERROR_FILE, "the state's outlet %u has removed %llu of %llu particles",
                            k, (unsigned long long)one, (unsigned long long)head->left_all);
        removed += one;
    }
    uint64_t came = 0, left = 0;
    for (uint32_t k = 0; k < head->phase_count; k++) {
        phase_state p;
        memcpy(&p, view->phases + k * sizeof p, sizeof p);
        if (p.came > head->came_all - came || p.left > head->left_all - left)
            return rni_fail(
                RN_ERROR_FILE,
                "of the state's fluid %u %llu particles came and %llu left, of all %llu and %llu",
                k, (unsigned long long)p.came, (unsigned long long)p.left,
                (unsigned long long)head->came_all, (unsigned long long)head->left_all);
        came += p.came, left += p.left;
    }
    return RN_OK;
}

/* No two particles have the same id: two would be one in the hash and in every frame. */
static rn_result check_ids(rn_fluid *f, const char *ids, uint32_t count)
{
    rni_arena_reset(&f->arena);
    uint32_t *scratch[4];
    for (int k = 0; k < 4; k++) {
        scratch[k] = rni_arena_take(&f->arena, ((size_t)count + 1) * sizeof(uint32_t));
        if (!scratch[k]) return RN_ERROR_MEMORY;
    }
    if (count > 0) memcpy(scratch[0], ids, count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) scratch[1][i] = i;
    rn_result result =
        rni_sort_u32(f->crew, &f->arena, count, scratch[0], scratch[1], scratch[2], scratch[3]);
    for (uint32_t i = 1; i < count && result == RN_OK; i++)
        if (scratch[0][i] == scratch[0][i - 1])
            result = rni_fail(RN_ERROR_FILE, "the state's particles %u and %u both have id %u",
                              scratch[1][i - 1], scratch[1][i], scratch[0][i]);
    return result;
}

static const char *value_of(const rn_fluid *f, const state_view *view, uint32_t row, uint32_t i)
{
    return view->array[row] + (size_t)i * rni_row(f, row)->info.components * sizeof(float);
}

/* Whatever is a float is finite. */
static rn_result check_finite(const rn_fluid *f, const state_view *view)
{
    const saved_rows saved = list_saved(f);
    for (uint32_t k = 0; k < saved.count; k++) {
        const rn_fluid_attribute_info *info = &rni_row(f, saved.row[k])->info;
        const uint64_t numbers = (uint64_t)view->head.count * info->components;
        for (uint64_t n = 0; n < numbers && info->type == RN_ATTRIBUTE_FLOAT; n++) {
            float value;
            memcpy(&value, view->array[saved.row[k]] + n * sizeof value, sizeof value);
            if (!isfinite(value))
                return rni_fail(RN_ERROR_FILE, "the state's particle %u is not finite: its %s is %g",
                                (uint32_t)(n / info->components), info->name, (double)value);
        }
    }
    return RN_OK;
}

static rn_result check_particle(const rn_fluid *f, const state_view *view, uint32_t i)
{
    float x[3], v[3], birth, density = 0;
    uint32_t id;
    memcpy(x, value_of(f, view, RNI_ROW_POSITION, i), sizeof x);
    memcpy(v, value_of(f, view, RNI_ROW_VELOCITY, i), sizeof v);
    memcpy(&birth, value_of(f, view, RNI_ROW_BIRTH, i), sizeof birth);
    if (view->array[RNI_ROW_PREVIOUS_DENSITY])
        memcpy(&density, value_of(f, view, RNI_ROW_PREVIOUS_DENSITY, i), sizeof density);
    memcpy(&id, value_of(f, view, RNI_ROW_ID, i), sizeof id);
    for (int a = 0; a < 3; a++)
        if (!(fabsf(v[a]) <= 1e9f))
            return rni_fail(RN_ERROR_FILE, "the state's particle %u is faster than 1e9 m/s", i);
    const rni_scheme *scheme = f->scheme;
    const float rest = f->def.rest_density,
                low = scheme->keeps_density ? scheme->density_low * rest : 0,
                high = scheme->keeps_density ? scheme->density_high * rest : 1e15f;
    if (!(density >= low && density <= high))
        return rni_fail(RN_ERROR_FILE,
                        "the state's particle %u has a density of %g kg/m^3; scheme %s has %g to %g",
                        i, (double)density, scheme->name, (double)low, (double)high);
    /* The birth time is the time as a float. */
    if (birth < 0 || (double)birth > view->head.time * (1 + 1e-6))
        return rni_fail(RN_ERROR_FILE, "the state's particle %u was born at %g s, it is %g s now",
                        i, (double)birth, view->head.time);
    uint32_t phase = 0;
    if (f->fluid_number) memcpy(&phase, value_of(f, view, RNI_ROW_FLUID, i), sizeof phase);
    if (phase > 0 && phase >= f->def.phase_count)
        return rni_fail(RN_ERROR_FILE, "the state's particle %u is of fluid %u; there are %u", i,
                        phase, f->def.phase_count);
    if (f->def.dim == 2 && (x[2] != 0 || v[2] != 0))
        return rni_fail(RN_ERROR_FILE, "the state's particle %u has left the plane of 2D", i);
    /* A wall puts a particle back to within rounding: slightly beyond the wall is not outside. */
    const float slack = 0.01f * f->def.spacing;
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (x[a] < f->def.domain_low[a] - slack || x[a] > f->def.domain_high[a] + slack)
            return rni_fail(RN_ERROR_FILE, "the state's particle %u is outside the domain", i);
    if (id >= view->head.next_id)
        return rni_fail(RN_ERROR_FILE, "the state's particle %u has id %u, the next is %u", i, id,
                        view->head.next_id);
    return RN_OK;
}

static rn_result check_particles(rn_fluid *f, const state_view *view)
{
    rn_result result = check_finite(f, view);
    for (uint32_t i = 0; i < view->head.count && result == RN_OK; i++)
        result = check_particle(f, view, i);
    return result == RN_OK ? check_ids(f, view->array[RNI_ROW_ID], view->head.count) : result;
}

/* --- reading
 * -------------------------------------------------------------------------------------- */

static void take_row(rn_fluid *f, uint32_t row, const char *from)
{
    const rni_attribute *r = rni_row(f, row);
    char *to = rni_row_data(f, row);
    const size_t bytes = r->info.components * sizeof(float);
    for (uint32_t i = 0; i < f->now.count; i++)
        memcpy(to + (size_t)i * r->element_bytes, from + (size_t)i * bytes, bytes);
}

static void take_particles(rn_fluid *f, const state_view *view)
{
    const saved_rows saved = list_saved(f);
    f->now.count = view->head.count;
    for (uint32_t i = 0; i < f->now.count; i++) rni_attributes_clear_particle(f, i);
    for (uint32_t k = 0; k < saved.count; k++) take_row(f, saved.row[k], view->array[saved.row[k]]);
    rni_particles_reset_density(f);
}

static void take_rest(rn_fluid *f, const state_view *view)
{
    rni_sources *s = f->sources;
    for (uint32_t k = 0; k < view->head.pipe_count; k++) {
        pipe_state p;
        memcpy(&p, view->pipes + k * sizeof p, sizeof p);
        s->pipes[k].travelled = p.travelled;
        s->pipes[k].poured = p.poured;
        s->pipes[k].mean_pressure = p.mean_pressure;
    }
    for (uint32_t k = 0; k < view->head.outlet_count; k++)
        memcpy(&s->outlets[k].removed, view->outlets + k * sizeof(uint64_t), sizeof(uint64_t));
    for (uint32_t k = 0; k < view->head.phase_count; k++) {
        phase_state p;
        memcpy(&p, view->phases + k * sizeof p, sizeof p);
        f->phase[k].came = p.came, f->phase[k].left = p.left;
    }
    f->has_previous_density = view->head.flags & HAS_PREVIOUS_DENSITY;
    f->is_settled = view->head.flags & IS_SETTLED;
    f->has_given_particles = view->head.flags & HAS_GIVEN_PARTICLES;
    rni_sound_restore(f, view->head.speed_expected);
    f->next_id = view->head.next_id;
    f->time = view->head.time;
    f->step_count = view->head.step_count;
    f->came_all = view->head.came_all;
    f->left_all = view->head.left_all;
    f->last_dt = view->head.last_dt;
}

rn_result rn_fluid_read_state(rn_fluid *f, const void *bytes, uint64_t byte_count)
{
    state_view view = {.pipes = (const char *)bytes + sizeof view.head};
    if (byte_count < sizeof view.head)
        return rni_fail(RN_ERROR_FILE, "the state has %llu bytes, fewer than its head",
                        (unsigned long long)byte_count);
    memcpy(&view.head, bytes, sizeof view.head);
    rn_result result = check_head(f, &view.head);
    if (result != RN_OK) return result;
    view.outlets = view.pipes + (size_t)view.head.pipe_count * sizeof(pipe_state);
    view.phases = view.outlets + (size_t)view.head.outlet_count * sizeof(uint64_t);
    view.attributes = view.phases + (size_t)view.head.phase_count * sizeof(phase_state);
    result = check_attributes(f, &view, byte_count);
    if (result == RN_OK) result = check_sources(&view);
    if (result == RN_OK) result = check_particles(f, &view);
    if (result == RN_OK) result = rni_films_check(view.films, view.head.film_texels);
    if (result == RN_OK) result = rni_attributes_reserve(f, view.head.count);
    if (result != RN_OK) return result;
    take_particles(f, &view);
    take_rest(f, &view);
    rni_films_read(f, view.films);
    rni_gauges_clear(f);
    return RN_OK;
}

/* --- hash
 * ----------------------------------------------------------------------------------------- */

/* Splitmix64's finalizer. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The sum of a hash per particle that includes its id: independent of the order, without sorting. */
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
