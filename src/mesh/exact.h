/* Signs of determinants of float coordinates, never rounded.
 *
 * A sign is first computed in double with a bound of its rounding error (Shewchuk 1997); only where the bound
 * does not decide, the products are summed without rounding, as expansions of non-overlapping doubles. Exact
 * for all finite floats: products of three neither overflow nor lose bits. */
#ifndef RNI_MESH_EXACT_H
#define RNI_MESH_EXACT_H

#include <stdbool.h>

/* 1: d is below the plane of a, b, c, seen from above where a, b, c run counter-clockwise; 0: on it; -1:
 * above. */
int rni_exact_side(const float a[3], const float b[3], const float c[3], const float d[3]);
/* 1: a, b, c run counter-clockwise in the plane of the axes u and v; 0: they lie on a line; -1: clockwise. */
int rni_exact_turn(const float a[3], const float b[3], const float c[3], int u, int v);
/* Whether the three points lie on a line, or coincide. */
bool rni_exact_is_flat(const float a[3], const float b[3], const float c[3]);

#endif
