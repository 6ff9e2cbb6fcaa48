// CGAL's Delaunay triangulation of the centres beside Runnel: the edges whose boxes touch are its pairs.
// This is the broad phase of Ferrez 2001 that Poirrier 2009 compares with. It is not exact: boxes may
// overlap without an edge between their centres.
#include "box_peer.h"

#include <CGAL/Delaunay_triangulation_2.h>
#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_2.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

namespace
{

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Vertex3 = CGAL::Triangulation_vertex_base_with_info_3<uint32_t, Kernel>;
using Cell3 = CGAL::Delaunay_triangulation_cell_base_3<Kernel>;
using Delaunay3 =
    CGAL::Delaunay_triangulation_3<Kernel, CGAL::Triangulation_data_structure_3<Vertex3, Cell3>>;
using Vertex2 = CGAL::Triangulation_vertex_base_with_info_2<uint32_t, Kernel>;
using Delaunay2 = CGAL::Delaunay_triangulation_2<
    Kernel, CGAL::Triangulation_data_structure_2<Vertex2, CGAL::Triangulation_face_base_2<Kernel>>>;

std::vector<peer::Pair> pairs;

double middle(const peer::Input &input, uint64_t i, int axis)
{
    return 0.5 * (static_cast<double>(input.low[i * 3 + axis]) +
                  static_cast<double>(input.high[i * 3 + axis]));
}

void add_edge(const peer::Input &input, uint32_t a, uint32_t b)
{
    if (peer::touch(&input.low[a * 3ul], &input.high[a * 3ul], &input.low[b * 3ul],
                    &input.high[b * 3ul]))
        pairs.push_back({a, b});
}

peer::Answer measure_3(const peer::Input &input)
{
    peer::Answer answer;
    double begin = peer::now();
    std::vector<std::pair<Kernel::Point_3, uint32_t>> points;
    points.reserve(input.header.count);
    for (uint32_t i = 0; i < input.header.count; i++)
        points.emplace_back(
            Kernel::Point_3(middle(input, i, 0), middle(input, i, 1), middle(input, i, 2)), i);
    Delaunay3 triangulation(points.begin(), points.end());
    double built = peer::now();
    pairs.clear();
    for (auto edge = triangulation.finite_edges_begin(); edge != triangulation.finite_edges_end();
         ++edge)
        add_edge(input, edge->first->vertex(edge->second)->info(),
                 edge->first->vertex(edge->third)->info());
    answer.find = peer::now() - built;
    answer.build = built - begin;
    answer.found = pairs.size();
    answer.bytes = triangulation.tds().number_of_vertices() * sizeof(Vertex3) +
                   triangulation.tds().number_of_cells() * sizeof(Cell3);
    return answer;
}

peer::Answer measure_2(const peer::Input &input)
{
    peer::Answer answer;
    double begin = peer::now();
    std::vector<std::pair<Kernel::Point_2, uint32_t>> points;
    points.reserve(input.header.count);
    for (uint32_t i = 0; i < input.header.count; i++)
        points.emplace_back(Kernel::Point_2(middle(input, i, 0), middle(input, i, 1)), i);
    Delaunay2 triangulation(points.begin(), points.end());
    double built = peer::now();
    pairs.clear();
    for (auto edge = triangulation.finite_edges_begin(); edge != triangulation.finite_edges_end();
         ++edge)
        add_edge(input, edge->first->vertex(triangulation.cw(edge->second))->info(),
                 edge->first->vertex(triangulation.ccw(edge->second))->info());
    answer.find = peer::now() - built;
    answer.build = built - begin;
    answer.found = pairs.size();
    return answer;
}

} // namespace

int main()
{
    return peer::run("cgal-delaunay", false, [](const peer::Input &input) {
        return input.header.dim == 2 ? measure_2(input) : measure_3(input);
    });
}
