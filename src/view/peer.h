/* A minimal client for benchmarks and tests, and the smallest example of the protocol.
 * Plain sockets, one thread, this machine only. */
#ifndef RNI_VIEW_PEER_H
#define RNI_VIEW_PEER_H

#include <runnel/base.h>

#include <stddef.h>

typedef struct rni_peer rni_peer;

typedef struct rni_peer_def {
    uint32_t port;
    const char *host;   /* Host; NULL: 127.0.0.1:PORT */
    const char *origin; /* Origin; NULL: none is sent */
    const char *path;   /* NULL: /ws */
} rni_peer_def;

/* RN_ERROR_FILE: no server listens, or it refused; the message quotes its answer. */
rn_result rni_peer_open(const rni_peer_def *def, rni_peer **peer);
void rni_peer_close(rni_peer *peer); /* NULL is fine */
rn_result rni_peer_say(rni_peer *peer, const char *text);

typedef struct rni_peer_message {
    bool is_frame;
    bool is_end;                /* the server has ended the connection; bytes has its reason */
    const unsigned char *bytes; /* terminated; until the next call */
    size_t size;
} rni_peer_message;

/* The next whole message; false: none came in this time. */
bool rni_peer_next(rni_peer *peer, double seconds, rni_peer_message *message);
/* The next text of this type; others are skipped; NULL: none came in this time, or the end. */
const char *rni_peer_await(rni_peer *peer, const char *type, double seconds);

/* For tests: raw bytes; false when the connection is broken. */
bool rni_peer_send_raw(rni_peer *peer, const void *bytes, size_t size);

#endif
