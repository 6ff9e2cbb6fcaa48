/* The lab: published experiments, repeated on this machine.
 *
 * Job:    one file per experiment. Each one measures, fills a table, draws its charts and ends with a
 *         sentence that is made of its numbers.
 * Input:  an rni_lab with the options filled in, and a listener for progress and notices.
 * Output: the table, the verdict and the sentence in rni_lab; FOLDER/NAME.csv and NAME.svg.
 * Rules:  methods are looked up by name, so an experiment runs with the methods of this build. All
 *         contenders of a case must find the same number of pairs.
 * Next:   experiments.c (the table of experiments), measure.c, table.c, plot.c, cell_sorting.c.
 */
#ifndef RNI_LAB_LAB_H
#define RNI_LAB_LAB_H

#include "plot/chart.h"

#include <runnel/fluid.h>
#include <runnel/search.h>

#include <stdbool.h>

#define RNI_LAB_MAX_CONTENDERS 24u
#define RNI_LAB_MAX_COLUMNS    16u

/* What a column holds. */
typedef struct rni_lab_column {
    const char *key;  /* in CSV and JSON */
    const char *head; /* above the printed column */
    bool is_text;     /* else a number */
    int digits;       /* of a number: significant ones; 0: whole */
} rni_lab_column;

typedef struct rni_lab_value {
    char text[40];
    double number; /* NaN: not measured; "-" in print, empty in CSV, null in JSON */
} rni_lab_value;

/* Rows under columns. Zero it; rni_lab_table_release frees. */
typedef struct rni_lab_table {
    const rni_lab_column *columns; /* borrowed */
    uint32_t column_count;
    rni_lab_value *values; /* row by row */
    uint32_t row_count, row_capacity;
    uint32_t filled; /* values of the last row */
} rni_lab_table;

typedef struct rni_lab_experiment rni_lab_experiment;

/* Who hears how far an experiment is. Any function may be NULL. */
typedef struct rni_lab_listener {
    void *user;
    void (*begin)(void *user, uint32_t step_count);
    void (*step)(void *user, const char *what); /* what starts now */
    void (*note)(void *user, const char *sentence);
} rni_lab_listener;

typedef struct rni_lab {
    rni_lab_listener listener;
    const rni_lab_experiment *experiment;
    const char *folder; /* exists */
    bool is_quick;
    bool is_threads_given; /* else one thread for experiments from papers, all processors for ours */
    uint32_t threads;      /* 0: one for each processor */
    double minutes; /* wall-clock time of experiments of a given duration; 0: their own default */
    rn_fluid_preset preset; /* of the experiments with water; `presets` runs all of them */
    rn_fluid_solver solver; /* of viscosity, in the experiments with water */
    bool lacks_delaunay;    /* the peer is missing, and the listener knows */
    rni_lab_table table;
    char verdict[24];    /* "holds", "holds in part", "does not hold", "cannot be judged" */
    char sentence[1024]; /* the result in words */
} rni_lab;

struct rni_lab_experiment {
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* paper and figure, or "Runnel" */
    const char *claim;   /* the published claim, as a clause */
    /* Fills the table, draws charts, sets the verdict. A failure has its sentence in
     * rn_last_error(). */
    rn_result (*run)(rni_lab *lab);
};

extern const rni_lab_experiment rni_lab_bvh_or_grid;
extern const rni_lab_experiment rni_lab_cell_sorting;
extern const rni_lab_experiment rni_lab_h_mask;
extern const rni_lab_experiment rni_lab_hierarchical_2d;
extern const rni_lab_experiment rni_lab_hierarchical_3d;
extern const rni_lab_experiment rni_lab_hierarchical_neighbors;
extern const rni_lab_experiment rni_lab_kdtree_table1;
extern const rni_lab_experiment rni_lab_kdtree_table2;
extern const rni_lab_experiment rni_lab_kdtree_table3;
extern const rni_lab_experiment rni_lab_scaling;
extern const rni_lab_experiment rni_lab_which_method;
extern const rni_lab_experiment rni_lab_hydrostatic;
extern const rni_lab_experiment rni_lab_poiseuille;
extern const rni_lab_experiment rni_lab_pipe_flow;
extern const rni_lab_experiment rni_lab_wall_laws;
extern const rni_lab_experiment rni_lab_dam_break;
extern const rni_lab_experiment rni_lab_standing_wave;
extern const rni_lab_experiment rni_lab_lean;
extern const rni_lab_experiment rni_lab_stretching_drop;
extern const rni_lab_experiment rni_lab_taylor_green;
extern const rni_lab_experiment rni_lab_rest;
extern const rni_lab_experiment rni_lab_couette;
extern const rni_lab_experiment rni_lab_paste_disc;
extern const rni_lab_experiment rni_lab_spreading;
extern const rni_lab_experiment rni_lab_channel_flow;
extern const rni_lab_experiment rni_lab_jet;
extern const rni_lab_experiment rni_lab_rayleigh_taylor;
extern const rni_lab_experiment rni_lab_lock_exchange;
extern const rni_lab_experiment rni_lab_oil_and_water;
extern const rni_lab_experiment rni_lab_impact;
extern const rni_lab_experiment rni_lab_presets;
extern const rni_lab_experiment rni_lab_drop;
extern const rni_lab_experiment rni_lab_drop_oscillation;
extern const rni_lab_experiment rni_lab_laplace;
extern const rni_lab_experiment rni_lab_contact_angle;
extern const rni_lab_experiment rni_lab_capillary_wave;
extern const rni_lab_experiment rni_lab_interface_tension;
extern const rni_lab_experiment rni_lab_kernels;
extern const rni_lab_experiment rni_lab_time_steps;
extern const rni_lab_experiment rni_lab_soak;

/* --- table.c --- */

/* Begins a row; then its values follow, one for each column. */
rn_result rni_lab_table_row(rni_lab_table *table);
void rni_lab_table_text(rni_lab_table *table, const char *text);
void rni_lab_table_number(rni_lab_table *table, double number);
const rni_lab_value *rni_lab_table_value(const rni_lab_table *table, uint32_t row, uint32_t column);
/* The number in a row and column. */
double rni_lab_table_at(const rni_lab_table *table, uint32_t row, uint32_t column);
rn_result rni_lab_table_write_csv(const rni_lab_table *table, const char *path);
void rni_lab_table_release(rni_lab_table *table);

/* --- measure.c --- */

/* A method with its options in a case. */
typedef struct rni_lab_contender {
    char name[40];     /* as tables and charts show it: "cell-sort, H = 2" */
    rn_search_def def; /* dim, radius, method and options */
    bool is_missing;   /* no such method in this build */
    bool is_out;       /* too slow, or refused the points */
    double ms;         /* the fastest update, NaN when not measured */
    rn_search_stats stats;
} rni_lab_contender;

/* A list of contenders for a case. */
typedef struct rni_lab_field {
    const rni_lab *lab; /* hears about contenders that are left out */
    rni_lab_contender of[RNI_LAB_MAX_CONTENDERS];
    uint32_t count;
} rni_lab_field;

/* How long to measure. */
typedef struct rni_lab_effort {
    uint32_t rounds;     /* of each contender, alternating, on a new search each time */
    double seconds;      /* minimum time per contender, all rounds together */
    double seconds_most; /* maximum time per contender, apart from the first update */
    double hopeless;     /* one round only when this many times slower than the fastest; 0: never */
} rni_lab_effort;

/* A def with the threads and the form that the lab's options ask for: as published and on one
 * thread, unless --threads was given. */
rn_search_def rni_lab_paper_def(const rni_lab *lab);
/* The library's best form, on all processors or as --threads says. */
rn_search_def rni_lab_own_def(const rni_lab *lab);
/* Adds a method by name under a title (NULL: its name); one that is not in this build is
 * reported to the listener and marked as missing. */
rni_lab_contender *rni_lab_add(rni_lab_field *field, const rn_search_def *def, const char *method,
                               const char *title);
/* Adds all methods of the table but "auto", which is one of the others. */
void rni_lab_add_all(rni_lab_field *field, const rn_search_def *def);
/* NULL when there is none of that name that could be measured. */
const rni_lab_contender *rni_lab_find(const rni_lab_field *field, const char *name);

/* Times all contenders that are neither missing nor out on count points; a contender that refuses
 * them is reported to the listener and is out. Contenders that disagree on the number of pairs are a failure. */
rn_result rni_lab_measure(rni_lab_field *field, const rni_lab_effort *effort, const float *position,
                          uint32_t count);
/* Mean number of neighbours per point; NaN when none was measured. */
double rni_lab_neighbors(const rni_lab_field *field);
/* Uniform in [0, side) on all axes; the same points on every run. */
void rni_lab_fill_uniform(float *position, uint32_t dim, uint32_t count, double side, uint64_t seed);

/* --- plot.c --- */

/* Draws DIR/NAME.svg, or DIR/NAME-PART.svg when part is not NULL, as lines. */
rn_result rni_lab_plot(const rni_lab *lab, const char *part, const rni_chart *chart);
/* One line per column of the table over another column; rows without a number leave a gap. */
typedef struct rni_lab_curves {
    uint32_t x;               /* column */
    const uint32_t *y;        /* columns */
    const char *const *names; /* of the curves */
    uint32_t count;
} rni_lab_curves;
rn_result rni_lab_plot_columns(const rni_lab *lab, const char *part, rni_chart chart,
                               const rni_lab_curves *curves);
/* One line for each text in the column group, over column x, in the order of the rows. */
rn_result rni_lab_plot_groups(const rni_lab *lab, const char *part, rni_chart chart, uint32_t group,
                              uint32_t x, uint32_t y);
/* Path of a file of this experiment: DIR/NAME.svg, DIR/NAME-part.svg. */
void rni_lab_path(const rni_lab *lab, const char *part, const char *extension, char path[4096]);

/* --- experiments.c --- */

/* The table of experiments; NULL past the end. */
const rni_lab_experiment *rni_lab_experiment_at(uint32_t place);
/* Runs one experiment and writes its files. The caller releases lab->table. */
rn_result rni_lab_run(rni_lab *lab, const rni_lab_experiment *experiment);

/* For experiments: progress and notices, to the listener. */
void rni_lab_begin(const rni_lab *lab, uint32_t step_count);
/* The same, with the columns of the table, which are borrowed. */
void rni_lab_begin_table(rni_lab *lab, const rni_lab_column *columns, uint32_t column_count,
                         uint32_t step_count);
void rni_lab_step(const rni_lab *lab, const char *what);
/* A step, in printf form; at most 63 characters. */
__attribute__((format(printf, 2, 3))) void rni_lab_begin_case(const rni_lab *lab,
                                                              const char *format, ...);
__attribute__((format(printf, 2, 3))) void rni_lab_note(const rni_lab *lab, const char *format, ...);
/* "holds", "holds in part" or "does not hold". */
const char *rni_lab_verdict(bool holds, bool holds_in_part);
/* The conclusion: verdict, and the sentence in printf form. */
__attribute__((format(printf, 3, 4))) void rni_lab_conclude(rni_lab *lab, const char *verdict,
                                                            const char *format, ...);

#endif
