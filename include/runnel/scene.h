/* runnel/scene.h - scene files from C: load a scene, run it, write what ParaView reads.
 *
 * Does:     reads scenes (docs/scenes.md: JSON in SI units, or a built-in name) with settings, reports
 *           every mistake with its place, builds the fluid, applies events in time, writes frames.
 * Does not: print, draw, or decide when to write: that is the caller's loop.
 * Library:  librunnel-scene, which needs librunnel and jansson. Link with -lrunnel-scene -lrunnel,
 *           `pkg-config runnel-scene`, or find_package(runnel COMPONENTS scene) and runnel::scene.
 * Smallest use:
 *     rn_scene_def def = rn_scene_def_default();
 *     def.source = "dam-break";                                 // or "mine.json"
 *     rn_scene *scene = NULL;
 *     if (rn_scene_create(&def, &scene) != RN_OK) return fail(rn_last_error());
 *     if (rn_scene_advance(scene, 0.2, NULL) != RN_OK) return fail(rn_last_error());
 *     if (rn_scene_write_vtp(scene, "dam.vtp") != RN_OK) return fail(rn_last_error());
 *     rn_scene_destroy(scene);
 *
 * Calls on one scene, and on its fluid, must not overlap in time.
 */
#ifndef RUNNEL_SCENE_H
#define RUNNEL_SCENE_H

#include <runnel/fluid.h>
#include <runnel/frame.h>
#include <runnel/gauge.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rn_scene rn_scene;

/* One mistake in a scene or in a setting. Both texts are valid during the call only. */
typedef struct rn_scene_problem {
    const char *path; /* of the value: "pipes.0.speed"; "" for the whole scene */
    const char *text; /* "mine.json:12:7: pipes.0.speed: is -1; it must be a number from 0 ..." */
} rn_scene_problem;
typedef void (*rn_scene_problem_fn)(void *user, const rn_scene_problem *problem);

/* Which scene, and how to compute it. Take rn_scene_def_default() and set source or text. */
typedef struct rn_scene_def {
    uint32_t struct_bytes; /* set by rn_scene_def_default(); a forgotten default is refused */
    const char *source;    /* a built-in name ("dam-break") or the path of a scene file */
    /* The scene itself as JSON, instead of source; source is then its name in messages, or NULL. */
    const char *text;
    size_t text_bytes; /* 0: text ends with a zero */
    /* Values that replace those of the scene, as `--set` of the command takes them:
     * "fluid.viscosity=0.1", "gravity=0,-1,0", "blocks=[]". Read during the call only. */
    const char *const *settings;
    uint32_t setting_count;
    /* Called for every mistake, ten at most, before rn_scene_create() fails. NULL (default): only
     * rn_last_error() has the first of them. */
    rn_scene_problem_fn on_problem;
    void *user;

    /* As in rn_fluid_def; nothing here changes the physics. */
    rn_fluid_traversal traversal;
    rn_search_method search;
    uint32_t threads; /* 0 (default): one per processor */
    rn_cpu_level cpu;
    rn_allocator allocator; /* of the fluid; the scene itself uses malloc */
    rn_tasks tasks;
} rn_scene_def;

RN_API rn_scene_def rn_scene_def_default(void);
/* Reads and checks the scene and builds its fluid. RN_ERROR_FILE: the scene is missing or wrong;
 * RN_ERROR_ARGUMENT: a setting or the def is wrong. On failure *scene is NULL. */
RN_API rn_result rn_scene_create(const rn_scene_def *def, rn_scene **scene);
RN_API void rn_scene_destroy(rn_scene *scene); /* NULL is fine */

/* What the scene says about its run. The texts belong to the scene. */
typedef struct rn_scene_info {
    uint32_t struct_bytes; /* set by rn_scene_info_default() */
    uint32_t run_steps;    /* steps after which the run ends; 0: only run_time ends it */
    double run_time;       /* s of simulated time; 0 with run_steps: only the steps end the run */
    double run_every;      /* s of simulated time between two frames */
    const char *title;
    const char *description;
    rn_fluid_added water; /* of all blocks and balls: particles added and left out */
} rn_scene_info;
RN_API rn_scene_info rn_scene_info_default(void);
RN_API rn_result rn_scene_get_info(const rn_scene *scene, rn_scene_info *info);

/* The fluid, to read its particles, add operators, or save and restore its state. The scene owns it:
 * do not destroy it. Step it with rn_scene_step(), so that events are applied. */
RN_API rn_fluid *rn_scene_get_fluid(rn_scene *scene);

/* The gauge of that name (without a name: its kind and number, as "level_0"), for rn_fluid_get_gauge()
 * and rn_fluid_reset_gauge(). RN_ERROR_ARGUMENT: there is none. */
RN_API rn_result rn_scene_get_gauge(const rn_scene *scene, const char *name, rn_fluid_id *id);

/* Applies the events whose time has come, then takes one step, as rn_fluid_step(). An event sets all
 * live parameters to those of the scene at that time; values set by rn_fluid_set_params() are lost. */
RN_API rn_result rn_scene_step(rn_scene *scene, rn_fluid_report *report);
/* Steps until the time of the fluid is at least `time` (s). report, of the last step, may be NULL; it
 * is unchanged when no step is needed. */
RN_API rn_result rn_scene_advance(rn_scene *scene, double time, rn_fluid_report *report);

/* The particles as VTK XML PolyData (.vtp), which ParaView opens: position, velocity, density,
 * pressure, id, age. The file appears whole or not at all. */
RN_API rn_result rn_scene_write_vtp(const rn_scene *scene, const char *path);
/* The same for any frame: its attributes with RN_ATTRIBUTE_IN_FILES. */
RN_API rn_result rn_frame_write_vtp(const rn_frame *frame, const char *path);

/* Names of the built-in scenes; NULL past the last. */
RN_API const char *rn_scene_get_builtin(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
