/* Signals that end a long command in an orderly way. */
#ifndef RNI_CLI_SIGNALS_H
#define RNI_CLI_SIGNALS_H

/* From now on the first SIGINT, SIGTERM or SIGHUP is only recorded, and a second one has its usual
 * effect. A file that may not grow becomes an error of the write, like a full disk. */
void rni_signals_watch(void);
/* The signal that came; 0: none. */
int rni_signals_caught(void);
/* "SIGINT", ... */
const char *rni_signals_name(int number);

#endif
