// CGAL's box_self_intersection_d (and box_intersection_d for queries) beside Runnel: streamed segment
// trees (Zomorodian and Edelsbrunner). Closed boxes of float, pointers handed over, and the cutoff below
// which it scans tuned for the size: the default of 10 is several times slower.
#include "box_peer.h"

#include <CGAL/box_intersection_d.h>

namespace
{

struct Numbered : CGAL::Box_intersection_d::Box_d<float, 3, CGAL::Box_intersection_d::ID_EXPLICIT> {
    using Base = CGAL::Box_intersection_d::Box_d<float, 3, CGAL::Box_intersection_d::ID_EXPLICIT>;
    uint32_t index;
    Numbered(const float *low, const float *high, uint32_t i)
        : Base(const_cast<float *>(low), const_cast<float *>(high)), index(i)
    {
    }
};

std::ptrdiff_t cutoff_for(uint64_t count)
{
    return count <= 50000 ? 1000 : count <= 1000000 ? 3000 : 10000;
}

void fill(const std::vector<float> &low, const std::vector<float> &high,
          std::vector<Numbered> &boxes, std::vector<Numbered *> &pointers)
{
    boxes.reserve(low.size() / 3);
    for (size_t i = 0; i < low.size() / 3; i++)
        boxes.emplace_back(&low[i * 3], &high[i * 3], static_cast<uint32_t>(i));
    for (Numbered &box : boxes) pointers.push_back(&box);
}

std::vector<peer::Pair> pairs; // kept between repetitions, as a caller would

peer::Answer all_pairs(const peer::Input &input)
{
    peer::Answer answer;
    double begin = peer::now();
    std::vector<Numbered> boxes;
    std::vector<Numbered *> pointers;
    fill(input.low, input.high, boxes, pointers);
    double built = peer::now();
    pairs.clear();
    CGAL::box_self_intersection_d(
        pointers.begin(), pointers.end(),
        [](const Numbered *a, const Numbered *b) {
            pairs.push_back({a->index, b->index});
        },
        cutoff_for(input.header.count), CGAL::Box_intersection_d::CLOSED);
    answer.find = peer::now() - built;
    answer.build = built - begin;
    answer.found = pairs.size();
    answer.bytes = boxes.capacity() * sizeof(Numbered) + pointers.capacity() * sizeof(void *) +
                   pairs.capacity() * sizeof(peer::Pair);
    return answer;
}

// CGAL has no structure to ask: both sets at once.
peer::Answer all_queries(const peer::Input &input)
{
    peer::Answer answer;
    std::vector<Numbered> boxes, asked;
    std::vector<Numbered *> pointers, asked_pointers;
    fill(input.low, input.high, boxes, pointers);
    double begin = peer::now();
    fill(input.query_low, input.query_high, asked, asked_pointers);
    uint64_t found = 0;
    CGAL::box_intersection_d(
        pointers.begin(), pointers.end(), asked_pointers.begin(), asked_pointers.end(),
        [&found](const Numbered *, const Numbered *) { found++; }, cutoff_for(input.header.count),
        CGAL::Box_intersection_d::CLOSED);
    answer.find = peer::now() - begin;
    answer.found = found;
    answer.bytes = (boxes.capacity() + asked.capacity()) * (sizeof(Numbered) + sizeof(void *));
    return answer;
}

} // namespace

int main()
{
    return peer::run("cgal-box", true, [](const peer::Input &input) {
        return input.header.query_count ? all_queries(input) : all_pairs(input);
    });
}
