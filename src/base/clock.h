/* Time, for reports and for choices. */
#ifndef RNI_BASE_CLOCK_H
#define RNI_BASE_CLOCK_H

/* Seconds since some fixed moment; never goes backwards. */
double rni_seconds(void);

/* Seconds that the calling thread has worked; what others do on the machine does not count. A call
 * takes ten times as long as one of rni_seconds(). */
double rni_thread_seconds(void);
/* The same for all threads of the process together. */
double rni_process_seconds(void);

#endif
