/* The input boundary: turns the caller's arrays into checked boxes and queries, or an error
 * message. */
#ifndef RNI_BROADPHASE_INGEST_H
#define RNI_BROADPHASE_INGEST_H

#include "broadphase/query.h"

/* Checks every box and computes bounds, longest edges and size classes. name is the name of the set
 * in messages. Scratch memory comes from the arena. */
rn_result rni_ingest_boxes(rni_crew *crew, rni_arena *arena, uint32_t dim, const rn_boxes *boxes,
                           const char *name, rni_boxes *out);

rn_result rni_ingest_box_queries(rni_crew *crew, uint32_t dim, const rn_queries *queries,
                                 rni_queries *out);

#endif
