#include "bench/peer.h"
#include "bench/neighbors.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What a peer reads first; bench/peers/ has the same struct. All members are 8 bytes, so there is
 * no padding. */
typedef struct peer_header {
    char magic[8]; /* "runnel1" */
    uint64_t dim, count, threads, reps;
    double radius, seconds, limit_seconds;
} peer_header;

/* peers/NAME_peer in the folder of our own program; false when it cannot be executed. */
static bool peer_path(const char *name, char *path, size_t path_bytes)
{
    char self[3072];
    snprintf(path, path_bytes, "peers/%s_peer", name);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) return false;
    *slash = 0;
    snprintf(path, path_bytes, "%s/peers/%s_peer", self, name);
    return access(path, X_OK) == 0;
}

static bool write_all(int file, const void *data, size_t bytes)
{
    const char *next = data;
    while (bytes > 0) {
        ssize_t written = write(file, next, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        next += written;
        bytes -= (size_t)written;
    }
    return true;
}

static size_t read_all(int file, char *text, size_t capacity)
{
    size_t used = 0;
    while (used + 1 < capacity) {
        ssize_t got = read(file, text + used, capacity - 1 - used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        used += (size_t)got;
    }
    text[used] = 0;
    return used;
}

double rni_peer_member(const char *answer, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *place = strstr(answer, quoted);
    return place ? strtod(place + strlen(quoted), NULL) : (double)NAN;
}

static void close_pipe(int ends[2])
{
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) close(ends[k]);
    ends[0] = ends[1] = -1;
}

/* Starts the program with our ends of two pipes: to[1] feeds it, from[0] reads it. */
static bool start(const char *path, int to[2], int from[2], pid_t *child)
{
    char *arguments[2] = {strdup(path), NULL};
    if (!arguments[0] || pipe(to) != 0 || pipe(from) != 0) {
        free(arguments[0]);
        return false;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    for (int k = 0; k < 2; k++) {
        posix_spawn_file_actions_addclose(&actions, to[k]);
        posix_spawn_file_actions_addclose(&actions, from[k]);
    }
    int error = posix_spawn(child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(arguments[0]);
    close(to[0]);
    close(from[1]);
    to[0] = from[1] = -1;
    return error == 0;
}

static bool talk_to_peer(const char *path, const rni_peer_span *spans, uint32_t span_count,
                         char *answer, size_t answer_bytes)
{
    int to[2] = {-1, -1};
    int from[2] = {-1, -1};
    pid_t child = -1;
    bool is_good = start(path, to, from, &child);
    if (is_good) {
        for (uint32_t k = 0; k < span_count && is_good; k++)
            is_good = write_all(to[1], spans[k].data, spans[k].bytes);
        close(to[1]);
        to[1] = -1;
        read_all(from[0], answer, answer_bytes);
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        is_good = is_good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    close_pipe(to);
    close_pipe(from);
    return is_good;
}

bool rni_peer_ask(const char *name, const rni_peer_span *spans, uint32_t span_count, char *answer,
                  size_t answer_bytes, char reason[RNI_REASON_BYTES])
{
    char path[4096];
    if (!peer_path(name, path, sizeof path)) {
        snprintf(reason, RNI_REASON_BYTES,
                 "no rows of the peer %s: its driver %s does not exist; `./dev bench --peers` "
                 "in the "
                 "source tree builds it; an installed runnel needs it in that place",
                 name, path);
        return false;
    }
    if (!talk_to_peer(path, spans, span_count, answer, answer_bytes)) {
        snprintf(reason, RNI_REASON_BYTES, "the peer %s failed: %s", name, path);
        return false;
    }
    return true;
}

bool rni_bench_peer(const rni_bench_plan *plan, const float *position, uint32_t count,
                    const char *name, rni_bench_row *row, char reason[RNI_REASON_BYTES])
{
    char answer[1024];
    snprintf(row->method, sizeof row->method, "peer:%s", name);
    row->is_peer = true;
    row->cpu = "native";
    peer_header header = {"runnel1",     plan->def.dim,      count,
                          row->threads,  plan->reps,         (double)plan->def.radius,
                          plan->seconds, plan->limit_seconds};
    const rni_peer_span spans[] = {{&header, sizeof header},
                                   {position, (size_t)count * plan->def.dim * sizeof *position}};
    if (!rni_peer_ask(name, spans, 2, answer, sizeof answer, reason)) return false;
    if (isnan(rni_peer_member(answer, "ns_per_point"))) {
        snprintf(reason, RNI_REASON_BYTES, "the peer %s reported no times", name);
        return false;
    }
    row->has_pairs = true;
    row->entries = (uint64_t)rni_peer_member(answer, "entries");
    row->pairs = row->entries / 2;
    row->build_ms = rni_peer_member(answer, "build_ms");
    row->query_ms = rni_peer_member(answer, "query_ms");
    row->ns_per_point = rni_peer_member(answer, "ns_per_point");
    row->bytes_per_point = rni_peer_member(answer, "bytes_per_point");
    row->reps = (uint32_t)rni_peer_member(answer, "reps");
    return true;
}
