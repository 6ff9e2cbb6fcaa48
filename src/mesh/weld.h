/* Welding: vertices that are close become one. */
#ifndef RNI_MESH_WELD_H
#define RNI_MESH_WELD_H

#include "mesh/data.h"

/* Vertices within `tolerance` (m, at least 0) of an earlier one are replaced by it in all triangles; the vertices themselves
 * stay. In the order of the vertices, so that the result is always the same. *welded_count: how many were
 * replaced. */
rn_result rni_mesh_weld(rn_mesh_data *data, double tolerance, rni_memory *memory,
                        uint32_t *welded_count);

#endif
