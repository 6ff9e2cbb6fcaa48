#include "search/hash_cells.h"

#include "base/error.h"

rni_hash_cells rni_hash_cells_choose(const rni_space *space, const double width[3])
{
    rni_hash_cells cells = {.wrap = {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++) {
        cells.scale[axis] = 1.0 / width[axis];
        if (!space->periodic[axis]) continue;
        double n = floor((double)space->period[axis] / width[axis]);
        n = n < 1.0 ? 1.0 : n > RNI_MAX_CELL ? RNI_MAX_CELL : n;
        cells.low[axis] = (double)space->low[axis];
        cells.scale[axis] = n / (double)space->period[axis];
        cells.wrap[axis] = (int32_t)n;
    }
    return cells;
}

rn_result rni_hash_cells_check(const rni_hash_cells *cells, uint32_t dim, const rni_cloud *cloud,
                               const char *method)
{
    for (uint32_t axis = 0; axis < dim; axis++) {
        if (cells->wrap[axis] || cloud->count == 0) continue;
        float far = fabsf(cloud->low[axis]) > fabsf(cloud->high[axis]) ? cloud->low[axis]
                                                                       : cloud->high[axis];
        double count = fabs((double)far * cells->scale[axis]) + 1.0;
        if (count <= RNI_MAX_CELL) continue;
        return rni_fail(RN_ERROR_LIMIT,
                        "%s: a point has %c = %g, %.3g cells from the origin; this method "
                        "supports at most %d; method grid has no such limit",
                        method, "xyz"[axis], (double)far, count, RNI_MAX_CELL);
    }
    return RN_OK;
}

uint32_t rni_hash_table_length(const rn_search_def *def, uint64_t count)
{
    if (def->hash_table_length) return def->hash_table_length;
    uint64_t length = 16;
    while (length < 2 * count && length < 0x80000000u) length *= 2;
    return (uint32_t)length;
}

static void position_of(const rni_kept_lists *kept, uint32_t row, float position[3])
{
    const rni_cloud rows = {.position = kept->position, .stride_bytes = kept->stride_bytes};
    rni_cloud_at(&rows, 3, row, position);
}

rn_result rni_kept_row(const rni_kept_lists *kept, const rni_space *space, const rni_find *find,
                       uint32_t row, uint32_t *found, rni_rows *rows)
{
    const uint64_t begin = kept->start[row], end = kept->start[row + 1];
    float here[3], there[3];
    *found = 0;
    position_of(kept, row, here);
    if (find->want != RNI_WANT_COUNTS) {
        rn_result result = rni_rows_reserve(rows, find->want, end - begin);
        if (result != RN_OK) return result;
    }
    for (uint64_t k = begin; k < end; k++) {
        uint32_t j = kept->order[kept->list[k]];
        if (find->leave_out == RNI_LEAVE_SMALLER && j <= kept->order[row]) continue;
        ++*found;
        if (find->want == RNI_WANT_COUNTS) continue;
        if (find->want == RNI_WANT_DISTANCE) {
            position_of(kept, kept->list[k], there);
            ((float *)rows->distance_sq.data)[rows->used] = rni_distance_sq(space, here, there);
        }
        *rni_rows_next(rows) = j;
        rows->used++;
    }
    return RN_OK;
}
