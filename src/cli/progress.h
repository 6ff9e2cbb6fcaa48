/* Progress of a long command on stderr: a bar on a terminal, plain lines elsewhere. */
#ifndef RNI_CLI_PROGRESS_H
#define RNI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rni_progress {
    uint32_t step, step_count;
    bool is_terminal;
} rni_progress;

rni_progress rni_progress_begin(uint32_t step_count);
/* Shows what starts now. */
void rni_progress_step(rni_progress *progress, const char *what);
/* Clears the bar. */
void rni_progress_end(rni_progress *progress);

/* --- work of known length: a bar with the remaining time --- */

/* Output of a meter, in the order of rni_choice_progress(). */
typedef enum rni_meter_kind {
    RNI_METER_AUTO = 0, /* a bar on a terminal, occasional lines elsewhere */
    RNI_METER_JSON = 1, /* one JSON object per line, about once a second */
    RNI_METER_NONE = 2
} rni_meter_kind;
const char *rni_choice_progress(uint32_t place);

typedef struct rni_meter {
    rni_meter_kind kind;
    bool is_terminal;
    double began, said;      /* rni_seconds() */
    double share_said;       /* of the whole work, at the last output */
    double mark, share_mark; /* where the speed is measured from */
    double rate;             /* recent share per second; 0: not known yet */
} rni_meter;

/* The state of the work. */
typedef struct rni_meter_place {
    double share; /* done, 0 to 1 */
    double time;  /* s of the simulation */
    uint64_t step;
    uint32_t particles;
    double wall_s;
} rni_meter_place;

/* Work before that, of which a line is shown when it takes more than two seconds: rn_fluid_def.progress. */
typedef struct rni_preparing {
    rni_meter_kind kind;
    bool is_terminal, is_shown;
    double began, said; /* rni_seconds() */
} rni_preparing;
rni_preparing rni_preparing_begin(rni_meter_kind kind);
bool rni_preparing_move(void *preparing, const char *what, double part);
/* Clears the line. */
void rni_preparing_end(rni_preparing *preparing);

rni_meter rni_meter_begin(rni_meter_kind kind, double share);
/* Cheap: prints only when an update is due. */
void rni_meter_move(rni_meter *meter, const rni_meter_place *place);
/* Prints the final state (JSON), clears the bar. */
void rni_meter_end(rni_meter *meter, const rni_meter_place *place);

/* "2 h 05 min", "3 min 20 s", "12 s", "1.2 s", "45 ms". */
const char *rni_duration(double seconds, char text[32]);

#endif
