/* The table of parameters, row by row, as `runnel params`, the docs and the viewer show it. */
#ifndef RNI_SCENE_PARAMETER_ROWS_H
#define RNI_SCENE_PARAMETER_ROWS_H

#include "scene/parameters.h"

typedef struct rni_parameter_row {
    const rni_parameter *parameter;
    const rni_parameter_list *list; /* NULL: of the scene itself */
    char path[64];                  /* "pipes.N.speed" */
    char standard[64];              /* the default; "" when there is none */
    rni_needs needs;
} rni_parameter_row;

rni_parameter_row rni_parameter_row_make(const rni_parameter *parameter,
                                         const rni_parameter_list *list);
/* One JSON object. */
void rni_parameter_row_write(FILE *file, const rni_parameter_row *row);
/* All rows, as one JSON array. */
void rni_parameter_rows_write(FILE *file);

#endif
