/* runnel bench view: what the viewer's server delivers on this machine, and what that costs the
 * simulation: as processor time, so that other programs do not count and the client's own is
 * taken off, and by the clock. */
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
    double publish_ms, serve_ms;   /* processor time a frame: simulation with its helpers, server */
    double step_ms, steps_per_s;   /* unwatched: processor time a step, and at its fastest pace */
    double watched_per_s;          /* frames a second that came while the steps went on */
    double cost;   /* processor time of publishing and serving by that of the steps they go with */
    double slower; /* wall clock of watched steps by that of unwatched ones, less 1: the median */
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
    rn_fluid_particles p = rn_fluid_get_arrays(c->fluid);
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
static void measure_delivery(view_case *c, view_row *row)
{
    atomic_store(&c->client.rate, row->rate);
    double warm = rni_seconds() + 0.3, now;
    tally from = {0};
    while ((now = rni_seconds()) < warm + c->seconds) {
        if (from.wall <= 0 && now >= warm) from = take_tally(c);
        if (rni_view_asked(c->view)) {
            publish(c);
            /* Looking whether a frame is asked for is not what is measured: not before it can be. */
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

#define ROUNDS 31u /* odd: the median is one of them; many short ones, as a busy machine asks for */

/* Watched and unwatched steps take turns, so that a change of the water or of the machine meets both. */
static rn_result measure_cost(view_case *c, view_row *row)
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
    /* A machine that others use takes fewer steps a second and as many frames: not our cost. */
    row->cost = fmin(1, row->rate * fastest) * (row->publish_ms + row->serve_ms) / row->step_ms;
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
    rni_view_def def = {.threads = threads, .hello = "\"program\": \"runnel bench view\""};
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

/* --- the command ------------------------------------------------------------------------------------------- */

static void print_row(const view_row *r, bool is_json)
{
    if (!is_json) {
        printf("%10u %5u %9.1f %8.1f %11.3f %9.3f %9.2f %8.1f %8.1f %7.2f %% %6.2f %%\n",
               r->particles, r->rate, r->frames_per_s, r->mb_per_s, r->publish_ms, r->serve_ms,
               r->step_ms, r->steps_per_s, r->watched_per_s, 100 * r->cost, 100 * r->slower);
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
    rni_json_rounded(&json, "steps_per_s", r->steps_per_s);
    rni_json_rounded(&json, "watched_frames_per_s", r->watched_per_s);
    rni_json_rounded(&json, "cost", r->cost);
    rni_json_rounded(&json, "slower", r->slower);
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
        printf("%10s %5s %9s %8s %11s %9s %9s %8s %8s %9s %8s\n", "particles", "rate", "frames/s",
               "MB/s", "publish ms", "serve ms", "step ms", "steps/s", "watched", "cost", "slower");
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
        "frames/s and MB/s arrive at one client on this machine while frames are published as it asks,\n"
        "without a simulation. publish and serve are processor time a frame in the simulation's and in\n"
        "the server's thread, step that of an unwatched step; steps/s is the fastest pace of those, and\n"
        "watched the frames/s that were published while the steps went on (one a step at most). cost is\n"
        "publish and serve by the steps they go with. slower is measured: the wall clock of steps with\n"
        "a client and without, by turns, the median of 31; the client, which reads and throws away,\n"
        "competes for the same processors.",
    .examples = "runnel bench view --particles 32768 --rate 60 --seconds 1\n"
                "runnel bench view --json",
    .options = options,
    .run = run,
};
