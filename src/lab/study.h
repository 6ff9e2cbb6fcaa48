/* An experiment with fluids that runs one case after the other: each is stepped and sampled, gives a curve and a row of
 * the table; at the end a sentence is made of all of them. */
#ifndef RNI_LAB_STUDY_H
#define RNI_LAB_STUDY_H

#include "lab/water.h"

/* A case is a struct of the experiment; `one` is one of them. */
typedef struct rni_lab_study {
    const rni_lab_column *columns;
    uint32_t column_count;
    void *cases;
    size_t case_bytes;
    uint32_t case_count;
    void (*name)(const void *one, char name[64]);
    rn_result (*run)(const rni_lab *lab, void *one, rni_lab_trace *trace);
    /* A value for each column. */
    void (*row)(const void *one, rni_lab_table *table);
    void (*conclude)(rni_lab *lab, const void *cases, uint32_t count);
    /* Curves to compare with; may be NULL. */
    rn_result (*compare)(rni_lab_traces *traces);
    rni_chart chart; /* its title and labels */
} rni_lab_study;

/* Those fields of a study, for arrays of the same type. */
#define RNI_LAB_CASES(lab, full, quick)                                                        \
    .cases = (lab)->is_quick ? (void *)(quick) : (void *)(full), .case_bytes = sizeof *(full), \
    .case_count = (uint32_t)((lab)->is_quick ? sizeof(quick) / sizeof *(quick)                 \
                                             : sizeof(full) / sizeof *(full))

rn_result rni_lab_study_run(rni_lab *lab, const rni_lab_study *study);

/* Numbers of a row, after its texts. */
void rni_lab_table_numbers(rni_lab_table *table, const double *numbers, uint32_t count);

/* Steps a fluid to a time (s), with a sample at the first step and then every so often. */
typedef struct rni_lab_sampling {
    double end, every; /* s */
    rn_result (*sample)(void *user, const rn_fluid *fluid, double time);
    void *user;
} rni_lab_sampling;
rn_result rni_lab_sample(rn_fluid *fluid, const rni_lab_sampling *sampling);

/* Mean of what is added. */
typedef struct rni_lab_mean {
    double sum, count;
} rni_lab_mean;
/* NaN: of nothing. */
double rni_lab_mean_of(const rni_lab_mean *mean);

/* Results in a sentence, with commas between them. Zero it. */
typedef struct rni_lab_words {
    char text[512];
    uint32_t used;
} rni_lab_words;
__attribute__((format(printf, 2, 3))) void rni_lab_words_add(rni_lab_words *words,
                                                             const char *format, ...);

#endif
