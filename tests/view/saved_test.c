/* What the page saves and loads: the same bits, and nothing but what it may touch. */
#include "view/commanded.h"

#include <sys/stat.h>

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
    rni_peer_say(peer, "{\"type\": \"control\"}");
    expect_error(peer, "{\"type\": \"load\", \"name\": \"link.json\"}", "not a plain file");
    expect_error(peer, "{\"type\": \"load\", \"name\": \"pipe.json\"}", "not a plain file");
    expect_error(peer,
                 "{\"type\": \"save\", \"name\": \"link\", \"kind\": \"scene\", \"replace\": true}",
                 "not a plain file");
    expect_error(
        peer, "{\"type\": \"save\", \"name\": \"gone\", \"kind\": \"checkpoint\", \"replace\": true}",
        "not a plain file");
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

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_water_goes_on_in_a_run_bit_for_bit),
        cmocka_unit_test(files_stay_in_the_folder),
        cmocka_unit_test(files_of_a_run_are_not_replaced),
        cmocka_unit_test(a_full_disk_is_told_and_nothing_is_left),
    };
    return sweep(cmocka_run_group_tests(tests, NULL, NULL));
}
