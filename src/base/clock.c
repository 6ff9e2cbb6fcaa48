#include "base/clock.h"

#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double rni_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double rni_thread_seconds(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double rni_process_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
