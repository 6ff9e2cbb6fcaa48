/* Files that a command is about to write, looked at before anything is computed. */
#ifndef RNI_CLI_OUTPUTS_H
#define RNI_CLI_OUTPUTS_H

#include "cli/command.h"

typedef struct rni_output {
    const char *option; /* "--pairs" */
    const char *path;   /* - is standard output */
} rni_output;

/* Misuse when an output is the same file as input (- is standard input) or as another output, by
 * whatever names; the files need not be there. Devices never collide. */
int rni_outputs_check(const rni_command *command, const char *input, const rni_output *outputs,
                      uint32_t count);

#endif
