// What the peers of mesh queries share: reading what `runnel bench mesh --peers` writes, the clock, the
// repetitions, the answer. src/bench/peer.h has the other side.
#ifndef RUNNEL_MESH_PEER_H
#define RUNNEL_MESH_PEER_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace peer
{

struct Header {
    char magic[8];
    uint64_t vertex_count, triangle_count, point_count, reps, chunk;
    double near; // the reach of near queries
};

struct Input {
    Header header;
    std::vector<float> vertex; // x, y, z
    std::vector<uint32_t> triangle;
    std::vector<float> from, to; // points; from -> to are segments
};

inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T> bool read_array(std::vector<T> &to, uint64_t count)
{
    to.resize(count);
    return std::fread(to.data(), sizeof(T), count, stdin) == count;
}

inline bool read_input(Input &input)
{
    Header &h = input.header;
    if (std::fread(&h, sizeof h, 1, stdin) != 1 || std::memcmp(h.magic, "runnelm", 8) != 0 ||
        h.vertex_count > UINT32_MAX || h.triangle_count > UINT32_MAX || h.point_count == 0 ||
        h.point_count > UINT32_MAX || h.chunk == 0)
        return false;
    return read_array(input.vertex, h.vertex_count * 3) &&
           read_array(input.triangle, h.triangle_count * 3) &&
           read_array(input.from, h.point_count * 3) && read_array(input.to, h.point_count * 3);
}

// Nanoseconds per query: the fastest repetition of every chunk of queries, so that a busy machine
// disturbs little. `ask` answers query i with a number; the mean number is returned too.
template <class Ask> double measure(const Header &h, Ask ask, double *mean)
{
    double total = 0, sum = 0;
    for (uint64_t begin = 0; begin < h.point_count; begin += h.chunk) {
        uint64_t end = std::min(begin + h.chunk, h.point_count);
        double least = INFINITY;
        for (uint64_t r = 0; r < h.reps; r++) {
            double part = 0, start = now();
            for (uint64_t i = begin; i < end; i++) part += ask(i);
            least = std::min(least, now() - start);
            if (r == 0) sum += part;
        }
        total += least;
    }
    *mean = sum / static_cast<double>(h.point_count);
    return 1e9 * total / static_cast<double>(h.point_count);
}

// NaN: the library has no such query.
struct Answer {
    double build_ms = NAN, closest_ns = NAN, near_ns = NAN, segment_ns = NAN, inside_ns = NAN;
    double distance = NAN; // mean of the distances found, for comparison
};

inline void print_member(const char *name, double value)
{
    if (std::isfinite(value)) std::printf(", \"%s\": %.9g", name, value);
}

inline int print(const char *name, const Answer &answer)
{
    std::printf("{\"method\": \"peer:%s\"", name);
    print_member("build_ms", answer.build_ms);
    print_member("closest_ns", answer.closest_ns);
    print_member("near_ns", answer.near_ns);
    print_member("segment_ns", answer.segment_ns);
    print_member("inside_ns", answer.inside_ns);
    print_member("distance", answer.distance);
    std::printf("}\n");
    return std::fflush(stdout) == 0 ? 0 : 1;
}

inline int refuse(const char *name)
{
    std::fprintf(stderr, "%s_peer: stdin is not what `runnel bench mesh --peers` writes\n", name);
    return 2;
}

} // namespace peer

#endif
