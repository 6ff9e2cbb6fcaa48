/* Polygons with any number of corners -> triangles. */
#ifndef RNI_FILES_POLYGON_H
#define RNI_FILES_POLYGON_H

#include <runnel/base.h>

/* Corners of one face: positions, and what the caller wants to know of them afterwards. */
typedef struct rni_polygon {
    uint32_t count, capacity;
    float (*position)[3];
    float (*texture)[2];
    uint32_t *vertex;
    uint32_t *next, *previous; /* while it is cut */
    uint32_t (*cut)[3];        /* the count - 2 triangles, as places in the polygon */
} rni_polygon;

/* Appends a corner; texture may be NULL. */
rn_result rni_polygon_add(rni_polygon *polygon, uint32_t vertex, const float position[3],
                          const float texture[2]);
/* Fills cut[]. Ears are cut off in the plane of the polygon; polygons of more than 256 corners and
 * those without a plane become fans. */
void rni_polygon_cut(rni_polygon *polygon);
void rni_polygon_release(rni_polygon *polygon);

#endif
