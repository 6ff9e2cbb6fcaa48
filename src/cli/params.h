/* The table of parameters as JSON, for the viewer. */
#ifndef RNI_CLI_PARAMS_H
#define RNI_CLI_PARAMS_H

#include <stdio.h>

/* One array of objects, as `runnel params --json` prints it. */
void rni_params_write(FILE *file);

#endif
