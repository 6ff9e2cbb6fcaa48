/* Method "auto": whichever method of the table is the fastest on the caller's own points.
 *
 * It starts with the default. Now and then it takes a sample of the points (all of them around one
 * place, so that they are as crowded as the whole), lets the present method and another one search it,
 * and changes over when the other was faster twice in a row. Samples may take a small share of the
 * time spent on real work and no more, so a run is never much slower than its best method; a method
 * that lost by far is asked again less and less often, until the points change their character.
 *
 * The lists hold the same neighbours whatever it picks. In RN_ORDER_METHOD their order is that of the
 * method it picked, and so may differ from run to run; RN_ORDER_INDEX always gives the same bytes. */
#include "search/method.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MAX_CANDIDATES 16u
#define SAMPLE_POINTS  1024u
#define SHARE_OF_TIME  0.06 /* for samples */
#define CLEARLY_FASTER 0.9  /* a rival's time over the present method's, to change over */
#define MAX_PATIENCE   64u  /* probes of others before a hopeless rival is asked again */

typedef struct rival {
    const rni_method *method;
    void *probe_state; /* for samples */
    double ratio;      /* its time over that of the method in charge, at the last probe */
    uint32_t wins;     /* probes won in a row */
    uint32_t patience, waited;
} rival;

typedef struct autopilot {
    rni_search_env *env;
    rni_search_env probe_env;
    rn_search_stats probe_stats;
    rni_arena probe_arena;
    rni_rows rows; /* of samples */
    rival rivals[MAX_CANDIDATES];
    uint32_t rival_count, in_charge, next;
    void *state; /* of the method in charge */
    double probed_s, build_s;
    _Atomic uint64_t find_ns; /* summed over workers */
    uint64_t character;       /* points of the last build */
    float last_radius;
    uint32_t turn;
    rni_buffer sample;
    char why[sizeof((rn_search_stats *)0)->choice];
} autopilot;

static void destroy(void *state)
{
    autopilot *a = state;
    if (!a) return;
    rni_memory *memory = a->env->memory;
    if (a->state) a->rivals[a->in_charge].method->destroy(a->state);
    for (uint32_t r = 0; r < a->rival_count; r++) {
        if (a->rivals[r].probe_state) a->rivals[r].method->destroy(a->rivals[r].probe_state);
    }
    rni_buffer_free(memory, &a->rows.index);
    rni_buffer_free(memory, &a->rows.distance_sq);
    rni_buffer_free(memory, &a->sample);
    rni_arena_free(&a->probe_arena);
    rni_memory_give(memory, a, sizeof *a);
}

static rn_result create(rni_search_env *env, void **state)
{
    autopilot *a = rni_memory_take(env->memory, sizeof *a);
    if (!a) return RN_ERROR_MEMORY;
    memset(a, 0, sizeof *a);
    a->env = env;
    a->rows.memory = env->memory;
    rni_arena_init(&a->probe_arena, env->memory);
    for (uint32_t place = 0; rni_method_at(place); place++) {
        const rni_method *method = rni_method_at(place);
        if (method->info.method == RN_SEARCH_AUTO || a->rival_count == MAX_CANDIDATES) continue;
        a->rivals[a->rival_count++] = (rival){.method = method, .ratio = 1.0};
    }
    snprintf(a->why, sizeof a->why, "%s: the default, nothing measured yet",
             a->rivals[0].method->info.name);
    rn_result result = a->rivals[0].method->create(env, &a->state);
    if (result != RN_OK) {
        a->state = NULL;
        destroy(a);
        return result;
    }
    *state = a;
    return RN_OK;
}

/* Points of the first set around one of them, in a cube that holds about SAMPLE_POINTS if they are
 * spread evenly; at most four times as many are taken. */
static rn_result take_sample(autopilot *a, const rni_cloud *cloud, rni_cloud *sample)
{
    const rni_space *space = &a->env->space;
    uint32_t most = 4 * SAMPLE_POINTS;
    rn_result result = rni_buffer_need(a->env->memory, &a->sample, most, sizeof(float[3]));
    if (result != RN_OK) return result;
    float(*to)[3] = a->sample.data;
    float centre[3], half[3];
    /* spread over the set, never twice the same place in a row */
    uint32_t middle = (uint32_t)((uint64_t)a->turn++ * 2654435761u % cloud->count);
    rni_cloud_at(cloud, space->dim, middle, centre);
    double share = (double)SAMPLE_POINTS / (double)cloud->count;
    double part = share < 1.0 ? pow(share, 1.0 / space->dim) : 2.0;
    for (int axis = 0; axis < 3; axis++) {
        half[axis] = (float)(0.5 * part * ((double)cloud->high[axis] - (double)cloud->low[axis]));
    }
    *sample = (rni_cloud){.position = a->sample.data, .stride_bytes = sizeof(float[3])};
    for (int axis = 0; axis < 3; axis++)
        sample->low[axis] = INFINITY, sample->high[axis] = -INFINITY;
    for (uint32_t i = 0; i < cloud->count && sample->count < most; i++) {
        float p[3];
        rni_cloud_at(cloud, space->dim, i, p);
        bool is_inside = true;
        for (int axis = 0; axis < 3; axis++)
            is_inside &= fabsf(p[axis] - centre[axis]) <= half[axis];
        if (!is_inside) continue;
        memcpy(to[sample->count++], p, sizeof p);
        for (int axis = 0; axis < 3; axis++) {
            sample->low[axis] = fminf(sample->low[axis], p[axis]);
            sample->high[axis] = fmaxf(sample->high[axis], p[axis]);
        }
    }
    return RN_OK;
}

/* Seconds a method takes for the sample: the better of two. Infinite where it cannot do it. */
static double time_rival(autopilot *a, rival *r, const rni_cloud *sample)
{
    double best = HUGE_VAL;
    if (!r->probe_state && r->method->create(&a->probe_env, &r->probe_state) != RN_OK) {
        r->probe_state = NULL;
        return best;
    }
    for (int round = 0; round < 2; round++) {
        rni_find find = {0, 0, RNI_WANT_INDEX, RNI_LEAVE_SELF};
        double begin = rni_seconds();
        rni_arena_reset(&a->probe_arena);
        if (r->method->build(r->probe_state, sample, 1) != RN_OK) return HUGE_VAL;
        for (uint32_t first = 0; first < sample->count; first += RNI_BLOCK_ROWS) {
            uint32_t left = sample->count - first;
            a->rows.used = 0;
            if (r->method->find(r->probe_state, &find, first,
                                left < RNI_BLOCK_ROWS ? left : RNI_BLOCK_ROWS, 0, &a->rows) != RN_OK) {
                return HUGE_VAL;
            }
        }
        double taken = rni_seconds() - begin;
        if (taken < best) best = taken;
        if (round == 0 && taken > 5e-3) break; /* slow enough to be known by once */
    }
    return best;
}

/* The next rival whose turn it is, or in_charge when all wait. */
static uint32_t choose_rival(autopilot *a)
{
    for (uint32_t k = 0; k < a->rival_count; k++) {
        uint32_t at = a->next;
        a->next = (a->next + 1) % a->rival_count;
        rival *r = &a->rivals[at];
        if (at == a->in_charge) continue;
        if (r->waited++ < r->patience) continue;
        r->waited = 0;
        return at;
    }
    return a->in_charge;
}

static rn_result take_over(autopilot *a, uint32_t winner)
{
    void *state = NULL;
    rn_result result = a->rivals[winner].method->create(a->env, &state);
    if (result != RN_OK) return result;
    a->rivals[a->in_charge].method->destroy(a->state);
    a->state = state;
    a->in_charge = winner;
    for (uint32_t r = 0; r < a->rival_count; r++) a->rivals[r].wins = a->rivals[r].patience = 0;
    return RN_OK;
}

static rn_result probe(autopilot *a, const rni_cloud *cloud)
{
    uint32_t at = choose_rival(a);
    if (at == a->in_charge) return RN_OK;
    rni_cloud sample;
    rn_result result = take_sample(a, cloud, &sample);
    if (result != RN_OK || sample.count < 2) return result;
    a->probe_env = *a->env;
    a->probe_env.stats = &a->probe_stats;
    a->probe_env.arena = &a->probe_arena;
    a->probe_env.radii_sq = NULL;
    rival *r = &a->rivals[at];
    double mine = time_rival(a, &a->rivals[a->in_charge], &sample);
    r->ratio = time_rival(a, r, &sample) / mine;
    r->wins = r->ratio < CLEARLY_FASTER ? r->wins + 1 : 0;
    if (r->ratio > 1.5)
        r->patience = r->patience < MAX_PATIENCE ? 2 * r->patience + 1 : MAX_PATIENCE;
    const char *present = a->rivals[a->in_charge].method->info.name;
    if (r->wins >= 2) {
        snprintf(a->why, sizeof a->why, "%s: %.2f times the time of %s on a sample of %u points",
                 r->method->info.name, r->ratio, present, sample.count);
        return take_over(a, at);
    }
    if (isfinite(r->ratio)) {
        snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long on a sample of %u points",
                 present, r->method->info.name, r->ratio, sample.count);
    }
    return RN_OK;
}

/* Twice or half the points, or another radius: everything is open again. */
static void watch_character(autopilot *a, uint64_t count)
{
    bool has_changed = a->character > 0 && (count > 2 * a->character || 2 * count < a->character);
    has_changed |= a->last_radius != a->env->space.radius && a->last_radius > 0.0f;
    if (has_changed || a->character == 0) a->character = count;
    a->last_radius = a->env->space.radius;
    if (!has_changed) return;
    for (uint32_t r = 0; r < a->rival_count; r++) a->rivals[r].patience = a->rivals[r].waited = 0;
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    autopilot *a = state;
    uint64_t count = 0;
    for (uint32_t s = 0; s < set_count; s++) count += sets[s].count;
    watch_character(a, count);
    double work_s =
        a->build_s + 1e-9 * (double)atomic_load(&a->find_ns) / rni_crew_size(a->env->crew);
    rn_result result = RN_OK;
    if (sets[0].count > 1 && a->probed_s < SHARE_OF_TIME * work_s) {
        double begin = rni_seconds();
        result = probe(a, &sets[0]);
        a->probed_s += rni_seconds() - begin;
        if (result != RN_OK) return result;
    }
    double begin = rni_seconds();
    const rni_method *method = a->rivals[a->in_charge].method;
    result = method->build(a->state, sets, set_count);
    if (result == RN_ERROR_LIMIT && a->in_charge != 0) { /* the default takes any points */
        snprintf(a->why, sizeof a->why, "%s: %s cannot take these points",
                 a->rivals[0].method->info.name, method->info.name);
        result = take_over(a, 0);
        if (result == RN_OK) result = a->rivals[0].method->build(a->state, sets, set_count);
    }
    a->build_s += rni_seconds() - begin;
    a->env->stats->method = a->rivals[a->in_charge].method->info.method;
    memcpy(a->env->stats->choice, a->why, sizeof a->why);
    return result;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    autopilot *a = state;
    return a->rivals[a->in_charge].method->place(a->state, queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const autopilot *a = state;
    return a->rivals[a->in_charge].method->order(a->state, set);
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    autopilot *a = state;
    double begin = rni_seconds();
    rn_result result =
        a->rivals[a->in_charge].method->find(a->state, find, first, count, worker, rows);
    atomic_fetch_add_explicit(&a->find_ns, (uint64_t)(1e9 * (rni_seconds() - begin)),
                              memory_order_relaxed);
    return result;
}

const rni_method rni_method_auto = {
    .info = {RN_SEARCH_AUTO, "auto",
             "measures the others on your own points, and takes the fastest", "Runnel", false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
