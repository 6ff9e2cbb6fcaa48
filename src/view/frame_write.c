/* A shot becomes the bytes of a frame, piece by piece, as fast as one client's socket takes them. */
#include "view/parts.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

/* Parts in the order of the protocol. */
static const rni_view_part ORDER[] = {RNI_PART_POSITION,     RNI_PART_DENSITY, RNI_PART_SPEED,
                                      RNI_PART_PRESSURE,     RNI_PART_AGE,     RNI_PART_VELOCITY,
                                      RNI_PART_ACCELERATION, RNI_PART_ID};
#define ORDER_COUNT (sizeof ORDER / sizeof *ORDER)

static uint32_t attribute_of(uint32_t parts)
{
    for (uint32_t p = RNI_PART_DENSITY; p <= RNI_PART_AGE; p++)
        if (parts >> p & 1) return p;
    return 0;
}

/* Bytes of a part in a frame, to a multiple of four. */
static size_t part_size(const rni_shot *shot, rni_view_part part)
{
    return ((size_t)shot->count * rni_part_bytes(part) + 3) & ~(size_t)3;
}

static void put(unsigned char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes); /* x86 and arm: little endian as the protocol is */
}

static void write_header(unsigned char *to, const rni_shot *shot, uint32_t parts)
{
    uint32_t attribute = attribute_of(parts);
    uint32_t what = (attribute ? 1u : 0u) | (parts >> RNI_PART_VELOCITY & 1) << 1 |
                    (parts >> RNI_PART_ACCELERATION & 1) << 2 | (parts >> RNI_PART_ID & 1) << 3;
    memset(to, 0, RNI_FRAME_HEADER_BYTES);
    put(to, "RNF1", 4);
    put(to + 4, &shot->count, 4);
    put(to + 8, &what, 4);
    put(to + 12, &attribute, 4);
    put(to + 16, &shot->time, 8);
    put(to + 24, &shot->step, 8);
    put(to + 32, shot->low, 12);
    put(to + 44, shot->high, 12);
    put(to + 56, shot->range[attribute], 8);
    put(to + 64, &shot->range[RNI_PART_VELOCITY][1], 4);
    put(to + 68, &shot->range[RNI_PART_ACCELERATION][1], 4);
    put(to + 72, &shot->radius, 4);
    put(to + 76, &shot->scene, 4);
}

/* A piece of the client's frame as it lies in memory: from byte `sent` on, at most RNI_VIEW_CHUNK_BYTES. */
static unsigned char *next_piece(rni_client *c, size_t *count)
{
    size_t begin = 0;
    for (size_t k = 0; k <= ORDER_COUNT; k++) {
        rni_view_part part = k ? ORDER[k - 1] : RNI_PART_COUNT;
        if (k && !(c->parts >> part & 1)) continue;
        unsigned char *bytes = k ? c->shot->part[part] : c->header + LWS_PRE;
        size_t size = k ? part_size(c->shot, part) : RNI_FRAME_HEADER_BYTES;
        if (c->sent < begin + size) {
            size_t rest = begin + size - c->sent;
            *count = rest < RNI_VIEW_CHUNK_BYTES ? rest : RNI_VIEW_CHUNK_BYTES;
            return bytes + (c->sent - begin);
        }
        begin += size;
    }
    *count = 0;
    return c->header + LWS_PRE;
}

/* The library writes the fragment's header in front of the piece, where bytes of the shot lie that
 * other clients are still to be sent: they are put back. What the socket does not take the
 * library copies. */
static int write_piece(rni_client *c, unsigned char *piece, size_t count, bool is_last)
{
    unsigned char kept[LWS_PRE];
    int how = lws_write_ws_flags(LWS_WRITE_BINARY, c->sent == 0, is_last);
    memcpy(kept, piece - LWS_PRE, LWS_PRE);
    int written = lws_write(c->wsi, piece, count, (enum lws_write_protocol)how);
    memcpy(piece - LWS_PRE, kept, LWS_PRE);
    return written < (int)count ? -1 : 0;
}

static void begin_frame(rni_client *c, rni_shot *shot)
{
    c->shot = rni_shot_use(shot);
    c->seen_serial = shot->serial;
    c->sent = 0;
    c->total = RNI_FRAME_HEADER_BYTES;
    for (size_t k = 0; k < ORDER_COUNT; k++)
        if (c->parts >> ORDER[k] & 1) c->total += part_size(shot, ORDER[k]);
    write_header(c->header + LWS_PRE, shot, c->parts);
}

static bool is_ready(const rni_client *c)
{
    return c->parts && c->rate > 0 && !c->shot && (c->window == 0 || c->unanswered < c->window);
}

static bool is_new(const rni_view *view, const rni_client *c)
{
    const rni_shot *shot = view->shots.current;
    return shot && shot->serial != c->seen_serial && (c->parts & ~shot->parts) == 0;
}

void rni_client_offer(rni_view *view, rni_client *c)
{
    if (!is_ready(c)) return;
    double now = rni_seconds(), period = 1 / c->rate;
    /* A frame that is there a little early for this client, because another asked for it, will do. */
    if (now < c->due - period / 4) return;
    if (!is_new(view, c)) return;
    /* A frame that came late does not make the next one late, so that the mean rate is kept. */
    c->due = c->due + period > now - period ? c->due + period : now;
    if (c->window) c->unanswered++;
    begin_frame(c, view->shots.current);
    lws_callback_on_writable(c->wsi);
}

/* A frame is one message in many fragments, each given when the last has left: nothing heaps up in
 * front of a slow socket. */
int rni_client_write_frame(rni_view *view, rni_client *c)
{
    while (c->shot && !lws_send_pipe_choked(c->wsi)) {
        size_t count = 0;
        unsigned char *piece = next_piece(c, &count);
        if (write_piece(c, piece, count, c->sent + count == c->total) < 0) return -1;
        c->sent += count;
        if (c->sent < c->total) continue;
        rni_shot_leave(&view->shots, c->shot);
        c->shot = NULL;
        if (c->parts_next) c->parts = c->parts_next, c->seen_serial = 0;
        c->parts_next = 0;
    }
    if (c->shot) lws_callback_on_writable(c->wsi);
    else rni_client_offer(view, c);
    return 0;
}

/* The simulation looks at the time itself (rni_view_asked): no timer wakes this thread. */
void rni_clients_ask(rni_view *view)
{
    uint32_t parts = 0;
    bool is_waiting = false, lags = false;
    double due = HUGE_VAL;
    for (rni_client *c = view->clients; c; c = c->next) {
        if (c->rate > 0) parts |= c->parts;
        if (!is_ready(c)) continue;
        is_waiting = true;
        lags |= is_new(view, c);
        due = fmin(due, c->due);
    }
    uint32_t asked = is_waiting ? parts : 0;
    atomic_store(&view->due_ns, is_waiting ? (uint64_t)(fmax(due, 0) * 1e9) : 0);
    atomic_store(&view->lags, lags);
    if (atomic_exchange(&view->asked, asked) == asked || !asked) return;
    pthread_mutex_lock(&view->mutex);
    pthread_cond_signal(&view->wake);
    pthread_mutex_unlock(&view->mutex);
}
