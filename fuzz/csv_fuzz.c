/* Arbitrary bytes as a CSV table: every cell as a number. */
#include "files/csv.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rni_csv csv;
    rn_result result;
    double value;
    if (size == 0) return 0;
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
    if (!file || rni_csv_begin(file, "a.csv", &csv) != RN_OK) return 0;
    while (rni_csv_next(&csv, &result)) {
        if (result != RN_OK || csv.end > size + 1) abort();
        for (uint32_t k = 0; k < csv.column_count; k++) (void)rni_csv_number(&csv, k, &value);
    }
    rni_csv_close(&csv);
    return 0;
}
