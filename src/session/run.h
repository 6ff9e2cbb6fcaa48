/* A batch run: a scene in; frames, checkpoints and a report out.
 *
 * Use:    fill rni_run_options; rni_run_read, rni_run_start, rni_run_advance until it returns false,
 *         rni_run_end, rni_run_close. A function that fails leaves its sentence in run->failure.
 * Order:  run.c (steps, the end) -> run_start.c (a new run, or one that continues) -> run_folder.c (who
 *         owns the folder, the lock) -> run_save.c (frames, checkpoints) -> run_gauges.c (gauges.csv) -> run_film.c (video) -> run_watch.c (the viewer's
 *         page) -> run_report.c.
 * Rules:  everything that decides about the simulation or about which frames exist is in the
 *         checkpoint, so that a run that was killed and resumed ends with the same bits and the same
 *         files as one that was not. The wall clock never decides about either.
 */
#ifndef RNI_SESSION_RUN_H
#define RNI_SESSION_RUN_H

#include "output/series.h"
#include "scene/scene.h"
#include "session/schedule.h"

/* A video of the run while it is simulated: one picture a frame. */
struct rni_run_film_options {
    const struct rni_look *look; /* NULL: none */
    uint32_t width, height;      /* pixels */
    uint32_t samples;            /* 0: as the look has it */
    double scale; /* share of width and height that is drawn and then enlarged, 0.25 to 1 */
};

typedef struct rni_run_options {
    const char *scene;           /* a built-in name, a file or a checkpoint; NULL: none was named */
    const char *const *settings; /* "path=value" */
    uint32_t setting_count;
    const char *folder;
    rni_scene_how how;                       /* how to compute; ... */
    bool has_traversal, has_search, has_cpu; /* ... what of it was asked for */
    bool has_time, has_steps, has_every, has_checkpoint_every, has_format, has_wall;
    double time; /* s, simulated */
    uint32_t steps;
    double every, checkpoint_every; /* s, simulated, between frames and between checkpoints */
    uint64_t formats;               /* bits: 1 << rni_format; counts also without has_format */
    double wall;                    /* s of work */
    bool resumes, is_forced, wants_picture;
    struct rni_run_film_options film;
    const void *user;
    void (*say)(const void *user, const char *sentence); /* hears notices; may be NULL */
} rni_run_options;

typedef struct rni_run {
    const rni_run_options *options;
    char folder[RNI_PATH_BYTES - 96];
    int lock; /* file that is locked; -1: none */

    const char *scene_name;          /* as the user named it; in messages and the report */
    char left_scene[RNI_PATH_BYTES]; /* FOLDER/scene.json, when that is the scene */
    rni_scene *scene;
    char *scene_text; /* canonical JSON: two runs are the same when this is */
    rni_scene_how how;
    rn_fluid *fluid;
    rni_scene_built built;
    uint32_t event_next;

    rni_checkpoint start; /* when the scene is a checkpoint: where a new run begins; else zero */
    rni_run_state state;
    rni_series series;
    FILE *gauge_file; /* gauges.csv; NULL: no gauges */
    bool lacks_frame; /* the frame of this step could not be written */
    bool is_resumed;
    uint64_t resumed_step;
    /* Of the implicit solver, since this process began: */
    uint64_t viscosity_iterations, viscosity_steps;
    double viscosity_residual; /* the largest */

    double end_time;   /* s */
    uint64_t end_step; /* 0: the time decides */
    double wall_begin; /* rni_seconds() minus what earlier parts took */
    double wall_limit; /* rni_seconds() at which it ends; 0: never */
    double checkpoint_wall;
    uint64_t checkpoint_step; /* of the last checkpoint on disk; UINT64_MAX: none */

    unsigned char *bytes; /* buffer for the state of the fluid */
    uint64_t byte_capacity;

    struct rni_run_film *film; /* the video; NULL: none */
    struct rni_session *watch; /* what the viewer's page shows; NULL: the run is not served */

    const char *ended_by; /* "SIGINT", "SIGTERM", "--wall"; NULL: it reached its end, or failed */
    bool is_interrupted;  /* ended_by is a signal */
    char error[1024];     /* why a step or a frame failed; empty: none did */

    bool is_misuse;        /* of the last failure: the options are wrong, not the world */
    rni_problems problems; /* of the scene that could not be loaded */
    char failure[1600];    /* sentence of the last failure; empty: it was said already */
} rni_run;

/* What a run came to, beside what its state has. */
typedef struct rni_run_summary {
    uint32_t particles, escaped;
    uint64_t steps, state_hash;
    double time, wall_s; /* s, simulated and by the wall clock */
    uint32_t threads;
    const char *search; /* method, or "fused" */
} rni_run_summary;

/* --- run.c --- */

/* Before anything else; run is zero. */
void rni_run_init(rni_run *run, const rni_run_options *options);
/* Loads the scene, if one is named; the folder is not touched. */
rn_result rni_run_read(rni_run *run);
/* Opens the folder and builds the fluid, new or from a checkpoint. */
rn_result rni_run_start(rni_run *run);
/* One step, with the frame and the checkpoint that are due then; false: the run is at its end, out of
 * time or failed (run->error). */
bool rni_run_advance(rni_run *run);
/* Whether the time or the steps that were asked for are done. */
bool rni_run_is_at_end(const rni_run *run);
/* How much of the run is done, 0 to 1. */
double rni_run_share(const rni_run *run);
/* The last frame, checkpoint, report and picture, however it ended. signal: "SIGINT", ...; NULL: none. */
rn_result rni_run_end(rni_run *run, const char *signal);
void rni_run_close(rni_run *run);

/* Failures: keep the sentence, and return RN_ERROR_FILE or RN_ERROR_ARGUMENT. */
__attribute__((format(printf, 2, 3))) rn_result rni_run_fail(rni_run *run, const char *format, ...);
__attribute__((format(printf, 2, 3))) rn_result rni_run_misuse(rni_run *run, const char *format, ...);
/* A notice. */
__attribute__((format(printf, 2, 3))) void rni_run_say(const rni_run *run, const char *format, ...);

/* --- run_folder.c --- */

/* Makes and locks the folder. */
rn_result rni_run_folder_open(rni_run *run);
/* Whether a new run may use the folder: refuses to replace files that the user may still need. */
rn_result rni_run_folder_check(rni_run *run);
/* Removes what an earlier run has left there. */
void rni_run_folder_clear(const rni_run *run);
/* Removes the report, which is no longer true of a run that continues. */
void rni_run_folder_unfinish(const rni_run *run);
void rni_run_folder_close(rni_run *run);
/* FOLDER/NAME; name is short. */
void rni_run_path(const rni_run *run, const char *name, char path[RNI_PATH_BYTES]);

/* --- run_save.c --- */

/* A frame of the fluid as it is. */
rn_result rni_run_save_frame(rni_run *run);
/* The solids of the scene, for the frames in VTK files; before the first frame. */
rn_result rni_run_save_solids(rni_run *run);
/* Whether a step has computed densities and pressures, which a checkpoint does not have. */
bool rni_run_has_densities(const rni_run *run);
/* A checkpoint of the fluid as it is, unless there is one of this step. */
rn_result rni_run_save_checkpoint(rni_run *run);
/* Adds a step's report to the sums of the state. */
void rni_run_count(rni_run *run, const rn_fluid_report *report);
/* Picture of the end, as picture.png. */
rn_result rni_run_save_picture(rni_run *run);
/* run_trails.c: the films on meshes that have a trail, with a frame and at the end. */
rn_result rni_run_save_films(rni_run *run, uint64_t frame_number);
rn_result rni_run_save_film_pictures(rni_run *run);

/* --- run_gauges.c: nothing happens in a scene without gauges --- */

#define RNI_GAUGE_FILE "gauges.csv"
/* A new file. */
rn_result rni_run_gauges_begin(rni_run *run);
/* The file up to the checkpoint, whose samples count; a file that cannot be used begins anew. */
rn_result rni_run_gauges_resume(rni_run *run);
/* What was sampled in the last step. */
rn_result rni_run_gauges_step(rni_run *run);
/* Everything so far to disk. */
rn_result rni_run_gauges_sync(rni_run *run);
void rni_run_gauges_close(rni_run *run);
/* run_table.c: all samples into the HDF5 file, if there is one; after the last frame. */
rn_result rni_run_gauges_table(rni_run *run);

/* --- run_watch.c: nothing happens without run->watch, whose server runs --- */

/* The fluid exists now. */
void rni_run_watch_begin(rni_run *run);
/* After a step. */
void rni_run_watch_step(rni_run *run, const rn_fluid_report *report);
/* Ends the server and frees run->watch. */
void rni_run_watch_end(rni_run *run);

/* --- run_film.c: nothing happens unless options->film.look is set --- */

/* The fluid exists now, the first frame does not. */
rn_result rni_run_film_begin(rni_run *run);
/* A picture of the frame. */
rn_result rni_run_film_add(rni_run *run, const rn_frame *frame);
/* Finishes FOLDER/SCENE.mp4 and draws the poster, FOLDER/SCENE.png. */
rn_result rni_run_film_end(rni_run *run);
/* Frees everything; a video that was not finished is removed. */
void rni_run_film_close(rni_run *run);

/* --- run_report.c --- */

rni_run_summary rni_run_summarize(const rni_run *run);
/* report.json. */
rn_result rni_run_report_write(rni_run *run, bool is_finished);

#endif
