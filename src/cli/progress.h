/* How far a long command has come, on stderr: a bar that moves on a terminal, plain lines
 * elsewhere. */
#ifndef RNI_CLI_PROGRESS_H
#define RNI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rni_progress {
    uint32_t step, step_count;
    bool is_terminal;
} rni_progress;

rni_progress rni_progress_begin(uint32_t step_count);
/* Says what starts now. */
void rni_progress_step(rni_progress *progress, const char *what);
/* Clears the bar. */
void rni_progress_end(rni_progress *progress);

#endif
