/* The boundary: the caller's arrays become checked boxes and queries, or a sentence. */
#ifndef RNI_BROADPHASE_INGEST_H
#define RNI_BROADPHASE_INGEST_H

#include "broadphase/query.h"

/* Checks every box and finds bounds, longest edges and size classes. name is what the caller calls
 * the set in messages. Takes its room from the arena. */
rn_result rni_ingest_boxes(rni_crew *crew, rni_arena *arena, uint32_t dim, const rn_boxes *boxes,
                           const char *name, rni_boxes *out);

rn_result rni_ingest_box_queries(rni_crew *crew, uint32_t dim, const rn_queries *queries,
                                 rni_queries *out);

#endif
