#include "view/parts.h"

#include "base/clock.h"

#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* --- ending a connection ------------------------------------------------------------------------------- */

/* The reason a browser shows; -1 ends it. */
static int send_away(rni_client *c, enum lws_close_status status, const char *why)
{
    unsigned char text[124];
    snprintf((char *)text, sizeof text, "%s", why);
    lws_close_reason(c->wsi, status, text, strlen((char *)text));
    return -1;
}

/* --- texts for one client --------------------------------------------------------------------------------- */

/* Takes over the message. */
static bool queue_answer(rni_client *c, rni_message *text)
{
    bool is_full = !text || c->answer_count == RNI_VIEW_MAX_ANSWERS ||
                   c->answer_bytes + text->bytes > RNI_VIEW_MAX_ANSWER_BYTES;
    if (is_full) {
        rni_message_leave(text);
        return false;
    }
    c->answer[c->answer_count++] = text;
    c->answer_bytes += text->bytes;
    lws_callback_on_writable(c->wsi);
    return true;
}

/* text as a JSON string with its quotes. */
static void write_quoted(char *to, size_t capacity, const char *text)
{
    size_t used = 0;
    to[used++] = '"';
    for (; *text && used + 8 < capacity; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') to[used++] = '\\', to[used++] = (char)letter;
        else if (letter < 0x20 ||
                 letter >= 0x7f) /* jansson's messages quote the text they could not parse */
            used += (size_t)snprintf(to + used, capacity - used, "\\u%04x", letter);
        else to[used++] = (char)letter;
    }
    to[used++] = '"';
    to[used] = 0;
}

static bool answer_error(rni_client *c, const char *sentence)
{
    char quoted[1600], text[1700];
    write_quoted(quoted, sizeof quoted, sentence);
    int length = snprintf(text, sizeof text, "{\"type\": \"error\", \"sentence\": %s}", quoted);
    return queue_answer(c, rni_message_make(text, (size_t)length, false));
}

/* --- control ---------------------------------------------------------------------------------------------- */

static bool is_control_free(const rni_view *view)
{
    for (const rni_client *c = view->clients; c; c = c->next)
        if (c->has_control) return false;
    return !view->def.only_watch;
}

static void tell_control(rni_view *view)
{
    for (rni_client *c = view->clients; c; c = c->next) {
        c->knows_control = false;
        lws_callback_on_writable(c->wsi);
    }
}

/* To the client that has waited longest, if any waits. */
static void pass_control(rni_view *view)
{
    rni_client *next = NULL;
    for (rni_client *c = view->clients; c; c = c->next)
        if (c->waits && (!next || c->waits < next->waits)) next = c;
    if (next) next->has_control = true, next->waits = 0;
    tell_control(view);
}

/* --- connecting and disconnecting ------------------------------------------------------------------------------------------ */

int rni_client_enter(rni_view *view, rni_client *c, struct lws *wsi)
{
    if (atomic_load(&view->client_count) >= RNI_VIEW_MAX_CLIENTS) return -1;
    *c = (rni_client){.wsi = wsi,
                      .number = ++view->client_number,
                      .rate = 30,
                      .knows_control = true,
                      .messages_left = RNI_VIEW_MESSAGES_AT_ONCE,
                      .bytes_left = RNI_VIEW_BYTES_AT_ONCE,
                      .refilled = rni_seconds()};
    c->has_control = view->def.all_control || is_control_free(view);
    c->next = view->clients;
    view->clients = c;
    atomic_fetch_add(&view->client_count, 1);
    /* A frame that waits in the kernel is old when it arrives. */
    int fd = lws_get_socket_fd(wsi), bytes = 1 << 18, yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pthread_mutex_lock(&view->mutex);
    for (uint32_t k = 0; k < RNI_VIEW_TOPIC_COUNT; k++)
        if (view->topic[k]) c->topics_due |= 1u << k;
    pthread_mutex_unlock(&view->mutex);
    lws_callback_on_writable(wsi);
    if (c->has_control && !view->def.all_control) tell_control(view);
    c->knows_control = true;
    return 0;
}

void rni_client_leave(rni_view *view, rni_client *c)
{
    rni_client **place = &view->clients;
    while (*place && *place != c) place = &(*place)->next;
    if (!*place) return; /* it was never admitted */
    *place = c->next;
    atomic_fetch_sub(&view->client_count, 1);
    if (c->packed) rni_packed_frame_leave(&view->frames, c->packed);
    for (uint32_t k = 0; k < c->answer_count; k++) rni_message_leave(c->answer[k]);
    free(c->heard);
    rni_view_order gone = {.verb = RNI_VERB_LEFT, .client = c->number};
    rni_view_enqueue(view, &gone);
    if (c->has_control && !view->def.all_control) {
        rni_view_order lost = {.verb = RNI_VERB_CONTROL_LOST, .client = c->number};
        rni_view_enqueue(view, &lost);
        pass_control(view);
    } else if (c->waits) {
        tell_control(view);
    }
    c->packed = NULL, c->heard = NULL, c->answer_count = 0;
    rni_clients_ask(view);
}

/* --- receiving ------------------------------------------------------------------------------------------------- */

/* The bits of the attributes that a client names; false: it was told that there is no such attribute. */
static bool find_parts(const rni_view *view, const rni_view_wish *wish, uint32_t *parts,
                       char sentence[256])
{
    const rn_frame *layout = &view->frames.layout;
    *parts = 1u;
    for (int32_t k = 0; k < wish->attribute_count; k++) {
        const rn_attribute *found = rn_frame_get_attribute(layout, wish->attribute[k]);
        if (!found) {
            snprintf(sentence, 256, "the particles have no attribute \"%s\"; `hello` lists them",
                     wish->attribute[k]);
            return false;
        }
        *parts |= 1u << (found - layout->attribute);
    }
    return true;
}

static bool take_wish(rni_view *view, rni_client *c, const rni_view_wish *wish)
{
    uint32_t parts = (c->parts_next ? c->parts_next : c->parts) | 1u;
    char sentence[256];
    if (wish->attribute_count >= 0 && !find_parts(view, wish, &parts, sentence))
        return answer_error(c, sentence);
    if (!isnan(wish->rate)) c->rate = wish->rate;
    if (wish->window >= 0) c->window = (uint32_t)wish->window, c->unanswered = 0;
    c->due = rni_seconds();
    /* The frame under way is finished as it was begun. */
    if (c->packed && parts != c->parts) {
        c->parts_next = parts;
    } else if (parts != c->parts) {
        c->parts = parts;
        c->seen_serial = 0;
    }
    rni_client_offer(view, c);
    return true;
}

#define ONLY_WATCHED "this run can only be watched; `runnel view` can be controlled"
#define QUEUE_FULL   "too many orders wait for the simulation; this one was dropped"

static bool give_up_control(rni_view *view, rni_client *c, rni_view_order *order)
{
    c->waits = 0;
    if (c->has_control && !view->def.all_control) {
        if (!rni_view_enqueue(view, order)) return answer_error(c, QUEUE_FULL);
        c->has_control = false;
        pass_control(view);
    } else {
        tell_control(view);
    }
    return true;
}

static bool take_control(rni_view *view, rni_client *c, rni_view_order *order)
{
    if (view->def.only_watch) return answer_error(c, ONLY_WATCHED);
    if (order->is_off) return give_up_control(view, c, order);
    if (!c->has_control && !is_control_free(view)) {
        if (!c->waits) c->waits = ++view->wait_number;
    } else {
        c->has_control = true;
    }
    tell_control(view);
    return true;
}

static bool obey(rni_view *view, rni_client *c, rni_view_order *order)
{
    order->client = c->number;
    if (order->verb == RNI_VERB_WANT) {
        return take_wish(view, c, &order->wish);
    } else if (order->verb == RNI_VERB_GOT) {
        if (c->unanswered) c->unanswered--;
        rni_client_offer(view, c);
    } else if (order->verb == RNI_VERB_CONTROL) {
        return take_control(view, c, order);
    } else if (order->verb > RNI_VERB_LIST && !c->has_control) {
        rni_view_order_release(order);
        return answer_error(c, view->def.only_watch    ? ONLY_WATCHED
                               : is_control_free(view) ? "no client has control; request it first"
                                                       : "another client has control");
    } else if (!rni_view_enqueue(view, order)) {
        rni_view_order_release(order);
        return answer_error(c, QUEUE_FULL);
    }
    return true;
}

static void refill(rni_client *c)
{
    double now = rni_seconds(), passed = now - c->refilled;
    c->refilled = now;
    c->messages_left =
        fmin(RNI_VIEW_MESSAGES_AT_ONCE, c->messages_left + passed * RNI_VIEW_MESSAGES_A_SECOND);
    c->bytes_left = fmin(RNI_VIEW_BYTES_AT_ONCE, c->bytes_left + passed * RNI_VIEW_BYTES_A_SECOND);
}

static int hear_message(rni_view *view, rni_client *c)
{
    rni_view_order order;
    bool is_queued = true;
    if (--c->messages_left < 0)
        return send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "more than 250 messages a second");
    if (rni_view_order_read(c->heard, c->heard_bytes, &order) == RN_OK) {
        is_queued = obey(view, c, &order);
    } else {
        is_queued = answer_error(c, rn_last_error());
        if (++c->malformed_count >= RNI_VIEW_MAX_MALFORMED)
            return send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "ten malformed messages");
    }
    c->heard_bytes = 0;
    if (c->heard_capacity > RNI_VIEW_CHUNK_BYTES) {
        free(c->heard);
        c->heard = NULL;
        c->heard_capacity = 0;
    }
    if (!is_queued)
        return send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                         "the client does not read its answers");
    rni_clients_ask(view);
    return 0;
}

int rni_client_hear(rni_view *view, rni_client *c, const char *bytes, size_t count)
{
    refill(c);
    c->bytes_left -= (double)count + 8;
    if (c->bytes_left < 0)
        return send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "more than 2 MiB a second");
    if (lws_frame_is_binary(c->wsi))
        return send_away(c, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages must be text");
    if (c->heard_bytes + count > RNI_VIEW_MAX_MESSAGE_BYTES)
        return send_away(c, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is 1 MiB at most");
    if (c->heard_bytes + count > c->heard_capacity) {
        size_t capacity = 2 * (c->heard_bytes + count) + 256;
        char *larger = realloc(c->heard, capacity);
        if (!larger) return send_away(c, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "no memory");
        c->heard = larger;
        c->heard_capacity = capacity;
    }
    if (count) memcpy(c->heard + c->heard_bytes, bytes, count);
    c->heard_bytes += count;
    bool is_whole = lws_is_final_fragment(c->wsi) && lws_remaining_packet_payload(c->wsi) == 0;
    return is_whole ? hear_message(view, c) : 0;
}

/* --- sending -------------------------------------------------------------------------------------------------- */

static int write_message(rni_client *c, rni_message *message)
{
    int written = lws_write(c->wsi, message->buffer + LWS_PRE, message->bytes,
                            message->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    return written < (int)message->bytes ? -1 : 0;
}

static int write_new(rni_client *c, const char *text)
{
    rni_message *message = rni_message_make(text, strlen(text), false);
    int result = message ? write_message(c, message) : -1;
    rni_message_leave(message);
    return result;
}

static int write_hello(rni_view *view, rni_client *c)
{
    size_t capacity = strlen(view->hello) + strlen(view->attributes) + 200;
    char *text = malloc(capacity);
    if (!text) return -1;
    snprintf(text, capacity,
             "{\"type\": \"hello\", \"protocol\": 2, \"client\": %llu, \"control\": %s, \"watch\": %s, "
             "\"attributes\": %s, %s}",
             (unsigned long long)c->number, c->has_control ? "true" : "false",
             view->def.only_watch ? "true" : "false", view->attributes, view->hello);
    int result = write_new(c, text);
    free(text);
    c->is_greeted = true;
    return result;
}

static int write_control(rni_view *view, rni_client *c)
{
    char text[160];
    uint32_t waiting = 0;
    for (const rni_client *other = view->clients; other; other = other->next)
        waiting += other->waits > 0;
    snprintf(text, sizeof text,
             "{\"type\": \"control\", \"control\": %s, \"free\": %s, \"waits\": %s, \"waiting\": %u}",
             c->has_control ? "true" : "false", is_control_free(view) ? "true" : "false",
             c->waits ? "true" : "false", waiting);
    c->knows_control = true;
    return write_new(c, text);
}

static int write_topic(rni_view *view, rni_client *c)
{
    uint32_t k = 0;
    while (!(c->topics_due >> k & 1)) k++;
    c->topics_due &= ~(1u << k);
    pthread_mutex_lock(&view->mutex);
    rni_message *text = view->topic[k];
    if (text) atomic_fetch_add(&text->user_count, 1);
    pthread_mutex_unlock(&view->mutex);
    int result = text ? write_message(c, text) : 0;
    rni_message_leave(text);
    return result;
}

static int write_answer(rni_client *c)
{
    rni_message *text = c->answer[0];
    c->answer_count--;
    c->answer_bytes -= text->bytes;
    memmove(c->answer, c->answer + 1, c->answer_count * sizeof *c->answer);
    int result = write_message(c, text);
    rni_message_leave(text);
    return result;
}

static bool has_messages(const rni_client *c)
{
    return !c->is_greeted || c->topics_due || c->answer_count || !c->knows_control;
}

/* Messages go between frames, never into one. */
int rni_client_write(rni_view *view, rni_client *c)
{
    while (!c->packed && has_messages(c) && !lws_send_pipe_choked(c->wsi)) {
        int result = !c->is_greeted      ? write_hello(view, c)
                     : c->topics_due     ? write_topic(view, c)
                     : !c->knows_control ? write_control(view, c)
                                         : write_answer(c);
        if (result < 0) return -1;
    }
    if (!c->packed && has_messages(c)) {
        lws_callback_on_writable(c->wsi);
        return 0;
    }
    int result = rni_client_write_frame(view, c);
    if (result == 0 && !c->packed && has_messages(c)) lws_callback_on_writable(c->wsi);
    rni_clients_ask(view);
    return result;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void deliver(rni_view *view, rni_mail *mail)
{
    while (mail) {
        rni_mail *next = mail->next;
        rni_client *c = view->clients;
        while (c && c->number != mail->client) c = c->next;
        if (!c) rni_message_leave(mail->message);
        else if (!queue_answer(c, mail->message))
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
        free(mail);
        mail = next;
    }
}

void rni_clients_serve(rni_view *view)
{
    pthread_mutex_lock(&view->mutex);
    uint32_t changed = view->topics_changed;
    rni_mail *mail = view->mail;
    view->topics_changed = 0;
    view->mail = NULL;
    view->mail_end = &view->mail;
    pthread_mutex_unlock(&view->mutex);
    deliver(view, mail);
    rni_packed_frames_take(&view->frames);
    for (rni_client *c = view->clients; c; c = c->next) {
        c->topics_due |= changed;
        if (changed) lws_callback_on_writable(c->wsi);
        rni_client_offer(view, c);
    }
    rni_clients_ask(view);
}

bool rni_clients_wait(const rni_view *view)
{
    for (const rni_client *c = view->clients; c; c = c->next)
        if (has_messages(c)) return true;
    return false;
}
