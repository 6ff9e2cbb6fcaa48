/* Clocks, for reports and for timing decisions. */
#ifndef RNI_BASE_CLOCK_H
#define RNI_BASE_CLOCK_H

/* Seconds since a fixed moment; monotonic. */
double rni_seconds(void);

/* CPU seconds of the calling thread, independent of the load of the machine. A call takes ten times
 * as long as rni_seconds(). */
double rni_thread_seconds(void);
/* CPU seconds of all threads of the process together. */
double rni_process_seconds(void);

#endif
