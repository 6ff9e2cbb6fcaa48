/* What a client says: one JSON text -> one order whose values are all checked. */
#ifndef RNI_VIEW_MESSAGE_H
#define RNI_VIEW_MESSAGE_H

#include <runnel/base.h>

#include <stddef.h>

/* What a frame may carry beside positions; attributes have the numbers of the protocol. */
typedef enum rni_view_part {
    RNI_PART_POSITION = 0,
    RNI_PART_DENSITY = 1,
    RNI_PART_SPEED = 2,
    RNI_PART_PRESSURE = 3,
    RNI_PART_AGE = 4,
    RNI_PART_VELOCITY = 5,
    RNI_PART_ACCELERATION = 6,
    RNI_PART_ID = 7,
    RNI_PART_COUNT = 8
} rni_view_part;

typedef enum rni_view_verb {
    RNI_VERB_WANT = 0, /* these three stay with the server ... */
    RNI_VERB_GOT,
    RNI_VERB_STEER, /* ... but for one that steers no more: is_off */
    RNI_VERB_PICK,  /* from here on for the simulation; who does not steer may do these two */
    RNI_VERB_LIST,
    RNI_VERB_START,
    RNI_VERB_PAUSE,
    RNI_VERB_STEP,
    RNI_VERB_RESTART,
    RNI_VERB_SPEED,
    RNI_VERB_SET,
    RNI_VERB_UNDO,
    RNI_VERB_REDO,
    RNI_VERB_OPEN,
    RNI_VERB_FORCE,
    RNI_VERB_POUR,
    RNI_VERB_TILT,
    RNI_VERB_SAVE,
    RNI_VERB_LOAD,
    RNI_VERB_COUNT,                 /* of those a client can say */
    RNI_VERB_LEFT = RNI_VERB_COUNT, /* the client has gone */
    RNI_VERB_LET_GO                 /* the one that steered has gone */
} rni_view_verb;

#define RNI_VIEW_MAX_SETTINGS 256u
#define RNI_VIEW_NAME_BYTES   128u

/* A wish for frames; NAN, -1: as before. */
typedef struct rni_view_wish {
    double rate;                           /* frames a second, 0 to 60 */
    int32_t attribute;                     /* 0 none, else an rni_view_part */
    int8_t velocities, accelerations, ids; /* 0, 1 */
    int32_t window;                        /* 0 to 8 */
} rni_view_wish;

typedef struct rni_view_order {
    rni_view_verb verb;
    uint64_t client;
    rni_view_wish wish;             /* want */
    bool is_off;                    /* force, pour, pick, steer */
    bool has_axis;                  /* force */
    bool has_id;                    /* pick: id counts; else the ray */
    bool replaces;                  /* save */
    bool is_scene;                  /* save: a scene instead of a checkpoint */
    uint32_t id;                    /* pick */
    float position[3];              /* force, pour; pick: origin of the ray */
    float direction[3];             /* force: m/s^2; pour, pick: of any length; tilt: gravity */
    float axis[3];                  /* force */
    float radius, speed, pull;      /* m, m/s, m/s^2 */
    double pace;                    /* speed */
    char name[RNI_VIEW_NAME_BYTES]; /* set: path; open, save, load: name */
    char *scene;                    /* open: JSON; NULL: name counts */
    char **settings;                /* set (one), open: "path=value" */
    uint32_t setting_count;
} rni_view_order;

/* RN_ERROR_ARGUMENT with a sentence for the client; *order then holds nothing. */
rn_result rni_view_order_read(const char *text, size_t bytes, rni_view_order *order);
void rni_view_order_release(rni_view_order *order); /* zero is fine */

/* A file name of ours: letters, digits, blanks, - _ . and what is not ASCII; no point at the start, no
 * separator, 64 bytes at most. The sentence tells what is wrong. */
rn_result rni_view_name_check(const char *name);

#endif
