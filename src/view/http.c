/* Serves the files of the page, which are embedded in the program. */
#include "view/parts.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct header_line {
    const char *name, *value;
} header_line;

static const header_line LINES[] = {
    {"content-security-policy:",
     "default-src 'self'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; media-src 'self' "
     "blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"x-content-type-options:", "nosniff"},
    {"x-frame-options:", "DENY"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cross-origin-opener-policy:", "same-origin"},
};

static int add_line(struct lws *wsi, const char *name, const char *value, unsigned char **at,
                    unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at, end);
}

/* is_lasting: what is at the address never changes. */
static int begin(const rni_view *view, rni_client *client, struct lws *wsi, unsigned int status,
                 bool is_lasting, const char *type, const char *body, size_t bytes)
{
    unsigned char buffer[LWS_PRE + 2048];
    unsigned char *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    int is_bad = lws_add_http_common_headers(wsi, status, type, bytes, &at, end);
    if (!is_bad)
        is_bad = add_line(
            wsi, "cache-control:", is_lasting ? "private, max-age=31536000, immutable" : "no-store",
            &at, end);
    for (size_t k = 0; k < sizeof LINES / sizeof *LINES && !is_bad; k++)
        is_bad = add_line(wsi, LINES[k].name, LINES[k].value, &at, end);
    if (!is_bad && view->token[0] && status == 200) {
        char cookie[128];
        snprintf(cookie, sizeof cookie, "runnel-%u=%s; Path=/; HttpOnly; SameSite=Strict",
                 view->port, view->token);
        is_bad = add_line(wsi, "set-cookie:", cookie, &at, end);
    }
    if (is_bad || lws_finalize_write_http_header(wsi, start, &at, end)) return -1;
    client->body = body;
    client->body_bytes = bytes;
    client->body_sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int refuse(const rni_view *view, rni_client *client, struct lws *wsi, unsigned int status,
                  const char *sentence)
{
    return begin(view, client, wsi, status, false, "text/plain; charset=utf-8", sentence,
                 strlen(sentence));
}

/* The meshes of the scene, if they are those with this hash. */
static int begin_meshes(rni_view *view, rni_client *client, struct lws *wsi, const char *hash)
{
    rni_message *meshes = NULL;
    pthread_mutex_lock(&view->mutex);
    if (view->meshes && strcmp(view->meshes_hash, hash) == 0) {
        meshes = view->meshes;
        atomic_fetch_add(&meshes->user_count, 1);
    }
    pthread_mutex_unlock(&view->mutex);
    if (!meshes)
        return refuse(view, client, wsi, 404,
                      "There are no such meshes; the scene may have changed.\n");
    rni_http_leave(client);
    client->body_message = meshes;
    return begin(view, client, wsi, 200, true, "application/octet-stream",
                 (const char *)meshes->buffer + LWS_PRE, meshes->bytes);
}

void rni_http_leave(rni_client *client)
{
    rni_message_leave(client->body_message);
    client->body_message = NULL;
    client->body = NULL;
}

int rni_http_begin(rni_view *view, rni_client *client, struct lws *wsi, const char *path)
{
    const char *why = rni_access_refusal(view, wsi);
    if (why) return refuse(view, client, wsi, 403, why);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return refuse(view, client, wsi, 405, "Only GET.\n");
    const char *name = path[0] == '/' ? path + 1 : path;
    if (strcmp(name, "ws") == 0)
        return refuse(view, client, wsi, 426, "This is the WebSocket of the page at /.\n");
    if (strncmp(name, "meshes/", 7) == 0) return begin_meshes(view, client, wsi, name + 7);
    if (!*name) name = "index.html";
    for (uint32_t k = 0; k < rni_web_file_count; k++) {
        const rni_web_file *file = &rni_web_files[k];
        if (strcmp(file->name, name) == 0)
            return begin(view, client, wsi, 200, false, file->type, file->bytes, file->size);
    }
    return refuse(view, client, wsi, 404, "There is no such file.\n");
}

int rni_http_write(rni_client *client, struct lws *wsi)
{
    unsigned char buffer[LWS_PRE + 32768];
    if (!client->body) return 0;
    size_t remainder = client->body_bytes - client->body_sent;
    size_t count = remainder < sizeof buffer - LWS_PRE ? remainder : sizeof buffer - LWS_PRE;
    bool is_last = count == remainder;
    if (count) memcpy(buffer + LWS_PRE, client->body + client->body_sent, count);
    if (lws_write(wsi, buffer + LWS_PRE, count, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
        return -1;
    client->body_sent += count;
    if (!is_last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    rni_http_leave(client); /* the next calls may release the client */
    rni_http_give_time(wsi, RNI_VIEW_REQUEST_S);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

void rni_http_give_time(struct lws *wsi, double seconds)
{
    lws_set_timer_usecs(wsi, (lws_usec_t)(seconds * 1e6));
}
