// What the peers of the broad phase share: reading what `runnel bench pairs --peers` and `runnel bench
// queries --peers` write, the clock, the repetitions, the answer. src/bench/peer.h has the other side.
#ifndef RUNNEL_BOX_PEER_H
#define RUNNEL_BOX_PEER_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace peer
{

struct Header {
    char magic[8];
    uint64_t dim, count, threads, reps, query_count;
    double seconds, limit_seconds;
};

// Boxes and queries with three coordinates each; in 2D the third is 0.
struct Input {
    Header header;
    std::vector<float> low, high, query_low, query_high;
};

struct Answer {
    uint64_t found = 0;
    double build = 0, find = 0; // seconds
    uint64_t bytes = 0;         // what the library says it holds; 0: nothing
};

inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline bool read_corners(const Header &header, uint64_t count, std::vector<float> &to)
{
    std::vector<float> packed(count * header.dim);
    if (std::fread(packed.data(), sizeof(float), packed.size(), stdin) != packed.size())
        return false;
    to.assign(count * 3, 0.0f);
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t axis = 0; axis < header.dim; axis++)
            to[i * 3 + axis] = packed[i * header.dim + axis];
    return true;
}

inline bool read_input(Input &input)
{
    Header &h = input.header;
    if (std::fread(&h, sizeof h, 1, stdin) != 1 || std::memcmp(h.magic, "runnelb", 8) != 0 ||
        (h.dim != 2 && h.dim != 3) || h.count == 0 || h.count > UINT32_MAX || h.threads == 0 ||
        h.threads > 1024 || h.query_count > UINT32_MAX)
        return false;
    return read_corners(h, h.count, input.low) && read_corners(h, h.count, input.high) &&
           read_corners(h, h.query_count, input.query_low) &&
           read_corners(h, h.query_count, input.query_high);
}

// Runs `once` (an Answer each time) as often as the header asks and prints the fastest. For pairs
// everything counts; for queries the queries alone, the structure being made before.
template <class Once> int run(const char *name, bool is_exact, Once once)
{
    Input input;
    if (!read_input(input)) {
        std::fprintf(stderr, "%s_peer: stdin is not what `runnel bench pairs --peers` writes\n",
                     name);
        return 2;
    }
    const Header &h = input.header;
    bool is_queries = h.query_count > 0;
    Answer best;
    double least = INFINITY, spent = 0;
    uint64_t reps = 0;
    while (!(reps >= std::max<uint64_t>(h.reps, 2) && spent >= h.seconds) &&
           (reps < 2 || spent < h.limit_seconds)) {
        Answer answer = once(input);
        double cost = is_queries ? answer.find : answer.build + answer.find;
        spent += answer.build + answer.find;
        reps++;
        if (cost >= least) continue;
        least = cost;
        best = answer;
    }
    std::printf(
        "{\"method\": \"peer:%s\", \"threads\": %llu, \"boxes\": %llu, \"%s\": %llu, \"ms\": %.6f, "
        "\"build_ms\": %.6f, \"bytes\": %llu, \"exact\": %d, \"reps\": %llu}\n",
        name, static_cast<unsigned long long>(h.threads), static_cast<unsigned long long>(h.count),
        is_queries ? "hits" : "pairs", static_cast<unsigned long long>(best.found), least * 1e3,
        best.build * 1e3, static_cast<unsigned long long>(best.bytes), is_exact ? 1 : 0,
        static_cast<unsigned long long>(reps));
    return std::fflush(stdout) == 0 ? 0 : 1;
}

inline bool touch(const float *a_low, const float *a_high, const float *b_low, const float *b_high)
{
    for (int axis = 0; axis < 3; axis++)
        if (a_low[axis] > b_high[axis] || b_low[axis] > a_high[axis]) return false;
    return true;
}

struct Pair {
    uint32_t a, b;
};

} // namespace peer

#endif
