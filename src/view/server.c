#include "view/parts.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- messages ------------------------------------------------------------------------------------------ */

rni_message *rni_message_make(const void *bytes, size_t count, bool is_binary)
{
    rni_message *message = malloc(sizeof *message + LWS_PRE + count);
    if (!message) return NULL;
    message->user_count = 1;
    message->is_binary = is_binary;
    message->bytes = count;
    if (bytes) memcpy(message->buffer + LWS_PRE, bytes, count);
    return message;
}

void rni_message_leave(rni_message *message)
{
    if (message && atomic_fetch_sub(&message->user_count, 1) == 1) free(message);
}

static rn_result set_topic(rni_view *view, rni_view_topic topic, rni_message *message)
{
    if (!message) return rni_fail(RN_ERROR_MEMORY, "no memory for a message");
    pthread_mutex_lock(&view->mutex);
    rni_message *old = view->topic[topic];
    view->topic[topic] = message;
    view->topics_changed |= 1u << topic;
    pthread_mutex_unlock(&view->mutex);
    rni_message_leave(old);
    lws_cancel_service(view->context);
    return RN_OK;
}

rn_result rni_view_tell(rni_view *view, rni_view_topic topic, const char *text)
{
    return set_topic(view, topic, rni_message_make(text, strlen(text), false));
}

rn_result rni_view_answer(rni_view *view, uint64_t client, const char *text)
{
    rni_mail *mail = malloc(sizeof *mail);
    rni_message *message = mail ? rni_message_make(text, strlen(text), false) : NULL;
    if (!message) {
        free(mail);
        return rni_fail(RN_ERROR_MEMORY, "no memory for a message");
    }
    *mail = (rni_mail){.client = client, .message = message};
    pthread_mutex_lock(&view->mutex);
    *view->mail_end = mail;
    view->mail_end = &mail->next;
    pthread_mutex_unlock(&view->mutex);
    lws_cancel_service(view->context);
    return RN_OK;
}

/* --- orders ------------------------------------------------------------------------------------------- */

#define ORDER_CAPACITY (sizeof((rni_view *)0)->order / sizeof((rni_view *)0)->order[0])

/* Of these only the newest counts. */
static bool takes_place_of(const rni_view_order *new, const rni_view_order *old)
{
    bool is_same = new->verb == old->verb &&new->client == old->client;
    return is_same && (new->verb == RNI_VERB_FORCE || new->verb == RNI_VERB_POUR ||
                       new->verb == RNI_VERB_TILT || new->verb == RNI_VERB_SPEED ||
                       (new->verb == RNI_VERB_SET &&strcmp(new->name, old->name) == 0));
}

bool rni_view_enqueue(rni_view *view, rni_view_order *order)
{
    bool is_taken = true;
    rni_view_order old = {0};
    pthread_mutex_lock(&view->mutex);
    uint32_t count = view->order_count;
    rni_view_order *last =
        count ? &view->order[(view->order_first + count - 1) % ORDER_CAPACITY] : NULL;
    /* The last places are for orders of the server itself. */
    uint32_t capacity = order->verb < RNI_VERB_COUNT ? RNI_VIEW_MAX_ORDERS : (uint32_t)ORDER_CAPACITY;
    if (last && takes_place_of(order, last)) {
        old = *last;
        *last = *order;
    } else if (count < capacity) {
        view->order[(view->order_first + count) % ORDER_CAPACITY] = *order;
        view->order_count++;
    } else {
        is_taken = false;
    }
    pthread_cond_signal(&view->wake);
    pthread_mutex_unlock(&view->mutex);
    rni_view_order_release(&old);
    return is_taken;
}

bool rni_view_next(rni_view *view, rni_view_order *order)
{
    pthread_mutex_lock(&view->mutex);
    bool is_there = view->order_count > 0;
    if (is_there) {
        *order = view->order[view->order_first];
        view->order_first = (uint32_t)((view->order_first + 1) % ORDER_CAPACITY);
        view->order_count--;
    }
    pthread_mutex_unlock(&view->mutex);
    return is_there;
}

void rni_view_wait(rni_view *view, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long ns = until.tv_nsec + (long)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_mutex_lock(&view->mutex);
    if (view->order_count == 0) pthread_cond_timedwait(&view->wake, &view->mutex, &until);
    pthread_mutex_unlock(&view->mutex);
}

/* --- frames -------------------------------------------------------------------------------------------- */

uint32_t rni_view_asked(const rni_view *view)
{
    uint32_t parts = atomic_load(&view->asked);
    return parts && rni_seconds() * 1e9 >= (double)atomic_load(&view->due_ns) ? parts : 0;
}

void rni_view_nudge(rni_view *view)
{
    if (atomic_load(&view->lags)) lws_cancel_service(view->context);
}

rn_result rni_view_publish(rni_view *view, const rn_frame *frame, uint32_t scene)
{
    uint32_t parts = atomic_exchange(&view->asked, 0);
    rn_result result = rni_packed_frames_publish(&view->frames, frame, scene, parts);
    if (result == RN_OK) lws_cancel_service(view->context);
    return result;
}

/* Of what the meshes are, not of the scene's number. */
static uint64_t hash_meshes(const rni_message *message)
{
    const unsigned char *at = message->buffer + LWS_PRE;
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t k = 8; k < message->bytes; k++) hash = (hash ^ at[k]) * 0x100000001b3u;
    return hash;
}

rn_result rni_view_set_meshes(rni_view *view, const rn_frame *frame, uint32_t scene)
{
    rni_message *packed = rni_meshes_pack(frame, scene);
    if (!packed || packed->bytes <= RNI_VIEW_MESHES_BYTES)
        return set_topic(view, RNI_VIEW_MESHES, packed);
    char text[128], hash[sizeof view->meshes_hash];
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_meshes(packed));
    snprintf(text, sizeof text, "{\"type\":\"meshes\",\"scene\":%u,\"hash\":\"%s\",\"bytes\":%zu}",
             scene, hash, packed->bytes);
    pthread_mutex_lock(&view->mutex);
    rni_message *old = view->meshes;
    view->meshes = packed;
    memcpy(view->meshes_hash, hash, sizeof hash);
    pthread_mutex_unlock(&view->mutex);
    rni_message_leave(old);
    return rni_view_tell(view, RNI_VIEW_MESHES, text);
}

/* --- the library calls --------------------------------------------------------------------------------- */

/* Before a WebSocket is accepted. */
static int filter(rni_view *view, struct lws *wsi)
{
    char path[8] = "";
    lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
    unsigned int status = HTTP_STATUS_FORBIDDEN;
    const char *why = rni_access_refusal(view, wsi);
    if (!why && strcmp(path, "/ws") != 0) {
        status = HTTP_STATUS_NOT_FOUND;
        why = "The WebSocket is /ws.\n";
    } else if (!why && atomic_load(&view->client_count) >= RNI_VIEW_MAX_CLIENTS) {
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
        why =
            "32 clients are connected, the most there may be. Try again when one has disconnected.\n";
    }
    if (!why) return 0;
    lws_return_http_status(wsi, status, why);
    return -1;
}

/* Before a connection is accepted. A refused one is told why before anything is stored for it. */
static int admit(const rni_view *view, int line)
{
    static const char FULL[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\n"
                               "Connection: close\r\n\r\nToo many connections; try again later.\n";
    if (view->connection_count < RNI_VIEW_MAX_CONNECTIONS) return 0;
    ssize_t sent = send(line, FULL, sizeof FULL - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)sent; /* best effort */
    return -1;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t bytes)
{
    rni_view *view = lws_context_user(lws_get_context(wsi));
    rni_client *client = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION: return admit(view, (int)(intptr_t)in);
    case LWS_CALLBACK_WSI_CREATE: view->connection_count++; return 0;
    case LWS_CALLBACK_WSI_DESTROY: view->connection_count--; return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        rni_http_give_time(wsi, RNI_VIEW_REQUEST_S);
        return 0;
    case LWS_CALLBACK_TIMER:
        return client && client->number ? 0 : -1; /* WebSockets have no time limit */
    case LWS_CALLBACK_HTTP:
        rni_http_give_time(wsi, RNI_VIEW_ANSWER_S);
        return rni_http_begin(view, client, wsi, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return rni_http_write(client, wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
        if (client) rni_http_leave(client);
        return 0;
    /* HTTP/2 spells Host differently, and is not needed here. */
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return strcmp(in, "websocket") == 0 ? 0 : -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return filter(view, wsi);
    case LWS_CALLBACK_ESTABLISHED: return rni_client_enter(view, client, wsi);
    case LWS_CALLBACK_RECEIVE: return rni_client_hear(view, client, in, bytes);
    case LWS_CALLBACK_SERVER_WRITEABLE: return rni_client_write(view, client);
    case LWS_CALLBACK_CLOSED: rni_client_leave(view, client); return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: rni_clients_serve(view); return 0;
    /* The library's own handling of uploads and files is not wanted. */
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return -1;
    default: return 0;
    }
}

/* The last number: more than a fragment of a frame with its header. Without it the library copies what
 * it is given and hands it to the system in pieces of 4 KiB, one in each iteration of its loop. */
static const struct lws_protocols PROTOCOLS[] = {
    {"http", callback, sizeof(rni_client), 4096, 0, NULL, 0},
    {"runnel-2", callback, sizeof(rni_client), 4096, 0, NULL, 2 * RNI_VIEW_CHUNK_BYTES},
    {0}};

/* --- the thread ---------------------------------------------------------------------------------------- */

/* Where all processors compute, the simulation comes first: this thread gets the remaining time, and the
 * share of a less urgent thread. */
#define LESS_URGENT 3

static void step_back(void)
{
    id_t self = (id_t)syscall(SYS_gettid);
    errno = 0;
    int now = getpriority(PRIO_PROCESS, self);
    if (errno == 0) setpriority(PRIO_PROCESS, self, now + LESS_URGENT);
}

/* How long the server tries to deliver the last messages. */
#define LAST_WORDS_S 1.0

static void *serve(void *data)
{
    rni_view *view = data;
    double until = 0;
    step_back();
    for (;;) {
        if (atomic_load(&view->is_ending)) {
            double now = rni_seconds();
            if (until <= 0) until = now + LAST_WORDS_S;
            rni_clients_serve(view); /* first: the last messages may still be undelivered */
            if (now > until || !rni_clients_wait(view)) break;
            lws_service(view->context, -1);
            usleep(1000);
        } else if (lws_service(view->context, 0) < 0) {
            break;
        }
        atomic_store(&view->thread_ns, (uint64_t)(rni_thread_seconds() * 1e9));
    }
    return NULL;
}

double rni_view_thread_seconds(const rni_view *view)
{
    return (double)atomic_load(&view->thread_ns) * 1e-9;
}

/* --- beginning and end --------------------------------------------------------------------------------- */

/* A silent client is pinged, and disconnected when it does not answer. */
static const lws_retry_bo_t PATIENCE = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 30};

static rn_result open_context(rni_view *view)
{
    const char *at = view->def.listen ? view->def.listen : "127.0.0.1";
    struct lws_context_creation_info info = {
        .port = (int)view->def.port,
        .iface = at,
        .protocols = PROTOCOLS,
        .user = view,
        .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (strchr(at, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
        .timeout_secs = 5,
        .timeout_secs_ah_idle = 5,
        .keepalive_timeout = 5,
        .max_http_header_pool = RNI_VIEW_MAX_CONNECTIONS,
        .max_http_header_data = 4096,
        .fd_limit_per_thread = RNI_VIEW_MAX_CONNECTIONS + 16,
        .server_string = "runnel",
        .retry_and_idle_policy = &PATIENCE,
        .vhost_name = "runnel",
    };
    lws_set_log_level(0, NULL);
    errno = 0;
    view->context = lws_create_context(&info);
    struct lws_vhost *vhost = view->context ? lws_get_vhost_by_name(view->context, "runnel") : NULL;
    int port = vhost ? lws_get_vhost_listen_port(vhost) : 0;
    if (port <= 0)
        return rni_fail(RN_ERROR_FILE,
                        "cannot listen at %s, port %u: it is taken by another program, or not an "
                        "address of this machine; --port 0 takes any port that is free",
                        at, view->def.port);
    view->port = (uint32_t)port;
    return RN_OK;
}

static void write_address(rni_view *view)
{
    const char *at = view->def.listen ? view->def.listen : "127.0.0.1";
    /* Everywhere is no address to open. */
    if (strcmp(at, "0.0.0.0") == 0 || strcmp(at, "::") == 0)
        at = view->host_name[0] ? view->host_name : "127.0.0.1";
    bool is_six = strchr(at, ':') != NULL;
    snprintf(view->address, sizeof view->address, "http://%s%s%s:%u/%s%s", is_six ? "[" : "", at,
             is_six ? "]" : "", view->port, view->token[0] ? "?token=" : "", view->token);
}

/* [{"name": "density", "unit": "kg/m^3", "components": 1}, ...] without the position; NULL: no memory. */
static char *write_attributes(const rn_frame *layout)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) return NULL;
    fputc('[', file);
    for (uint32_t k = 1; k < layout->attribute_count; k++)
        fprintf(file, "%s{\"name\": \"%s\", \"unit\": \"%s\", \"components\": %u}",
                k > 1 ? ", " : "", layout->attribute[k].name, layout->attribute[k].unit,
                layout->attribute[k].components);
    fputc(']', file);
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

static void prepare(rni_view *view)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&view->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&view->mutex, NULL);
    view->mail_end = &view->mail;
}

static void release(rni_view *view)
{
    rni_view_order order;
    if (view->context) lws_context_destroy(view->context);
    while (rni_view_next(view, &order)) rni_view_order_release(&order);
    for (uint32_t k = 0; k < RNI_VIEW_TOPIC_COUNT; k++) rni_message_leave(view->topic[k]);
    rni_message_leave(view->meshes);
    while (view->mail) {
        rni_mail *next = view->mail->next;
        rni_message_leave(view->mail->message);
        free(view->mail);
        view->mail = next;
    }
    rni_packed_frames_free(&view->frames);
    pthread_cond_destroy(&view->wake);
    pthread_mutex_destroy(&view->mutex);
    free(view->listen);
    free(view->hello);
    free(view->attributes);
    free(view);
}

rn_result rni_view_create(const rni_view_def *def, rni_view **out)
{
    *out = NULL;
    rni_view *view = calloc(1, sizeof *view);
    if (!view) return rni_fail(RN_ERROR_MEMORY, "no memory for the viewer's server");
    prepare(view);
    view->def = *def;
    view->hello = strdup(def->hello);
    view->listen = def->listen ? strdup(def->listen) : NULL;
    view->def.listen = view->listen;
    view->attributes = write_attributes(&def->layout);
    rn_result result = rni_packed_frames_init(&view->frames, &def->layout, def->threads);
    if (!view->hello || !view->attributes || (def->listen && !view->listen))
        result = rni_fail(RN_ERROR_MEMORY, "no memory for the viewer's server");
    if (result == RN_OK && def->listen) {
        gethostname(view->host_name, sizeof view->host_name - 1);
        if (!rni_access_make_token(view->token))
            result = rni_fail(RN_ERROR_FILE, "the system has no random numbers for the token");
    }
    if (result == RN_OK) result = open_context(view);
    if (result == RN_OK) write_address(view);
    if (result == RN_OK && pthread_create(&view->thread, NULL, serve, view) != 0)
        result = rni_fail(RN_ERROR_MEMORY, "no thread for the viewer's server");
    if (result != RN_OK) {
        release(view);
        return result;
    }
    *out = view;
    return RN_OK;
}

void rni_view_destroy(rni_view *view)
{
    if (!view) return;
    atomic_store(&view->is_ending, true);
    lws_cancel_service(view->context);
    pthread_join(view->thread, NULL);
    release(view);
}

uint32_t rni_view_port(const rni_view *view)
{
    return view->port;
}

const char *rni_view_address(const rni_view *view)
{
    return view->address;
}

uint32_t rni_view_client_count(const rni_view *view)
{
    return atomic_load(&view->client_count);
}
