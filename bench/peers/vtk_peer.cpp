// VTK beside Runnel: flying edges (vtkFlyingEdges3D) on the same field, sampled on a dense grid of the same voxels. VTK
// has no fast rasteriser of particles of this kind: the field is made here by splatting the kernel, on one thread. Its
// time is "field_ms"; "ms" is that of flying edges alone, with normals.
#include "surface_peer.h"

#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkFloatArray.h>
#include <vtkSMPTools.h>

namespace
{

struct Grid {
    int count[3];
    double low[3];
    std::vector<float> value;
};

// The sum of (1 - r^2/R^2)^3, scaled so that it is about 1 inside.
void splat(const peer::Input &input, Grid &grid)
{
    const peer::Header &h = input.header;
    double high[3] = {-1e300, -1e300, -1e300};
    for (int k = 0; k < 3; k++) grid.low[k] = 1e300;
    for (size_t n = 0; n < input.position.size(); n++) {
        grid.low[n % 3] = std::min(grid.low[n % 3], double(input.position[n]));
        high[n % 3] = std::max(high[n % 3], double(input.position[n]));
    }
    for (int k = 0; k < 3; k++) {
        grid.low[k] -= h.radius + 2 * h.voxel;
        grid.count[k] = int(std::ceil((high[k] + h.radius + 2 * h.voxel - grid.low[k]) / h.voxel)) + 1;
    }
    grid.value.assign(size_t(grid.count[0]) * grid.count[1] * grid.count[2], 0.0f);
    const double pi = 3.14159265358979, sum = 64.0 * pi / 315.0 * std::pow(h.radius / h.spacing, 3);
    const float weight = float(1 / sum), per_sq = float(1 / (h.radius * h.radius));
    for (size_t i = 0; i < h.count; i++) {
        int from[3], to[3];
        float at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = input.position[3 * i + k] - float(grid.low[k]);
            from[k] = int(std::ceil((at[k] - h.radius) / h.voxel));
            to[k] = int(std::floor((at[k] + h.radius) / h.voxel));
        }
        for (int z = from[2]; z <= to[2]; z++)
            for (int y = from[1]; y <= to[1]; y++) {
                float *row = &grid.value[(size_t(z) * grid.count[1] + y) * grid.count[0]];
                const float dy = float(y * h.voxel) - at[1], dz = float(z * h.voxel) - at[2];
                for (int x = from[0]; x <= to[0]; x++) {
                    const float dx = float(x * h.voxel) - at[0];
                    const float left = 1 - (dx * dx + dy * dy + dz * dz) * per_sq;
                    if (left > 0) row[x] += weight * left * left * left;
                }
            }
    }
}

} // namespace

int main()
{
    peer::Input input;
    if (!peer::read_input(input)) return peer::refuse("vtk");
    const peer::Header &h = input.header;
    vtkSMPTools::Initialize(int(h.threads));
    Grid grid;
    const double begin = peer::now();
    splat(input, grid);
    const double field_ms = 1e3 * (peer::now() - begin);
    vtkNew<vtkFloatArray> values;
    values->SetArray(grid.value.data(), vtkIdType(grid.value.size()), 1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(grid.count);
    image->SetOrigin(grid.low);
    image->SetSpacing(h.voxel, h.voxel, h.voxel);
    image->GetPointData()->SetScalars(values);
    peer::Answer answer = peer::measure(h, [&](peer::Answer &a) {
        vtkNew<vtkFlyingEdges3D> edges;
        edges->SetInputData(image);
        edges->SetValue(0, h.level);
        edges->ComputeNormalsOn();
        edges->ComputeScalarsOff();
        edges->Update();
        a.vertices = double(edges->GetOutput()->GetNumberOfPoints());
        a.triangles = double(edges->GetOutput()->GetNumberOfPolys());
    });
    answer.field_ms = field_ms;
    return peer::print(answer);
}
