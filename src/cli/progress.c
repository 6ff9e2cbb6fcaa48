#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#define BAR_LENGTH 24u

rni_progress rni_progress_begin(uint32_t step_count)
{
    return (rni_progress){0, step_count, isatty(STDERR_FILENO) != 0};
}

void rni_progress_step(rni_progress *progress, const char *what)
{
    if (progress->is_terminal) {
        uint32_t length =
            progress->step_count ? BAR_LENGTH * progress->step / progress->step_count : 0;
        fprintf(stderr, "\r\033[K[%.*s%.*s] %s", (int)length, "########################",
                (int)(BAR_LENGTH - length), "........................", what);
        fflush(stderr);
    } else {
        fprintf(stderr, "[%u/%u] %s\n", progress->step + 1, progress->step_count, what);
    }
    if (progress->step < progress->step_count) progress->step++;
}

void rni_progress_end(rni_progress *progress)
{
    if (progress->is_terminal) fputs("\r\033[K", stderr);
}
