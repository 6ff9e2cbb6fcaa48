/* Particles of your own in Runnel's page: a galaxy that turns, shown by a server of 200 lines.
 *
 * It needs docs/viewer-protocol.md, libwebsockets and the files of the page (src/view/web), and nothing
 * else of Runnel:
 *
 *     cc -O2 show_particles.c -o show_particles -lwebsockets -lm
 *     ./show_particles ../src/view/web 7979
 *
 * then open http://127.0.0.1:7979/. Port 0 takes any that is free. One client may also be a program
 * of yours. Whoever does more than show should check Host and Origin, as the protocol says. */
#include <libwebsockets.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT        20000u
#define HEADER_BYTES 96u
#define FRAME_BYTES  (HEADER_BYTES + 6 * COUNT + COUNT) /* both parts are multiples of four */

static volatile sig_atomic_t is_ending;

static void end(int number)
{
    (void)number;
    is_ending = 1;
}

/* --- the particles ------------------------------------------------------------------------------- */

#define DENSEST 1000.0f

/* Where particle i is at this time, in a box from -1 to 1, and how dense it is there. */
static float place(uint32_t i, double time, float x[3])
{
    double part = (i + 0.5) / COUNT, radius = 0.05 + 0.9 * sqrt(part);
    double speed = 0.4 / sqrt(radius + 0.05);
    double angle = 2.399963 * i + time * speed / radius;
    x[0] = (float)(radius * cos(angle));
    x[1] = (float)(0.1 * exp(-4 * radius) * sin(7.0 * i));
    x[2] = (float)(radius * sin(angle));
    return DENSEST * (float)exp(-2 * radius);
}

/* --- a frame --------------------------------------------------------------------------------------- */

static void put_u32(unsigned char *to, uint32_t value)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(value >> 8 * k);
}

static void put_u64(unsigned char *to, uint64_t value)
{
    put_u32(to, (uint32_t)value);
    put_u32(to + 4, (uint32_t)(value >> 32));
}

static void put_f32(unsigned char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(to, bits);
}

static void put_f64(unsigned char *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(to, bits);
}

static void write_frame(unsigned char *to, double time, uint64_t step)
{
    memset(to, 0, HEADER_BYTES);
    memcpy(to, "RNF1", 4);
    put_u32(to + 4, COUNT);
    put_u32(to + 8, 1);  /* an attribute follows ... */
    put_u32(to + 12, 1); /* ... which is density */
    put_f64(to + 16, time);
    put_u64(to + 24, step);
    for (int a = 0; a < 3; a++) put_f32(to + 32 + 4 * a, -1), put_f32(to + 44 + 4 * a, 1);
    put_f32(to + 56, 0);
    put_f32(to + 60, DENSEST);
    put_f32(to + 72, 0.008f);
    put_u32(to + 76, 1); /* number of the scene */
    for (uint32_t i = 0; i < COUNT; i++) {
        float x[3], density = place(i, time, x);
        for (int a = 0; a < 3; a++) {
            uint32_t value = (uint32_t)lrintf((x[a] + 1) / 2 * 65535);
            to[HEADER_BYTES + 6 * i + 2 * a] = (unsigned char)value;
            to[HEADER_BYTES + 6 * i + 2 * a + 1] = (unsigned char)(value >> 8);
        }
        to[HEADER_BYTES + 6 * COUNT + i] = (unsigned char)lrintf(density / DENSEST * 255);
    }
}

/* --- what a client is told first ------------------------------------------------------------------------ */

static const char *const TEXTS[] = {
    "{\"type\": \"hello\", \"protocol\": 1, \"client\": 1, \"steers\": false, \"watch\": true, "
    "\"program\": \"show_particles\", \"version\": \"1\", \"scenes\": [], \"parameters\": [], "
    "\"folder\": null}",
    "{\"type\": \"scene\", \"number\": 1, \"name\": \"galaxy\", \"title\": \"A galaxy that turns\", "
    "\"description\": \"\", \"dim\": 3, \"low\": [-1, -0.5, -1], \"high\": [1, 0.5, 1], "
    "\"derived\": {}, \"solids\": [], \"pipes\": [], \"outlets\": [], \"view\": {}, \"scene\": {}}",
    "{\"type\": \"values\", \"values\": {}, \"undo\": 0, \"redo\": 0}",
    "{\"type\": \"state\", \"state\": \"running\", \"sentence\": \"\", \"speed\": 1}"};
#define TEXT_COUNT (sizeof TEXTS / sizeof *TEXTS)

/* --- clients --------------------------------------------------------------------------------------------- */

typedef struct client {
    size_t texts; /* told so far */
    bool wants;   /* frames: it has said `want` */
} client;

static double start, due;
static uint64_t step;
static unsigned char room[LWS_PRE + FRAME_BYTES];

static double seconds(void)
{
    return (double)lws_now_usecs() * 1e-6;
}

static int speak(struct lws *wsi, client *c)
{
    if (c->texts < TEXT_COUNT) {
        const char *text = TEXTS[c->texts++];
        size_t bytes = strlen(text);
        memcpy(room + LWS_PRE, text, bytes);
        lws_callback_on_writable(wsi);
        return lws_write(wsi, room + LWS_PRE, bytes, LWS_WRITE_TEXT) < (int)bytes ? -1 : 0;
    }
    if (!c->wants) return 0;
    write_frame(room + LWS_PRE, seconds() - start, ++step);
    return lws_write(wsi, room + LWS_PRE, FRAME_BYTES, LWS_WRITE_BINARY) < (int)FRAME_BYTES ? -1 : 0;
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t bytes)
{
    client *c = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        *c = (client){0};
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE: { /* it asks for frames; whatever else it says is not understood */
        char text[256];
        size_t kept = bytes < sizeof text - 1 ? bytes : sizeof text - 1;
        memcpy(text, in, kept);
        text[kept] = 0;
        if (strstr(text, "\"want\"")) c->wants = true;
        return 0;
    }
    case LWS_CALLBACK_SERVER_WRITEABLE: return speak(wsi, c);
    default: return lws_callback_http_dummy(wsi, reason, user, in, bytes);
    }
}

/* The last number: a frame is given to the socket in one go. */
static const struct lws_protocols PROTOCOLS[] = {
    {"http", lws_callback_http_dummy, 0, 0, 0, NULL, 0},
    {"runnel-1", callback, sizeof(client), 4096, 0, NULL, FRAME_BYTES + 64},
    {0}};

int main(int argc, char **argv)
{
    if (argc != 3) return fprintf(stderr, "usage: show_particles FOLDER-OF-THE-PAGE PORT\n"), 2;
    struct lws_http_mount files = {.mountpoint = "/",
                                   .mountpoint_len = 1,
                                   .origin = argv[1],
                                   .def = "index.html",
                                   .origin_protocol = LWSMPRO_FILE};
    struct lws_context_creation_info info = {.port = (int)strtol(argv[2], NULL, 10),
                                             .iface = "127.0.0.1",
                                             .protocols = PROTOCOLS,
                                             .mounts = &files,
                                             .vhost_name = "galaxy",
                                             .options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND};
    lws_set_log_level(LLL_ERR, NULL);
    signal(SIGINT, end);
    signal(SIGTERM, end);
    struct lws_context *context = lws_create_context(&info);
    if (!context) return fprintf(stderr, "port %s cannot be had\n", argv[2]), 1;
    int port = lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "galaxy"));
    fprintf(stderr, "http://127.0.0.1:%d/\n", port);
    start = seconds();
    while (!is_ending && lws_service(context, -1) >= 0) {
        struct timespec nap = {.tv_nsec = 2000000};
        nanosleep(&nap, NULL);
        if (seconds() < due) continue;
        due = seconds() + 1.0 / 30; /* who is slow is not called: its socket takes no more */
        lws_callback_on_writable_all_protocol(context, &PROTOCOLS[1]);
    }
    lws_context_destroy(context);
    return 0;
}
