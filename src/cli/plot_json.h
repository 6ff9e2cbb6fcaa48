/* Charts of JSON files: the report of a run, and rows that `bench --json` and `lab --json` print. plot.c is the
 * command. */
#ifndef RNI_CLI_PLOT_JSON_H
#define RNI_CLI_PLOT_JSON_H

#include <runnel/base.h>

#include <jansson.h>

struct rni_painter;

typedef struct rni_plot_order {
    const char *input, *path;
    const char *columns;               /* names, separated by commas; NULL: all */
    const char *title;                 /* NULL: of the file */
    const struct rni_painter *painter; /* NULL: SVG */
} rni_plot_order;

/* Whether the file begins like JSON; false as well when it cannot be opened. */
bool rni_plot_is_json(const char *path);
rn_result rni_plot_json(const rni_plot_order *order);

/* CSV whose rows belong to several cases (plot_table.c). */
bool rni_plot_is_table(const char *path);
rn_result rni_plot_table(const rni_plot_order *order);

/* Rows: flat objects of which each has numbers (plot_rows.c). */
rn_result rni_plot_rows(const rni_plot_order *order, json_t *rows);
/* Whether a name is among those of order->columns, or none was asked for. */
bool rni_plot_is_wanted(const rni_plot_order *order, const char *name);

#endif
