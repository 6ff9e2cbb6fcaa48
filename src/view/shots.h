/* Frames on their way from the simulation to the clients.
 *
 * A shot is a frame, quantised once. The simulation exchanges the newest shot for the one that nobody
 * took; the server takes it and lends it to clients until the last has sent it. Both sides meet in
 * two atomic pointers only, so that none ever waits.
 */
#ifndef RNI_VIEW_SHOTS_H
#define RNI_VIEW_SHOTS_H

#include "view/server.h"

#include "base/parallel.h"

#include <stdatomic.h>

#define RNI_FRAME_HEADER_BYTES 96u
/* In front of every part: what the library writes its own headers into. */
#define RNI_SHOT_MARGIN 64u
/* A frame is packed by so many workers at most; more wait for memory, not for each other. */
#define RNI_PACK_WORKERS 8u

typedef struct rni_shot {
    struct rni_shot *next; /* in a list of spare ones */
    uint32_t user_count;   /* of the server's thread */
    uint64_t serial;       /* counted from 1 */
    uint32_t parts;        /* bits: 1 << rni_view_part */
    double time;
    uint64_t step;
    uint32_t scene, count;
    float low[3], high[3], radius;
    float range[RNI_PART_COUNT][2]; /* attributes: value for 0 and 255; velocities: [1] is for 127 */
    void *part[RNI_PART_COUNT];     /* RNI_SHOT_MARGIN bytes behind the start of its block */
    size_t room[RNI_PART_COUNT];    /* bytes from there on */
} rni_shot;

/* Of the values of one piece. */
typedef struct rni_pack_range {
    float low, high;
} rni_pack_range;

typedef struct rni_shots {
    _Atomic(rni_shot *) newest;   /* from the simulation */
    _Atomic(rni_shot *) returned; /* list, to the simulation */
    /* Of the simulation. */
    rni_shot *spare;
    uint32_t shot_count;
    uint64_t serial;
    rni_pack_range (*range)[RNI_PART_COUNT]; /* by piece */
    uint32_t range_room;
    rni_memory memory;
    uint32_t worker_count; /* 0: one for each processor */
    rni_crew *crew;        /* NULL until there is a large frame */
    bool is_alone;         /* no crew could be had */
    /* Of the server's thread. */
    rni_shot *current; /* NULL before the first */
} rni_shots;

/* --- the simulation's side --- */
rn_result rni_shots_publish(rni_shots *shots, const rni_view_frame *frame, uint32_t parts);

/* --- the server's side --- */
void rni_shots_take(rni_shots *shots); /* makes the newest current */
rni_shot *rni_shot_use(rni_shot *shot);
void rni_shot_leave(rni_shots *shots, rni_shot *shot);

/* When both sides are done and no shot is used. */
void rni_shots_free(rni_shots *shots);

/* Fills a shot: all parts as bytes of the protocol (pack.c). crew may be NULL; range has room for
 * rni_pack_pieces(count). */
void rni_shot_pack(rni_shot *shot, const rni_view_frame *frame, rni_crew *crew,
                   rni_pack_range (*range)[RNI_PART_COUNT]);
uint32_t rni_pack_pieces(uint32_t count);
/* Bytes of a part a particle. */
size_t rni_part_bytes(rni_view_part part);

#endif
