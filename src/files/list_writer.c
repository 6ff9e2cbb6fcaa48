/* Writes neighbour lists to disk, streamed list by list: the only memory used is a buffer. */
#include "base/error.h"
#include "files/npy_write.h"
#include "files/out_file.h"
#include "files/point_file.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists without a single entry may have a NULL index array. */
static rn_list list_of(const rn_neighbors *n, uint32_t i)
{
    rn_list list = n->index ? rn_neighbors_get_list(n, i) : (rn_list){NULL, 0};
    if (!list.index) list.count = 0;
    return list;
}

static uint64_t count_entries(const rn_neighbors *n)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < n->count; i++) count += list_of(n, i).count;
    return count;
}

/* Checks shared by both writers: the extension names a format, and there are lists, not only
 * counts. */
static rn_result check(const char *path, const rn_neighbors *n, rni_out_kind *kind)
{
    *kind = rni_out_kind_of(path);
    if (*kind != RNI_OUT_CSV && *kind != RNI_OUT_NPY) {
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "%s: the extension names no known format; neighbours are written as .csv or .npy", path);
    }
    if (n->counts && !n->index) {
        return rni_fail(
            RN_ERROR_ARGUMENT,
            "%s: the search kept counts, not lists; RN_LISTS_FULL or RN_LISTS_HALF keeps lists",
            path);
    }
    return RN_OK;
}

rn_result rni_pairs_write(const char *path, const rn_neighbors *n)
{
    rni_out_kind kind;
    rni_out_file out;
    rn_result result = check(path, n, &kind);
    if (result == RN_OK) result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    if (kind == RNI_OUT_NPY) {
        rni_npy_header_write(&out, "u4", count_entries(n), 2);
    } else {
        rni_out_file_text(&out, "i,j\n");
    }
    for (uint32_t i = 0; i < n->count && !out.error; i++) {
        rn_list list = list_of(n, i);
        for (uint32_t k = 0; k < list.count; k++) {
            if (kind == RNI_OUT_NPY) {
                const uint32_t pair[2] = {i, list.index[k]};
                rni_out_file_put(&out, pair, sizeof pair);
            } else {
                rni_out_file_integer(&out, i);
                rni_out_file_text(&out, ",");
                rni_out_file_integer(&out, list.index[k]);
                rni_out_file_text(&out, "\n");
            }
        }
    }
    return rni_out_file_close(&out);
}

/* distance_sq is laid out like n->index; NULL: no distance column. */
static rn_result write_lists_csv(const char *path, const rn_neighbors *n, const float *distance_sq)
{
    rni_out_file out;
    rn_result result = rni_out_file_open(path, &out);
    if (result != RN_OK) return result;
    rni_out_file_text(&out, distance_sq ? "point,count,neighbors,distances\n"
                                        : "point,count,neighbors\n");
    for (uint32_t i = 0; i < n->count && !out.error; i++) {
        rn_list list = list_of(n, i);
        rni_out_file_integer(&out, i);
        rni_out_file_text(&out, ",");
        rni_out_file_integer(&out, list.count);
        rni_out_file_text(&out, ",");
        for (uint32_t k = 0; k < list.count; k++) {
            if (k) rni_out_file_text(&out, " ");
            rni_out_file_integer(&out, list.index[k]);
        }
        if (distance_sq) rni_out_file_text(&out, ",");
        for (uint32_t k = 0; distance_sq && k < list.count; k++) {
            float distance = sqrtf(distance_sq[list.index + k - n->index]);
            rni_out_file_print(&out, "%s%.9g", k ? " " : "", (double)distance);
        }
        rni_out_file_text(&out, "\n");
    }
    return rni_out_file_close(&out);
}

char *rni_lists_start_path(const char *path)
{
    size_t stem = (size_t)(strrchr(path, '.') - path), bytes = strlen(path) + sizeof "_start";
    char *start_path = malloc(bytes);
    if (!start_path) return NULL;
    memcpy(start_path, path, stem);
    memcpy(start_path + stem, "_start", 6);
    strcpy(start_path + stem + 6, path + stem);
    return start_path;
}

/* Both files are complete before either is renamed into place. */
static rn_result write_lists_npy(const char *path, const char *start_path, const rn_neighbors *n)
{
    rni_out_file index, start;
    rn_result result = rni_out_file_open(path, &index);
    if (result != RN_OK) return result;
    result = rni_out_file_open(start_path, &start);
    if (result != RN_OK) {
        rni_out_file_abandon(&index);
        return result;
    }
    uint64_t begin = 0;
    rni_npy_header_write(&index, "u4", count_entries(n), 0);
    rni_npy_header_write(&start, "u8", (uint64_t)n->count + 1, 0);
    rni_out_file_put(&start, &begin, sizeof begin);
    for (uint32_t i = 0; i < n->count && !index.error && !start.error; i++) {
        rn_list list = list_of(n, i);
        begin += list.count;
        rni_out_file_put(&index, list.index, list.count * sizeof *list.index);
        rni_out_file_put(&start, &begin, sizeof begin);
    }
    result = rni_out_file_finish(&index);
    if (result == RN_OK) result = rni_out_file_finish(&start);
    if (result == RN_OK) result = rni_out_file_publish(&index);
    if (result == RN_OK) result = rni_out_file_publish(&start);
    rni_out_file_abandon(&index);
    rni_out_file_abandon(&start);
    return result;
}

static rn_result write_lists(const char *path, const rn_neighbors *n, const float *distance_sq)
{
    rni_out_kind kind;
    rn_result result = check(path, n, &kind);
    if (result != RN_OK) return result;
    if (kind == RNI_OUT_CSV) return write_lists_csv(path, n, distance_sq);
    char *start_path = rni_lists_start_path(path);
    if (!start_path) return rni_fail(RN_ERROR_MEMORY, "%s: no memory for a name", path);
    result = write_lists_npy(path, start_path, n);
    free(start_path);
    return result;
}

rn_result rni_lists_write(const char *path, const rn_neighbors *n)
{
    return write_lists(path, n, NULL);
}

rn_result rni_nearest_write(const char *path, const rn_nearest *nearest)
{
    rn_result result = RN_OK;
    rn_span *span = malloc((size_t)nearest->count * sizeof *span + 1);
    /* The C locale gives distances a decimal point in any user locale. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!span || c_locale == (locale_t)0) {
        result = rni_fail(RN_ERROR_MEMORY, "%s: no memory for %u rows", path, nearest->count);
        goto done;
    }
    rn_neighbors n = {.count = nearest->count, .index = nearest->index, .span = span};
    for (uint32_t i = 0; i < nearest->count; i++) {
        uint64_t begin = (uint64_t)i * nearest->k;
        span[i] = (rn_span){begin, begin + nearest->counts[i]};
        n.entry_count += nearest->counts[i];
    }
    locale_t users = uselocale(c_locale);
    static const float none =
        0.0f; /* without rows there is no array; the column exists nevertheless */
    result = write_lists(path, &n, nearest->distance_sq ? nearest->distance_sq : &none);
    uselocale(users);
done:
    if (c_locale != (locale_t)0) freelocale(c_locale);
    free(span);
    return result;
}
