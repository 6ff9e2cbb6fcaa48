/* runnel bench view: what the viewer's server delivers on this machine, and what that costs the
 * simulation. Costs are processor time, so that other programs do not count; the client's own is
 * taken off. */
#include "cli/command.h"
#include "cli/json.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "view/peer.h"
#include "view/server.h"

#include <runnel/fluid.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* --- a client in a thread of its own -------------------------------------------------------------------- */

typedef struct watcher {
    uint32_t port;
    _Atomic uint32_t rate; /* frames a second that it asks for */
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
                     "{\"type\": \"want\", \"attribute\": \"density\", \"rate\": %u}", wanted);
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

typedef struct view_row {
    uint32_t particles, rate;
    double frames_per_s, mb_per_s; /* that arrived, of frames published as asked */
    double publish_ms, serve_ms;   /* processor time a frame: simulation, server */
    double step_ms;                /* processor time a step, unwatched */
    double extra_ms;               /* processor time that a frame adds to the steps, by turns */
    double cost;                   /* share of the steps' time that is, at their fastest pace */
} view_row;

typedef struct view_case {
    rni_view *view;
    watcher client;
    rn_fluid *fluid;
    double seconds;
    uint64_t step;
} view_case;

static void publish(view_case *c)
{
    rn_fluid_particles p = rn_fluid_particles_of(c->fluid);
    rni_view_frame frame = {.step = ++c->step,
                            .count = p.count,
                            .stride = sizeof p.position[0],
                            .position = p.position[0],
                            .velocity = p.velocity[0],
                            .density = p.density,
                            .high = {1, 1, 1},
                            .radius = 0.01f};
    rni_view_publish(c->view, &frame);
}

/* Frames as fast as they are asked for, without a simulation. */
static void measure_delivery(view_case *c, view_row *row)
{
    atomic_store(&c->client.rate, row->rate);
    double warm = rni_seconds() + 0.3;
    double begin = 0, own = 0, server = 0, now;
    uint64_t frames = 0, bytes = 0, steps = 0;
    while ((now = rni_seconds()) < warm + c->seconds) {
        if (begin <= 0 && now >= warm) {
            begin = now, own = 0, steps = c->step;
            server = rni_view_thread_seconds(c->view);
            frames = atomic_load(&c->client.frames), bytes = atomic_load(&c->client.bytes);
        }
        if (rni_view_asked(c->view)) {
            double before = rni_thread_seconds();
            publish(c);
            own += rni_thread_seconds() - before;
        } else {
            rni_view_wait(c->view, 0.002);
        }
    }
    double passed = rni_seconds() - begin;
    double count = fmax(1, (double)(atomic_load(&c->client.frames) - frames));
    row->frames_per_s = (double)(atomic_load(&c->client.frames) - frames) / passed;
    row->mb_per_s = (double)(atomic_load(&c->client.bytes) - bytes) / passed / 1e6;
    row->publish_ms = own * 1e3 / fmax(1, (double)(c->step - steps));
    row->serve_ms = (rni_view_thread_seconds(c->view) - server) * 1e3 / count;
    atomic_store(&c->client.rate, 0);
}

typedef struct pace {
    double cpu_s; /* without the client's */
    uint64_t steps, frames;
    double fastest_s; /* wall clock of a step */
} pace;

/* Steps for a while. */
static rn_result time_steps(view_case *c, double seconds, pace *sum)
{
    double client = (double)atomic_load(&c->client.cpu_ns) * 1e-9;
    double begin = rni_process_seconds(), until = rni_seconds() + seconds;
    do {
        double before = rni_seconds();
        rn_result result = rn_fluid_step(c->fluid, NULL);
        if (result != RN_OK) return result;
        sum->fastest_s = fmin(sum->fastest_s, rni_seconds() - before);
        if (rni_view_asked(c->view)) publish(c), sum->frames++;
        sum->steps++;
    } while (rni_seconds() < until);
    sum->cpu_s +=
        rni_process_seconds() - begin - ((double)atomic_load(&c->client.cpu_ns) * 1e-9 - client);
    return RN_OK;
}

#define COST_TURNS 8u

/* Watched and unwatched take turns, so that a change of the water meets both. What a frame adds is
 * then held against a machine that is free for the steps: a busy one takes fewer steps a second and
 * as many frames. */
static rn_result measure_cost(view_case *c, view_row *row)
{
    pace sum[2] = {{.fastest_s = HUGE_VAL}, {.fastest_s = HUGE_VAL}};
    rn_result result = RN_OK;
    for (uint32_t k = 0; k < 2 * COST_TURNS && result == RN_OK; k++) {
        uint32_t is_watched = (k ^ k >> 1) & 1; /* ABBA */
        atomic_store(&c->client.rate, is_watched ? row->rate : 0);
        usleep(60000);
        result = time_steps(c, c->seconds / COST_TURNS, &sum[is_watched]);
    }
    if (result != RN_OK) return result;
    double plain = sum[0].cpu_s / (double)sum[0].steps;
    double added = sum[1].cpu_s - plain * (double)sum[1].steps;
    double frame = added / fmax(1, (double)sum[1].frames);
    row->step_ms = plain * 1e3;
    row->extra_ms = frame * 1e3;
    row->cost = fmin(1, row->rate * fmin(sum[0].fastest_s, sum[1].fastest_s)) * frame / plain;
    return RN_OK;
}

/* Still water with the wanted number of particles, in a box of side 1. */
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

static rn_result measure(view_row *row, double seconds, uint32_t threads)
{
    view_case c = {.seconds = seconds};
    rni_view_def def = {.hello = "\"program\": \"runnel bench view\""};
    rn_result result = rni_view_create(&def, &c.view);
    if (result != RN_OK) return result;
    c.client.port = rni_view_port(c.view);
    bool is_there = pthread_create(&c.client.thread, NULL, look, &c.client) == 0;
    result = is_there ? make_water(row->particles, threads, &c.fluid) : RN_ERROR_MEMORY;
    if (result == RN_OK) {
        row->particles = rn_fluid_particles_of(c.fluid).count;
        measure_delivery(&c, row);
        result = measure_cost(&c, row);
    }
    atomic_store(&c.client.is_ending, true);
    if (is_there) pthread_join(c.client.thread, NULL);
    rn_fluid_destroy(c.fluid);
    rni_view_destroy(c.view);
    return result;
}

/* --- the command ------------------------------------------------------------------------------------------- */

static void print_row(const view_row *r, bool is_json)
{
    if (!is_json) {
        printf("%10u %5u %9.1f %8.1f %11.3f %9.3f %9.2f %9.3f %7.2f %%\n", r->particles, r->rate,
               r->frames_per_s, r->mb_per_s, r->publish_ms, r->serve_ms, r->step_ms, r->extra_ms,
               100 * r->cost);
        fflush(stdout);
        return;
    }
    rni_json json = rni_json_begin(stdout);
    rni_json_whole(&json, "particles", r->particles);
    rni_json_whole(&json, "rate", r->rate);
    rni_json_rounded(&json, "frames_per_s", r->frames_per_s);
    rni_json_rounded(&json, "mb_per_s", r->mb_per_s);
    rni_json_rounded(&json, "publish_ms", r->publish_ms);
    rni_json_rounded(&json, "serve_ms", r->serve_ms);
    rni_json_rounded(&json, "step_ms", r->step_ms);
    rni_json_rounded(&json, "extra_ms", r->extra_ms);
    rni_json_rounded(&json, "cost", r->cost);
    rni_json_end(&json);
    putchar('\n');
}

static int run(const rni_arguments *a)
{
    uint32_t particles[RNI_MAX_LIST], rates[RNI_MAX_LIST];
    uint32_t count = rni_arguments_counts(a, "particles", particles);
    uint32_t rate_count = rni_arguments_counts(a, "rate", rates);
    if (rate_count != 1 && rate_count != count)
        return rni_misuse(a->command,
                          "--rate has %u numbers, --particles %u; one rate for all, or "
                          "one for each",
                          rate_count, count);
    bool is_json = rni_arguments_has(a, "json");
    if (!is_json)
        printf("%10s %5s %9s %8s %11s %9s %9s %9s %9s\n", "particles", "rate", "frames/s", "MB/s",
               "publish ms", "serve ms", "step ms", "extra ms", "cost");
    for (uint32_t k = 0; k < count; k++) {
        view_row row = {.particles = particles[k], .rate = rates[rate_count == 1 ? 0 : k]};
        if (measure(&row, rni_arguments_number(a, "seconds"), rni_arguments_count(a, "threads")) !=
            RN_OK)
            return rni_give_up(a->command, "%s", rn_last_error());
        print_row(&row, is_json);
    }
    return RNI_EXIT_DONE;
}

static const rni_option options[] = {
    {"particles", RNI_OPTION_COUNTS, "LIST", "how many, with commas between", "32768,1000000",
     "whole numbers, e.g. --particles 32768", 8, 4e6, NULL},
    {"rate", RNI_OPTION_COUNTS, "LIST", "frames a second that the client asks for, 1 to 60",
     "60,10", "whole numbers, e.g. --rate 60", 1, 60, NULL},
    {"seconds", RNI_OPTION_NUMBER, "S", "of each measurement", "3", "seconds, e.g. --seconds 2",
     0.01, 600, NULL},
    {"threads", RNI_OPTION_COUNT, "N", "of the simulation; 0: one for each processor", "0",
     "a whole number, e.g. --threads 2", 0, RNI_MAX_WORKERS, NULL},
    {"json", RNI_OPTION_FLAG, NULL, "one object a line for programs", NULL, NULL, 0, 0, NULL},
    {0}};

const rni_command rni_command_bench_view = {
    .name = "view",
    .path = "runnel bench view",
    .summary = "what the viewer's server delivers, and what that costs the simulation",
    .usage = "[options]",
    .about =
        "frames/s and MB/s arrive at one client on this machine while frames are published as it asks.\n"
        "publish and serve are processor time a frame in the simulation's and the server's thread;\n"
        "extra is what a frame adds to the processor time of the steps (step ms), measured by turns, and\n"
        "cost the share that makes when the steps have the machine for themselves.",
    .examples = "runnel bench view --particles 32768 --rate 60 --seconds 1\n"
                "runnel bench view --json",
    .options = options,
    .run = run,
};
