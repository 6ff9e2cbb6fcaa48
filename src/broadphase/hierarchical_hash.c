/* Method "hierarchical-hash": multilevel hashing that descends from the largest class and stops at
 * cells without children. (Pouchol, Ahmad, Crespin and Terraz 2009.) Classes, table and cells:
 * cell_hash.h.
 *
 * Keys are sums (eq. 4): the key of a cell is the key of its parent plus its own, so a descent adds
 * one term per level. Listing 2 is implemented as its text describes it: the subcells of a cell are
 * visited once each, if the cell has children and the subcells are inside the box of the probe.
 * Pairs: a box descends to its own class; smaller boxes find it. A box is itself a child of every
 *        cell on this path, so only the published descent through all classes can end early. */
#include "broadphase/cell_hash.h"

typedef struct walk {
    const cell_hash *hash;
    hash_probe *probe;
    uint32_t end;  /* levels below this one */
    uint32_t stop; /* the first level that is not descended into; end unless one is too wide */
    uint32_t limit_above, limit_last; /* limits of the probe: at the last level, and above it */
} walk;

static rn_result create(rni_box_env *env, void **state)
{
    return rni_hash_create(env, true, state);
}

static rn_result descend(walk *w, uint32_t level, uint64_t parent_key, const hash_range *range);

static rn_result visit(walk *w, uint32_t level, uint64_t key, const hash_cell *cell)
{
    const cell_hash *hash = w->hash;
    hash_probe *probe = w->probe;
    probe->visited++;
    const hash_slot *slot = rni_hash_find(hash, key);
    bool is_last = level + 1 == w->end;
    if (!slot) {
        probe->early_ends += !is_last;
        return RN_OK;
    }
    probe->limit = is_last ? w->limit_last : w->limit_above;
    rn_result result = rni_hash_look(hash, probe, level, key, cell, slot);
    if (result != RN_OK || level + 1 >= w->stop) return result;
    if (!(slot->first & RNI_HAS_CHILDREN)) {
        probe->early_ends++;
        return RN_OK;
    }
    if (rni_hash_is_wide(hash, probe, level + 1)) {
        w->stop = level + 1; /* the same for every cell of this level */
        return RN_OK;
    }
    int down = hash->levels[level].exponent - hash->levels[level + 1].exponent;
    hash_range inside = *rni_hash_probe_range(hash, probe, level + 1);
    for (int axis = 0; axis < 3; axis++) { /* in 2D the third coordinate is cell 0 */
        int64_t from = (int64_t)((uint64_t)cell->at[axis] << down);
        int64_t to = from + (((int64_t)1 << down) - 1);
        if (inside.low.at[axis] < from) inside.low.at[axis] = from;
        if (inside.high.at[axis] > to) inside.high.at[axis] = to;
    }
    return descend(w, level + 1, key, &inside);
}

static rn_result descend(walk *w, uint32_t level, uint64_t parent_key, const hash_range *range)
{
    hash_cell cell;
    for (cell.at[2] = range->low.at[2]; cell.at[2] <= range->high.at[2]; cell.at[2]++)
        for (cell.at[1] = range->low.at[1]; cell.at[1] <= range->high.at[1]; cell.at[1]++)
            for (cell.at[0] = range->low.at[0]; cell.at[0] <= range->high.at[0]; cell.at[0]++) {
                rn_result result =
                    visit(w, level, parent_key + rni_cell_key(w->hash, level, &cell), &cell);
                if (result != RN_OK) return result;
            }
    return RN_OK;
}

/* All cells of a level that the probe covers, and the cells below them. */
static rn_result begin_walk(walk *w, uint32_t level)
{
    const hash_range *range = rni_hash_probe_range(w->hash, w->probe, level);
    if (level == 0) return descend(w, 0, 0, range);
    hash_cell cell;
    for (cell.at[2] = range->low.at[2]; cell.at[2] <= range->high.at[2]; cell.at[2]++)
        for (cell.at[1] = range->low.at[1]; cell.at[1] <= range->high.at[1]; cell.at[1]++)
            for (cell.at[0] = range->low.at[0]; cell.at[0] <= range->high.at[0]; cell.at[0]++) {
                rn_result result = visit(w, level, rni_hash_key(w->hash, level, &cell), &cell);
                if (result != RN_OK) return result;
            }
    return RN_OK;
}

/* Levels [0, end): descends to the first level where the probe covers more cells than the level has
 * boxes. Such a level is searched box by box, and a new descent begins below it. */
static rn_result walk_down(const cell_hash *hash, hash_probe *probe, uint32_t end,
                           uint32_t limit_above, uint32_t limit_last)
{
    rn_result result = RN_OK;
    for (uint32_t level = 0; level < end && result == RN_OK;) {
        if (rni_hash_is_wide(hash, probe, level)) {
            probe->limit = level + 1 == end ? limit_last : limit_above;
            result = rni_hash_scan(hash, probe, level++);
            continue;
        }
        walk w = {hash, probe, end, end, limit_above, limit_last};
        result = begin_walk(&w, level);
        level = w.stop;
    }
    return result;
}

static rn_result ask_for_pairs(const cell_hash *hash, hash_probe *probe)
{
    uint32_t self = probe->self;
    if (hash->env->def->as_published) return walk_down(hash, probe, hash->level_count, self, self);
    uint32_t own = ((const uint8_t *)hash->level_of.data)[self];
    return walk_down(hash, probe, own + 1, UINT32_MAX, self);
}

static rn_result ask_for_hits(const cell_hash *hash, hash_probe *probe)
{
    return walk_down(hash, probe, hash->level_count, UINT32_MAX, UINT32_MAX);
}

static rn_result pairs(void *state, uint32_t piece, uint32_t worker, rni_pair_sink *sink)
{
    (void)worker;
    return rni_hash_pairs(state, piece, sink, ask_for_pairs);
}

static rn_result query(void *state, const rni_queries *queries, uint32_t first, uint32_t count,
                       uint32_t worker, rni_hit_sink *sink)
{
    (void)worker;
    return rni_hash_query(state, queries, first, count, sink, ask_for_hits);
}

const rni_box_method rni_box_method_hierarchical_hash = {
    .info = {RN_BROADPHASE_HIERARCHICAL_HASH, "hierarchical-hash",
             "cells of many sizes in one hash table, walked from the largest down while they have "
             "children",
             "Pouchol et al. 2009", false},
    .create = create,
    .destroy = rni_hash_destroy,
    .build = rni_hash_build,
    .pair_pieces = rni_hash_pair_pieces,
    .pairs = pairs,
    .query = query,
};
