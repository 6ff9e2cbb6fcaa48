/* `runnel view`: a world that people play with through the viewer's server.
 *
 * Order:  view.c (options, the loop) -> view_orders.c (what clients ask for) -> view_world.c (the
 *         scene, the fluid, what was changed) -> view_tools.c (force, stream, pick) -> view_files.c
 *         (save, load) -> view_tell.c (what clients are told).
 * Rules:  one thread: orders are carried out between steps. Nothing a client says ends the
 *         program; a step that fails is shown, and serving goes on.
 */
#ifndef RNI_CLI_VIEW_H
#define RNI_CLI_VIEW_H

#include "cli/command.h"

#include "output/checkpoint.h"
#include "scene/parameters.h"
#include "view/server.h"

#define RNI_VIEW_MAX_UNDO  256u
#define RNI_VIEW_MAX_PICKS 32u

/* One change that can be taken back. */
typedef struct rni_view_change {
    const rni_parameter *parameter; /* NULL: a pipe */
    unsigned char was[16], was_base[16], is[16];
    uint32_t pipe;
    rni_scene_pipe pipe_was, pipe_is;
    double wall; /* rni_seconds(): what follows soon is the same change */
} rni_view_change;

/* A push or a pull on the water. */
typedef struct rni_view_force {
    bool is_on, has_axis;
    float position[3], direction[3], axis[3]; /* axis has length 1 */
    float radius, pull;
} rni_view_force;

typedef struct rni_view_pick {
    uint64_t client; /* 0: no one */
    uint32_t id;
} rni_view_pick;

typedef struct rni_world {
    rni_view *view;
    rni_scene_how how;
    const char *folder; /* for save and load */
    char *own_name;     /* the scene that was named at the start, with its text */
    char *own_text;

    char name[RNI_VIEW_NAME_BYTES];
    uint32_t number;  /* of the scene, as in frames */
    rni_scene *scene; /* with what was changed: where a restart begins */
    rni_scene now;    /* the same with the events so far; lists are those of scene */
    rn_fluid *fluid;
    rni_scene_built built;
    uint32_t event_next;
    rn_fluid_id operator_id, stream_id;
    rni_view_force force;
    bool has_stream;
    rn_fluid_pipe stream; /* as it was asked for last */
    rni_view_pick pick[RNI_VIEW_MAX_PICKS];

    rni_view_change *undo;           /* RNI_VIEW_MAX_UNDO */
    uint32_t undo_count, redo_count; /* redo follows behind undo_count */

    bool is_running, is_failed, only_watch;
    uint32_t steps_due;  /* single steps */
    char sentence[1024]; /* why it failed */
    double pace;         /* simulated seconds a second; 0: no bound */
    double anchor_wall, anchor_time;
    double step_s;         /* measured at the start, wall clock; 0: not measured */
    uint64_t bytes;        /* measured at the start */
    uint64_t loaded_count; /* particles of the checkpoint that it goes on from; 0: from its start */

    rn_fluid_report report; /* of the last step */
    bool is_new;            /* since the last frame */
    uint32_t shown_parts;   /* of the last frame */
    double told_wall;
    uint64_t told_step, frame_count, told_frames;
    double told_time;
} rni_world;

/* --- view_world.c --- */

/* Takes the scene, whose fluid is built and measured; on failure the old world goes on and scene
 * is still the caller's. */
rn_result rni_world_take(rni_world *world, rni_scene *scene, const char *name);
/* A fluid that was made elsewhere; both are taken. */
void rni_world_put(rni_world *world, rni_scene *scene, rn_fluid *fluid,
                   const rni_scene_built *built, const char *name);
/* What a step costs here: a few steps, which are then taken back; where the water is still to come, others
 * stand in. What cannot be measured stays 0. */
void rni_world_measure(rni_world *world);
/* Particles at the beginning, and in all, at most. */
uint64_t rni_world_begun(const rni_world *world);
uint64_t rni_world_all(const rni_world *world);
rn_result rni_world_restart(rni_world *world);
/* "path=value" of a live parameter or a pipe. */
rn_result rni_world_set(rni_world *world, const char *path, const char *setting,
                        rni_problems *problems);
rn_result rni_world_undo(rni_world *world, bool is_redo);
/* One step with its events; false: it failed, which is told. */
bool rni_world_step(rni_world *world);
void rni_world_free(rni_world *world);
/* Where pace counts from: now. */
void rni_world_anchor(rni_world *world);

/* --- view_tools.c --- */
rn_result rni_world_force(rni_world *world, const rni_view_order *order);
rn_result rni_world_pour(rni_world *world, const rni_view_order *order);
void rni_world_let_go(rni_world *world); /* force and stream end */
rn_result rni_world_pick(rni_world *world, const rni_view_order *order);
void rni_world_forget(rni_world *world, uint64_t client);

/* --- view_files.c --- */
rn_result rni_world_save(rni_world *world, const rni_view_order *order);
rn_result rni_world_load(rni_world *world, const char *name, rni_problems *problems);
/* A checkpoint, wherever it lies; name is what the scene is called. */
rn_result rni_world_revive(rni_world *world, const char *path, const char *name,
                           rni_problems *problems);

/* --- view_orders.c --- */

/* Carries out everything that waits. */
void rni_world_obey(rni_world *world);

/* --- view_tell.c --- */

/* Members of `hello`, from malloc; NULL: no memory. */
char *rni_tell_hello(const char *folder, const char *own_name, const char *own_text);
void rni_tell_scene(const rni_world *world);
void rni_tell_state(const rni_world *world, const char *state);
void rni_tell_values(const rni_world *world);
void rni_tell_report(rni_world *world);
void rni_tell_error(const rni_world *world, uint64_t client, const char *sentence);
void rni_tell_problems(const rni_world *world, uint64_t client, const rni_problems *problems);
void rni_tell_files(const rni_world *world, uint64_t client);
void rni_tell_picked(rni_world *world);

/* --- view_serve.c: what `runnel view` and `runnel run --watch` share --- */

/* Rows of an option table. */
#define RNI_OPTIONS_OF_A_VIEW                                                                  \
    {"port", RNI_OPTION_COUNT,           "N", "port of the page; 0: any that is free",         \
     "7878", "a port, e.g. --port 8080", 0,   65535,                                           \
     NULL},                                                                                    \
    {                                                                                          \
        "listen", RNI_OPTION_TEXT, "ADDRESS",                                                  \
            "serve the page at another address than 127.0.0.1; a token is needed and printed", \
            NULL, "an address of this machine, e.g. --listen 0.0.0.0", 0, 0, NULL              \
    }
/* Starts the server and prints its address. */
int rni_view_open(const rni_arguments *arguments, rni_world *world, bool all_steer);
/* Shows the page to whoever sits at this machine. */
void rni_view_open_browser(const rni_world *world);
/* A frame for those who wait for one. */
void rni_view_show(rni_world *world);

#endif
