/* The viewer's server: a page and a WebSocket that show a simulation and let clients control it.
 *
 * Job:    serves the page that is embedded in the program, sends frames and messages to clients, receives
 *         their orders. Knows frames and messages, not simulations: session/ carries the orders out.
 * Input:  rni_view_publish (the latest frame wins), rni_view_tell, rni_view_answer from the simulation.
 * Output: rni_view_next: orders of clients, checked one by one (message.c).
 * Order:  the server has its own thread; the simulation never waits for it, and a slow client
 *         slows only itself. Everything that a client may ask for is limited (parts.h).
 * Next:   docs/viewer-protocol.md; server.c, clients.c (connected clients, control), access.c (who may
 *         connect), packed_frames.h (frames), message.c, http.c, peer.h (a client for tests).
 */
#ifndef RNI_VIEW_SERVER_H
#define RNI_VIEW_SERVER_H

#include "view/message.h"

#include <runnel/base.h>

typedef struct rni_view rni_view;

typedef struct rni_view_def {
    const char *listen; /* address to listen at; NULL: 127.0.0.1, and no token is needed */
    uint32_t port;      /* 0: any that is free */
    bool all_control;   /* every client has control */
    bool only_watch;    /* no client has it */
    uint32_t threads; /* that pack large frames while the caller waits; 0: one for each processor */
    const char *hello; /* members of `hello`: "\"program\": \"runnel\", ..." */
    rn_frame layout; /* attributes that frames may have; names and units outlive the server, data are not read */
} rni_view_def;

/* Listens when it returns. RN_ERROR_FILE: the port or the address is not available. */
rn_result rni_view_create(const rni_view_def *def, rni_view **view);
/* Waits up to a second until the last messages are delivered. NULL is fine. */
void rni_view_destroy(rni_view *view);

uint32_t rni_view_port(const rni_view *view);
/* "http://127.0.0.1:7878/", with the token when there is one. */
const char *rni_view_address(const rni_view *view);
uint32_t rni_view_client_count(const rni_view *view);

/* --- frames --- */

/* Attributes that clients wait for now, as bits of def.layout; 0: no client waits for a frame. */
uint32_t rni_view_asked(const rni_view *view);
/* Instead of publishing, when the last frame still shows the present state. */
void rni_view_nudge(rni_view *view);

/* Copies the attributes that were asked for, quantised, and the poses; an older frame that was not taken is
 * dropped. scene is the number of the scene. The box of positions is the frame's domain. Without memory the
 * frame is not shown, and rn_last_error() says so. */
rn_result rni_view_publish(rni_view *view, const rn_frame *frame, uint32_t scene);

/* The meshes that poses of the following frames refer to; sent once to each client. Copied. */
rn_result rni_view_set_meshes(rni_view *view, const rn_frame *frame, uint32_t scene);

/* --- messages --- */

/* Every client is sent the newest message of each topic, also one that connects later. */
typedef enum rni_view_topic {
    RNI_VIEW_SCENE = 0,
    RNI_VIEW_MESHES, /* rni_view_set_meshes() */
    RNI_VIEW_VALUES,
    RNI_VIEW_STATE,
    RNI_VIEW_REPORT,
    RNI_VIEW_TOPIC_COUNT
} rni_view_topic;

/* text is a whole JSON message; it is copied. */
rn_result rni_view_tell(rni_view *view, rni_view_topic topic, const char *text);
/* For one client; without effect when it has disconnected. */
rn_result rni_view_answer(rni_view *view, uint64_t client, const char *text);

/* --- orders --- */

/* The oldest order that waits; false: there is none. Release it with rni_view_order_release(). */
bool rni_view_next(rni_view *view, rni_view_order *order);
/* Until an order or a request for frames arrives, or seconds have passed. */
void rni_view_wait(rni_view *view, double seconds);

/* Processor time of the server's thread so far, s. */
double rni_view_thread_seconds(const rni_view *view);

#endif
