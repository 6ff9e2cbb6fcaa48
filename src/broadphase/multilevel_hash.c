/* Method "multilevel-hash": size classes in one hash table; a probe searches every class.
 * (Eitz and Lixu 2007, as described by Pouchol et al. 2009, section 2.2.) Classes, table and cells:
 * cell_hash.h.
 *
 * Pairs: a box searches its own class and the larger ones, so it covers at most 8 cells of each;
 * smaller boxes find it. As published, a box searches all classes, and each pair is met from both
 * sides. */
#include "broadphase/cell_hash.h"

static rn_result create(rni_box_env *env, void **state)
{
    return rni_hash_create(env, false, state);
}

static rn_result look_into(const cell_hash *hash, hash_probe *probe, uint32_t level)
{
    if (hash->levels[level].box_count == 0) return RN_OK;
    if (rni_hash_is_wide(hash, probe, level)) return rni_hash_scan(hash, probe, level);
    const hash_range *range = rni_hash_probe_range(hash, probe, level);
    hash_cell cell;
    for (cell.at[2] = range->low.at[2]; cell.at[2] <= range->high.at[2]; cell.at[2]++)
        for (cell.at[1] = range->low.at[1]; cell.at[1] <= range->high.at[1]; cell.at[1]++)
            for (cell.at[0] = range->low.at[0]; cell.at[0] <= range->high.at[0]; cell.at[0]++) {
                uint64_t key = rni_hash_key(hash, level, &cell);
                const hash_slot *slot = rni_hash_find(hash, key);
                probe->visited++;
                if (!slot) continue;
                rn_result result = rni_hash_look(hash, probe, level, key, &cell, slot);
                if (result != RN_OK) return result;
            }
    return RN_OK;
}

static rn_result ask_for_pairs(const cell_hash *hash, hash_probe *probe)
{
    uint32_t own = ((const uint8_t *)hash->level_of.data)[probe->self];
    bool sees_all = hash->env->def->as_published;
    uint32_t end = sees_all ? hash->level_count : own + 1;
    for (uint32_t level = 0; level < end; level++) {
        probe->limit = sees_all || level == own ? probe->self : UINT32_MAX;
        rn_result result = look_into(hash, probe, level);
        if (result != RN_OK) return result;
    }
    return RN_OK;
}

static rn_result ask_for_hits(const cell_hash *hash, hash_probe *probe)
{
    for (uint32_t level = 0; level < hash->level_count; level++) {
        rn_result result = look_into(hash, probe, level);
        if (result != RN_OK) return result;
    }
    return RN_OK;
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

const rni_box_method rni_box_method_multilevel_hash = {
    .info = {RN_BROADPHASE_MULTILEVEL_HASH, "multilevel-hash",
             "one hash table with cells of many sizes; every size is searched",
             "Eitz and Lixu 2007; Pouchol et al. 2009", false},
    .create = create,
    .destroy = rni_hash_destroy,
    .build = rni_hash_build,
    .pair_pieces = rni_hash_pair_pieces,
    .pairs = pairs,
    .query = query,
};
