/* When frames and checkpoints are due: at n * every, n = 1, 2, 3 ... seconds of simulated time. */
#ifndef RNI_SESSION_SCHEDULE_H
#define RNI_SESSION_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* The file that a run locks in its folder, and leaves there. */
#define RNI_RUN_LOCK ".runnel-lock"

/* Whether time has reached due, to the rounding of time steps. */
bool rni_is_due(double time, double due);
/* The smallest n from 1 on whose time, n * every, has not come yet. */
uint64_t rni_next_due(double time, double every);

#endif
