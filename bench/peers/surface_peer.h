// What the peers of surfaces share: reading what `runnel bench surface --peers` writes, the clock, the repetitions,
// the answer. src/bench/surface.c has the other side.
#ifndef RUNNEL_SURFACE_PEER_H
#define RUNNEL_SURFACE_PEER_H

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

namespace peer
{

struct Header {
    char magic[8];
    uint64_t count, threads, reps;
    double seconds, spacing, voxel, radius, level; // m; the kernel's radius; level of the field
    uint64_t grid[3];                              // points of the field, x fastest; 0: none
    double low[3], step[3];                        // m
};

struct Input {
    Header header;
    std::vector<float> position; // x, y, z
    std::vector<float> field;
};

struct Answer {
    double triangles = 0, vertices = 0;
    double field_ms = NAN;    // what comes before the mesh, where it can be told
    double ms = INFINITY;     // from the positions to the mesh; VTK: from the field to the mesh
    double cpu_ms = INFINITY; // the same, of all threads together: comparable on a busy machine
    uint64_t reps = 0;
};

inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline bool read_input(Input &input)
{
    Header &h = input.header;
    if (std::fread(&h, sizeof h, 1, stdin) != 1 || std::memcmp(h.magic, "runnelp", 8) != 0 ||
        h.count == 0 || h.count > UINT32_MAX || h.threads == 0 || !(h.voxel > 0) || !(h.spacing > 0))
        return false;
    input.position.resize(3 * h.count);
    if (std::fread(input.position.data(), 12, h.count, stdin) != h.count) return false;
    input.field.resize(h.grid[0] * h.grid[1] * h.grid[2]);
    return std::fread(input.field.data(), 4, input.field.size(), stdin) == input.field.size();
}

// Repeats `make`, which fills in counts; the fastest is kept.
template <class Make> Answer measure(const Header &h, Make make)
{
    Answer best, warm_up;
    const double begin = now();
    make(warm_up);
    while (best.reps < h.reps || now() - begin < h.seconds) {
        Answer answer;
        const double start = now();
        const std::clock_t cpu = std::clock();
        make(answer);
        answer.ms = 1e3 * (now() - start);
        answer.cpu_ms =
            std::min(best.cpu_ms, 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
        answer.reps = best.reps + 1;
        if (answer.ms < best.ms) best = answer;
        best.reps = answer.reps;
        best.cpu_ms = answer.cpu_ms;
    }
    return best;
}

inline int print(const Answer &a)
{
    std::printf(
        "{\"ms\": %.6f, \"cpu_ms\": %.6f, \"reps\": %llu, \"vertices\": %.0f, \"triangles\": %.0f",
        a.ms, a.cpu_ms, static_cast<unsigned long long>(a.reps), a.vertices, a.triangles);
    if (std::isfinite(a.field_ms)) std::printf(", \"field_ms\": %.6f", a.field_ms);
    std::printf("}\n");
    return std::fflush(stdout) == 0 ? 0 : 1;
}

inline int refuse(const char *name)
{
    std::fprintf(stderr, "%s_peer: stdin is not what `runnel bench surface --peers` writes\n", name);
    return 2;
}

} // namespace peer

#endif
