/* Particles of your own in Runnel's page: a rotating galaxy, shown by a server of 200 lines.
 *
 * It needs docs/viewer-protocol.md, libwebsockets and the files of the page (src/view/web), and nothing
 * else of Runnel:
 *
 *     cc -O2 show_particles.c -o show_particles -lwebsockets -lm
 *     ./show_particles ../src/view/web 7979
 *
 * then open http://127.0.0.1:7979/. Port 0 takes any free port. A server that does more than show particles
 * should check Host and Origin, as the protocol says. */
#include <libwebsockets.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT        20000u
#define HEADER_BYTES (64u + 2 * 40u) /* two attributes, no poses */
#define POSITIONS    HEADER_BYTES
#define DENSITIES    (POSITIONS + 6 * COUNT) /* all parts are multiples of four */
#define SPEEDS       (DENSITIES + COUNT)
#define FRAME_BYTES  (SPEEDS + COUNT)

static volatile sig_atomic_t is_ending;

static void end(int number)
{
    (void)number;
    is_ending = 1;
}

/* --- the particles ------------------------------------------------------------------------------- */

#define DENSEST 1000.0f
#define FASTEST 2.0f

/* Where particle i is at this time, in a box from -1 to 1, how dense it is there and how fast it moves. */
static float place(uint32_t i, double time, float x[3], float *speed_now)
{
    double part = (i + 0.5) / COUNT, radius = 0.05 + 0.9 * sqrt(part);
    double speed = 0.4 / sqrt(radius + 0.05);
    double angle = 2.399963 * i + time * speed / radius;
    *speed_now = (float)speed;
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

/* A row of the attribute table: one component, 8 bits from 0 to high. */
static void put_attribute(unsigned char *to, const char *name, uint32_t offset, float high)
{
    memcpy(to, name, strlen(name));
    to[24] = 1; /* component */
    put_u32(to + 28, offset);
    put_f32(to + 36, high);
}

static unsigned char byte_of(float part)
{
    return (unsigned char)lrintf(fminf(part, 1) * 255);
}

static void write_frame(unsigned char *to, double time, uint64_t step)
{
    memset(to, 0, HEADER_BYTES);
    memcpy(to, "RNF2", 4);
    put_u32(to + 4, COUNT);
    put_u32(to + 8, 2); /* attributes */
    put_f64(to + 16, time);
    put_u64(to + 24, step);
    for (int a = 0; a < 3; a++) put_f32(to + 32 + 4 * a, -1), put_f32(to + 44 + 4 * a, 1);
    put_f32(to + 56, 0.008f);
    put_u32(to + 60, 1); /* number of the scene */
    put_attribute(to + 64, "density", DENSITIES, DENSEST);
    put_attribute(to + 104, "speed", SPEEDS, FASTEST);
    for (uint32_t i = 0; i < COUNT; i++) {
        float x[3], speed, density = place(i, time, x, &speed);
        for (int a = 0; a < 3; a++) {
            uint32_t value = (uint32_t)lrintf((x[a] + 1) / 2 * 65535);
            to[POSITIONS + 6 * i + 2 * a] = (unsigned char)value;
            to[POSITIONS + 6 * i + 2 * a + 1] = (unsigned char)(value >> 8);
        }
        to[DENSITIES + i] = byte_of(density / DENSEST);
        to[SPEEDS + i] = byte_of(speed / FASTEST);
    }
}

/* --- the first messages ------------------------------------------------------------------------ */

static const char *const TEXTS[] = {
    "{\"type\": \"hello\", \"protocol\": 2, \"client\": 1, \"control\": false, \"watch\": true, "
    "\"attributes\": [{\"name\": \"density\", \"unit\": \"kg/m^3\", \"components\": 1}, "
    "{\"name\": \"speed\", \"unit\": \"m/s\", \"components\": 1}], "
    "\"program\": \"show_particles\", \"version\": \"1\", \"scenes\": [], \"parameters\": [], "
    "\"folder\": null}",
    "{\"type\": \"scene\", \"number\": 1, \"name\": \"galaxy\", \"builtin\": false, \"title\": \"A galaxy that turns\", "
    "\"description\": \"\", \"dim\": 3, \"low\": [-1, -0.5, -1], \"high\": [1, 0.5, 1], "
    "\"derived\": {}, \"solids\": [], \"pipes\": [], \"outlets\": [], \"view\": {}, \"scene\": {}}",
    "{\"type\": \"values\", \"values\": {}, \"undo\": 0, \"redo\": 0}",
    "{\"type\": \"state\", \"state\": \"running\", \"sentence\": \"\", \"speed\": 1}"};
#define TEXT_COUNT (sizeof TEXTS / sizeof *TEXTS)

/* --- clients --------------------------------------------------------------------------------------------- */

typedef struct client {
    size_t texts; /* sent so far */
    bool wants;   /* frames: it has sent `want` */
} client;

static double start, due;
static uint64_t step;
static unsigned char buffer[LWS_PRE + FRAME_BYTES];

static double seconds(void)
{
    return (double)lws_now_usecs() * 1e-6;
}

static int send_next(struct lws *wsi, client *c)
{
    if (c->texts < TEXT_COUNT) {
        const char *text = TEXTS[c->texts++];
        size_t bytes = strlen(text);
        memcpy(buffer + LWS_PRE, text, bytes);
        lws_callback_on_writable(wsi);
        return lws_write(wsi, buffer + LWS_PRE, bytes, LWS_WRITE_TEXT) < (int)bytes ? -1 : 0;
    }
    if (!c->wants) return 0;
    write_frame(buffer + LWS_PRE, seconds() - start, ++step);
    return lws_write(wsi, buffer + LWS_PRE, FRAME_BYTES, LWS_WRITE_BINARY) < (int)FRAME_BYTES ? -1
                                                                                              : 0;
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
    case LWS_CALLBACK_RECEIVE: { /* it asks for frames; other messages are ignored */
        char text[256];
        size_t kept = bytes < sizeof text - 1 ? bytes : sizeof text - 1;
        memcpy(text, in, kept);
        text[kept] = 0;
        if (strstr(text, "\"want\"")) c->wants = true;
        return 0;
    }
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(wsi, c);
    default: return lws_callback_http_dummy(wsi, reason, user, in, bytes);
    }
}

/* The last number: a frame is given to the socket in one go. */
static const struct lws_protocols PROTOCOLS[] = {
    {"http", lws_callback_http_dummy, 0, 0, 0, NULL, 0},
    {"runnel-2", callback, sizeof(client), 4096, 0, NULL, FRAME_BYTES + 64},
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
    if (!context) return fprintf(stderr, "port %s is not available\n", argv[2]), 1;
    int port = lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "galaxy"));
    fprintf(stderr, "http://127.0.0.1:%d/\n", port);
    start = seconds();
    while (!is_ending && lws_service(context, -1) >= 0) {
        struct timespec nap = {.tv_nsec = 2000000};
        nanosleep(&nap, NULL);
        if (seconds() < due) continue;
        due = seconds() + 1.0 / 30; /* a slow client is skipped: its socket takes no more */
        lws_callback_on_writable_all_protocol(context, &PROTOCOLS[1]);
    }
    lws_context_destroy(context);
    return 0;
}
