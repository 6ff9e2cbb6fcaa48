/* One interactive simulation, controlled through the viewer's server.
 *
 * Job:    opens a scene or a checkpoint, takes steps, carries out the orders of clients, publishes
 *         frames and messages.
 * Order:  world.c (scene, fluid, changes, steps) -> orders.c (what clients ask for) -> tools.c (force,
 *         stream, pick) -> saved.c (save, load) -> publish.c (server, frames) -> meshes.c (solids) -> tell.c (messages).
 * Rules:  one thread: orders are carried out between steps. No message of a client ends the
 *         program; a step that fails is reported, and the server keeps running.
 * Next:   view/server.h is the server; cli/view.c and cli/run_watch.c are the commands.
 */
#ifndef RNI_SESSION_SESSION_H
#define RNI_SESSION_SESSION_H

#include "output/checkpoint.h"
#include "scene/parameters.h"
#include "view/server.h"

#define RNI_SESSION_MAX_UNDO  256u
#define RNI_SESSION_MAX_PICKS 32u

/* A fluid that users change as a whole. */
typedef struct rni_session_fluid {
    rni_scene_fluid fluid;
    rn_fluid_solver solver; /* of the viscosity: pastes have the implicit one */
} rni_session_fluid;

/* One change that can be undone. */
typedef struct rni_session_change {
    const rni_parameter *parameter; /* NULL: a pipe or a fluid */
    unsigned char was[16], was_base[16], is[16];
    uint32_t pipe;
    rni_scene_pipe pipe_was, pipe_is;
    bool is_fluid; /* one of several, pipe counts them; or the material of a single one */
    rni_session_fluid fluid_was, fluid_is;
    double wall; /* rni_seconds(): changes that follow soon are part of the same change */
} rni_session_change;

/* A push or a pull on the water. */
typedef struct rni_applied_force {
    bool is_on, has_axis;
    float position[3], direction[3], axis[3]; /* axis has length 1 */
    float radius, pull;
} rni_applied_force;

typedef struct rni_picked {
    uint64_t client; /* 0: none */
    uint32_t id;
} rni_picked;

/* Meshes of the drawn solids; mesh k has pose k. */
typedef struct rni_session_meshes {
    rn_triangles *triangles;
    rn_pose *pose;
    uint32_t count;
} rni_session_meshes;

/* Of a scene that names no preset: play needs speed first. */
#define RNI_SESSION_PRESET RN_PRESET_LIVE

typedef struct rni_session {
    rni_view *view;
    rni_scene_how how;
    const char *folder; /* for save and load */
    char *own_name;     /* the scene that was named at the start, with its text */
    char *own_text;

    char name[RNI_VIEW_NAME_BYTES];
    uint32_t number;  /* of the scene, as in frames */
    rni_scene *scene; /* with the user's changes: where a restart begins */
    rni_scene now;    /* the same with the events so far; lists are those of scene */
    rn_fluid *fluid;
    rni_scene_built built;
    rni_session_meshes meshes; /* of scene */
    uint32_t event_next;
    rn_fluid_id operator_id, stream_id;
    rni_applied_force force;
    bool has_stream;
    rn_fluid_pipe stream; /* as last requested */
    rni_picked pick[RNI_SESSION_MAX_PICKS];

    rni_session_change *undo;        /* RNI_SESSION_MAX_UNDO */
    uint32_t undo_count, redo_count; /* the changes to redo follow behind undo_count */

    bool is_running, is_failed, only_watch;
    uint32_t steps_due;  /* single steps */
    char sentence[1024]; /* why the last step failed */
    double pace;         /* simulated seconds per second; 0: no limit */
    double anchor_wall, anchor_time;
    double step_s;         /* measured at the start, wall clock; 0: not measured */
    uint64_t bytes;        /* measured at the start */
    uint64_t loaded_count; /* particles of the checkpoint that it continues from; 0: from its start */

    rn_fluid_report report;   /* of the last step */
    rn_fluid_report measured; /* of the last step of the measurement at the start; zero: none */
    bool is_new;              /* since the last frame */
    uint32_t shown_parts;     /* attributes of the last frame, as bits of the server */
    double told_wall;
    uint64_t told_step, frame_count, told_frames;
    double told_time;
} rni_session;

/* --- session.c --- */

typedef struct rni_session_options {
    const char *scene;           /* a built-in name, a file or a checkpoint */
    const char *const *settings; /* "path=value" */
    uint32_t setting_count;
    rni_scene_how how;
    double pace;        /* simulated seconds per second at most; 0: as fast as possible */
    const char *folder; /* for save and load; borrowed */
} rni_session_options;

/* Opens the scene; session is zero. RN_ERROR_ARGUMENT: the settings are wrong. On failure the
 * sentences are in problems, or if there are none, in rn_last_error(). Call rni_session_close in
 * any case. */
rn_result rni_session_open(rni_session *session, const rni_session_options *options,
                           rni_problems *problems);
/* Sends everything to the clients and starts the clock, after rni_session_serve. */
void rni_session_begin(rni_session *session, bool is_running);
/* Carries out orders, then takes one step, or waits for a moment when none is due; publishes and
 * reports. */
void rni_session_turn(rni_session *session);
void rni_session_close(rni_session *session);

/* --- world.c --- */

/* Takes over the scene, whose fluid is built and measured; on failure the old simulation continues
 * and scene is still the caller's. */
rn_result rni_session_take(rni_session *session, rni_scene *scene, const char *name);
/* A fluid that was made elsewhere; takes over both. */
void rni_session_put(rni_session *session, rni_scene *scene, rn_fluid *fluid,
                     const rni_scene_built *built, const char *name);
/* Measures what a step costs here: a few steps, which are then undone; where pipes have not poured
 * yet, other particles are used. What cannot be measured stays 0. */
void rni_session_measure(rni_session *session);
/* Particles at the start, and in total: of pipes that pour without limit, about those until the end of the run. */
uint64_t rni_session_begun(const rni_session *session);
uint64_t rni_session_all(const rni_session *session);
rn_result rni_session_restart(rni_session *session);
/* "path=value" of a live parameter or a pipe. */
rn_result rni_session_set(rni_session *session, const char *path, const char *setting,
                          rni_problems *problems);
rn_result rni_session_undo(rni_session *session, bool is_redo);
/* One step with its events; false: it failed, and clients have been told. */
bool rni_session_step(rni_session *session);
void rni_session_free(rni_session *session);
/* The pace is measured from now on. */
void rni_session_anchor(rni_session *session);

/* --- tools.c --- */
float rni_session_force_max(const rni_session *session); /* m/s^2 */
rn_result rni_session_apply_force(rni_session *session, const rni_view_order *order);
rn_result rni_session_pour(rni_session *session, const rni_view_order *order);
void rni_session_release_tools(rni_session *session); /* force and stream end */
rn_result rni_session_pick(rni_session *session, const rni_view_order *order);
void rni_session_forget(rni_session *session, uint64_t client);

/* --- saved.c --- */
rn_result rni_session_save(rni_session *session, const rni_view_order *order);
rn_result rni_session_load(rni_session *session, const char *name, rni_problems *problems);
/* A checkpoint at any path; name is the name of the scene. */
rn_result rni_session_revive(rni_session *session, const char *path, const char *name,
                             rni_problems *problems);

/* --- orders.c --- */

/* Carries out all waiting orders. */
void rni_session_obey(rni_session *session);

/* --- tell.c --- */

/* Members of `hello`, from malloc; NULL: no memory. */
char *rni_tell_hello(const char *folder, const char *own_name, const char *own_text);
/* Scene, values, state and report. */
void rni_tell_all(rni_session *session);
void rni_tell_scene(rni_session *session);
void rni_tell_state(const rni_session *session, const char *state);
void rni_tell_values(const rni_session *session);
void rni_tell_report(rni_session *session);
void rni_tell_error(const rni_session *session, uint64_t client, const char *sentence);
void rni_tell_problems(const rni_session *session, uint64_t client, const rni_problems *problems);
void rni_tell_files(const rni_session *session, uint64_t client);
void rni_tell_picked(rni_session *session);

/* --- meshes.c --- */

/* Meshes of the drawn solids of a scene; on failure there are none. */
rn_result rni_session_meshes_make(const rni_scene *scene, rni_session_meshes *meshes);
/* Lends them to a frame. */
void rni_session_meshes_lend(const rni_session_meshes *meshes, rn_frame *frame);
void rni_session_meshes_free(rni_session_meshes *meshes); /* zero is fine */

/* --- publish.c --- */

/* How to serve the page. */
typedef struct rni_session_server {
    const char *listen; /* an address of this machine; NULL: 127.0.0.1 */
    uint32_t port;      /* 0: any free port */
    bool all_control;   /* every client may control the simulation, not only the first */
} rni_session_server;

/* Starts the viewer's server; RN_ERROR_FILE: the port is taken. */
rn_result rni_session_serve(rni_session *session, const rni_session_server *server);
/* A frame for the clients that are waiting for one. */
void rni_session_publish(rni_session *session);

#endif
