/* Whether two triangles intersect: exact, with every case of touching and of shared corners. */
#ifndef RNI_MESH_INTERSECT_H
#define RNI_MESH_INTERSECT_H

#include <stdbool.h>

/* Whether two triangles, neither of them flat, have more in common than the corners and edges they share. Corners with
 * equal coordinates are shared. Two triangles with three shared corners are duplicates, and do not count. */
bool rni_triangles_intersect(const float *const a[3], const float *const b[3]);

#endif
