/* Objects sorted into bands of rows: a counting sort that keeps their order. */
#include "xray/xray.h"

#include <string.h>

/* The bands that rows touch, within the picture; false: none. */
static bool bands_of(const rn_xray *x, rni_xray_rows rows, uint32_t *first, uint32_t *last)
{
    if (rows.low > rows.high || rows.high < 0 || rows.low >= (int32_t)x->view.height) return false;
    *first = rows.low < 0 ? 0 : (uint32_t)rows.low / RNI_XRAY_BAND;
    *last = (uint32_t)rows.high / RNI_XRAY_BAND;
    if (*last >= x->band_count) *last = x->band_count - 1;
    return true;
}

rn_result rni_xray_fill_bands(rn_xray *x, const rni_xray_rows *rows, uint32_t count)
{
    rn_result result =
        rni_buffer_need(&x->memory, &x->band_start, (uint64_t)x->band_count + 2, sizeof(uint64_t));
    if (result != RN_OK) return result;
    uint64_t *start = x->band_start.data;
    memset(start, 0, ((size_t)x->band_count + 2) * sizeof *start);
    uint32_t first, last;
    for (uint32_t i = 0; i < count; i++)
        if (bands_of(x, rows[i], &first, &last))
            for (uint32_t b = first; b <= last; b++) start[b + 2]++;
    for (uint32_t b = 0; b < x->band_count; b++) start[b + 2] += start[b + 1];
    result = rni_buffer_need(&x->memory, &x->band, start[x->band_count + 1] + 1, sizeof(uint32_t));
    if (result != RN_OK) return result;
    uint32_t *band = x->band.data;
    for (uint32_t i = 0; i < count; i++)
        if (bands_of(x, rows[i], &first, &last))
            for (uint32_t b = first; b <= last; b++) band[start[b + 1]++] = i;
    return RN_OK;
}
