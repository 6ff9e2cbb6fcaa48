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

/* Takes the text. */
static bool queue_answer(rni_client *c, rni_text_message *text)
{
    bool is_full = !text || c->answer_count == RNI_VIEW_MAX_ANSWERS ||
                   c->answer_bytes + text->bytes > RNI_VIEW_MAX_ANSWER_BYTES;
    if (is_full) {
        rni_text_leave(text);
        return false;
    }
    c->answer[c->answer_count++] = text;
    c->answer_bytes += text->bytes;
    lws_callback_on_writable(c->wsi);
    return true;
}

/* text as JSON, quotes and all, into to. */
static void write_quoted(char *to, size_t room, const char *text)
{
    size_t used = 0;
    to[used++] = '"';
    for (; *text && used + 8 < room; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') to[used++] = '\\', to[used++] = (char)letter;
        else if (letter < 0x20 || letter >= 0x7f) /* jansson's sentences quote what they choked on */
            used += (size_t)snprintf(to + used, room - used, "\\u%04x", letter);
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
    return queue_answer(c, rni_text_make(text, (size_t)length));
}

/* --- the wheel ---------------------------------------------------------------------------------------------- */

static bool is_wheel_free(const rni_view *view)
{
    for (const rni_client *c = view->clients; c; c = c->next)
        if (c->steers) return false;
    return !view->def.only_watch;
}

static void tell_steers(rni_view *view)
{
    for (rni_client *c = view->clients; c; c = c->next) {
        c->is_told_steers = false;
        lws_callback_on_writable(c->wsi);
    }
}

/* To the one that has waited longest, if anyone does. */
static void pass_wheel(rni_view *view)
{
    rni_client *next = NULL;
    for (rni_client *c = view->clients; c; c = c->next)
        if (c->waits && (!next || c->waits < next->waits)) next = c;
    if (next) next->steers = true, next->waits = 0;
    tell_steers(view);
}

/* --- coming and going ------------------------------------------------------------------------------------------ */

int rni_client_enter(rni_view *view, rni_client *c, struct lws *wsi)
{
    if (atomic_load(&view->client_count) >= RNI_VIEW_MAX_CLIENTS) return -1;
    *c = (rni_client){.wsi = wsi,
                      .number = ++view->client_number,
                      .rate = 30,
                      .is_told_steers = true,
                      .messages_left = RNI_VIEW_MESSAGES_AT_ONCE,
                      .bytes_left = RNI_VIEW_BYTES_AT_ONCE,
                      .refilled = rni_seconds()};
    c->steers = view->def.all_steer || is_wheel_free(view);
    c->next = view->clients;
    view->clients = c;
    atomic_fetch_add(&view->client_count, 1);
    /* What lies unsent in the kernel is old when it arrives. */
    int fd = lws_get_socket_fd(wsi), bytes = 1 << 18, yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    pthread_mutex_lock(&view->mutex);
    for (uint32_t k = 0; k < RNI_VIEW_TOPIC_COUNT; k++)
        if (view->topic[k]) c->topics_due |= 1u << k;
    pthread_mutex_unlock(&view->mutex);
    lws_callback_on_writable(wsi);
    if (c->steers && !view->def.all_steer) tell_steers(view);
    c->is_told_steers = true;
    return 0;
}

void rni_client_leave(rni_view *view, rni_client *c)
{
    rni_client **place = &view->clients;
    while (*place && *place != c) place = &(*place)->next;
    if (!*place) return; /* it never entered */
    *place = c->next;
    atomic_fetch_sub(&view->client_count, 1);
    if (c->shot) rni_shot_leave(&view->shots, c->shot);
    for (uint32_t k = 0; k < c->answer_count; k++) rni_text_leave(c->answer[k]);
    free(c->heard);
    rni_view_order gone = {.verb = RNI_VERB_LEFT, .client = c->number};
    rni_view_enqueue(view, &gone);
    if (c->steers && !view->def.all_steer) {
        rni_view_order let_go = {.verb = RNI_VERB_LET_GO, .client = c->number};
        rni_view_enqueue(view, &let_go);
        pass_wheel(view);
    } else if (c->waits) {
        tell_steers(view);
    }
    c->shot = NULL, c->heard = NULL, c->answer_count = 0;
    rni_clients_ask(view);
}

/* --- hearing ------------------------------------------------------------------------------------------------- */

static void take_wish(rni_view *view, rni_client *c, const rni_view_wish *wish)
{
    const uint32_t attributes = 1u << RNI_PART_DENSITY | 1u << RNI_PART_SPEED |
                                1u << RNI_PART_PRESSURE | 1u << RNI_PART_AGE;
    uint32_t parts = (c->parts_next ? c->parts_next : c->parts) | 1u << RNI_PART_POSITION;
    if (wish->attribute >= 0) parts &= ~attributes;
    if (wish->attribute > 0) parts |= 1u << wish->attribute;
    const int8_t flags[3] = {wish->velocities, wish->accelerations, wish->ids};
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t bit = 1u << (RNI_PART_VELOCITY + k);
        if (flags[k] >= 0) parts = flags[k] ? parts | bit : parts & ~bit;
    }
    if (!isnan(wish->rate)) c->rate = wish->rate;
    if (wish->window >= 0) c->window = (uint32_t)wish->window, c->unanswered = 0;
    c->due = rni_seconds();
    /* The frame under way is finished as it was begun. */
    if (c->shot && parts != c->parts) {
        c->parts_next = parts;
    } else if (parts != c->parts) {
        c->parts = parts;
        c->seen_serial = 0;
    }
    rni_client_offer(view, c);
}

#define ONLY_WATCHED "this run can be watched only; `runnel view` can be steered"

static bool let_go(rni_view *view, rni_client *c, rni_view_order *order)
{
    c->waits = 0;
    if (c->steers && !view->def.all_steer) {
        if (!rni_view_enqueue(view, order))
            return answer_error(c, "too many orders wait for the simulation; this one was not taken");
        c->steers = false;
        pass_wheel(view);
    } else {
        tell_steers(view);
    }
    return true;
}

static bool steer(rni_view *view, rni_client *c, rni_view_order *order)
{
    if (view->def.only_watch) return answer_error(c, ONLY_WATCHED);
    if (order->is_off) return let_go(view, c, order);
    if (!c->steers && !is_wheel_free(view)) {
        if (!c->waits) c->waits = ++view->wait_number;
    } else {
        c->steers = true;
    }
    tell_steers(view);
    return true;
}

static bool obey(rni_view *view, rni_client *c, rni_view_order *order)
{
    order->client = c->number;
    if (order->verb == RNI_VERB_WANT) {
        take_wish(view, c, &order->wish);
    } else if (order->verb == RNI_VERB_GOT) {
        if (c->unanswered) c->unanswered--;
        rni_client_offer(view, c);
    } else if (order->verb == RNI_VERB_STEER) {
        return steer(view, c, order);
    } else if (order->verb > RNI_VERB_LIST && !c->steers) {
        rni_view_order_release(order);
        return answer_error(c, view->def.only_watch  ? ONLY_WATCHED
                               : is_wheel_free(view) ? "nobody steers; ask for the wheel first"
                                                     : "another client steers");
    } else if (!rni_view_enqueue(view, order)) {
        rni_view_order_release(order);
        return answer_error(c, "too many orders wait for the simulation; this one was not taken");
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
    if (c->heard_room > RNI_VIEW_CHUNK_BYTES) {
        free(c->heard);
        c->heard = NULL;
        c->heard_room = 0;
    }
    if (!is_queued) return send_away(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "answers are not read");
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
        return send_away(c, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
    if (c->heard_bytes + count > RNI_VIEW_MAX_MESSAGE_BYTES)
        return send_away(c, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message is 1 MiB at most");
    if (c->heard_bytes + count > c->heard_room) {
        size_t room = 2 * (c->heard_bytes + count) + 256;
        char *larger = realloc(c->heard, room);
        if (!larger) return send_away(c, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "no memory");
        c->heard = larger;
        c->heard_room = room;
    }
    if (count) memcpy(c->heard + c->heard_bytes, bytes, count);
    c->heard_bytes += count;
    bool is_whole = lws_is_final_fragment(c->wsi) && lws_remaining_packet_payload(c->wsi) == 0;
    return is_whole ? hear_message(view, c) : 0;
}

/* --- speaking -------------------------------------------------------------------------------------------------- */

static int write_text(rni_client *c, rni_text_message *text)
{
    int written = lws_write(c->wsi, text->room + LWS_PRE, text->bytes, LWS_WRITE_TEXT);
    return written < (int)text->bytes ? -1 : 0;
}

static int write_new(rni_client *c, const char *text)
{
    rni_text_message *message = rni_text_make(text, strlen(text));
    int result = message ? write_text(c, message) : -1;
    rni_text_leave(message);
    return result;
}

static int write_hello(rni_view *view, rni_client *c)
{
    size_t room = strlen(view->hello) + 160;
    char *text = malloc(room);
    if (!text) return -1;
    snprintf(text, room,
             "{\"type\": \"hello\", \"protocol\": 1, \"client\": %llu, \"steers\": %s, \"watch\": %s, "
             "%s}",
             (unsigned long long)c->number, c->steers ? "true" : "false",
             view->def.only_watch ? "true" : "false", view->hello);
    int result = write_new(c, text);
    free(text);
    c->is_greeted = true;
    return result;
}

static int write_steers(rni_view *view, rni_client *c)
{
    char text[160];
    uint32_t asked = 0;
    for (const rni_client *other = view->clients; other; other = other->next)
        asked += other->waits > 0;
    snprintf(text, sizeof text,
             "{\"type\": \"steers\", \"steers\": %s, \"free\": %s, \"waits\": %s, \"asked\": %u}",
             c->steers ? "true" : "false", is_wheel_free(view) ? "true" : "false",
             c->waits ? "true" : "false", asked);
    c->is_told_steers = true;
    return write_new(c, text);
}

static int write_topic(rni_view *view, rni_client *c)
{
    uint32_t k = 0;
    while (!(c->topics_due >> k & 1)) k++;
    c->topics_due &= ~(1u << k);
    pthread_mutex_lock(&view->mutex);
    rni_text_message *text = view->topic[k];
    if (text) atomic_fetch_add(&text->user_count, 1);
    pthread_mutex_unlock(&view->mutex);
    int result = text ? write_text(c, text) : 0;
    rni_text_leave(text);
    return result;
}

static int write_answer(rni_client *c)
{
    rni_text_message *text = c->answer[0];
    c->answer_count--;
    c->answer_bytes -= text->bytes;
    memmove(c->answer, c->answer + 1, c->answer_count * sizeof *c->answer);
    int result = write_text(c, text);
    rni_text_leave(text);
    return result;
}

static bool has_texts(const rni_client *c)
{
    return !c->is_greeted || c->topics_due || c->answer_count || !c->is_told_steers;
}

/* Texts go between frames, never into one. */
int rni_client_write(rni_view *view, rni_client *c)
{
    while (!c->shot && has_texts(c) && !lws_send_pipe_choked(c->wsi)) {
        int result = !c->is_greeted       ? write_hello(view, c)
                     : c->topics_due      ? write_topic(view, c)
                     : !c->is_told_steers ? write_steers(view, c)
                                          : write_answer(c);
        if (result < 0) return -1;
    }
    if (!c->shot && has_texts(c)) {
        lws_callback_on_writable(c->wsi);
        return 0;
    }
    int result = rni_client_write_frame(view, c);
    if (result == 0 && !c->shot && has_texts(c)) lws_callback_on_writable(c->wsi);
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
        if (!c) rni_text_leave(mail->text);
        else if (!queue_answer(c, mail->text))
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
    rni_shots_take(&view->shots);
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
        if (has_texts(c)) return true;
    return false;
}
