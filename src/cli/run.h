/* `runnel run`: a scene in, frames, checkpoints and a report out.
 *
 * Order:  run.c (options, the loop) -> run_folder.c (whose folder is it, the lock) -> run_start.c (a
 *         new run, or one that goes on) -> run_save.c (frames, checkpoints) -> run_watch.c
 *         (the page, for those who look) -> run_report.c.
 * Rules:  everything that decides about the water or about which frames there are is in the
 *         checkpoint, so that a run that was killed and goes on ends with the same bits and the same
 *         files as one that was not. Wall clock never decides about either.
 */
#ifndef RNI_CLI_RUN_H
#define RNI_CLI_RUN_H

#include "cli/command.h"

#include "output/series.h"
#include "scene/scene.h"
#include "session/schedule.h"

typedef struct rni_run {
    const rni_arguments *arguments;
    const rni_command *command;
    char folder[RNI_PATH_BYTES - 96];
    int lock; /* file that is locked; -1: none */

    const char *scene_name;          /* as the user said it; in messages and the report */
    char left_scene[RNI_PATH_BYTES]; /* FOLDER/scene.json, when that is the scene */
    rni_scene *scene;
    char *scene_text; /* canonical JSON: what makes two runs the same */
    rni_scene_how how;
    rn_fluid *fluid;
    rni_scene_built built;
    uint32_t event_next;

    rni_checkpoint start; /* when SCENE is one: where a new run begins; else zero */
    rni_run_state state;
    rni_series series;
    bool lacks_frame; /* the frame of this step could not be written */
    bool is_resumed;
    uint64_t resumed_step;

    double end_time;   /* s */
    uint64_t end_step; /* 0: the time decides */
    double wall_begin; /* rni_seconds() less what earlier parts took */
    double wall_limit; /* rni_seconds() at which it ends; 0: never */
    double checkpoint_wall;
    uint64_t checkpoint_step; /* of the last checkpoint on disk; UINT64_MAX: none */

    unsigned char *bytes; /* for the state of the fluid */
    uint64_t byte_room;

    struct rni_session *watch; /* what the viewer's page is shown; NULL without --watch */

    const char *ended_by; /* "SIGINT", "SIGTERM", "--wall": NULL when it came to its end or failed */
    char error[1024];     /* what went wrong; empty: nothing */
} rni_run;

/* --- run.c --- */

/* Whether the time or the steps that were asked for are done. */
bool rni_run_is_at_end(const rni_run *run);

/* --- run_folder.c --- */

/* Makes and locks the folder; says so and returns the exit code when that cannot be. */
int rni_run_folder_open(rni_run *run);
/* Whether a new run may take the folder: refuses to take the place of what somebody may still want. */
int rni_run_folder_check(const rni_run *run);
/* Removes what an earlier run has left there. */
void rni_run_folder_clear(const rni_run *run);
/* Removes the report, which a run that goes on makes untrue. */
void rni_run_folder_unfinish(const rni_run *run);
void rni_run_folder_close(rni_run *run);
/* FOLDER/NAME; name is short. */
void rni_run_path(const rni_run *run, const char *name, char path[RNI_PATH_BYTES]);

/* --- run_start.c --- */

/* Takes the options and loads the scene, if one is named; nothing of the folder is touched. */
int rni_run_read(rni_run *run);
/* Opens the folder and makes the fluid, new or from a checkpoint. */
int rni_run_start(rni_run *run);

/* --- run_save.c --- */

/* A frame of the fluid as it is. */
rn_result rni_run_save_frame(rni_run *run);
/* Whether a step has made densities and pressures, which a checkpoint does not have. */
bool rni_run_has_densities(const rni_run *run);
/* A checkpoint of the fluid as it is, unless there is one of this step. */
rn_result rni_run_save_checkpoint(rni_run *run);
/* Takes a step's report into the sums of the state. */
void rni_run_count(rni_run *run, const rn_fluid_report *report);
/* Picture of the end, as picture.png. */
rn_result rni_run_save_picture(rni_run *run);

/* --- run_watch.c --- */

/* Whether the options fit together; before anything is touched. */
int rni_run_watch_check(const rni_run *run);
/* --watch: starts the viewer's server, before the folder is touched: a port that is taken costs nothing.
 * None of these does anything without --watch. */
int rni_run_watch_open(rni_run *run);
/* There is water now. */
void rni_run_watch_begin(rni_run *run);
/* After a step. */
void rni_run_watch_step(rni_run *run, const rn_fluid_report *report);
void rni_run_watch_end(rni_run *run);

/* --- run_report.c --- */

/* A notice on stderr; with --progress json as {"message": ...}, so that every line is an object. */
__attribute__((format(printf, 2, 3))) void rni_run_say(const rni_run *run, const char *format, ...);

/* report.json. */
rn_result rni_run_report_write(rni_run *run, bool is_finished);
/* What a person reads, to stdout. */
void rni_run_report_print(rni_run *run, bool is_finished);

#endif
