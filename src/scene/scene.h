/* Scenes: what a run starts from, as JSON in SI units.
 *
 * Job:    scene files and built-in scenes -> rni_scene (plain values, all checked) -> rn_fluid.
 * Input:  a built-in name or a path, `path=value` settings; hostile bytes are fine.
 * Output: rni_scene; rn_fluid with everything in it; the scene as canonical JSON, complete, so that
 *         a checkpoint can carry it: reading what was written gives the same scene.
 * Errors: rni_problems has them all (at most ten), each `file:line:column: path: what is wrong;
 *         what would be right`; rn_last_error() has the first.
 * Next:   parameters.c (the one table of names, units, ranges, help), read.c, check.c, build.c,
 *         write.c, schema.c, builtin.c; docs/scenes.md for users.
 */
#ifndef RNI_SCENE_SCENE_H
#define RNI_SCENE_SCENE_H

#include <runnel/fluid.h>
#include <runnel/gauge.h>

#include <stdio.h>

enum {
    RNI_SCENE_MAX_SOLIDS = 1024,
    RNI_SCENE_MAX_BLOCKS = 1024,
    RNI_SCENE_MAX_BALLS = 1024,
    RNI_SCENE_MAX_PIPES = 64,
    RNI_SCENE_MAX_OUTLETS = 64,
    RNI_SCENE_MAX_GAUGES = 256,
    RNI_SCENE_MAX_FLUIDS = RN_FLUID_MAX_PHASES,
    RNI_SCENE_MAX_INTERFACES = RNI_SCENE_MAX_FLUIDS * (RNI_SCENE_MAX_FLUIDS - 1) / 2,
    RNI_SCENE_MAX_EVENTS = 100000,
    RNI_SCENE_MAX_GRAVITY = 100000, /* times in the table of gravity */
    RNI_SCENE_FORMULA = 256,        /* bytes of a formula, with the closing zero */
    RNI_SCENE_MAX_CHANGES = 16,     /* of one event */
    RNI_SCENE_MAX_BYTES = 1 << 25   /* of a scene file */
};

/* A solid as a scene describes it: full sizes instead of halves. */
typedef struct rni_scene_solid {
    char name[48]; /* for messages; may be empty */
    rn_solid_shape shape;
    float center[3];
    float size[3]; /* box: full sides */
    float axis[3]; /* plane: normal; cylinder: direction */
    float length;  /* cylinder: full length */
    float radius;
    float turn[3];  /* box, mesh: degrees about x, then y, then z */
    char file[512]; /* mesh: where it is read from; or */
    char make[128]; /* how it is made: a shape of rn_mesh_make(), then its settings */
    char hash[24];  /* mesh: of its triangles, as 16 digits; empty: any */
    float scale;
    bool is_sheet, is_two_sided;
    bool is_hollow;
    rn_slip slip;
    float friction, adhesion, bounce;
    float trail, trail_dry, trail_drain;
    float contact_angle; /* degrees; 0: that of the walls */
    float velocity[3];
    bool is_drawn; /* false: there for the water, not in pictures */
    bool is_wall;  /* false: only a shape, which blocks, balls, pipes and outlets name */
} rni_scene_solid;

/* One of several fluids. */
typedef struct rni_scene_fluid {
    rn_fluid_phase phase;
    uint32_t material; /* that values of phase come from which the scene does not give (materials.h) */
    float concentration; /* of a suspension, % w/v */
} rni_scene_fluid;

/* What holds between two of them. */
typedef struct rni_scene_interface {
    char fluid[RN_PHASE_NAME], other[RN_PHASE_NAME];
    float tension; /* N / m */
} rni_scene_interface;

typedef struct rni_scene_block {
    char name[48];
    char fluid[RN_PHASE_NAME]; /* name of one of the fluids; empty: the first, or the only one */
    float low[3], high[3];     /* equal: all of the solid */
    char solid[48];            /* whose region it fills; empty: the box */
    float level;               /* m: up to here; RNI_NO_LEVEL: no limit */
    float velocity[3];
    float jitter;
    char surface[RNI_SCENE_FORMULA];            /* height, as a formula; empty: the block's top */
    char velocity_field[3 * RNI_SCENE_FORMULA]; /* a formula an axis, with commas; empty: none */
} rni_scene_block;

typedef struct rni_scene_ball {
    char name[48];
    char fluid[RN_PHASE_NAME];
    float center[3];
    float radius;
    char solid[48]; /* whose shape it has; empty: a ball */
    float velocity[3];
    float jitter;
} rni_scene_ball;

typedef struct rni_scene_pipe {
    char name[48];
    char fluid[RN_PHASE_NAME];
    float center[3], direction[3];
    char solid[48]; /* whose shape gives center and radius; empty: they are given */
    float radius, speed, flow_rate, head;
    float sine_amplitude, sine_frequency, sine_phase;
    uint32_t time_count, factor_count; /* equal in a checked scene */
    float times[RN_PIPE_MAX_STOPS], factors[RN_PIPE_MAX_STOPS];
    float volume;           /* m^3 (2D: m^2) in all; 0: max_particles counts */
    uint32_t max_particles; /* in all; 0: no end */
} rni_scene_pipe;

typedef struct rni_scene_outlet {
    char name[48];
    char fluid[RN_PHASE_NAME]; /* empty: all */
    float low[3], high[3];
    char solid[48]; /* whose shape it has; empty: the box */
} rni_scene_outlet;

/* Which fields count depends on the kind (fluid/gauges.h). */
typedef struct rni_scene_gauge {
    char name[48];
    rn_gauge_kind kind;
    float rate; /* samples per second; 0: every step */
    float center[3], direction[3];
    float radius, height;
    uint32_t surfaces;
    float low[3], high[3];
    char solid[48];            /* name of a solid; "": the domain */
    char fluid[RN_PHASE_NAME]; /* empty: all */
} rni_scene_gauge;

/* What is added to gravity at a time. */
typedef struct rni_scene_gravity {
    double time; /* s; ascending */
    float gravity[3];
} rni_scene_gravity;

/* One live parameter that an event changes. */
typedef struct rni_scene_change {
    uint32_t parameter; /* place in rni_scene_parameters() */
    union {
        double number;
        float vector[3];
        uint32_t choice;
        bool flag;
    } value;
} rni_scene_change;

/* At a time, live parameters take new values. */
typedef struct rni_scene_event {
    double time; /* s; ascending from event to event */
    uint32_t change_count;
    rni_scene_change change[RNI_SCENE_MAX_CHANGES];
} rni_scene_event;

typedef struct rni_scene {
    char title[128];
    char description[4096];
    double run_time; /* s to simulate; 0 with run_steps: those decide */
    uint32_t run_steps; /* ends after so many, if the time does not end it before; 0: the time decides */
    double run_every; /* s between outputs */

    /* What the fluid is made from. Not of the scene, and zero here: traversal, search, threads, cpu,
     * allocator, tasks. spacing is 0 when particles is given instead. */
    rn_fluid_def def;
    rn_fluid_preset preset;    /* that values of def come from which the scene does not give */
    uint32_t material;         /* the same of a material (materials.h) */
    float concentration;       /* of a material that is a suspension, % w/v */
    uint32_t particles;        /* wanted in all; 0: spacing counts */
    char particles_file[1024]; /* of another run, to start with; empty: none */

    /* Hints for pictures. eye equal to target: the picture chooses. */
    float view_eye[3], view_target[3], view_up[3];
    float view_fov;     /* degrees, from bottom to top */
    bool view_walls[6]; /* sides of the domain to draw: x-low, x-high, y-low, y-high, z-low, z-high */

    rni_scene_fluid *fluids;
    rni_scene_interface *interfaces;
    rni_scene_solid *solids;
    rni_scene_block *blocks;
    rni_scene_ball *balls;
    rni_scene_pipe *pipes;
    rni_scene_outlet *outlets;
    rni_scene_gauge *gauges;
    rni_scene_gravity *gravity_table;
    rni_scene_event *events;
    uint32_t solid_count, block_count, ball_count, pipe_count, outlet_count, gravity_stop_count;
    uint32_t gauge_count, event_count;
    uint32_t fluid_count; /* 0: the single one of def */
    uint32_t interface_count;
} rni_scene;

/* What is wrong with a scene: one sentence each. */
#define RNI_MAX_PROBLEMS 10u
typedef struct rni_problems {
    uint32_t count; /* may be more than are kept */
    char text[RNI_MAX_PROBLEMS][400];
    char path[RNI_MAX_PROBLEMS][128]; /* of the value that is wrong; "" for the whole */
} rni_problems;

/* Reads, applies settings ("fluid.viscosity=0.1", count of them), checks the whole. name_or_path is
 * a built-in name or a file; a misspelt name gets a suggestion. problems may be NULL. On failure *scene is NULL.
 * RN_ERROR_FILE: the scene is wrong or not there; RN_ERROR_ARGUMENT: a setting is wrong. */
rn_result rni_scene_load(const char *name_or_path, const char *const *settings, uint32_t count,
                         rni_scene **scene, rni_problems *problems);
/* The same, where a scene that names no preset has this one instead of balanced. */
rn_result rni_scene_load_as(rn_fluid_preset preset, const char *name_or_path,
                            const char *const *settings, uint32_t count, rni_scene **scene,
                            rni_problems *problems);
/* The same for a scene in memory; name is that of the file in messages. */
rn_result rni_scene_load_text(const char *text, size_t bytes, const char *name,
                              const char *const *settings, uint32_t count, rni_scene **scene,
                              rni_problems *problems);
/* Only reads: values are checked one by one, not against each other (that is rni_scene_check). */
rn_result rni_scene_read(const char *text, size_t bytes, const char *name, rni_scene **scene,
                         rni_problems *problems);
/* The same, where a scene that names no preset has this one instead of balanced. */
rn_result rni_scene_read_as(rn_fluid_preset preset, const char *text, size_t bytes,
                            const char *name, rni_scene **scene, rni_problems *problems);
/* "path=value", e.g. "pipes.0.speed=2", "gravity=0,-1,0", "blocks=[]". */
rn_result rni_scene_set(rni_scene *scene, const char *setting, rni_problems *problems);
/* Several: fluid.preset, then fluid.material, before the others, wherever they stand. */
rn_result rni_scene_set_all(rni_scene *scene, const char *const *settings, uint32_t count,
                            rni_problems *problems);
/* Checks values against each other; rni_scene_build() does so too. name is that of the file in messages. */
rn_result rni_scene_check(const rni_scene *scene, const char *name, rni_problems *problems);
void rni_scene_free(rni_scene *scene); /* NULL is fine */

/* The whole scene as JSON: canonical, complete, ends with a line end. From malloc; NULL without
 * memory. */
char *rni_scene_write(const rni_scene *scene);

/* Numbers that follow from a checked scene before there is a fluid. */
typedef struct rni_scene_derived {
    double spacing;     /* m */
    double volume;      /* m^3 (2D: m^2) of blocks, balls and the volumes of pipes */
    uint64_t particles; /* that blocks, balls and pipes with an end come to, before any is left out */
    uint32_t pipe_max[RNI_SCENE_MAX_PIPES]; /* particles of each pipe in all; 0: no end */
} rni_scene_derived;
rni_scene_derived rni_scene_derive(const rni_scene *scene);

/* How to compute: nothing here changes the physics. Zero is a good default. */
typedef struct rni_scene_how {
    rn_fluid_traversal traversal;
    rn_search_method search;
    uint32_t threads;
    rn_cpu_level cpu;
    rn_allocator allocator;
    rn_tasks tasks;
    bool (*progress)(void *user, const char *what, double part); /* as in rn_fluid_def */
    void *progress_user;
    bool is_dry; /* no blocks and balls: for rn_fluid_read_state() */
} rni_scene_how;

/* Why a block or a ball is without water: where all of its particles would lie. */
typedef enum rni_dry {
    RNI_DRY_NOT = 0, /* it has water */
    RNI_DRY_OUTSIDE, /* outside the domain */
    RNI_DRY_IN_WALLS,
    RNI_DRY_OVERLAPPING, /* in other water */
    RNI_DRY_MIXED        /* some in each of these */
} rni_dry;
/* "lie outside the domain": the end of a sentence about its particles. */
const char *rni_dry_text(rni_dry dry);

typedef struct rni_scene_built {
    rni_scene_derived derived;
    rn_fluid_added water; /* of the particle file and all blocks and balls together */
    /* Why a block or a ball gave no particle; RNI_DRY_NOT where it gave some. */
    uint8_t dry_block[RNI_SCENE_MAX_BLOCKS], dry_ball[RNI_SCENE_MAX_BALLS];
    rn_fluid_id solid[RNI_SCENE_MAX_SOLIDS]; /* not its periodic copies; of one that is no wall: none */
    rn_fluid_id pipe[RNI_SCENE_MAX_PIPES];
    rn_fluid_id outlet[RNI_SCENE_MAX_OUTLETS];
    rn_fluid_id gauge[RNI_SCENE_MAX_GAUGES];
} rni_scene_built;

/* Makes the fluid with its solids, pipes, outlets and gauges, then blocks and balls. how and built may be
 * NULL. Refuses a scene without any water: no particle at the start and no pipe, unless how->is_dry.
 * On failure *fluid is NULL, and the sentence names the part of the scene. */
rn_result rni_scene_build(const rni_scene *scene, const rni_scene_how *how, rn_fluid **fluid,
                          rni_scene_built *built);

/* Call before every step: applies the events whose time has come. *event_next is 0 for a new fluid
 * and for one that was just resumed (what is past is then applied again, which changes nothing).
 * The same calls give the same bits. */
rn_result rni_scene_advance(const rni_scene *scene, rn_fluid *fluid, uint32_t *event_next);

/* The definition of the fluid with several fluids, if the scene has them. */
rn_fluid_def rni_scene_def(const rni_scene *scene);
/* Fluid k, with these values, and what it has against the others. */
rn_fluid_phase rni_scene_phase(const rni_scene *scene, uint32_t k, const rni_scene_fluid *fluid);
/* The number of the fluid of that name: that of the first for ""; -1: there is none. */
int32_t rni_scene_fluid_number(const rni_scene *scene, const char *name);

/* Red, green and blue (sRGB, 0 to 1) of fluid k: its own, or one of a few that are easy to tell apart. */
void rni_scene_fluid_color(const rni_scene *scene, uint32_t k, float color[3]);

/* Pa s: the viscosity of the fluid, without the numerical part; of several, the largest. */
double rni_scene_viscosity(const rni_scene *scene);

/* A box (m) around what a picture shows: the domain. */
void rni_scene_bounds(const rni_scene *scene, float low[3], float high[3]);

/* The first solid with this name; NULL: there is none. */
const rni_scene_solid *rni_scene_solid_named(const rni_scene *scene, const char *name);
/* The solid as the library takes it; a mesh is read or made the first time (scene/meshes.h). */
rn_solid rni_scene_solid_of(const rni_scene_solid *solid);
/* Solid k placed in the world; false: it is not right yet, or no wall. */
struct rni_solid;
bool rni_scene_solid_place(const rni_scene *scene, uint32_t k, struct rni_solid *solid);
/* Adds solid k, and its copies across periodic sides within reach. h: the support radius, m. ids (may be
 * NULL) receives those of the solid and its copies. */
#define RNI_SCENE_MAX_COPIES 27u
typedef struct rni_scene_solid_ids {
    uint32_t count;
    rn_fluid_id id[RNI_SCENE_MAX_COPIES];
} rni_scene_solid_ids;
rn_result rni_scene_add_solid(const rni_scene *scene, uint32_t k, float h, rn_fluid *fluid,
                              rni_scene_solid_ids *ids);
/* The gauge as the library takes it, without its solid. */
rn_fluid_gauge rni_scene_gauge_of(const rni_scene *scene, const rni_scene_gauge *gauge);
/* The name of gauge k, or where it has none its kind and number: "level_2". */
typedef struct rni_gauge_label {
    char text[64];
} rni_gauge_label;
rni_gauge_label rni_scene_gauge_label(const rni_scene *scene, uint32_t k);
/* "level.2 [m]": the title of a column of gauge k in files. */
rni_gauge_label rni_scene_gauge_title(const rni_scene *scene, uint32_t k,
                                      const rn_gauge_column *column);
/* The pipe as the library takes it; of a volume the caller makes max_particles. */
rn_fluid_pipe rni_scene_pipe_of(const rni_scene *scene, const rni_scene_pipe *pipe);
/* The boxes around a block, a ball and an outlet, m; from low to high is nothing where they are empty. */
void rni_scene_block_bounds(const rni_scene *scene, const rni_scene_block *block, float low[3],
                            float high[3]);
void rni_scene_ball_bounds(const rni_scene *scene, const rni_scene_ball *ball, float low[3],
                           float high[3]);
void rni_scene_outlet_bounds(const rni_scene *scene, const rni_scene_outlet *outlet, float low[3],
                             float high[3]);
/* m^3 (2D: m^2) */
double rni_scene_block_volume(const rni_scene *scene, const rni_scene_block *block);
double rni_scene_ball_volume(const rni_scene *scene, const rni_scene_ball *ball);
/* m: of the mouth of a pipe. */
void rni_scene_pipe_mouth(const rni_scene *scene, const rni_scene_pipe *pipe, float center[3],
                          float *radius);
/* m/s: the fastest that a pipe pours at any time. */
double rni_scene_pipe_speed(const rni_scene *scene, const rni_scene_pipe *pipe);

/* Built-in scenes, NULL past the last. The first is the default of `runnel run`. */
typedef struct rni_scene_builtin {
    const char *name;
    const char *text; /* JSON */
    size_t bytes;
} rni_scene_builtin;
const rni_scene_builtin *rni_scene_builtin_at(uint32_t place);

#endif
