/* Size classes, hash table and lookup of the two hashing methods; see cell_hash.h. */
#include "broadphase/cell_hash.h"

#include "base/error.h"
#include "base/validate.h"

#include <assert.h>

#define EXPONENT_LOW (-150)
#define NO_EDGE      (RNI_HASH_EXPONENTS - 1)
/* Absolute cell coordinates stay below this limit, so that they are exact in double and int64_t. */
#define COORDINATE_BITS 51

rn_result rni_hash_create(rni_box_env *env, bool is_additive, void **state)
{
    cell_hash *hash = rni_memory_take(env->memory, sizeof *hash);
    if (!hash) return RN_ERROR_MEMORY;
    memset(hash, 0, sizeof *hash);
    hash->env = env;
    hash->is_additive = is_additive;
    hash->is_unbounded = env->def->unbounded_table;
    *state = hash;
    return RN_OK;
}

void rni_hash_destroy(void *state)
{
    cell_hash *hash = state;
    if (!hash) return;
    rni_memory *memory = hash->env->memory;
    rni_buffer *const buffers[] = {&hash->boxes,   &hash->level_of, &hash->order,
                                   &hash->entries, &hash->slots,    &hash->keys};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        rni_buffer_free(memory, buffers[k]);
    rni_memory_give(memory, hash, sizeof *hash);
}

/* --- classes ------------------------------------------------------------------------------------ */

/* Exponent of the smallest power of two that is at least the edge (Pouchol et al. 2009, eq. 2). */
static int edge_exponent(double edge)
{
    int exponent;
    return frexp(edge, &exponent) == 0.5 ? exponent - 1 : exponent;
}

/* Index of a box in exponent_count and level_for. */
static uint32_t exponent_of(const hash_box *box)
{
    double edge = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double here = (double)box->high[axis] - (double)box->low[axis];
        if (here > edge) edge = here;
    }
    if (edge == 0.0) return NO_EDGE;
    int exponent = edge_exponent(edge);
    return exponent < EXPONENT_LOW ? 0 : (uint32_t)(exponent - EXPONENT_LOW);
}

/* Smallest permitted exponent of a cell edge; with smaller cells the coordinates would exceed the
 * limit. */
static int least_exponent(const rni_boxes *boxes)
{
    double farthest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = fabs((double)boxes->bound_low[axis]),
               high = fabs((double)boxes->bound_high[axis]);
        farthest = fmax(farthest, fmax(low, high));
    }
    int exponent = farthest > 0.0 ? edge_exponent(farthest) - COORDINATE_BITS : EXPONENT_LOW;
    return exponent < EXPONENT_LOW ? EXPONENT_LOW : exponent;
}

/* Points only: cells that would hold one point each if the points were spread evenly. */
static int point_exponent(const rni_boxes *boxes)
{
    double edge = 0.0;
    for (uint32_t axis = 0; axis < boxes->dim; axis++)
        edge = fmax(edge, (double)boxes->bound_high[axis] - (double)boxes->bound_low[axis]);
    if (edge == 0.0) return 0;
    int exponent = edge_exponent(edge / pow(boxes->count, 1.0 / boxes->dim));
    return exponent < EXPONENT_LOW ? EXPONENT_LOW : exponent;
}

/* Maps every exponent to the smallest class that is large enough. Edges larger than all classes map
 * to level 0. */
static void spread_levels(cell_hash *hash)
{
    uint32_t level = hash->level_count - 1;
    for (uint32_t e = 0; e < NO_EDGE; e++) {
        while (level > 0 && hash->levels[level].exponent < (int)e + EXPONENT_LOW) level--;
        hash->level_for[e] = (uint8_t)level;
    }
    hash->level_for[NO_EDGE] = (uint8_t)(hash->level_count - 1);
}

/* Keeps only the classes with the most boxes, and always the largest class. */
static void drop_classes(bool *is_used, const uint32_t *count, uint32_t used)
{
    for (; used > RNI_HASH_LEVELS; used--) {
        uint32_t least = UINT32_MAX, worst = 0;
        bool is_top = true;
        for (uint32_t e = NO_EDGE; e-- > 0;) {
            if (!is_used[e]) continue;
            if (!is_top && count[e] < least) {
                least = count[e];
                worst = e;
            }
            is_top = false;
        }
        is_used[worst] = false;
    }
}

static void choose_classes(cell_hash *hash, const rni_boxes *boxes)
{
    bool is_used[RNI_HASH_EXPONENTS] = {false};
    uint32_t least = (uint32_t)(least_exponent(boxes) - EXPONENT_LOW), used = 0;
    for (uint32_t e = 0; e < NO_EDGE; e++)
        if (hash->exponent_count[e] > 0) is_used[e < least ? least : e] = true;
    for (uint32_t e = 0; e < NO_EDGE; e++) used += is_used[e];
    if (used == 0) {
        uint32_t e = (uint32_t)(point_exponent(boxes) - EXPONENT_LOW);
        is_used[e < least ? least : e] = true;
        used = 1;
    }
    drop_classes(is_used, hash->exponent_count, used);
    hash->level_count = 0;
    for (uint32_t e = NO_EDGE; e-- > 0;) {
        if (!is_used[e]) continue;
        hash_level *level = &hash->levels[hash->level_count++];
        *level = (hash_level){.exponent = (int)e + EXPONENT_LOW};
        level->per_edge = ldexp(1.0, -level->exponent);
        if (!hash->env->def->as_published) level->salt = hash->level_count * 0x9e3779b97f4a7c15u;
    }
    spread_levels(hash);
}

/* Returns whether the classes of the previous step still fit. */
static bool classes_fit(const cell_hash *hash, const rni_boxes *boxes)
{
    if (hash->level_count == 0) return false;
    if (hash->levels[hash->level_count - 1].exponent < least_exponent(boxes)) return false;
    double parts = 1.0;
    for (uint32_t axis = 0; axis < boxes->dim; axis++)
        parts *= floor((double)boxes->extent[axis] * hash->levels[0].per_edge) + 2.0;
    if (!(parts <= RNI_HASH_PARTS)) return false;
    uint64_t strangers = 0;
    for (uint32_t e = 0; e < NO_EDGE; e++) {
        bool is_own = hash->levels[hash->level_for[e]].exponent == (int)e + EXPONENT_LOW;
        strangers += is_own ? 0 : hash->exponent_count[e];
    }
    return 4 * strangers <= boxes->count;
}

/* --- cells -------------------------------------------------------------------------------------- */

static int64_t cell_at(const hash_level *level, float at)
{
    return rni_whole_below((double)at * level->per_edge);
}

static void range_of(const cell_hash *hash, const hash_level *level, const float low[3],
                     const float high[3], hash_range *range)
{
    *range = (hash_range){{{0}}, {{0}}};
    for (uint32_t axis = 0; axis < hash->dim; axis++) {
        range->low.at[axis] = cell_at(level, low[axis]);
        range->high.at[axis] = cell_at(level, high[axis]);
    }
}

static uint32_t part_count(const hash_range *range)
{
    uint64_t parts = 1;
    for (int axis = 0; axis < 3; axis++)
        parts *= (uint64_t)(range->high.at[axis] - range->low.at[axis]) + 1;
    return (uint32_t)parts;
}

static hash_cell part_cell(const hash_range *range, uint32_t part)
{
    hash_cell cell = range->low;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t width = (uint32_t)(range->high.at[axis] - range->low.at[axis]) + 1;
        cell.at[axis] += part % width;
        part /= width;
    }
    return cell;
}

/* Inverse mapping. */
static uint32_t cell_part(const hash_range *range, const hash_cell *cell)
{
    int64_t part = 0;
    for (int axis = 2; axis >= 0; axis--)
        part = part * (range->high.at[axis] - range->low.at[axis] + 1) + cell->at[axis] -
               range->low.at[axis];
    return (uint32_t)part;
}

/* Cell of an arbitrary coordinate, clamped to one cell before the first or one after the last. */
static int64_t cell_near(const hash_level *level, uint32_t axis, float at)
{
    double t = (double)at * level->per_edge;
    int64_t first = level->bounds.low.at[axis], last = level->bounds.high.at[axis];
    if (t < (double)first) return first - 1;
    return t < (double)last + 1.0 ? rni_whole_below(t) : last + 1;
}

const hash_range *rni_hash_probe_range(const cell_hash *hash, hash_probe *probe, uint32_t level)
{
    for (; probe->range_count <= level; probe->range_count++) {
        const hash_level *l = &hash->levels[probe->range_count];
        hash_range *range = &probe->ranges[probe->range_count];
        *range = (hash_range){{{0}}, {{0}}};
        for (uint32_t axis = 0; axis < hash->dim; axis++) {
            int64_t from = cell_near(l, axis, probe->low[axis]);
            int64_t to = cell_near(l, axis, probe->high[axis]);
            range->low.at[axis] = from < l->bounds.low.at[axis] ? l->bounds.low.at[axis] : from;
            range->high.at[axis] = to > l->bounds.high.at[axis] ? l->bounds.high.at[axis] : to;
        }
    }
    return &probe->ranges[level];
}

bool rni_hash_is_wide(const cell_hash *hash, hash_probe *probe, uint32_t level)
{
    const hash_range *range = rni_hash_probe_range(hash, probe, level);
    int64_t x = range->high.at[0] - range->low.at[0] + 1,
            y = range->high.at[1] - range->low.at[1] + 1;
    int64_t z = range->high.at[2] - range->low.at[2] + 1;
    if (x <= 2 && y <= 2 && z <= 2) return false;
    double cells = (double)x * (double)y * (double)z;
    return cells > 8.0 && cells > (double)hash->levels[level].box_count;
}

/* --- the table ---------------------------------------------------------------------------------- */

static rn_result open_slots(cell_hash *hash, uint32_t count)
{
    rni_memory *memory = hash->env->memory;
    hash->slot_count = 0;
    if (rni_buffer_need(memory, &hash->slots, count, sizeof(hash_slot)) ||
        (hash->is_unbounded && rni_buffer_need(memory, &hash->keys, count, sizeof(uint64_t))))
        return RN_ERROR_MEMORY;
    memset(hash->slots.data, 0, count * sizeof(hash_slot));
    hash->slot_count = count;
    hash->stamp = 1;
    return RN_OK;
}

/* Prepares a table for this many entries. Reuses the previous table with a new time stamp if it is
 * large enough. */
static rn_result ready_slots(cell_hash *hash, uint64_t entry_count)
{
    const rn_broadphase_def *def = hash->env->def;
    uint64_t length = hash->is_unbounded ? 0 : def->hash_table_length;
    if (length == 0 && def->as_published && !hash->is_unbounded)
        length = 100 * (uint64_t)hash->count;
    hash->is_remainder =
        length > 0; /* Pouchol et al. 2009, section 4.3: any length, index by remainder */
    hash->used_slots = 0;
    bool fits = hash->slot_count == length;
    if (length == 0) {
        length = entry_count + entry_count / 4 + 16;
        fits = hash->slot_count >= entry_count && hash->slot_count / 4 <= length;
    }
    if (fits && hash->slot_count > 0 && hash->stamp < UINT32_MAX) {
        hash->stamp++;
        return RN_OK;
    }
    return open_slots(hash, length < 0x80000000u ? (uint32_t)length : 0x80000000u);
}

/* Grows the unbounded map by a quarter and rehashes all slots. */
static rn_result grow_map(cell_hash *hash)
{
    if (hash->slot_count >= 0x80000000u)
        return rni_fail(RN_ERROR_LIMIT, "more than %u cells are in use; take a fixed table",
                        0x40000000u);
    rni_memory *memory = hash->env->memory;
    uint32_t old_count = hash->slot_count, old_stamp = hash->stamp;
    rni_buffer old_slots = hash->slots, old_keys = hash->keys;
    hash->slots = (rni_buffer){0};
    hash->keys = (rni_buffer){0};
    rn_result result = open_slots(hash, old_count + old_count / 4 + 16);
    const hash_slot *slots = old_slots.data;
    const uint64_t *keys = old_keys.data;
    for (uint32_t k = 0; k < old_count && result == RN_OK; k++) {
        if (slots[k].stamp != old_stamp) continue;
        uint32_t place = rni_hash_place(hash, keys[k]);
        hash_slot *to = hash->slots.data;
        while (to[place].stamp == hash->stamp)
            place = place + 1 == hash->slot_count ? 0 : place + 1;
        to[place] = (hash_slot){hash->stamp, slots[k].first};
        ((uint64_t *)hash->keys.data)[place] = keys[k];
    }
    rni_buffer_free(memory, &old_slots);
    rni_buffer_free(memory, &old_keys);
    return result;
}

/* Finds the slot of a key and creates it if missing; NULL if out of memory. */
static hash_slot *slot_for(cell_hash *hash, uint64_t key)
{
    hash_slot *slots = hash->slots.data;
    uint32_t place = rni_hash_place(hash, key);
    if (hash->is_unbounded) {
        uint64_t *keys = hash->keys.data;
        while (slots[place].stamp == hash->stamp && keys[place] != key)
            place = place + 1 == hash->slot_count ? 0 : place + 1;
        bool is_new = slots[place].stamp != hash->stamp;
        if (is_new && hash->used_slots >= hash->slot_count - hash->slot_count / 3)
            return grow_map(hash) == RN_OK ? slot_for(hash, key) : NULL;
        keys[place] = key;
    }
    hash_slot *slot = &slots[place];
    if (slot->stamp != hash->stamp) {
        *slot = (hash_slot){hash->stamp, 0};
        hash->used_slots++;
    }
    return slot;
}

static uint32_t tag_of(uint64_t key, uint32_t part)
{
    return (uint32_t)(key * 0xff51afd7ed558ccdu >> 40) << 8 | part;
}

/* Pouchol et al. 2009, listing 1, for a whole cell: marks the cells on the path down and inserts
 * the box at its end. */
static rn_result insert(cell_hash *hash, uint32_t box, uint32_t level, const hash_cell *cell,
                        uint32_t part)
{
    uint64_t key = 0;
    for (uint32_t l = 0; l < level && hash->is_additive; l++) {
        hash_cell around = rni_cell_around(hash, level, cell, l);
        key += rni_cell_key(hash, l, &around);
        hash_slot *slot = slot_for(hash, key);
        if (!slot) return RN_ERROR_MEMORY;
        slot->first |= RNI_HAS_CHILDREN;
    }
    key += rni_cell_key(hash, level, cell);
    hash_slot *slot = slot_for(hash, key);
    if (!slot) return RN_ERROR_MEMORY;
    hash_entry *entry = (hash_entry *)hash->entries.data + hash->entry_count++;
    *entry = (hash_entry){box, slot->first & ~RNI_HAS_CHILDREN, tag_of(key, part)};
    slot->first = (slot->first & RNI_HAS_CHILDREN) | hash->entry_count;
    return RN_OK;
}

/* --- building ----------------------------------------------------------------------------------- */

static void order_by_level(cell_hash *hash)
{
    uint8_t *level_of = hash->level_of.data;
    uint32_t *order = hash->order.data, next[RNI_HASH_LEVELS], first = 0;
    for (uint32_t l = 0; l < hash->level_count; l++) hash->levels[l].box_count = 0;
    const hash_box *box = hash->boxes.data;
    for (uint32_t i = 0; i < hash->count; i++) {
        level_of[i] = hash->level_for[exponent_of(&box[i])];
        hash->levels[level_of[i]].box_count++;
    }
    for (uint32_t l = 0; l < hash->level_count; l++) {
        hash->levels[l].first_box = first;
        next[l] = first;
        first += hash->levels[l].box_count;
    }
    for (uint32_t i = 0; i < hash->count; i++) order[next[level_of[i]]++] = i;
}

static rn_result insert_all(cell_hash *hash)
{
    const hash_box *box = hash->boxes.data;
    const uint8_t *level_of = hash->level_of.data;
    uint64_t entry_count = 0;
    hash_range range;
    for (uint32_t i = 0; i < hash->count; i++) {
        range_of(hash, &hash->levels[level_of[i]], box[i].low, box[i].high, &range);
        entry_count += part_count(&range);
    }
    if (entry_count >= RNI_HAS_CHILDREN - 1)
        return rni_fail(RN_ERROR_LIMIT, "%llu cells of boxes; a hash table here takes at most %u",
                        (unsigned long long)entry_count, RNI_HAS_CHILDREN - 2);
    rn_result result =
        rni_buffer_need(hash->env->memory, &hash->entries, entry_count, sizeof(hash_entry));
    if (result == RN_OK) result = ready_slots(hash, entry_count);
    hash->entry_count = 0;
    for (uint32_t i = 0; i < hash->count && result == RN_OK; i++) {
        uint32_t level = level_of[i];
        range_of(hash, &hash->levels[level], box[i].low, box[i].high, &range);
        uint32_t parts = part_count(&range);
        for (uint32_t part = 0; part < parts && result == RN_OK; part++) {
            hash_cell cell = part_cell(&range, part);
            result = insert(hash, i, level, &cell, part);
        }
    }
    return result;
}

/* Whether all cells around a cell are marked as having children. */
static bool is_reached(const cell_hash *hash, uint32_t level, const hash_cell *cell)
{
    for (uint32_t l = 0; l < level && hash->is_additive; l++) {
        const hash_cell around = rni_cell_around(hash, level, cell, l);
        const hash_slot *slot = rni_hash_find(hash, rni_hash_key(hash, l, &around));
        if (!slot || !(slot->first & RNI_HAS_CHILDREN)) return false;
    }
    return true;
}

/* An entry of this slot: a description of the error, or NULL. */
static const char *entry_flaw(const cell_hash *hash, const hash_slot *slot, const hash_entry *entry)
{
    const hash_box *box = hash->boxes.data;
    const uint32_t part = entry->tag & 255u;
    if (entry->box >= hash->count) return "an entry is of no box";
    const uint32_t level = ((const uint8_t *)hash->level_of.data)[entry->box];
    hash_range range;
    range_of(hash, &hash->levels[level], box[entry->box].low, box[entry->box].high, &range);
    if (part >= part_count(&range)) return "an entry is of no cell of its box";
    const hash_cell cell = part_cell(&range, part);
    const uint64_t key = rni_hash_key(hash, level, &cell);
    if (rni_hash_find(hash, key) != slot || entry->tag != tag_of(key, part))
        return "a box is stored in the wrong cell";
    return is_reached(hash, level, &cell) ? NULL : "a cell is not marked as a child";
}

/* One number for a cell of a box, to be summed. */
static uint64_t part_hash(uint32_t box, uint32_t part)
{
    return rni_hash_mix(((uint64_t)box << 8 | part) + 1);
}

const char *rni_validate_cell_hash(const cell_hash *hash)
{
    const hash_box *box = hash->boxes.data;
    const hash_slot *slots = hash->slots.data;
    const hash_entry *entries = hash->entries.data;
    const uint8_t *level_of = hash->level_of.data;
    uint64_t wanted = 0, stored = 0;
    uint32_t used = 0, seen = 0;
    for (uint32_t i = 0; i < hash->count; i++) {
        hash_range range;
        range_of(hash, &hash->levels[level_of[i]], box[i].low, box[i].high, &range);
        for (uint32_t part = part_count(&range); part-- > 0;) wanted += part_hash(i, part);
    }
    for (uint32_t k = 0; k < hash->slot_count; k++) {
        if (slots[k].stamp != hash->stamp) continue;
        used++;
        uint32_t e = slots[k].first & ~RNI_HAS_CHILDREN;
        for (; e > 0; e = entries[e - 1].next) {
            if (e > hash->entry_count || ++seen > hash->entry_count) return "a chain does not end";
            const char *flaw = entry_flaw(hash, &slots[k], &entries[e - 1]);
            if (flaw) return flaw;
            stored += part_hash(entries[e - 1].box, entries[e - 1].tag & 255u);
        }
    }
    if (used != hash->used_slots) return "the count of used slots is wrong";
    if (seen != hash->entry_count || stored != wanted)
        return "a box is missing from a cell or is there twice";
    return rni_validate_permutation(hash->order.data, hash->count);
}

rn_result rni_hash_build(void *state, const rni_boxes *boxes)
{
    cell_hash *hash = state;
    rni_memory *memory = hash->env->memory;
    hash->count = 0;
    hash->dim = boxes->dim;
    if (boxes->count == 0) return RN_OK;
    if (rni_buffer_need(memory, &hash->boxes, boxes->count, sizeof(hash_box)) ||
        rni_buffer_need(memory, &hash->level_of, boxes->count, sizeof(uint8_t)) ||
        rni_buffer_need(memory, &hash->order, boxes->count, sizeof(uint32_t)))
        return RN_ERROR_MEMORY;
    hash_box *box = hash->boxes.data;
    memset(hash->exponent_count, 0, sizeof hash->exponent_count);
    for (uint32_t i = 0; i < boxes->count; i++) {
        rni_boxes_at(boxes, i, box[i].low, box[i].high);
        hash->exponent_count[exponent_of(&box[i])]++;
    }
    bool is_kept = classes_fit(hash, boxes);
    if (!is_kept) choose_classes(hash, boxes);
    for (uint32_t l = 0; l < hash->level_count; l++)
        range_of(hash, &hash->levels[l], boxes->bound_low, boxes->bound_high,
                 &hash->levels[l].bounds);
    hash->count = boxes->count;
    order_by_level(hash);
    rn_result result = insert_all(hash);
    if (result != RN_OK) {
        hash->count = 0;
        hash->slot_count = 0;
        return result;
    }
    assert(!rni_validate_cell_hash(hash));
    rn_broadphase_stats *stats = hash->env->stats;
    stats->element_count = hash->entry_count;
    stats->cell_count = hash->used_slots;
    stats->level_count = hash->level_count;
    stats->order_reused = is_kept;
    return RN_OK;
}

/* --- lookup
 * ------------------------------------------------------------------------------------- */

static rn_result report(hash_probe *probe, uint32_t box)
{
    probe->found++;
    if (probe->pairs) return rni_pair_push(probe->pairs, probe->self, box);
    return probe->hits->wants_index ? rni_hit_push(probe->hits, box) : RN_OK;
}

static bool touches(const hash_probe *probe, const hash_box *box)
{
    return rni_boxes_touch(probe->low, probe->high, box->low, box->high) &&
           (!probe->queries || rni_query_touches(probe->queries, probe->query, box->low, box->high));
}

/* Whether this is the cell of the entry and also the cell that holds the low corner of the
 * intersection. */
static bool is_the_cell(const cell_hash *hash, const hash_probe *probe, const hash_entry *entry,
                        uint32_t level, const hash_cell *cell)
{
    if (((const uint8_t *)hash->level_of.data)[entry->box] != level) return false;
    const hash_box *box = (const hash_box *)hash->boxes.data + entry->box;
    const hash_level *l = &hash->levels[level];
    for (uint32_t axis = 0; axis < hash->dim; axis++) {
        bool is_mine = probe->low[axis] > box->low[axis];
        if (cell_at(l, is_mine ? probe->low[axis] : box->low[axis]) != cell->at[axis]) return false;
    }
    hash_range range;
    range_of(hash, l, box->low, box->high, &range);
    return cell_part(&range, cell) == (entry->tag & 255u);
}

rn_result rni_hash_look(const cell_hash *hash, hash_probe *probe, uint32_t level, uint64_t key,
                        const hash_cell *cell, const hash_slot *slot)
{
    const hash_entry *entries = hash->entries.data;
    const hash_box *boxes = hash->boxes.data;
    uint32_t tag = tag_of(key, 0);
    for (uint32_t at = slot->first & ~RNI_HAS_CHILDREN; at > 0; at = entries[at - 1].next) {
        const hash_entry *entry = &entries[at - 1];
        if (((entry->tag ^ tag) & ~255u) != 0) {
            probe->collisions++;
            continue;
        }
        if (entry->box >= probe->limit) continue;
        probe->candidates++;
        if (!touches(probe, &boxes[entry->box]) || !is_the_cell(hash, probe, entry, level, cell))
            continue;
        rn_result result = report(probe, entry->box);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

rn_result rni_hash_scan(const cell_hash *hash, hash_probe *probe, uint32_t level)
{
    const uint32_t *order = (const uint32_t *)hash->order.data + hash->levels[level].first_box;
    const hash_box *boxes = hash->boxes.data;
    for (uint32_t k = 0; k < hash->levels[level].box_count; k++) {
        if (order[k] >= probe->limit) continue;
        probe->candidates++;
        if (!touches(probe, &boxes[order[k]])) continue;
        rn_result result = report(probe, order[k]);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

/* --- probes
 * ------------------------------------------------------------------------------------ */

/* Boxes per piece of the pair search. */
#define SHARE 256u

/* Initialised field by field: the range array is long and only the first range_count entries are
 * read. */
static void begin_probe(hash_probe *probe, const float low[3], const float high[3], uint32_t self)
{
    memcpy(probe->low, low, sizeof probe->low);
    memcpy(probe->high, high, sizeof probe->high);
    probe->queries = NULL;
    probe->query = NULL;
    probe->pairs = NULL;
    probe->hits = NULL;
    probe->self = self;
    probe->limit = self;
    probe->found = 0;
    probe->candidates = probe->visited = probe->collisions = probe->early_ends = 0;
    probe->range_count = 0;
}

uint32_t rni_hash_pair_pieces(const void *state)
{
    return rni_piece_count(((const cell_hash *)state)->count, SHARE);
}

rn_result rni_hash_pairs(const cell_hash *hash, uint32_t piece, rni_pair_sink *sink, hash_ask ask)
{
    const hash_box *boxes = hash->boxes.data;
    uint32_t begin = piece * SHARE;
    uint32_t end = hash->count - begin < SHARE ? hash->count : begin + SHARE;
    hash_probe probe;
    for (uint32_t i = begin; i < end; i++) {
        begin_probe(&probe, boxes[i].low, boxes[i].high, i);
        probe.pairs = sink;
        rn_result result = ask(hash, &probe);
        if (result != RN_OK) return result;
        sink->candidate_count += probe.candidates;
        sink->visited_count += probe.visited;
        sink->collision_count += probe.collisions;
        sink->early_end_count += probe.early_ends;
    }
    return RN_OK;
}

rn_result rni_hash_query(const cell_hash *hash, const rni_queries *queries, uint32_t first,
                         uint32_t count, rni_hit_sink *sink, hash_ask ask)
{
    hash_probe probe;
    for (uint32_t k = 0; k < count; k++) {
        rni_query query;
        rni_query_at(queries, first + k, &query);
        begin_probe(&probe, query.low, query.high, UINT32_MAX);
        probe.queries = queries;
        probe.query = &query;
        probe.hits = sink;
        rn_result result = ask(hash, &probe);
        if (result != RN_OK) return result;
        sink->candidate_count += probe.candidates;
        sink->visited_count += probe.visited;
        sink->counts[k] = probe.found;
    }
    return RN_OK;
}
