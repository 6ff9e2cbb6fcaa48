/* Method "auto": picks the method that is fastest on the caller's own boxes.
 *
 * Auto starts with the default method. From time to time a rival method runs for two steps on the
 * same boxes, as a shadow of the method in charge. The first step is a warm-up, because some
 * methods depend on data kept from the previous step. If the rival is clearly faster in the second
 * step, it takes over with its state as built. Shadows may use only a small share of the time spent
 * on real work; the cost of a shadow is estimated beforehand on a sample of the boxes. A method
 * that lost waits longer after each loss, until the number of boxes changes.
 *
 * The set of pairs does not depend on the method picked. With RN_PAIRS_METHOD the order of the
 * pairs is that of the picked method and may differ from run to run; RN_PAIRS_SORTED always gives
 * the same bytes. */
#include "base/clock.h"
#include "base/error.h"
#include "broadphase/ingest.h"

#include <stdatomic.h>
#include <stdio.h>

#define MAX_RIVALS     12u
#define SHARE_OF_TIME  0.06
#define CLEARLY_FASTER 0.85
#define MAX_PATIENCE   256u
#define SAMPLE_BOXES   1024u

typedef struct rival {
    const rni_box_method *method;
    rni_box_env env;
    void *state;               /* NULL unless in charge or running as a shadow */
    uint32_t patience, waited; /* in steps */
    double expected_s;         /* estimated time of a shadow; 0: unknown */
} rival;

typedef struct autopilot {
    rni_box_env *env;
    rni_arena arena;
    rn_broadphase_stats shadow_stats;
    rni_pair_sink sink; /* of shadows */
    rival rivals[MAX_RIVALS];
    uint32_t rival_count, in_charge;
    uint32_t shadow; /* a rival after its warm-up step, or in_charge */
    uint32_t next;
    uint32_t count; /* boxes of the last build */
    double build_s, work_s, shadow_s;
    _Atomic uint64_t find_ns; /* since the last build, summed over workers */
    _Atomic uint32_t find_calls;
    char why[sizeof((rn_broadphase_stats *)0)->choice];
} autopilot;

static void dismiss(rival *r)
{
    if (r->state) r->method->destroy(r->state);
    r->state = NULL;
}

static void destroy(void *state)
{
    autopilot *a = state;
    if (!a) return;
    for (uint32_t r = 0; r < a->rival_count; r++) dismiss(&a->rivals[r]);
    rni_buffer_free(a->env->memory, &a->sink.buffer);
    rni_arena_free(&a->arena);
    rni_memory_give(a->env->memory, a, sizeof *a);
}

static rn_result create(rni_box_env *env, void **state)
{
    autopilot *a = rni_memory_take(env->memory, sizeof *a);
    if (!a) return RN_ERROR_MEMORY;
    memset(a, 0, sizeof *a);
    a->env = env;
    a->sink.memory = env->memory;
    rni_arena_init(&a->arena, env->memory);
    for (uint32_t place = 0; rni_box_method_at(place); place++) {
        const rni_box_method *method = rni_box_method_at(place);
        if (method->info.method == RN_BROADPHASE_AUTO || a->rival_count == MAX_RIVALS) continue;
        rival *r = &a->rivals[a->rival_count++];
        *r = (rival){.method = method, .env = *env};
        r->env.arena = &a->arena;
        r->env.stats = &a->shadow_stats;
    }
    a->rivals[0].env.stats = env->stats;
    snprintf(a->why, sizeof a->why, "%s: the default; nothing measured yet",
             a->rivals[0].method->info.name);
    rn_result result = a->rivals[0].method->create(&a->rivals[0].env, &a->rivals[0].state);
    if (result != RN_OK) {
        destroy(a);
        return result;
    }
    *state = a;
    return RN_OK;
}

/* Seconds of the last step of the method in charge, with its work spread evenly over all
 * workers. 0 when the caller asked for no pairs, which leaves nothing to compare. */
static double last_step_s(const autopilot *a)
{
    uint32_t calls = a->find_calls;
    if (calls == 0) return 0.0;
    return a->build_s + 1e-9 * (double)a->find_ns / calls / rni_crew_size(a->env->crew);
}

/* Builds the structure and finds all pairs; *seconds as above. */
static rn_result run_shadow(autopilot *a, rival *r, const rni_boxes *boxes, double *seconds)
{
    double begin = rni_seconds();
    rni_arena_reset(&a->arena);
    rn_result result = r->method->build(r->state, boxes);
    double built = rni_seconds();
    uint32_t pieces = result == RN_OK && boxes->count > 1 ? r->method->pair_pieces(r->state) : 0;
    a->sink.pair = a->sink.buffer.data;
    a->sink.capacity = a->sink.buffer.bytes / sizeof(rn_pair);
    for (uint32_t piece = 0; piece < pieces && result == RN_OK; piece++) {
        a->sink.used = 0;
        result = r->method->pairs(r->state, piece, 0, &a->sink);
    }
    *seconds = built - begin + (rni_seconds() - built) / rni_crew_size(a->env->crew);
    return result;
}

/* Estimated time of a shadow, from a sample of the boxes; infinite if the method cannot handle the
 * sample. */
static double estimate(autopilot *a, rival *r, const rni_boxes *boxes)
{
    uint32_t step = boxes->count / SAMPLE_BOXES + 1;
    rn_boxes some = {.low = (const float *)(const void *)boxes->low,
                     .high = (const float *)(const void *)boxes->high,
                     .low_stride_bytes = boxes->low_stride * step,
                     .high_stride_bytes = boxes->high_stride * step,
                     .count = boxes->count / step,
                     .velocity = (const float *)(const void *)boxes->velocity,
                     .velocity_stride_bytes = boxes->velocity_stride * step,
                     .time_step = boxes->time_step};
    rni_boxes sample;
    double seconds;
    rni_arena_reset(&a->arena);
    if (rni_ingest_boxes(a->env->crew, &a->arena, boxes->dim, &some, "box", &sample) != RN_OK ||
        run_shadow(a, r, &sample, &seconds) != RN_OK)
        return HUGE_VAL;
    /* nearly all methods are worse than linear, and a sample has fewer pairs than the full set */
    double times = (double)boxes->count / (double)some.count;
    return seconds * pow(times, r->method->info.is_quadratic ? 2.0 : 1.5);
}

static void be_patient(rival *r)
{
    r->patience = r->patience < MAX_PATIENCE ? 2 * r->patience + 1 : MAX_PATIENCE;
    r->waited = 0;
    dismiss(r);
}

/* Second step of a shadow: the rival takes over or is destroyed. */
static void judge_shadow(autopilot *a, const rni_boxes *boxes, double present_s)
{
    rival *r = &a->rivals[a->shadow];
    double seconds;
    rn_result result = run_shadow(a, r, boxes, &seconds);
    const char *present = a->rivals[a->in_charge].method->info.name;
    if (result == RN_OK && seconds < CLEARLY_FASTER * present_s) {
        snprintf(a->why, sizeof a->why, "%s: %.2f times the time of %s on these %u boxes",
                 r->method->info.name, seconds / present_s, present, boxes->count);
        a->rivals[a->in_charge].env.stats = &a->shadow_stats;
        be_patient(&a->rivals[a->in_charge]);
        r->env.stats = a->env->stats;
        a->in_charge = a->shadow;
        return;
    }
    if (result == RN_OK)
        snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long on these %u boxes", present,
                 r->method->info.name, seconds / present_s, boxes->count);
    be_patient(r);
    a->shadow = a->in_charge;
}

/* First step of a shadow, if the time budget allows one. */
static void begin_shadow(autopilot *a, const rni_boxes *boxes)
{
    double budget = SHARE_OF_TIME * a->work_s - a->shadow_s;
    a->next = a->next + 1 < a->rival_count ? a->next + 1 : 0;
    rival *r = &a->rivals[a->next];
    if (a->next == a->in_charge || budget <= 2.0 * r->expected_s || r->waited++ < r->patience)
        return;
    if (r->method->create(&r->env, &r->state) != RN_OK) {
        r->state = NULL;
        be_patient(r);
        return;
    }
    double seconds;
    if (r->expected_s == 0.0) r->expected_s = estimate(a, r, boxes);
    if (2.0 * r->expected_s > budget) dismiss(r); /* the budget may suffice later */
    else if (run_shadow(a, r, boxes, &seconds) != RN_OK) be_patient(r);
    else a->shadow = a->next;
}

static rn_result build(void *state, const rni_boxes *boxes)
{
    autopilot *a = state;
    double present_s = last_step_s(a), begin = rni_seconds();
    a->work_s += present_s;
    bool has_changed = boxes->count > 2 * (uint64_t)a->count || 2 * (uint64_t)boxes->count < a->count;
    for (uint32_t r = 0; r < a->rival_count && has_changed; r++) {
        a->rivals[r].patience = 0;
        a->rivals[r].expected_s = 0.0;
    }
    a->count = boxes->count;
    bool is_built = false;
    if (has_changed && a->shadow != a->in_charge) {
        dismiss(&a->rivals[a->shadow]);
        a->shadow = a->in_charge;
    } else if (present_s > 0.0 && boxes->count > 1) {
        if (a->shadow != a->in_charge) {
            uint32_t before = a->in_charge;
            judge_shadow(a, boxes, present_s);
            is_built = a->in_charge != before;
        } else {
            begin_shadow(a, boxes);
        }
        a->shadow_s += rni_seconds() - begin;
    }
    atomic_store(&a->find_ns, 0);
    atomic_store(&a->find_calls, 0);
    rival *r = &a->rivals[a->in_charge];
    begin = rni_seconds();
    rn_result result = RN_OK;
    if (!is_built) {
        rni_arena_reset(&a->arena);
        result = r->method->build(r->state, boxes);
        a->build_s = rni_seconds() - begin;
    } else {
        *a->env->stats = (rn_broadphase_stats){.method = a->env->stats->method,
                                               .cpu = a->env->stats->cpu,
                                               .threads = a->env->stats->threads,
                                               .box_count = boxes->count,
                                               .check_ms = a->env->stats->check_ms};
    }
    if (result == RN_ERROR_LIMIT && a->in_charge != 0) { /* the default handles any boxes */
        rival *first = &a->rivals[0];
        snprintf(a->why, sizeof a->why, "%s: %s cannot handle these boxes",
                 first->method->info.name, r->method->info.name);
        result = first->method->create(&first->env, &first->state);
        if (result != RN_OK) return result;
        r->env.stats = &a->shadow_stats;
        be_patient(r);
        first->env.stats = a->env->stats;
        a->in_charge = a->shadow = 0;
        rni_arena_reset(&a->arena);
        result = first->method->build(first->state, boxes);
    }
    a->env->stats->method = a->rivals[a->in_charge].method->info.method;
    memcpy(a->env->stats->choice, a->why, sizeof a->why);
    return result;
}

static uint32_t pair_pieces(const void *state)
{
    const autopilot *a = state;
    return a->rivals[a->in_charge].method->pair_pieces(a->rivals[a->in_charge].state);
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    autopilot *a = state;
    double begin = rni_seconds();
    const rival *r = &a->rivals[a->in_charge];
    rn_result result = r->method->pairs(r->state, piece, worker, sink);
    atomic_fetch_add_explicit(&a->find_ns, (uint64_t)(1e9 * (rni_seconds() - begin)),
                              memory_order_relaxed);
    if (piece == 0) atomic_fetch_add(&a->find_calls, 1);
    return result;
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    autopilot *a = state;
    const rival *r = &a->rivals[a->in_charge];
    return r->method->query(r->state, queries, first, count, worker, sink);
}

const rni_box_method rni_box_method_auto = {
    .info = {RN_BROADPHASE_AUTO, "auto",
             "measures the other methods on your own boxes and uses the fastest", "Runnel", false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .pair_pieces = pair_pieces,
    .pairs = pairs,
    .query = query,
};
