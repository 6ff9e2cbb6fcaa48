#include "bench/view.h"

#include "base/clock.h"
#include "view/peer.h"
#include "view/server.h"

#include <runnel/fluid.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* --- a client in a thread of its own -------------------------------------------------------------------- */

typedef struct watcher {
    uint32_t port;
    _Atomic uint32_t rate; /* frames per second that it requests */
    _Atomic uint64_t frames, bytes, cpu_ns;
    _Atomic bool is_ending, is_bad;
    pthread_t thread;
} watcher;

static void *look(void *data)
{
    watcher *w = data;
    rni_peer_def def = {.port = w->port};
    rni_peer *peer = NULL;
    rni_peer_message message;
    uint32_t rate = 0;
    if (rni_peer_open(&def, &peer) != RN_OK) atomic_store(&w->is_bad, true);
    while (peer && !atomic_load(&w->is_ending)) {
        uint32_t wanted = atomic_load(&w->rate);
        if (wanted != rate) {
            char text[96];
            snprintf(text, sizeof text,
                     "{\"type\": \"want\", \"attributes\": [\"density\"], \"rate\": %u}", wanted);
            if (rni_peer_say(peer, text) != RN_OK) break;
            rate = wanted;
        }
        if (rni_peer_next(peer, 0.02, &message)) {
            if (message.is_end) break;
            if (message.is_frame) {
                atomic_fetch_add(&w->frames, 1);
                atomic_fetch_add(&w->bytes, message.size);
            }
        }
        atomic_store(&w->cpu_ns, (uint64_t)(rni_thread_seconds() * 1e9));
    }
    if (!atomic_load(&w->is_ending)) atomic_store(&w->is_bad, true);
    rni_peer_close(peer);
    return NULL;
}

/* --- one case ---------------------------------------------------------------------------------------------- */

typedef struct view_case {
    rni_view *view;
    watcher client;
    rn_fluid *fluid;
    double seconds;
    uint64_t step;
} view_case;

static void publish(view_case *c)
{
    rn_frame frame = rn_frame_default();
    if (rn_fluid_get_frame(c->fluid, &frame) != RN_OK) return;
    frame.step = ++c->step;
    rni_view_publish(c->view, &frame, 0);
}

/* Processor time of the process without the client's, s. */
static double own_seconds(view_case *c)
{
    return rni_process_seconds() - (double)atomic_load(&c->client.cpu_ns) * 1e-9;
}

typedef struct tally {
    double wall, own, server;
    uint64_t frames, bytes, published;
} tally;

static tally take_tally(view_case *c)
{
    return (tally){.wall = rni_seconds(),
                   .own = own_seconds(c),
                   .server = rni_view_thread_seconds(c->view),
                   .frames = atomic_load(&c->client.frames),
                   .bytes = atomic_load(&c->client.bytes),
                   .published = c->step};
}

/* Frames as they are asked for, without a simulation. */
static void measure_delivery(view_case *c, rni_view_row *row)
{
    atomic_store(&c->client.rate, row->rate);
    double warm = rni_seconds() + 0.3, now;
    tally from = {0};
    while ((now = rni_seconds()) < warm + c->seconds) {
        if (from.wall <= 0 && now >= warm) from = take_tally(c);
        if (rni_view_asked(c->view)) {
            publish(c);
            /* Polling is not part of the measurement: wait until the next request is possible. */
            double rest = 0.8 / row->rate - (rni_seconds() - now);
            if (rest > 0) usleep((useconds_t)(rest * 1e6));
        } else {
            rni_view_wait(c->view, 0.001);
        }
    }
    tally to = take_tally(c);
    double passed = to.wall - from.wall, server = to.server - from.server;
    row->frames_per_s = (double)(to.frames - from.frames) / passed;
    row->mb_per_s = (double)(to.bytes - from.bytes) / passed / 1e6;
    row->serve_ms = server * 1e3 / fmax(1, (double)(to.frames - from.frames));
    row->publish_ms =
        (to.own - from.own - server) * 1e3 / fmax(1, (double)(to.published - from.published));
    atomic_store(&c->client.rate, 0);
}

typedef struct pace {
    double wall_s, cpu_s; /* without the client's */
    uint64_t steps, frames;
    double fastest_s; /* wall clock of a step */
} pace;

#define LEAST_STEPS 3u

/* Steps for a while. */
static rn_result time_steps(view_case *c, double seconds, pace *sum)
{
    double wall = rni_seconds(), own = own_seconds(c);
    uint64_t first = c->step;
    *sum = (pace){.fastest_s = HUGE_VAL};
    do {
        double before = rni_seconds();
        rn_result result = rn_fluid_step(c->fluid, NULL);
        if (result != RN_OK) return result;
        sum->fastest_s = fmin(sum->fastest_s, rni_seconds() - before);
        if (rni_view_asked(c->view)) publish(c);
        sum->steps++;
    } while (rni_seconds() < wall + seconds || sum->steps < LEAST_STEPS);
    sum->wall_s = rni_seconds() - wall;
    sum->cpu_s = own_seconds(c) - own;
    sum->frames = c->step - first;
    return RN_OK;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right ? 1 : 0;
}

#define ROUNDS 31u /* odd, so that the median is one of them; many short ones, for busy machines */

/* Steps with and without a client alternate, so that changes of the fluid or the machine affect both. */
static rn_result measure_cost(view_case *c, rni_view_row *row)
{
    double ratio[ROUNDS], plain_s[ROUNDS], fastest = HUGE_VAL, wall = 0;
    uint64_t frames = 0;
    for (uint32_t k = 0; k < ROUNDS; k++) {
        pace sum[2];
        for (uint32_t turn = 0; turn < 2; turn++) {
            uint32_t is_watched = (k ^ turn) & 1;
            atomic_store(&c->client.rate, is_watched ? row->rate : 0);
            usleep(20000);
            rn_result result = time_steps(c, c->seconds / 10, &sum[is_watched]);
            if (result != RN_OK) return result;
        }
        ratio[k] = sum[1].wall_s / (double)sum[1].steps / (sum[0].wall_s / (double)sum[0].steps);
        plain_s[k] = sum[0].cpu_s / (double)sum[0].steps;
        fastest = fmin(fastest, fmin(sum[0].fastest_s, sum[1].fastest_s));
        frames += sum[1].frames;
        wall += sum[1].wall_s;
    }
    qsort(ratio, ROUNDS, sizeof *ratio, compare);
    qsort(plain_s, ROUNDS, sizeof *plain_s, compare);
    row->slower = ratio[ROUNDS / 2] - 1;
    row->step_ms = plain_s[ROUNDS / 2] * 1e3;
    row->steps_per_s = 1 / fastest;
    row->watched_per_s = (double)frames / wall;
    /* The fastest step: on a busy machine there are fewer steps per second, but as many frames. */
    row->cost = fmin(1, row->rate * fastest) * (row->publish_ms + row->serve_ms) / row->step_ms;
    return RN_OK;
}

/* Fluid at rest with the wanted number of particles, in a box of side 1. */
static rn_result make_water(uint32_t particles, uint32_t threads, rn_fluid **fluid)
{
    rn_fluid_def def = rn_fluid_def_default();
    rn_fluid_block block = rn_fluid_block_default();
    float side = ceilf(cbrtf((float)particles));
    def.spacing = 0.8f / side;
    def.threads = threads;
    for (uint32_t a = 0; a < 3; a++) def.domain_high[a] = 1, block.high[a] = 0.8f;
    block.jitter = 0.1f;
    rn_result result = rn_fluid_create(&def, fluid);
    if (result == RN_OK) result = rn_fluid_add_block(*fluid, &block, NULL);
    if (result == RN_OK) result = rn_fluid_step(*fluid, NULL);
    return result;
}

rn_result rni_bench_view(rni_view_row *row, double seconds, uint32_t threads)
{
    view_case c = {.seconds = seconds};
    rni_view_def def = {.threads = threads,
                        .hello = "\"program\": \"runnel bench view\"",
                        .layout = rn_fluid_frame_default()};
    rn_result result = rni_view_create(&def, &c.view);
    if (result != RN_OK) return result;
    c.client.port = rni_view_port(c.view);
    bool is_there = pthread_create(&c.client.thread, NULL, look, &c.client) == 0;
    result = is_there ? make_water(row->particles, threads, &c.fluid) : RN_ERROR_MEMORY;
    if (result == RN_OK) {
        row->particles = rn_fluid_get_arrays(c.fluid).count;
        measure_delivery(&c, row);
        result = measure_cost(&c, row);
    }
    atomic_store(&c.client.is_ending, true);
    if (is_there) pthread_join(c.client.thread, NULL);
    rn_fluid_destroy(c.fluid);
    rni_view_destroy(c.view);
    return result;
}
