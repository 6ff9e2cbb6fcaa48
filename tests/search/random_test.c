/* Random searches: points, radius, options and queries are all random, and every method is compared
 * with the judge. RUNNEL_RANDOM_CASES=100000 runs longer, RUNNEL_RANDOM_FIRST=N begins with case N;
 * a failure names its case. */
#include "fact.h"

#include "base/random.h"
#include "search/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS  900u
#define MAX_QUERIES 60u

static const uint32_t thread_counts[] = {1, 2, 7};
#define THREAD_COUNT (sizeof thread_counts / sizeof *thread_counts)

/* One case: the input of all methods. */
typedef struct lot {
    uint32_t number;
    rni_random random;
    uint32_t count, query_count;
    float position[MAX_POINTS][3], query[MAX_QUERIES][3];
    float radii[MAX_POINTS];
    rn_search_def def;
    judge_space space;
    float low[3], side[3]; /* where points are drawn from */
} lot;

static uint32_t pick(lot *l, uint32_t count)
{
    return rni_random_below(&l->random, count);
}

static float draw(lot *l, float low, float high)
{
    return rni_random_float(&l->random, low, high);
}

/* Uniform in the logarithm. */
static float draw_size(lot *l, double low, double high)
{
    return (float)exp(log(low) + rni_random_unit(&l->random) * (log(high) - log(low)));
}

/* --- points ----------------------------------------------------------------------------------- */

static void draw_uniform(lot *l, float *p)
{
    for (int a = 0; a < 3; a++) p[a] = draw(l, l->low[a], l->low[a] + l->side[a]);
}

/* A lattice whose spacing is a simple part of the radius: pairs at exactly the radius. */
static void draw_lattice(lot *l, float *p)
{
    static const float parts[] = {0.25f, 0.5f, 1.0f, 2.0f};
    float spacing = l->def.radius * parts[l->number % 4];
    for (int a = 0; a < 3; a++) {
        double cells = fmin(floor((double)(l->side[a] / spacing)), 12.0);
        p[a] = l->low[a] + spacing * (float)pick(l, 1 + (uint32_t)cells);
    }
}

/* Close to an existing point, at the same position, or one radius from it. */
static void draw_near(lot *l, uint32_t i, float *p)
{
    const float *other = l->position[pick(l, i)];
    float reach = pick(l, 4) ? draw_size(l, 1e-3, 3.0) * l->def.radius : 0.0f;
    memcpy(p, other, sizeof l->position[0]);
    for (int a = 0; a < 3; a++)
        if (pick(l, 3)) p[a] += draw(l, -reach, reach);
    if (pick(l, 8) == 0) p[pick(l, 3)] += l->def.radius;
}

static void draw_flat(lot *l, float *p)
{
    uint32_t axis = l->number % 3;
    draw_uniform(l, p);
    p[axis] = l->low[axis] + 0.5f * l->side[axis];
}

/* Moved into the domain where an axis is periodic: wrapping is not tested here. */
static void keep_inside(const lot *l, float *p)
{
    for (uint32_t a = 0; a < 3; a++) {
        if (!l->def.periodic[a]) continue;
        float high = l->low[a] + l->side[a];
        if (!(p[a] >= l->low[a] && p[a] < high)) p[a] = l->low[a];
    }
}

static void draw_point(lot *l, uint32_t mixture, uint32_t i, float *p)
{
    uint32_t kind = pick(l, 4);
    if (!(mixture >> kind & 1)) kind = mixture & 1 ? 0 : 1;
    if (kind == 1 && i == 0) kind = 0;
    if (kind == 0) draw_uniform(l, p);
    else if (kind == 1) draw_near(l, i, p);
    else if (kind == 2) draw_lattice(l, p);
    else draw_flat(l, p);
    keep_inside(l, p);
    if (l->def.dim == 2) p[2] = draw(l, -1.0f, 1.0f); /* never read */
}

static void draw_points(lot *l)
{
    uint32_t mixture = 1 + pick(l, 15);
    l->count = pick(l, 10) == 0 ? pick(l, 4) : (uint32_t)draw_size(l, 2, MAX_POINTS);
    for (uint32_t i = 0; i < l->count; i++) draw_point(l, mixture, i, l->position[i]);
    bool has_stray = pick(l, 12) == 0 && l->count > 0; /* one very far away */
    if (has_stray && !l->def.periodic[0])
        l->position[pick(l, l->count)][0] = draw_size(l, 1e3, 1e7) * l->def.radius;
    l->query_count = pick(l, MAX_QUERIES);
    for (uint32_t i = 0; i < l->query_count; i++) {
        draw_point(l, 1 + 8, i, l->query[i]);
        if (l->count && pick(l, 3) == 0)
            memcpy(l->query[i], l->position[pick(l, l->count)], sizeof l->query[i]);
    }
    for (uint32_t i = 0; i < l->count; i++)
        l->radii[i] = pick(l, 5) ? l->def.radius * draw(l, 0.05f, 1.0f) : l->def.radius;
}

/* --- the question ----------------------------------------------------------------------------- */

static void draw_space(lot *l)
{
    float scale = pick(l, 3) ? 1.0f : draw_size(l, 1e-9, 1e9);
    float offset = pick(l, 3) ? 0.0f : draw(l, -40.0f, 40.0f);
    bool is_periodic = pick(l, 3) == 0;
    float shortest = HUGE_VALF;
    for (uint32_t a = 0; a < 3; a++) {
        /* numbers of few bits: low, high and their difference are exact floats */
        l->low[a] = ldexpf(roundf(offset * 4.0f), ilogbf(scale) - 2);
        l->side[a] = ldexpf((float)(1 + pick(l, pick(l, 2) ? 8 : 64)), ilogbf(scale) - 1);
        l->def.periodic[a] = is_periodic && a < l->def.dim && pick(l, 2);
        if (l->def.periodic[a]) {
            l->def.period_low[a] = (double)l->low[a];
            l->def.period_high[a] = (double)l->low[a] + (double)l->side[a];
            l->space.period[a] = l->side[a];
        }
        if (a < l->def.dim) shortest = fminf(shortest, l->side[a]);
    }
    bool is_simple = pick(l, 2);
    l->def.radius =
        shortest * (is_simple ? 1.0f / (float)(2 << pick(l, 5)) : draw_size(l, 5e-3, 0.5));
    l->space.dim = l->def.dim;
    l->space.radius = l->def.radius;
}

static lot draw_lot(uint32_t number)
{
    static const uint32_t lengths[] = {0, 1, 2, 7, 64, 1000, 65536};
    lot l = {.number = number, .random = rni_random_make(number), .def = rn_search_def_default()};
    l.def.dim = 2 + pick(&l, 2);
    draw_space(&l);
    draw_points(&l);
    l.def.lists = (rn_lists)pick(&l, 3);
    l.def.order = (rn_list_order)pick(&l, 2);
    l.def.layout = (rn_list_layout)pick(&l, 2);
    l.def.h_mask = 1 + pick(&l, 3);
    l.def.hash_cells = l.def.h_mask == 1 && pick(&l, 2) ? 13 : 27;
    l.def.hash_table_length = lengths[pick(&l, 7)];
    l.def.unbounded_table = pick(&l, 2);
    l.def.as_published = pick(&l, 3) == 0;
    return l;
}

/* --- every method ----------------------------------------------------------------------------- */

static rn_points points_of(const lot *l)
{
    return (rn_points){l->position, sizeof l->position[0], l->count, RN_SCALAR_FLOAT};
}

#define SAY(l, name, threads, what)                                                                 \
    "case %u: %s, %u threads, %s: %uD, %u points, radius %g, lists %d, order %d, layout %d, H %u, " \
    "%u cells, table %u%s%s\n",                                                                     \
        (l)->number, name, threads, what, (l)->def.dim, (l)->count, (double)(l)->def.radius,        \
        (int)(l)->def.lists, (int)(l)->def.order, (int)(l)->def.layout, (l)->def.h_mask,            \
        (l)->def.hash_cells, (l)->def.hash_table_length,                                            \
        (l)->def.unbounded_table ? ", unbounded" : "", (l)->def.as_published ? ", as published" : ""

/* Compares bytes, not only lists: starts ascend, and lists follow each other without gaps. */
static void check_bytes(const judge_lists *truth, const rn_neighbors *n)
{
    if (!n->start || n->count == 0) return;
    assert_memory_equal(n->start, truth->start, ((size_t)n->count + 1) * sizeof *n->start);
    if (n->entry_count)
        assert_memory_equal(n->index, truth->index, (size_t)n->entry_count * sizeof *n->index);
}

static void check_nearest(const lot *l, rn_search *search, const judge_lists *full, uint32_t k)
{
    rn_nearest near;
    assert_int_equal(rn_search_find_nearest(search, 0, 0, k, &near), RN_OK);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t there = (uint32_t)(full->start[i + 1] - full->start[i]);
        uint32_t expected = there < near.k ? there : near.k;
        assert_int_equal(near.counts[i], expected);
        for (uint32_t e = 0; e < expected; e++) {
            const float *distances = near.distance_sq + (size_t)i * near.k;
            uint32_t j = near.index[(size_t)i * near.k + e], closer = 0;
            float d = judge_distance_sq(&l->space, l->position[i], l->position[j]);
            assert_true(distances[e] == d);
            for (uint64_t t = full->start[i]; t < full->start[i + 1]; t++) {
                uint32_t o = full->index[t];
                float other = judge_distance_sq(&l->space, l->position[i], l->position[o]);
                closer += other < d || (other == d && o < j);
            }
            assert_int_equal(closer, e);
        }
    }
}

static void check_queries(lot *l, rn_search *search, const char *name, uint32_t threads,
                          const judge_lists *truth)
{
    rn_neighbors n;
    rn_points queries = {l->query, sizeof l->query[0], l->query_count, RN_SCALAR_FLOAT};
    assert_int_equal(rn_search_query(search, 0, queries, &n), RN_OK);
    JUDGE(truth, &n, l->def.order == RN_ORDER_INDEX, SAY(l, name, threads, "queries"));
}

/* The correct lists of one case. */
typedef struct truths {
    judge_lists full, half, queries, radii;
} truths;

static judge_lists judge_radii(const lot *l)
{
    judge_lists lists = {.count = l->count};
    lists.start = calloc((size_t)l->count + 1, sizeof *lists.start);
    lists.index = malloc(((size_t)l->count * l->count + 1) * sizeof *lists.index);
    uint64_t used = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        for (uint32_t j = 0; j < l->count; j++) {
            float d = judge_distance_sq(&l->space, l->position[i], l->position[j]);
            if (i != j && d <= l->radii[i] * l->radii[i]) lists.index[used++] = j;
        }
        lists.start[i + 1] = used;
    }
    return lists;
}

static bool may_refuse(rn_search_method method)
{
    return method == RN_SEARCH_CELL_SORT || method == RN_SEARCH_HASH ||
           method == RN_SEARCH_HIERARCHICAL_HASH;
}

static void check_radii(lot *l, const rn_search_method_info *info, uint32_t threads,
                        const judge_lists *truth)
{
    rn_search_def def = l->def;
    def.method = info->method;
    def.threads = threads;
    def.lists = RN_LISTS_FULL;
    rn_search *search = NULL;
    assert_int_equal(rn_search_create(&def, &search), RN_OK);
    if (rn_search_update_radii(search, points_of(l), l->radii, 0) != RN_OK)
        fail_msg("case %u: %s: %s", l->number, info->name, rn_last_error());
    rn_neighbors n = rn_search_get_neighbors(search);
    JUDGE(truth, &n, def.order == RN_ORDER_INDEX, SAY(l, info->name, threads, "radii"));
    rn_search_destroy(search);
}

/* One method with one thread count; false if it refuses the points. */
static bool check_method(lot *l, const rn_search_method_info *info, uint32_t threads,
                         const truths *t, uint64_t *hash)
{
    rn_search_def def = l->def;
    def.method = info->method;
    def.threads = threads;
    rn_search *search = NULL;
    if (rn_search_create(&def, &search) != RN_OK)
        fail_msg("case %u: %s", l->number, rn_last_error());
    const judge_lists *truth = def.lists == RN_LISTS_HALF ? &t->half : &t->full;
    uint32_t updates = info->method == RN_SEARCH_AUTO ? 12 : 2;
    for (uint32_t u = 0; u < updates; u++) {
        rn_result result = rn_search_update(search, points_of(l));
        if (result == RN_ERROR_LIMIT && may_refuse(info->method)) {
            rn_search_destroy(search);
            return false;
        }
        if (result != RN_OK) fail_msg("case %u: %s: %s", l->number, info->name, rn_last_error());
        rn_neighbors n = rn_search_get_neighbors(search);
        bool is_exact = def.order == RN_ORDER_INDEX;
        JUDGE(truth, &n, is_exact, SAY(l, info->name, threads, "lists"));
        if (is_exact && def.lists != RN_LISTS_COUNTS) check_bytes(truth, &n);
        uint64_t now = judge_hash(&n);
        if (*hash == 0) *hash = now;
        if (now != *hash && info->method != RN_SEARCH_AUTO)
            fail_msg("case %u: %s: the order depends on threads or the past", l->number, info->name);
    }
    check_queries(l, search, info->name, threads, &t->queries);
    check_nearest(l, search, &t->full, 1 + l->number % 9);
    rn_search_destroy(search);
    return true;
}

static void check_lot(lot *l)
{
    const float(*position)[3] = (const float(*)[3])l->position;
    const float(*query)[3] = (const float(*)[3])l->query;
    truths t;
    t.full = judge_find(&l->space, position, l->count, position, l->count, false);
    t.half = judge_find(&l->space, position, l->count, position, l->count, true);
    t.queries = judge_find(&l->space, query, l->query_count, position, l->count, false);
    t.radii = judge_radii(l);
    for (uint32_t place = 0; rn_search_get_method_info(place); place++) {
        const rn_search_method_info *info = rn_search_get_method_info(place);
        uint64_t hash = 0;
        for (size_t c = FACT_FIRST_THREADS; c < THREAD_COUNT; c++) {
            if (!check_method(l, info, thread_counts[c], &t, &hash)) break;
            if (info->takes_radii) check_radii(l, info, thread_counts[c], &t.radii);
        }
    }
    judge_free(&t.full);
    judge_free(&t.half);
    judge_free(&t.queries);
    judge_free(&t.radii);
}

static uint32_t number_from(const char *name, uint32_t standard)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : standard;
}

static void searches_drawn_by_lot_find_what_brute_force_finds(void **state)
{
    (void)state;
    uint32_t first = number_from("RUNNEL_RANDOM_FIRST", 0);
    uint32_t count = number_from("RUNNEL_RANDOM_CASES", 20);
    for (uint32_t number = first; number < first + count; number++) {
        lot *l = malloc(sizeof *l);
        assert_non_null(l);
        *l = draw_lot(number);
        check_lot(l);
        free(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_drawn_by_lot_find_what_brute_force_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
