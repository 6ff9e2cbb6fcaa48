/* Regions: the part of space that a solid gives to blocks, balls, pipes and outlets ("fill this vessel").
 *
 * Job:    says which places a region has: the inside of a hollow solid or of a solid that is no wall; of any
 *         other solid what it can hold, as a bowl holds water below its brim.
 * How:    a grid over the solid, on which water runs off to the sides: of each place the lowest height over
 *         which everything there must pass (the priority flood of depressions in terrain). Triangles between
 *         two places of the grid part them, however thin they are.
 * Order:  rni_region_get(), questions, rni_region_give(). Regions are kept: scenes are checked often.
 */
#ifndef RNI_SCENE_REGIONS_H
#define RNI_SCENE_REGIONS_H

#include "scene/scene.h"

/* Of a level: none is given, the region is full. */
#define RNI_NO_LEVEL 1e9f

typedef struct rni_region rni_region;

/* The region of the solid with this name; on failure *region is NULL, and the sentence is about the name. */
rn_result rni_region_get(const rni_scene *scene, const char *solid, rni_region **region);
void rni_region_give(rni_region *region); /* NULL is fine */

/* Whether x is in the region, and not above the level (m along the axis of gravity). */
bool rni_region_has(const rni_region *region, float level, const float x[3]);
/* m: the box around it, below the level. */
void rni_region_bounds(const rni_region *region, float level, float low[3], float high[3]);
/* m^3 (2D: m^2) of it inside a box, to some per cent. */
double rni_region_volume(rni_region *region, float level, const float low[3], const float high[3]);
/* Whether a level is below the brim; *brim: where that is, m. Regions that are closed have none. */
bool rni_region_holds(const rni_region *region, float level, float *brim);
/* m: the middle of the region and the radius of the circle (2D: half the width) as large as what is seen of it
 * along direction. False: nothing is. */
bool rni_region_mouth(const rni_region *region, const float direction[3], float center[3],
                      float *radius);

/* Gives up what is kept. */
void rni_regions_clear(void);

#endif
