// OpenVDB beside Runnel: particles to a level set of spheres (ParticlesToLevelSet), and the level set to a mesh
// (VolumeToMesh). The usual way: spheres of one spacing, a narrow band of three voxels, no adaptivity. The surface
// is that of spheres, without smoothing and without normals, which Runnel's has.
#include "surface_peer.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/global_control.h>

namespace
{

struct Particles {
    using PosType = openvdb::Vec3R;
    const peer::Input &input;
    double radius;
    size_t size() const { return input.header.count; }
    void getPos(size_t n, PosType &at) const
    {
        const float *p = &input.position[3 * n];
        at = PosType(p[0], p[1], p[2]);
    }
    void getPosRad(size_t n, PosType &at, openvdb::Real &r) const
    {
        getPos(n, at);
        r = radius;
    }
};

} // namespace

int main()
{
    peer::Input input;
    if (!peer::read_input(input)) return peer::refuse("openvdb");
    const peer::Header &h = input.header;
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, h.threads);
    openvdb::initialize();
    const Particles particles = {input, h.spacing};
    const peer::Answer answer = peer::measure(h, [&](peer::Answer &a) {
        const double begin = peer::now();
        auto grid = openvdb::createLevelSet<openvdb::FloatGrid>(h.voxel, 3.0);
        openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
        raster.setGrainSize(1000); // the default of 1 is slower
        raster.setRmin(0.5);
        raster.rasterizeSpheres(particles);
        raster.finalize(true);
        const double between = peer::now();
        openvdb::tools::VolumeToMesh mesher(0.0, 0.0);
        mesher(*grid);
        a.field_ms = 1e3 * (between - begin);
        a.vertices = static_cast<double>(mesher.pointListSize());
        for (size_t k = 0; k < mesher.polygonPoolListSize(); k++) {
            const auto &pool = mesher.polygonPoolList()[k];
            a.triangles += 2.0 * static_cast<double>(pool.numQuads()) + static_cast<double>(pool.numTriangles());
        }
    });
    return peer::print(answer);
}
