#include "session/schedule.h"

#include <math.h>

/* Times are sums of float steps: a time this close has come. */
#define TIME_SLACK 1e-6

bool rni_is_due(double time, double due)
{
    return time >= due * (1 - TIME_SLACK);
}

uint64_t rni_next_due(double time, double every)
{
    double least = floor(time / (every * (1 - TIME_SLACK))) - 1;
    uint64_t next = (uint64_t)fmin(fmax(least, 1), 1e18);
    /* The quotient is rounded: one more or less. */
    for (int k = 0; k < 3 && rni_is_due(time, (double)next * every); k++) next++;
    return next;
}
