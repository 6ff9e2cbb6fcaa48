/* Method "auto": chooses the fastest method of the table by measuring on the caller's own
 * points.
 *
 * It starts with the default method. From time to time, after a build, an alternative builds on
 * the same points and finds a sample of the rows, spread over all rows; the current method is
 * timed on the same rows. The alternative replaces the current method when it is clearly faster,
 * and is dropped again if its real updates turn out slower. Measurements are paid from a time
 * budget: it starts with the time of a few updates and grows by a share of the time of real
 * work. A run is therefore never much slower than with its best method. A measurement stops
 * early when the alternative is far too slow. Once all alternatives are measured, auto measures
 * and allocates nothing more until the profile of the points changes: their number, the radius,
 * the bounding box, or the neighbours per point.
 *
 * The lists hold the same neighbours whichever method is chosen. In RN_ORDER_METHOD their order
 * is that of the chosen method and may differ between runs; RN_ORDER_INDEX always gives the same
 * bytes. */
#include "search/method.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MAX_ALTERNATIVES 16u
#define BUDGET_SHARE     0.02 /* of real work, spent on measuring */
#define BUDGET_UPDATES   3.0  /* upper limit of the budget, in updates */
/* fraction of the cost that the budget must hold: the best time fluctuates */
#define BUDGET_FULL   0.9
#define SWITCH_RATIO  0.92 /* time of the alternative / time of the current method, to switch */
#define CHEAP_COST    2.0  /* alternatives up to this cost are always measured twice */
#define GIVE_UP_RATIO 2.5  /* slower by this factor: the measurement stops early */
/* up to this factor: measured twice, since one measurement may be an outlier */
#define CLOSE_RATIO 1.6
/* after a switch, before the method is judged by its real updates */
#define PROBATION_UPDATES 4u
#define SAMPLE_ROWS       64u /* per block */
#define MIN_BLOCKS        4u
#define MAX_BLOCKS        24u
#define SAMPLE_PART       8u   /* one block in this many, within MIN_BLOCKS and MAX_BLOCKS */
#define BEST_GROWTH       1.02 /* the best recent time grows by this factor with every update */

typedef struct alternative {
    const rni_method *method;
    double cost;             /* approximate cost of a measurement, in updates of the default */
    uint32_t measured_count; /* measurements since the profile changed */
    bool is_done;            /* not measured again until the profile changes */
} alternative;

/* The properties of the points that matter for the choice of a method. */
typedef struct profile {
    uint64_t count;
    float radius;
    double extent[3];
    double neighbors; /* entries per row; negative: not known yet */
} profile;

/* The work of the current method since the last build, and its time. */
typedef struct work {
    _Atomic uint64_t find_ns; /* summed over workers */
    _Atomic uint64_t row_count, entry_count;
    rni_find find; /* the last request */
    double build_s;
} work;

typedef struct autopilot {
    rni_search_env *env;
    alternative alternatives[MAX_ALTERNATIVES]; /* [0]: the default */
    uint32_t alternative_count, current;
    void *state;         /* of the current method */
    work last;           /* since the last build */
    double best_s;       /* recent best seconds per row of the current method; 0: not known */
    double best_build_s; /* recent best build time of the current method */
    double budget_s;
    bool has_budget;
    uint32_t probation; /* updates left until the new method is judged */
    uint32_t previous;  /* the method before the last switch */
    double previous_s;  /* seconds per row of the previous method */
    profile profile;
    char why[sizeof((rn_search_stats *)0)->choice];
} autopilot;

static void destroy(void *state)
{
    autopilot *a = state;
    if (!a) return;
    if (a->state) a->alternatives[a->current].method->destroy(a->state);
    rni_memory_give(a->env->memory, a, sizeof *a);
}

/* Orders the alternatives: the default first, then by how often each method won in our
 * measurements (runnel lab which-method), which is also the order of their cost. */
static void list_alternatives(autopilot *a)
{
    static const struct {
        rn_search_method method;
        double cost;
    } known[] = {{RN_SEARCH_LINEAR_KDTREE, 2.0}, {RN_SEARCH_KDTREE, 2.0}, {RN_SEARCH_CELL_SORT, 4.0}};
    const uint32_t known_count = sizeof known / sizeof *known;
    a->alternatives[a->alternative_count++].method = rni_method_at(0);
    for (uint32_t rank = 0; rank <= known_count; rank++) {
        for (uint32_t place = 1; rni_method_at(place) && a->alternative_count < MAX_ALTERNATIVES;
             place++) {
            const rni_method *method = rni_method_at(place);
            uint32_t k = 0;
            while (k < known_count && known[k].method != method->info.method) k++;
            if (k != rank || method->info.method == RN_SEARCH_AUTO) continue;
            double cost = k < known_count ? known[k].cost : 2.0 * BUDGET_UPDATES;
            a->alternatives[a->alternative_count++] = (alternative){.method = method, .cost = cost};
        }
    }
}

static rn_result create(rni_search_env *env, void **state)
{
    autopilot *a = rni_memory_take(env->memory, sizeof *a);
    if (!a) return RN_ERROR_MEMORY;
    memset(a, 0, sizeof *a);
    a->env = env;
    list_alternatives(a);
    snprintf(a->why, sizeof a->why, "%s: the default, nothing measured yet",
             a->alternatives[0].method->info.name);
    rn_result result = a->alternatives[0].method->create(env, &a->state);
    if (result != RN_OK) {
        a->state = NULL;
        destroy(a);
        return result;
    }
    *state = a;
    return RN_OK;
}

/* --- profile of the points -------------------------------------------------------------------- */

static bool differs(double a, double b, double factor)
{
    return a > factor * b || b > factor * a;
}

static profile profile_of(const autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    uint64_t rows = atomic_load(&a->last.row_count);
    profile c = {.radius = a->env->space.radius, .neighbors = -1.0};
    if (rows > 0) c.neighbors = (double)atomic_load(&a->last.entry_count) / (double)rows;
    for (uint32_t s = 0; s < set_count; s++) c.count += sets[s].count;
    for (int axis = 0; axis < 3 && sets[0].count > 0; axis++)
        c.extent[axis] = (double)sets[0].high[axis] - (double)sets[0].low[axis];
    return c;
}

/* Measures all alternatives again when the points differ from those measured before. */
static void watch_profile(autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    profile now = profile_of(a, sets, set_count), *then = &a->profile;
    double slack = (double)now.radius;
    bool has_changed = differs((double)now.count, (double)then->count, 1.25) ||
                       differs((double)now.radius, (double)then->radius, 1.1);
    for (int axis = 0; axis < 3; axis++)
        has_changed |= differs(now.extent[axis] + slack, then->extent[axis] + slack, 1.5);
    if (then->neighbors < 0.0) then->neighbors = now.neighbors;
    if (now.neighbors >= 0.0)
        has_changed |= differs(now.neighbors + 1.0, then->neighbors + 1.0, 1.25);
    if (!has_changed) return;
    *then = now;
    a->best_s = a->best_build_s = 0.0;
    a->probation = 0;
    for (uint32_t r = 0; r < a->alternative_count; r++) {
        a->alternatives[r].measured_count = 0;
        a->alternatives[r].is_done = false;
    }
}

/* --- time budget ------------------------------------------------------------------------------ */

/* Seconds of real work since the last build, and the number of rows. */
static double work_since(const autopilot *a, uint64_t *row_count)
{
    *row_count = atomic_load(&a->last.row_count);
    return a->last.build_s +
           1e-9 * (double)atomic_load(&a->last.find_ns) / rni_crew_size(a->env->crew);
}

/* An approximate minimum of the recent values; best 0: no value yet. */
static double recent_best(double best, double now)
{
    return best > 0.0 ? fmin(BEST_GROWTH * best, now) : now;
}

static void record_work(autopilot *a)
{
    uint64_t row_count;
    double spent = work_since(a, &row_count);
    if (row_count == 0) return; /* nothing was found: the cost of an update is unknown */
    double a_row = spent / (double)row_count;
    a->best_s = recent_best(a->best_s, a_row);
    a->best_build_s = recent_best(a->best_build_s, a->last.build_s);
    double update_s = a->best_s * (double)row_count;
    if (!a->has_budget) a->budget_s = BUDGET_UPDATES * update_s;
    a->has_budget = true;
    a->budget_s = fmin(a->budget_s + BUDGET_SHARE * spent, BUDGET_UPDATES * update_s);
}

/* --- measuring an alternative ----------------------------------------------------------------- */

/* Times a sample of the rows, in blocks spread over all rows. Returns seconds, scaled to all
 * rows and all threads. Stops when the time is far past limit_s. */
static double time_rows(autopilot *a, const rni_method *method, void *state, const rni_find *find,
                        uint32_t count, double limit_s, rni_rows *rows)
{
    const uint32_t all = (count + SAMPLE_ROWS - 1) / SAMPLE_ROWS;
    uint32_t blocks = all / SAMPLE_PART > MIN_BLOCKS ? all / SAMPLE_PART : MIN_BLOCKS;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    if (blocks > all) blocks = all;
    const double whole = (double)count / rni_crew_size(a->env->crew);
    uint64_t done = 0;
    double begin = rni_seconds(), cpu_begin = rni_thread_seconds();
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t first = (uint32_t)((uint64_t)all * b / blocks) * SAMPLE_ROWS;
        uint32_t length = count - first < SAMPLE_ROWS ? count - first : SAMPLE_ROWS;
        rni_rows_begin(rows);
        if (method->find(state, find, first, length, 0, rows) != RN_OK) return HUGE_VAL;
        done += length;
        double taken = rni_seconds() - begin;
        /* the first rows may not be representative: allow twice the limit */
        if (taken * whole / (double)done > 2.0 * limit_s || taken > limit_s) break;
    }
    return (rni_thread_seconds() - cpu_begin) * whole / (double)done;
}

typedef struct comparison {
    const rni_cloud *sets;
    uint32_t set_count;
    rni_find find;  /* the request to measure */
    uint32_t count; /* rows of the set */
    double scale;   /* rows per update / count */
    rni_rows rows;  /* scratch */
    double build_s; /* of the current method */
    double alternative_build_s;
    double current_s; /* seconds per update of the current method */
    void *state;      /* of the alternative */
    rn_search_stats stats;
} comparison;

/* Builds and finds. When the result is close it builds twice, because the first build also
 * allocates. */
static double time_alternative(autopilot *a, const rni_method *method, comparison *q)
{
    double (*clock)(void) = rni_crew_size(a->env->crew) == 1 ? rni_thread_seconds : rni_seconds;
    double best = HUGE_VAL;
    for (int round = 0; round < 2; round++) {
        double begin = clock();
        if (method->build(q->state, q->sets, q->set_count) != RN_OK) return HUGE_VAL;
        double build_s = clock() - begin;
        q->alternative_build_s = build_s;
        if (round == 0 && build_s > 2.0 * GIVE_UP_RATIO * q->current_s) return build_s;
        double limit_s = GIVE_UP_RATIO * q->current_s / q->scale;
        double find_s = time_rows(a, method, q->state, &q->find, q->count, limit_s, &q->rows);
        best = fmin(best, build_s + find_s * q->scale);
        if (best > CLOSE_RATIO * q->current_s) break;
    }
    return best;
}

/* Structure statistics of one method do not apply to the next. */
static void clear_report(rn_search_stats *stats)
{
    stats->cell_count = 0;
    stats->is_sparse = stats->order_reused = false;
}

static void switch_to(autopilot *a, uint32_t faster, void *state)
{
    a->alternatives[a->current].method->destroy(a->state);
    a->state = state;
    a->current = faster;
    a->best_s = a->best_build_s = 0.0;
}

/* Measures an alternative on the current points, with its own arena and statistics, and switches
 * to it when it is clearly faster. */
static void compare(autopilot *a, uint32_t at, comparison *q)
{
    alternative *r = &a->alternatives[at];
    const char *present = a->alternatives[a->current].method->info.name;
    r->measured_count++;
    if (r->method->create(a->env, &q->state) != RN_OK) q->state = NULL;
    double ratio = q->state ? time_alternative(a, r->method, q) / q->current_s : HUGE_VAL;
    r->is_done = r->measured_count > 1 || (!(ratio < CLOSE_RATIO) && r->cost > CHEAP_COST);
    if (ratio < SWITCH_RATIO) {
        snprintf(a->why, sizeof a->why, "%s: %.2f times the time of %s on these points",
                 r->method->info.name, ratio, present);
        /* it has just been compared with the alternative */
        a->alternatives[a->current].measured_count++;
        a->previous = a->current;
        a->previous_s = a->best_s;
        a->probation = PROBATION_UPDATES;
        switch_to(a, at, q->state);
        q->state = NULL;
        q->build_s = q->alternative_build_s;
    } else if (isfinite(ratio)) {
        snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long on these points", present,
                 r->method->info.name, ratio);
    }
    if (q->state) r->method->destroy(q->state);
}

/* The next alternative to measure, or `current` when all are measured. */
static uint32_t next_alternative(const autopilot *a)
{
    uint32_t next = a->current;
    for (uint32_t r = 0; r < a->alternative_count; r++) {
        if (r == a->current || a->alternatives[r].is_done) continue;
        if (next == a->current ||
            a->alternatives[r].measured_count < a->alternatives[next].measured_count)
            next = r;
    }
    return next;
}

/* Applies the last request since the last build to the current points. */
static bool make_sample_find(const autopilot *a, comparison *q)
{
    uint64_t row_count;
    work_since(a, &row_count);
    q->find = a->last.find;
    /* the query points are gone; the searched points are distributed similarly */
    if (q->find.set == RNI_QUERIES) {
        q->find.set = q->find.searched;
        q->find.leave_out = RNI_LEAVE_SELF;
    }
    q->count = q->find.set < q->set_count ? q->sets[q->find.set].count : 0;
    if (row_count == 0 || q->count < 2) return false;
    q->scale = (double)row_count / q->count;
    return true;
}

/* After a build of the current method: measures an alternative, if one is left and the budget
 * allows it. Failures of an alternative have no effect on the search. */
static void try_alternative(autopilot *a, comparison *q)
{
    uint32_t at = next_alternative(a);
    if (at == a->current || a->probation > 0 || a->best_s == 0.0 || !make_sample_find(a, q)) return;
    double cost = fmin(a->alternatives[at].cost, BUDGET_UPDATES);
    if (a->budget_s < BUDGET_FULL * cost * a->best_s * q->scale * q->count) return;
    rni_search_env *env = a->env;
    rn_search_stats *stats = env->stats;
    rni_arena *arena = env->arena, own;
    double begin = rni_seconds();
    rni_arena_init(&own, env->memory);
    q->rows.memory = env->memory;
    q->stats = *stats;
    clear_report(&q->stats);
    double find_s = time_rows(a, a->alternatives[a->current].method, a->state, &q->find, q->count,
                              HUGE_VAL, &q->rows);
    q->current_s = fmin(q->build_s, a->best_build_s) + find_s * q->scale;
    env->stats = &q->stats;
    env->arena = &own;
    uint32_t current = a->current;
    if (isfinite(find_s)) compare(a, at, q);
    env->stats = stats;
    env->arena = arena;
    if (a->current != current) *stats = q->stats;
    rni_rows_free(&q->rows);
    rni_arena_free(&own);
    a->budget_s -= rni_seconds() - begin;
}

/* Returns to the previous method when the real updates of the new one are not faster. */
static void end_probation(autopilot *a)
{
    if (a->probation == 0 || --a->probation > 0 || a->best_s == 0.0) return;
    if (a->best_s <= a->previous_s) return;
    void *state = NULL;
    const rni_method *previous = a->alternatives[a->previous].method;
    if (previous->create(a->env, &state) != RN_OK) return;
    snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long in real updates",
             previous->info.name, a->alternatives[a->current].method->info.name,
             a->best_s / a->previous_s);
    a->alternatives[a->current].is_done = true;
    switch_to(a, a->previous, state);
    clear_report(a->env->stats);
}

/* --- the method ------------------------------------------------------------------------------- */

static rn_result build_current(autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    const rni_method *method = a->alternatives[a->current].method;
    rn_result result = method->build(a->state, sets, set_count);
    if (result != RN_ERROR_LIMIT || a->current == 0) return result;
    void *state = NULL; /* the default accepts any points */
    const rni_method *standard = a->alternatives[0].method;
    result = standard->create(a->env, &state);
    if (result != RN_OK) return result;
    snprintf(a->why, sizeof a->why, "%s: %s cannot take these points", standard->info.name,
             method->info.name);
    a->alternatives[a->current].is_done = true;
    a->probation = 0;
    switch_to(a, 0, state);
    clear_report(a->env->stats);
    return standard->build(a->state, sets, set_count);
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    autopilot *a = state;
    record_work(a);
    watch_profile(a, sets, set_count);
    end_probation(a);
    double begin = rni_seconds();
    rn_result result = build_current(a, sets, set_count);
    comparison q = {.sets = sets, .set_count = set_count, .build_s = rni_seconds() - begin};
    if (result == RN_OK) try_alternative(a, &q);
    a->last.build_s = q.build_s;
    atomic_store(&a->last.find_ns, 0);
    atomic_store(&a->last.row_count, 0);
    atomic_store(&a->last.entry_count, 0);
    a->env->stats->method = a->alternatives[a->current].method->info.method;
    memcpy(a->env->stats->choice, a->why, sizeof a->why);
    return result;
}

static rn_result place(void *state, const rni_cloud *queries)
{
    autopilot *a = state;
    return a->alternatives[a->current].method->place(a->state, queries);
}

static const uint32_t *order_of(const void *state, uint32_t set)
{
    const autopilot *a = state;
    return a->alternatives[a->current].method->order(a->state, set);
}

static rn_result find(void *state, const rni_find *find, uint32_t first, uint32_t count,
                      uint32_t worker, rni_rows *rows)
{
    autopilot *a = state;
    double begin = rni_seconds();
    rn_result result =
        a->alternatives[a->current].method->find(a->state, find, first, count, worker, rows);
    uint64_t entries = 0;
    for (uint32_t row = 0; row < count && result == RN_OK; row++) entries += rows->counts[row];
    atomic_fetch_add_explicit(&a->last.row_count, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->last.entry_count, entries, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->last.find_ns, (uint64_t)(1e9 * (rni_seconds() - begin)),
                              memory_order_relaxed);
    if (first == 0) a->last.find = *find; /* exactly one worker gets the first block */
    return result;
}

const rni_method rni_method_auto = {
    .info = {RN_SEARCH_AUTO, "auto",
             "measures the other methods on the caller's points and uses the fastest", "Runnel",
             false},
    .create = create,
    .destroy = destroy,
    .build = build,
    .place = place,
    .order = order_of,
    .find = find,
};
