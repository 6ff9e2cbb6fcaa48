/* Files that a command will write, checked before anything is computed. */
#ifndef RNI_CLI_OUTPUTS_H
#define RNI_CLI_OUTPUTS_H

#include "cli/command.h"

typedef struct rni_output {
    const char *option; /* "--pairs" */
    const char *path;   /* - is standard output */
} rni_output;

/* Misuse when an output is the same file as the input (- is standard input; NULL: none) or as another
 * output, under any name; the files need not exist. Devices never collide. Also when an output would
 * replace a checkpoint or a file of a run other than its picture. */
int rni_outputs_check(const rni_command *command, const char *input, const rni_output *outputs,
                      uint32_t count);

/* --plot, if given: an .svg that passes the check above and can be written. Called before a benchmark,
 * which may take minutes. */
int rni_outputs_check_plot(const rni_arguments *arguments);

/* Makes the folder given as --out and those above it; when it cannot, says so and returns the exit
 * code. */
int rni_outputs_make_folder(const rni_command *command, const char *path);

#endif
