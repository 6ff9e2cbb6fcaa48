// nanoflann beside Runnel: a kd-tree built over all points, then a radius search for every point,
// complete lists kept. Reads the header and packed float positions from stdin, prints one JSON
// object. The result set writes indices straight into the lists, which is the fastest way nanoflann
// offers; threads take equal shares of the points.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <nanoflann.hpp>

namespace
{

struct Header { // src/bench/peer.c writes it
    char magic[8];
    uint64_t dim, count, threads, reps;
    double radius, seconds, limit_seconds;
};

struct Cloud {
    const float *position;
    size_t count;
    size_t dim;

    size_t kdtree_get_point_count() const
    {
        return count;
    }
    float kdtree_get_pt(size_t i, size_t axis) const
    {
        return position[i * dim + axis];
    }
    template <class Box> bool kdtree_get_bbox(Box &) const
    {
        return false;
    }
};

// Takes every point nearer than the limit, but for the searching one.
class ListSet
{
  public:
    ListSet(float limit_sq, std::vector<uint32_t> &list) : limit_sq_(limit_sq), list_(list)
    {
    }
    void start(uint32_t self)
    {
        self_ = self;
    }
    size_t size() const
    {
        return list_.size();
    }
    bool empty() const
    {
        return list_.empty();
    }
    bool full() const
    {
        return true;
    }
    float worstDist() const
    {
        return limit_sq_;
    }
    void sort()
    {
    }
    bool addPoint(float distance_sq, uint32_t index)
    {
        if (distance_sq < limit_sq_ && index != self_) list_.push_back(index);
        return true;
    }

  private:
    float limit_sq_;
    std::vector<uint32_t> &list_;
    uint32_t self_ = 0;
};

// Of one thread's share; apart by cache lines, since every entry moves the end of a vector.
struct alignas(128) Lists {
    std::vector<uint32_t> index;
    std::vector<uint64_t> start;
};

struct Best {
    double build = 0, query = 0, total = INFINITY;
    uint64_t entries = 0, bytes = 0, reps = 0;
};

double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <int Dim> Best measure(const Header &header, const std::vector<float> &position)
{
    using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Cloud>,
                                                     Cloud, Dim, uint32_t>;
    Cloud cloud{position.data(), static_cast<size_t>(header.count), Dim};
    // nanoflann takes what is nearer than the limit; a pair at exactly the radius counts for us.
    float radius = static_cast<float>(header.radius);
    float limit_sq = std::nextafterf(radius * radius, INFINITY);
    std::vector<Lists> lists(header.threads);
    Best best;
    double spent = 0;
    // The first repetition also grows the lists: three of them at least, however long they take.
    while (!(best.reps >= std::max<uint64_t>(header.reps, 3) && spent >= header.seconds) &&
           (best.reps < 3 || spent < header.limit_seconds)) {
        double begin = now();
        auto tree = std::make_unique<Tree>(Dim, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
        tree->buildIndex();
        double built = now();
        auto search_share = [&](uint64_t t) {
            Lists &mine = lists[t];
            mine.index.clear();
            mine.start.clear();
            ListSet set(limit_sq, mine.index);
            uint64_t low = header.count * t / header.threads;
            uint64_t high = header.count * (t + 1) / header.threads;
            for (uint64_t i = low; i < high; i++) {
                mine.start.push_back(mine.index.size());
                set.start(static_cast<uint32_t>(i));
                tree->findNeighbors(set, position.data() + i * Dim, {});
            }
            mine.start.push_back(mine.index.size());
        };
        std::vector<std::thread> threads;
        for (uint64_t t = 1; t < header.threads; t++) threads.emplace_back(search_share, t);
        search_share(0);
        for (std::thread &thread : threads) thread.join();
        double end = now();
        spent += end - begin;
        best.reps++;
        if (end - begin >= best.total) continue;
        best.total = end - begin;
        best.build = built - begin;
        best.query = end - built;
        best.entries = 0;
        best.bytes = tree->usedMemory(*tree);
        for (const Lists &l : lists) {
            best.entries += l.index.size();
            best.bytes +=
                l.index.capacity() * sizeof(uint32_t) + l.start.capacity() * sizeof(uint64_t);
        }
    }
    return best;
}

} // namespace

int main()
{
    Header header;
    if (std::fread(&header, sizeof header, 1, stdin) != 1 ||
        std::memcmp(header.magic, "runnel1", 8) != 0 || (header.dim != 2 && header.dim != 3) ||
        header.count == 0 || header.count > UINT32_MAX || header.threads == 0 ||
        header.threads > 1024) {
        std::fprintf(stderr,
                     "nanoflann_peer: stdin is not what `runnel bench neighbors --peers` writes\n");
        return 2;
    }
    std::vector<float> position(header.count * header.dim);
    if (std::fread(position.data(), sizeof(float), position.size(), stdin) != position.size()) {
        std::fprintf(stderr, "nanoflann_peer: stdin ends before the last point\n");
        return 2;
    }
    Best best = header.dim == 2 ? measure<2>(header, position) : measure<3>(header, position);
    double count = static_cast<double>(header.count);
    std::printf(
        "{\"method\": \"peer:nanoflann\", \"threads\": %llu, \"points\": %llu, \"entries\": %llu, "
        "\"build_ms\": %.6f, \"query_ms\": %.6f, \"ns_per_point\": %.3f, \"bytes_per_point\": %.1f, "
        "\"reps\": %llu}\n",
        static_cast<unsigned long long>(header.threads),
        static_cast<unsigned long long>(header.count), static_cast<unsigned long long>(best.entries),
        best.build * 1e3, best.query * 1e3, best.total * 1e9 / count,
        static_cast<double>(best.bytes) / count, static_cast<unsigned long long>(best.reps));
    return std::fflush(stdout) == 0 ? 0 : 1;
}
