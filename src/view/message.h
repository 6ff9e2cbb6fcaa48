/* Messages of clients: one JSON text -> one order whose values are all checked. */
#ifndef RNI_VIEW_MESSAGE_H
#define RNI_VIEW_MESSAGE_H

#include <runnel/frame.h>

#include <stddef.h>

typedef enum rni_view_verb {
    RNI_VERB_WANT = 0, /* the server carries these three out itself ... */
    RNI_VERB_GOT,
    RNI_VERB_CONTROL, /* ... and passes on that a client gave up control: is_off */
    RNI_VERB_PICK,    /* from here on for the simulation; these two do not need control */
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
    RNI_VERB_COUNT,                 /* of those that a client can send */
    RNI_VERB_LEFT = RNI_VERB_COUNT, /* the client has disconnected */
    RNI_VERB_CONTROL_LOST           /* the controlling client has disconnected */
} rni_view_verb;

#define RNI_VIEW_MAX_SETTINGS 256u
#define RNI_VIEW_NAME_BYTES   128u

/* What a client asks frames to be; NAN, -1: as before. */
typedef struct rni_view_wish {
    double rate;             /* frames a second, 0 to 60 */
    int32_t window;          /* 0 to 8 */
    int32_t attribute_count; /* 0: positions only */
    char attribute[RN_FRAME_MAX_ATTRIBUTES][RN_ATTRIBUTE_NAME_BYTES];
} rni_view_wish;

typedef struct rni_view_order {
    rni_view_verb verb;
    uint64_t client;
    rni_view_wish wish;             /* want */
    bool is_off;                    /* force, pour, pick, control */
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
