/* Files that a command is about to write, looked at before anything is computed. */
#ifndef RNI_CLI_OUTPUTS_H
#define RNI_CLI_OUTPUTS_H

#include "cli/command.h"

typedef struct rni_output {
    const char *option; /* "--pairs" */
    const char *path;   /* - is standard output */
} rni_output;

/* Misuse when an output is the same file as input (- is standard input; NULL: there is none) or as another
 * output, by whatever names; the files need not be there. Devices never collide. Also when it would replace
 * what a run has left, other than a picture, or a checkpoint. */
int rni_outputs_check(const rni_command *command, const char *input, const rni_output *outputs,
                      uint32_t count);

/* --plot, if it is given: an .svg that passes the above and can be written. Before a bench runs: minutes of
 * rows that end in a refused file are no fun. */
int rni_outputs_check_plot(const rni_arguments *arguments);

/* Makes the folder given as --out and those above it; when it cannot, says so and returns the exit
 * code. */
int rni_outputs_make_folder(const rni_command *command, const char *path);

#endif
