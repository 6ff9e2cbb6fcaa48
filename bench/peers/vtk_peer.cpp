// VTK beside Runnel: flying edges (vtkFlyingEdges3D) on Runnel's own field of the particles, on a dense grid. Both make
// positions, normals and triangles. The time is that from the field to the mesh.
#include "surface_peer.h"

#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkSMPTools.h>

int main()
{
    peer::Input input;
    if (!peer::read_input(input)) return peer::refuse("vtk");
    const peer::Header &h = input.header;
    vtkSMPTools::Initialize(int(h.threads));
    const int count[3] = {int(h.grid[0]), int(h.grid[1]), int(h.grid[2])};
    if (input.field.empty()) return peer::refuse("vtk");
    vtkNew<vtkFloatArray> values;
    values->SetArray(input.field.data(), vtkIdType(input.field.size()), 1);
    vtkNew<vtkImageData> image;
    image->SetDimensions(count);
    image->SetOrigin(h.low);
    image->SetSpacing(h.step);
    image->GetPointData()->SetScalars(values);
    const peer::Answer answer = peer::measure(h, [&](peer::Answer &a) {
        vtkNew<vtkFlyingEdges3D> edges;
        edges->SetInputData(image);
        edges->SetValue(0, h.level);
        edges->ComputeNormalsOn();
        edges->ComputeScalarsOff();
        edges->Update();
        a.vertices = double(edges->GetOutput()->GetNumberOfPoints());
        a.triangles = double(edges->GetOutput()->GetNumberOfPolys());
    });
    return peer::print(answer);
}
