#include "broadphase/pair_set.h"

#include "base/error.h"

void rni_pair_set_clear(rni_pair_set *set)
{
    if (set->slot_bits) memset(set->slots.data, 0, sizeof(uint32_t) << set->slot_bits);
    set->count = 0;
}

void rni_pair_set_free(rni_pair_set *set)
{
    rni_buffer_free(set->memory, &set->pairs);
    rni_buffer_free(set->memory, &set->slots);
    set->slot_bits = 0;
    set->count = 0;
}

static uint32_t home(const rni_pair_set *set, rn_pair pair)
{
    uint64_t key = (uint64_t)pair.a << 32 | pair.b;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - set->slot_bits));
}

/* The slot that holds the pair, or the free slot where it would be inserted. */
static uint32_t slot_of(const rni_pair_set *set, rn_pair pair)
{
    const uint32_t *slots = set->slots.data;
    const rn_pair *pairs = set->pairs.data;
    uint32_t mask = (uint32_t)((UINT64_C(1) << set->slot_bits) - 1), slot = home(set, pair);
    while (slots[slot]) {
        rn_pair here = pairs[slots[slot] - 1];
        if (here.a == pair.a && here.b == pair.b) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static rn_result check_limit(const rni_pair_set *set, uint64_t more_bytes)
{
    uint64_t held = set->memory->held_bytes, limit = set->limit_bytes;
    if (more_bytes <= limit && held <= limit - more_bytes) return RN_OK;
    return rni_fail(
        RN_ERROR_LIMIT,
        "the method keeps its pairs, and more than %u of them take over %llu MB; take a method that "
        "keeps none, such as the default, or raise memory_limit_bytes",
        set->count, (unsigned long long)(limit >> 20));
}

/* Doubles the number of slots. */
static rn_result widen(rni_pair_set *set)
{
    uint32_t bits = set->slot_bits ? set->slot_bits + 1 : 12;
    if (bits > 31) return rni_fail(RN_ERROR_LIMIT, "more than %u pairs to keep", set->count);
    rni_buffer wider = {0};
    rn_result result = check_limit(set, sizeof(uint32_t) << bits);
    if (result != RN_OK) return result;
    result = rni_buffer_need(set->memory, &wider, UINT64_C(1) << bits, sizeof(uint32_t));
    if (result != RN_OK) return result;
    rni_buffer_free(set->memory, &set->slots);
    set->slots = wider;
    set->slot_bits = bits;
    uint32_t *slots = set->slots.data;
    const rn_pair *pairs = set->pairs.data;
    memset(slots, 0, sizeof *slots << bits);
    for (uint32_t k = 0; k < set->count; k++) slots[slot_of(set, pairs[k])] = k + 1;
    return RN_OK;
}

rn_result rni_pair_set_add(rni_pair_set *set, uint32_t i, uint32_t j)
{
    rn_pair pair = i < j ? (rn_pair){i, j} : (rn_pair){j, i};
    if (!set->slot_bits || (uint64_t)set->count * 2 >= UINT64_C(1) << set->slot_bits) {
        rn_result result = widen(set);
        if (result != RN_OK) return result;
    }
    uint32_t slot = slot_of(set, pair);
    uint32_t *slots = set->slots.data;
    if (slots[slot]) return RN_OK;
    if (set->pairs.bytes < ((uint64_t)set->count + 1) * sizeof pair) {
        uint64_t capacity = (uint64_t)set->count * 2 + 1024;
        rn_result result = check_limit(set, capacity * sizeof pair);
        if (result != RN_OK) return result;
        result = rni_buffer_grow(set->memory, &set->pairs, capacity, sizeof pair);
        if (result != RN_OK) return result;
    }
    ((rn_pair *)set->pairs.data)[set->count++] = pair;
    slots[slot] = set->count;
    return RN_OK;
}

void rni_pair_set_remove(rni_pair_set *set, uint32_t i, uint32_t j)
{
    if (!set->slot_bits) return;
    rn_pair pair = i < j ? (rn_pair){i, j} : (rn_pair){j, i};
    uint32_t *slots = set->slots.data;
    rn_pair *pairs = set->pairs.data;
    uint32_t mask = (uint32_t)((UINT64_C(1) << set->slot_bits) - 1);
    uint32_t hole = slot_of(set, pair);
    if (!slots[hole]) return;
    uint32_t place = slots[hole] - 1;
    slots[hole] = 0;
    /* later entries of the probe chain move up to fill the hole */
    for (uint32_t at = (hole + 1) & mask; slots[at]; at = (at + 1) & mask) {
        uint32_t from = home(set, pairs[slots[at] - 1]);
        if (((at - from) & mask) < ((at - hole) & mask)) continue;
        slots[hole] = slots[at];
        slots[at] = 0;
        hole = at;
    }
    set->count--;
    if (place == set->count) return;
    uint32_t last = slot_of(set, pairs[set->count]);
    pairs[place] = pairs[set->count];
    slots[last] = place + 1;
}

const char *rni_validate_pair_set(const rni_pair_set *set)
{
    if (set->slot_bits == 0) return set->count == 0 ? NULL : "pairs without slots";
    const uint32_t *slots = set->slots.data;
    const rn_pair *pairs = set->pairs.data;
    uint64_t used = 0;
    for (uint64_t slot = 0; slot < UINT64_C(1) << set->slot_bits; slot++) {
        if (slots[slot] > set->count) return "a slot holds no pair of the set";
        used += slots[slot] > 0;
    }
    if (used != set->count) return "not as many slots in use as there are pairs";
    for (uint32_t k = 0; k < set->count; k++) {
        if (pairs[k].a >= pairs[k].b) return "a pair is not in ascending order";
        if (slots[slot_of(set, pairs[k])] != k + 1) return "a pair is not found by its slot";
    }
    return NULL;
}
