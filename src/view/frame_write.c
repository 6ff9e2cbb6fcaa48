/* A packed frame becomes the bytes of a message, piece by piece, as fast as one client's socket takes them. */
#include "view/parts.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

static void put(unsigned char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes); /* x86 and arm: little endian as the protocol is */
}

/* The attributes that this client is sent of its frame; the position is bit 0. */
static uint32_t sent_parts(const rni_client *c)
{
    return c->parts & c->packed->present;
}

static size_t header_bytes(uint32_t parts)
{
    size_t count = (size_t)__builtin_popcount(parts) - 1; /* without the position */
    return RNI_FRAME_HEADER_BYTES + count * RNI_FRAME_ATTRIBUTE_BYTES;
}

static size_t part_bytes(const rni_view *view, const rni_client *c, uint32_t k)
{
    return rni_packed_size(&view->frames.layout.attribute[k], k, c->packed->count);
}

/* Header, poses and positions are always sent and lie side by side. */
static size_t first_bytes(const rni_view *view, const rni_client *c)
{
    return header_bytes(sent_parts(c)) + (size_t)c->packed->pose_count * RNI_FRAME_POSE_BYTES +
           part_bytes(view, c, 0);
}

static void write_attribute(unsigned char *to, const rni_view *view, const rni_client *c,
                            uint32_t k, uint32_t offset)
{
    const rn_attribute *attribute = &view->frames.layout.attribute[k];
    unsigned char kind[4] = {(unsigned char)attribute->components,
                             (unsigned char)rni_packed_format_of(attribute, k)};
    put(to, attribute->name, strlen(attribute->name)); /* shorter than its 24 bytes */
    put(to + 24, kind, 4);
    put(to + 28, &offset, 4);
    put(to + 32, c->packed->range[k], 8);
}

static void write_header(unsigned char *to, const rni_view *view, const rni_client *c)
{
    const rni_packed_frame *packed = c->packed;
    uint32_t parts = sent_parts(c), count = (uint32_t)__builtin_popcount(parts) - 1;
    memset(to, 0, header_bytes(parts));
    put(to, "RNF2", 4);
    put(to + 4, &packed->count, 4);
    put(to + 8, &count, 4);
    put(to + 12, &packed->pose_count, 4);
    put(to + 16, &packed->time, 8);
    put(to + 24, &packed->step, 8);
    put(to + 32, packed->low, 12);
    put(to + 44, packed->high, 12);
    put(to + 56, &packed->radius, 4);
    put(to + 60, &packed->scene, 4);
    uint32_t offset = (uint32_t)first_bytes(view, c);
    to += RNI_FRAME_HEADER_BYTES;
    for (uint32_t k = 1; k < RN_FRAME_MAX_ATTRIBUTES; k++) {
        if (!(parts >> k & 1)) continue;
        write_attribute(to, view, c, k, offset);
        offset += (uint32_t)part_bytes(view, c, k);
        to += RNI_FRAME_ATTRIBUTE_BYTES;
    }
}

/* A piece of the client's frame as it lies in memory: from byte `sent` on, at most RNI_VIEW_CHUNK_BYTES.
 * Parts that are all sent lie side by side: most frames are one piece, or as many as their size asks for. */
static unsigned char *next_piece(const rni_view *view, const rni_client *c, size_t *count)
{
    const uint32_t parts = sent_parts(c);
    unsigned char *piece = NULL, *end = NULL;
    size_t begin = 0;
    for (uint32_t k = 0; k < RN_FRAME_MAX_ATTRIBUTES; k++) {
        if (!(parts >> k & 1)) continue;
        unsigned char *bytes = k == 0 ? c->packed->poses - header_bytes(parts) : c->packed->part[k];
        size_t size = k == 0 ? first_bytes(view, c) : part_bytes(view, c, k);
        if (piece && bytes != end) break;
        if (!piece && c->sent < begin + size) piece = bytes + (c->sent - begin);
        end = bytes + size;
        begin += size;
    }
    size_t remainder = (size_t)(end - piece);
    *count = remainder < RNI_VIEW_CHUNK_BYTES ? remainder : RNI_VIEW_CHUNK_BYTES;
    return piece;
}

/* The library writes the fragment's header in front of the piece, where bytes of the packed frame lie that
 * other clients are still to be sent: they are put back. What the socket does not take the
 * library copies. */
static int write_piece(const rni_view *view, const rni_client *c, unsigned char *piece,
                       size_t count, bool is_last)
{
    unsigned char kept[LWS_PRE];
    int how = lws_write_ws_flags(LWS_WRITE_BINARY, c->sent == 0, is_last);
    if (c->sent == 0) write_header(piece, view, c);
    memcpy(kept, piece - LWS_PRE, LWS_PRE);
    int written = lws_write(c->wsi, piece, count, (enum lws_write_protocol)how);
    memcpy(piece - LWS_PRE, kept, LWS_PRE);
    return written < (int)count ? -1 : 0;
}

static void begin_frame(const rni_view *view, rni_client *c, rni_packed_frame *packed)
{
    c->packed = rni_packed_frame_use(packed);
    c->seen_serial = packed->serial;
    c->sent = 0;
    c->total = first_bytes(view, c);
    for (uint32_t k = 1; k < RN_FRAME_MAX_ATTRIBUTES; k++)
        if (sent_parts(c) >> k & 1) c->total += part_bytes(view, c, k);
}

static bool is_ready(const rni_client *c)
{
    return c->parts && c->rate > 0 && !c->packed && (c->window == 0 || c->unanswered < c->window);
}

static bool is_new(const rni_view *view, const rni_client *c)
{
    const rni_packed_frame *packed = view->frames.current;
    return packed && packed->serial != c->seen_serial && (c->parts & ~packed->asked) == 0;
}

void rni_client_offer(rni_view *view, rni_client *c)
{
    if (!is_ready(c)) return;
    double now = rni_seconds(), period = 1 / c->rate;
    /* A frame that another client asked for and that is a little early for this one will do. */
    if (now < c->due - period / 4) return;
    if (!is_new(view, c)) return;
    /* A late frame does not delay the next one, so that the mean rate is kept. */
    c->due = c->due + period > now - period ? c->due + period : now;
    if (c->window) c->unanswered++;
    begin_frame(view, c, view->frames.current);
    lws_callback_on_writable(c->wsi);
}

/* A frame is one message in many fragments, each given when the last has left: nothing piles up in
 * front of a slow socket. */
int rni_client_write_frame(rni_view *view, rni_client *c)
{
    while (c->packed && !lws_send_pipe_choked(c->wsi)) {
        size_t count = 0;
        unsigned char *piece = next_piece(view, c, &count);
        if (write_piece(view, c, piece, count, c->sent + count == c->total) < 0) return -1;
        c->sent += count;
        if (c->sent < c->total) continue;
        rni_packed_frame_leave(&view->frames, c->packed);
        c->packed = NULL;
        if (c->parts_next) c->parts = c->parts_next, c->seen_serial = 0;
        c->parts_next = 0;
    }
    if (c->packed) lws_callback_on_writable(c->wsi);
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
