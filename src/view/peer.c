#include "view/peer.h"

#include "base/clock.h"
#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_BYTES (1u << 18)

struct rni_peer {
    int socket;
    unsigned char *in; /* bytes that came and are not yet part of a message */
    size_t in_first, in_bytes, in_capacity;
    unsigned char *message; /* fragments so far */
    size_t bytes, capacity;
    bool is_frame, is_ended;
};

static bool grow(unsigned char **block, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity) return true;
    unsigned char *larger = realloc(*block, wanted + wanted / 2);
    if (!larger) return false;
    *block = larger;
    *capacity = wanted + wanted / 2;
    return true;
}

bool rni_peer_send_raw(rni_peer *peer, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(peer->socket, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Reads what there is; false: nothing came in time, or the end. */
static bool receive(rni_peer *peer, double until)
{
    struct pollfd ready = {.fd = peer->socket, .events = POLLIN};
    double rest = until - rni_seconds();
    if (peer->in_first > 0 && peer->in_bytes == 0) peer->in_first = 0;
    if (peer->in_first > READ_BYTES) {
        memmove(peer->in, peer->in + peer->in_first, peer->in_bytes);
        peer->in_first = 0;
    }
    if (!grow(&peer->in, &peer->in_capacity, peer->in_first + peer->in_bytes + READ_BYTES))
        return false;
    if (poll(&ready, 1, rest > 0 ? (int)(rest * 1000) + 1 : 0) <= 0) return false;
    ssize_t got = recv(peer->socket, peer->in + peer->in_first + peer->in_bytes, READ_BYTES, 0);
    if (got <= 0) {
        peer->is_ended = true;
        return false;
    }
    peer->in_bytes += (size_t)got;
    return true;
}

/* --- the handshake ------------------------------------------------------------------------------------- */

static rn_result shake_hands(rni_peer *peer, const rni_peer_def *def)
{
    char text[2048], own[32];
    snprintf(own, sizeof own, "127.0.0.1:%u", def->port);
    int length = snprintf(
        text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: cnVubmVsIHNheXMgaGVsbG8=\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: runnel-2\r\n%s%s%s\r\n",
        def->path ? def->path : "/ws", def->host ? def->host : own, def->origin ? "Origin: " : "",
        def->origin ? def->origin : "", def->origin ? "\r\n" : "");
    if (length >= (int)sizeof text) return rni_fail(RN_ERROR_ARGUMENT, "the request is too long");
    if (!rni_peer_send_raw(peer, text, (size_t)length))
        return rni_fail(RN_ERROR_FILE, "the server ended the connection");
    double until = rni_seconds() + 5;
    for (;;) {
        const char *begin = (const char *)peer->in + peer->in_first;
        const char *end = peer->in_bytes ? memmem(begin, peer->in_bytes, "\r\n\r\n", 4) : NULL;
        if (end) {
            bool is_good = strncmp(begin, "HTTP/1.1 101", 12) == 0;
            size_t used = (size_t)(end - begin) + 4;
            int line = (int)strcspn(begin, "\r");
            if (!is_good) return rni_fail(RN_ERROR_FILE, "the server answered %.*s", line, begin);
            peer->in_first += used;
            peer->in_bytes -= used;
            return RN_OK;
        }
        if (!receive(peer, until)) return rni_fail(RN_ERROR_FILE, "the server gave no answer");
    }
}

rn_result rni_peer_open(const rni_peer_def *def, rni_peer **out)
{
    *out = NULL;
    rni_peer *peer = calloc(1, sizeof *peer);
    if (!peer) return rni_fail(RN_ERROR_MEMORY, "no memory for a client");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)def->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rn_result result = RN_OK;
    if (peer->socket < 0 ||
        connect(peer->socket, (const struct sockaddr *)&address, sizeof address) != 0)
        result = rni_fail(RN_ERROR_FILE, "port %u: %s", def->port, strerror(errno));
    if (result == RN_OK) result = shake_hands(peer, def);
    if (result != RN_OK) {
        rni_peer_close(peer);
        return result;
    }
    *out = peer;
    return RN_OK;
}

void rni_peer_close(rni_peer *peer)
{
    if (!peer) return;
    if (peer->socket >= 0) close(peer->socket);
    free(peer->in);
    free(peer->message);
    free(peer);
}

/* --- messages ------------------------------------------------------------------------------------------- */

/* Clients mask what they send; the mask may be zero here, where nobody listens in between. */
static bool send_frame(rni_peer *peer, unsigned char opcode, const void *bytes, size_t size)
{
    unsigned char head[14] = {(unsigned char)(0x80 | opcode)};
    size_t used = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else {
        size_t width = size < 65536 ? 2 : 8;
        head[1] = width == 2 ? 0x80 | 126 : 0x80 | 127;
        for (size_t k = 0; k < width; k++)
            head[used++] = (unsigned char)((uint64_t)size >> 8 * (width - 1 - k));
    }
    used += 4; /* the mask */
    return rni_peer_send_raw(peer, head, used) && (!size || rni_peer_send_raw(peer, bytes, size));
}

rn_result rni_peer_say(rni_peer *peer, const char *text)
{
    return send_frame(peer, 1, text, strlen(text))
               ? RN_OK
               : rni_fail(RN_ERROR_FILE, "the server ended the connection");
}

/* Header and payload of the fragment that begins the bytes; false: not all of it is there. */
static bool find_fragment(const rni_peer *peer, size_t *head, size_t *size)
{
    const unsigned char *in = peer->in + peer->in_first;
    if (peer->in_bytes < 2) return false;
    uint64_t length = in[1] & 0x7f;
    size_t width = length == 126 ? 2 : length == 127 ? 8 : 0;
    *head = 2 + width;
    if (peer->in_bytes < *head) return false;
    if (width) length = 0;
    for (size_t k = 0; k < width; k++) length = length << 8 | in[2 + k];
    *size = (size_t)length;
    return peer->in_bytes - *head >= *size;
}

/* Takes one fragment; true when a message is whole. */
static bool take_fragment(rni_peer *peer, size_t head, size_t size, rni_peer_message *message)
{
    const unsigned char *in = peer->in + peer->in_first;
    unsigned char opcode = in[0] & 0x0f;
    bool is_final = in[0] & 0x80, is_whole = false;
    if (opcode == 9) send_frame(peer, 10, in + head, size < 125 ? size : 125);
    if (opcode == 8) peer->is_ended = true;
    if (opcode <= 2 || opcode == 8) {
        if (opcode) peer->bytes = 0, peer->is_frame = opcode == 2;
        if (!grow(&peer->message, &peer->capacity, peer->bytes + size + 1)) return false;
        memcpy(peer->message + peer->bytes, in + head, size);
        peer->bytes += size;
        peer->message[peer->bytes] = 0;
        is_whole = is_final;
    }
    peer->in_first += head + size;
    peer->in_bytes -= head + size;
    *message = (rni_peer_message){.is_frame = peer->is_frame,
                                  .is_end = peer->is_ended,
                                  .bytes = peer->message,
                                  .size = peer->bytes};
    return is_whole;
}

bool rni_peer_next(rni_peer *peer, double seconds, rni_peer_message *message)
{
    double until = rni_seconds() + seconds;
    size_t head = 0, size = 0;
    *message = (rni_peer_message){0};
    for (;;) {
        while (find_fragment(peer, &head, &size))
            if (take_fragment(peer, head, size, message)) return true;
        if (receive(peer, until)) continue;
        *message = (rni_peer_message){.is_end = peer->is_ended};
        return peer->is_ended;
    }
}

const char *rni_peer_await(rni_peer *peer, const char *type, double seconds)
{
    double until = rni_seconds() + seconds, rest;
    rni_peer_message message;
    char wanted[64];
    int length = snprintf(wanted, sizeof wanted, "{\"type\": \"%s\"", type);
    while ((rest = until - rni_seconds()) > 0) {
        if (!rni_peer_next(peer, rest, &message) || message.is_end) return NULL;
        if (!message.is_frame && strncmp((const char *)message.bytes, wanted, (size_t)length) == 0)
            return (const char *)message.bytes;
    }
    return NULL;
}
