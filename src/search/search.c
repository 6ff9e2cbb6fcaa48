/* The lifetime of an rn_search: create, update, query, destroy. */
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/output.h"
#include "base/sort.h"
#include "base/validate.h"
#include "search/ingest.h"
#include "search/lists.h"
#include "search/nearest.h"
#include "search/skin.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define MIN_RADIUS 1e-18
#define MAX_RADIUS 1e18

struct rn_search {
    rni_memory memory;
    rn_search_def def;
    rn_search_stats stats;
    rni_arena arena;
    rni_crew *crew;
    rni_ingest ingest;
    rni_search_env env;
    rni_finder finder;
    uint32_t row_store_count;
    uint32_t counts[RN_SEARCH_MAX_SETS]; /* points of each set at the last update */
    float radius;                        /* of the last update */
    bool is_stale; /* skin: the method holds the points of an earlier update, or a larger radius */
    rni_lists lists[RN_SEARCH_MAX_SETS][RN_SEARCH_MAX_SETS];
    rni_lists query_lists;
    rni_nearest_store nearest;
    rni_skin skin;
    rni_buffer radii_sq; /* float per point; rn_search_update_radii */
};

rn_search_def rn_search_def_default(void)
{
    return (rn_search_def){
        .struct_bytes = sizeof(rn_search_def),
        .dim = 3,
        .set_count = 1,
        .searches = {1},
        .hash_cells = 27,
        .h_mask = 1,
    };
}

static rn_result check_radius(const rn_search_def *def, float radius)
{
    if (!(radius >= (float)MIN_RADIUS && radius <= (float)MAX_RADIUS)) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "radius is %g; it must be a length from %g to %g (choose another unit)",
                        (double)radius, MIN_RADIUS, MAX_RADIUS);
    }
    for (uint32_t axis = 0; axis < def->dim; axis++) {
        if (!def->periodic[axis]) continue;
        double period = def->period_high[axis] - def->period_low[axis];
        if (!(2.0 * ((double)radius + (double)def->skin) <= (double)(float)period)) {
            return rni_fail(RN_ERROR_ARGUMENT,
                            "periodic axis %c: radius%s %g is more than half of the period %g, "
                            "so a pair would count twice",
                            "xyz"[axis], def -> skin > 0 ? " + skin" : "",
                            (double)radius + (double)def->skin, period);
        }
    }
    return RN_OK;
}

static rn_result check_sets(const rn_search_def *def)
{
    if (def->set_count < 1 || def->set_count > RN_SEARCH_MAX_SETS) {
        return rni_fail(RN_ERROR_ARGUMENT, "set_count is %u; it must be from 1 to %u",
                        def->set_count, RN_SEARCH_MAX_SETS);
    }
    for (uint32_t s = 0; s < RN_SEARCH_MAX_SETS; s++) {
        uint32_t known = s < def->set_count ? (1u << def->set_count) - 1u : 0;
        if (def->searches[s] & ~known) {
            return rni_fail(
                RN_ERROR_ARGUMENT,
                "searches[%u] is 0x%x; it names a set that does not exist (set_count is %u)", s,
                def->searches[s], def->set_count);
        }
    }
    return RN_OK;
}

#define IN_ENUM(value, last) ((int)(value) >= 0 && (int)(value) <= (int)(last))

static rn_result check_def(const rn_search_def *def)
{
    if (def->struct_bytes != sizeof *def) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "def.struct_bytes is %u instead of %zu; start from "
                        "rn_search_def_default(), with the header of the loaded library",
                        def->struct_bytes, sizeof *def);
    }
    if (def->dim != 2 && def->dim != 3)
        return rni_fail(RN_ERROR_ARGUMENT, "dim is %u; it must be 2 or 3", def->dim);
    if (!IN_ENUM(def->lists, RN_LISTS_NONE) || !IN_ENUM(def->order, RN_ORDER_INDEX) ||
        !IN_ENUM(def->layout, RN_LAYOUT_CSR)) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "lists %d, order %d or layout %d is not a value of its enum",
                        (int)def->lists, (int)def->order, (int)def->layout);
    }
    if (!(def->skin >= 0.0f && def->skin <= (float)MAX_RADIUS)) {
        return rni_fail(RN_ERROR_ARGUMENT, "skin is %g; it must be 0 (off) or a length",
                        (double)def->skin);
    }
    if (def->hash_cells != 13 && def->hash_cells != 27) {
        return rni_fail(RN_ERROR_ARGUMENT, "hash_cells is %u; it must be 27 or 13", def->hash_cells);
    }
    if (def->h_mask < 1 || def->h_mask > 3) {
        return rni_fail(RN_ERROR_ARGUMENT, "h_mask is %u; it must be 1, 2 or 3", def->h_mask);
    }
    if (def->h_mask > 1 && def->hash_cells == 13 && def->method == RN_SEARCH_HASH) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "hash_cells is 13 and h_mask is %u; hash_cells 13 works with h_mask 1 only",
                        def->h_mask);
    }
    if (def->hash_table_length > 0x80000000u) {
        return rni_fail(RN_ERROR_ARGUMENT, "hash_table_length is %u; it must be at most %u",
                        def->hash_table_length, 0x80000000u);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!def->periodic[axis]) continue;
        double low = def->period_low[axis], high = def->period_high[axis];
        if (axis >= (int)def->dim) return rni_fail(RN_ERROR_ARGUMENT, "axis z is periodic in 2D");
        if (!isfinite(low) || !isfinite(high) || !(high > low) || !(high - low <= 1e30)) {
            return rni_fail(RN_ERROR_ARGUMENT, "periodic axis %c: %g to %g is not a valid interval",
                            "xyz"[axis], low, high);
        }
    }
    rn_result result = check_sets(def);
    return result == RN_OK ? check_radius(def, def->radius) : result;
}

static rn_result find_method(rn_search_method wanted, const rni_method **method)
{
    *method = rni_method_at(0);
    if (wanted == RN_SEARCH_DEFAULT) return RN_OK;
    for (uint32_t place = 0; (*method = rni_method_at(place)); place++) {
        if ((*method)->info.method == wanted) return RN_OK;
    }
    return rni_fail(RN_ERROR_ARGUMENT,
                    "method %d is not in the table; see rn_search_get_method_info()", (int)wanted);
}

static rn_result open_search(rn_search *search)
{
    rn_search_def *def = &search->def;
    rni_arena_init(&search->arena, &search->memory);
    rn_result result = find_method(def->method, &search->finder.method);
    if (result != RN_OK) return result;
    def->as_published = def->as_published && search->finder.method->has_published_form;
    uint32_t threads = def->as_published ? 1 : def->threads;
    result = rni_crew_create(&search->memory, threads, &def->tasks, &search->crew);
    if (result != RN_OK) return result;
    search->ingest = (rni_ingest){
        .memory = &search->memory, .crew = search->crew, .arena = &search->arena, .def = def};
    search->env =
        (rni_search_env){.memory = &search->memory, .crew = search->crew, .arena = &search->arena};
    search->env.def = def;
    search->env.stats = &search->stats;
    search->finder.env = &search->env;
    result = rni_cpu_choose(def->cpu, &search->env.cpu);
    if (result != RN_OK) return result;
    search->env.space = rni_ingest_space(&search->ingest, def->radius);
    search->stats.method = search->finder.method->info.method;
    search->stats.cpu = search->env.cpu;
    search->stats.threads = rni_crew_size(search->crew);
    uint32_t workers = rni_crew_size(search->crew);
    search->finder.rows = rni_memory_take(&search->memory, workers * sizeof *search->finder.rows);
    if (!search->finder.rows) return RN_ERROR_MEMORY;
    memset(search->finder.rows, 0, workers * sizeof *search->finder.rows);
    search->row_store_count = workers;
    for (uint32_t w = 0; w < workers; w++) search->finder.rows[w].memory = &search->memory;
    return search->finder.method->create(&search->env, &search->finder.state);
}

_Static_assert(offsetof(rn_search, memory) == 0, "rni_memory_begin");

rn_result rn_search_create(const rn_search_def *def, rn_search **out)
{
    if (!out) return rni_fail(RN_ERROR_ARGUMENT, "search must not be NULL");
    *out = NULL;
    if (!def) return rni_fail(RN_ERROR_ARGUMENT, "def must not be NULL");
    rn_result result = check_def(def);
    if (result != RN_OK) return result;
    void *object;
    result = rni_memory_begin(&def->allocator, sizeof(rn_search), &object);
    if (result != RN_OK) return result;
    rn_search *search = object;
    search->def = *def;
    if (def->skin > 0.0f) search->def.order = RN_ORDER_INDEX;
    result = open_search(search);
    if (result != RN_OK) {
        rn_search_destroy(search);
        return result;
    }
    *out = search;
    return RN_OK;
}

void rn_search_destroy(rn_search *search)
{
    if (!search) return;
    rni_memory *memory = &search->memory;
    if (search->finder.method) search->finder.method->destroy(search->finder.state);
    rni_crew_destroy(search->crew);
    for (uint32_t w = 0; w < search->row_store_count; w++) rni_rows_free(&search->finder.rows[w]);
    rni_memory_give(memory, search->finder.rows,
                    search->row_store_count * sizeof *search->finder.rows);
    for (uint32_t s = 0; s < RN_SEARCH_MAX_SETS; s++) {
        for (uint32_t t = 0; t < RN_SEARCH_MAX_SETS; t++)
            rni_lists_free(memory, &search->lists[s][t]);
    }
    rni_lists_free(memory, &search->query_lists);
    rni_nearest_free(memory, &search->nearest);
    rni_skin_free(memory, &search->skin);
    rni_buffer_free(memory, &search->radii_sq);
    rni_ingest_free(&search->ingest);
    rni_arena_free(&search->arena);
    rni_memory_end(memory, sizeof *search);
}

rn_result rn_search_set_radius(rn_search *search, float radius)
{
    if (!search) return rni_fail(RN_ERROR_ARGUMENT, "search must not be NULL");
    rn_result result = check_radius(&search->def, radius);
    if (result != RN_OK) return result;
    if (radius != search->def.radius) search->skin.is_valid = false;
    search->def.radius = radius;
    return RN_OK;
}

/* --- update ----------------------------------------------------------------------------------- */

static bool does_search(const rn_search *search, uint32_t set, uint32_t searched)
{
    return search->def.searches[set] >> searched & 1u;
}

static void forget_results(rn_search *search)
{
    for (uint32_t s = 0; s < RN_SEARCH_MAX_SETS; s++) {
        for (uint32_t t = 0; t < RN_SEARCH_MAX_SETS; t++) rni_lists_clear(&search->lists[s][t]);
    }
    rni_lists_clear(&search->query_lists);
}

static void forget(rn_search *search)
{
    forget_results(search);
    memset(search->counts, 0, sizeof search->counts);
    search->skin.is_valid = false;
}

static rn_result build_method(rn_search *search, const rni_cloud *clouds, float radius)
{
    search->env.space = rni_ingest_space(&search->ingest, radius);
    search->stats.order_reused = false;
    rn_result result =
        search->finder.method->build(search->finder.state, clouds, search->def.set_count);
    search->stats.rebuild_count++;
    return result;
}

/* Builds the lists of every set in every set it searches. into[] is either the search's own
 * lists or the candidates of the skin. */
static rn_result make_all_lists(rn_search *search, rni_list_plan plan,
                                rni_lists (*into)[RN_SEARCH_MAX_SETS])
{
    for (uint32_t s = 0; s < search->def.set_count; s++) {
        for (uint32_t t = 0; t < search->def.set_count; t++) {
            if (!does_search(search, s, t)) continue;
            rn_result result =
                rni_lists_make(&search->finder, s, t, search->counts[s], plan, &into[s][t]);
            if (result != RN_OK) return result;
        }
    }
    return RN_OK;
}

static rn_result update_plain(rn_search *search, const rni_cloud *clouds)
{
    double begin = rni_seconds();
    rn_result result = build_method(search, clouds, search->def.radius);
    if (result != RN_OK) return result;
    double built = rni_seconds();
    search->stats.build_ms += 1e3 * (built - begin);
    if (search->def.lists == RN_LISTS_NONE) return RN_OK;
    rni_list_plan plan = {search->def.lists, search->def.order, search->def.layout};
    result = make_all_lists(search, plan, search->lists);
    search->stats.query_ms = 1e3 * (rni_seconds() - built);
    return result;
}

static rn_result update_skin(rn_search *search, const rni_cloud *clouds)
{
    double begin = rni_seconds();
    rni_skin *skin = &search->skin;
    bool is_reused = false;
    rn_result result = rni_skin_take(skin, &search->env, clouds, search->def.set_count,
                                     search->ingest.base, search->def.radius, &is_reused);
    if (result != RN_OK) return result;
    search->is_stale = true;
    search->stats.skin_reused = is_reused;
    if (!is_reused) {
        result = build_method(search, clouds, search->def.radius + search->def.skin);
        rni_list_plan plan = {RN_LISTS_FULL, RN_ORDER_INDEX, RN_LAYOUT_CSR};
        if (result == RN_OK) result = make_all_lists(search, plan, skin->candidates);
        if (result != RN_OK) return result;
        rni_skin_rebuilt(skin, search->def.set_count);
    }
    double built = rni_seconds();
    search->stats.build_ms += 1e3 * (built - begin);
    if (search->def.lists == RN_LISTS_NONE) return RN_OK;
    rni_space space = rni_ingest_space(&search->ingest, search->def.radius);
    for (uint32_t s = 0; s < search->def.set_count; s++) {
        for (uint32_t t = 0; t < search->def.set_count; t++) {
            if (!does_search(search, s, t)) continue;
            result = rni_skin_filter(skin, &search->env, s, t, &space, search->def.lists,
                                     &search->lists[s][t]);
            if (result != RN_OK) return result;
        }
    }
    search->stats.query_ms = 1e3 * (rni_seconds() - built);
    return RN_OK;
}

static void report(rn_search *search)
{
    rn_search_stats *stats = &search->stats;
    stats->point_count = stats->entry_count = stats->list_bytes = stats->candidate_count = 0;
    stats->collision_count = stats->visited_count = stats->early_end_count = 0;
    for (uint32_t s = 0; s < search->def.set_count; s++) {
        stats->point_count += search->counts[s];
        for (uint32_t t = 0; t < search->def.set_count; t++) {
            stats->entry_count += search->lists[s][t].entry_count;
            stats->list_bytes += rni_lists_bytes(&search->lists[s][t]);
        }
    }
    for (uint32_t w = 0; w < search->row_store_count; w++) {
        rni_rows *rows = &search->finder.rows[w];
        stats->candidate_count += rows->test_count;
        stats->collision_count += rows->collision_count;
        stats->visited_count += rows->visited_count;
        stats->early_end_count += rows->early_end_count;
        rows->test_count = rows->collision_count = rows->visited_count = rows->early_end_count = 0;
    }
}

/* NULL, or a description of the error (base/validate.h): checks the order of each set and all
 * lists. */
static __attribute__((unused)) const char *validate(const rn_search *search)
{
    const rni_list_plan plan = {search->def.lists, search->def.order, search->def.layout};
    const char *flaw = rni_validate_arena(&search->arena);
    for (uint32_t s = 0; s < search->def.set_count && !flaw; s++) {
        const uint32_t *order = rn_search_get_order(search, s);
        if (order) flaw = rni_validate_permutation(order, search->counts[s]);
        for (uint32_t t = 0; t < search->def.set_count && !flaw; t++)
            if (does_search(search, s, t) && search->def.lists != RN_LISTS_NONE)
                flaw = rni_validate_lists(&search->lists[s][t], plan, search->counts[t], s == t,
                                          !search->env.radii_sq);
    }
    return flaw;
}

/* Shared by all update functions; radii_sq is NULL or holds one value per point of set 0. */
static rn_result update(rn_search *search, const rn_points *sets, uint32_t set_count,
                        const float *radii_sq)
{
    if (!search || !sets) return rni_fail(RN_ERROR_ARGUMENT, "search and sets must not be NULL");
    if (set_count != search->def.set_count) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "%u sets given, def.set_count is %u; pass all of them to "
                        "rn_search_update_sets",
                        set_count, search->def.set_count);
    }
    rni_cloud clouds[RN_SEARCH_MAX_SETS];
    double begin = rni_seconds();
    rni_arena_reset(&search->arena);
    double base[3];
    bool was_rebased = search->ingest.is_rebased;
    memcpy(base, search->ingest.base, sizeof base);
    rn_result result = rni_ingest_sets(&search->ingest, sets, set_count, clouds);
    if (result != RN_OK) {
        memcpy(search->ingest.base, base, sizeof base);
        search->ingest.is_rebased = was_rebased;
        return result;
    }
    forget_results(search);
    search->env.radii_sq = radii_sq;
    search->radius = search->def.radius;
    for (uint32_t s = 0; s < set_count; s++) search->counts[s] = clouds[s].count;
    search->stats.build_ms = 1e3 * (rni_seconds() - begin);
    search->stats.query_ms = 0.0;
    search->stats.resolution = search->ingest.resolution;
    search->stats.skin_reused = false;
    result = search->def.skin > 0.0f ? update_skin(search, clouds) : update_plain(search, clouds);
    if (result != RN_OK) forget(search);
    report(search);
    assert(result != RN_OK || !validate(search));
    return result;
}

rn_result rn_search_update_sets(rn_search *search, const rn_points *sets, uint32_t set_count)
{
    return update(search, sets, set_count, NULL);
}

rn_result rn_search_update(rn_search *search, rn_points points)
{
    return update(search, &points, 1, NULL);
}

static rn_result check_radii_allowed(const rn_search *search)
{
    const rn_search_def *def = &search->def;
    if (!search->finder.method->info.takes_radii) {
        return rni_fail(
            RN_ERROR_LIMIT,
            "method %s takes one radius for all points; use grid, kdtree, linear-kdtree or brute",
            search->finder.method->info.name);
    }
    if (def->set_count != 1 || def->lists == RN_LISTS_HALF || def->skin > 0.0f) {
        return rni_fail(RN_ERROR_ARGUMENT,
                        "per-point radii need one set (set_count is %u), no half lists and no skin",
                        def->set_count);
    }
    return RN_OK;
}

rn_result rn_search_update_radii(rn_search *search, rn_points points, const float *radius,
                                 size_t radius_stride_bytes)
{
    if (!search || !radius)
        return rni_fail(RN_ERROR_ARGUMENT, "search and radius must not be NULL");
    rn_result result = check_radii_allowed(search);
    if (result != RN_OK) return result;
    size_t stride = radius_stride_bytes ? radius_stride_bytes : sizeof(float);
    const unsigned char *from = (const unsigned char *)radius;
    for (uint32_t i = 0; i < points.count; i++) {
        float r;
        memcpy(&r, from + i * stride, sizeof r);
        if (r >= (float)MIN_RADIUS && r <= search->def.radius) continue;
        return rni_fail(RN_ERROR_ARGUMENT, "radius[%u] is %g; it must be from %g to def.radius, %g",
                        i, (double)r, MIN_RADIUS, (double)search->def.radius);
    }
    result = rni_buffer_need(&search->memory, &search->radii_sq, points.count, sizeof(float));
    if (result != RN_OK) {
        forget(search); /* the radii of the last update are gone */
        return result;
    }
    float *radii_sq = search->radii_sq.data;
    for (uint32_t i = 0; i < points.count; i++) {
        float r;
        memcpy(&r, from + i * stride, sizeof r);
        radii_sq[i] = r * r;
    }
    return update(search, &points, 1, radii_sq);
}

/* --- queries ---------------------------------------------------------------------------------- */

rn_neighbors rn_search_get_neighbors_between(const rn_search *search, uint32_t set, uint32_t searched)
{
    if (!search || set >= RN_SEARCH_MAX_SETS || searched >= RN_SEARCH_MAX_SETS)
        return (rn_neighbors){0};
    return rni_lists_view(&search->lists[set][searched]);
}

rn_neighbors rn_search_get_neighbors(const rn_search *search)
{
    return rn_search_get_neighbors_between(search, 0, 0);
}

/* Skin: the method must hold the current points at the current radius before it answers queries. */
static rn_result rebuild_stale(rn_search *search)
{
    if (!search->is_stale) return RN_OK;
    rni_cloud clouds[RN_SEARCH_MAX_SETS];
    for (uint32_t s = 0; s < search->def.set_count; s++) {
        const float(*present)[3] = (const float(*)[3])search->skin.present[s].data;
        clouds[s] = (rni_cloud){.stride_bytes = sizeof(float[3]), .count = search->counts[s]};
        clouds[s].position = (const unsigned char *)present;
        for (int axis = 0; axis < 3; axis++) {
            clouds[s].low[axis] = INFINITY;
            clouds[s].high[axis] = -INFINITY;
            for (uint32_t i = 0; i < search->counts[s]; i++) {
                clouds[s].low[axis] = fminf(clouds[s].low[axis], present[i][axis]);
                clouds[s].high[axis] = fmaxf(clouds[s].high[axis], present[i][axis]);
            }
        }
    }
    rn_result result = build_method(search, clouds, search->radius);
    if (result == RN_OK) search->is_stale = false;
    return result;
}

static rn_result check_set(const rn_search *search, uint32_t set, const char *name)
{
    if (set < search->def.set_count) return RN_OK;
    return rni_fail(RN_ERROR_ARGUMENT, "%s is %u; there are %u sets", name, set,
                    search->def.set_count);
}

/* Before any query: checks the sets and brings the method up to date. */
static rn_result prepare(rn_search *search, uint32_t set, uint32_t searched)
{
    rni_arena_reset(&search->arena);
    rn_result result = set == RNI_QUERIES ? RN_OK : check_set(search, set, "set");
    if (result == RN_OK) result = check_set(search, searched, "searched");
    return result == RN_OK ? rebuild_stale(search) : result;
}

static rn_result place_queries(rn_search *search, uint32_t searched, rn_points queries)
{
    rni_cloud cloud;
    rn_result result = prepare(search, RNI_QUERIES, searched);
    if (result == RN_OK) result = rni_ingest_queries(&search->ingest, queries, &cloud);
    if (result != RN_OK || search->counts[searched] == 0)
        return result; /* the searched set is empty */
    return search->finder.method->place(search->finder.state, &cloud);
}

rn_result rn_search_query(rn_search *search, uint32_t searched, rn_points queries, rn_neighbors *out)
{
    if (!search || !out) return rni_fail(RN_ERROR_ARGUMENT, "search and result must not be NULL");
    *out = (rn_neighbors){0};
    rn_result result = place_queries(search, searched, queries);
    rni_list_plan plan = {search->def.lists, search->def.order, search->def.layout};
    if (plan.lists != RN_LISTS_COUNTS) plan.lists = RN_LISTS_FULL;
    if (result == RN_OK && search->counts[searched] == 0) {
        result = rni_lists_make_empty(&search->memory, queries.count, plan, &search->query_lists);
    } else if (result == RN_OK) {
        result = rni_lists_make(&search->finder, RNI_QUERIES, searched, queries.count, plan,
                                &search->query_lists);
    }
    if (result == RN_OK) *out = rni_lists_view(&search->query_lists);
    return result;
}

static rn_result nearest(rn_search *search, const rni_find *find, uint32_t count, uint32_t k,
                         rn_nearest *out)
{
    if (k == 0) return rni_fail(RN_ERROR_ARGUMENT, "k is 0; it must be at least 1");
    uint32_t searched = search->counts[find->searched];
    uint32_t most = searched - (find->leave_out == RNI_LEAVE_SELF && searched > 0 ? 1 : 0);
    if (k > most) k = most > 0 ? most : 1; /* no point has more neighbours; result->k reports it */
    return rni_nearest_make(&search->finder, find, count, k, searched == 0, &search->nearest, out);
}

rn_result rn_search_find_nearest(rn_search *search, uint32_t set, uint32_t searched, uint32_t k,
                                 rn_nearest *out)
{
    if (!search || !out) return rni_fail(RN_ERROR_ARGUMENT, "search and result must not be NULL");
    *out = (rn_nearest){0};
    rn_result result = prepare(search, set, searched);
    if (result != RN_OK) return result;
    rni_find find = {set, searched, RNI_WANT_DISTANCE, rni_leaves_out(set, searched, RN_LISTS_FULL)};
    return nearest(search, &find, search->counts[set], k, out);
}

rn_result rn_search_query_nearest(rn_search *search, uint32_t searched, rn_points queries,
                                  uint32_t k, rn_nearest *out)
{
    if (!search || !out) return rni_fail(RN_ERROR_ARGUMENT, "search and result must not be NULL");
    *out = (rn_nearest){0};
    rn_result result = place_queries(search, searched, queries);
    if (result != RN_OK) return result;
    rni_find find = {RNI_QUERIES, searched, RNI_WANT_DISTANCE, RNI_LEAVE_NONE};
    return nearest(search, &find, queries.count, k, out);
}

typedef struct visit_job {
    rn_visit_fn visit;
    void *user;
    bool is_sorted;
    rni_buffer *scratch; /* one per worker */
    rni_memory *memory;
} visit_job;

/* Sorts a list by index, together with its distances. */
static rn_result sort_row(visit_job *job, uint32_t worker, uint32_t *index, float *distance_sq,
                          uint32_t count)
{
    rn_result result =
        rni_buffer_need(job->memory, &job->scratch[worker], 2 * (uint64_t)count, sizeof(uint64_t));
    if (result != RN_OK) return result;
    uint64_t *pairs = job->scratch[worker].data, *sort_scratch = pairs + count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, &distance_sq[k], sizeof bits);
        pairs[k] = (uint64_t)index[k] << 32 | bits;
    }
    rni_sort_pairs(pairs, count, sort_scratch);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bits = (uint32_t)pairs[k];
        index[k] = (uint32_t)(pairs[k] >> 32);
        memcpy(&distance_sq[k], &bits, sizeof bits);
    }
    return RN_OK;
}

static rn_result visit_block(void *data, const uint32_t *order, uint32_t row_count, uint32_t worker,
                             rni_rows *rows)
{
    visit_job *job = data;
    uint32_t *index = rows->index.data;
    float *distance_sq = rows->distance_sq.data;
    for (uint32_t row = 0; row < row_count; row++) {
        uint32_t count = rows->counts[row];
        if (job->is_sorted && count > 1) {
            rn_result result = sort_row(job, worker, index, distance_sq, count);
            if (result != RN_OK) return result;
        }
        rn_batch batch = {order[row], count, index, distance_sq, worker};
        job->visit(job->user, &batch);
        index += count;
        distance_sq += count;
    }
    return RN_OK;
}

rn_result rn_search_visit(rn_search *search, uint32_t set, uint32_t searched, rn_visit_fn visit,
                          void *user)
{
    if (!search || !visit) return rni_fail(RN_ERROR_ARGUMENT, "search and visit must not be NULL");
    rn_result result = prepare(search, set, searched);
    if (result != RN_OK) return result;
    rni_buffer scratch[RNI_MAX_WORKERS] = {{0}};
    visit_job job = {visit, user, search->def.order == RN_ORDER_INDEX, scratch, &search->memory};
    rni_find find = {set, searched, RNI_WANT_DISTANCE,
                     rni_leaves_out(set, searched, search->def.lists)};
    result = rni_for_blocks(&search->finder, &find, search->counts[set], visit_block, &job);
    for (uint32_t w = 0; w < search->row_store_count; w++)
        rni_buffer_free(&search->memory, &scratch[w]);
    return result;
}

const uint32_t *rn_search_get_order(const rn_search *search, uint32_t set)
{
    if (!search || set >= search->def.set_count || search->counts[set] == 0) return NULL;
    return search->finder.method->order(search->finder.state, set);
}

rn_search_stats rn_search_stats_default(void)
{
    return (rn_search_stats){.struct_bytes = sizeof(rn_search_stats)};
}

rn_result rn_search_get_stats(const rn_search *search, rn_search_stats *stats)
{
    if (!search || !stats) return rni_fail(RN_ERROR_ARGUMENT, "search and stats must not be NULL");
    rn_result result =
        rni_output_check(stats, RNI_OUTPUT_BYTES(rn_search_stats, resolution), "rn_search_stats");
    if (result != RN_OK) return result;
    rn_search_stats full = search->stats;
    full.held_bytes = search->memory.held_bytes;
    rni_output_write(stats, &full, sizeof full);
    return RN_OK;
}
