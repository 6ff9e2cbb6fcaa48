/* Peers: other libraries, each in a program of its own in a folder beside ours (peers/NAME_peer), so
 * that the command depends on none of them. A peer reads a header and arrays from stdin, and prints one
 * flat JSON object. */
#ifndef RNI_BENCH_PEER_H
#define RNI_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Long enough for a sentence with a path in it. */
#define RNI_REASON_BYTES 4608u

/* One array a peer reads. */
typedef struct rni_peer_span {
    const void *data;
    size_t bytes;
} rni_peer_span;

/* Runs the peer and feeds it the spans, one after another; false with a reason when it does not exist or
 * fails. */
bool rni_peer_ask(const char *name, const rni_peer_span *spans, uint32_t span_count, char *answer,
                  size_t answer_bytes, char reason[RNI_REASON_BYTES]);

/* The number behind "key": in the answer; NaN when there is none. */
double rni_peer_member(const char *answer, const char *key);

/* What a peer of the broad phase reads first; bench/peers/ has the same struct. All members are 8
 * bytes, so there is no padding. The low corners of all boxes follow (dim floats each), the high
 * corners, and for queries their low and their high corners.
 * It prints {"pairs": N, "ms": T, "bytes": B, "reps": R}, hits instead of pairs for queries: T is the
 * fastest repetition of everything from the arrays to the result (for queries: of the queries alone,
 * and "build_ms" the remainder), B the memory the library holds, 0 where that is not known. "exact": 0 when
 * the library does not find all of them. */
typedef struct rni_box_peer_header {
    char magic[8]; /* "runnelb" */
    uint64_t dim, count, threads, reps;
    uint64_t query_count; /* 0: all pairs of the boxes */
    double seconds, limit_seconds;
} rni_box_peer_header;

#endif
