/* The viewer's server: a page and a WebSocket, so that people see the water and play with it.
 *
 * Job:    serves the page that lies in the program, sends frames and texts to clients, takes their
 *         orders. Knows frames and messages, not worlds: who owns the water draws its own
 *         conclusions (src/cli/view.c).
 * Input:  rni_view_publish (latest wins), rni_view_tell, rni_view_answer from the simulation.
 * Output: rni_view_next: orders of clients, checked one by one (message.c).
 * Order:  the server has a thread of its own; the simulation never waits for it, and a client that
 *         is slow slows only itself. Everything a client may ask for is bounded (parts.h).
 * Next:   docs/viewer-protocol.md; server.c, clients.c (who is there), access.c (who may be),
 *         shots.c (frames), message.c, http.c, peer.h (a client without a face).
 */
#ifndef RNI_VIEW_SERVER_H
#define RNI_VIEW_SERVER_H

#include "view/message.h"

#include <runnel/base.h>

typedef struct rni_view rni_view;

typedef struct rni_view_def {
    const char *listen; /* address to listen at; NULL: 127.0.0.1, and no token is needed */
    uint32_t port;      /* 0: any that is free */
    bool all_steer;     /* every client has the wheel */
    bool only_watch;    /* nobody has it */
    uint32_t threads; /* that pack large frames while the caller waits; 0: one for each processor */
    const char *hello; /* members of `hello`: "\"program\": \"runnel\", ..." */
} rni_view_def;

/* Listens when it returns. RN_ERROR_FILE: the port or the address cannot be had. */
rn_result rni_view_create(const rni_view_def *def, rni_view **view);
/* What was told last is still delivered, for a moment. NULL is fine. */
void rni_view_destroy(rni_view *view);

uint32_t rni_view_port(const rni_view *view);
/* "http://127.0.0.1:7878/", with the token when there is one. */
const char *rni_view_address(const rni_view *view);
uint32_t rni_view_client_count(const rni_view *view);

/* --- frames --- */

/* What clients wait for now, as bits 1 << rni_view_part; 0: nobody waits. */
uint32_t rni_view_asked(const rni_view *view);
/* Instead of publishing, when the last frame still shows how things are. */
void rni_view_nudge(rni_view *view);

/* Spans of the caller, read during the call only. Pointers of parts that were not asked for may be
 * NULL. */
typedef struct rni_view_frame {
    double time; /* s */
    uint64_t step;
    uint32_t scene; /* number of the scene */
    uint32_t count;
    size_t stride;         /* bytes from one position (velocity, acceleration) to the next */
    const float *position; /* x, y, z */
    const float *velocity;
    const float *acceleration;
    const float *density;
    const float *pressure;
    const float *birth; /* s */
    const uint32_t *id;
    float low[3], high[3]; /* box of all positions */
    float radius;          /* of a particle, m */
} rni_view_frame;

/* Copies what was asked for, quantised; an older frame that nobody took is forgotten. Without memory
 * the frame is not shown, and rn_last_error() tells. */
rn_result rni_view_publish(rni_view *view, const rni_view_frame *frame);

/* --- texts --- */

/* What every client knows, and new ones get at once: the newest text of each topic. */
typedef enum rni_view_topic {
    RNI_VIEW_SCENE = 0,
    RNI_VIEW_VALUES,
    RNI_VIEW_STATE,
    RNI_VIEW_REPORT,
    RNI_VIEW_TOPIC_COUNT
} rni_view_topic;

/* text is a whole JSON message; it is copied. */
rn_result rni_view_tell(rni_view *view, rni_view_topic topic, const char *text);
/* For one client; nobody minds when it has gone. */
rn_result rni_view_answer(rni_view *view, uint64_t client, const char *text);

/* --- orders --- */

/* The oldest order that waits; false: there is none. Release it with rni_view_order_release(). */
bool rni_view_next(rni_view *view, rni_view_order *order);
/* Until an order or a wish for frames comes, or seconds have passed. */
void rni_view_wait(rni_view *view, double seconds);

/* Processor time of the server's thread so far, s. */
double rni_view_thread_seconds(const rni_view *view);

#endif
