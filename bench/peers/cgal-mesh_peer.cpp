// CGAL beside Runnel: an AABB tree over the triangles, in double, with its accelerated distance queries;
// inside by its test of rays (for closed meshes only).
#include "mesh_peer.h"

#include <CGAL/AABB_face_graph_triangle_primitive.h>
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>

namespace
{

typedef CGAL::Exact_predicates_inexact_constructions_kernel Exact; // for the test of rays
typedef CGAL::Simple_cartesian<double> Kernel;                     // the fastest for distances

template <class K> typename K::Point_3 point(const std::vector<float> &from, uint64_t i)
{
    return typename K::Point_3(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
}

template <class K> CGAL::Surface_mesh<typename K::Point_3> mesh_of(const peer::Input &input)
{
    typedef CGAL::Surface_mesh<typename K::Point_3> Mesh;
    Mesh mesh;
    for (uint64_t v = 0; v < input.header.vertex_count; v++)
        mesh.add_vertex(point<K>(input.vertex, v));
    for (uint64_t t = 0; t < input.header.triangle_count; t++) {
        const uint32_t *c = &input.triangle[3 * t];
        mesh.add_face(typename Mesh::Vertex_index(c[0]), typename Mesh::Vertex_index(c[1]),
                      typename Mesh::Vertex_index(c[2]));
    }
    return mesh;
}

} // namespace

int main()
{
    typedef CGAL::Surface_mesh<Kernel::Point_3> Mesh;
    typedef CGAL::AABB_face_graph_triangle_primitive<Mesh> Primitive;
    typedef CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>> Tree;
    peer::Input input;
    if (!peer::read_input(input)) return peer::refuse("cgal-mesh");
    const peer::Header &h = input.header;
    const Mesh mesh = mesh_of<Kernel>(input);
    peer::Answer answer;
    double begin = peer::now(), mean;
    Tree tree(faces(mesh).first, faces(mesh).second, mesh);
    tree.build();
    tree.accelerate_distance_queries();
    answer.build_ms = 1e3 * (peer::now() - begin);
    answer.closest_ns = peer::measure(
        h,
        [&](uint64_t i) {
            return std::sqrt(CGAL::squared_distance(tree.closest_point(point<Kernel>(input.from, i)),
                                                    point<Kernel>(input.from, i)));
        },
        &answer.distance);
    answer.segment_ns = peer::measure(
        h,
        [&](uint64_t i) {
            const Kernel::Segment_3 segment(point<Kernel>(input.from, i), point<Kernel>(input.to, i));
            return tree.do_intersect(segment) ? 0.0 : 1.0;
        },
        &mean);
    const CGAL::Surface_mesh<Exact::Point_3> exact = mesh_of<Exact>(input);
    CGAL::Side_of_triangle_mesh<CGAL::Surface_mesh<Exact::Point_3>, Exact> side(exact);
    answer.inside_ns = peer::measure(
        h,
        [&](uint64_t i) {
            return side(point<Exact>(input.from, i)) == CGAL::ON_BOUNDED_SIDE ? 1.0 : 0.0;
        },
        &mean);
    return peer::print("cgal-mesh", answer);
}
