/* Method "auto": whichever method of the table is the fastest on the caller's own points.
 *
 * It starts with the default. Now and then, after a build, it lets another one build on the same
 * points and find some of the rows, spread over all of them, and does the same rows with the method
 * in charge. The other takes over when it was clearly faster, and goes again should its real updates
 * not be. What the asking costs comes out of a purse: a share of the time of real work goes in, a
 * few updates' worth is in it from the start, so a run is never much slower than its best method;
 * one that is hopeless is not asked to the end. When all others have had their say the asking ends,
 * and nothing is allocated any more, until the points change their character: how many they are, the
 * radius, the box, the neighbours of a point.
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

#define MAX_RIVALS     16u
#define SHARE_OF_TIME  0.02 /* of real work, for asking */
#define PURSE_UPDATES  3.0  /* what the purse holds at most, in updates */
#define PURSE_FULL     0.9  /* so much of the price has to be in it: the best time moves */
#define CLEARLY_FASTER 0.92 /* a rival's time over the present method's, to change over */
#define CHEAP          2.0  /* a price that is paid twice in any case */
#define HOPELESS       2.5  /* so many times the time: not asked to the end */
#define CLOSE          1.6  /* not slower than this: asked twice, for once may be bad luck */
#define TRIAL_UPDATES  4u   /* of a method that took over, until it is judged by its real work */
#define SAMPLE_ROWS    64u  /* of a block */
#define MIN_BLOCKS     4u
#define MAX_BLOCKS     24u
#define SAMPLE_PART    8u   /* one block of so many, between the two */
#define FORGET         1.02 /* the best time so far grows by this with every update */

typedef struct rival {
    const rni_method *method;
    double price;   /* of asking, about, in updates of the default */
    uint32_t asked; /* times since the points changed their character */
    bool is_done;   /* not to be asked again before they do */
} rival;

/* What makes one set of points like another, for the choice of a method. */
typedef struct character {
    uint64_t count;
    float radius;
    double extent[3];
    double neighbors; /* entries a row; negative: nothing was found yet */
} character;

/* What was asked of the present method since the last build, and what it took. */
typedef struct work {
    _Atomic uint64_t find_ns; /* summed over workers */
    _Atomic uint64_t row_count, entry_count;
    rni_find find; /* the last question */
    double build_s;
} work;

typedef struct autopilot {
    rni_search_env *env;
    rival rivals[MAX_RIVALS]; /* [0]: the default */
    uint32_t rival_count, in_charge;
    void *state;         /* of the method in charge */
    work last;           /* since the last build */
    double best_s;       /* seconds a row of the method in charge, lately; 0: not known */
    double best_build_s; /* of its builds, lately */
    double purse_s;
    bool has_purse;
    uint32_t trial; /* updates that a new one in charge has left until it is judged */
    uint32_t before;
    double before_s; /* who was in charge before it, and his time a row */
    character character;
    char why[sizeof((rn_search_stats *)0)->choice];
} autopilot;

static void destroy(void *state)
{
    autopilot *a = state;
    if (!a) return;
    if (a->state) a->rivals[a->in_charge].method->destroy(a->state);
    rni_memory_give(a->env->memory, a, sizeof *a);
}

/* In the order they are asked: the default, then by how often they have won where we measured (runnel
 * lab which-method), which is also what asking them takes. */
static void line_up(autopilot *a)
{
    static const struct {
        rn_search_method method;
        double price;
    } known[] = {{RN_SEARCH_LINEAR_KDTREE, 2.0}, {RN_SEARCH_KDTREE, 2.0}, {RN_SEARCH_CELL_SORT, 4.0}};
    const uint32_t known_count = sizeof known / sizeof *known;
    a->rivals[a->rival_count++].method = rni_method_at(0);
    for (uint32_t rank = 0; rank <= known_count; rank++) {
        for (uint32_t place = 1; rni_method_at(place) && a->rival_count < MAX_RIVALS; place++) {
            const rni_method *method = rni_method_at(place);
            uint32_t k = 0;
            while (k < known_count && known[k].method != method->info.method) k++;
            if (k != rank || method->info.method == RN_SEARCH_AUTO) continue;
            double price = k < known_count ? known[k].price : 2.0 * PURSE_UPDATES;
            a->rivals[a->rival_count++] = (rival){.method = method, .price = price};
        }
    }
}

static rn_result create(rni_search_env *env, void **state)
{
    autopilot *a = rni_memory_take(env->memory, sizeof *a);
    if (!a) return RN_ERROR_MEMORY;
    memset(a, 0, sizeof *a);
    a->env = env;
    line_up(a);
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

/* --- what the points are like ----------------------------------------------------------------- */

static bool differs(double a, double b, double factor)
{
    return a > factor * b || b > factor * a;
}

static character look_at(const autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    uint64_t rows = atomic_load(&a->last.row_count);
    character c = {.radius = a->env->space.radius, .neighbors = -1.0};
    if (rows > 0) c.neighbors = (double)atomic_load(&a->last.entry_count) / (double)rows;
    for (uint32_t s = 0; s < set_count; s++) c.count += sets[s].count;
    for (int axis = 0; axis < 3 && sets[0].count > 0; axis++)
        c.extent[axis] = (double)sets[0].high[axis] - (double)sets[0].low[axis];
    return c;
}

/* Everything is open again when the points are no longer like those that the rivals were asked on. */
static void watch_character(autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    character now = look_at(a, sets, set_count), *then = &a->character;
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
    a->trial = 0;
    for (uint32_t r = 0; r < a->rival_count; r++) {
        a->rivals[r].asked = 0;
        a->rivals[r].is_done = false;
    }
}

/* --- the purse -------------------------------------------------------------------------------- */

/* Seconds of real work since the last build, and its rows. */
static double work_since(const autopilot *a, uint64_t *row_count)
{
    *row_count = atomic_load(&a->last.row_count);
    return a->last.build_s +
           1e-9 * (double)atomic_load(&a->last.find_ns) / rni_crew_size(a->env->crew);
}

/* The best of the last ones, more or less; 0: there was none. */
static double lately(double best, double now)
{
    return best > 0.0 ? fmin(FORGET * best, now) : now;
}

static void take_stock(autopilot *a)
{
    uint64_t row_count;
    double spent = work_since(a, &row_count);
    if (row_count == 0) return; /* nothing asked: not known what an update costs */
    double a_row = spent / (double)row_count;
    a->best_s = lately(a->best_s, a_row);
    a->best_build_s = lately(a->best_build_s, a->last.build_s);
    double update_s = a->best_s * (double)row_count;
    if (!a->has_purse) a->purse_s = PURSE_UPDATES * update_s;
    a->has_purse = true;
    a->purse_s = fmin(a->purse_s + SHARE_OF_TIME * spent, PURSE_UPDATES * update_s);
}

/* --- asking a rival --------------------------------------------------------------------------- */

/* Rows of the first question, in blocks spread over all of them; seconds, for all rows and on all
 * threads. Stops when it is far past limit_s. */
static double time_rows(autopilot *a, const rni_method *method, void *state, const rni_find *find,
                        uint32_t count, double limit_s, rni_rows *rows)
{
    const uint32_t all = (count + SAMPLE_ROWS - 1) / SAMPLE_ROWS;
    uint32_t blocks = all / SAMPLE_PART > MIN_BLOCKS ? all / SAMPLE_PART : MIN_BLOCKS;
    if (blocks > MAX_BLOCKS) blocks = MAX_BLOCKS;
    if (blocks > all) blocks = all;
    const double whole = (double)count / rni_crew_size(a->env->crew);
    uint64_t done = 0;
    double begin = rni_seconds(), worked = rni_thread_seconds();
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t first = (uint32_t)((uint64_t)all * b / blocks) * SAMPLE_ROWS;
        uint32_t length = count - first < SAMPLE_ROWS ? count - first : SAMPLE_ROWS;
        rni_rows_begin(rows);
        if (method->find(state, find, first, length, 0, rows) != RN_OK) return HUGE_VAL;
        done += length;
        double taken = rni_seconds() - begin;
        /* the first rows may be an accident of their cells: not by the limit itself */
        if (taken * whole / (double)done > 2.0 * limit_s || taken > limit_s) break;
    }
    return (rni_thread_seconds() - worked) * whole / (double)done;
}

typedef struct questioning {
    const rni_cloud *sets;
    uint32_t set_count;
    rni_find find;  /* what is asked */
    uint32_t count; /* rows there are */
    double scale;   /* rows that an update asks for, of these */
    rni_rows rows;  /* room */
    double build_s; /* of the method in charge */
    double rival_build_s;
    double mine_s; /* seconds of the method in charge for an update */
    void *state;   /* of the rival */
    rn_search_stats stats;
} questioning;

/* Builds and finds; the build twice when it was close, for the first one also got its memory. */
static double ask_rival(autopilot *a, const rni_method *method, questioning *q)
{
    double (*clock)(void) = rni_crew_size(a->env->crew) == 1 ? rni_thread_seconds : rni_seconds;
    double best = HUGE_VAL;
    for (int round = 0; round < 2; round++) {
        double begin = clock();
        if (method->build(q->state, q->sets, q->set_count) != RN_OK) return HUGE_VAL;
        double build_s = clock() - begin;
        q->rival_build_s = build_s;
        if (round == 0 && build_s > 2.0 * HOPELESS * q->mine_s) return build_s;
        double limit_s = HOPELESS * q->mine_s / q->scale;
        double find_s = time_rows(a, method, q->state, &q->find, q->count, limit_s, &q->rows);
        best = fmin(best, build_s + find_s * q->scale);
        if (best > CLOSE * q->mine_s) break;
    }
    return best;
}

/* What one method has reported of its structure is not true of the next. */
static void clear_report(rn_search_stats *stats)
{
    stats->cell_count = 0;
    stats->is_sparse = stats->order_reused = false;
}

static void take_over(autopilot *a, uint32_t winner, void *state)
{
    a->rivals[a->in_charge].method->destroy(a->state);
    a->state = state;
    a->in_charge = winner;
    a->best_s = a->best_build_s = 0.0;
}

/* A rival on the present points, with arena and report of its own. It takes over when it wins. */
static void compare(autopilot *a, uint32_t at, questioning *q)
{
    rival *r = &a->rivals[at];
    const char *present = a->rivals[a->in_charge].method->info.name;
    r->asked++;
    if (r->method->create(a->env, &q->state) != RN_OK) q->state = NULL;
    double ratio = q->state ? ask_rival(a, r->method, q) / q->mine_s : HUGE_VAL;
    r->is_done = r->asked > 1 || (!(ratio < CLOSE) && r->price > CHEAP);
    if (ratio < CLEARLY_FASTER) {
        snprintf(a->why, sizeof a->why, "%s: %.2f times the time of %s on these points",
                 r->method->info.name, ratio, present);
        a->rivals[a->in_charge].asked++; /* it has just been compared */
        a->before = a->in_charge;
        a->before_s = a->best_s;
        a->trial = TRIAL_UPDATES;
        take_over(a, at, q->state);
        q->state = NULL;
        q->build_s = q->rival_build_s;
    } else if (isfinite(ratio)) {
        snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long on these points", present,
                 r->method->info.name, ratio);
    }
    if (q->state) r->method->destroy(q->state);
}

/* The next one to be asked, or in_charge when all have been. */
static uint32_t next_rival(const autopilot *a)
{
    uint32_t next = a->in_charge;
    for (uint32_t r = 0; r < a->rival_count; r++) {
        if (r == a->in_charge || a->rivals[r].is_done) continue;
        if (next == a->in_charge || a->rivals[r].asked < a->rivals[next].asked) next = r;
    }
    return next;
}

/* What was asked since the last build, of the points that are there now. */
static bool make_question(const autopilot *a, questioning *q)
{
    uint64_t row_count;
    work_since(a, &row_count);
    q->find = a->last.find;
    if (q->find.set == RNI_QUERIES) { /* gone; the searched points lie much the same */
        q->find.set = q->find.searched;
        q->find.leave_out = RNI_LEAVE_SELF;
    }
    q->count = q->find.set < q->set_count ? q->sets[q->find.set].count : 0;
    if (row_count == 0 || q->count < 2) return false;
    q->scale = (double)row_count / q->count;
    return true;
}

/* After a build of the method in charge: lets a rival have its say, if there is one and the purse
 * has something in it. Failures of a rival are its own. */
static void ask_around(autopilot *a, questioning *q)
{
    uint32_t at = next_rival(a);
    if (at == a->in_charge || a->trial > 0 || a->best_s == 0.0 || !make_question(a, q)) return;
    double price = fmin(a->rivals[at].price, PURSE_UPDATES);
    if (a->purse_s < PURSE_FULL * price * a->best_s * q->scale * q->count) return;
    rni_search_env *env = a->env;
    rn_search_stats *stats = env->stats;
    rni_arena *arena = env->arena, own;
    double begin = rni_seconds();
    rni_arena_init(&own, env->memory);
    q->rows.memory = env->memory;
    q->stats = *stats;
    clear_report(&q->stats);
    double find_s = time_rows(a, a->rivals[a->in_charge].method, a->state, &q->find, q->count,
                              HUGE_VAL, &q->rows);
    q->mine_s = fmin(q->build_s, a->best_build_s) + find_s * q->scale;
    env->stats = &q->stats;
    env->arena = &own;
    uint32_t in_charge = a->in_charge;
    if (isfinite(find_s)) compare(a, at, q);
    env->stats = stats;
    env->arena = arena;
    if (a->in_charge != in_charge) *stats = q->stats;
    rni_rows_free(&q->rows);
    rni_arena_free(&own);
    a->purse_s -= rni_seconds() - begin;
}

/* A new one in charge whose real updates are no faster goes again. */
static void judge_trial(autopilot *a)
{
    if (a->trial == 0 || --a->trial > 0 || a->best_s == 0.0) return;
    if (a->best_s <= a->before_s) return;
    void *state = NULL;
    const rni_method *before = a->rivals[a->before].method;
    if (before->create(a->env, &state) != RN_OK) return;
    snprintf(a->why, sizeof a->why, "%s: %s took %.2f times as long in real updates",
             before->info.name, a->rivals[a->in_charge].method->info.name, a->best_s / a->before_s);
    a->rivals[a->in_charge].is_done = true;
    take_over(a, a->before, state);
    clear_report(a->env->stats);
}

/* --- the method ------------------------------------------------------------------------------- */

static rn_result build_in_charge(autopilot *a, const rni_cloud *sets, uint32_t set_count)
{
    const rni_method *method = a->rivals[a->in_charge].method;
    rn_result result = method->build(a->state, sets, set_count);
    if (result != RN_ERROR_LIMIT || a->in_charge == 0) return result;
    void *state = NULL; /* the default takes any points */
    const rni_method *standard = a->rivals[0].method;
    result = standard->create(a->env, &state);
    if (result != RN_OK) return result;
    snprintf(a->why, sizeof a->why, "%s: %s cannot take these points", standard->info.name,
             method->info.name);
    a->rivals[a->in_charge].is_done = true;
    a->trial = 0;
    take_over(a, 0, state);
    clear_report(a->env->stats);
    return standard->build(a->state, sets, set_count);
}

static rn_result build(void *state, const rni_cloud *sets, uint32_t set_count)
{
    autopilot *a = state;
    take_stock(a);
    watch_character(a, sets, set_count);
    judge_trial(a);
    double begin = rni_seconds();
    rn_result result = build_in_charge(a, sets, set_count);
    questioning q = {.sets = sets, .set_count = set_count, .build_s = rni_seconds() - begin};
    if (result == RN_OK) ask_around(a, &q);
    a->last.build_s = q.build_s;
    atomic_store(&a->last.find_ns, 0);
    atomic_store(&a->last.row_count, 0);
    atomic_store(&a->last.entry_count, 0);
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
    uint64_t entries = 0;
    for (uint32_t row = 0; row < count && result == RN_OK; row++) entries += rows->counts[row];
    atomic_fetch_add_explicit(&a->last.row_count, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->last.entry_count, entries, memory_order_relaxed);
    atomic_fetch_add_explicit(&a->last.find_ns, (uint64_t)(1e9 * (rni_seconds() - begin)),
                              memory_order_relaxed);
    if (first == 0) a->last.find = *find; /* one worker has the first block */
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
