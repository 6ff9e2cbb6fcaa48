/* `runnel view` does what the page asks for; each control shows in what it reports. */
#include "fact.h"

#include "base/clock.h"
#include "view/peer.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static uint32_t port;
static char folder[] = "/tmp/runnel-view-XXXXXX";

/* Starts the command, RUNNEL_COMMAND, and reads the port it prints. */
static void start(const char *const *words)
{
    int lines[2];
    assert_int_equal(pipe(lines), 0);
    child = fork();
    if (child == 0) {
        char *arguments[24] = {NULL};
        for (uint32_t k = 0; words[k] && k < 23; k++) arguments[k] = strdup(words[k]);
        dup2(lines[1], 2);
        close(lines[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        execv(RUNNEL_COMMAND, arguments);
        _exit(127);
    }
    close(lines[1]);
    FILE *file = fdopen(lines[0], "r");
    char line[512] = "";
    port = 0;
    while (port == 0 && fgets(line, sizeof line, file)) {
        const char *at = strstr(line, "http://127.0.0.1:");
        if (at) port = (uint32_t)strtoul(at + 17, NULL, 10);
    }
    fclose(file);
    if (port == 0) fail_msg("no address was printed: %s", line);
}

static void stop_with(int code)
{
    int status = 0;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static void stop(void)
{
    stop_with(0);
}

static rni_peer *join(void)
{
    rni_peer_def def = {.port = port};
    rni_peer *peer = NULL;
    if (rni_peer_open(&def, &peer) != RN_OK) fail_msg("%s", rn_last_error());
    return peer;
}

static json_t *await_message(rni_peer *peer, const char *type)
{
    const char *text = rni_peer_await(peer, type, 20);
    if (!text) fail_msg("no %s came", type);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (!root) fail_msg("%s: %s in %s", type, error.text, text);
    return root;
}

static double number_in(const json_t *root, const char *key)
{
    return json_number_value(json_object_get(root, key));
}

/* Waits for a state. */
static void await_state(rni_peer *peer, const char *wanted)
{
    for (uint32_t k = 0; k < 20; k++) {
        json_t *state = await_message(peer, "state");
        bool is_it = strcmp(json_string_value(json_object_get(state, "state")), wanted) == 0;
        json_decref(state);
        if (is_it) return;
    }
    fail_msg("it never became %s", wanted);
}

static double value_of(rni_peer *peer, const char *path)
{
    json_t *root = await_message(peer, "values");
    double value = number_in(json_object_get(root, "values"), path);
    json_decref(root);
    return value;
}

static const char *const PLAIN[] = {"runnel",    "view",    "double-dam-break",
                                    "--no-open", "--port",  "0",
                                    "--paused",  "--set",   "fluid.spacing=0.05",
                                    "--out",     folder,    "--threads",
                                    "1",         "--speed", "0",
                                    NULL};

static void it_says_what_there_is(void **state)
{
    (void)state;
    start(PLAIN);
    rni_peer *peer = join();
    json_t *hello = await_message(peer, "hello");
    assert_true(json_is_true(json_object_get(hello, "steers")));
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
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "cannot change while the water flows"));
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
    assert_int_equal(json_array_size(json_object_get(picked, "position")), 3);
    assert_true(json_array_size(json_object_get(picked, "neighbors")) > 3);
    const json_t *p = json_object_get(picked, "position");
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
    assert_true(json_is_false(json_object_get(hello, "steers")));
    json_decref(hello);
    rni_peer_say(peer, "{\"type\": \"pause\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "watched only"));
    rni_peer_say(peer, "{\"type\": \"steer\"}");
    assert_non_null(strstr(rni_peer_await(peer, "error", 5), "watched only"));
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
    rni_peer *steers = join(), *peers[20];
    rni_peer_say(steers, "{\"type\": \"start\"}");
    for (uint32_t k = 0; k < 20; k++) {
        peers[k] = join(); /* they ask, and do not read */
        rni_peer_say(peers[k], "{\"type\": \"want\", \"attribute\": \"speed\", \"rate\": 60}");
    }
    double before = 0;
    for (uint32_t k = 0; k < 40; k++) {
        json_decref(await_message(steers, "report"));
        if (k == 15) before = memory_mb();
    }
    double after = memory_mb();
    if (after > before + 30) fail_msg("memory grew from %g to %g MB", before, after);
    for (uint32_t k = 0; k < 20; k++) rni_peer_close(peers[k]);
    rni_peer_close(steers);
    stop();
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_there_is),
        cmocka_unit_test(it_starts_pauses_steps_and_restarts),
        cmocka_unit_test(values_change_and_come_back),
        cmocka_unit_test(scenes_open_and_wrong_ones_are_told),
        cmocka_unit_test(force_pour_and_tilt_move_the_water),
        cmocka_unit_test(a_particle_is_picked),
        cmocka_unit_test(a_run_is_watched_and_not_changed),
        cmocka_unit_test(twenty_that_watch_leave_memory_bounded),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    char sweep[64];
    snprintf(sweep, sizeof sweep, "rm -rf %s", folder);
    return system(sweep) == 0 ? result : 1;
}
