/* `runnel view` does what the page asks for; each control shows in what it reports. */
#include "view/commanded.h"

#include "base/clock.h"
#include "base/random.h"

#include <arpa/inet.h>
#include <math.h>
#include <sys/socket.h>

static void it_says_what_there_is(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_t *hello = await_message(peer, "hello");
    assert_true(json_is_true(json_object_get(hello, "control")));
    assert_true(json_array_size(json_object_get(hello, "scenes")) >= 5);
    assert_true(json_array_size(json_object_get(hello, "parameters")) >= 30);
    json_decref(hello);
    json_t *scene = await_message(peer, "scene");
    assert_string_equal(json_string_value(json_object_get(scene, "name")), "double-dam-break");
    assert_true(json_is_object(json_object_get(scene, "scene")));
    const json_t *derived = json_object_get(scene, "derived");
    assert_true(number_in(derived, "particles") > 100);
    assert_true(number_in(derived, "time_step") > 0);
    assert_true(number_in(derived, "steps_per_s") > 0);
    json_decref(scene);
    assert_true(value_of(peer, "fluid.viscosity") > 0);
    await_state(peer, "ready");
    rni_peer_close(peer);
    stop();
}

static void it_starts_pauses_steps_and_restarts(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    await_state(peer, "ready");
    rni_peer_say(peer, "{\"type\": \"step\"}");
    json_t *report;
    do {
        report = await_message(peer, "report");
        double step = number_in(report, "step");
        json_decref(report);
        if (step > 1) fail_msg("%g steps were taken", step);
        if (step == 1) break;
    } while (true);
    rni_peer_say(peer, "{\"type\": \"start\"}");
    await_state(peer, "running");
    report = await_message(peer, "report");
    json_decref(report);
    report = await_message(peer, "report");
    assert_true(number_in(report, "step") > 1);
    assert_true(number_in(json_object_get(report, "ms"), "total") > 0);
    json_decref(report);
    rni_peer_say(peer, "{\"type\": \"pause\"}");
    await_state(peer, "paused");
    rni_peer_say(peer, "{\"type\": \"restart\"}");
    await_state(peer, "ready");
    rni_peer_close(peer);
    stop();
}

/* Gauges of the scene in every report; before the first step there is no value. */
static void reports_carry_the_gauges(void **state)
{
    (void)state;
    const char *words[32];
    uint32_t count = 0;
    for (; PLAIN[count]; count++) words[count] = PLAIN[count];
    words[count++] = "--set";
    words[count++] = "gauges=[{\"name\": \"near\", \"kind\": \"level\", \"center\": [0.1, 0, 0.2], "
                     "\"surfaces\": 2}, {\"kind\": \"volume\", \"low\": [-9, -9, -9], "
                     "\"high\": [9, 9, 9]}]";
    words[count] = NULL;
    start(words);
    rni_peer *peer = join();
    json_t *report = await_message(peer, "report");
    const json_t *gauges = json_object_get(report, "gauges");
    assert_int_equal(json_array_size(gauges), 3);
    assert_true(json_is_null(json_object_get(json_array_get(gauges, 0), "value")));
    json_decref(report);
    rni_peer_say(peer, "{\"type\": \"step\"}");
    for (;;) {
        report = await_message(peer, "report");
        if (number_in(report, "step") >= 1) break;
        json_decref(report);
    }
    gauges = json_object_get(report, "gauges");
    const json_t *level = json_array_get(gauges, 0), *volume = json_array_get(gauges, 2);
    assert_string_equal(json_string_value(json_object_get(level, "name")), "near");
    assert_string_equal(json_string_value(json_object_get(level, "unit")), "m");
    assert_true(number_in(level, "value") > 0.1 && number_in(level, "max") >= number_in(level, "min"));
    assert_true(json_is_null(json_object_get(json_array_get(gauges, 1), "value"))); /* one surface */
    assert_string_equal(json_string_value(json_object_get(volume, "name")), "volume_1");
    assert_true(number_in(volume, "value") > 0);
    json_decref(report);
    rni_peer_close(peer);
    stop();
}

static void values_change_and_come_back(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    double before = value_of(peer, "fluid.viscosity");
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"fluid.viscosity\", \"value\": 0.5}");
    assert_true(fabs(value_of(peer, "fluid.viscosity") - 0.5) < 1e-6);
    rni_peer_say(peer, "{\"type\": \"undo\"}");
    assert_true(fabs(value_of(peer, "fluid.viscosity") - before) < 1e-6);
    rni_peer_say(peer, "{\"type\": \"redo\"}");
    assert_true(fabs(value_of(peer, "fluid.viscosity") - 0.5) < 1e-6);
    rni_peer_say(peer, "{\"type\": \"restart\"}");
    assert_true(fabs(value_of(peer, "fluid.viscosity") - 0.5) < 1e-6);
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"fluid.viscosity\", \"value\": -1}");
    json_t *problems = await_message(peer, "problems");
    const json_t *first = json_array_get(json_object_get(problems, "problems"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "path")), "fluid.viscosity");
    json_decref(problems);
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"fluid.spacing\", \"value\": 1}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "cannot change during the simulation"));
    rni_peer_close(peer);
    stop();
}

static void scenes_open_and_wrong_ones_are_told(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_decref(await_message(peer, "scene"));
    rni_peer_say(peer, "{\"type\": \"open\", \"name\": \"dam-break\", \"set\": "
                       "{\"fluid.spacing\": 0.006, \"fluid.tension\": \"akinci\"}}");
    json_t *scene = await_message(peer, "scene");
    assert_string_equal(json_string_value(json_object_get(scene, "name")), "dam-break");
    const json_t *fluid = json_object_get(json_object_get(scene, "scene"), "fluid");
    assert_string_equal(json_string_value(json_object_get(fluid, "tension")), "akinci");
    json_decref(scene);
    rni_peer_say(peer, "{\"type\": \"open\", \"name\": \"dam-break\", \"set\": "
                       "{\"fluid.spacing\": -3}}");
    json_decref(await_message(peer, "problems"));
    rni_peer_say(peer, "{\"type\": \"open\", \"scene\": {\"fluid\": {\"viscosty\": 1}}}");
    json_t *problems = await_message(peer, "problems");
    const json_t *first = json_array_get(json_object_get(problems, "problems"), 0);
    assert_non_null(strstr(json_string_value(json_object_get(first, "sentence")), "viscosity"));
    json_decref(problems);
    rni_peer_say(peer, "{\"type\": \"open\", \"name\": \"/etc/passwd\"}");
    assert_non_null(rni_peer_await(peer, "error", 5));
    rni_peer_close(peer);
    stop();
}

/* The strongest force that reports allow: particles stay below the speed of sound, or nearly. */
static void the_strongest_force_does_not_tear_the_fluid_apart(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_t *scene = await_message(peer, "scene");
    const json_t *derived = json_object_get(scene, "derived");
    double sound = number_in(derived, "sound_speed"), radius = number_in(derived, "radius");
    double fastest = 0;
    char text[256];
    json_decref(scene);
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"gravity\", \"value\": [0, 0, 0]}");
    rni_peer_say(peer, "{\"type\": \"start\"}");
    for (uint32_t k = 0; k < 10; k++) {
        json_t *report = await_message(peer, "report");
        fastest = fmax(fastest, number_in(report, "speed_max"));
        snprintf(text, sizeof text,
                 "{\"type\": \"force\", \"position\": [0.2, 0.2, 0.2], \"radius\": %g, "
                 "\"direction\": [%.9g, 0, 0], \"axis\": [0, 0, 1]}",
                 2 * radius, 0.999 * number_in(report, "force_max"));
        json_decref(report);
        rni_peer_say(peer, text);
    }
    if (!(fastest > 0.05 * sound && fastest < 1.5 * sound))
        fail_msg("particles reach %g m/s; the speed of sound is %g m/s", fastest, sound);
    rni_peer_close(peer);
    stop();
}

static void force_pour_and_tilt_move_the_water(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_t *scene = await_message(peer, "scene");
    json_decref(scene);
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"gravity\", \"value\": [0, 0, 0]}");
    json_t *before = await_message(peer, "report");
    double particles = number_in(before, "particles");
    json_decref(before);
    rni_peer_say(peer, "{\"type\": \"force\", \"position\": [0.5, 0.5, 0.5], \"radius\": 10, "
                       "\"direction\": [3, 0, 0]}");
    rni_peer_say(peer, "{\"type\": \"start\"}");
    double kinetic = 0;
    for (uint32_t k = 0; k < 10; k++) {
        json_t *report = await_message(peer, "report");
        kinetic = number_in(report, "kinetic");
        json_decref(report);
    }
    assert_true(kinetic > 1e-6);
    rni_peer_say(peer, "{\"type\": \"force\", \"off\": true}");
    rni_peer_say(peer, "{\"type\": \"force\", \"position\": [0, 0, 0], \"radius\": 1, \"direction\": "
                       "[1e9, 0, 0]}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "too strong"));
    rni_peer_say(peer, "{\"type\": \"tilt\", \"gravity\": [1, -9, 0]}");
    double sideways = 0;
    for (uint32_t k = 0; k < 5 && sideways != 1; k++) {
        json_t *values = await_message(peer, "values");
        const json_t *gravity = json_object_get(json_object_get(values, "values"), "gravity");
        sideways = json_number_value(json_array_get(gravity, 0));
        json_decref(values);
    }
    assert_true(sideways == 1);
    rni_peer_say(peer, "{\"type\": \"pour\", \"position\": [1, 1, 0.25], \"direction\": [0, -1, 0], "
                       "\"radius\": 0.1, \"speed\": 1}");
    double more = particles;
    for (uint32_t k = 0; k < 100 && more <= particles; k++) {
        json_t *report = await_message(peer, "report");
        more = number_in(report, "particles");
        json_decref(report);
    }
    assert_true(more > particles);
    /* What was poured is saved and comes back. */
    rni_peer_say(peer, "{\"type\": \"pour\", \"off\": true}");
    rni_peer_say(peer, "{\"type\": \"pause\"}");
    await_state(peer, "paused");
    rni_peer_say(peer, "{\"type\": \"save\", \"name\": \"poured\", \"kind\": \"checkpoint\"}");
    assert_non_null(strstr(rni_peer_await(peer, "files", 5), "poured.rnck"));
    rni_peer_say(peer, "{\"type\": \"save\", \"name\": \"poured\", \"kind\": \"checkpoint\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "already"));
    rni_peer_say(peer, "{\"type\": \"restart\"}");
    await_state(peer, "ready");
    rni_peer_say(peer, "{\"type\": \"load\", \"name\": \"poured.rnck\"}");
    scene = await_message(peer, "scene");
    json_decref(scene);
    json_t *report = await_message(peer, "report");
    assert_true(number_in(report, "particles") >= more);
    json_decref(report);
    rni_peer_say(peer, "{\"type\": \"save\", \"name\": \"mine\", \"kind\": \"scene\"}");
    assert_non_null(strstr(rni_peer_await(peer, "files", 5), "mine.json"));
    rni_peer_say(peer, "{\"type\": \"load\", \"name\": \"mine.json\"}");
    await_state(peer, "ready");
    rni_peer_say(peer, "{\"type\": \"load\", \"name\": \"none.rnck\"}");
    assert_non_null(rni_peer_await(peer, "error", 5));
    rni_peer_close(peer);
    stop();
}

static void a_particle_is_picked(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_decref(await_message(peer, "scene"));
    rni_peer_say(peer, "{\"type\": \"pick\", \"id\": 0}");
    json_t *picked = await_message(peer, "picked");
    const json_t *values = json_object_get(picked, "attributes");
    const json_t *p = json_object_get(values, "position");
    assert_int_equal(json_array_size(p), 3);
    assert_true(json_array_size(json_object_get(picked, "neighbors")) > 3);
    /* That of a step would be there, though none was taken: not rest density. */
    double density = json_number_value(json_object_get(values, "density"));
    assert_true(density > 500 && density != 1000);
    char text[300];
    snprintf(text, sizeof text,
             "{\"type\": \"pick\", \"origin\": [%g, %g, 100], \"direction\": [0, 0, -1]}",
             json_number_value(json_array_get(p, 0)), json_number_value(json_array_get(p, 1)));
    json_decref(picked);
    rni_peer_say(peer, text);
    picked = await_message(peer, "picked");
    assert_true(json_is_integer(json_object_get(picked, "id")));
    json_decref(picked);
    rni_peer_close(peer);
    stop();
}

static void a_run_is_watched_and_not_changed(void **state)
{
    (void)state;
    char out[64];
    snprintf(out, sizeof out, "%s/run", folder);
    const char *const words[] = {"runnel",
                                 "run",
                                 "double-dam-break",
                                 "--watch",
                                 "--port",
                                 "0",
                                 "--set",
                                 "fluid.spacing=0.05",
                                 "--out",
                                 out,
                                 "--time",
                                 "1000",
                                 "--every",
                                 "0",
                                 "--progress",
                                 "none",
                                 NULL};
    start(words);
    rni_peer *peer = join();
    json_t *hello = await_message(peer, "hello");
    assert_true(json_is_true(json_object_get(hello, "watch")));
    assert_true(json_is_false(json_object_get(hello, "control")));
    json_decref(hello);
    rni_peer_say(peer, "{\"type\": \"pause\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "only be watched"));
    rni_peer_say(peer, "{\"type\": \"control\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "only be watched"));
    rni_peer_say(peer, "{\"type\": \"want\"}");
    rni_peer_message message;
    do {
        assert_true(rni_peer_next(peer, 10, &message));
        assert_false(message.is_end);
    } while (!message.is_frame);
    kill(child, SIGINT);
    await_state(peer, "ended");
    rni_peer_close(peer);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
}

/* The same run with clients that watch and one that tries to take control, and without. */
static void who_watches_changes_no_bit(void **state)
{
    (void)state;
    char alone[100], watched[100], said[2000];
    snprintf(alone, sizeof alone, "%s/alone", folder);
    snprintf(watched, sizeof watched, "%s/watched", folder);
    const char *const plain[] = {
        "runnel",  "run", "double-dam-break", "--set", "fluid.spacing=0.05", "--steps", "400",
        "--every", "0",   "--progress",       "none",  "--threads",          "1",       "--out",
        alone,     NULL};
    if (run_to_end(plain, said, sizeof said) != 0) fail_msg("%s", said);
    /* In two parts: ended by Ctrl-C while somebody looks, and gone on with. */
    const char *const first[] = {"runnel",
                                 "run",
                                 "double-dam-break",
                                 "--set",
                                 "fluid.spacing=0.05",
                                 "--steps",
                                 "400",
                                 "--every",
                                 "0",
                                 "--progress",
                                 "none",
                                 "--out",
                                 watched,
                                 "--watch",
                                 "--port",
                                 "0",
                                 NULL};
    start(first);
    rni_peer *peer = join();
    rni_peer_say(peer, "{\"type\": \"want\", \"attributes\": [\"age\", \"velocity\", \"id\", "
                       "\"acceleration\"], \"rate\": 60}");
    rni_peer_say(peer, "{\"type\": \"pick\", \"id\": 3}");
    rni_peer_say(peer, "{\"type\": \"tilt\", \"gravity\": [9, 0, 0]}");
    rni_peer_message message;
    for (uint32_t frames = 0; frames < 3;) {
        assert_true(rni_peer_next(peer, 10, &message));
        if (message.is_end) break; /* it may have come to its end already */
        frames += message.is_frame;
    }
    kill(child, SIGINT);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    rni_peer_close(peer);
    if (WEXITSTATUS(status) == 128 + SIGINT) {
        const char *const second[] = {"runnel",     "run",  "--resume",  "--steps", "400",
                                      "--progress", "none", "--out",     watched,   "--watch",
                                      "--port",     "0",    "--threads", "2",       NULL};
        start(second);
        peer = join();
        rni_peer_say(peer, "{\"type\": \"want\", \"rate\": 60}");
        while (rni_peer_next(peer, 10, &message) && !message.is_end) continue;
        rni_peer_close(peer);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(hash_of_run(alone, 400) == hash_of_run(watched, 400));
}

static void a_port_that_is_taken_is_told_before_anything_is_touched(void **state)
{
    (void)state;
    char out[100], number[16], said[2000];
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int line = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(line, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(line, 1), 0);
    assert_int_equal(getsockname(line, (struct sockaddr *)&address, &size), 0);
    snprintf(number, sizeof number, "%u", ntohs(address.sin_port));
    snprintf(out, sizeof out, "%s/untouched", folder);
    const char *const run[] = {"runnel", "run",   "dam-break", "--watch", "--port",
                               number,   "--out", out,         NULL};
    assert_int_equal(run_to_end(run, said, sizeof said), 1);
    assert_non_null(strstr(said, "taken by another program"));
    assert_non_null(strstr(said, "--port 0"));
    assert_int_not_equal(access(out, F_OK), 0);
    const char *const view[] = {"runnel", "view", "--no-open", "--port", number, NULL};
    assert_int_equal(run_to_end(view, said, sizeof said), 1);
    assert_non_null(strstr(said, "taken by another program"));
    close(line);
}

/* Resident memory of the command, MB. */
static double memory_mb(void)
{
    char path[64];
    unsigned long pages = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &pages, &resident), 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void twenty_that_watch_leave_memory_bounded(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *controls = join(), *peers[20];
    rni_peer_say(controls, "{\"type\": \"start\"}");
    for (uint32_t k = 0; k < 20; k++) {
        peers[k] = join(); /* they ask, and do not read */
        rni_peer_say(peers[k], "{\"type\": \"want\", \"attributes\": [\"speed\"], \"rate\": 60}");
    }
    double before = 0;
    for (uint32_t k = 0; k < 40; k++) {
        json_decref(await_message(controls, "report"));
        if (k == 15) before = memory_mb();
    }
    double after = memory_mb();
    if (after > before + 30) fail_msg("memory grew from %g to %g MB", before, after);
    for (uint32_t k = 0; k < 20; k++) rni_peer_close(peers[k]);
    rni_peer_close(controls);
    stop();
}

/* Somebody throws random bytes at it: at the door, behind a good handshake, and as messages. */
static void make_noise(rni_random *random)
{
    unsigned char noise[900];
    rni_peer_def def = {.port = port};
    rni_peer *bad = NULL;
    for (size_t k = 0; k < sizeof noise; k++) noise[k] = (unsigned char)rni_random_u64(random);
    size_t size = 1 + rni_random_below(random, sizeof noise - 1);
    switch (rni_random_below(random, 4)) {
    case 0: {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        int line = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(line, (const struct sockaddr *)&address, sizeof address) == 0) {
            ssize_t sent = send(line, noise, size, MSG_NOSIGNAL);
            (void)sent;
        }
        close(line);
        return;
    }
    case 1: break; /* as it is, behind the handshake */
    case 2: noise[0] = 0x81, noise[1] = 0xfe, noise[2] = 2, noise[3] = 0; break; /* a text of 512 */
    default: /* nearly a message */
        size = (size_t)snprintf((char *)noise + 6, 100, "{\"type\": \"%s\", \"rate\": %llu}",
                                rni_random_below(random, 2) ? "want" : "set",
                                (unsigned long long)rni_random_below(random, 100));
        noise[0] = 0x81, noise[1] = (unsigned char)(0x80 | size), memset(noise + 2, 0, 4);
        size += 6;
        noise[6 + rni_random_below(random, (uint32_t)size - 6)] ^=
            (unsigned char)rni_random_u64(random);
    }
    if (rni_peer_open(&def, &bad) != RN_OK) return; /* there may be too many for a moment */
    rni_peer_send_raw(bad, noise, size);
    rni_peer_close(bad);
}

/* RUNNEL_NOISE_S: for how long, s; a minute is RUNNEL_NOISE_S=60. */
static void noise_and_twenty_that_watch_leave_it_running(void **state)
{
    (void)state;
    const char *setting = getenv("RUNNEL_NOISE_S");
    double seconds = setting ? strtod(setting, NULL) : 3, first = 0, last = 0, most = 0;
    rni_random random = rni_random_make(7);
    start(PLAIN);
    rni_peer *controls = join(), *peers[20];
    rni_peer_say(controls, "{\"type\": \"start\"}");
    for (uint32_t k = 0; k < 20; k++) {
        peers[k] = join();
        rni_peer_say(peers[k], "{\"type\": \"want\", \"attributes\": [\"speed\"], \"rate\": 30}");
    }
    uint64_t frames = 0, rounds = 0;
    double begin = rni_seconds(), settled = 0;
    for (double now; (now = rni_seconds()) < begin + seconds; rounds++) {
        rni_peer_message message;
        make_noise(&random);
        /* Half of them read, the others have stopped. */
        for (uint32_t k = 0; k < 10; k++)
            while (rni_peer_next(peers[k], 0, &message) && !message.is_end)
                frames += message.is_frame;
        if (rounds % 50 == 0 || last <= 0) {
            json_t *report = await_message(controls, "report");
            last = number_in(report, "step");
            json_decref(report);
            if (first <= 0) first = last;
        }
        if (settled <= 0 && now > begin + seconds / 3) settled = memory_mb();
        most = fmax(most, memory_mb());
    }
    rni_peer_say(controls, "{\"type\": \"pause\"}");
    await_state(controls, "paused");
    double after = memory_mb();
    printf("%g s, %llu rounds of noise, %llu frames, steps %g to %g, %.1f MB, then %.1f, at most %.1f\n",
           seconds, (unsigned long long)rounds, (unsigned long long)frames, first, last, settled,
           after, most);
    assert_true(last > first && frames > 0);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed for a while */
    if (after > settled + 20) fail_msg("memory grew from %g to %g MB", settled, after);
#endif
    for (uint32_t k = 0; k < 20; k++) rni_peer_close(peers[k]);
    rni_peer_close(controls);
    stop();
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_there_is),
        cmocka_unit_test(it_starts_pauses_steps_and_restarts),
        cmocka_unit_test(reports_carry_the_gauges),
        cmocka_unit_test(values_change_and_come_back),
        cmocka_unit_test(scenes_open_and_wrong_ones_are_told),
        cmocka_unit_test(the_strongest_force_does_not_tear_the_fluid_apart),
        cmocka_unit_test(force_pour_and_tilt_move_the_water),
        cmocka_unit_test(a_particle_is_picked),
        cmocka_unit_test(a_run_is_watched_and_not_changed),
        cmocka_unit_test(who_watches_changes_no_bit),
        cmocka_unit_test(a_port_that_is_taken_is_told_before_anything_is_touched),
        cmocka_unit_test(twenty_that_watch_leave_memory_bounded),
        cmocka_unit_test(noise_and_twenty_that_watch_leave_it_running),
    };
    return sweep(cmocka_run_group_tests(tests, NULL, NULL));
}
