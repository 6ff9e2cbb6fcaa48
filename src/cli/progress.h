/* How far a long command has come, on stderr: a bar that moves on a terminal, plain lines
 * elsewhere. */
#ifndef RNI_CLI_PROGRESS_H
#define RNI_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rni_progress {
    uint32_t step, step_count;
    bool is_terminal;
} rni_progress;

rni_progress rni_progress_begin(uint32_t step_count);
/* Says what starts now. */
void rni_progress_step(rni_progress *progress, const char *what);
/* Clears the bar. */
void rni_progress_end(rni_progress *progress);

/* --- work that has a length: a bar with the time that is left --- */

/* How a meter talks, in the order of rni_choice_progress(). */
typedef enum rni_meter_kind {
    RNI_METER_AUTO = 0, /* a bar on a terminal, now and then a line elsewhere */
    RNI_METER_JSON = 1, /* a JSON object a line, about once a second */
    RNI_METER_NONE = 2
} rni_meter_kind;
const char *rni_choice_progress(uint32_t place);

typedef struct rni_meter {
    rni_meter_kind kind;
    bool is_terminal;
    double began, said;      /* rni_seconds() */
    double share_said;       /* of the whole work, when it was last said */
    double mark, share_mark; /* where the speed is measured from */
    double rate;             /* share a second, lately; 0: not known yet */
} rni_meter;

/* Where the work is. */
typedef struct rni_meter_place {
    double share; /* done, 0 to 1 */
    double time;  /* s of the simulation */
    uint64_t step;
    uint32_t particles;
    double wall_s;
} rni_meter_place;

rni_meter rni_meter_begin(rni_meter_kind kind, double share);
/* Cheap: says something only when it is time to. */
void rni_meter_move(rni_meter *meter, const rni_meter_place *place);
/* Says where it ended (JSON), clears the bar. */
void rni_meter_end(rni_meter *meter, const rni_meter_place *place);

/* "2 h 05 min", "3 min 20 s", "12 s", "1.2 s", "45 ms". */
const char *rni_duration(double seconds, char text[32]);

#endif
