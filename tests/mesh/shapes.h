/* Small meshes for tests, and dirt for them. */
#ifndef RNI_TESTS_MESH_SHAPES_H
#define RNI_TESTS_MESH_SHAPES_H

#include <runnel/mesh.h>

rn_mesh_data *new_mesh(void);
/* Appends a cube of 12 triangles, oriented outwards, or inwards. */
void add_cube(rn_mesh_data *data, float x, float y, float z, float size, bool is_inwards);
/* Appends a triangle with three vertices of its own. */
void add_loose(rn_mesh_data *data, const float corner[9]);
/* The diagnosis; fails the test when there is none. */
rn_mesh_diagnosis diagnose(const rn_mesh_data *data, double spacing);
/* Fails the test unless exactly these faults were found; kinds that are not named must have none. Ends with -1. */
void expect_faults(const rn_mesh_diagnosis *d, ...);

#endif
