/* Wall-clock time for reports. */
#ifndef RNI_BASE_CLOCK_H
#define RNI_BASE_CLOCK_H

/* Seconds since some fixed moment; never goes backwards. */
double rni_seconds(void);

#endif
