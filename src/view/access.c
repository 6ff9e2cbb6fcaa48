/* Who may connect. A web page of another site that is open in a browser on this machine must not get
 * control: its Origin differs. Nor must a page whose name was made to point here (DNS rebinding): its
 * Host is not this machine. */
#include "view/parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

bool rni_access_make_token(char token[RNI_VIEW_TOKEN_BYTES])
{
    unsigned char bytes[16];
    ssize_t got;
    while ((got = getrandom(bytes, sizeof bytes, 0)) < 0 && errno == EINTR) continue;
    if (got != (ssize_t)sizeof bytes) return false;
    for (uint32_t k = 0; k < sizeof bytes; k++)
        snprintf(token + (size_t)2 * k, 3, "%02x", bytes[k]);
    return true;
}

/* The name of host without its port: "[::1]" of "[::1]:80". False when it is no host. */
static bool split_host(const char *host, char name[128])
{
    size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length == 0 || length >= 128 || length > strlen(host)) return false;
    const char *port = host + length;
    if (*port && (*port != ':' || !port[1] || strlen(port) > 6 ||
                  port[1 + strspn(port + 1, "0123456789")] != 0))
        return false;
    memcpy(name, host, length);
    name[length] = 0;
    return true;
}

static bool is_plain_address(const char *name)
{
    struct in6_addr address;
    char inner[128];
    if (inet_pton(AF_INET, name, &address) == 1) return true;
    size_t length = strlen(name);
    if (name[0] != '[' || length < 4) return false;
    snprintf(inner, sizeof inner, "%.*s", (int)(length - 2), name + 1);
    return inet_pton(AF_INET6, inner, &address) == 1;
}

bool rni_access_host_is_good(const rni_view *view, const char *host)
{
    char name[128];
    if (!split_host(host, name)) return false;
    if (strcmp(name, "127.0.0.1") == 0 || strcasecmp(name, "localhost") == 0 ||
        strcmp(name, "[::1]") == 0)
        return true;
    if (!view->def.listen) return false;
    size_t own = strlen(view->host_name);
    bool is_own = own > 0 && strncasecmp(name, view->host_name, own) == 0 &&
                  (name[own] == 0 || name[own] == '.');
    return is_own || strcasecmp(name, view->def.listen) == 0 || is_plain_address(name);
}

/* Takes the same time wherever the first difference is. */
static bool is_same_token(const char *one, const char *two, size_t length)
{
    unsigned char difference = 0;
    for (size_t k = 0; k < length; k++) difference |= (unsigned char)(one[k] ^ two[k]);
    return difference == 0;
}

static bool has_token(const rni_view *view, struct lws *wsi)
{
    const size_t length = RNI_VIEW_TOKEN_BYTES - 1;
    char text[1024], key[32];
    const char *given = lws_get_urlarg_by_name(wsi, "token=", text, sizeof text);
    if (given && strlen(given) == length && is_same_token(given, view->token, length)) return true;
    if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_HTTP_COOKIE) <= 0) return false;
    snprintf(key, sizeof key, "runnel-%u=", view->port);
    const char *at = strstr(text, key);
    if (!at) return false;
    at += strlen(key);
    return strlen(at) >= length && is_same_token(at, view->token, length);
}

const char *rni_access_refusal(const rni_view *view, struct lws *wsi)
{
    char host[160], origin[200];
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 ||
        !rni_access_host_is_good(view, host))
        return "Host is not this machine. Open the address that runnel printed.\n";
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0) {
        if (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0)
            return "Origin is not this page.\n";
        const char *scheme = strncmp(origin, "https://", 8) == 0 ? "https://" : "http://";
        size_t length = strlen(scheme);
        if (strncmp(origin, scheme, length) != 0 || strcasecmp(origin + length, host) != 0)
            return "Origin is not this page.\n";
    }
    if (view->token[0] && !has_token(view, wsi))
        return "The token is missing or wrong. Open the address that runnel printed.\n";
    return NULL;
}
