#include "base/clock.h"

#include <time.h>

double rni_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double rni_thread_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return rni_seconds();
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
