/* Which open patches of a mesh agree in orientation, as told by borders that run along each other.
 *
 * Faces that are divided differently share no edges, though they meet: each is a patch of its own. Where two borders
 * overlap, patches agree if the borders run in opposite directions. */
#ifndef RNI_MESH_SEAMS_H
#define RNI_MESH_SEAMS_H

#include "mesh/topology.h"

/* votes: for each patch, how many more of its triangles look like its first than against it. Sets turns_first of each
 * open patch, so that patches that meet agree and most triangles of each such group keep their orientation. */
rn_result rni_seams_agree(const rni_topology *topology, const int64_t *votes, bool *turns_first);

#endif
