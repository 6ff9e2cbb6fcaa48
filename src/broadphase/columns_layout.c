/* Chooses the levels and columns of "layered-columns". The layout depends on the boxes only and
 * affects the speed of the search, never its result. */
#include "broadphase/columns.h"

/* Costs in nanoseconds, measured on one core with AVX-512; only their ratios matter. */
#define COST_BOX    15.0 /* to search a box's own level */
#define COST_VISIT  8.0  /* to search one column of another level */
#define COST_TEST   0.15 /* per candidate in a run, with full vectors */
#define COST_SEARCH 20.0 /* to find the beginning of a run */
#define COST_LEVEL  3000.0

/* Target number of candidates in the run of a box: about one vector (8 and 18 are within a tenth,
 * bench pairs). */
#define RUN_TARGET 14.0

#define SAMPLE_MAX  32768u
#define PROBE_MAX   2048u /* from the sample, to measure the length of runs */
#define SPREAD_BINS 256u
#define BIN_MAX     65536u
#define TABLE_SLOTS 4096u /* more than the number of probes */
#define ROW_MAX     16384u

typedef struct sample {
    uint32_t class;
    float low[3];
} sample;

typedef struct layout {
    columns *set;
    const rni_boxes *boxes;
    sample *samples;
    uint32_t sample_count;
    double range[3];  /* range of the low corners, never empty */
    double spread[3]; /* length that holds most boxes: the range without its empty parts */
    uint32_t *bins;   /* for histograms: as many entries as an axis has bins, and 2 TABLE_SLOTS */
    uint32_t begin, end; /* the samples of the current level; samples are sorted by class */
} layout;

static rn_result take_sample(layout *lay, rni_arena *arena)
{
    const rni_boxes *boxes = lay->boxes;
    uint32_t wanted = 1024 + boxes->count / 32;
    if (wanted > SAMPLE_MAX) wanted = SAMPLE_MAX;
    if (wanted > boxes->count) wanted = boxes->count;
    lay->samples = rni_arena_take(arena, (wanted + 1) * sizeof *lay->samples);
    uint32_t bins = 2 * TABLE_SLOTS; /* input of measure_run */
    while (bins < BIN_MAX && bins < boxes->count) bins *= 2;
    lay->bins = rni_arena_take(arena, bins * sizeof *lay->bins);
    if (!lay->samples || !lay->bins) return RN_ERROR_MEMORY;
    lay->sample_count = wanted;
    for (uint32_t s = 0; s < wanted; s++) {
        float high[3];
        sample *to = &lay->samples[s];
        rni_boxes_at(boxes, (uint32_t)((uint64_t)s * boxes->count / wanted), to->low, high);
        float longest =
            fmaxf(fmaxf(high[0] - to->low[0], high[1] - to->low[1]), high[2] - to->low[2]);
        to->class = rni_size_class(longest);
    }
    for (int axis = 0; axis < 3; axis++) {
        double range = (double)boxes->bound_high[axis] - (double)boxes->bound_low[axis];
        lay->range[axis] = range > 0.0 ? range : 1e-300;
    }
    return RN_OK;
}

/* Sorts samples by class, so that the samples of a level are contiguous. */
static rn_result sort_sample(layout *lay, rni_arena *arena)
{
    uint32_t place[RNI_SIZE_CLASSES + 1] = {0};
    sample *sorted = rni_arena_take(arena, (lay->sample_count + 1) * sizeof *sorted);
    if (!sorted) return RN_ERROR_MEMORY;
    for (uint32_t s = 0; s < lay->sample_count; s++) place[lay->samples[s].class + 1]++;
    for (uint32_t c = 0; c < RNI_SIZE_CLASSES; c++) place[c + 1] += place[c];
    for (uint32_t s = 0; s < lay->sample_count; s++)
        sorted[place[lay->samples[s].class]++] = lay->samples[s];
    lay->samples = sorted;
    lay->begin = 0;
    lay->end = lay->sample_count;
    return RN_OK;
}

static uint32_t bin_of(double at, double low, double range, uint32_t count)
{
    double t = (at - low) / range * count;
    return t > 0.0 ? (t < count ? (uint32_t)t : count - 1) : 0;
}

/* Effective length of an axis: the length over which evenly spread boxes would share bins as often
 * as these boxes do. */
static double spread_of(const layout *lay, int axis)
{
    uint32_t counts[SPREAD_BINS] = {0};
    double n = (double)(lay->end - lay->begin), together = 0.0;
    for (uint32_t s = lay->begin; s < lay->end; s++)
        counts[bin_of((double)lay->samples[s].low[axis], (double)lay->boxes->bound_low[axis],
                      lay->range[axis], SPREAD_BINS)]++;
    for (uint32_t b = 0; b < SPREAD_BINS; b++) together += (double)counts[b] * (counts[b] - 1.0);
    if (n < 64.0 || together <= 0.0) return lay->range[axis];
    double length = n * (n - 1.0) / together / SPREAD_BINS;
    return lay->range[axis] * (length < 1.0 ? length : 1.0);
}

/* --- levels: by the longest edge only. Separate levels for long thin boxes of different directions
 * were tried: 26 candidates per box instead of 250 for sticks of 1:1:50, but in nine columns
 * instead of one, which took twice as long. ------------------------------------------------- */

/* Fraction of evenly spread boxes inside a window of `edges` times the extent. */
static double share_in_window(const double spread[3], const float extent[3], uint32_t dim,
                              double edges)
{
    double share = 1.0;
    for (uint32_t axis = 0; axis < dim; axis++)
        share *= fmin(1.0, edges * (double)extent[axis] / spread[axis]);
    return share;
}

static double level_cost(const layout *lay, double finer, double count, const float extent[3],
                         double per_level)
{
    double share = share_in_window(lay->spread, extent, lay->boxes->dim, 2.5);
    double own = count * (COST_BOX + COST_TEST * count * share);
    double others = finer > 0 ? fmin(COST_VISIT * finer, 4 * COST_SEARCH * count) : 0.0;
    return own + others + COST_TEST * finer * count * share + per_level;
}

/* Assigns classes to levels: the cheapest partition of the classes in use, by dynamic programming.
 * Fills in level_of_class and returns the number of levels, or RNI_MAX_LEVELS + 1 if there are too
 * many. */
static uint32_t cut_classes(layout *lay, double per_level)
{
    const rni_boxes *boxes = lay->boxes;
    uint32_t used[RNI_SIZE_CLASSES], used_count = 0;
    for (uint32_t c = 0; c < RNI_SIZE_CLASSES; c++)
        if (boxes->class_count[c] > 0) used[used_count++] = c;
    double best[RNI_SIZE_CLASSES + 1];
    uint32_t from[RNI_SIZE_CLASSES + 1];
    double below[RNI_SIZE_CLASSES + 1];
    best[0] = 0.0;
    below[0] = 0.0;
    for (uint32_t j = 1; j <= used_count; j++) {
        below[j] = below[j - 1] + boxes->class_count[used[j - 1]];
        best[j] = HUGE_VAL;
        float extent[3] = {0};
        for (uint32_t i = j; i-- > 0;) { /* classes i .. j - 1 in one level */
            for (int axis = 0; axis < 3; axis++)
                extent[axis] = fmaxf(extent[axis], boxes->class_extent[used[i]][axis]);
            double cost = best[i] + level_cost(lay, below[i], below[j] - below[i], extent, per_level);
            if (!(cost < best[j])) continue;
            best[j] = cost;
            from[j] = i;
        }
    }
    uint32_t count = 0;
    for (uint32_t j = used_count; j > 0; j = from[j]) count++;
    if (count > RNI_MAX_LEVELS) return count;
    uint32_t level = count;
    for (uint32_t j = used_count; j > 0; j = from[j]) {
        level--;
        for (uint32_t k = from[j]; k < j; k++) lay->set->level_of_class[used[k]] = (uint8_t)level;
    }
    return count;
}

static void choose_levels(layout *lay)
{
    columns *set = lay->set;
    const rni_boxes *boxes = lay->boxes;
    for (int axis = 0; axis < 3; axis++) {
        lay->spread[axis] = spread_of(lay, axis);
    }
    double per_level = COST_LEVEL;
    set->level_count = cut_classes(lay, per_level);
    while (set->level_count > RNI_MAX_LEVELS) {
        per_level = per_level * 8 + (double)boxes->count;
        set->level_count = cut_classes(lay, per_level);
    }
    for (uint32_t l = 0; l < set->level_count; l++) set->levels[l] = (column_level){0};
    for (uint32_t c = 0; c < RNI_SIZE_CLASSES; c++) {
        if (boxes->class_count[c] == 0) continue;
        column_level *level = &set->levels[set->level_of_class[c]];
        level->box_count += boxes->class_count[c];
        for (int axis = 0; axis < 3; axis++)
            level->extent[axis] = fmaxf(level->extent[axis], boxes->class_extent[c][axis]);
    }
}

/* --- rows -------------------------------------------------------------------------------------- */

/* Places rows with about equal numbers of boxes, none narrower than `width`. */
static rn_result lay_rows(layout *lay, column_axis *axis, int which, double wanted, double width,
                          uint32_t box_count)
{
    columns *set = lay->set;
    double low = (double)lay->boxes->bound_low[which], range = lay->range[which];
    double useful = 16.0 * range / fmax(width, range * 1e-9);
    uint32_t bins = 64;
    while (bins < BIN_MAX && bins < box_count && bins < useful) bins *= 2;
    *axis = (column_axis){.low = (float)low, .scale = (float)(bins / range), .bin_count = bins};
    axis->row_at = set->row_count;
    if (!(wanted >= 2.0) || !isfinite(axis->scale)) {
        bins = 1;
        axis->bin_count = 1;
        axis->scale = 0.0f;
    }
    rn_result result = rni_buffer_grow(set->env->memory, &set->rows, (uint64_t)axis->row_at + bins,
                                       sizeof(uint16_t));
    if (result != RN_OK) return result;
    uint16_t *row = (uint16_t *)set->rows.data + axis->row_at;
    set->row_count += bins;
    memset(lay->bins, 0, bins * sizeof *lay->bins);
    uint32_t total = lay->end - lay->begin;
    for (uint32_t s = lay->begin; s < lay->end && bins > 1; s++)
        lay->bins[bin_of((double)lay->samples[s].low[which], low, range, bins)]++;
    /* a small uniform weight, so that few samples do not give uneven rows */
    double each = (total + 0.25 * total + 1.0) / wanted, even = (0.25 * total + 1.0) / bins;
    double here = 0.0, bin_width = range / bins, since = 0.0;
    uint32_t current = 0;
    for (uint32_t b = 0; b < bins; b++) {
        if (b > 0 && here >= each && since >= width && current + 1 < ROW_MAX) {
            current++;
            here -= each;
            if (here > each) here = each;
            since = 0.0;
        }
        row[b] = (uint16_t)current;
        here += lay->bins[b] + even;
        since += bin_width;
    }
    axis->row_count = current + 1;
    return RN_OK;
}

/* Measured number of boxes in a run: how often two probes share a column and an x interval as long
 * as a run. */
static double measure_run(layout *lay, const column_level *level)
{
    const columns *set = lay->set;
    uint32_t step = (lay->end - lay->begin) / PROBE_MAX + 1, probes = 0;
    double stretch = fmax(2.0 * (double)level->extent[0], lay->range[0] * 1e-7);
    uint32_t *table = lay->bins; /* key of the slot, then its count */
    memset(table, 0, 2 * TABLE_SLOTS * sizeof *table);
    double together = 0.0;
    for (uint32_t s = lay->begin; s < lay->end; s += step) {
        const sample *at = &lay->samples[s];
        double x = ((double)at->low[0] - (double)lay->boxes->bound_low[0]) / stretch;
        uint32_t y = rni_row_of(set, &level->y, at->low[1]);
        uint32_t z = rni_row_of(set, &level->z, at->low[2]);
        uint32_t key = (y * 73856093u) ^ (z * 19349669u) ^ ((uint32_t)x * 83492791u);
        key = (key ^ key >> 15) * 2654435769u | 1u;
        uint32_t slot = key >> 20; /* TABLE_SLOTS entries */
        while (table[2 * slot] && table[2 * slot] != key) slot = (slot + 1) % TABLE_SLOTS;
        table[2 * slot] = key;
        together += table[2 * slot + 1]++;
        probes++;
    }
    if (probes < 64) return 0.0;
    return 2.0 * together / probes * level->box_count / probes;
}

static rn_result lay_level_rows(layout *lay, column_level *level, const double spread[3], double times)
{
    columns *set = lay->set;
    uint32_t back = set->row_count;
    double rows[3] = {1.0, 1.0, 1.0};
    for (uint32_t axis = 1; axis < 3 && axis < set->dim; axis++) {
        double edge = fmax((double)level->extent[axis], lay->range[axis] * 1e-7);
        rows[axis] = fmax(1.0, spread[axis] / (edge * times));
    }
    double most = fmax(1.0, 0.5 * level->box_count);
    if (rows[1] * rows[2] > most) {
        double less = set->dim == 3 ? sqrt(most / (rows[1] * rows[2])) : most / rows[1];
        rows[1] = fmax(1.0, rows[1] * less);
        rows[2] = fmax(1.0, rows[2] * less);
    }
    set->row_count = back;
    rn_result result =
        lay_rows(lay, &level->y, 1, rows[1], (double)level->extent[1], level->box_count);
    if (result != RN_OK) return result;
    return lay_rows(lay, &level->z, 2, rows[2], (double)level->extent[2], level->box_count);
}

/* Columns `times` as wide as the longest edges, so that a run is about one vector long, but no
 * narrower than an edge. */
static rn_result choose_rows(layout *lay, column_level *level)
{
    const columns *set = lay->set;
    double spread[3] = {0};
    for (int axis = 0; axis < 3; axis++) spread[axis] = spread_of(lay, axis);
    double length = fmin(1.0, 2.0 * (double)level->extent[0] / spread[0]);
    double wanted = fmax(1.0, level->box_count * length / RUN_TARGET), times = 1.0;
    for (uint32_t axis = 1; axis < 3 && axis < set->dim; axis++)
        times *= spread[axis] / fmax((double)level->extent[axis], lay->range[axis] * 1e-7);
    times /= wanted;
    times = fmax(1.0, set->dim == 3 ? sqrt(times) : times);
    uint32_t back = set->row_count;
    for (int round = 0;; round++) {
        lay->set->row_count = back;
        rn_result result = lay_level_rows(lay, level, spread, times);
        if (result != RN_OK || round == 2 || times <= 1.0) return result;
        double run = measure_run(lay, level);
        if (run < 2.0 * RUN_TARGET) return RN_OK;
        double less = run / RUN_TARGET;
        times = fmax(1.0, times / (set->dim == 3 ? sqrt(less) : less));
    }
}

/* --- bounds of rows ---------------------------------------------------------------------------- */

/* The n-th finite float in ascending order. */
static float float_at(uint32_t place)
{
    uint32_t bits = place & 0x80000000u ? place ^ 0x80000000u : ~place;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The smallest float in this row or a later one. */
static float find_bound(const columns *set, const column_axis *axis, uint32_t row)
{
    uint32_t low = ~0xff7fffffu, high = 0xff7fffffu; /* -FLT_MAX, FLT_MAX */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rni_row_of(set, axis, float_at(middle)) >= row) high = middle;
        else low = middle + 1;
    }
    return float_at(low);
}

static rn_result lay_bounds(columns *set, column_axis *axis)
{
    rn_result result =
        rni_buffer_grow(set->env->memory, &set->bounds,
                        (uint64_t)set->bound_count + axis->row_count + 1, sizeof(float));
    if (result != RN_OK) return result;
    axis->bound_at = set->bound_count;
    float *bound = (float *)set->bounds.data + axis->bound_at;
    bound[0] = -INFINITY;
    for (uint32_t r = 1; r < axis->row_count; r++) bound[r] = find_bound(set, axis, r);
    bound[axis->row_count] = INFINITY;
    set->bound_count += axis->row_count + 1;
    return RN_OK;
}

/* --- which level searches which
 * ---------------------------------------------------------------- */

/* Cost of searching level `into` for every box of `from`. */
static double look_cost(const layout *lay, const column_level *from, const column_level *into)
{
    double columns_seen = 1.0, share = 1.0;
    for (uint32_t axis = 0; axis < lay->boxes->dim; axis++) {
        double reach = (double)from->extent[axis] + (double)into->extent[axis];
        double rows = axis == 0 ? 1.0 : axis == 1 ? into->y.row_count : into->z.row_count;
        double width = lay->spread[axis] / rows;
        if (axis > 0) columns_seen *= fmin(rows, 1.0 + reach / width);
        double window = axis > 0 ? reach + width : reach;
        share *= fmin(1.0, window / lay->spread[axis]);
    }
    double visit = columns_seen > 4.0 ? COST_SEARCH : COST_VISIT;
    return from->box_count * (visit * columns_seen + COST_TEST * into->box_count * share);
}

static void add_task(columns *set, uint32_t source, uint32_t target, uint32_t share)
{
    column_task *task = &set->tasks[set->task_count++];
    *task = (column_task){source, target, set->piece_count, share};
    set->piece_count += rni_piece_count(set->levels[source].box_count, share);
}

static void choose_tasks(const layout *lay)
{
    columns *set = lay->set;
    set->task_count = 0;
    set->piece_count = 0;
    for (uint32_t s = 0; s < set->level_count; s++) {
        add_task(set, s, s, 1024);
        for (uint32_t t = s + 1; t < set->level_count; t++) {
            double up = look_cost(lay, &set->levels[s], &set->levels[t]);
            double down = look_cost(lay, &set->levels[t], &set->levels[s]);
            if (up <= down) add_task(set, s, t, 1024);
            else add_task(set, t, s, 64);
        }
    }
}

rn_result rni_columns_lay_out(columns *set, const rni_boxes *boxes)
{
    layout lay = {.set = set, .boxes = boxes};
    rn_result result = take_sample(&lay, set->env->arena);
    if (result == RN_OK) result = sort_sample(&lay, set->env->arena);
    if (result != RN_OK) return result;
    choose_levels(&lay);
    set->row_count = 0;
    set->bound_count = 0;
    set->column_count = 0;
    for (uint32_t l = 0; l < set->level_count; l++) {
        column_level *level = &set->levels[l];
        lay.begin = l > 0 ? lay.end : 0;
        lay.end = lay.begin;
        while (lay.end < lay.sample_count && set->level_of_class[lay.samples[lay.end].class] == l)
            lay.end++;
        result = choose_rows(&lay, level);
        if (result == RN_OK) result = lay_bounds(set, &level->y);
        if (result == RN_OK) result = lay_bounds(set, &level->z);
        if (result != RN_OK) return result;
        level->first_column = set->column_count;
        level->column_count = level->y.row_count * level->z.row_count;
        set->column_count += level->column_count;
    }
    choose_tasks(&lay);
    return RN_OK;
}

rn_result rni_columns_lay_out_one(columns *set, const rni_boxes *boxes)
{
    set->dim = boxes->dim;
    set->count = boxes->count;
    set->level_count = 1;
    set->column_count = 1;
    set->row_count = 1;
    set->task_count = 0;
    set->piece_count = 0;
    memset(set->level_of_class, 0, sizeof set->level_of_class);
    rn_result result = rni_buffer_grow(set->env->memory, &set->rows, 1, sizeof(uint16_t));
    if (result != RN_OK) return result;
    *(uint16_t *)set->rows.data = 0;
    column_axis one = {.low = 0.0f, .scale = 0.0f, .bin_count = 1, .row_count = 1, .row_at = 0};
    column_level *level = &set->levels[0];
    *level = (column_level){.box_count = boxes->count, .column_count = 1, .y = one, .z = one};
    memcpy(level->extent, boxes->extent, sizeof level->extent);
    set->bound_count = 0;
    result = lay_bounds(set, &level->y);
    if (result == RN_OK) result = lay_bounds(set, &level->z);
    if (result != RN_OK) return result;
    add_task(set, 0, 0, 1024);
    return RN_OK;
}
