#include "fluid/gauges.h"

#include "base/error.h"
#include "base/output.h"

#include <assert.h>
#include <string.h>

/* Time steps are floats: a time this close to a sample's has reached it, as a share of the time and of
 * a period. */
#define TIME_SLACK   1e-7
#define PERIOD_SLACK 1e-6

/* --- adding and removing ---------------------------------------------------------------------- */

rn_fluid_gauge rn_fluid_gauge_default(void)
{
    return (rn_fluid_gauge){.struct_bytes = sizeof(rn_fluid_gauge), .surface_count = 1};
}

bool rni_gauge_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t there = strcspn(at, " ");
        if (there == length && memcmp(at, word, length) == 0) return true;
        at += there;
    }
    return false;
}

const char *rni_gauge_kind_name(uint32_t kind)
{
    const rni_gauge_kind *row = rni_gauge_kind_at(kind);
    return row ? row->name : NULL;
}

static bool is_vector(const float v[3])
{
    return fabsf(v[0]) <= 1e12f && fabsf(v[1]) <= 1e12f && fabsf(v[2]) <= 1e12f;
}

/* What can be said without knowing the kind. */
static rn_result check_numbers(const rn_fluid_gauge *g, const char *name)
{
    if (!(g->rate >= 0 && g->rate <= 1e9f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s gauge: rate is %g per second; it must be 0 (every step) to 1e9", name,
                        (double)g->rate);
    if (!is_vector(g->center) || !is_vector(g->direction) || !is_vector(g->low) ||
        !is_vector(g->high))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s gauge: center, direction, low and high must be finite", name);
    if (!(g->radius >= 0 && g->radius <= 1e6f) || !(g->height >= 0 && g->height <= 1e6f))
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%s gauge: radius is %g m, height %g m; both must be 0 to 1e6", name,
                        (double)g->radius, (double)g->height);
    return RN_OK;
}

static rn_result check_center(const rn_fluid *f, const rni_gauge *g)
{
    const rn_fluid_def *def = &f->def;
    const float *c = g->def.center;
    for (uint32_t a = 0; a < def->dim; a++)
        if (!(c[a] >= def->domain_low[a] && c[a] <= def->domain_high[a]))
            return rni_fail(RN_ERROR_ARGUMENT,
                            "%s gauge: %c of center is %g m, outside the domain: %g to %g m",
                            g->kind->name, "xyz"[a], (double)c[a], (double)def -> domain_low[a],
                            (double)def -> domain_high[a]);
    return RN_OK;
}

static void release(rn_fluid *f, rni_gauge *g)
{
    rni_buffer_free(&f->memory, &g->sums);
}

static rn_result create(rn_fluid *f)
{
    if (f->gauges) return RN_OK;
    f->gauges = rni_memory_take(&f->memory, sizeof *f->gauges);
    if (!f->gauges) return RN_ERROR_MEMORY;
    memset(f->gauges, 0, sizeof *f->gauges);
    return RN_OK;
}

/* A place that is free: a removed gauge's, or a new one at the end. */
static rn_result free_place(rn_fluid *f, uint32_t *place)
{
    rni_gauges *all = f->gauges;
    uint32_t k = 0;
    while (k < all->count && !all->gauges[k]->is_removed) k++;
    *place = k;
    if (k < all->count) return RN_OK;
    rn_result result = rni_buffer_grow(&f->memory, &all->buffer, k + 1u, sizeof *all->gauges);
    all->gauges = all->buffer.data;
    if (result == RN_OK)
        result = rni_buffer_grow(&f->memory, &all->due_buffer, k + 1u, sizeof(rni_gauge *));
    if (result != RN_OK) return result;
    rni_gauge *g = rni_memory_take(&f->memory, sizeof *g);
    if (!g) return RN_ERROR_MEMORY;
    *g = (rni_gauge){.is_removed = true};
    all->gauges[all->count++] = g;
    return RN_OK;
}

rn_result rn_fluid_add_gauge(rn_fluid *f, const rn_fluid_gauge *def, rn_fluid_id *id)
{
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "gauge must not be NULL");
    if (def->struct_bytes != sizeof *def)
        return rni_fail(RN_ERROR_ARGUMENT,
                        "the gauge has struct_bytes %u instead of %zu; start from "
                        "rn_fluid_gauge_default()",
                        def->struct_bytes, sizeof *def);
    const rni_gauge_kind *kind = rni_gauge_kind_at((uint32_t)def->kind);
    if (!kind)
        return rni_fail(RN_ERROR_ARGUMENT, "gauge: kind is %u; there is no such kind",
                        (unsigned)def->kind);
    rni_gauge g = {.def = *def, .kind = kind};
    uint32_t k = 0;
    for (uint32_t a = 0; a < f->def.dim; a++)
        if (f->def.periodic[a])
            g.period[a] = (double)f->def.domain_high[a] - (double)f->def.domain_low[a];
    if (f->def.dim == 2) g.def.center[2] = g.def.direction[2] = g.def.low[2] = g.def.high[2] = 0;
    while (rn_gauge_get_column(def, f->def.dim, g.value_count)) g.value_count++;
    rn_result result = check_numbers(&g.def, kind->name);
    if (result == RN_OK && rni_gauge_has_word(kind->required, "center"))
        result = check_center(f, &g);
    if (result == RN_OK) result = rni_phases_check_number(f, "gauge", def->phase, true);
    if (result == RN_OK && def->phase > 0 && def->kind == RN_GAUGE_FORCE)
        result = rni_fail(RN_ERROR_ARGUMENT,
                          "force gauge: it measures the force of all fluids; leave phase 0");
    if (result == RN_OK) result = create(f);
    if (result == RN_OK) result = free_place(f, &k);
    if (result == RN_OK) result = kind->prepare(f, &g);
    if (result != RN_OK) {
        release(f, &g);
        return result;
    }
    rni_gauge *place = f->gauges->gauges[k];
    g.generation = place->generation + 1;
    *place = g;
    if (id) *id = (rn_fluid_id){k + 1, g.generation};
    return RN_OK;
}

static rn_result find(const rn_fluid *f, rn_fluid_id id, rni_gauge **found)
{
    const rni_gauges *all = f->gauges;
    *found = all && id.index >= 1 && id.index <= all->count ? all->gauges[id.index - 1] : NULL;
    if (*found && !(*found)->is_removed && (*found)->generation == id.generation) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "there is no gauge %u (generation %u)", id.index,
                    id.generation);
}

rn_result rn_fluid_remove_gauge(rn_fluid *f, rn_fluid_id id)
{
    rni_gauge *g;
    rn_result result = find(f, id, &g);
    if (result != RN_OK) return result;
    release(f, g);
    *g = (rni_gauge){.is_removed = true, .generation = g->generation};
    return RN_OK;
}

void rni_gauges_destroy(rn_fluid *f)
{
    rni_gauges *all = f->gauges;
    if (!all) return;
    for (uint32_t k = 0; k < all->count; k++) {
        release(f, all->gauges[k]);
        rni_memory_give(&f->memory, all->gauges[k], sizeof *all->gauges[k]);
    }
    rni_buffer_free(&f->memory, &all->buffer);
    rni_buffer_free(&f->memory, &all->due_buffer);
    rni_memory_give(&f->memory, all, sizeof *all);
    f->gauges = NULL;
}

/* --- readings --------------------------------------------------------------------------------- */

static void note(rni_gauge_statistics *s, double time, double value)
{
    if (isnan(value)) {
        s->is_last = false;
        return;
    }
    if (s->is_last) {
        const double passed = time - s->last_time;
        s->integral += 0.5 * passed * (s->last + value);
        s->seconds += passed;
    }
    s->min = s->is_any ? fmin(s->min, value) : value;
    s->max = s->is_any ? fmax(s->max, value) : value;
    s->last = value, s->last_time = time;
    s->is_any = s->is_last = true;
}

static void take_sample(rni_gauge *g, uint64_t step, double time, const double *values)
{
    for (uint32_t k = 0; k < g->value_count; k++) {
        g->value[k] = (double)(float)values[k]; /* files hold it without loss */
        note(&g->statistics[k], time, g->value[k]);
    }
    g->sample_count++;
    g->step = step;
    g->time = time;
}

static void clear(rni_gauge *g)
{
    memset(g->statistics, 0, sizeof g->statistics);
    memset(g->value, 0, sizeof g->value);
    g->sample_count = g->step = 0;
    g->time = 0;
}

void rni_gauges_clear(rn_fluid *f)
{
    for (uint32_t k = 0; f->gauges && k < f->gauges->count; k++) clear(f->gauges->gauges[k]);
}

rn_result rni_gauge_replay(rn_fluid *f, rn_fluid_id id, double time, const double *values)
{
    rni_gauge *g;
    rn_result result = find(f, id, &g);
    if (result == RN_OK) take_sample(g, 0, time, values);
    return result;
}

rn_gauge_reading rn_gauge_reading_default(void)
{
    return (rn_gauge_reading){.struct_bytes = sizeof(rn_gauge_reading)};
}

rn_result rn_fluid_get_gauge(const rn_fluid *f, rn_fluid_id id, rn_gauge_reading *out)
{
    rni_gauge *g;
    rn_result result =
        rni_output_check(out, RNI_OUTPUT_BYTES(rn_gauge_reading, max), "rn_gauge_reading");
    if (result == RN_OK) result = find(f, id, &g);
    if (result != RN_OK) return result;
    rn_gauge_reading reading = rn_gauge_reading_default();
    reading.value_count = g->value_count;
    reading.sample_count = g->sample_count;
    reading.step = g->step;
    reading.time = g->time;
    for (uint32_t k = 0; k < g->value_count && g->sample_count > 0; k++) {
        const rni_gauge_statistics *s = &g->statistics[k];
        reading.value[k] = g->value[k];
        reading.min[k] = s->is_any ? s->min : (double)NAN;
        reading.max[k] = s->is_any ? s->max : (double)NAN;
        reading.mean[k] = !s->is_any       ? (double)NAN
                          : s->seconds > 0 ? s->integral / s->seconds
                                           : s->last;
    }
    rni_output_write(out, &reading, sizeof reading);
    return RN_OK;
}

rn_result rn_fluid_reset_gauge(rn_fluid *f, rn_fluid_id id)
{
    rni_gauge *g;
    rn_result result = find(f, id, &g);
    if (result == RN_OK) clear(g);
    return result;
}

/* --- sampling --------------------------------------------------------------------------------- */

/* The bounds of a piece of particles. They lie in the memory of the report's sums, which are done. */
typedef struct piece_box {
    float low[3], high[3];
} piece_box;

static void bound_piece(void *data, uint32_t begin, uint32_t end, uint32_t piece)
{
    const rn_fluid *f = data;
    piece_box box;
    memcpy(box.low, f->now.position[begin], sizeof box.low);
    memcpy(box.high, f->now.position[begin], sizeof box.high);
    for (uint32_t i = begin + 1; i < end; i++)
        for (int a = 0; a < 3; a++) {
            const float x = f->now.position[i][a];
            box.low[a] = x < box.low[a] ? x : box.low[a];
            box.high[a] = x > box.high[a] ? x : box.high[a];
        }
    ((piece_box *)f->tallies.data)[piece] = box;
}

/* A gauge near a periodic side also meets what is at the other side. */
static bool meets(const rni_gauge *g, const piece_box *box)
{
    for (int a = 0; a < 3; a++) {
        bool is_met = false;
        for (int k = g->period[a] > 0 ? -1 : 0; k <= (g->period[a] > 0 ? 1 : 0); k++) {
            const double shift = k * g->period[a];
            is_met = is_met || ((double)box->high[a] + shift >= g->box_low[a] &&
                                (double)box->low[a] + shift <= g->box_high[a]);
        }
        if (!is_met) return false;
    }
    return true;
}

static void sample(void *data, uint32_t k, uint32_t worker)
{
    (void)worker;
    rn_fluid *f = data;
    rni_gauge *g = ((rni_gauge **)f->gauges->due_buffer.data)[k];
    const piece_box *boxes = f->tallies.data;
    const uint32_t pieces = g->kind->add ? rni_piece_count(f->now.count, RNI_FLUID_PIECE) : 0;
    if (g->kind->begin) g->kind->begin(f, g);
    for (uint32_t piece = 0; piece < pieces; piece++) {
        const uint32_t begin = piece * RNI_FLUID_PIECE;
        uint32_t end = begin + RNI_FLUID_PIECE;
        if (end > f->now.count) end = f->now.count;
        if (meets(g, &boxes[piece])) g->kind->add(f, g, begin, end);
    }
    double values[RN_GAUGE_MAX_VALUES] = {0};
    g->kind->finish(f, g, values);
    take_sample(g, f->step_count, f->time, values);
}

/* Samples lie on a grid that depends on the time only: nothing has to be kept in checkpoints. */
static double samples_until(double time, double rate)
{
    return floor(time * rate * (1 + TIME_SLACK) + PERIOD_SLACK);
}

static bool is_due(const rni_gauge *g, double began, double time)
{
    const double rate = (double)g->def.rate;
    if (g->is_removed) return false;
    return !(rate > 0) || samples_until(time, rate) > samples_until(began, rate);
}

void rni_stage_gauges(rn_fluid *f, double began, const rn_fluid_report *report)
{
    rni_gauges *all = f->gauges;
    if (!all) return;
    rni_gauge **due = all->due_buffer.data;
    bool needs_boxes = false;
    all->due_count = 0;
    for (uint32_t k = 0; k < all->count; k++) {
        if (!is_due(all->gauges[k], began, f->time)) continue;
        needs_boxes = needs_boxes || all->gauges[k]->kind->add;
        due[all->due_count++] = all->gauges[k];
    }
    if (all->due_count == 0) return;
    assert(f->tallies.bytes >= rni_piece_count(f->now.count, RNI_FLUID_PIECE) * sizeof(piece_box));
    all->report = report;
    if (needs_boxes) rni_for_particles(f, bound_piece, f);
    rni_crew_pieces(f->crew, all->due_count, sample, f);
}
