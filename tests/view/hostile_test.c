/* Strangers are refused, noise is survived, and a good client is served all the while. */
#include "fact.h"

#include "base/clock.h"
#include "base/random.h"
#include "view/peer.h"
#include "view/server.h"

#include <runnel/fluid.h>

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static rni_view *serve(const char *listen)
{
    rni_view_def def = {
        .listen = listen, .hello = "\"program\": \"test\"", .layout = rn_fluid_frame_default()};
    rni_view *view = NULL;
    if (rni_view_create(&def, &view) != RN_OK) fail_msg("%s", rn_last_error());
    return view;
}

static rni_peer *join(const rni_view *view)
{
    rni_peer_def def = {.port = rni_view_port(view)};
    rni_peer *peer = NULL;
    if (rni_peer_open(&def, &peer) != RN_OK) fail_msg("%s", rn_last_error());
    assert_non_null(rni_peer_await(peer, "hello", 5));
    return peer;
}

/* The server still answers. */
static void expect_alive(rni_view *view, rni_peer *peer)
{
    static uint32_t number;
    char text[64];
    snprintf(text, sizeof text, "{\"type\": \"state\", \"n\": %u}", ++number);
    rni_view_tell(view, RNI_VIEW_STATE, text);
    const char *heard = rni_peer_await(peer, "state", 5);
    assert_non_null(heard);
    assert_string_equal(heard, text);
}

static int dial(const rni_view *view)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)rni_view_port(view))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int line = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(line, (const struct sockaddr *)&address, sizeof address), 0);
    return line;
}

static void say(int line, const void *bytes, size_t size)
{
    if (send(line, bytes, size, MSG_NOSIGNAL) < 0) return; /* it may have hung up: fine */
}

/* What the server answers to a request, until it hangs up or is silent for a while. */
static void ask(const rni_view *view, const char *request, char *answer, size_t capacity)
{
    int line = dial(view);
    size_t used = 0;
    say(line, request, strlen(request));
    struct pollfd ready = {.fd = line, .events = POLLIN};
    while (used + 1 < capacity && poll(&ready, 1, used ? 200 : 3000) > 0) {
        ssize_t got = recv(line, answer + used, capacity - 1 - used, 0);
        if (got <= 0) break;
        used += (size_t)got;
    }
    answer[used] = 0;
    close(line);
}

static void expect_status(const rni_view *view, const char *request, const char *status)
{
    char answer[8192];
    ask(view, request, answer, sizeof answer);
    if (strncmp(answer, status, strlen(status)) != 0)
        fail_msg("%s\nwas answered by\n%s", request, answer);
}

static void files_are_served_with_strict_headers(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    char answer[65536];
    ask(view, "GET / HTTP/1.1\r\nHost: localhost:9999\r\n\r\n", answer, sizeof answer);
    assert_int_equal(strncmp(answer, "HTTP/1.1 200", 12), 0);
    assert_non_null(strstr(answer, "text/html"));
    assert_non_null(strstr(answer, "no-store"));
    assert_non_null(strstr(answer, "default-src 'self'"));
    assert_non_null(strstr(answer, "<title>"));
    expect_status(view, "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 404");
    expect_status(view, "GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 40");
    expect_status(view, "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 426");
    rni_view_destroy(view);
}

static void other_hosts_and_origins_are_refused(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    static const char *const HOSTS[] = {
        "evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "192.168.1.1",
        "[::2]",        "localhost:80:80",        "localhost:x",       ""};
    for (size_t k = 0; k < sizeof HOSTS / sizeof *HOSTS; k++) {
        char request[256];
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", HOSTS[k]);
        expect_status(view, request, "HTTP/1.1 403");
    }
    static const char *const ORIGINS[] = {"http://evil.example", "null",
                                          "http://localhost:1",  "file://",
                                          "http://127.0.0.1",    "http://127.0.0.1.evil"};
    for (size_t k = 0; k < sizeof ORIGINS / sizeof *ORIGINS; k++) {
        rni_peer_def def = {.port = rni_view_port(view), .origin = ORIGINS[k]};
        rni_peer *peer = NULL;
        if (rni_peer_open(&def, &peer) == RN_OK) fail_msg("%s was let in", ORIGINS[k]);
    }
    char own[64];
    snprintf(own, sizeof own, "http://127.0.0.1:%u", rni_view_port(view));
    rni_peer_def def = {.port = rni_view_port(view), .origin = own};
    rni_peer *peer = NULL;
    assert_int_equal(rni_peer_open(&def, &peer), RN_OK);
    rni_peer_close(peer);
    /* Through a tunnel, where host and port are the other end's. */
    def.host = "localhost:8080", def.origin = "http://localhost:8080";
    assert_int_equal(rni_peer_open(&def, &peer), RN_OK);
    rni_peer_close(peer);
    def.path = "/wsx";
    assert_int_not_equal(rni_peer_open(&def, &peer), RN_OK);
    rni_view_destroy(view);
}

static void a_token_is_needed_elsewhere(void **state)
{
    (void)state;
    rni_view *view = serve("127.0.0.1");
    const char *token = strstr(rni_view_address(view), "token=");
    assert_non_null(token);
    assert_int_equal(strlen(token), 6 + 32);
    expect_status(view, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 403");
    expect_status(view, "GET /?token=0123 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "HTTP/1.1 403");
    char request[512], answer[65536], cookie[80];
    snprintf(request, sizeof request, "GET /?%s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", token);
    ask(view, request, answer, sizeof answer);
    assert_int_equal(strncmp(answer, "HTTP/1.1 200", 12), 0);
    const char *set = strstr(answer, "set-cookie: ");
    assert_non_null(set);
    snprintf(cookie, sizeof cookie, "%.*s", (int)strcspn(set + 12, ";"), set + 12);
    snprintf(request, sizeof request,
             "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a=b; %s\r\n\r\n", cookie);
    expect_status(view, request, "HTTP/1.1 200");
    rni_peer_def def = {.port = rni_view_port(view)};
    rni_peer *peer = NULL;
    assert_int_not_equal(rni_peer_open(&def, &peer), RN_OK);
    char path[64];
    snprintf(path, sizeof path, "/ws?%s", token);
    def.path = path;
    if (rni_peer_open(&def, &peer) != RN_OK) fail_msg("%s", rn_last_error());
    rni_peer_close(peer);
    rni_view_destroy(view);
}

/* Whether the server ends this connection. */
static bool is_ended(rni_peer *peer, double seconds)
{
    rni_peer_message message;
    double until = rni_seconds() + seconds;
    while (rni_seconds() < until)
        if (rni_peer_next(peer, 0.1, &message) && message.is_end) return true;
    return false;
}

static void who_breaks_the_rules_is_sent_away(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    rni_peer *good = join(view);
    /* Binary. */
    rni_peer *bad = join(view);
    rni_peer_send_raw(bad, "\x82\x82\0\0\0\0hi", 8);
    assert_true(is_ended(bad, 5));
    rni_peer_close(bad);
    /* Malformed ten times. */
    bad = join(view);
    for (uint32_t k = 0; k < 10; k++) rni_peer_say(bad, "{");
    assert_true(is_ended(bad, 5));
    rni_peer_close(bad);
    /* Too long, whole and in fragments. */
    bad = join(view);
    char *text = malloc((1 << 20) + 2);
    memset(text, ' ', (1 << 20) + 1);
    text[(1 << 20) + 1] = 0;
    rni_peer_say(bad, text);
    assert_true(is_ended(bad, 5));
    rni_peer_close(bad);
    bad = join(view);
    for (uint32_t k = 0;
         k < 70 &&
         rni_peer_send_raw(bad, k ? "\x00\xfe\x7f\xff\0\0\0\0" : "\x01\xfe\x7f\xff\0\0\0\0", 8);
         k++)
        rni_peer_send_raw(bad, text, 0x7fff);
    assert_true(is_ended(bad, 5));
    rni_peer_close(bad);
    free(text);
    /* Announces more than there is memory. */
    bad = join(view);
    rni_peer_send_raw(bad, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0{{{{", 18);
    /* A flood. */
    rni_peer *flood = join(view);
    for (uint32_t k = 0; k < 3000; k++)
        if (rni_peer_say(flood, "{\"type\": \"got\"}") != RN_OK) break;
    assert_true(is_ended(flood, 5));
    rni_peer_close(flood);
    rni_peer_close(bad);
    expect_alive(view, good);
    rni_peer_close(good);
    rni_view_destroy(view);
}

static void noise_and_half_handshakes_are_survived(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    rni_peer *good = join(view);
    rni_random random = rni_random_make(11);
    int line[60];
    /* Some that begin and say no more; they stay open all the while. */
    for (uint32_t k = 0; k < 60; k++) {
        line[k] = dial(view);
        say(line[k], "GET /ws HTTP/1.1\r\nHost: 127.0", k % 29);
    }
    for (uint32_t round = 0; round < 300; round++) {
        unsigned char noise[700];
        for (size_t k = 0; k < sizeof noise; k++) noise[k] = (unsigned char)rni_random_u64(&random);
        int other = dial(view);
        if (round % 3 == 1) say(other, "GET /", 5);
        say(other, noise, rni_random_below(&random, sizeof noise));
        close(other);
        if (round % 50 == 0) expect_alive(view, good);
    }
    /* Noise behind a good handshake. */
    for (uint32_t round = 0; round < 60; round++) {
        unsigned char noise[400];
        for (size_t k = 0; k < sizeof noise; k++) noise[k] = (unsigned char)rni_random_u64(&random);
        if (round % 2) noise[0] = 0x81, noise[1] = 0xfe;
        rni_peer *bad = join(view);
        rni_peer_send_raw(bad, noise, sizeof noise);
        rni_peer_close(bad);
    }
    expect_alive(view, good);
    for (uint32_t k = 0; k < 60; k++) close(line[k]);
    rni_peer_close(good);
    rni_view_destroy(view);
}

/* Whether the server hangs up on this line; what it says meanwhile is thrown away. */
static bool is_hung_up(int line, double seconds)
{
    char bytes[4096];
    struct pollfd ready = {.fd = line, .events = POLLIN};
    double until = rni_seconds() + seconds, rest;
    while ((rest = until - rni_seconds()) > 0)
        if (poll(&ready, 1, (int)(rest * 1000) + 1) > 0 && recv(line, bytes, sizeof bytes, 0) <= 0)
            return true;
    return false;
}

static void a_request_that_drips_is_cut_off(void **state)
{
    (void)state;
    static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaa";
    rni_view *view = serve(NULL);
    rni_peer *good = join(view);
    int drip = dial(view), silent = dial(view), again = dial(view), reader = dial(view);
    double begin = rni_seconds();
    bool is_over = false;
    /* One that was served and then drips its second request; one that asks and does not read. */
    static const char WHOLE[] = "GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    say(again, WHOLE, sizeof WHOLE - 1);
    for (size_t k = 0; rni_seconds() < begin + 12 && !is_over; k++) {
        say(drip, REQUEST + k % (sizeof REQUEST - 1), 1);
        say(again, REQUEST + k % (sizeof REQUEST - 1), 1);
        is_over = is_hung_up(drip, 0.1);
    }
    if (!is_over) fail_msg("a byte at a time kept it open for %g s", rni_seconds() - begin);
    assert_true(rni_seconds() - begin > 3);
    assert_true(is_hung_up(silent, 5));
    assert_true(is_hung_up(again, 8));
    expect_alive(view, good);
    close(drip), close(silent), close(again), close(reader);
    /* A WebSocket that has been there for longer than a request may take. */
    assert_true(rni_seconds() - begin > 5);
    expect_alive(view, good);
    rni_peer_close(good);
    rni_view_destroy(view);
}

static void connections_are_counted(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    rni_peer *good = join(view);
    int line[200], last = -1;
    char answer[512] = "";
    for (uint32_t k = 0; k < 200; k++) line[k] = dial(view);
    for (uint32_t k = 0; k < 200; k++) {
        struct pollfd ready = {.fd = line[k], .events = POLLIN};
        if (poll(&ready, 1, k < 100 ? 0 : 20) <= 0) continue;
        ssize_t got = recv(line[k], answer, sizeof answer - 1, 0);
        if (got > 0) answer[got] = 0, last = (int)k;
        if (got > 0) break;
    }
    if (last < 100) fail_msg("connection %d was the first to be refused", last);
    assert_non_null(strstr(answer, "503"));
    assert_non_null(strstr(answer, "Too many connections"));
    expect_alive(view, good);
    for (uint32_t k = 0; k < 200; k++) close(line[k]);
    /* A client may connect again. */
    for (uint32_t k = 0; k < 100; k++) {
        rni_peer_def def = {.port = rni_view_port(view)};
        rni_peer *more = NULL;
        bool is_in = rni_peer_open(&def, &more) == RN_OK;
        rni_peer_close(more);
        if (is_in) break;
        if (k == 99) fail_msg("nobody comes in any more");
        usleep(20000);
    }
    rni_peer_close(good);
    rni_view_destroy(view);
}

static void wrong_fragments_are_survived(void **state)
{
    (void)state;
    /* Opcodes that are none, bits that mean nothing, no mask, control that is long or in pieces, a
     * continuation of nothing, two beginnings, lengths that could be shorter or are negative. */
    static const struct {
        const char *bytes;
        size_t size;
    } BAD[] = {
        {"\x83\x82\0\0\0\0hi", 8},
        {"\x8b\x82\0\0\0\0hi", 8},
        {"\xf1\x82\0\0\0\0hi", 8},
        {"\x81\x02hi", 4},
        {"\x89\xfe\x01\x00\0\0\0\0", 8},
        {"\x09\x82\0\0\0\0hi", 8},
        {"\x80\x82\0\0\0\0hi", 8},
        {"\x01\x82\0\0\0\0hi\x01\x82\0\0\0\0hi", 16},
        {"\x81\xfe\0\x01\0\0\0\0{", 9},
        {"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0{", 15},
        {"\x88\x81\0\0\0\0h", 7},
        {"\x88\x82\0\0\0\0\0\0", 8},
        {"\x81\x84\0\0\0\0\xff\xfe\xc0\x80", 10},
    };
    rni_view *view = serve(NULL);
    rni_peer *good = join(view);
    for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) {
        rni_peer *bad = join(view);
        rni_peer_send_raw(bad, BAD[k].bytes, BAD[k].size);
        rni_peer_say(bad, "{\"type\": \"want\"}");
        is_ended(bad, 0.05);
        rni_peer_close(bad);
        expect_alive(view, good);
    }
    /* A flood of pings is answered or ended, and costs no memory. */
    rni_peer *bad = join(view);
    for (uint32_t k = 0; k < 20000 && rni_peer_send_raw(bad, "\x89\x84\0\0\0\0ping", 10); k++)
        continue;
    rni_peer_close(bad);
    expect_alive(view, good);
    rni_peer_close(good);
    rni_view_destroy(view);
}

static void requests_that_lie_are_refused(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    static const char *const BAD[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost@evil.example\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n",
        "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc",
        "DELETE / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: "
         "h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "CONNECT evil.example:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    };
    for (size_t k = 0; k < sizeof BAD / sizeof *BAD; k++) {
        char answer[8192];
        ask(view, BAD[k], answer, sizeof answer);
        if (strncmp(answer, "HTTP/1.1 2", 10) == 0 || strncmp(answer, "HTTP/1.1 1", 10) == 0 ||
            strstr(answer, "root:"))
            fail_msg("%s\nwas answered by\n%s", BAD[k], answer);
    }
    rni_view_destroy(view);
}

static void the_loopback_of_version_six_is_served(void **state)
{
    (void)state;
    rni_view_def def = {
        .listen = "::1", .hello = "\"program\": \"test\"", .layout = rn_fluid_frame_default()};
    rni_view *view = NULL;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int line = socket(AF_INET6, SOCK_STREAM, 0);
    bool has_six = line >= 0 && bind(line, (const struct sockaddr *)&address, sizeof address) == 0;
    if (line >= 0) close(line);
    if (!has_six) skip();
    if (rni_view_create(&def, &view) != RN_OK) fail_msg("%s", rn_last_error());
    char wanted[64], request[256], answer[4096];
    snprintf(wanted, sizeof wanted, "http://[::1]:%u/?token=", rni_view_port(view));
    assert_int_equal(strncmp(rni_view_address(view), wanted, strlen(wanted)), 0);
    address.sin6_port = htons((uint16_t)rni_view_port(view));
    line = socket(AF_INET6, SOCK_STREAM, 0);
    assert_int_equal(connect(line, (const struct sockaddr *)&address, sizeof address), 0);
    snprintf(request, sizeof request, "GET /%s HTTP/1.1\r\nHost: [::1]:%u\r\n\r\n",
             strstr(rni_view_address(view), "?token="), rni_view_port(view));
    say(line, request, strlen(request));
    ssize_t got = recv(line, answer, sizeof answer - 1, 0);
    assert_true(got > 12);
    assert_int_equal(strncmp(answer, "HTTP/1.1 200", 12), 0);
    close(line);
    rni_view_destroy(view);
}

static void clients_are_counted(void **state)
{
    (void)state;
    rni_view *view = serve(NULL);
    rni_peer *peers[32];
    for (uint32_t k = 0; k < 32; k++) peers[k] = join(view);
    rni_peer_def def = {.port = rni_view_port(view)};
    rni_peer *more = NULL;
    assert_int_not_equal(rni_peer_open(&def, &more), RN_OK);
    assert_non_null(strstr(rn_last_error(), "503"));
    assert_int_equal(rni_view_client_count(view), 32);
    rni_peer_close(peers[31]);
    for (uint32_t k = 0; k < 300 && rni_view_client_count(view) == 32; k++) usleep(10000);
    peers[31] = join(view);
    for (uint32_t k = 0; k < 32; k++) rni_peer_close(peers[k]);
    rni_view_destroy(view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_served_with_strict_headers),
        cmocka_unit_test(other_hosts_and_origins_are_refused),
        cmocka_unit_test(a_token_is_needed_elsewhere),
        cmocka_unit_test(who_breaks_the_rules_is_sent_away),
        cmocka_unit_test(noise_and_half_handshakes_are_survived),
        cmocka_unit_test(wrong_fragments_are_survived),
        cmocka_unit_test(requests_that_lie_are_refused),
        cmocka_unit_test(the_loopback_of_version_six_is_served),
        cmocka_unit_test(clients_are_counted),
        cmocka_unit_test(connections_are_counted),
        cmocka_unit_test(a_request_that_drips_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
