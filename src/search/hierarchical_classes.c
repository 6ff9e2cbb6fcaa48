#include "search/hierarchical_classes.h"

#include <string.h>

/* The coarsest class in which the two cells differ, or -1. */
static int differ_from(const int32_t a[3], const int32_t b[3])
{
    uint32_t bits = (uint32_t)(a[0] ^ b[0]) | (uint32_t)(a[1] ^ b[1]) | (uint32_t)(a[2] ^ b[2]);
    return bits ? 31 - __builtin_clz(bits) : -1;
}

rn_result rni_hier_open_path(rni_memory *memory, hier_classes *tree, const int32_t cell[3],
                             int class, hier_path *path)
{
    int level = differ_from(cell, path->cell);
    if (level < path->bottom - 1) level = path->bottom - 1;
    if (level > tree->top) level = tree->top;
    memcpy(path->cell, cell, sizeof path->cell);
    for (; level >= class; level--) {
        uint64_t key =
            rni_hier_hash(cell[0] >> level, cell[1] >> level, cell[2] >> level) + HIER_CLASS_STEP;
        path->bottom = level + 1; /* stays valid if the next line fails */
        if (level < tree->top) {
            key += path->key[level + 1];
            ((hier_slot *)tree->table.slots.data)[path->slot[level + 1]].has_children = true;
        }
        path->key[level] = key;
        rn_result result = rni_hier_table_take(memory, &tree->table, key, &path->slot[level]);
        if (result != RN_OK) return result;
        path->bottom = level;
    }
    return RN_OK;
}

/* Along one axis, the cells of one class that contain any of the three finest cells, each once. */
typedef struct hier_axis {
    int count;
    int32_t at[3];
    int parent[3]; /* index of the containing cell in the next coarser class */
} hier_axis;

static void step_axis(const rni_hash_cells *cells, uint32_t dim, int axis, int32_t cell, int top,
                      hier_axis (*classes)[3])
{
    hier_axis *finest = &classes[0][axis];
    int32_t n = cells->wrap[axis];
    int reach = axis < (int)dim ? 1 : 0;
    finest->count = 0;
    for (int step = n == 1 ? 0 : n == 2 ? 0 : -reach; step <= (n == 1 ? 0 : reach); step++) {
        int32_t at = cell + step;
        if (n && at < 0) at += n;
        if (n && at >= n) at -= n;
        finest->at[finest->count++] = at;
    }
    for (int level = 0; level < top; level++) {
        hier_axis *fine = &classes[level][axis], *coarse = &classes[level + 1][axis];
        coarse->count = 0;
        for (int k = 0; k < fine->count; k++) {
            int32_t at = fine->at[k] >> 1;
            int place = 0;
            while (place < coarse->count && coarse->at[place] != at) place++;
            if (place == coarse->count) coarse->at[coarse->count++] = at;
            fine->parent[k] = place;
        }
    }
    for (int k = 0; k < 3; k++) classes[top][axis].parent[k] = 0;
}

static void keep_slot(hier_descent *d, uint32_t slot)
{
    uint64_t bit = (uint64_t)1 << (slot & 63);
    if (d->seen & bit) {
        for (uint32_t k = 0; k < d->count; k++) {
            if (d->slots[k] == slot) return;
        }
    }
    d->seen |= bit;
    d->slots[d->count++] = slot;
}

/* One class of a descent: tests the cells inside the non-empty cells of the coarser class;
 * returns a bit for each cell that is not empty. */
static uint32_t descend_class(const hier_classes *tree, int level, const hier_axis axes[3],
                              const uint64_t above[27], uint32_t above_alive, uint64_t key[27],
                              hier_descent *d)
{
    const hier_slot *slots = tree->table.slots.data;
    uint32_t alive = 0;
    for (int z = 0; z < axes[2].count; z++) {
        uint64_t hash_z = rni_hier_times(axes[2].at[z], RNI_PRIME_Z);
        for (int y = 0; y < axes[1].count; y++) {
            uint64_t hash_yz = rni_hier_times(axes[1].at[y], RNI_PRIME_Y) ^ hash_z;
            int parent_yz = (axes[2].parent[z] * 3 + axes[1].parent[y]) * 3;
            for (int x = 0; x < axes[0].count; x++) {
                int parent = parent_yz + axes[0].parent[x], here = (z * 3 + y) * 3 + x;
                if (!(above_alive >> parent & 1)) continue;
                key[here] = above[parent] + (rni_hier_times(axes[0].at[x], RNI_PRIME_X) ^ hash_yz) +
                            HIER_CLASS_STEP;
                uint32_t slot = rni_hier_table_find(&tree->table, key[here]);
                d->visited_count++;
                if (level == 0) {
                    if (slot != HIER_NO_SLOT && slots[slot].count > 0) keep_slot(d, slot);
                } else if (slot != HIER_NO_SLOT && slots[slot].has_children) {
                    alive |= 1u << here;
                } else {
                    d->early_end_count++;
                }
            }
        }
    }
    return alive;
}

void rni_hier_descend(const rni_hash_cells *cells, uint32_t dim, const hier_classes *tree,
                      const int32_t cell[3], hier_descent *d)
{
    hier_axis classes[HIER_MAX_CLASSES][3];
    uint64_t keys[2][27];
    uint32_t alive = 1;
    d->count = 0;
    d->seen = d->visited_count = d->early_end_count = 0;
    for (int axis = 0; axis < 3; axis++)
        step_axis(cells, dim, axis, cell[axis], tree->top, classes);
    keys[(tree->top + 1) & 1][0] = 0;
    for (int level = tree->top; level >= 0 && alive; level--) {
        alive = descend_class(tree, level, classes[level], keys[(level + 1) & 1], alive,
                              keys[level & 1], d);
    }
}
