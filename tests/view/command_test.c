/* `runnel view` does what the page asks for; each control shows in what it reports. */
#include "fact.h"

#include "base/clock.h"
#include "base/random.h"
#include "view/peer.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static uint32_t port;
static char folder[] = "/tmp/runnel-view-XXXXXX";
static rlim_t largest_file = RLIM_INFINITY; /* that the command may write */

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
        if (largest_file != RLIM_INFINITY)
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){largest_file, largest_file});
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

/* Runs the command to its end; its words on stderr, as far as there is room. */
static int run_to_end(const char *const *words, char *said, size_t room)
{
    int lines[2], status = 0;
    size_t used = 0;
    assert_int_equal(pipe(lines), 0);
    pid_t other = fork();
    if (other == 0) {
        char *arguments[32] = {NULL};
        for (uint32_t k = 0; words[k] && k < 31; k++) arguments[k] = strdup(words[k]);
        dup2(lines[1], 2);
        if (!freopen("/dev/null", "w", stdout)) _exit(126);
        close(lines[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv(RUNNEL_COMMAND, arguments);
        _exit(127);
    }
    close(lines[1]);
    char piece[256];
    ssize_t got;
    while ((got = read(lines[0], piece, sizeof piece)) > 0)
        for (ssize_t k = 0; k < got && used + 1 < room; k++) said[used++] = piece[k];
    said[used] = 0;
    close(lines[0]);
    assert_int_equal(waitpid(other, &status, 0), other);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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
    /* That of a step would be there, though none was taken: not rest density. */
    assert_true(number_in(picked, "density") > 500 && number_in(picked, "density") != 1000);
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

/* Step and hash of a checkpoint (docs/checkpoint.md). */
static void read_checkpoint(const char *path, uint64_t *step, uint64_t *hash)
{
    unsigned char bytes[176];
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is not there", path);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    fclose(file);
    memcpy(step, bytes + 136 + 16, 8);
    memcpy(hash, bytes + 136 + 32, 8);
}

/* The newest checkpoint of a run that ended at this step. */
static uint64_t hash_of_run(const char *out, uint64_t step)
{
    char path[200];
    uint64_t found = 0, hash = 0;
    snprintf(path, sizeof path, "%s/checkpoint_%012llu.rnck", out, (unsigned long long)step);
    read_checkpoint(path, &found, &hash);
    assert_int_equal(found, step);
    return hash;
}

static void say_steps(rni_peer *peer, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) rni_peer_say(peer, "{\"type\": \"step\"}");
}

static void save(rni_peer *peer, const char *name)
{
    char text[160];
    snprintf(text, sizeof text,
             "{\"type\": \"save\", \"name\": \"%s\", \"kind\": \"checkpoint\", \"replace\": true}",
             name);
    rni_peer_say(peer, text);
    rni_peer_message message;
    while (rni_peer_next(peer, 10, &message) && !message.is_end) {
        if (message.is_frame) continue;
        if (strstr((const char *)message.bytes, "\"type\": \"error\""))
            fail_msg("%s", (const char *)message.bytes);
        if (strstr((const char *)message.bytes, "\"type\": \"files\"")) return;
    }
    fail_msg("%s was not saved", name);
}

/* Waits until so many steps are done. */
static void await_step(rni_peer *peer, double wanted)
{
    double step = 0;
    while (step < wanted) {
        json_t *report = await_message(peer, "report");
        step = number_in(report, "step");
        json_decref(report);
    }
}

static void saved_water_goes_on_in_a_run_bit_for_bit(void **state)
{
    (void)state;
    char scene[100], a[100], b[100], out[100], steps[24], said[2000];
    snprintf(scene, sizeof scene, "%s/events.json", folder);
    FILE *file = fopen(scene, "w");
    assert_non_null(file);
    /* The spacing follows from a number of particles; an event comes early, one late. */
    fputs("{\"fluid\": {\"particles\": 1500}, \"domain\": {\"low\": [0, 0, 0], \"high\": [1, 1, 0.4]},"
          "\"blocks\": [{\"low\": [0, 0, 0], \"high\": [0.3, 0.5, 0.4]}],"
          "\"run\": {\"time\": 0.3, \"every\": 0.1},"
          "\"events\": [{\"time\": 0.001, \"set\": {\"gravity\": [3, -9.81, 0], \"fluid.viscosity\": 0.2}},"
          "{\"time\": 0.05, \"set\": {\"gravity\": [0, -15, 0]}}]}",
          file);
    fclose(file);
    const char *const words[] = {"runnel", "view",     scene,   "--no-open", "--port",
                                 "0",      "--paused", "--out", folder,      "--threads",
                                 "1",      "--speed",  "0",     NULL};
    start(words);
    rni_peer *peer = join();
    json_decref(await_message(peer, "scene"));
    say_steps(peer, 8);
    await_step(peer, 8);
    rni_peer_say(peer, "{\"type\": \"tilt\", \"gravity\": [4, -5, 1]}");
    rni_peer_say(peer, "{\"type\": \"set\", \"path\": \"fluid.viscosity\", \"value\": 0.4}");
    rni_peer_say(peer, "{\"type\": \"pour\", \"position\": [0.7, 0.8, 0.2], \"direction\": [0, -1, 0], "
                       "\"radius\": 0.08, \"speed\": 2}");
    say_steps(peer, 20);
    await_step(peer, 28);
    save(peer, "pouring"); /* the stream goes on here, and is not in the file */
    rni_peer_say(peer, "{\"type\": \"pour\", \"off\": true}");
    say_steps(peer, 5);
    await_step(peer, 33);
    save(peer, "poured");
    say_steps(peer, 60); /* over the late event */
    await_step(peer, 93);
    save(peer, "later");
    /* Loaded again here, it comes to the same. */
    rni_peer_say(peer, "{\"type\": \"load\", \"name\": \"poured.rnck\"}");
    json_decref(await_message(peer, "scene"));
    say_steps(peer, 60);
    await_step(peer, 93);
    save(peer, "again");
    rni_peer_close(peer);
    stop();
    uint64_t step = 0, hash = 0, same = 0;
    snprintf(a, sizeof a, "%s/later.rnck", folder);
    read_checkpoint(a, &step, &hash);
    snprintf(b, sizeof b, "%s/again.rnck", folder);
    read_checkpoint(b, &step, &same);
    if (hash != same)
        fail_msg("loaded again: %llx, %llx", (unsigned long long)hash, (unsigned long long)same);
    snprintf(a, sizeof a, "%s/poured.rnck", folder);
    snprintf(out, sizeof out, "%s/onward", folder);
    snprintf(steps, sizeof steps, "%llu", (unsigned long long)step);
    const char *const run[] = {"runnel", "run",       a,   "--out",      out,    "--steps",
                               steps,    "--threads", "2", "--progress", "none", NULL};
    if (run_to_end(run, said, sizeof said) != 0) fail_msg("%s", said);
    same = hash_of_run(out, step);
    if (hash != same)
        fail_msg("by a run: %llx, %llx", (unsigned long long)hash, (unsigned long long)same);
    /* And that run goes on like any other, also from the name that runs give their own. */
    const char *const more[] = {"runnel", "run",  "--out",      out,    "--resume",
                                "--time", "0.25", "--progress", "none", NULL};
    if (run_to_end(more, said, sizeof said) != 0) fail_msg("%s", said);
    snprintf(out, sizeof out, "%s/named", folder);
    mkdir(out, 0777);
    char command[400];
    snprintf(command, sizeof command, "cp %s %s/checkpoint_000000000033.rnck", a, out);
    assert_int_equal(system(command), 0);
    const char *const named[] = {"runnel",  "run", "--out",      out,    "--resume",
                                 "--steps", steps, "--progress", "none", NULL};
    if (run_to_end(named, said, sizeof said) != 0) fail_msg("%s", said);
    assert_true(hash_of_run(out, step) == hash);
    /* Saved while water was pouring. */
    snprintf(a, sizeof a, "%s/pouring.rnck", folder);
    snprintf(out, sizeof out, "%s/pouring", folder);
    if (run_to_end(run, said, sizeof said) != 0) fail_msg("%s", said);
    /* And in a viewer that begins with it. */
    const char *const viewed[] = {"runnel",   "view",  a,      "--no-open", "--port", "0",
                                  "--paused", "--out", folder, "--threads", "1",      NULL};
    start(viewed);
    peer = join();
    json_t *message = await_message(peer, "scene");
    assert_string_equal(json_string_value(json_object_get(message, "name")), "pouring.rnck");
    json_decref(message);
    await_step(peer, 28);
    rni_peer_close(peer);
    stop();
}

static void expect_error(rni_peer *peer, const char *order, const char *part)
{
    rni_peer_say(peer, order);
    const char *answer = rni_peer_await(peer, "error", 10);
    if (!answer || !strstr(answer, part)) fail_msg("%s: %s", order, answer ? answer : "no answer");
}

static void files_stay_in_the_folder(void **state)
{
    (void)state;
    char inside[120], link[160], pipe_path[160], outside[160];
    snprintf(inside, sizeof inside, "%s/inside", folder);
    mkdir(inside, 0777);
    snprintf(outside, sizeof outside, "%s/outside.json", folder);
    FILE *file = fopen(outside, "w");
    fputs("precious", file);
    fclose(file);
    snprintf(link, sizeof link, "%s/link.json", inside);
    assert_int_equal(symlink(outside, link), 0);
    snprintf(link, sizeof link, "%s/gone.rnck", inside);
    assert_int_equal(symlink("/tmp/runnel-view-nowhere/x", link), 0);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe.json", inside);
    assert_int_equal(mkfifo(pipe_path, 0666), 0);
    const char *words[16];
    memcpy(words, PLAIN, sizeof PLAIN);
    words[10] = inside;
    start(words);
    rni_peer *peer = join();
    static const char *const NAMES[] = {"../evil", "a/b",       "..",   ".hidden",
                                        "",        "/etc/evil", "a\\b", "x\\u0000y"};
    for (uint32_t k = 0; k < 8; k++) {
        char order[200];
        snprintf(order, sizeof order,
                 "{\"type\": \"save\", \"name\": \"%s\", \"kind\": \"scene\", \"replace\": true}",
                 NAMES[k]);
        expect_error(peer, order, "sentence");
    }
    expect_error(peer, "{\"type\": \"load\", \"name\": \"../outside.json\"}", "sentence");
    rni_peer_close(peer);
    peer = join(); /* ten bad ones would be too many */
    rni_peer_say(peer, "{\"type\": \"steer\"}");
    expect_error(peer, "{\"type\": \"load\", \"name\": \"link.json\"}", "no plain file");
    expect_error(peer, "{\"type\": \"load\", \"name\": \"pipe.json\"}", "no plain file");
    expect_error(peer,
                 "{\"type\": \"save\", \"name\": \"link\", \"kind\": \"scene\", \"replace\": true}",
                 "no plain file");
    expect_error(
        peer, "{\"type\": \"save\", \"name\": \"gone\", \"kind\": \"checkpoint\", \"replace\": true}",
        "no plain file");
    rni_peer_say(peer, "{\"type\": \"list\"}");
    const char *files = rni_peer_await(peer, "files", 5);
    assert_non_null(files);
    assert_null(strstr(files, "link.json"));
    assert_null(strstr(files, "pipe.json"));
    rni_peer_close(peer);
    stop();
    char word[16] = "";
    file = fopen(outside, "r");
    assert_non_null(fgets(word, sizeof word, file));
    fclose(file);
    assert_string_equal(word, "precious");
}

static void touch(const char *in, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", in, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("precious", file);
    fclose(file);
}

/* In a folder that a run has left, its files stay also when replacing is asked for; others may be. */
static void files_of_a_run_are_not_replaced(void **state)
{
    (void)state;
    char inside[120], path[200], word[16] = "";
    snprintf(inside, sizeof inside, "%s/left", folder);
    mkdir(inside, 0777);
    touch(inside, ".runnel-lock");
    touch(inside, "scene.json");
    touch(inside, "checkpoint_000000000007.rnck");
    touch(inside, "mine.json");
    const char *words[16];
    memcpy(words, PLAIN, sizeof PLAIN);
    words[10] = inside;
    start(words);
    rni_peer *peer = join();
    expect_error(peer,
                 "{\"type\": \"save\", \"name\": \"scene\", \"kind\": \"scene\", \"replace\": true}",
                 "scene is a file of the run in ");
    expect_error(peer,
                 "{\"type\": \"save\", \"name\": \"checkpoint_000000000007\", \"kind\": "
                 "\"checkpoint\", \"replace\": true}",
                 "is a file of the run in ");
    rni_peer_say(peer,
                 "{\"type\": \"save\", \"name\": \"mine\", \"kind\": \"scene\", \"replace\": true}");
    assert_non_null(rni_peer_await(peer, "files", 10));
    rni_peer_close(peer);
    stop();
    snprintf(path, sizeof path, "%s/scene.json", inside);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(word, sizeof word, file));
    fclose(file);
    assert_string_equal(word, "precious");
}

static void a_full_disk_is_told_and_nothing_is_left(void **state)
{
    (void)state;
    char inside[120], path[160];
    snprintf(inside, sizeof inside, "%s/full", folder);
    const char *words[16];
    memcpy(words, PLAIN, sizeof PLAIN);
    words[10] = inside;
    largest_file = 20000; /* the scene fits, the water does not */
    start(words);
    largest_file = RLIM_INFINITY;
    rni_peer *peer = join();
    expect_error(peer, "{\"type\": \"save\", \"name\": \"big\", \"kind\": \"checkpoint\"}",
                 "cannot be written");
    rni_peer_say(peer, "{\"type\": \"save\", \"name\": \"small\", \"kind\": \"scene\"}");
    const char *files = rni_peer_await(peer, "files", 5);
    assert_non_null(files);
    assert_non_null(strstr(files, "small.json"));
    assert_null(strstr(files, "big"));
    rni_peer_say(peer, "{\"type\": \"start\"}");
    await_step(peer, 5);
    rni_peer_close(peer);
    stop();
    snprintf(path, sizeof path, "%s/big.rnck", inside);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* The same run with people who look and one who tries to steer, and without. */
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
    rni_peer_say(peer, "{\"type\": \"want\", \"attribute\": \"age\", \"velocities\": true, \"ids\": "
                       "true, \"accelerations\": true, \"rate\": 60}");
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
    rni_peer *steers = join(), *peers[20];
    rni_peer_say(steers, "{\"type\": \"start\"}");
    for (uint32_t k = 0; k < 20; k++) {
        peers[k] = join();
        rni_peer_say(peers[k], "{\"type\": \"want\", \"attribute\": \"speed\", \"rate\": 30}");
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
            json_t *report = await_message(steers, "report");
            last = number_in(report, "step");
            json_decref(report);
            if (first <= 0) first = last;
        }
        if (settled <= 0 && now > begin + seconds / 3) settled = memory_mb();
        most = fmax(most, memory_mb());
    }
    rni_peer_say(steers, "{\"type\": \"pause\"}");
    await_state(steers, "paused");
    double after = memory_mb();
    printf("%g s, %llu rounds of noise, %llu frames, steps %g to %g, %.1f MB, then %.1f, at most %.1f\n",
           seconds, (unsigned long long)rounds, (unsigned long long)frames, first, last, settled,
           after, most);
    assert_true(last > first && frames > 0);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed for a while */
    if (after > settled + 20) fail_msg("memory grew from %g to %g MB", settled, after);
#endif
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
        cmocka_unit_test(who_watches_changes_no_bit),
        cmocka_unit_test(a_port_that_is_taken_is_told_before_anything_is_touched),
        cmocka_unit_test(saved_water_goes_on_in_a_run_bit_for_bit),
        cmocka_unit_test(files_stay_in_the_folder),
        cmocka_unit_test(files_of_a_run_are_not_replaced),
        cmocka_unit_test(a_full_disk_is_told_and_nothing_is_left),
        cmocka_unit_test(twenty_that_watch_leave_memory_bounded),
        cmocka_unit_test(noise_and_twenty_that_watch_leave_it_running),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    char sweep[64];
    snprintf(sweep, sizeof sweep, "rm -rf %s", folder);
    return system(sweep) == 0 ? result : 1;
}
