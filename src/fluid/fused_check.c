/* What must hold for the lists of the fused traversal (fused.h), for debug builds and tests. */
#include "fluid/fused.h"

#include <math.h>

static uint32_t index_of(uint32_t entry, bool is_periodic)
{
    return is_periodic ? entry & FUSED_INDEX_MASK : entry / 4;
}

static const char *check_head(const uint32_t *head, uint32_t begin, uint32_t end)
{
    const uint32_t count = head[1] % FUSED_QUAD + 1, second_begin = head[1] & ~3u;
    if (head[0] != begin) return "a list is not that of the next particles";
    if (count > end - begin) return "a list has more particles than its piece";
    if (head[2] % 4 != 0 || head[3] % 4 != 0) return "a count of entries is no multiple of 4";
    if (head[3] > head[2] || second_begin > head[3])
        return "the halves of a list do not overlap in order";
    return NULL;
}

/* Whether particle i is among the entries of its half. */
static bool has_itself(const uint32_t *head, uint32_t i, bool is_periodic)
{
    const bool is_second = i - head[0] >= FUSED_QUAD / 2;
    const bool has_halves = head[3] != head[2] || (head[1] & ~3u) != 0;
    const uint32_t begin = has_halves && is_second ? head[1] & ~3u : 0;
    const uint32_t end = has_halves && !is_second ? head[3] : head[2];
    const uint32_t *entries = head + FUSED_HEAD;
    for (uint32_t k = begin; k < end; k++)
        if (entries[k] == entry_of(i, FUSED_NO_IMAGE, is_periodic)) return true;
    return false;
}

/* A step that goes bad may bring others; it is taken back later. */
static bool is_finite(const float x[3])
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static const char *check_entries(const fused_state *s, const uint32_t *head, bool is_periodic)
{
    const uint32_t *entries = head + FUSED_HEAD, count = s->fluid->now.count;
    uint32_t descents = 0;
    for (uint32_t k = 0; k < head[2]; k++) {
        const uint32_t j = index_of(entries[k], is_periodic);
        if (!is_periodic && entries[k] % 4 != 0) return "an entry is not where a record begins";
        if (is_periodic && entries[k] >> FUSED_IMAGE_SHIFT >= 27) return "an entry has no image";
        if (j > count || (j == count && entries[k] != s->filler)) return "an entry is no particle";
        if (j == count && k + 3 < head[2]) return "more than three entries fill up a list";
        if (k > 0 && entries[k] <= entries[k - 1] && j < count) descents++;
    }
    /* Near the first half, near both, near the second: each ascends. Images have an order of their own. */
    if (!is_periodic && descents > 2) return "the entries of a list do not ascend";
    for (uint32_t i = head[0]; i <= head[0] + head[1] % FUSED_QUAD; i++)
        if (is_finite(s->fluid->now.position[i]) && !has_itself(head, i, is_periodic))
            return "a particle is missing in its own list";
    return NULL;
}

const char *rni_fused_check(const rn_fluid *fluid)
{
    const fused_state *s = fluid->traversal_state;
    const float *period = fluid->laws.period;
    const bool is_periodic = period[0] > 0 || period[1] > 0 || period[2] > 0;
    const uint32_t count = fluid->now.count;
    for (uint32_t piece = 0; piece * FUSED_PIECE < count; piece++) {
        const uint32_t *list = (const uint32_t *)s->lists.numbers.data + s->lists.begin[piece];
        const uint32_t *end = list + s->lists.length[piece];
        uint32_t i = piece * FUSED_PIECE, stop = i + FUSED_PIECE < count ? i + FUSED_PIECE : count;
        for (; list < end; list += FUSED_HEAD + list[2]) {
            const char *wrong = check_head(list, i, stop);
            if (!wrong) wrong = check_entries(s, list, is_periodic);
            if (wrong) return wrong;
            i += list[1] % FUSED_QUAD + 1;
        }
        if (i != stop) return "some particles have no list";
    }
    return NULL;
}
