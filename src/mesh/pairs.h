/* Pairs of triangles that are faults: self-intersections, thin walls, narrow gaps.
 *
 * Job:    candidates by the broad phase on boxes of triangles, then the exact test of each pair, on all threads.
 * Output: counts, the first places and the thinnest wall and gap: the same for any number of threads. */
#ifndef RNI_MESH_PAIRS_H
#define RNI_MESH_PAIRS_H

#include <runnel/mesh.h>

#include "base/memory.h"

/* Adds one fault and its place, if it is one of the first. */
void rni_fault_add(rn_mesh_fault *fault, const rn_mesh_place *place);

/* Fills the faults 5 to 7 and the thinnest wall and gap of the diagnosis. */
rn_result rni_pairs_find(const rn_mesh *mesh, const rn_mesh_diagnose_def *def, rni_memory *memory,
                         rn_mesh_diagnosis *diagnosis);

/* Distance of two triangles, and where they are closest. */
double rni_triangle_distance(const float *const a[3], const float *const b[3], double on_a[3],
                             double on_b[3]);

#endif
