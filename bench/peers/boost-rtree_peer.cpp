// Boost.Geometry's R-tree beside Runnel: packed (bulk loaded) in nodes of 16, then every box asks for
// what it meets.
#include "box_peer.h"

#include <boost/geometry.hpp>
#include <boost/geometry/index/rtree.hpp>
#include <boost/iterator/function_output_iterator.hpp>

namespace
{

namespace bg = boost::geometry;
namespace bgi = boost::geometry::index;

template <int Dim> struct Types {
    using Point = bg::model::point<float, Dim, bg::cs::cartesian>;
    using Box = bg::model::box<Point>;
    using Value = std::pair<Box, uint32_t>;
    using Tree = bgi::rtree<Value, bgi::linear<16>>;
};

template <int Dim> typename Types<Dim>::Box box_at(const float *low, const float *high)
{
    typename Types<Dim>::Box box;
    bg::set<bg::min_corner, 0>(box, low[0]);
    bg::set<bg::min_corner, 1>(box, low[1]);
    bg::set<bg::max_corner, 0>(box, high[0]);
    bg::set<bg::max_corner, 1>(box, high[1]);
    if constexpr (Dim == 3) {
        bg::set<bg::min_corner, 2>(box, low[2]);
        bg::set<bg::max_corner, 2>(box, high[2]);
    }
    return box;
}

std::vector<peer::Pair> pairs;

template <int Dim> peer::Answer measure(const peer::Input &input)
{
    using T = Types<Dim>;
    peer::Answer answer;
    double begin = peer::now();
    std::vector<typename T::Value> values;
    values.reserve(input.header.count);
    for (uint32_t i = 0; i < input.header.count; i++)
        values.emplace_back(box_at<Dim>(&input.low[i * 3ul], &input.high[i * 3ul]), i);
    typename T::Tree tree(values.begin(), values.end());
    double built = peer::now();
    if (input.header.query_count > 0) {
        uint64_t found = 0;
        auto count =
            boost::make_function_output_iterator([&found](const typename T::Value &) { found++; });
        for (uint64_t k = 0; k < input.header.query_count; k++)
            tree.query(bgi::intersects(box_at<Dim>(&input.query_low[k * 3], &input.query_high[k * 3])),
                       count);
        answer.found = found;
    } else {
        pairs.clear();
        for (const typename T::Value &value : values) {
            uint32_t self = value.second;
            auto add = boost::make_function_output_iterator([self](const typename T::Value &other) {
                if (self < other.second) pairs.push_back({self, other.second});
            });
            tree.query(bgi::intersects(value.first), add);
        }
        answer.found = pairs.size();
    }
    answer.find = peer::now() - built;
    answer.build = built - begin;
    return answer;
}

} // namespace

int main()
{
    return peer::run("boost-rtree", true, [](const peer::Input &input) {
        return input.header.dim == 2 ? measure<2>(input) : measure<3>(input);
    });
}
