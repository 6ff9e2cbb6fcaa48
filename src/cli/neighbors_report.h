/* The result of `runnel neighbors`, as text and as JSON. */
#ifndef RNI_CLI_NEIGHBORS_REPORT_H
#define RNI_CLI_NEIGHBORS_REPORT_H

#include "files/point_file.h"

#include <runnel/search.h>

#include <stdio.h>

#define RNI_MAX_BINS 20u

typedef struct rni_bin {
    uint32_t low, high; /* neighbours, both inclusive */
    uint32_t points;
} rni_bin;

typedef struct rni_neighbors_report {
    const char *path; /* as it is shown: "standard input" for - */
    const char *format;
    uint32_t dim;
    uint32_t points;
    rn_scalar scalar;
    double low[3], high[3]; /* bounding box */
    double radius;          /* as the user wrote it */
    const char *method;
    const char *lists; /* "full", "half", "counts" */
    rn_search_stats stats;
    uint64_t pairs; /* each pair once */

    /* Over the points: neighbours, or with half lists those of larger index only. */
    uint32_t fewest, most;
    double mean;
    uint32_t lonely; /* points without neighbours */
    rni_bin bins[RNI_MAX_BINS];
    uint32_t bin_count;

    const char *pairs_path, *lists_path; /* what was written; NULL: not asked for */

    uint32_t nearest;                   /* k as asked for; 0: not */
    uint32_t nearest_k;                 /* no more than there are other points */
    uint32_t nearest_full;              /* points that have nearest_k within the radius */
    double nearest_first, nearest_last; /* mean distances of the first and the last found */
    double read_ms, build_ms, query_ms, nearest_ms, write_ms;
    double cloud_bytes, peak_bytes; /* positions read; the whole process at its largest */
} rni_neighbors_report;

/* Fills in fewest to bin_count from the lists or counts. */
void rni_neighbors_report_count(rni_neighbors_report *report, const rn_neighbors *n);

void rni_neighbors_report_print(FILE *file, const rni_neighbors_report *report);
void rni_neighbors_report_print_json(FILE *file, const rni_neighbors_report *report);

#endif
