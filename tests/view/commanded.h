/* The command as a child, RUNNEL_COMMAND, with a peer in place of the page: what tests of `runnel view` share. */
#ifndef RNI_TESTS_VIEW_COMMANDED_H
#define RNI_TESTS_VIEW_COMMANDED_H

#include "fact.h"

#include "view/peer.h"

#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child;
static uint32_t port;
static char folder[] = "/tmp/runnel-view-XXXXXX";
static rlim_t largest_file = RLIM_INFINITY; /* that the command may write */

/* Starts the command, RUNNEL_COMMAND, and reads the port it prints. */
static inline void start(const char *const *words)
{
    int lines[2];
    assert_int_equal(pipe(lines), 0);
    child = fork();
    if (child == 0) {
        char *arguments[32] = {NULL};
        for (uint32_t k = 0; words[k] && k < 31; k++) arguments[k] = strdup(words[k]);
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

static inline void stop_with(int code)
{
    int status = 0;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

static inline void stop(void)
{
    stop_with(0);
}

/* Runs the command to its end; its words on stderr, as far as they fit. */
static inline int run_to_end(const char *const *words, char *said, size_t capacity)
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
        for (ssize_t k = 0; k < got && used + 1 < capacity; k++) said[used++] = piece[k];
    said[used] = 0;
    close(lines[0]);
    assert_int_equal(waitpid(other, &status, 0), other);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline rni_peer *join(void)
{
    rni_peer_def def = {.port = port};
    rni_peer *peer = NULL;
    if (rni_peer_open(&def, &peer) != RN_OK) fail_msg("%s", rn_last_error());
    return peer;
}

static inline json_t *await_message(rni_peer *peer, const char *type)
{
    const char *text = rni_peer_await(peer, type, 20);
    if (!text) fail_msg("no %s came", type);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    if (!root) fail_msg("%s: %s in %s", type, error.text, text);
    return root;
}

static inline double number_in(const json_t *root, const char *key)
{
    return json_number_value(json_object_get(root, key));
}

/* Waits for a state. */
static inline void await_state(rni_peer *peer, const char *wanted)
{
    for (uint32_t k = 0; k < 20; k++) {
        json_t *state = await_message(peer, "state");
        bool is_it = strcmp(json_string_value(json_object_get(state, "state")), wanted) == 0;
        json_decref(state);
        if (is_it) return;
    }
    fail_msg("it never became %s", wanted);
}

static inline double value_of(rni_peer *peer, const char *path)
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

/* Step and hash of a checkpoint (docs/checkpoint.md). */
static inline void read_checkpoint(const char *path, uint64_t *step, uint64_t *hash)
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
static inline uint64_t hash_of_run(const char *out, uint64_t step)
{
    char path[200];
    uint64_t found = 0, hash = 0;
    snprintf(path, sizeof path, "%s/checkpoint_%012llu.rnck", out, (unsigned long long)step);
    read_checkpoint(path, &found, &hash);
    assert_int_equal(found, step);
    return hash;
}

static inline int sweep(int result)
{
    char words[64];
    snprintf(words, sizeof words, "rm -rf %s", folder);
    return system(words) == 0 ? result : 1;
}

#endif
