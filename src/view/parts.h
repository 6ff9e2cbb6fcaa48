/* Inside the module: what the server consists of, and all its limits. */
#ifndef RNI_VIEW_PARTS_H
#define RNI_VIEW_PARTS_H

#include "view/packed_frames.h"
#include "view/server.h"

#include <libwebsockets.h>
#include <pthread.h>

/* --- limits --- */
#define RNI_VIEW_MAX_CLIENTS       32u  /* WebSockets */
#define RNI_VIEW_MAX_CONNECTIONS   128u /* of any kind, also half open ones */
#define RNI_VIEW_MAX_MESSAGE_BYTES (1u << 20)
#define RNI_VIEW_MAX_ORDERS        256u /* that wait for the simulation */
#define RNI_VIEW_MAX_ANSWERS       64u  /* that wait for a client */
#define RNI_VIEW_MAX_ANSWER_BYTES  (4u << 20)
#define RNI_VIEW_MESSAGES_A_SECOND 250.0
#define RNI_VIEW_MESSAGES_AT_ONCE  500.0
#define RNI_VIEW_BYTES_A_SECOND    (2.0 * RNI_VIEW_MAX_MESSAGE_BYTES)
#define RNI_VIEW_BYTES_AT_ONCE     (4.0 * RNI_VIEW_MAX_MESSAGE_BYTES)
#define RNI_VIEW_MAX_MALFORMED     10u
#define RNI_VIEW_REQUEST_S         6.0        /* for all of a request, however it drips in */
#define RNI_VIEW_ANSWER_S          60.0       /* for all of an answer over HTTP */
#define RNI_VIEW_CHUNK_BYTES       (1u << 18) /* of a frame, given to the socket at a time */
#define RNI_VIEW_MESHES_BYTES      (1u << 16) /* larger ones are fetched over HTTP */
#define RNI_VIEW_TOKEN_BYTES       33u        /* 128 bits as text, terminated */

/* A message that several clients may be sent. */
typedef struct rni_message {
    _Atomic uint32_t user_count;
    bool is_binary;
    size_t bytes;
    unsigned char buffer[]; /* LWS_PRE bytes that the library writes into, then the message */
} rni_message;

/* One connection; zero at its start. Of the server's thread. */
typedef struct rni_client {
    struct lws *wsi;
    struct rni_client *next;
    uint64_t number;
    bool is_greeted, has_control, knows_control;
    uint64_t waits;      /* its place among those that wait for control; 0: it does not wait */
    uint32_t topics_due; /* bits: 1 << rni_view_topic */
    rni_message *answer[RNI_VIEW_MAX_ANSWERS];
    uint32_t answer_count;
    size_t answer_bytes;

    uint32_t parts;      /* attributes wanted in frames, as bits; 0: no frames are wanted yet */
    uint32_t parts_next; /* wanted from the next frame on; 0: the same */
    double rate;
    uint32_t window, unanswered;
    double due;               /* rni_seconds() of the next frame */
    uint64_t seen_serial;     /* of the last frame sent */
    rni_packed_frame *packed; /* under way; NULL: none */
    size_t sent, total;

    char *heard; /* message so far */
    size_t heard_bytes, heard_capacity;
    double messages_left, bytes_left, refilled; /* of its allowance; when that was renewed */
    uint32_t malformed_count;

    /* HTTP: what is being sent. */
    const char *body;
    size_t body_bytes, body_sent;
    rni_message *body_message; /* that the body belongs to; NULL: a file of the page */
} rni_client;

/* A message on its way from the simulation to one client. */
typedef struct rni_mail {
    struct rni_mail *next;
    uint64_t client;
    rni_message *message;
} rni_mail;

struct rni_view {
    rni_view_def def;
    char *listen, *hello;
    char *attributes;                 /* JSON: those of the layout */
    char token[RNI_VIEW_TOKEN_BYTES]; /* "": none is needed */
    char host_name[128];              /* of this machine; "" when only loopback counts */
    char address[256];
    uint32_t port;
    struct lws_context *context;
    pthread_t thread;
    _Atomic bool is_ending;
    _Atomic uint32_t client_count;
    _Atomic uint32_t asked;  /* attributes that clients wait for ... */
    _Atomic uint64_t due_ns; /* ... from then on */
    _Atomic bool lags;       /* one could have the current frame and was not due for it */
    _Atomic uint64_t thread_ns;
    rni_packed_frames frames;

    pthread_mutex_t mutex; /* what follows; held for a few instructions only */
    pthread_cond_t wake;
    rni_view_order order[RNI_VIEW_MAX_ORDERS + 2 * RNI_VIEW_MAX_CLIENTS];
    uint32_t order_first, order_count;
    rni_message *topic[RNI_VIEW_TOPIC_COUNT];
    rni_message *meshes; /* that are fetched over HTTP; NULL: none */
    char meshes_hash[17];
    uint32_t topics_changed;
    rni_mail *mail, **mail_end;

    /* Of the server's thread. */
    rni_client *clients;
    uint32_t connection_count;
    uint64_t client_number, wait_number;
};

/* --- server.c --- */
rni_message *rni_message_make(const void *bytes, size_t count, bool is_binary); /* NULL: no memory */
void rni_message_leave(rni_message *message);                                   /* NULL is fine */
/* Adds to the queue, which may refuse orders of clients; takes over what the order holds. */
bool rni_view_enqueue(rni_view *view, rni_view_order *order);

/* --- clients.c --- */
int rni_client_enter(rni_view *view, rni_client *client, struct lws *wsi);
void rni_client_leave(rni_view *view, rni_client *client);
/* Some bytes of a message have arrived. */
int rni_client_hear(rni_view *view, rni_client *client, const char *bytes, size_t count);
/* The socket takes more. */
int rni_client_write(rni_view *view, rni_client *client);
/* Serves all clients: new messages, new frames. */
void rni_clients_serve(rni_view *view);
/* Whether messages are still waiting. */
bool rni_clients_wait(const rni_view *view);

/* --- frame_write.c --- */
/* Begins a frame when one is due; then asks the library to be called back. */
void rni_client_offer(rni_view *view, rni_client *client);
/* Writes pieces of the frame under way while the socket takes them; -1: the connection is broken. */
int rni_client_write_frame(rni_view *view, rni_client *client);
/* Tells the simulation what the clients wait for. */
void rni_clients_ask(rni_view *view);

/* --- meshes.c --- */
/* The meshes of a frame as a message; NULL: no memory. */
rni_message *rni_meshes_pack(const rn_frame *frame, uint32_t scene);

/* --- access.c --- */
/* Whether this request may be answered: NULL, or why not. */
const char *rni_access_refusal(const rni_view *view, struct lws *wsi);
bool rni_access_host_is_good(const rni_view *view, const char *host);
/* 128 random bits as text; false: the machine gives none. */
bool rni_access_make_token(char token[RNI_VIEW_TOKEN_BYTES]);

/* --- http.c --- */
int rni_http_begin(rni_view *view, rni_client *client, struct lws *wsi, const char *path);
int rni_http_write(rni_client *client, struct lws *wsi);
/* The connection has ended. */
void rni_http_leave(rni_client *client);
/* Closes the connection when the next step takes longer. The library's own timeouts restart with
 * every byte. */
void rni_http_give_time(struct lws *wsi, double seconds);

/* src/view/web as the build put it into the program (cmake/embed_web.cmake). */
typedef struct rni_web_file {
    const char *name, *type;
    const char *bytes;
    size_t size;
} rni_web_file;
extern const rni_web_file rni_web_files[];
extern const uint32_t rni_web_file_count;

#endif
