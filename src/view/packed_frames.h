/* Frames on their way from the simulation to the clients.
 *
 * Job:    a packed frame is a frame in the bytes of the protocol, quantised once for all clients.
 * Input:  rni_packed_frames_publish() by the simulation; the latest frame replaces one that was not taken.
 * Output: rni_packed_frames_take() by the server's thread, which lends a packed frame to its clients until
 *         the last of them has sent it.
 * Order:  both sides meet in two atomic pointers only, so that neither ever waits.
 * Next:   pack.c (from floats to bytes), frame_write.c (from a packed frame to a socket).
 */
#ifndef RNI_VIEW_PACKED_FRAMES_H
#define RNI_VIEW_PACKED_FRAMES_H

#include "view/server.h"

#include "base/parallel.h"

#include <stdatomic.h>

/* Of the protocol: the fixed part of a frame's header, a row of its attribute table, a pose. */
#define RNI_FRAME_HEADER_BYTES    64u
#define RNI_FRAME_ATTRIBUTE_BYTES 40u
#define RNI_FRAME_POSE_BYTES      32u
/* In front of poses and positions: the longest header, and space that libwebsockets writes into. */
#define RNI_PACKED_MARGIN 1088u
/* A frame is packed by so many workers at most; more wait for memory, not for each other. */
#define RNI_PACK_WORKERS 8u

/* How an attribute is sent; numbers of the protocol. */
typedef enum rni_packed_format {
    RNI_PACKED_U8 = 0,  /* one float: 8 bits from the lowest value to the highest */
    RNI_PACKED_I8 = 1,  /* a vector: 8 bits a component, 127 being the largest magnitude */
    RNI_PACKED_U32 = 2, /* whole numbers as they are */
    RNI_PACKED_U16 = 3  /* positions only: 16 bits a component within the domain */
} rni_packed_format;

typedef struct rni_packed_frame {
    struct rni_packed_frame *next; /* in a list of spare ones */
    uint32_t user_count;           /* of the server's thread */
    uint64_t serial;               /* counted from 1 */
    uint32_t asked;                /* bits: 1 << attribute, for which it was packed ... */
    uint32_t present;              /* ... and those that the frame had */
    double time;
    uint64_t step;
    uint32_t scene, count, pose_count;
    float low[3], high[3], radius;
    float range[RN_FRAME_MAX_ATTRIBUTES][2]; /* value of the lowest and of the highest number */
    /* Behind the margin, as in the protocol: poses, positions, then the other attributes in the order of
     * their bits, each padded to a multiple of four. */
    unsigned char *block;
    size_t capacity;
    unsigned char *poses;
    void *part[RN_FRAME_MAX_ATTRIBUTES]; /* of those that are present */
} rni_packed_frame;

/* Of the values of one piece. */
typedef struct rni_pack_range {
    float low, high;
} rni_pack_range;

typedef struct rni_packed_frames {
    rn_frame layout; /* attributes that frames may have, without data; bits count from position, 0 */
    _Atomic(rni_packed_frame *) newest;   /* from the simulation */
    _Atomic(rni_packed_frame *) returned; /* list, to the simulation */
    /* Of the simulation. */
    rni_packed_frame *spare;
    uint32_t frame_count;
    uint64_t serial;
    rni_pack_range (*range)[RN_FRAME_MAX_ATTRIBUTES]; /* by piece */
    uint32_t range_capacity;
    rni_memory memory;
    uint32_t worker_count; /* 0: one for each processor */
    rni_crew *crew;        /* NULL until there is a large frame */
    bool is_alone;         /* no crew could be created */
    /* Of the server's thread. */
    rni_packed_frame *current; /* NULL before the first */
} rni_packed_frames;

/* Zero becomes ready. worker_count 0: one for each processor. */
rn_result rni_packed_frames_init(rni_packed_frames *frames, const rn_frame *layout,
                                 uint32_t worker_count);

/* --- the simulation's side --- */
rn_result rni_packed_frames_publish(rni_packed_frames *frames, const rn_frame *frame,
                                    uint32_t scene, uint32_t asked);

/* --- the server's side --- */
void rni_packed_frames_take(rni_packed_frames *frames); /* makes the newest current */
rni_packed_frame *rni_packed_frame_use(rni_packed_frame *frame);
void rni_packed_frame_leave(rni_packed_frames *frames, rni_packed_frame *frame);

/* When both sides are done and no packed frame is used. */
void rni_packed_frames_free(rni_packed_frames *frames);

/* --- pack.c --- */

/* Attributes of a frame by bit; NULL: not asked for, or not there. */
typedef struct rni_packing {
    rni_packed_frame *packed;
    const rn_frame *frame;
    const rn_attribute *attribute[RN_FRAME_MAX_ATTRIBUTES];
    rni_pack_range (*range)[RN_FRAME_MAX_ATTRIBUTES]; /* rni_pack_pieces(count) of them */
} rni_packing;

/* Fills all parts that are present. crew may be NULL. */
void rni_frame_pack(const rni_packing *packing, rni_crew *crew);
uint32_t rni_pack_pieces(uint32_t count);

rni_packed_format rni_packed_format_of(const rn_attribute *attribute, uint32_t bit);
/* Bytes of an attribute in a frame: a multiple of four. */
size_t rni_packed_size(const rn_attribute *attribute, uint32_t bit, uint32_t count);

/* NULL, or what is wrong with a packed frame: for asserts. */
const char *rni_packed_frame_flaw(const rni_packed_frames *frames, const rni_packed_frame *packed);

#endif
