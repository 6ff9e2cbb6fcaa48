/* Checkpoints: from which a run continues, bit for bit.
 *
 * Job:    run state, scene and the bytes of the fluid -> one small file of our own, and back.
 * Input:  hostile files are fine: every size is checked against the bytes that are there, every
 *         section has a checksum, and so has the whole.
 * Output: docs/checkpoint.md describes the format byte by byte. Little endian everywhere.
 * Files:  DIR/checkpoint_STEP.rnck, the last two of a run.
 * Next:   checkpoint.c (the format), checkpoint_folder.c (those of a folder), crc64.h.
 */
#ifndef RNI_OUTPUT_CHECKPOINT_H
#define RNI_OUTPUT_CHECKPOINT_H

#include <runnel/fluid.h>

#define RNI_CHECKPOINT_VERSION      2u
#define RNI_CHECKPOINT_BOUNDS       8u  /* places for counts by rn_fluid_bound */
#define RNI_CHECKPOINT_CLOCKS       16u /* places for times by rn_fluid_clock */
#define RNI_CHECKPOINT_SCENE_BYTES  (1u << 24)
#define RNI_CHECKPOINT_HEADER_BYTES 136u
#define RNI_EVERY_MIN               1e-6 /* s between frames or checkpoints, at least */

/* The state of a run besides the fluid itself. */
typedef struct rni_run_state {
    uint64_t step;
    double time;                           /* s */
    uint64_t state_hash;                   /* rn_fluid_get_state_hash() */
    uint64_t frame_count;                  /* frames on disk that belong to the run so far */
    uint64_t frame_step;                   /* of the last of them */
    uint64_t output_next;                  /* the next frame is due at output_next * output_every */
    uint64_t checkpoint_next;              /* the same for checkpoints */
    double output_every, checkpoint_every; /* s; 0: never */
    uint64_t formats;                      /* bits: 1 << rni_format */
    uint64_t traversal, search, cpu;       /* rn_fluid_traversal, rn_search_method, rn_cpu_level */
    double wall_s;                         /* so far, all parts of the run together */

    /* Sums over all steps so far, for the report. */
    uint64_t retried_steps;
    uint64_t flags; /* of all steps together */
    uint64_t bound_steps[RNI_CHECKPOINT_BOUNDS];
    double step_min, step_max;                       /* s; 0 before the first step */
    double density_max, speed_max;                   /* the largest so far */
    double clock_ms[RNI_CHECKPOINT_CLOCKS], step_ms; /* sums */

    /* Of the last step. */
    double step_last, density_mean, kinetic, potential, elastic, neighbors_mean;
    uint64_t came, left, bytes;
} rni_run_state;

typedef struct rni_checkpoint {
    rni_run_state run;
    char version[16]; /* of the Runnel that wrote it */
    char *scene;      /* canonical JSON, terminated */
    size_t scene_bytes;
    const void *fluid; /* for rn_fluid_read_state() */
    uint64_t fluid_bytes;
    void *held; /* what scene and fluid point into */
} rni_checkpoint;

/* Written beside, synced, renamed, and the folder synced. */
rn_result rni_checkpoint_write(const char *path, const rni_run_state *run, const char *scene,
                               const void *fluid, uint64_t fluid_bytes);

/* On failure *out is zero and needs no release. */
rn_result rni_checkpoint_read(const char *path, rni_checkpoint *out);
/* The same from memory, which is copied. name is used for the file in messages. */
rn_result rni_checkpoint_parse(const void *bytes, size_t size, const char *name, rni_checkpoint *out);
void rni_checkpoint_release(rni_checkpoint *checkpoint); /* zero structs are fine */

/* Whether the first bytes are those of a checkpoint. */
bool rni_checkpoint_is(const void *bytes, size_t size);

/* Whether a name is one of a checkpoint: it ends in .rnck. */
bool rni_checkpoint_is_named(const char *name);

/* --- those of a folder --- */

/* Whether a name is one that a run gives to its checkpoints: checkpoint_STEP.rnck. */
bool rni_checkpoint_is_of_run(const char *name);

/* Capacity for any path that is made here. */
#define RNI_PATH_BYTES 4096u

/* Newest first: those whose names say so, by the step in the name. At most two are kept by a run,
 * so those that do not fit into the list are old. */
uint32_t rni_checkpoint_list(const char *folder, char (*paths)[RNI_PATH_BYTES], uint32_t capacity);
/* Removes all but the last two up to that of step newest. */
void rni_checkpoint_prune(const char *folder, uint64_t newest);
/* Writes checkpoint_STEP.rnck and then removes all but the last two. */
rn_result rni_checkpoint_keep(const char *folder, const rni_run_state *run, const char *scene,
                              const void *fluid, uint64_t fluid_bytes);

#endif
